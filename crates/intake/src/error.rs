//! Errors of reading documents.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use ontrail_archive::ArchiveError;
use ontrail_corpus::CorpusError;

/// An error that stops the reading of documents.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// A file or folder cannot be opened or read.
    #[error("{path}: cannot read this file or folder", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file is binary, not text in any charset.
    #[error("{path}: binary data, not text", path = path.display())]
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// A folder has no pages in it.
    #[error(
        "{path}: no pages in this folder (no .html, .htm, .xhtml, .shtml, .txt, .md, .rss, .atom or .pdf \
         files)",
        path = path.display()
    )]
    NoPages {
        /// The folder.
        path: PathBuf,
    },
    /// A page has no text.
    #[error("{path}: {document}: no readable text on this page", path = path.display())]
    NoText {
        /// The dataset.
        path: PathBuf,
        /// The ID of the page in the dataset.
        document: String,
    },
    /// No document has any text.
    #[error("{path}: no documents with text", path = path.display())]
    Empty {
        /// The dataset or web archive.
        path: PathBuf,
    },
    /// A dataset cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A web archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl IntakeError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// Returns the message and all its causes on one line.
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
