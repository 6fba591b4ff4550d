//! The concepts of a context.

use std::cmp::Reverse;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use rayon::prelude::*;
use serde::Serialize;

use crate::bits::{BitSet, words_for};

/// The position of a concept in its [`Concepts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ConceptId(pub(crate) u32);

impl ConceptId {
    /// Returns the position as an index into slices that hold one item for each concept.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All concepts of a context, ordered by falling number of objects.
///
/// Stores only the intents and the sizes of the extents, to save memory. Use
/// [`Context::extent`](crate::Context::extent) to get the objects of a concept from its intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concepts {
    attributes: usize,
    /// The intents one after the other, each as `words_for(attributes)` words.
    intents: Vec<u64>,
    supports: Vec<u32>,
}

impl Concepts {
    pub(crate) fn none(attributes: usize) -> Self {
        Self { attributes, intents: Vec::new(), supports: Vec::new() }
    }

    pub(crate) fn attribute_count(&self) -> usize {
        self.attributes
    }

    fn words(&self) -> usize {
        words_for(self.attributes)
    }

    pub(crate) fn push(&mut self, intent: &[u64], support: u32) {
        self.intents.extend_from_slice(intent);
        self.supports.push(support);
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        if self.supports.is_empty() {
            *self = other;
            return;
        }
        self.intents.append(&mut other.intents);
        self.supports.append(&mut other.supports);
    }

    /// Sorts by falling support, then by intent.
    pub(crate) fn sort(&mut self, parallel: bool) {
        // The sort keys hold the support and the first word of the intent, which decide most
        // comparisons; whole intents are looked up only on ties.
        let first_word = |id| self.intent_words(id).first().copied().unwrap_or(0);
        let mut order: Vec<(Reverse<u32>, u64, ConceptId)> =
            self.ids().map(|id| (Reverse(self.support(id)), first_word(id), id)).collect();
        let compare = |a: &(Reverse<u32>, u64, ConceptId), b: &(Reverse<u32>, u64, ConceptId)| {
            let by_key = (a.0, a.1).cmp(&(b.0, b.1));
            by_key.then_with(|| self.intent_words(a.2).cmp(self.intent_words(b.2)))
        };
        // No two concepts are equal, so the result of an unstable sort is unique.
        if parallel {
            order.par_sort_unstable_by(compare);
        } else {
            order.sort_unstable_by(compare);
        }
        let mut intents = vec![0; self.intents.len()];
        let copy = |(target, &(_, _, id)): (&mut [u64], &(Reverse<u32>, u64, ConceptId))| {
            target.copy_from_slice(self.intent_words(id));
        };
        let words = self.words().max(1);
        if parallel {
            intents.par_chunks_exact_mut(words).zip(&order).for_each(copy);
        } else {
            intents.chunks_exact_mut(words).zip(&order).for_each(copy);
        }
        self.supports = order.into_iter().map(|(Reverse(support), ..)| support).collect();
        self.intents = intents;
    }

    /// Returns the number of concepts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.supports.len()
    }

    /// Returns true if there are no concepts, as in an iceberg lattice whose minimum support
    /// exceeds the number of objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.supports.is_empty()
    }

    /// Returns the id of each concept, in order.
    ///
    /// # Panics
    ///
    /// If there are more than 2³² − 1 concepts. Far fewer fill the memory.
    #[must_use]
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ConceptId> + use<> {
        let count = u32::try_from(self.len()).expect("fewer than 2^32 concepts fit into memory");
        (0..count).map(ConceptId)
    }

    /// Returns the attributes of a concept.
    #[must_use]
    pub fn intent(&self, id: ConceptId) -> BitSet {
        BitSet::from_words(self.attributes, self.intent_words(id))
    }

    /// Returns the number of objects of a concept.
    #[must_use]
    pub fn support(&self, id: ConceptId) -> u32 {
        self.supports[id.index()]
    }

    pub(crate) fn intent_words(&self, id: ConceptId) -> &[u64] {
        let words = self.words();
        &self.intents[id.index() * words..][..words]
    }
}

/// Finds a concept by its intent.
#[derive(Debug, Clone)]
pub(crate) struct IntentIndex(HashTable<ConceptId>);

impl IntentIndex {
    pub(crate) fn of(concepts: &Concepts) -> Self {
        let mut table = HashTable::with_capacity(concepts.len());
        let hash = |id: ConceptId| hash(concepts.intent_words(id));
        for id in concepts.ids() {
            table.insert_unique(hash(id), id, |&id| hash(id));
        }
        Self(table)
    }

    pub(crate) fn find(&self, concepts: &Concepts, intent: &[u64]) -> Option<ConceptId> {
        self.0.find(hash(intent), |&id| concepts.intent_words(id) == intent).copied()
    }
}

fn hash(intent: &[u64]) -> u64 {
    FixedState::default().hash_one(intent)
}
