//! The errors of reading a table.

use std::path::{Path, PathBuf};

/// The reason why a table cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be opened or read.
    #[error("{path}: cannot read the file", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is no Parquet file, or is damaged.
    #[error(
        "{path}: not a readable Parquet file: {reason}; restore it, or make it again",
        path = path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        reason: String,
    },
    /// A column is missing, or has another type.
    #[error("{path}: column `{column}`: {reason}", path = path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// The name of the column.
        column: String,
        /// The error.
        reason: String,
    },
}

impl TableError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn damaged(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn column(path: &Path, column: &str, reason: impl std::fmt::Display) -> Self {
        let (path, column) = (path.to_owned(), column.to_owned());
        Self::Column { path, column, reason: reason.to_string() }
    }
}
