//! What can be wrong with what a user points at.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use ontrail_archive::ArchiveError;
use ontrail_corpus::CorpusError;

/// Why documents could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// The file system refused.
    #[error("{path}: cannot be read", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A file holds no text of any kind.
    #[error("{path}: binary data, not text", path = path.display())]
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// A folder holds no pages.
    #[error("{path}: no page in this folder: .html, .htm, .xhtml, .shtml or .txt", path = path.display())]
    NoPages {
        /// The folder.
        path: PathBuf,
    },
    /// A page has nothing on it to read.
    #[error("{path}: {document}: no readable text on this page", path = path.display())]
    NoText {
        /// What was to be read.
        path: PathBuf,
        /// The page in it.
        document: String,
    },
    /// Nothing was left to work on.
    #[error("{path}: no documents with text in it", path = path.display())]
    Empty {
        /// What was to be read.
        path: PathBuf,
    },
    /// A dataset is not as it should be.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A web archive is not as it should be.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl IntakeError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// Returns the message with its causes, on one line.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            text += &format!(": {error}");
            cause = error.source();
        }
        text
    }
}
