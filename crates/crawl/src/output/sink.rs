//! Where a crawl puts what comes: into the files of a folder, or, in an experiment, into someone's hands.

use std::path::Path;

use ontrail_archive::Packed;
use url::Url;

use super::{Journal, LinkRow, LogRow, OutputError, Pages, Positions, Stored};

/// Where a crawl puts what comes.
pub(crate) enum Sink {
    /// Archives, log and links as files.
    Folder(Box<Files>),
    /// The rows of the log are handed to someone; nothing else is kept.
    Rows(Box<dyn FnMut(LogRow) + Send>),
}

/// The files of a crawl.
pub(crate) struct Files {
    pages: Pages,
    log: Journal<LogRow>,
    links: Journal<LinkRow>,
}

impl Sink {
    /// The files of a folder, where a commit left them.
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

    /// Whether pages are kept, and so must be packed.
    pub(crate) fn keeps_pages(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    /// Appends the records of a visit. None if pages are not kept.
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

    /// Adds a link that was found, made only if links are kept.
    pub(crate) fn add_link(&mut self, link: impl FnOnce() -> LinkRow) -> Result<(), OutputError> {
        match self {
            Self::Folder(files) => files.links.add(&link()),
            Self::Rows(_) => Ok(()),
        }
    }

    /// Makes everything durable. Returns what to commit.
    pub(crate) fn sync(&mut self) -> Result<Positions, OutputError> {
        let Self::Folder(files) = self else { return Ok(Positions::default()) };
        Ok(Positions {
            pages: files.pages.sync()?,
            log: files.log.sync()?,
            links: files.links.sync()?,
        })
    }

    /// Makes everything durable, and the tables and indexes that people read. Returns what to commit.
    pub(crate) fn finish(&mut self) -> Result<Positions, OutputError> {
        let Self::Folder(files) = self else { return Ok(Positions::default()) };
        Ok(Positions {
            pages: files.pages.finish()?,
            log: files.log.finish()?,
            links: files.links.finish()?,
        })
    }

    /// The last positions were committed: what they do not need goes.
    pub(crate) fn committed(&mut self) -> Result<(), OutputError> {
        let Self::Folder(files) = self else { return Ok(()) };
        files.pages.committed()?;
        files.log.committed()?;
        files.links.committed()
    }
}
