//! The errors of this crate.

use std::fmt;
use std::path::{Path, PathBuf};

/// A row of a table, a file or an archive entry that is not a valid document.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct BadRow {
    /// The file that holds it.
    pub file: String,
    /// The line, or the row of a Parquet table, from 1; `None` if the whole file is meant.
    pub line: Option<u64>,
    /// The reason why it is not valid.
    pub reason: String,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}: line {line}: {}", self.file, self.reason),
            None => write!(f, "{}: {}", self.file, self.reason),
        }
    }
}

/// An error in reading a dataset.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// One row is bad; the others may be valid.
    #[error("{0}")]
    Row(BadRow),
    /// A file or folder cannot be read.
    #[error("{path}: cannot read this file or folder", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The format of the file is unknown.
    #[error(
        "{path}: not a dataset; give a folder of class folders, a .tsv, .csv, .jsonl or .parquet \
         table, a folder or .tar.gz of pages, or a folder with a dataset.toml",
        path = path.display()
    )]
    Unknown {
        /// The path.
        path: PathBuf,
    },
    /// The dataset contains no documents.
    #[error("{path}: the dataset contains no documents", path = path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The dataset contains only bad rows.
    #[error("all {count} rows are bad; the first: {first}")]
    AllBad {
        /// Number of rows.
        count: usize,
        /// The first row.
        first: BadRow,
    },
    /// The dataset.toml is invalid.
    #[error("{path}: {reason}", path = path.display())]
    Info {
        /// The file.
        path: PathBuf,
        /// The reason, with its position in the file.
        reason: String,
    },
    /// A Parquet table cannot be read.
    #[error(transparent)]
    Table(ontrail_table::TableError),
    /// A whole file is unusable: a column is missing, or an archive is broken.
    #[error("{path}: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason why it is unusable.
        reason: String,
    },
}

impl CorpusError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn file(path: &Path, reason: impl fmt::Display) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn row(file: &str, line: Option<u64>, reason: impl fmt::Display) -> Self {
        Self::Row(BadRow { file: file.to_owned(), line, reason: reason.to_string() })
    }
}
