//! Which terms make a domain?
//!
//! Given the counted terms of documents, [`Selection`] chooses those that a domain's concepts may be made
//! of and crosses them with the documents: a formal context. [`lda`] finds the topics of the documents, and
//! [`enrich`] what of their words belongs to the concepts that are known already, and where.
//!
//! ```
//! use ontrail_domain::Selection;
//! use ontrail_text::{Analyzer, Counts};
//!
//! let analyzer = Analyzer::builder().terms(["flood", "dyke"]).build();
//! let mut counts = Counts::new(&analyzer);
//! for (name, text) in [("a", "The flood broke the dyke."), ("b", "A flood."), ("c", "Dykes hold.")] {
//!     counts.add(name, text);
//! }
//! let chosen = Selection::new().keywords(["flood", "dyke"]).top(0).choose(&counts)?;
//! assert_eq!(chosen.context.crosses(), 4);
//! # Ok::<(), ontrail_domain::SelectionError>(())
//! ```
//!
//! The crate knows nothing of OWL, nor where documents come from.

pub mod enrich;
pub mod lda;
mod selection;

pub use selection::{Chosen, Selection, SelectionError, Threshold};
