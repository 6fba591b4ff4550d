//! What can be wrong with a dataset.

use std::fmt;
use std::path::{Path, PathBuf};

/// A row, file or entry that is no document.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct BadRow {
    /// The file it is in.
    pub file: String,
    /// The line, or the row of a table without lines, from 1; none where the file is the row.
    pub line: Option<u64>,
    /// What is wrong.
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

/// Why a dataset could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// One row is bad; the rest may be fine.
    #[error("{0}")]
    Row(BadRow),
    /// The file system refused.
    #[error("{path}: cannot be read", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// What lies at the path is not of a known form.
    #[error(
        "{path}: not a dataset; give a folder of class folders, a .tsv, .csv, .jsonl or .parquet \
         table, a folder or .tar.gz of pages, or a folder with a dataset.toml",
        path = path.display()
    )]
    Unknown {
        /// The path.
        path: PathBuf,
    },
    /// The dataset holds no document.
    #[error("{path}: no documents in it", path = path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The dataset holds nothing but bad rows.
    #[error("all {count} rows are bad; the first: {first}")]
    AllBad {
        /// How many rows there are.
        count: usize,
        /// The first of them.
        first: BadRow,
    },
    /// The dataset.toml is wrong.
    #[error("{path}: {reason}", path = path.display())]
    Info {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        reason: String,
    },
    /// The whole file is of no use: a missing column, a broken archive.
    #[error("{path}: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
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
