//! Sets of small numbers, one bit each.
//!
//! Objects and attributes are numbered from zero, and sets of them are the currency of this crate.
//! The words lie open to it, because a lattice keeps the intents of all its concepts in one flat
//! array and not in as many vectors.

use std::fmt;

/// A set of numbers below a fixed bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BitSet {
    words: Vec<u64>,
    bound: usize,
}

impl BitSet {
    /// The empty set of numbers below `bound`.
    #[must_use]
    pub fn empty(bound: usize) -> Self {
        Self { words: vec![0; words_for(bound)], bound }
    }

    /// The set of all numbers below `bound`.
    #[must_use]
    pub fn full(bound: usize) -> Self {
        let mut words = vec![!0; words_for(bound)];
        if let Some(last) = words.last_mut()
            && !bound.is_multiple_of(64)
        {
            *last = (1 << (bound % 64)) - 1;
        }
        Self { words, bound }
    }

    /// The set of these numbers, each of which must be below `bound`.
    ///
    /// # Panics
    ///
    /// If one is not.
    pub fn of(bound: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::empty(bound);
        for member in members {
            set.insert(member);
        }
        set
    }

    pub(crate) fn from_words(bound: usize, words: &[u64]) -> Self {
        debug_assert_eq!(words.len(), words_for(bound));
        Self { words: words.to_vec(), bound }
    }

    /// The number that all members are below.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// Adds a number.
    ///
    /// # Panics
    ///
    /// If it is not below the bound.
    pub fn insert(&mut self, member: usize) {
        assert!(member < self.bound, "{member} is not below {}", self.bound);
        self.words[member / 64] |= 1 << (member % 64);
    }

    /// Takes a number out.
    pub fn remove(&mut self, member: usize) {
        if member < self.bound {
            self.words[member / 64] &= !(1 << (member % 64));
        }
    }

    /// Whether a number is in the set.
    #[must_use]
    pub fn contains(&self, member: usize) -> bool {
        member < self.bound && self.words[member / 64] & (1 << (member % 64)) != 0
    }

    /// How many numbers are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether nothing is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether every member of this set is in the other.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// Keeps what is in the other set too.
    pub fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
    }

    /// Adds what is in the other set.
    pub fn unite(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    /// Takes out what is in the other set.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
    }

    /// How many numbers are in both sets.
    #[must_use]
    pub fn common(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// The members, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        ones(&self.words)
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}

impl fmt::Debug for BitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// How many words hold so many bits.
pub(crate) fn words_for(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// The positions of the bits that are set.
pub(crate) fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_set_holds_just_the_numbers_below_its_bound() {
        for bound in [0, 1, 63, 64, 65, 128] {
            let set = BitSet::full(bound);
            assert_eq!(set.len(), bound);
            assert_eq!(set.iter().collect::<Vec<_>>(), (0..bound).collect::<Vec<_>>());
        }
    }

    #[test]
    fn sets_meet_join_and_differ() {
        let a = BitSet::of(100, [1, 64, 70]);
        let b = BitSet::of(100, [64, 99]);
        assert_eq!(a.common(&b), 1);
        let mut both = a.clone();
        both.intersect(&b);
        assert_eq!(both, BitSet::of(100, [64]));
        assert!(both.is_subset(&a) && !a.is_subset(&both));
        let mut rest = a.clone();
        rest.subtract(&b);
        rest.unite(&BitSet::of(100, [0]));
        assert_eq!(rest, BitSet::of(100, [0, 1, 70]));
    }
}
