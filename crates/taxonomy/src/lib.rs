//! Is-a hierarchies: concepts, their names in several languages, what is a kind of what, and how near
//! two concepts are.
//!
//! A [`Taxonomy`] is a directed graph without cycles; a concept may have several parents. It is what
//! an ontology or [`WordNet`] looks like to everything that only asks how concepts lie to each other.
//! A [`Measure`] says how near two of them are, and [`Words`] how near two words, by their senses.
//!
//! ```
//! use std::sync::Arc;
//! use ontrail_taxonomy::{Label, MeasureKind, TaxonomyBuilder};
//!
//! let mut builder = TaxonomyBuilder::new();
//! let [disaster, flood, drought] =
//!     ["disaster", "flood", "drought"].map(|key| builder.concept(key));
//! builder.label(flood, Label::preferred("洪涝", Some("zh")));
//! builder.is_a(flood, disaster);
//! builder.is_a(drought, disaster);
//! let taxonomy = Arc::new(builder.finish()?);
//! assert_eq!(taxonomy.levels(), 2);
//! assert_eq!(taxonomy.name(flood, "zh"), "洪涝");
//! assert_eq!(taxonomy.distance(flood, drought), Some(2));
//! assert_eq!(MeasureKind::Path.over(taxonomy).value(flood, drought), 0.5);
//! # Ok::<(), ontrail_taxonomy::Cycle>(())
//! ```
//!
//! The crate knows nothing of OWL syntax or of concept lattices.

mod ancestry;
mod builder;
mod measure;
mod search;
mod taxonomy;
mod wordnet;
mod words;

pub use ancestry::{Ancestor, CommonAncestor};
pub use builder::{Cycle, TaxonomyBuilder};
pub use measure::{
    CoincidenceMode, Content, ContentForm, DepthMode, Factors, Features, LeacockChodorow, Measure,
    MeasureKind, PathDistance, Sem, SemError, SemSettings, information_content,
};
pub use search::SearchError;
pub use taxonomy::{Concept, ConceptId, Label, Relation, Taxonomy};
pub use wordnet::{WordNet, WordNetError};
pub use words::{WordId, WordMatch, Words};
