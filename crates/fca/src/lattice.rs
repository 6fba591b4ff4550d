//! Concept lattices: concepts and their cover relation.
//!
//! A concept covers another if it is greater and no concept lies between the two; the line diagram
//! has one line for each such pair. The pairs are found by running the listing a second time: the
//! lower neighbours of a concept have the largest of the extents that adding one attribute leads
//! to. These extents come from the columns of the branch that the concept lies in, and each
//! neighbour is then looked up by its intent. No two concepts are compared, so the time grows with
//! the number of concepts, not with the number of pairs.

use std::sync::Arc;

use crate::bits::BitSet;
use crate::concepts::{ConceptId, Concepts, IntentIndex};
use crate::context::Context;

/// The concepts of a context and their order.
#[derive(Debug, Clone)]
pub struct Lattice {
    concepts: Concepts,
    index: Arc<IntentIndex>,
    lower: Neighbours,
    upper: Neighbours,
    is_whole: bool,
}

/// The neighbours of each concept, sorted.
#[derive(Debug, Clone)]
struct Neighbours {
    starts: Vec<usize>,
    ids: Vec<ConceptId>,
}

impl Neighbours {
    /// Groups the pairs, given in any order, by their first concept.
    fn of(concepts: usize, mut pairs: Vec<(ConceptId, ConceptId)>) -> Self {
        pairs.sort_unstable();
        let mut starts = vec![0; concepts + 1];
        for &(from, _) in &pairs {
            starts[from.index() + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        Self { starts, ids: pairs.into_iter().map(|(_, to)| to).collect() }
    }

    fn get(&self, id: ConceptId) -> &[ConceptId] {
        let index = id.index();
        &self.ids[self.starts[index]..self.starts[index + 1]]
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

    /// Returns the concepts.
    #[must_use]
    pub fn concepts(&self) -> &Concepts {
        &self.concepts
    }

    /// Returns the number of concepts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.concepts.len()
    }

    /// Returns true if there are no concepts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    /// Returns true if the lattice is complete, false if it is an iceberg lattice, which omits
    /// concepts with few objects.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the number of pairs in the cover relation, which is the number of lines in the
    /// diagram.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.lower.ids.len()
    }

    /// Returns the concepts that a concept covers.
    #[must_use]
    pub fn lower_neighbours(&self, id: ConceptId) -> &[ConceptId] {
        self.lower.get(id)
    }

    /// Returns the concepts that cover a concept.
    #[must_use]
    pub fn upper_neighbours(&self, id: ConceptId) -> &[ConceptId] {
        self.upper.get(id)
    }

    /// Returns the concept with exactly this intent.
    #[must_use]
    pub fn find(&self, intent: &BitSet) -> Option<ConceptId> {
        self.index.find(&self.concepts, intent.words())
    }

    /// Returns the length of the longest path from the top to each concept.
    #[must_use]
    pub fn ranks(&self) -> Vec<usize> {
        let mut ranks = vec![0; self.len()];
        // Concepts are sorted by falling support, so every concept comes after those above it.
        for id in self.concepts.ids() {
            let above = self.upper_neighbours(id).iter().map(|above| ranks[above.index()] + 1);
            ranks[id.index()] = above.max().unwrap_or(0);
        }
        ranks
    }

    /// Returns the length of the longest chain, counted in steps (one less than its concepts).
    #[must_use]
    pub fn height(&self) -> usize {
        self.ranks().into_iter().max().unwrap_or(0)
    }

    /// Returns the attribute concept μ(m) of each attribute m: the greatest concept whose intent
    /// has m. `None` if an iceberg lattice omits it.
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

    /// Returns the object concept γ(g) of each object g: the least concept whose extent has g.
    /// `None` if an iceberg lattice omits it.
    #[must_use]
    pub fn object_concepts(&self, context: &Context) -> Vec<Option<ConceptId>> {
        let objects = 0..context.objects().len();
        objects.map(|object| self.find(&context.row_set(object))).collect()
    }
}

/// Collects the cover relation during the second run of a listing.
pub(crate) struct Covers<'a> {
    concepts: &'a Concepts,
    index: Arc<IntentIndex>,
    current: ConceptId,
    edges: Vec<(ConceptId, ConceptId)>,
}

impl<'a> Covers<'a> {
    pub(crate) fn of(concepts: &'a Concepts) -> Self {
        let index = Arc::new(IntentIndex::of(concepts));
        Self { concepts, index, current: ConceptId(0), edges: Vec::new() }
    }

    pub(crate) fn fork(&self) -> Self {
        Self { index: self.index.clone(), edges: Vec::new(), ..*self }
    }

    pub(crate) fn join(&mut self, mut branch: Self) {
        self.edges.append(&mut branch.edges);
    }

    fn find(&self, intent: &[u64]) -> ConceptId {
        self.index.find(self.concepts, intent).expect("the first run listed every concept")
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
