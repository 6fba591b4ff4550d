//! Ontologies as sets of axioms.

use std::collections::BTreeSet;

use horned_owl::model::{
    AnnotatedComponent, ArcStr, Build, Class, ClassExpression, Component, ComponentKind,
    DisjointClasses, HigherKind, HigherKinded, Kinded,
};
use horned_owl::visitor::immutable::{Visit, Walk};

pub(crate) type Axiom = AnnotatedComponent<ArcStr>;

/// An ontology. Its axioms are sorted, so that equal ontologies are written as equal bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ontology {
    pub(crate) axioms: BTreeSet<Axiom>,
}

impl Ontology {
    /// Returns the IRI of the ontology, if it has one.
    #[must_use]
    pub fn iri(&self) -> Option<String> {
        self.axioms.iter().find_map(|axiom| match &axiom.component {
            Component::OntologyID(id) => id.iri.as_ref().map(std::string::ToString::to_string),
            _ => None,
        })
    }

    /// Returns the number of axioms: declarations, statements about classes and properties, and
    /// annotations of entities. Annotations of the ontology itself and imports do not count, as in
    /// other programs.
    #[must_use]
    pub fn axiom_count(&self) -> usize {
        self.axioms.iter().filter(|axiom| is_axiom(axiom)).count()
    }

    /// Returns the number of [`classes`](Self::classes).
    #[must_use]
    pub fn class_count(&self) -> usize {
        self.classes().len()
    }

    /// Returns the IRIs of the classes that the ontology declares or uses, without `owl:Thing` and
    /// `owl:Nothing`, sorted.
    #[must_use]
    pub fn classes(&self) -> BTreeSet<String> {
        struct Classes(BTreeSet<String>);
        impl Visit<ArcStr> for Classes {
            fn visit_class(&mut self, class: &Class<ArcStr>) {
                if !class.0.starts_with(OWL) {
                    self.0.insert(class.0.to_string());
                }
            }
        }
        const OWL: &str = "http://www.w3.org/2002/07/owl#";
        let mut walk = Walk::new(Classes(BTreeSet::new()));
        self.axioms.iter().for_each(|axiom| walk.annotated_component(axiom));
        walk.into_visit().0
    }

    /// Returns true if a class expression is nested more than `levels` deep. Counting brackets in
    /// the file is not enough, because triples can nest expressions without brackets.
    pub(crate) fn is_too_deep(&self, levels: usize) -> bool {
        struct Deep(usize, bool);
        impl Visit<ArcStr> for Deep {
            fn visit_class_expression(&mut self, expression: &ClassExpression<ArcStr>) {
                self.1 |= nests_deeper(expression, self.0);
            }
        }
        let mut walk = Walk::new(Deep(levels, false));
        self.axioms.iter().for_each(|axiom| walk.annotated_component(axiom));
        walk.into_visit().1
    }

    /// Adds the axiom that these classes are pairwise disjoint.
    pub(crate) fn add_disjoint(&mut self, classes: &[String]) {
        let build = Build::<ArcStr>::new();
        let class = |iri: &String| ClassExpression::Class(build.class(iri.as_str()));
        let axiom = DisjointClasses(classes.iter().map(class).collect());
        self.axioms.insert(Axiom::from(Component::from(axiom)));
    }

    /// Returns the IRIs of the imported ontologies.
    #[must_use]
    pub fn imports(&self) -> Vec<String> {
        let import = |axiom: &Axiom| match &axiom.component {
            Component::Import(import) => Some(import.0.to_string()),
            _ => None,
        };
        self.axioms.iter().filter_map(import).collect()
    }
}

fn nests_deeper(expression: &ClassExpression<ArcStr>, levels: usize) -> bool {
    use ClassExpression as E;
    let Some(levels) = levels.checked_sub(1) else { return true };
    match expression {
        E::ObjectIntersectionOf(parts) | E::ObjectUnionOf(parts) => {
            parts.iter().any(|part| nests_deeper(part, levels))
        }
        E::ObjectComplementOf(inner)
        | E::ObjectSomeValuesFrom { bce: inner, .. }
        | E::ObjectAllValuesFrom { bce: inner, .. }
        | E::ObjectMinCardinality { bce: inner, .. }
        | E::ObjectMaxCardinality { bce: inner, .. }
        | E::ObjectExactCardinality { bce: inner, .. } => nests_deeper(inner, levels),
        _ => false,
    }
}

pub(crate) fn is_axiom(axiom: &Axiom) -> bool {
    let kind = axiom.kind();
    axiom.higher_kind() == HigherKind::Axiom
        && kind != ComponentKind::Import
        && kind != ComponentKind::OntologyAnnotation
}

impl FromIterator<Axiom> for Ontology {
    fn from_iter<I: IntoIterator<Item = Axiom>>(axioms: I) -> Self {
        Self { axioms: axioms.into_iter().collect() }
    }
}
