//! The destination of a crawl's output: the files of a folder or, in an experiment, a callback.

use std::path::Path;

use ontrail_archive::Packed;
use url::Url;

use super::{Journal, LinkRow, LogRow, OutputError, Pages, Positions, Stored};

/// The destination of a crawl's output.
pub(crate) enum Sink {
    /// Files of archives, log and links.
    Folder(Box<Files>),
    /// A callback that receives the rows of the log; nothing else is kept.
    Rows(Box<dyn FnMut(LogRow) + Send>),
}

/// The output files of a crawl.
pub(crate) struct Files {
    pages: Pages,
    log: Journal<LogRow>,
    links: Journal<LinkRow>,
}

impl Sink {
    /// Opens the files of a folder at the positions of the last commit.
    pub(crate) fn folder(
        folder: &Path,
        positions: Positions,
        largest: u64,
        software: &str,
    ) -> Result<Self, OutputError> {
        Ok(Self::Folder(Box::new(Files {
            pages: Pages::open(&folder.join("pages"), positions.pages, largest, software)?,
            log: Journal::open(&folder.join("log"), positions.log)?,
            links: Journal::open(&folder.join("links"), positions.links)?,
        })))
    }

    /// Returns true if pages are stored, so that archive records must be made.
    pub(crate) fn keeps_pages(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    /// Appends the records of a fetch. Returns none if pages are not stored.
    pub(crate) fn add_page(
        &mut self,
        packed: &Packed,
        url: &Url,
        time: u64,
        status: u16,
        mime: &str,
    ) -> Result<Option<Stored>, OutputError> {
        match self {
            Self::Folder(files) => files.pages.add(packed, url, time, status, mime).map(Some),
            Self::Rows(_) => Ok(None),
        }
    }

    /// Adds a row to the log.
    pub(crate) fn add_row(&mut self, row: LogRow) -> Result<(), OutputError> {
        match self {
            Self::Folder(files) => files.log.add(&row),
            Self::Rows(take) => {
                take(row);
                Ok(())
            }
        }
    }

    /// Adds a row to the table of links. The row is built only if links are stored.
    pub(crate) fn add_link(&mut self, link: impl FnOnce() -> LinkRow) -> Result<(), OutputError> {
        match self {
            Self::Folder(files) => files.links.add(&link()),
            Self::Rows(_) => Ok(()),
        }
    }

    /// Syncs everything to disk. Returns the positions to commit.
    pub(crate) fn sync(&mut self) -> Result<Positions, OutputError> {
        let Self::Folder(files) = self else { return Ok(Positions::default()) };
        Ok(Positions {
            pages: files.pages.sync()?,
            log: files.log.sync()?,
            links: files.links.sync()?,
        })
    }

    /// Syncs everything to disk, and writes the final tables and indexes. Returns the positions to
    /// commit.
    pub(crate) fn finish(&mut self) -> Result<Positions, OutputError> {
        let Self::Folder(files) = self else { return Ok(Positions::default()) };
        Ok(Positions {
            pages: files.pages.finish()?,
            log: files.log.finish()?,
            links: files.links.finish()?,
        })
    }

    /// Removes files that are no longer needed. To be called after a commit.
    pub(crate) fn committed(&mut self) -> Result<(), OutputError> {
        let Self::Folder(files) = self else { return Ok(()) };
        files.pages.committed()?;
        files.log.committed()?;
        files.links.committed()
    }
}
