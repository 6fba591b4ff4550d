#![doc = include_str!("../README.md")]

mod additions;
mod build;
mod check;
mod diff;
mod disjoint;
mod dtd;
mod error;
mod model;
mod outline;
mod overrides;
mod profile;
mod read;
mod skos;
mod stray;
mod syntax;
mod taxonomy;
mod vocabulary;
mod write;
mod xml;

pub use additions::Addition;
pub use check::{Problem, Report};
pub use diff::{Difference, diff};
pub use error::OntologyError;
pub use model::Ontology;
pub use outline::{Outline, OutlineClass, OutlineError, OutlineRelation, OutlineSettings};
pub use overrides::{Overrides, OverridesError};
pub use profile::Profile;
pub use read::{Document, read, read_from};
pub use stray::StrayTerm;
pub use syntax::Syntax;
