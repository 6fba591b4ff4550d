//! Implications and association rules between attributes.
//!
//! An implication P → C holds if every object with all attributes of P has all attributes of C. The
//! Duquenne–Guigues basis is the smallest set of implications from which all valid implications
//! follow; its premises are the pseudo-intents. It is computed with Ganter's `NextClosure` on sets
//! closed under the implications found so far, in the form of Bazhanov and Obiedkov (2014), which
//! skips sets that cannot contribute.
//!
//! Association rules hold only for a share of the objects. The basis used here is Luxenburger's
//! (1991): one rule for each line of the diagram, from which all other rules follow by multiplying
//! confidences along chains.

use crate::bits::BitSet;
use crate::context::Context;
use crate::lattice::Lattice;

/// An implication: every object with the premise has the conclusion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implication {
    /// The attributes that are given.
    pub premise: BitSet,
    /// The attributes that follow, without those of the premise.
    pub conclusion: BitSet,
    /// Number of objects with the premise.
    pub support: usize,
}

/// A rule that holds for a share of the objects with its premise.
#[derive(Debug, Clone, PartialEq)]
pub struct AssociationRule {
    /// The attributes that are given.
    pub premise: BitSet,
    /// The attributes that often follow, without those of the premise.
    pub conclusion: BitSet,
    /// Number of objects with both premise and conclusion.
    pub support: u32,
    /// Share of the objects with the premise that also have the conclusion.
    pub confidence: f64,
}

/// Returns the closure of a set under implications.
///
/// # Panics
///
/// If an implication has an attribute that is not below the bound of the set.
#[must_use]
pub fn close(set: &BitSet, implications: &[Implication]) -> BitSet {
    let mut known = ImplicationIndex::new(set.bound());
    implications.iter().for_each(|implication| known.push(implication.clone()));
    known.close(set, 0).expect("no attribute comes before 0")
}

/// Implications, indexed by the attributes of their premises. Closing a set only visits
/// implications with an attribute of the set, or one that was added, in the premise.
struct ImplicationIndex {
    list: Vec<Implication>,
    by_attribute: Vec<Vec<usize>>,
    /// The union of the conclusions of implications with an empty premise.
    always: BitSet,
}

impl ImplicationIndex {
    fn new(attributes: usize) -> Self {
        let by_attribute = vec![Vec::new(); attributes];
        Self { list: Vec::new(), by_attribute, always: BitSet::empty(attributes) }
    }

    fn push(&mut self, implication: Implication) {
        for attribute in implication.premise.iter() {
            self.by_attribute[attribute].push(self.list.len());
        }
        if implication.premise.is_empty() {
            self.always.unite(&implication.conclusion);
        }
        self.list.push(implication);
    }

    /// Returns the closure of a set, or `None` if it adds an attribute before `first`.
    fn close(&self, set: &BitSet, first: usize) -> Option<BitSet> {
        let mut closed = set.clone();
        let mut open: Vec<usize> = set.iter().collect();
        let add = |new: &BitSet, closed: &mut BitSet, open: &mut Vec<usize>| {
            for attribute in new.iter().filter(|&it| !set.contains(it)) {
                if attribute < first {
                    return None;
                }
                if !closed.contains(attribute) {
                    closed.insert(attribute);
                    open.push(attribute);
                }
            }
            Some(())
        };
        add(&self.always, &mut closed, &mut open)?;
        while let Some(attribute) = open.pop() {
            for &number in &self.by_attribute[attribute] {
                let Implication { premise, conclusion, .. } = &self.list[number];
                if premise.is_subset(&closed) && !conclusion.is_subset(&closed) {
                    add(conclusion, &mut closed, &mut open)?;
                }
            }
        }
        Some(closed)
    }
}

/// There are more implications than the limit allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are more than {limit} implications")]
pub struct TooManyImplications {
    /// The limit.
    pub limit: usize,
}

/// Returns the Duquenne–Guigues basis of a context, or the part of it whose premises have at least
/// `min_support` objects. Fails if that has more than `limit` implications.
///
/// `tick` is called once for every set visited, to show progress.
pub fn basis(
    context: &Context,
    min_support: usize,
    limit: usize,
    mut tick: impl FnMut(),
) -> Result<Vec<Implication>, TooManyImplications> {
    let derivation = Derivation::of(context);
    let mut known = ImplicationIndex::new(context.attributes().len());
    let mut walk = Walk::start(context.attributes().len());
    if context.objects().len() < min_support {
        return Ok(Vec::new());
    }
    loop {
        tick();
        let (support, closure) = derivation.closure(&walk.set);
        if closure != walk.set {
            if known.list.len() == limit {
                return Err(TooManyImplications { limit });
            }
            let mut conclusion = closure.clone();
            conclusion.subtract(&walk.set);
            known.push(Implication { premise: walk.set.clone(), conclusion, support });
        }
        if !walk.next(&closure, &known, &derivation, min_support) {
            return Ok(known.list);
        }
    }
}

