//! Labelled datasets: what is in them, how they are split, and whether they can be trusted.
//!
//! [`Dataset::open`] takes a path and finds out what lies there: a THUCNews-style folder tree
//! (`class/0001.txt`), a TSV, CSV, JSON Lines or Parquet table, a folder or a tarball of pages, or
//! a folder with a `dataset.toml` that says so ([`Info`]). Documents then come one by one, each
//! from a named place, and a row that cannot be read is an error that names file, line and reason.
//! [`split`] cuts a dataset into parts that keep the shares of its classes, and [`duplicates`]
//! finds texts that stand in it twice, or in two parts at once.
//!
//! ```
//! use ontrail_corpus::{Format, read_rows, Columns};
//!
//! let table = "sports\t主队客场取胜\nstocks\t大盘小幅高开\n";
//! let documents = read_rows(Format::Tsv, table.as_bytes(), "inline", &Columns::default());
//! let labels: Vec<_> = documents.map(|document| document.unwrap().label.unwrap()).collect();
//! assert_eq!(labels, ["sports", "stocks"]);
//! ```
//!
//! The crate knows nothing of classifiers.

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
