//! Ontologies: from a concept lattice to OWL, and from OWL or SKOS to a taxonomy.
//!
//! An [`Outline`] is made of a formal context whose attributes are terms: terms become classes, terms
//! on the same documents synonyms, and a term on a part of another's documents a subclass. What a
//! person knows better stands in [`Overrides`]. The outline becomes an [`Ontology`], which is written
//! and read in seven syntaxes without losing an axiom, and an ontology becomes a
//! [`Taxonomy`](ontrail_taxonomy::Taxonomy).
//!
//! ```
//! use ontrail_fca::{ContextBuilder, Names};
//! use ontrail_ontology::{Outline, Overrides, Settings, Syntax};
//!
//! // Three pages: floods are written about only where rain is.
//! let mut pages = ContextBuilder::new();
//! pages.row(&[0, 1]);
//! pages.row(&[0, 1, 2]);
//! pages.row(&[0, 3]);
//! let terms = ["rain", "flood", "flash flood", "warning"].map(str::to_owned).to_vec();
//! let context = pages.finish(Names::Numbered(3), Names::Given(terms))?;
//!
//! let outline = Outline::of(&context, &Settings::new("rain"), &Overrides::default())?;
//! let ontology = outline.to_ontology("urn:example:rain", &[])?;
//! assert_eq!(ontology.class_count(), 4);
//! let turtle = ontology.to_bytes(Syntax::Turtle)?;
//! let taxonomy = ontrail_ontology::read_from(&turtle, Some(Syntax::Turtle), "rain.ttl".as_ref())?.taxonomy()?;
//! assert_eq!(taxonomy.levels(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! horned-owl, which reads and writes OWL here, is under the LGPL-3.0.

mod additions;
mod build;
mod check;
mod diff;
mod disjoint;
mod error;
mod model;
mod outline;
mod overrides;
mod profile;
mod read;
mod skos;
mod syntax;
mod taxonomy;
mod vocabulary;
mod write;

pub use additions::Addition;
pub use check::{Problem, Report};
pub use diff::{Difference, diff};
pub use error::OntologyError;
pub use model::Ontology;
pub use outline::{Class, Outline, OutlineError, Relation, Settings};
pub use overrides::{Overrides, OverridesError};
pub use profile::Profile;
pub use read::{Document, read, read_from};
pub use syntax::Syntax;
