//! The errors of reading and writing ontology files.

use std::path::{Path, PathBuf};

use ontrail_fca::format::Place;

/// The reason why an ontology cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OntologyError {
    /// The file cannot be opened or read.
    #[error("{path}: cannot read the file", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Neither the name nor the content of the file indicates a known syntax.
    #[error(
        "{path}: not an ontology; its name should end in .owl or .rdf (RDF/XML), .owx (OWL/XML), \
         .ofn (functional), .omn (Manchester), .ttl (Turtle), .nt (N-Triples) or .jsonld (JSON-LD)",
        path = path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// The file breaks the rules of its syntax.
    #[error("{path}: {place}{reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The place of the error in the file, if the parser knows it.
        place: Place,
        /// The error.
        reason: String,
    },
    /// The hierarchy has a cycle: classes that are each a subclass of the next.
    #[error("{path}: {cycle}", path = path.display())]
    Cycle {
        /// The file.
        path: PathBuf,
        /// The classes on the cycle.
        cycle: ontrail_taxonomy::Cycle,
    },
    /// Some triples of the file are not part of an OWL axiom and would be lost.
    #[error(
        "{path}: {count} triples are not part of an OWL 2 axiom and would be lost, such as \
         {triple}; declare the properties that they use, or remove them",
        path = path.display()
    )]
    NotWhole {
        /// The file.
        path: PathBuf,
        /// Number of such triples.
        count: usize,
        /// One of these triples.
        triple: String,
    },
    /// The ontology cannot be written in a syntax without loss.
    #[error("cannot write this ontology in {syntax}: {reason}")]
    CannotWrite {
        /// The syntax.
        syntax: &'static str,
        /// The axiom that is lost, or another error.
        reason: String,
    },
}

impl OntologyError {
    pub(crate) fn malformed(path: &Path, place: Place, reason: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), place, reason: reason.into() }
    }
}
