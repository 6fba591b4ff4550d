//! Converts an OWL ontology to a taxonomy.
//!
//! The asserted subclass axioms between named classes form the hierarchy; there is no reasoning. If
//! a superclass is an intersection, each named part of it is a superclass. Equivalent named classes
//! become one concept: its key is the least IRI, and the labels of the others become synonyms. `A ⊑
//! ∃p.B` becomes a relation p from A to B.

use std::collections::BTreeMap;

use horned_owl::model::{
    AnnotationSubject, AnnotationValue, ArcStr, ClassExpression, Component, Literal,
    ObjectPropertyExpression,
};
use ontrail_taxonomy::{ConceptId, Label, TaxonomyBuilder};

use crate::model::{Axiom, Ontology};
use crate::vocabulary::{COMMENT, LABEL, NOTHING, THING, skos};

/// Returns the classes of an ontology and their asserted hierarchy, without `owl:Thing`, which is
/// above everything.
pub(crate) fn builder(ontology: &Ontology) -> TaxonomyBuilder {
    let representatives = representatives(ontology);
    let mut builder = TaxonomyBuilder::new();
    for class in ontology.classes() {
        builder.concept(representative(&representatives, &class));
    }
    for axiom in &ontology.axioms {
        add(&mut builder, &representatives, axiom);
    }
    builder
}

fn add(builder: &mut TaxonomyBuilder, names: &BTreeMap<String, String>, axiom: &Axiom) {
    match &axiom.component {
        Component::SubClassOf(axiom) => {
            if let Some(sub) = class_iri(&axiom.sub) {
                let sub = builder.concept(representative(names, sub));
                superclass(builder, names, sub, &axiom.sup);
            }
        }
        Component::EquivalentClasses(classes) => {
            // A class that is defined by an intersection is below its named parts.
            let by_name: Vec<&str> = classes.0.iter().filter_map(class_iri).collect();
            for class in by_name {
                let class = builder.concept(representative(names, class));
                let expressions = classes.0.iter().filter(|it| class_iri(it).is_none());
                for expression in expressions {
                    superclass(builder, names, class, expression);
                }
            }
        }
        Component::AnnotationAssertion(assertion) => {
            let AnnotationSubject::IRI(subject) = &assertion.subject else { return };
            let Some(id) = builder.find(representative(names, subject)) else { return };
            let AnnotationValue::Literal(literal) = &assertion.ann.av else { return };
            let (text, language) = text_of(literal);
            let is_own = representative(names, subject) == &**subject;
            match &*assertion.ann.ap.0 {
                LABEL | skos::PREF_LABEL if is_own => {
                    builder.label(id, Label::preferred(text, language));
                }
                LABEL | skos::PREF_LABEL | skos::ALT_LABEL => {
                    builder.label(id, Label::synonym(text, language));
                }
                skos::DEFINITION | COMMENT => {
                    builder.definition(id, Label::preferred(text, language));
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn superclass(
    builder: &mut TaxonomyBuilder,
    names: &BTreeMap<String, String>,
    sub: ConceptId,
    sup: &ClassExpression<ArcStr>,
) {
    match sup {
        ClassExpression::Class(class) if [THING, NOTHING].contains(&&*class.0) => {}
        ClassExpression::Class(class) => {
            let sup = builder.concept(representative(names, &class.0));
            builder.is_a(sub, sup);
        }
        ClassExpression::ObjectIntersectionOf(parts) => {
            parts.iter().for_each(|part| superclass(builder, names, sub, part));
        }
        ClassExpression::ObjectSomeValuesFrom { ope, bce } => {
            if let (ObjectPropertyExpression::ObjectProperty(property), Some(filler)) =
                (ope, class_iri(bce))
            {
                let filler = builder.concept(representative(names, filler));
                builder.relate(sub, &property.0, filler);
            }
        }
        _ => {}
    }
}

pub(crate) fn class_iri(expression: &ClassExpression<ArcStr>) -> Option<&str> {
    match expression {
        ClassExpression::Class(class) if ![THING, NOTHING].contains(&&*class.0) => Some(&class.0),
        _ => None,
    }
}

pub(crate) fn text_of(literal: &Literal<ArcStr>) -> (&str, Option<&str>) {
    match literal {
        Literal::Language { literal, lang } => (literal, Some(lang)),
        other => (other.literal(), None),
    }
}

/// Maps each class that is equivalent to another named class to the least IRI of its group.
pub(crate) fn representatives(ontology: &Ontology) -> BTreeMap<String, String> {
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    for axiom in &ontology.axioms {
        let Component::EquivalentClasses(classes) = &axiom.component else { continue };
        let named: Vec<&str> = classes.0.iter().filter_map(class_iri).collect();
        let all: Vec<String> =
            named.iter().map(|class| representative(&first, class).to_owned()).collect();
        let Some(least) = all.iter().min().cloned() else { continue };
        for class in named.iter().map(|&it| it.to_owned()).chain(all.iter().cloned()) {
            first.insert(class, least.clone());
        }
        // Classes that were mapped to one of these are now mapped to the least.
        for other in first.values_mut().filter(|other| all.contains(*other)) {
            other.clone_from(&least);
        }
    }
    first
}

pub(crate) fn representative<'a>(names: &'a BTreeMap<String, String>, class: &'a str) -> &'a str {
    names.get(class).map_or(class, String::as_str)
}
