//! Formal concept analysis: contexts, concept lattices, implications, exploration.
//!
//! A [`Context`] says which object has which attribute. A *concept* is a set of objects and the set
//! of attributes that are just what these objects share, and just the objects that share these.
//! [`Listing`] finds all concepts, and a [`Lattice`] orders them. [`implication`] finds what implies what, [`Exploration`] asks a person about it, and
//! [`AttributeOrder`] is the order of the attributes alone, from which ontologies are made.
//!
//! ```
//! use ontrail_fca::{ContextBuilder, Listing, Names, implication};
//!
//! // Three pages and the words on them.
//! let mut builder = ContextBuilder::new();
//! builder.row(&[0, 1]); // flood, rain
//! builder.row(&[1]);    // rain
//! builder.row(&[1, 2]); // rain, warning
//! let attributes = Names::Given(vec!["flood".into(), "rain".into(), "warning".into()]);
//! let context = builder.finish(Names::Numbered(3), attributes)?;
//!
//! assert_eq!(Listing::new().count(&context)?, 4);
//! let basis = implication::basis(&context, 1, 1000, || ())?;
//! assert_eq!(basis.len(), 1); // nothing → rain
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows nothing of words or ontologies.

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
