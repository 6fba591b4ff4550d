//! Vocabularies, which number terms.

use std::fmt;
use std::hash::BuildHasher;

use hashbrown::HashTable;

/// The number of a term in one [`Vocabulary`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

impl TermId {
    /// Returns the number as an index into a table with one row per term.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of terms, numbered from 0 in the order in which they were added.
///
/// All terms are in one string, so that looking up a known term allocates nothing, and a page's
/// vocabulary costs three allocations, however many terms it has. Each vocabulary has its own hash
/// seed, so that the author of a page cannot choose terms that collide; the numbers do not depend
/// on it.
#[derive(Clone, Default)]
pub struct Vocabulary {
    text: String,
    /// The end of each term in `text`.
    ends: Vec<u32>,
    table: HashTable<u32>,
    hasher: foldhash::fast::RandomState,
}

impl Vocabulary {
    /// Creates an empty vocabulary.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty vocabulary with space for `terms` terms of ordinary length.
    pub(crate) fn with_capacity(terms: usize) -> Self {
        let hasher = foldhash::fast::RandomState::default();
        Self {
            text: String::with_capacity(terms * 8),
            ends: Vec::with_capacity(terms),
            table: HashTable::with_capacity(terms),
            hasher,
        }
    }

    /// Returns the number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the total length of all terms in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns true if there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of `term`, and adds the term if it is new.
    ///
    /// # Panics
    ///
    /// Panics if the terms take more than 4 GiB in total. No model could use such a vocabulary.
    pub fn intern(&mut self, term: &str) -> TermId {
        let hash = self.hasher.hash_one(term);
        let (text, ends) = (&self.text, &self.ends);
        if let Some(&id) = self.table.find(hash, |&id| slice(text, ends, id) == term) {
            return TermId(id);
        }
        let id = u32::try_from(self.ends.len()).expect("fewer than 2^32 terms");
        self.text.push_str(term);
        self.ends.push(u32::try_from(self.text.len()).expect("terms take less than 4 GiB"));
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        self.table.insert_unique(hash, id, |&id| hasher.hash_one(slice(text, ends, id)));
        TermId(id)
    }

    /// Returns the number of `term`, if the vocabulary has it.
    #[must_use]
    pub fn get(&self, term: &str) -> Option<TermId> {
        let hash = self.hasher.hash_one(term);
        let found = self.table.find(hash, |&id| slice(&self.text, &self.ends, id) == term);
        found.map(|&id| TermId(id))
    }

    /// Returns the term with the number `id`.
    ///
    /// # Panics
    ///
    /// Panics if `id` comes from another vocabulary and is out of range here.
    #[must_use]
    pub fn term(&self, id: TermId) -> &str {
        slice(&self.text, &self.ends, id.0)
    }

    /// Returns all terms, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, &str)> {
        let mut start = 0;
        self.ends.iter().zip(0..).map(move |(&end, id)| {
            let term = &self.text[start..end as usize];
            start = end as usize;
            (TermId(id), term)
        })
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|(_, term)| term)).finish()
    }
}

/// Vocabularies are equal if they have the same terms with the same numbers.
impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.ends == other.ends
    }
}

impl Eq for Vocabulary {}

impl<T: AsRef<str>> FromIterator<T> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = T>>(terms: I) -> Self {
        let mut vocabulary = Self::new();
        for term in terms {
            vocabulary.intern(term.as_ref());
        }
        vocabulary
    }
}

#[inline]
fn slice<'t>(text: &'t str, ends: &[u32], id: u32) -> &'t str {
    let index = id as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    &text[start..ends[index] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_numbered_in_order_of_first_occurrence() {
        let vocabulary: Vocabulary = ["暴雨", "rain", "暴雨", ""].into_iter().collect();
        assert_eq!(vocabulary.len(), 3);
        assert_eq!(vocabulary.get("rain"), Some(TermId(1)));
        assert_eq!(vocabulary.term(TermId(0)), "暴雨");
        assert_eq!(vocabulary.get(""), Some(TermId(2)));
        assert_eq!(vocabulary.get("snow"), None);
        let listed: Vec<_> = vocabulary.iter().map(|(id, term)| (id.0, term)).collect();
        assert_eq!(listed, [(0, "暴雨"), (1, "rain"), (2, "")]);
    }

    #[test]
    fn many_terms_keep_their_numbers() {
        let words: Vec<String> = (0..10_000).map(|n| format!("w{n}")).collect();
        let vocabulary: Vocabulary = words.iter().collect();
        for (n, word) in words.iter().enumerate() {
            assert_eq!(vocabulary.get(word).unwrap().index(), n);
        }
    }
}
