#![doc = include_str!("../README.md")]

mod bits;
mod concepts;
mod context;
mod explore;
pub mod format;
pub mod implication;
mod lattice;
mod listing;
pub mod measure;
mod order;
pub mod reduce;
pub mod sample;

pub use bits::BitSet;
pub use concepts::{ConceptId, Concepts};
pub use context::{Context, ContextBuilder, ContextError, Names};
pub use explore::{Exploration, NoCounterexample};
pub use lattice::Lattice;
pub use listing::{Listing, ListingError};
pub use order::AttributeOrder;
