//! The profiles of OWL 2, which determine the fast reasoners that an ontology can be used with.
//!
//! Checks the axioms and class expressions against those that the W3C recommendation on profiles
//! admits (sections 2.2, 3.2 and 4.2). Does not check datatypes.

#![allow(clippy::match_same_arms, reason = "one arm for each line of the recommendation")]

use horned_owl::model::{ArcStr, ClassExpression, Component, ObjectPropertyExpression};

use crate::model::Ontology;
use crate::vocabulary::THING;

/// A profile of OWL 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// OWL 2 EL: for large class hierarchies with existential restrictions.
    El,
    /// OWL 2 QL: for queries over large amounts of data.
    Ql,
    /// OWL 2 RL: for reasoning with rules.
    Rl,
}

impl Profile {
    /// Returns the short name of the profile.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::El => "EL",
            Self::Ql => "QL",
            Self::Rl => "RL",
        }
    }
}

impl Ontology {
    /// Returns the profiles that admit all axioms.
    #[must_use]
    pub fn profiles(&self) -> Vec<Profile> {
        let admits_all = |profile: &Profile| {
            self.axioms.iter().all(|axiom| is_admitted(*profile, &axiom.component))
        };
        [Profile::El, Profile::Ql, Profile::Rl].into_iter().filter(admits_all).collect()
    }
}

type Expression = ClassExpression<ArcStr>;

fn is_admitted(profile: Profile, component: &Component<ArcStr>) -> bool {
    use Component as C;
    let (sub, sup) = (|it: &Expression| is_sub(profile, it), |it: &Expression| is_sup(profile, it));
    match component {
        C::SubClassOf(axiom) => sub(&axiom.sub) && sup(&axiom.sup),
        C::EquivalentClasses(axiom) => match profile {
            Profile::Rl => axiom.0.iter().all(is_equivalent_in_rl),
            _ => axiom.0.iter().all(|it| sub(it) && sup(it)),
        },
        C::DisjointClasses(axiom) => axiom.0.iter().all(sub),
        C::ObjectPropertyDomain(axiom) => sup(&axiom.ce),
        C::ObjectPropertyRange(axiom) => sup(&axiom.ce),
        C::DataPropertyDomain(axiom) => sup(&axiom.ce),
        C::ClassAssertion(axiom) => match profile {
            Profile::Ql => matches!(axiom.ce, ClassExpression::Class(_)),
            _ => sup(&axiom.ce),
        },
        C::SubObjectPropertyOf(axiom) => {
            use horned_owl::model::SubObjectPropertyExpression as Sub;
            let is_chain = matches!(axiom.sub, Sub::ObjectPropertyChain(_));
            let no_inverse = is_named(&axiom.sup)
                && match &axiom.sub {
                    Sub::ObjectPropertyExpression(property) => is_named(property),
                    Sub::ObjectPropertyChain(chain) => chain.iter().all(is_named),
                };
            (profile != Profile::Ql || !is_chain) && (profile != Profile::El || no_inverse)
        }
        C::EquivalentObjectProperties(axiom) => {
            profile != Profile::El || axiom.0.iter().all(is_named)
        }
        C::TransitiveObjectProperty(_) => profile != Profile::Ql,
        C::ReflexiveObjectProperty(_) => profile != Profile::Rl,
        C::FunctionalDataProperty(_) => profile != Profile::Ql,
        C::HasKey(axiom) => profile != Profile::Ql && sub(&axiom.ce),
        C::InverseObjectProperties(_)
        | C::SymmetricObjectProperty(_)
        | C::AsymmetricObjectProperty(_)
        | C::IrreflexiveObjectProperty(_)
        | C::DisjointObjectProperties(_)
        | C::DisjointDataProperties(_) => profile != Profile::El,
        C::FunctionalObjectProperty(_) | C::InverseFunctionalObjectProperty(_) => {
            profile == Profile::Rl
        }
        C::SameIndividual(_) => profile != Profile::Ql,
        C::NegativeObjectPropertyAssertion(_) | C::NegativeDataPropertyAssertion(_) => {
            profile != Profile::Ql
        }
        C::DisjointUnion(_) | C::Rule(_) => false,
        C::DatatypeDefinition(_) => profile != Profile::Ql,
        _ => true,
    }
}

