//! Finds out what the output files of a crawl hold without asking its state.
//!
//! The commit record knows. If it is missing or damaged, or if the files are shorter than it says,
//! the files are read: rows count up to the first that is incomplete or whose page is not in the
//! archives, and records count up to the last that a row refers to.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use ontrail_archive::{PlacedRecord, PlacedRecords, index_line};
use url::Url;

use super::journal::{Journal, Position, Row};
use super::log::{LinkRow, LogRow, Stored};
use super::pages::{IndexEntry, PagesPosition, archive_number, index_name, index_part_name};
use super::record::{Commit, CommitRecord, Recorded};
use super::surplus::Surplus;
use super::{OutputError, Pages, Positions, archive_path, journal, log_rows, numbered, opening};

/// The output files of a crawl, cut to what belongs together.
#[derive(Debug)]
pub(crate) struct Salvaged {
    /// The commit that a state which is rebuilt from these files has to make.
    pub(crate) commit: Commit,
    /// The folders that surplus was moved to.
    pub(crate) moved: Vec<PathBuf>,
}

/// Cuts the output files of a crawl to what belongs together, moves the rest aside, and records the
/// result as a commit. No state has that commit yet, so until one is rebuilt, the crawl cannot be
/// resumed.
pub(crate) fn salvage(folder: &Path) -> Result<Salvaged, OutputError> {
    let mut record = CommitRecord::of(folder);
    let (number, recorded) = match record.read()? {
        Recorded::Newest { commit, is_sound } => {
            let is_usable = is_sound && opening::check(folder, &commit.positions).is_ok();
            (commit.number, is_usable.then_some(commit.positions))
        }
        Recorded::Missing | Recorded::Damaged => (0, None),
    };
    let [pages, log, links] = ["pages", "log", "links"].map(|name| folder.join(name));
    let surplus = Surplus::move_to_new(&[pages.clone(), log.clone(), links.clone()]);
    let rows_end = match recorded {
        Some(positions) => positions.log,
        None => read_position(&log, |row: &LogRow| is_archived(folder, row))?,
    };
    Journal::<LogRow>::open(&log, rows_end, &surplus)?;
    let found = Found::read(&log)?;
    let positions = match recorded {
        Some(positions) => positions,
        None => Positions {
            pages: read_archive(folder, &found)?,
            log: rows_end,
            links: read_position(&links, |row: &LinkRow| row.page <= found.last)?,
        },
    };
    Journal::<LinkRow>::open(&links, positions.links, &surplus)?;
    Pages::open(&pages, positions.pages, &surplus, 0, "")?;
    // Neither the old state nor one that is being rebuilt may pass for a state of this commit.
    let commit = Commit::new(number + 2, found.rows, found.pages, positions);
    record.write(&commit)?;
    let moved = [pages, log, links].iter().filter_map(|it| surplus.moved_to(it)).collect();
    Ok(Salvaged { commit, moved })
}

/// Facts about the rows of the log, gathered before they are replayed.
#[derive(Debug, Default)]
struct Found {
    /// Number of rows.
    rows: u64,
    /// The number of the last row.
    last: u64,
    /// Number of rows whose page is stored.
    pages: u64,
    /// The place of the last page that is stored.
    place: Option<Stored>,
    /// The URLs in the rows after that page.
    later: HashSet<String>,
}

impl Found {
    /// Reads the log, row by row.
    fn read(log: &Path) -> Result<Self, OutputError> {
        let mut found = Self::default();
        for row in log_rows(log)? {
            let row = row?;
            (found.rows, found.last) = (found.rows + 1, row.number);
            if let Some(place) = row.stored {
                found.pages += 1;
                found.place = Some(place);
                found.later.clear();
            } else {
                found.later.insert(row.url);
            }
        }
        Ok(found)
    }
}

/// Returns true if the page of a row is in its archive, or if the row has none.
fn is_archived(folder: &Path, row: &LogRow) -> bool {
    row.stored.as_ref().is_none_or(|stored| {
        let file = std::fs::metadata(archive_path(folder, &stored.file));
        file.is_ok_and(|file| stored.offset + stored.length <= file.len())
    })
}

