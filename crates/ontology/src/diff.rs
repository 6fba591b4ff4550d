//! Compares two ontologies.

use std::collections::{BTreeMap, BTreeSet};

use horned_owl::io::ofn::writer::AsFunctional;
use horned_owl::model::{ArcStr, ClassExpression, Component, DisjointClasses, EquivalentClasses};

use crate::model::{Axiom, Ontology};

/// The difference of two ontologies. Axioms are in functional syntax.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Axioms that only the first ontology has.
    pub only_in_first: Vec<String>,
    /// Axioms that only the second ontology has.
    pub only_in_second: Vec<String>,
    /// Number of axioms that both have.
    pub shared: usize,
}

impl Difference {
    /// Returns true if both ontologies have the same axioms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.only_in_first.is_empty() && self.only_in_second.is_empty()
    }
}

/// Compares two ontologies axiom by axiom. A group of equivalent classes is the same whether it is
/// written as one axiom or as pairs. Anonymous individuals are compared by their names in the file,
/// so equal ontologies may be reported as different, but never the other way round.
#[must_use]
pub fn diff(first: &Ontology, second: &Ontology) -> Difference {
    let (a, b) = (canonical(first), canonical(second));
    let text = |axioms: Vec<&Axiom>| axioms.into_iter().map(functional).collect();
    Difference {
        only_in_first: text(a.difference(&b).collect()),
        only_in_second: text(b.difference(&a).collect()),
        shared: a.intersection(&b).count(),
    }
}

/// Returns an axiom in functional syntax.
pub(crate) fn functional(axiom: &Axiom) -> String {
    axiom.as_functional().to_string()
}

/// Returns the axioms in the form in which they are compared.
fn canonical(ontology: &Ontology) -> BTreeSet<Axiom> {
    let mut axioms: Vec<Axiom> = ontology.axioms.iter().cloned().collect();
    let mut groups = Groups::default();
    axioms.retain(|axiom| match &axiom.component {
        Component::EquivalentClasses(equal) if axiom.ann.is_empty() => {
            groups.join(&equal.0);
            false
        }
        _ => true,
    });
    let classes = groups.into_sets();
    let axioms: Vec<Axiom> = axioms.into_iter().flat_map(|axiom| pairs(&axiom)).collect();
    let joined = classes.into_iter().map(|set| {
        Axiom::from(Component::EquivalentClasses(EquivalentClasses(set.into_iter().collect())))
    });
    axioms.into_iter().chain(joined).collect()
}

/// Number of disjoint classes up to which an axiom is split into pairs.
const MOST_IN_PAIRS: usize = 300;

/// Splits the disjointness of several classes into sorted pairs; returns any other axiom unchanged.
pub(crate) fn pairs(axiom: &Axiom) -> Vec<Axiom> {
    let Component::DisjointClasses(disjoint) = &axiom.component else { return vec![axiom.clone()] };
    let mut classes = disjoint.0.clone();
    classes.sort();
    classes.dedup();
    // A single class has no pair, and thousands of classes would have millions of pairs.
    if !(2..=MOST_IN_PAIRS).contains(&classes.len()) {
        let whole = Component::DisjointClasses(DisjointClasses(classes));
        return vec![Axiom::new(whole, axiom.ann.clone())];
    }
    let mut pairs = Vec::new();
    for (place, one) in classes.iter().enumerate() {
        for other in &classes[place + 1..] {
            let pair = DisjointClasses(vec![one.clone(), other.clone()]);
            pairs.push(Axiom::new(Component::DisjointClasses(pair), axiom.ann.clone()));
        }
    }
    pairs
}

/// Groups of class expressions; groups that share a member are joined (union–find).
#[derive(Default)]
struct Groups {
    numbers: BTreeMap<ClassExpression<ArcStr>, usize>,
    /// For each group, the group that it was joined to, or itself.
    leaders: Vec<usize>,
}

impl Groups {
    fn leader(&mut self, mut group: usize) -> usize {
        while self.leaders[group] != group {
            self.leaders[group] = self.leaders[self.leaders[group]];
            group = self.leaders[group];
        }
        group
    }

    fn join(&mut self, members: &[ClassExpression<ArcStr>]) {
        let new = self.leaders.len();
        self.leaders.push(new);
        for member in members {
            let group = *self.numbers.entry(member.clone()).or_insert(new);
            let (a, b) = (self.leader(group), self.leader(new));
            self.leaders[a.max(b)] = a.min(b);
        }
    }

    fn into_sets(mut self) -> Vec<BTreeSet<ClassExpression<ArcStr>>> {
        let mut sets: BTreeMap<usize, BTreeSet<ClassExpression<ArcStr>>> = BTreeMap::new();
        for (member, group) in std::mem::take(&mut self.numbers) {
            sets.entry(self.leader(group)).or_default().insert(member);
        }
        sets.into_values().collect()
    }
}
