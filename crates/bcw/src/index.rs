//! The numbering of features.

use hashbrown::HashMap;

use crate::error::BcwError;
use crate::feature::{Found, Kind};

/// A hasher that returns its key: fingerprints are hashes already.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct IdentityHasher(u64);

impl std::hash::Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, fingerprint: u64) {
        self.0 = fingerprint;
    }
}

type Numbers = HashMap<u64, u32, std::hash::BuildHasherDefault<IdentityHasher>>;

/// The features of a model and their numbers, from 0. While documents are read, features are
/// numbered in the order of their first occurrence; afterwards, in the order of their names. A
/// hashed index has no names: a feature's number is the upper bits of its fingerprint.
#[derive(Debug, Clone, Default)]
pub(crate) struct FeatureIndex {
    hash_bits: Option<u8>,
    numbers: Numbers,
    /// All names with their marks, concatenated.
    names: String,
    /// The end of each name in `names`.
    ends: Vec<usize>,
}

impl FeatureIndex {
    pub(crate) fn new(hash_bits: Option<u8>) -> Self {
        Self { hash_bits, ..Self::default() }
    }

    /// Returns how many numbers there are.
    pub(crate) fn len(&self) -> usize {
        self.hash_bits.map_or(self.ends.len(), |bits| 1 << bits)
    }

    pub(crate) fn is_hashed(&self) -> bool {
        self.hash_bits.is_some()
    }

    #[inline]
    pub(crate) fn get(&self, fingerprint: u64) -> Option<u32> {
        match self.hash_bits {
            None => self.numbers.get(&fingerprint).copied(),
            Some(bits) => Some(bucket(fingerprint, bits)),
        }
    }

    /// Returns the number of the feature with this marked name.
    pub(crate) fn number_of(&self, marked_name: &str) -> Option<u32> {
        let kind = marked_name.chars().next().and_then(Kind::of_mark)?;
        self.get(kind.fingerprint_of_name(&marked_name[1..]))
    }

    /// Returns the number of a feature, and adds the feature if it is new.
    pub(crate) fn intern(&mut self, found: &Found<'_>) -> u32 {
        match self.get(found.fingerprint) {
            Some(number) => number,
            None => self.add(found.fingerprint, &found.marked_name()),
        }
    }

    /// Returns the number of a feature, and adds the feature if it is new.
    fn add(&mut self, fingerprint: u64, marked_name: &str) -> u32 {
        let next = u32::try_from(self.ends.len()).expect("fewer than 2^32 features");
        let number = *self.numbers.entry(fingerprint).or_insert(next);
        if number == next {
            self.names.push_str(marked_name);
            self.ends.push(self.names.len());
        }
        number
    }

    /// Returns a feature's name with the mark of its kind.
    pub(crate) fn marked_name(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.names[start..self.ends[number]]
    }

    /// Adds the features of `other`. Returns their numbers here, or `None` if the numbers are the
    /// same.
    pub(crate) fn absorb(&mut self, other: &Self) -> Option<Vec<u32>> {
        if other.is_hashed() {
            return None;
        }
        let mut numbers = vec![0; other.len()];
        // Features are added by number, since the numbering must not depend on the order of a hash
        // map.
        let mut fingerprints = vec![0; other.len()];
        other.numbers.iter().for_each(|(&print, &number)| fingerprints[number as usize] = print);
        for (number, &fingerprint) in (0..).zip(&fingerprints) {
            numbers[number as usize] = self.add(fingerprint, other.marked_name(number));
        }
        Some(numbers)
    }

    /// Renumbers the features by name. Returns the new number of each old one, or `None` if the
    /// numbers do not change.
    pub(crate) fn sort(&mut self) -> Option<Vec<u32>> {
        if self.is_hashed() {
            return None;
        }
        let mut order: Vec<u32> = (0..).take(self.ends.len()).collect();
        order.sort_unstable_by(|&a, &b| self.marked_name(a).cmp(self.marked_name(b)));
        let mut new_numbers = vec![0; order.len()];
        let mut names = String::with_capacity(self.names.len());
        let mut ends = Vec::with_capacity(order.len());
        for (new, &old) in (0..).zip(&order) {
            new_numbers[old as usize] = new;
            names.push_str(self.marked_name(old));
            ends.push(names.len());
        }
        self.numbers.values_mut().for_each(|number| *number = new_numbers[*number as usize]);
        (self.names, self.ends) = (names, ends);
        Some(new_numbers)
    }

    /// Returns an index of only these features, numbered in the same order.
    pub(crate) fn restricted(&self, is_wanted: &[bool]) -> Self {
        let mut lines = String::new();
        for (number, _) in (0..).zip(is_wanted).filter(|(_, wanted)| **wanted) {
            lines.push_str(self.marked_name(number));
            lines.push('\n');
        }
        Self::from_lines(&lines).expect("the names of an index are valid")
    }

    /// Returns the list of features for a file: one per line, the mark of its kind before it.
    pub(crate) fn to_lines(&self) -> String {
        let mut lines = String::with_capacity(self.names.len() + self.ends.len());
        for number in (0..).take(self.ends.len()) {
            lines.push_str(self.marked_name(number));
            lines.push('\n');
        }
        lines
    }

    /// Reads a list of features.
    pub(crate) fn from_lines(lines: &str) -> Result<Self, BcwError> {
        let count = lines.bytes().filter(|&byte| byte == b'\n').count();
        let mut index = Self {
            hash_bits: None,
            numbers: Numbers::with_capacity_and_hasher(
                count,
                std::hash::BuildHasherDefault::default(),
            ),
            names: String::with_capacity(lines.len()),
            ends: Vec::with_capacity(count),
        };
        for (line, name) in (1..).zip(lines.lines()) {
            let kind = name.chars().next().and_then(Kind::of_mark);
            let Some(kind) = kind else {
                return Err(damaged(format!("line {line}: `{name}` is not a feature")));
            };
            let fingerprint = kind.fingerprint_of_name(&name[1..]);
            let known = index.len();
            if index.add(fingerprint, name) as usize != known {
                return Err(damaged(format!("line {line}: `{name}` is listed twice")));
            }
        }
        Ok(index)
    }
}

fn damaged(reason: String) -> BcwError {
    BcwError::Damaged { file: crate::bundle::FEATURES.to_owned(), reason }
}

fn bucket(fingerprint: u64, bits: u8) -> u32 {
    u32::try_from(fingerprint >> (64 - u32::from(bits))).expect("at most 22 bits")
}