/// Finds the position of a journal: behind the last whole row that is wanted.
fn read_position<R: Row>(
    folder: &Path,
    is_wanted: impl Fn(&R) -> bool,
) -> Result<Position, OutputError> {
    let sealed = numbered(folder, ".parquet")?.pop().map(|(number, _)| number);
    let mut position = Position { part: sealed.map_or(0, |number| number + 1), length: 0, rows: 0 };
    let (path, _) = journal::committed_file(folder, position);
    let Ok(file) = File::open(&path) else { return Ok(position) };
    let (mut reader, mut line) = (BufReader::new(file), Vec::new());
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(OutputError::at(&path))?;
        let row = line.strip_suffix(b"\n").and_then(|line| serde_json::from_slice(line).ok());
        if !row.is_some_and(|row| is_wanted(&row)) {
            return Ok(position);
        }
        position.length += line.len() as u64;
        position.rows += 1;
    }
}

/// Finds the position of the archives: behind the records of the last row. Writes the index of the
/// last archive again.
fn read_archive(folder: &Path, found: &Found) -> Result<PagesPosition, OutputError> {
    let Some(Stored { file, offset, .. }) = &found.place else {
        return Ok(PagesPosition { file: 0, length: 0, index: 0 });
    };
    let path = archive_path(folder, file);
    let number = archive_number(file).ok_or_else(|| {
        OutputError::table(&path, "the log names an archive that is not numbered")
    })?;
    let (mut length, mut lines, mut is_kept) = (0, Vec::new(), true);
    let records = PlacedRecords::open(&path).map_err(|error| OutputError::table(&path, error))?;
    for place in records.map_while(Result::ok) {
        // A request belongs to the response before it.
        if place.offset > *offset && place.record.kind() != "request" {
            // Redirects are archived too, but their rows do not say where.
            is_kept = place.record.target().is_some_and(|target| found.later.contains(target));
        }
        if !is_kept {
            break;
        }
        length = place.end;
        lines.extend(Listed::of(&place).and_then(|listed| listed.line(&place, file)));
    }
    if length <= *offset {
        let reason = format!("no whole record starts at byte {offset}, where the log has a page");
        return Err(OutputError::table(&path, reason));
    }
    let pages = folder.join("pages");
    let index: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let part = pages.join(index_part_name(number));
    ontrail_artifact::write_atomically(&part, |out| out.write_all(index.as_bytes()))
        .map_err(|error| OutputError::table(&part, error))?;
    let whole = pages.join(index_name(number));
    if whole.exists() {
        std::fs::remove_file(&whole).map_err(OutputError::at(&whole))?;
    }
    Ok(PagesPosition { file: number, length, index: index.len() as u64 })
}

/// A response in an archive, as the index lists it.
pub(super) struct Listed {
    pub(super) url: Url,
    pub(super) time: u64,
    pub(super) status: u16,
    pub(super) mime: String,
    pub(super) digest: String,
}

impl Listed {
    /// Returns none if a record is not in the index.
    pub(super) fn of(place: &PlacedRecord) -> Option<Self> {
        let record = &place.record;
        if !matches!(record.kind(), "response" | "revisit") {
            return None;
        }
        let url = Url::parse(record.target()?).ok()?;
        let response = record.response();
        let status = response.as_ref().map_or(200, |response| response.status);
        let mime = response.as_ref().filter(|_| (200..300).contains(&status));
        let mime = mime.and_then(|response| response.header("content-type"));
        let mime =
            mime.and_then(|it| it.split(';').next()).map(|it| it.trim().to_ascii_lowercase());
        Some(Self {
            url,
            time: record.header("WARC-Date").and_then(crate::web::milliseconds_of).unwrap_or(0),
            status,
            mime: mime.unwrap_or_else(|| "unk".to_owned()),
            digest: record.header("WARC-Payload-Digest").unwrap_or_default().to_owned(),
        })
    }

    fn line(&self, place: &PlacedRecord, file: &str) -> Option<String> {
        let entry = IndexEntry {
            url: self.url.as_str(),
            mime: &self.mime,
            status: self.status.to_string(),
            digest: &self.digest,
            length: (place.end - place.offset).to_string(),
            offset: place.offset.to_string(),
            filename: file,
        };
        let fields = serde_json::to_string(&entry).ok()?;
        Some(index_line(&self.url, self.time, &fields))
    }
}
