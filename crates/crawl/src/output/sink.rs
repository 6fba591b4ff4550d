//! The destination of a crawl's output: the files of a folder or, in an experiment, a callback.

use std::path::Path;

use ontrail_archive::Packed;
use url::Url;

use super::record::{Commit, CommitRecord};
use super::{
    Journal, LinkRow, LogRow, OpeningNotice, OutputError, Pages, Positions, Stored, opening,
};

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
    record: CommitRecord,
}

impl Sink {
    /// Opens the files of a folder as of the commit that the state holds. Returns an error, and
    /// changes nothing, if the files and the state do not belong together.
    pub(crate) fn folder(
        folder: &Path,
        state: &Commit,
        largest: u64,
        software: &str,
    ) -> Result<(Self, Vec<OpeningNotice>), OutputError> {
        let record = CommitRecord::of(folder);
        let (surplus, notice) = opening::judge(folder, state, record.read()?)?;
        let positions = &state.positions;
        opening::check(folder, positions)?;
        let [pages, log, links] = ["pages", "log", "links"].map(|name| folder.join(name));
        let files = Files {
            pages: Pages::open(&pages, positions.pages, &surplus, largest, software)?,
            log: Journal::open(&log, positions.log, &surplus)?,
            links: Journal::open(&links, positions.links, &surplus)?,
            record,
        };
        let moved = [pages, log, links].into_iter().filter_map(|it| surplus.moved_to(&it));
        let notices = notice.into_iter().chain(moved.map(OpeningNotice::MovedAside)).collect();
        Ok((Self::Folder(Box::new(files)), notices))
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

    /// Writes the commit record. To be called after the files were synced and before the state is
    /// committed.
    pub(crate) fn record(&mut self, commit: &Commit) -> Result<(), OutputError> {
        let Self::Folder(files) = self else { return Ok(()) };
        files.record.write(commit)
    }

    /// Removes files that are no longer needed. To be called after a commit.
    pub(crate) fn committed(&mut self) -> Result<(), OutputError> {
        let Self::Folder(files) = self else { return Ok(()) };
        files.pages.committed()?;
        files.log.committed()?;
        files.links.committed()
    }
}
