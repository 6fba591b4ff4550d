#![doc = include_str!("../README.md")]

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
