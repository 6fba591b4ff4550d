#![doc = include_str!("../README.md")]

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
