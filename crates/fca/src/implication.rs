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

/// Closes sets under implications.
#[must_use]
pub fn close(set: &BitSet, implications: &[Implication]) -> BitSet {
    let mut closed = set.clone();
    let mut waiting: Vec<&Implication> = implications.iter().collect();
    loop {
        let before = waiting.len();
        waiting.retain(|implication| {
            let fires = implication.premise.is_subset(&closed);
            if fires {
                closed.unite(&implication.conclusion);
            }
            !fires
        });
        if waiting.len() == before {
            return closed;
        }
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
    let everything = BitSet::full(context.attributes().len());
    let mut found: Vec<Implication> = Vec::new();
    let mut walk = Walk::start(everything.bound());
    loop {
        tick();
        let (support, mut closure) = derivation.closure(&walk.set);
        if support < min_support {
            closure.clone_from(&everything);
        }
        if closure != walk.set {
            if found.len() == limit {
                return Err(TooManyImplications { limit });
            }
            let mut conclusion = closure.clone();
            conclusion.subtract(&walk.set);
            found.push(Implication { premise: walk.set.clone(), conclusion, support });
        }
        if !walk.next(&closure, &found) {
            break;
        }
    }
    found.retain(|implication| implication.support >= min_support);
    Ok(found)
}

/// The first implication in lectic order that holds in the context, does not follow from those
/// accepted, and whose premise they close: the next question of attribute exploration.
#[must_use]
pub fn next_question(context: &Context, accepted: &[Implication]) -> Option<Implication> {
    let derivation = Derivation::of(context);
    let mut walk = Walk::start(context.attributes().len());
    loop {
        let (support, closure) = derivation.closure(&walk.set);
        let known = close(&walk.set, accepted);
        if closure != walk.set && known == walk.set {
            let mut conclusion = closure;
            conclusion.subtract(&walk.set);
            return Some(Implication { premise: walk.set, conclusion, support });
        }
        if !walk.next(&closure, accepted) {
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

    /// Goes to the next set that the implications close; false after the last. `closure` is that of
    /// the current set in the context: if it adds nothing before `last`, it is itself the next.
    fn next(&mut self, closure: &BitSet, implications: &[Implication]) -> bool {
        let attributes = self.set.bound();
        let mut added = closure.iter().filter(|&attribute| !self.set.contains(attribute));
        if added.next().is_none_or(|first| first > self.last) {
            self.set.clone_from(closure);
            self.last = attributes;
        } else {
            (self.last + 1..attributes).for_each(|attribute| self.set.remove(attribute));
        }
        let from = self.last.min(attributes.wrapping_sub(1));
        for attribute in (0..=from).rev().filter(|_| attributes > 0) {
            if self.set.contains(attribute) {
                self.set.remove(attribute);
                continue;
            }
            let mut candidate = self.set.clone();
            candidate.insert(attribute);
            let candidate = close(&candidate, implications);
            let first_new = candidate.iter().find(|&it| !self.set.contains(it));
            if first_new == Some(attribute) {
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

    /// How many objects have all these attributes, and which attributes they all have.
    fn closure(&self, attributes: &BitSet) -> (usize, BitSet) {
        let mut extent = BitSet::full(self.objects);
        attributes.iter().for_each(|attribute| extent.intersect(&self.columns[attribute]));
        let shared = self.columns.iter().enumerate();
        let shared = shared.filter(|(_, column)| extent.is_subset(column)).map(|(place, _)| place);
        (extent.len(), BitSet::of(attributes.bound(), shared))
    }
}
