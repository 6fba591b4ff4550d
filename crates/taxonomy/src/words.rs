//! Similarity of words, computed from the concepts that they name.

use std::sync::{PoisonError, RwLock};

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::measure::Measure;
use crate::search::{folded, local_name};
use crate::taxonomy::{ConceptId, Taxonomy};

/// Greatest number of pairs of words whose comparison is cached.
const CACHED: usize = 1 << 22;

/// The id of a word in a [`Words`] collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WordId(u32);

impl WordId {
    /// Returns the id as an index, for tables with one row per word.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The comparison of two words by their most similar senses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordMatch {
    /// The greatest value of the measure as published.
    pub value: f64,
    /// The greatest similarity, from 0 to 1.
    pub similarity: f64,
    /// The pair of senses with the greatest value.
    pub senses: (ConceptId, ConceptId),
}

/// The words that name the concepts of a taxonomy, compared by a measure.
///
/// The similarity of two words is that of their most similar senses. Comparisons are cached, so
/// that repeating one costs a look-up. Several threads may compare at once; the results do not
/// depend on the order.
pub struct Words {
    measure: Box<dyn Measure>,
    ids: HashMap<String, WordId, FixedState>,
    senses: Vec<Vec<ConceptId>>,
    /// For each word, a name that has it as its form, for display.
    names: Vec<String>,
    cache: RwLock<HashMap<(WordId, WordId), WordMatch, FixedState>>,
}

impl Words {
    /// Collects the names of the measure's taxonomy, ignoring case, and the last parts of its keys.
    #[must_use]
    pub fn new(measure: Box<dyn Measure>) -> Self {
        Self::collect(measure, |taxonomy, id| {
            let names = taxonomy.names(id).into_iter().map(|(name, _)| name.into_owned());
            let names = names.chain([local_name(&taxonomy.concept(id).key).to_owned()]);
            names.map(|name| (folded(&name), name)).collect()
        })
    }

    /// Collects the names in the form that `form` returns, such as a stem; names for which it
    /// returns `None` are left out. Names with the same form are one word with the senses of both.
    #[must_use]
    pub fn with_form(
        measure: Box<dyn Measure>,
        mut form: impl FnMut(&str) -> Option<String>,
    ) -> Self {
        Self::collect(measure, |taxonomy, id| {
            let names = taxonomy.names(id).into_iter();
            names.filter_map(|(name, _)| Some((form(&name)?, name.into_owned()))).collect()
        })
    }

    fn collect(
        measure: Box<dyn Measure>,
        mut forms: impl FnMut(&Taxonomy, ConceptId) -> Vec<(String, String)>,
    ) -> Self {
        let mut ids: HashMap<String, WordId, FixedState> = HashMap::default();
        let mut senses: Vec<Vec<ConceptId>> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let taxonomy = measure.taxonomy();
        for id in taxonomy.ids() {
            for (word, name) in forms(taxonomy, id) {
                let next = u32::try_from(senses.len()).expect("fewer than 2^32 words");
                let word = *ids.entry(word).or_insert(WordId(next));
                if word.index() == senses.len() {
                    senses.push(Vec::new());
                    names.push(name);
                }
                if senses[word.index()].last() != Some(&id) {
                    senses[word.index()].push(id);
                }
            }
        }
        Self { measure, ids, senses, names, cache: RwLock::default() }
    }

