//! What may be wrong with an ontology, and its figures.

use std::collections::{BTreeMap, BTreeSet};

use horned_owl::model::{ArcStr, ClassExpression, Component};
use ontrail_taxonomy::{ConceptId, Taxonomy};
use serde::Serialize;

use crate::model::Ontology;
use crate::profile::Profile;
use crate::read::Document;
use crate::taxonomy::{class_iri, representative, representatives};
use crate::vocabulary::NOTHING;

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
    /// The syntax of the file.
    pub syntax: &'static str,
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
        let (taxonomy, cycles) = self.hierarchy().finish_without_cycles();
        for cycle in cycles {
            let subject = cycle.keys.join(" → ");
            let message = format!("{subject}; each is below the next, so none is above");
            problems.push(Problem { kind: "cycle", subject, message });
        }
        hierarchy(&taxonomy, &mut problems);
        labels(&taxonomy, self.is_skos(), &mut problems);
        if !self.is_skos() {
            undeclared(&self.ontology, &mut problems);
            unsatisfiable(&self.ontology, &taxonomy, &mut problems);
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
        Report {
            syntax: self.syntax.name(),
            classes: if self.is_skos() { taxonomy.len() } else { self.ontology.class_count() },
            levels: taxonomy.levels(),
            branches: taxonomy.branches().len(),
            axioms: self.ontology.axiom_count(),
            relations: taxonomy.relations().len(),
            profiles: self.ontology.profiles().into_iter().map(Profile::name).collect(),
            problems,
        }
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
fn labels(taxonomy: &Taxonomy, is_skos: bool, problems: &mut Vec<Problem>) {
    let wanted = if is_skos { "skos:prefLabel" } else { "rdfs:label" };
    let mut owners: BTreeMap<(String, String), BTreeSet<ConceptId>> = BTreeMap::new();
    for id in 0..taxonomy.len() {
        let labels = &taxonomy.concept(id).labels;
        if !labels.iter().any(|label| label.is_preferred) {
            let message = format!("has no {wanted} to show to a person");
            problems.push(problem("no label", taxonomy, id, &message));
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
fn unsatisfiable(ontology: &Ontology, taxonomy: &Taxonomy, problems: &mut Vec<Problem>) {
    let names = representatives(ontology);
    for axiom in &ontology.axioms {
        if let Component::SubClassOf(axiom) = &axiom.component
            && matches!(&axiom.sup, ClassExpression::Class(class) if *class.0 == *NOTHING)
            && let Some(class) = named(taxonomy, &names, &axiom.sub)
        {
            let message = "lies below owl:Nothing: it can have no member";
            problems.push(problem("unsatisfiable", taxonomy, class, message));
        }
        let Component::DisjointClasses(disjoint) = &axiom.component else { continue };
        // For each class the disjoint ones that it lies below; two are one too many.
        let mut above: BTreeMap<ConceptId, Vec<ConceptId>> = BTreeMap::new();
        for class in disjoint.0.iter().filter_map(|it| named(taxonomy, &names, it)) {
            for below in and_below(taxonomy, class) {
                above.entry(below).or_default().push(class);
            }
        }
        for (class, above) in above {
            if let [first, second, ..] = above.as_slice() {
                let message = format!(
                    "lies below {} and {}, which are disjoint: it can have no member",
                    taxonomy.concept(*first).key,
                    taxonomy.concept(*second).key
                );
                problems.push(problem("unsatisfiable", taxonomy, class, &message));
            }
        }
    }
}

fn named(
    taxonomy: &Taxonomy,
    names: &BTreeMap<String, String>,
    expression: &ClassExpression<ArcStr>,
) -> Option<ConceptId> {
    taxonomy.find(representative(names, class_iri(expression)?))
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
