//! Adds classes and synonyms to an ontology.

use crate::build::{Writer, language_of, local_name, namespace};
use crate::model::Ontology;

/// A term to add to an ontology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The term.
    pub term: String,
    /// The IRI of the class that the term belongs to.
    pub concept: String,
    /// True if the term is a synonym of that class, false if it becomes a subclass of it.
    pub is_synonym: bool,
    /// The documents that contain the term.
    pub documents: Vec<String>,
}

impl Ontology {
    /// Returns the ontology with these classes and synonyms added.
    #[must_use]
    pub fn with_additions(&self, additions: impl IntoIterator<Item = Addition>) -> Self {
        let base = self.iri().unwrap_or_else(|| "http://ontrail.example/additions".to_owned());
        let mut known = self.classes();
        let namespace = namespace(&base);
        let mut writer = Writer::new(&base);
        writer.declare_annotations();
        for addition in additions {
            let language = language_of(&addition.term);
            if addition.is_synonym {
                writer.synonym(&addition.concept, &addition.term, language);
                continue;
            }
            let name = local_name(&addition.term);
            // A name that is already taken, for instance by a class with that id, gets a number.
            let is_taken = |name: &str| known.contains(&format!("{namespace}{name}"));
            let mut free = name.clone();
            let mut number = 2;
            while is_taken(&free) {
                free = format!("{name}_{number}");
                number += 1;
            }
            let iri = format!("{namespace}{free}");
            writer.class_below(&addition.concept, &free, &addition.term, language);
            writer.evidence(&iri, &addition.documents);
            known.insert(iri);
        }
        self.axioms.iter().cloned().chain(writer.into_axioms()).collect()
    }
}