/// Returns the next question of an attribute exploration: the first implication in lectic order
/// that holds in the context, does not follow from the accepted implications, and has a premise
/// that is closed under them.
#[must_use]
pub fn next_question(context: &Context, accepted: &[Implication]) -> Option<Implication> {
    let derivation = Derivation::of(context);
    let mut known = ImplicationIndex::new(context.attributes().len());
    accepted.iter().for_each(|implication| known.push(implication.clone()));
    let mut walk = Walk::start(context.attributes().len());
    loop {
        let (support, closure) = derivation.closure(&walk.set);
        let is_closed = known.close(&walk.set, 0).as_ref() == Some(&walk.set);
        if closure != walk.set && is_closed {
            let mut conclusion = closure;
            conclusion.subtract(&walk.set);
            return Some(Implication { premise: walk.set, conclusion, support });
        }
        if !walk.next(&closure, &known, &derivation, 0) {
            return None;
        }
    }
}

/// Returns the Luxenburger basis of a lattice, sorted by falling confidence: one rule for each
/// concept and each of its lower neighbours, with at least `min_confidence`. The confidence is
/// always below 1, because a lower neighbour has fewer objects.
#[must_use]
pub fn luxenburger(lattice: &Lattice, min_confidence: f64) -> Vec<AssociationRule> {
    let concepts = lattice.concepts();
    let mut rules = Vec::new();
    for upper in concepts.ids() {
        for &lower in lattice.lower_neighbours(upper) {
            let support = concepts.support(lower);
            let confidence = f64::from(support) / f64::from(concepts.support(upper));
            if support > 0 && confidence >= min_confidence {
                let premise = concepts.intent(upper);
                let mut conclusion = concepts.intent(lower);
                conclusion.subtract(&premise);
                rules.push(AssociationRule { premise, conclusion, support, confidence });
            }
        }
    }
    rules.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(b.support.cmp(&a.support)));
    rules
}

/// A walk through the closed sets in lectic order.
struct Walk {
    set: BitSet,
    /// The attribute that was added last; the sets that differ from `set` only after it come next.
    last: usize,
}

impl Walk {
    fn start(attributes: usize) -> Self {
        Self { set: BitSet::empty(attributes), last: attributes }
    }

    /// Moves to the next set that is closed under the implications and has enough objects; returns
    /// false after the last. `closure` is the closure of the current set in the context: if it adds
    /// nothing before `last`, the walk continues from there. A set with too few objects is skipped
    /// together with its supersets, as if it implied every attribute.
    fn next(
        &mut self,
        closure: &BitSet,
        known: &ImplicationIndex,
        derivation: &Derivation,
        min_support: usize,
    ) -> bool {
        let attributes = self.set.bound();
        let first_added = closure.iter().find(|&attribute| !self.set.contains(attribute));
        if first_added.is_none_or(|first| first > self.last) {
            self.set.clone_from(closure);
            self.last = attributes;
        } else {
            (self.last + 1..attributes).for_each(|attribute| self.set.remove(attribute));
        }
        let mut extents = derivation.extents(&self.set);
        for attribute in (0..attributes.min(self.last.saturating_add(1))).rev() {
            if self.set.contains(attribute) {
                self.set.remove(attribute);
                extents.pop();
                continue;
            }
            let extent = extents.last().expect("the first extent is that of the empty set");
            if extent.common(&derivation.columns[attribute]) < min_support {
                continue;
            }
            let mut candidate = self.set.clone();
            candidate.insert(attribute);
            if let Some(candidate) = known.close(&candidate, attribute) {
                self.set = candidate;
                self.last = attribute;
                return true;
            }
        }
        false
    }
}

/// The derivation operators of a context, on bit columns.
struct Derivation {
    columns: Vec<BitSet>,
    objects: usize,
}

impl Derivation {
    fn of(context: &Context) -> Self {
        Self { columns: context.columns(), objects: context.objects().len() }
    }

    /// Returns the objects of the empty set, of the first attribute, of the first two, and so on.
    fn extents(&self, attributes: &BitSet) -> Vec<BitSet> {
        let mut extents = vec![BitSet::full(self.objects)];
        for attribute in attributes.iter() {
            let mut extent = extents[extents.len() - 1].clone();
            extent.intersect(&self.columns[attribute]);
            extents.push(extent);
        }
        extents
    }

    /// Returns the number of objects with all these attributes, and the attributes that all of
    /// these objects have.
    fn closure(&self, attributes: &BitSet) -> (usize, BitSet) {
        let mut extent = BitSet::full(self.objects);
        attributes.iter().for_each(|attribute| extent.intersect(&self.columns[attribute]));
        let shared = self.columns.iter().enumerate();
        let shared = shared.filter(|(_, column)| extent.is_subset(column)).map(|(place, _)| place);
        (extent.len(), BitSet::of(attributes.bound(), shared))
    }
}