fn is_named(property: &ObjectPropertyExpression<ArcStr>) -> bool {
    matches!(property, ObjectPropertyExpression::ObjectProperty(_))
}

fn is_thing(expression: &Expression) -> bool {
    matches!(expression, ClassExpression::Class(class) if *class.0 == *THING)
}

/// Returns true if an expression may be the subclass in a subclass axiom.
fn is_sub(profile: Profile, expression: &Expression) -> bool {
    use ClassExpression as E;
    match (profile, expression) {
        (Profile::El, _) => is_el(expression),
        (Profile::Rl, E::Class(_)) => !is_thing(expression),
        (_, E::Class(_)) => true,
        (Profile::Ql, E::ObjectSomeValuesFrom { bce, .. }) => is_thing(bce),
        (Profile::Ql, E::DataSomeValuesFrom { .. }) => true,
        (Profile::Rl, E::ObjectIntersectionOf(parts) | E::ObjectUnionOf(parts)) => {
            parts.iter().all(|part| is_sub(profile, part))
        }
        (Profile::Rl, E::ObjectSomeValuesFrom { bce, .. }) => is_thing(bce) || is_sub(profile, bce),
        (
            Profile::Rl,
            E::ObjectOneOf(_)
            | E::ObjectHasValue { .. }
            | E::DataHasValue { .. }
            | E::DataSomeValuesFrom { .. },
        ) => true,
        _ => false,
    }
}

/// Returns true if an expression may be the superclass in a subclass axiom.
fn is_sup(profile: Profile, expression: &Expression) -> bool {
    use ClassExpression as E;
    match (profile, expression) {
        (Profile::El, _) => is_el(expression),
        (Profile::Rl, E::Class(_)) => !is_thing(expression),
        (_, E::Class(_)) => true,
        (_, E::ObjectIntersectionOf(parts)) => parts.iter().all(|part| is_sup(profile, part)),
        (_, E::ObjectComplementOf(inner)) => is_sub(profile, inner),
        (Profile::Ql, E::ObjectSomeValuesFrom { bce, .. }) => matches!(**bce, E::Class(_)),
        (Profile::Ql, E::DataSomeValuesFrom { .. }) => true,
        (Profile::Rl, E::ObjectAllValuesFrom { bce, .. }) => is_sup(profile, bce),
        (Profile::Rl, E::ObjectMaxCardinality { n, bce, .. }) => {
            *n <= 1 && (is_thing(bce) || is_sub(profile, bce))
        }
        (Profile::Rl, E::DataMaxCardinality { n, .. }) => *n <= 1,
        (
            Profile::Rl,
            E::ObjectHasValue { .. } | E::DataHasValue { .. } | E::DataAllValuesFrom { .. },
        ) => true,
        _ => false,
    }
}

fn is_equivalent_in_rl(expression: &Expression) -> bool {
    use ClassExpression as E;
    match expression {
        E::Class(_) => !is_thing(expression),
        E::ObjectIntersectionOf(parts) => parts.iter().all(is_equivalent_in_rl),
        E::ObjectHasValue { .. } | E::DataHasValue { .. } => true,
        _ => false,
    }
}

fn is_el(expression: &Expression) -> bool {
    use ClassExpression as E;
    match expression {
        E::Class(_) | E::DataSomeValuesFrom { .. } | E::DataHasValue { .. } => true,
        E::ObjectIntersectionOf(parts) => parts.iter().all(is_el),
        E::ObjectSomeValuesFrom { ope, bce } => is_named(ope) && is_el(bce),
        E::ObjectHasValue { ope, .. } | E::ObjectHasSelf(ope) => is_named(ope),
        E::ObjectOneOf(members) => members.len() == 1,
        _ => false,
    }
}
