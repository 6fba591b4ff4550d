//! The output of a crawl: pages in web archives with an index, the log and the links in Parquet.
//!
//! Everything is appended to files that only grow ([`tail`]) and is synced to disk before the
//! commit that counts it. A part that is full is sealed: the archive gets its sorted index, the
//! journal becomes a Parquet file. Sealed parts are kept; a part that was sealed after the last
//! commit is discarded on resume and made again.

mod free;
mod journal;
mod log;
mod pages;
mod sink;
mod tail;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use free::free_space;
use journal::Journal;
pub use log::{LinkRow, LogRow, Stored, read_links, read_log};
use pages::Pages;
pub(crate) use sink::Sink;

/// The position of each output at a commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Positions {
    pub(crate) pages: pages::PagesPosition,
    pub(crate) log: journal::Position,
    pub(crate) links: journal::Position,
}

/// An error in writing the output of a crawl, or in reading it back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file or folder cannot be read or written.
    #[error("{path}: reading or writing failed", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A table is not in the expected format.
    #[error("{path}: {reason}", path = path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

impl OutputError {
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn table(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Table { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// Returns the numbered files of a folder whose names have an ending, in order.
fn numbered(folder: &Path, ending: &str) -> Result<Vec<(u32, PathBuf)>, OutputError> {
    let mut found = Vec::new();
    if !folder.exists() {
        return Ok(found);
    }
    for entry in std::fs::read_dir(folder).map_err(OutputError::at(folder))? {
        let path = entry.map_err(OutputError::at(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(ending) else { continue };
        let digits = stem.rsplit('-').next().unwrap_or(stem);
        if let Ok(number) = digits.parse() {
            found.push((number, path));
        }
    }
    found.sort();
    Ok(found)
}

/// Creates a folder, or removes temporary files that a killed process left in it.
fn tidy(folder: &Path) -> Result<(), OutputError> {
    std::fs::create_dir_all(folder).map_err(OutputError::at(folder))?;
    for entry in std::fs::read_dir(folder).map_err(OutputError::at(folder))? {
        let path = entry.map_err(OutputError::at(folder))?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".ontrail-")) {
            std::fs::remove_file(&path).map_err(OutputError::at(&path))?;
        }
    }
    Ok(())
}

/// Removes the files of a folder whose names have an ending and a number of at least `number`.
fn remove_from(folder: &Path, ending: &str, number: u32) -> Result<(), OutputError> {
    for (own, path) in numbered(folder, ending)? {
        if own >= number {
            std::fs::remove_file(&path).map_err(OutputError::at(&path))?;
        }
    }
    Ok(())
}
