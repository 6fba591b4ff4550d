//! What can be wrong with an ontology file.

use std::path::{Path, PathBuf};

use ontrail_fca::format::Place;

/// Why an ontology could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OntologyError {
    /// The file system refused.
    #[error("{path}: cannot be read", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The name tells no syntax, nor does the content.
    #[error(
        "{path}: not an ontology; its name should end in .owl or .rdf (RDF/XML), .owx (OWL/XML), \
         .ofn (functional), .omn (Manchester), .ttl (Turtle), .nt (N-Triples) or .jsonld (JSON-LD)",
        path = path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// The file breaks its syntax.
    #[error("{path}: {place}{reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where in it, as far as the reader knows.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// Classes that are each a subclass of the next.
    #[error("{path}: {cycle}", path = path.display())]
    Cycle {
        /// The file.
        path: PathBuf,
        /// The classes on the cycle.
        cycle: ontrail_taxonomy::Cycle,
    },
    /// Some of its triples would be lost.
    #[error(
        "{path}: {count} triples are no axiom of OWL 2 and would be lost, such as {triple}; declare the \
         properties that they use, or take them out",
        path = path.display()
    )]
    NotWhole {
        /// The file.
        path: PathBuf,
        /// How many triples.
        count: usize,
        /// One of them.
        triple: String,
    },
    /// A syntax cannot hold what it was given.
    #[error("{syntax} cannot hold this ontology: {reason}")]
    CannotWrite {
        /// The syntax.
        syntax: &'static str,
        /// Which axiom is lost, or what else went wrong.
        reason: String,
    },
}

impl OntologyError {
    pub(crate) fn malformed(path: &Path, place: Place, reason: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), place, reason: reason.into() }
    }
}
