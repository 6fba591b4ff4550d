//! Bit sets: sets of objects or attributes, which are numbered from zero.
//!
//! The crate has access to the words of a set, because [`Concepts`](crate::Concepts) stores the
//! intents of all concepts in one flat vector instead of one vector for each concept.

use std::fmt;

/// A set of numbers below a fixed bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BitSet {
    words: Vec<u64>,
    bound: usize,
}

impl BitSet {
    /// Returns the empty set of numbers below `bound`.
    #[must_use]
    pub fn empty(bound: usize) -> Self {
        Self { words: vec![0; words_for(bound)], bound }
    }

    /// Returns the set of all numbers below `bound`.
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

    /// Returns the set of these numbers.
    ///
    /// # Panics
    ///
    /// If a number is not below `bound`.
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

    /// Returns the number that all members must be below.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// Adds a number.
    ///
    /// # Panics
    ///
    /// If the number is not below the bound.
    pub fn insert(&mut self, member: usize) {
        assert!(member < self.bound, "{member} is not below the bound {}", self.bound);
        self.words[member / 64] |= 1 << (member % 64);
    }

    /// Removes a number, if it is in the set.
    pub fn remove(&mut self, member: usize) {
        if member < self.bound {
            self.words[member / 64] &= !(1 << (member % 64));
        }
    }

    /// Returns true if a number is in the set.
    #[must_use]
    pub fn contains(&self, member: usize) -> bool {
        member < self.bound && self.words[member / 64] & (1 << (member % 64)) != 0
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns true if the set has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns true if every member of this set is in the other.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// Removes the members that are not in the other set.
    pub fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
    }

    /// Adds the members of the other set.
    pub fn unite(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    /// Removes the members of the other set.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
    }

    /// Returns the number of members that the sets have in common.
    #[must_use]
    pub fn common(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Returns the members in ascending order.
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

/// Returns the number of words that are needed for `bits` bits.
pub(crate) fn words_for(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// Returns the positions of the bits that are set.
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
    fn a_full_set_has_exactly_the_numbers_below_its_bound() {
        for bound in [0, 1, 63, 64, 65, 128] {
            let set = BitSet::full(bound);
            assert_eq!(set.len(), bound);
            assert_eq!(set.iter().collect::<Vec<_>>(), (0..bound).collect::<Vec<_>>());
        }
    }

    #[test]
    fn sets_are_intersected_united_and_subtracted() {
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
