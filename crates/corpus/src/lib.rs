#![doc = include_str!("../README.md")]

mod dataset;
mod document;
pub mod duplicates;
mod error;
mod folder;
mod format;
mod info;
mod json_lines;
mod parquet;
mod source;
pub mod split;
mod table;
mod tarball;
mod write;

pub use dataset::{Dataset, Loaded, Skipped};
pub use document::{Body, Document};
pub use error::{BadRow, CorpusError};
pub use folder::{document as document_of_file, is_document};
pub use format::Format;
pub use info::{Columns, Data, Info, Split};
pub use source::{Documents, read_rows};
pub use write::write_documents;
