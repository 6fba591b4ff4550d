//! From bytes to terms, and from terms to weights.
//!
//! Everything in Ontrail that compares texts starts here: [`decode`] turns the bytes of a page or a
//! corpus file into a string whatever its charset, an [`Analyzer`] turns a string into terms in
//! Chinese and English alike, a [`Vocabulary`] gives each term a small number, [`Counts`] holds how often
//! each is on each document, and a [`SparseVector`] the weights that [`weight`] computes from counts.
//!
//! ```
//! use ontrail_text::Analyzer;
//!
//! let analyzer = Analyzer::builder().terms(["暴雨灾害", "information retrieval"]).build();
//! let terms = analyzer.terms("暴雨灾害与 information retrieval 系统");
//! assert_eq!(terms, ["暴雨灾害", "information retrieval", "系统"]);
//! ```
//!
//! The crate knows nothing of HTML, OWL or HTTP.

mod analyzer;
mod charset;
mod counts;
mod dictionary;
mod phrase;
mod script;
mod segment;
mod term;
mod vector;
pub mod weight;

pub use analyzer::{Analyzer, AnalyzerBuilder, PartOfSpeech, TermReader, fold_char};
pub use charset::{CharsetHints, CharsetSource, Decoded, charset_of_content_type, decode};
pub use counts::Counts;
pub use dictionary::{DictionaryError, UserDictionary, UserWord};
pub use script::{Language, is_han};
pub use segment::{Segment, SegmentKind, Segmenter};
pub use term::{TermId, Vocabulary};
pub use vector::SparseVector;
