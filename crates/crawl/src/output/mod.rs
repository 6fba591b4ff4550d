//! What a crawl leaves: pages in web archives with an index, the log and the links in Parquet.
//!
//! Everything is written to files that only grow ([`tail`]) and becomes durable before the commit that counts it.
//! A part that is full is sealed: the archive gets its sorted index, the journal becomes a Parquet file. What was
//! sealed is kept; what the next commit does not know of is made again.

mod journal;
mod log;
mod pages;
mod sink;
mod tail;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use journal::Journal;
pub use log::{LinkRow, LogRow, Stored, read_links, read_log};
use pages::Pages;
pub(crate) use sink::Sink;

/// How far each output was when it was committed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Positions {
    pub(crate) pages: pages::PagesPosition,
    pub(crate) log: journal::Position,
    pub(crate) links: journal::Position,
}

/// Why something could not be stored, or read again.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The disk refused.
    #[error("{path}: cannot be written or read", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A table is no Parquet file, or none of ours.
    #[error("{path}: {reason}", path = path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
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

/// The numbered files of a folder that end in something, in order.
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

/// Makes a folder, or removes what a process that was killed left half-written in it.
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

/// Removes the numbered files of a folder that end in something, from a number on.
fn remove_from(folder: &Path, ending: &str, number: u32) -> Result<(), OutputError> {
    for (own, path) in numbered(folder, ending)? {
        if own >= number {
            std::fs::remove_file(&path).map_err(OutputError::at(&path))?;
        }
    }
    Ok(())
}
