//! Is-a hierarchies: concepts, their names in several languages, and what is a kind of what.
//!
//! A [`Taxonomy`] is a directed graph without cycles; a concept may have several parents. It is what
//! an ontology looks like to everything that only asks how concepts lie to each other.
//!
//! ```
//! use ontrail_taxonomy::{Label, TaxonomyBuilder};
//!
//! let mut builder = TaxonomyBuilder::new();
//! let disaster = builder.concept("disaster");
//! let flood = builder.concept("flood");
//! builder.label(flood, Label::preferred("洪涝", Some("zh")));
//! builder.is_a(flood, disaster);
//! let taxonomy = builder.finish()?;
//! assert_eq!(taxonomy.levels(), 2);
//! assert_eq!(taxonomy.name(flood, "zh"), "洪涝");
//! # Ok::<(), ontrail_taxonomy::Cycle>(())
//! ```
//!
//! The crate knows nothing of OWL syntax or of concept lattices.

mod taxonomy;

pub use taxonomy::{Concept, ConceptId, Cycle, Label, Relation, Taxonomy, TaxonomyBuilder};
