//! Concept lattices: concepts and how they cover each other.
//!
//! A concept covers another if it lies above it with nothing in between; the line diagram draws just
//! these pairs. They are found concept by concept in a second walk through the listing, from the
//! columns of the branch that the concept lies in: the lower neighbours are the largest extents that
//! one more attribute leads to, and each is then looked up by its intent. That takes time in
//! proportion to the concepts, not to their pairs.

use std::sync::Arc;

use crate::bits::BitSet;
use crate::concepts::{ConceptId, Concepts, IntentIndex};
use crate::context::Context;

/// The concepts of a context with their order.
#[derive(Debug, Clone)]
pub struct Lattice {
    concepts: Concepts,
    index: Arc<IntentIndex>,
    lower: Neighbours,
    upper: Neighbours,
    is_whole: bool,
}

/// The neighbours of each concept, in order.
#[derive(Debug, Clone)]
struct Neighbours {
    starts: Vec<usize>,
    ids: Vec<ConceptId>,
}

impl Neighbours {
    /// From pairs in any order.
    fn of(concepts: usize, mut pairs: Vec<(ConceptId, ConceptId)>) -> Self {
        pairs.sort_unstable();
        let mut starts = vec![0; concepts + 1];
        for &(from, _) in &pairs {
            starts[from as usize + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        Self { starts, ids: pairs.into_iter().map(|(_, to)| to).collect() }
    }

    fn get(&self, id: ConceptId) -> &[ConceptId] {
        let id = id as usize;
        &self.ids[self.starts[id]..self.starts[id + 1]]
    }
}

impl Lattice {
    pub(crate) fn new(
        concepts: Concepts,
        index: Arc<IntentIndex>,
        edges: Vec<(ConceptId, ConceptId)>,
        is_whole: bool,
    ) -> Self {
        let turned = edges.iter().map(|&(upper, lower)| (lower, upper)).collect();
        let upper = Neighbours::of(concepts.len(), turned);
        let lower = Neighbours::of(concepts.len(), edges);
        Self { concepts, index, lower, upper, is_whole }
    }

    /// The concepts.
    #[must_use]
    pub fn concepts(&self) -> &Concepts {
        &self.concepts
    }

    /// How many concepts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.concepts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    /// Whether no concept was left out for having too few objects.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// How many pairs cover each other: the lines of the diagram.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.lower.ids.len()
    }

    /// The concepts just below one.
    #[must_use]
    pub fn lower_neighbours(&self, id: ConceptId) -> &[ConceptId] {
        self.lower.get(id)
    }

    /// The concepts just above one.
    #[must_use]
    pub fn upper_neighbours(&self, id: ConceptId) -> &[ConceptId] {
        self.upper.get(id)
    }

    /// The concept with just these attributes.
    #[must_use]
    pub fn find(&self, intent: &BitSet) -> Option<ConceptId> {
        self.index.find(&self.concepts, intent.words())
    }

    /// How far below the top each concept lies, by the longest way there.
    #[must_use]
    pub fn ranks(&self) -> Vec<usize> {
        let mut ranks = vec![0; self.len()];
        // Concepts stand in order of falling support, so every concept comes after those above it.
        for id in self.concepts.ids() {
            let above = self.upper_neighbours(id).iter().map(|&above| ranks[above as usize] + 1);
            ranks[id as usize] = above.max().unwrap_or(0);
        }
        ranks
    }

    /// The length of the longest chain, counted in steps.
    #[must_use]
    pub fn height(&self) -> usize {
        self.ranks().into_iter().max().unwrap_or(0)
    }

    /// For each attribute, the largest concept that has it: μ(m). None in an iceberg that lacks it.
    #[must_use]
    pub fn attribute_concepts(&self, context: &Context) -> Vec<Option<ConceptId>> {
        let attributes = context.attributes().len();
        let mut found = vec![None; attributes];
        for id in self.concepts.ids() {
            for attribute in self.concepts.intent(id).iter() {
                found[attribute].get_or_insert(id);
            }
        }
        found
    }

    /// For each object, the smallest concept that has it: γ(g). None in an iceberg that lacks it.
    #[must_use]
    pub fn object_concepts(&self, context: &Context) -> Vec<Option<ConceptId>> {
        let objects = 0..context.objects().len();
        objects.map(|object| self.find(&context.row_set(object))).collect()
    }
}

/// Collects the cover relation during a listing.
pub(crate) struct Covers<'a> {
    concepts: &'a Concepts,
    index: Arc<IntentIndex>,
    current: ConceptId,
    edges: Vec<(ConceptId, ConceptId)>,
}

impl<'a> Covers<'a> {
    pub(crate) fn of(concepts: &'a Concepts) -> Self {
        let index = Arc::new(IntentIndex::of(concepts));
        Self { concepts, index, current: 0, edges: Vec::new() }
    }

    pub(crate) fn fork(&self) -> Self {
        Self { index: self.index.clone(), edges: Vec::new(), ..*self }
    }

    pub(crate) fn join(&mut self, mut branch: Self) {
        self.edges.append(&mut branch.edges);
    }

    fn find(&self, intent: &[u64]) -> ConceptId {
        self.index.find(self.concepts, intent).expect("every concept has been listed")
    }

    pub(crate) fn enter(&mut self, intent: &[u64]) {
        self.current = self.find(intent);
    }

    pub(crate) fn covers(&mut self, lower: &[u64]) {
        self.edges.push((self.current, self.find(lower)));
    }

    pub(crate) fn into_parts(self) -> (Arc<IntentIndex>, Vec<(ConceptId, ConceptId)>) {
        (self.index, self.edges)
    }
}
