//! What may be wrong with an ontology, and its figures.

use std::collections::{BTreeMap, BTreeSet};

use horned_owl::model::{ArcStr, ClassExpression, Component};
use ontrail_taxonomy::{ConceptId, Taxonomy};
use serde::Serialize;

use crate::model::Ontology;
use crate::profile::Profile;
use crate::read::Document;
use crate::taxonomy::class_iri;

/// Something that a maker of ontologies would want to know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// What kind of problem, in a word or two.
    pub kind: &'static str,
    /// What it is about: the IRI of a class, an axiom, a label.
    pub subject: String,
    /// In a sentence.
    pub message: String,
}

/// The figures of an ontology, and what is wrong with it.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// How many classes there are, or SKOS concepts.
    pub classes: usize,
    /// How many levels the hierarchy has.
    pub levels: usize,
    /// How many branches there are below the root, or roots if there are several.
    pub branches: usize,
    /// How many axioms there are, annotations of entities included.
    pub axioms: usize,
    /// Declared relations between classes.
    pub relations: usize,
    /// The profiles of OWL 2 that it keeps to.
    pub profiles: Vec<&'static str>,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

impl Document {
    /// Checks it.
    #[must_use]
    pub fn check(&self) -> Report {
        let mut problems = Vec::new();
        let taxonomy = match self.taxonomy() {
            Ok(taxonomy) => Some(taxonomy),
            Err(error) => {
                let subject = cycle_subject(&error);
                let message = format!("{subject}; the hierarchy has no order");
                problems.push(Problem { kind: "cycle", subject, message });
                None
            }
        };
        if let Some(taxonomy) = &taxonomy {
            hierarchy(taxonomy, &mut problems);
            labels(taxonomy, &mut problems);
        }
        if !self.is_skos() {
            undeclared(&self.ontology, &mut problems);
            unsatisfiable(&self.ontology, taxonomy.as_ref(), &mut problems);
            for triple in &self.leftovers {
                let message = "these triples are part of no axiom of OWL 2".to_owned();
                problems.push(Problem { kind: "not OWL", subject: triple.clone(), message });
            }
        }
        for import in self.ontology.imports() {
            let message =
                "imported, and not read: nothing is fetched, so its classes are unknown here";
            problems.push(Problem { kind: "import", subject: import, message: message.to_owned() });
        }
        problems.sort();
        let figures = |count: fn(&Taxonomy) -> usize| taxonomy.as_ref().map_or(0, count);
        let classes =
            if taxonomy.is_some() { figures(Taxonomy::len) } else { self.ontology.class_count() };
        Report {
            classes: if self.is_skos() { classes } else { self.ontology.class_count() },
            levels: figures(Taxonomy::levels),
            branches: figures(|taxonomy| taxonomy.branches().len()),
            axioms: self.ontology.axiom_count(),
            relations: figures(|taxonomy| taxonomy.relations().len()),
            profiles: self.ontology.profiles().into_iter().map(Profile::name).collect(),
            problems,
        }
    }
}

fn cycle_subject(error: &crate::OntologyError) -> String {
    match error {
        crate::OntologyError::Cycle { source, .. } => source.keys.join(" → "),
        other => other.to_string(),
    }
}

fn problem(kind: &'static str, taxonomy: &Taxonomy, id: ConceptId, message: &str) -> Problem {
    Problem { kind, subject: taxonomy.concept(id).key.clone(), message: message.to_owned() }
}

/// Several roots, and classes that hang on nothing.
fn hierarchy(taxonomy: &Taxonomy, problems: &mut Vec<Problem>) {
    let roots = taxonomy.roots();
    let is_alone = |id: ConceptId| taxonomy.children(id).is_empty();
    let (alone, tops): (Vec<_>, Vec<_>) = roots.into_iter().partition(|&id| is_alone(id));
    if taxonomy.len() > 1 {
        for id in alone {
            problems.push(problem(
                "orphan",
                taxonomy,
                id,
                "has neither a superclass nor a subclass",
            ));
        }
    }
    if tops.len() > 1 {
        let count = tops.len();
        for id in tops {
            let message = format!("one of {count} classes at the top; a topic has one");
            problems.push(problem("several roots", taxonomy, id, &message));
        }
    }
}

/// Classes without a label, and labels of several classes.
fn labels(taxonomy: &Taxonomy, problems: &mut Vec<Problem>) {
    let mut owners: BTreeMap<(String, String), BTreeSet<ConceptId>> = BTreeMap::new();
    for id in 0..taxonomy.len() {
        let labels = &taxonomy.concept(id).labels;
        if !labels.iter().any(|label| label.is_preferred) {
            problems.push(problem(
                "no label",
                taxonomy,
                id,
                "has no rdfs:label to show to a person",
            ));
        }
        for label in labels {
            let language = label.language.clone().unwrap_or_default();
            owners.entry((label.text.to_lowercase(), language)).or_default().insert(id);
        }
    }
    for ((text, language), ids) in owners.into_iter().filter(|(_, ids)| ids.len() > 1) {
        let keys: Vec<&str> = ids.iter().map(|&id| taxonomy.concept(id).key.as_str()).collect();
        let tag = if language.is_empty() { String::new() } else { format!("@{language}") };
        let message = format!("the label {text:?}{tag} is that of {}", keys.join(" and "));
        problems.push(Problem { kind: "duplicate label", subject: text, message });
    }
}

fn undeclared(ontology: &Ontology, problems: &mut Vec<Problem>) {
    let declared: BTreeSet<&str> = ontology
        .axioms
        .iter()
        .filter_map(|axiom| match &axiom.component {
            Component::DeclareClass(class) => Some(&*class.0.0),
            _ => None,
        })
        .collect();
    for class in ontology.classes().iter().filter(|class| !declared.contains(class.as_str())) {
        let message = "is used as a class and never declared as one".to_owned();
        problems.push(Problem { kind: "undeclared", subject: class.clone(), message });
    }
}

/// Classes below two classes that are declared disjoint: nothing can belong to them. This is what the
/// told hierarchy shows; a reasoner may find more.
fn unsatisfiable(ontology: &Ontology, taxonomy: Option<&Taxonomy>, problems: &mut Vec<Problem>) {
    let Some(taxonomy) = taxonomy else { return };
    for axiom in &ontology.axioms {
        let Component::DisjointClasses(disjoint) = &axiom.component else { continue };
        let named: Vec<ConceptId> =
            disjoint.0.iter().filter_map(|it| named(taxonomy, it)).collect();
        let below: Vec<BTreeSet<ConceptId>> =
            named.iter().map(|&class| and_below(taxonomy, class)).collect();
        for (place, first) in below.iter().enumerate() {
            for (other, second) in below.iter().enumerate().skip(place + 1) {
                for &class in first.intersection(second) {
                    let message = format!(
                        "lies below {} and {}, which are disjoint: it can have no member",
                        taxonomy.concept(named[place]).key,
                        taxonomy.concept(named[other]).key
                    );
                    problems.push(problem("unsatisfiable", taxonomy, class, &message));
                }
            }
        }
    }
}

fn named(taxonomy: &Taxonomy, expression: &ClassExpression<ArcStr>) -> Option<ConceptId> {
    taxonomy.find(class_iri(expression)?)
}

fn and_below(taxonomy: &Taxonomy, class: ConceptId) -> BTreeSet<ConceptId> {
    let mut found = BTreeSet::new();
    let mut open = vec![class];
    while let Some(class) = open.pop() {
        if found.insert(class) {
            open.extend(taxonomy.children(class));
        }
    }
    found
}