    /// Returns the number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.senses.len()
    }

    /// Returns true if there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.senses.is_empty()
    }

    /// Finds a word, which must be in the form of this collection.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<WordId> {
        self.ids.get(word).copied()
    }

    /// Finds a word, ignoring case.
    #[must_use]
    pub fn find_folded(&self, word: &str) -> Option<WordId> {
        self.find(&folded(word))
    }

    /// Iterates over all words and their ids, in the order of the taxonomy.
    pub fn iter(&self) -> impl Iterator<Item = (&str, WordId)> {
        let mut all: Vec<(&str, WordId)> =
            self.ids.iter().map(|(word, &id)| (word.as_str(), id)).collect();
        all.sort_unstable_by_key(|&(_, id)| id);
        all.into_iter()
    }

    /// Returns the concepts that a word names.
    #[must_use]
    pub fn senses(&self, word: WordId) -> &[ConceptId] {
        &self.senses[word.index()]
    }

    /// Returns a name that has this word as its form: "deluge" for the stem `delug`.
    #[must_use]
    pub fn name(&self, word: WordId) -> &str {
        &self.names[word.index()]
    }

    /// Returns the measure.
    #[must_use]
    pub fn measure(&self) -> &dyn Measure {
        &*self.measure
    }

    /// Compares two words by their most similar senses.
    #[must_use]
    pub fn compare(&self, a: WordId, b: WordId) -> WordMatch {
        // One entry serves both orders.
        let pair = (a.min(b), a.max(b));
        let cached = self.cache.read().unwrap_or_else(PoisonError::into_inner).get(&pair).copied();
        let found = cached.unwrap_or_else(|| {
            let found = self.nearest(self.senses(pair.0), self.senses(pair.1));
            let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
            if cache.len() < CACHED {
                cache.insert(pair, found);
            }
            found
        });
        let (first, second) = found.senses;
        if a <= b { found } else { WordMatch { senses: (second, first), ..found } }
    }

    /// Compares two non-empty sets of senses. The greatest value and the greatest similarity may
    /// belong to different pairs: in a measure whose value for a concept and itself is not its
    /// greatest, such as Resnik's, a shared sense has similarity 1, but another pair may have a
    /// greater value.
    fn nearest(&self, of_a: &[ConceptId], of_b: &[ConceptId]) -> WordMatch {
        let mut best: Option<WordMatch> = None;
        for &a in of_a {
            for &b in of_b {
                let (value, similarity) = self.measure.compare(a, b);
                let best = best.get_or_insert(WordMatch { value, similarity, senses: (a, b) });
                best.similarity = best.similarity.max(similarity);
                if value > best.value {
                    (best.value, best.senses) = (value, (a, b));
                }
            }
        }
        best.expect("a word has a sense")
    }
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("words", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Label, MeasureKind, TaxonomyBuilder};

    #[test]
    fn words_are_as_similar_as_their_most_similar_senses() {
        let mut builder = TaxonomyBuilder::new();
        let [thing, bank, shore, coast] =
            ["thing", "bank1", "bank2", "coast"].map(|key| builder.concept(key));
        for (id, name) in [(thing, "thing"), (bank, "bank"), (shore, "Bank"), (coast, "coast")] {
            builder.label(id, Label::preferred(name, Some("en")));
        }
        builder.is_a(bank, thing);
        builder.is_a(shore, coast);
        builder.is_a(coast, thing);
        let words = Words::new(MeasureKind::Path.over(Arc::new(builder.finish().unwrap())));
        let [bank_word, coast_word] = ["BANK", "coast"].map(|it| words.find_folded(it).unwrap());
        assert_eq!(words.senses(bank_word), [bank, shore]);
        assert_eq!(words.name(bank_word), "bank");
        let expected = WordMatch { value: 0.8, similarity: 0.8, senses: (shore, coast) };
        for _ in 0..2 {
            assert_eq!(words.compare(bank_word, coast_word), expected);
            assert_eq!(words.compare(coast_word, bank_word).senses, (coast, shore));
        }
        let near = words.measure().nearest_to_each(&[bank, shore], &[&[thing], &[]]);
        assert!((near[0] - 2.0 / 3.0).abs() < 1e-12 && near[1].abs() < 1e-12);
        assert_eq!(words.find("beach"), None);
    }

    /// Resnik's value of a concept and itself is its information content, which may be less than
    /// what two other senses share.
    #[test]
    fn the_greatest_value_counts_even_if_the_words_share_a_sense() {
        let mut builder = TaxonomyBuilder::new();
        let [top, tree, oak, elm] = ["top", "tree", "oak", "elm"].map(|key| builder.concept(key));
        builder.is_a(tree, top);
        builder.is_a(oak, tree);
        builder.is_a(elm, tree);
        for (id, name) in [(top, "a"), (top, "b"), (oak, "a"), (elm, "b")] {
            builder.label(id, Label::preferred(name, None));
        }
        let words = Words::new(MeasureKind::Resnik.over(Arc::new(builder.finish().unwrap())));
        let [a, b] = ["a", "b"].map(|word| words.find(word).unwrap());
        let found = words.compare(a, b);
        assert_eq!(found.senses, (oak, elm));
        assert!((found.value - (1.0 - 3.0_f64.ln() / 4.0_f64.ln())).abs() < 1e-12);
        assert!((found.similarity - 1.0).abs() < 1e-12);
    }
}
