//! Checks an ontology for problems and reports its size.

use std::collections::{BTreeMap, BTreeSet};

use horned_owl::model::{ArcStr, ClassExpression, Component};
use ontrail_taxonomy::{ConceptId, Taxonomy};
use serde::Serialize;

use crate::model::Ontology;
use crate::profile::Profile;
use crate::read::Document;
use crate::taxonomy::{class_iri, representative, representatives};
use crate::vocabulary::NOTHING;

/// A problem of an ontology.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The kind of problem, in one or two words.
    pub kind: &'static str,
    /// The subject of the problem: the IRI of a class, an axiom, or a label.
    pub subject: String,
    /// A description of the problem.
    pub message: String,
}

/// The size of an ontology, and its problems.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The syntax of the file.
    pub syntax: &'static str,
    /// Number of classes, or of SKOS concepts.
    pub classes: usize,
    /// Number of levels of the hierarchy.
    pub levels: usize,
    /// Number of branches below the root, or of roots if there are several.
    pub branches: usize,
    /// Number of axioms, including annotations of entities.
    pub axioms: usize,
    /// Number of declared relations between classes.
    pub relations: usize,
    /// The OWL 2 profiles that the ontology conforms to.
    pub profiles: Vec<&'static str>,
    /// The problems found.
    pub problems: Vec<Problem>,
}

impl Document {
    /// Checks the ontology.
    #[must_use]
    pub fn check(&self) -> Report {
        let mut problems = Vec::new();
        let (taxonomy, cycles) = self.hierarchy().finish_without_cycles();
        for cycle in cycles {
            let subject = cycle.keys.join(" → ");
            let message = format!("each class is a subclass of the next: {subject}");
            problems.push(Problem { kind: "cycle", subject, message });
        }
        hierarchy(&taxonomy, &mut problems);
        labels(&taxonomy, self.is_skos(), &mut problems);
        if !self.is_skos() {
            undeclared(&self.ontology, &mut problems);
            unsatisfiable(&self.ontology, &taxonomy, &mut problems);
            for triple in &self.leftovers {
                let message = "these triples are not part of any OWL 2 axiom".to_owned();
                problems.push(Problem { kind: "not OWL", subject: triple.clone(), message });
            }
        }
        for import in self.ontology.imports() {
            let message =
                "the import was not loaded, because nothing is fetched; its classes are unknown";
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

/// Finds several roots, and classes that are not connected to any other.
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
            let message = format!("one of {count} roots; an ontology of one topic has one root");
            problems.push(problem("several roots", taxonomy, id, &message));
        }
    }
}

/// Finds classes without a label, and labels that several classes share.
fn labels(taxonomy: &Taxonomy, is_skos: bool, problems: &mut Vec<Problem>) {
    let wanted = if is_skos { "skos:prefLabel" } else { "rdfs:label" };
    let mut owners: BTreeMap<(String, String), BTreeSet<ConceptId>> = BTreeMap::new();
    for id in taxonomy.ids() {
        let labels = &taxonomy.concept(id).labels;
        if !labels.iter().any(|label| label.is_preferred) {
            let message = format!("has no {wanted}, so there is no name to show");
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
        let message = format!("the label {text:?}{tag} is used by {}", keys.join(" and "));
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
        let message = "is used as a class but never declared".to_owned();
        problems.push(Problem { kind: "undeclared", subject: class.clone(), message });
    }
}

/// Finds classes below `owl:Nothing` and classes below two disjoint classes, which cannot have
/// members. Only looks at the asserted hierarchy; a reasoner may find more.
fn unsatisfiable(ontology: &Ontology, taxonomy: &Taxonomy, problems: &mut Vec<Problem>) {
    let names = representatives(ontology);
    for axiom in &ontology.axioms {
        if let Component::SubClassOf(axiom) = &axiom.component
            && matches!(&axiom.sup, ClassExpression::Class(class) if *class.0 == *NOTHING)
            && let Some(class) = named(taxonomy, &names, &axiom.sub)
        {
            let message = "is a subclass of owl:Nothing, so it cannot have members";
            problems.push(problem("unsatisfiable", taxonomy, class, message));
        }
        let Component::DisjointClasses(disjoint) = &axiom.component else { continue };
        // For each class, those of the disjoint classes that are above it. Two are a contradiction.
        let mut above: BTreeMap<ConceptId, Vec<ConceptId>> = BTreeMap::new();
        for class in disjoint.0.iter().filter_map(|it| named(taxonomy, &names, it)) {
            for below in and_below(taxonomy, class) {
                above.entry(below).or_default().push(class);
            }
        }
        for (class, above) in above {
            if let [first, second, ..] = above.as_slice() {
                let message = format!(
                    "is below {} and {}, which are disjoint, so it cannot have members",
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
