//! Small numbers for terms.

use std::fmt;
use std::hash::BuildHasher;

use hashbrown::HashTable;

/// A term's number within one [`Vocabulary`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

impl TermId {
    /// The number as an index into a table with one row per term.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of terms, numbered from 0 in the order in which they were first seen.
///
/// All terms lie in one string, so that looking up a known term allocates nothing and a page's
/// vocabulary costs three allocations however many terms it has. The hash is seeded anew for each
/// vocabulary, because pages are written by strangers who must not be able to choose terms that
/// collide; numbering never depends on it.
#[derive(Clone, Default)]
pub struct Vocabulary {
    text: String,
    /// Where each term ends in `text`.
    ends: Vec<u32>,
    table: HashTable<u32>,
    hasher: foldhash::fast::RandomState,
}

impl Vocabulary {
    /// An empty vocabulary.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty vocabulary with room for `terms` terms of ordinary length.
    pub(crate) fn with_capacity(terms: usize) -> Self {
        let hasher = foldhash::fast::RandomState::default();
        Self {
            text: String::with_capacity(terms * 8),
            ends: Vec::with_capacity(terms),
            table: HashTable::with_capacity(terms),
            hasher,
        }
    }

    /// The number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of all terms together.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Whether there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of `term`, which is added if it is new.
    ///
    /// # Panics
    ///
    /// When the terms together pass 4 GiB, which is beyond any vocabulary that fits its models.
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

    /// The number of `term`, if it is known.
    #[must_use]
    pub fn get(&self, term: &str) -> Option<TermId> {
        let hash = self.hasher.hash_one(term);
        let found = self.table.find(hash, |&id| slice(&self.text, &self.ends, id) == term);
        found.map(|&id| TermId(id))
    }

    /// The term with this number.
    ///
    /// # Panics
    ///
    /// When `id` belongs to another vocabulary and is out of this one's range.
    #[must_use]
    pub fn term(&self, id: TermId) -> &str {
        slice(&self.text, &self.ends, id.0)
    }

    /// All terms, in the order of their numbers.
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

/// Vocabularies are equal when they number the same terms alike.
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
    fn terms_are_numbered_in_order_of_first_sight() {
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
