//! The output of a crawl: pages in web archives with an index, the log and the links in Parquet.
//!
//! Everything is appended to files that only grow ([`tail`]) and is synced to disk before the
//! commit that counts it. A part that is full is sealed: the archive gets its sorted index, the
//! journal becomes a Parquet file. Sealed parts are kept; a part that was sealed after the last
//! commit is discarded on resume and made again. The commit record ([`record`]) says what the files
//! hold, so that a state that is older than they are cannot cut them ([`opening`]).

mod finished;
mod journal;
mod log;
mod merge;
mod opening;
mod pages;
mod record;
mod rows;
mod salvage;
mod sink;
mod space;
mod surplus;
mod tail;

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use finished::{finished_files, unfinished_files};
use journal::Journal;
pub(crate) use log::NOINDEX;
pub use log::{
    LinkRow, LogRow, Stored, link_rows, links_to, log_rows, read_links, read_log, write_links,
    write_log,
};
pub use merge::WorkerFolder;
pub(crate) use merge::merge_outputs;
pub use opening::OpeningNotice;
use pages::Pages;
pub use pages::archive_path;
pub(crate) use record::Commit;
pub(crate) use salvage::{Salvaged, salvage};
pub(crate) use sink::Sink;
pub use space::{DiskUse, free_space};
use surplus::Surplus;

/// The ending of the name of an archive that is being written.
const OPEN: &str = ".open";

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
    /// A Parquet file cannot be read.
    #[error(transparent)]
    Parquet(#[from] ontrail_table::TableError),
    /// A table is not in the expected format.
    #[error("{path}: {reason}", path = path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file is shorter than the state says.
    #[error(
        "{path}: has {found} bytes, but {committed} were committed; restore the file, or rebuild \
         the state from what is left with `ontrail crawl repair {folder}`",
        path = path.display(), folder = folder.display()
    )]
    Shorter {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        found: u64,
        /// The length at the commit that the state holds.
        committed: u64,
        /// The crawl folder.
        folder: PathBuf,
    },
    /// The state is not the one that the files were written with.
    #[error(
        "{folder}: the state does not belong to the pages: it is of commit {state}, they are of \
         commit {record}. Nothing was changed. Restore `state` together with `commits`, `pages`, \
         `log` and `links`, or rebuild it with `ontrail crawl repair {folder}`",
        folder = folder.display()
    )]
    OtherState {
        /// The crawl folder.
        folder: PathBuf,
        /// The number of the state's commit.
        state: u64,
        /// The number of the newest commit in the record.
        record: u64,
    },
    /// An archive is there twice.
    #[error(
        "{path}: is there both with the ending `.open` and without it; move the one that does not \
         belong to the crawl elsewhere",
        path = .0.display()
    )]
    TwoArchives(PathBuf),
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
    ontrail_artifact::create_folder(folder).map_err(OutputError::at(folder))?;
    for entry in std::fs::read_dir(folder).map_err(OutputError::at(folder))? {
        let path = entry.map_err(OutputError::at(folder))?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".ontrail-")) {
            std::fs::remove_file(&path).map_err(OutputError::at(&path))?;
        }
    }
    Ok(())
}

/// Discards the files of a folder whose names have an ending and a number of at least `number`.
fn discard_from(
    folder: &Path,
    ending: &str,
    number: u32,
    surplus: &Surplus,
) -> Result<(), OutputError> {
    let mut files = numbered(folder, ending)?.into_iter().filter(|(own, _)| *own >= number);
    files.try_for_each(|(_, path)| surplus.discard(&path))
}

/// Removes the sources of parts before `number` that were sealed: the process died after the commit
/// and before it removed them.
fn remove_sealed(
    folder: &Path,
    source: &str,
    sealed: &str,
    number: u32,
) -> Result<(), OutputError> {
    let done: Vec<u32> = numbered(folder, sealed)?.into_iter().map(|(own, _)| own).collect();
    for (own, path) in numbered(folder, source)? {
        if own < number && done.contains(&own) {
            std::fs::remove_file(&path).map_err(OutputError::at(&path))?;
        }
    }
    Ok(())
}
