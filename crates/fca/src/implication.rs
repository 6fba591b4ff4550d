//! Implications: which attributes bring which others with them.
//!
//! An implication P → C holds if every object with all of P has all of C. The Duquenne–Guigues basis
//! is the smallest set of implications from which all that hold follow; its premises are the
//! pseudo-intents. It is found with Ganter's `NextClosure` on sets closed under the implications found
//! so far, in the form of Bazhanov and Obiedkov (2014), which passes over sets that cannot matter.
//!
//! Rules that hold for a share of the objects only are those of Luxenburger (1991): one for each line
//! of the diagram, from which all others follow by multiplying confidences along chains.

use crate::bits::BitSet;
use crate::context::Context;
use crate::lattice::Lattice;

/// Attributes that imply others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implication {
    /// What an object has.
    pub premise: BitSet,
    /// What it then has besides.
    pub conclusion: BitSet,
    /// How many objects have the premise.
    pub support: usize,
}

/// A rule that holds for a share of the objects with its premise.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// What an object has.
    pub premise: BitSet,
    /// What it then often has besides.
    pub conclusion: BitSet,
    /// How many objects have both.
    pub support: u32,
    /// Their share of those with the premise.
    pub confidence: f64,
}

/// Closes a set under implications.
///
/// # Panics
///
/// If the implications are about more attributes than the set.
#[must_use]
pub fn close(set: &BitSet, implications: &[Implication]) -> BitSet {
    let mut known = Known::new(set.bound());
    implications.iter().for_each(|implication| known.push(implication.clone()));
    known.close(set, 0).expect("nothing is forbidden below attribute 0")
}

/// Implications, found by the attributes of their premises: a set is closed by looking only at those
/// that an attribute of the set, or one that was added, speaks for.
struct Known {
    list: Vec<Implication>,
    by_attribute: Vec<Vec<usize>>,
    /// What everything has: the conclusions of empty premises.
    always: BitSet,
}

impl Known {
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

    /// The closure of a set; none as soon as it would add an attribute before `first`.
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

/// More implications than the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are more than {limit} implications")]
pub struct TooManyImplications {
    /// The limit.
    pub limit: usize,
}

/// The Duquenne–Guigues basis of a context, or the part of it whose premises have at least
/// `min_support` objects.
///
/// `tick` is called once for every set looked at, for a progress display.
pub fn basis(
    context: &Context,
    min_support: usize,
    limit: usize,
    mut tick: impl FnMut(),
) -> Result<Vec<Implication>, TooManyImplications> {
    let derivation = Derivation::of(context);
    let mut known = Known::new(context.attributes().len());
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

/// The first implication in lectic order that holds in the context, does not follow from those
/// accepted, and whose premise they close: the next question of attribute exploration.
#[must_use]
pub fn next_question(context: &Context, accepted: &[Implication]) -> Option<Implication> {
    let derivation = Derivation::of(context);
    let mut known = Known::new(context.attributes().len());
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

/// The Luxenburger rules of a lattice: for each concept and each lower neighbour, how likely an
/// object of the one is in the other. At least `min_confidence`, and below 1 as lines always are.
#[must_use]
pub fn luxenburger(lattice: &Lattice, min_confidence: f64) -> Vec<Rule> {
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
                rules.push(Rule { premise, conclusion, support, confidence });
            }
        }
    }
    rules.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(b.support.cmp(&a.support)));
    rules
}

/// The walk through the closed sets in lectic order.
struct Walk {
    set: BitSet,
    /// The attribute that was added last; sets that differ from `set` only after it come next.
    last: usize,
}

impl Walk {
    fn start(attributes: usize) -> Self {
        Self { set: BitSet::empty(attributes), last: attributes }
    }

    /// Goes to the next set that the implications close and that enough objects have; false after the
    /// last. `closure` is that of the current set in the context: if it adds nothing before `last`, the
    /// walk goes on from there. A set that too few objects have is passed over with all that contain
    /// it, as if everything followed from it.
    fn next(
        &mut self,
        closure: &BitSet,
        known: &Known,
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
            let extent = extents.last().expect("the empty set has an extent");
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

/// Derivation on bit columns.
struct Derivation {
    columns: Vec<BitSet>,
    objects: usize,
}

impl Derivation {
    fn of(context: &Context) -> Self {
        Self { columns: context.columns(), objects: context.objects().len() }
    }

    /// The objects of the empty set, of the first attribute, of the first two, and so on.
    fn extents(&self, attributes: &BitSet) -> Vec<BitSet> {
        let mut extents = vec![BitSet::full(self.objects)];
        for attribute in attributes.iter() {
            let mut extent = extents[extents.len() - 1].clone();
            extent.intersect(&self.columns[attribute]);
            extents.push(extent);
        }
        extents
    }

    /// How many objects have all these attributes, and which attributes they all have.
    fn closure(&self, attributes: &BitSet) -> (usize, BitSet) {
        let mut extent = BitSet::full(self.objects);
        attributes.iter().for_each(|attribute| extent.intersect(&self.columns[attribute]));
        let shared = self.columns.iter().enumerate();
        let shared = shared.filter(|(_, column)| extent.is_subset(column)).map(|(place, _)| place);
        (extent.len(), BitSet::of(attributes.bound(), shared))
    }
}
