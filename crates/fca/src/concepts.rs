//! The concepts of a context.

use std::cmp::Reverse;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use rayon::prelude::*;

use crate::bits::{BitSet, words_for};

/// A concept's number in its list.
pub type ConceptId = u32;

/// All concepts of a context, those with most objects first.
///
/// Only intents and the sizes of extents are kept; [`Context::extent`](crate::Context::extent)
/// gives the objects of the few that someone looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concepts {
    attributes: usize,
    /// As many words for each concept as its attributes need.
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

    /// Puts those with most objects first, and orders equals by intent.
    pub(crate) fn sort(&mut self, parallel: bool) {
        // What is compared most lies in the list itself; whole intents are looked up on ties only.
        let first_word = |id| self.intent_words(id).first().copied().unwrap_or(0);
        let mut order: Vec<(Reverse<u32>, u64, ConceptId)> =
            self.ids().map(|id| (Reverse(self.support(id)), first_word(id), id)).collect();
        let compare = |a: &(Reverse<u32>, u64, ConceptId), b: &(Reverse<u32>, u64, ConceptId)| {
            let by_key = (a.0, a.1).cmp(&(b.0, b.1));
            by_key.then_with(|| self.intent_words(a.2).cmp(self.intent_words(b.2)))
        };
        // No two concepts are equal, so an unstable sort gives one order only.
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

    /// How many concepts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.supports.len()
    }

    /// Whether there are none, as in an iceberg above the number of objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.supports.is_empty()
    }

    /// The number of each concept.
    ///
    /// # Panics
    ///
    /// Never: a listing has a limit.
    #[must_use]
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ConceptId> + use<> {
        0..u32::try_from(self.len()).expect("the limit of a listing is below 2^32")
    }

    /// The attributes of a concept.
    #[must_use]
    pub fn intent(&self, id: ConceptId) -> BitSet {
        BitSet::from_words(self.attributes, self.intent_words(id))
    }

    /// How many objects a concept has.
    #[must_use]
    pub fn support(&self, id: ConceptId) -> u32 {
        self.supports[id as usize]
    }

    pub(crate) fn intent_words(&self, id: ConceptId) -> &[u64] {
        let words = self.words();
        &self.intents[id as usize * words..][..words]
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
