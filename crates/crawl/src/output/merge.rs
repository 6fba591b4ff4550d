//! Puts the outputs of the workers of one crawl together, so that each page is there once.
//!
//! The rows of all logs are merged by their times. Pages, rows and links of a row go to the new
//! folder together and get new numbers. If a worker dies, another fetches its last links again;
//! then the last fetch that brought a page counts, or the last of all if none did.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::vec;

use ontrail_archive::{Packed, PlacedRecord, PlacedRecords};
use xxhash_rust::xxh3::xxh3_128;

use super::journal::part_path;
use super::pages::archive_name;
use super::record::{Commit, CommitRecord, Recorded};
use super::salvage::Listed;
use super::{
    LinkRow, LogRow, OutputError, Positions, Sink, Stored, archive_path, link_rows, log_rows,
    numbered, opening,
};
use crate::outcome::{FetchKind, Outcome};

/// Number of rows after which the new files are synced.
const SYNC_ROWS: u64 = 1_000;
/// The size at which a new archive is started, in bytes.
const LARGEST_ARCHIVE: u64 = 1_000_000_000;

/// Puts the committed outputs of crawl folders together in a new folder. Calls `watch` with each
/// row of the new log. Returns the number of fetches that were left out.
pub(crate) fn merge_outputs(
    folders: &[WorkerFolder],
    into: &Path,
    software: &str,
    watch: &mut dyn FnMut(&LogRow),
) -> Result<u64, OutputError> {
    for folder in folders {
        folder.check()?;
    }
    let repeated = Repeated::find(folders)?;
    let mut workers: Vec<Worker> = folders.iter().map(Worker::open).collect::<Result<_, _>>()?;
    let none = Commit::new(0, 0, 0, Positions::default());
    let (mut sink, _) = Sink::folder(into, &none, LARGEST_ARCHIVE, software)?;
    let (mut rows, mut stored, mut left_out) = (0_u64, 0, 0);
    let mut others = Others::default();
    while let Some(number) = next_worker(&mut workers)? {
        let worker = &mut workers[number];
        let Some(row) = worker.rows.next().transpose()? else { continue };
        if repeated.is_left_out(&row, number) {
            left_out += 1;
            worker.skip(&row, repeated.is_original(&row), &mut others, &mut sink)?;
            continue;
        }
        rows += 1;
        let row = worker.copy(row, rows, &mut others, &mut sink)?;
        stored += u64::from(row.stored.is_some());
        watch(&row);
        sink.add_row(row)?;
        if rows.is_multiple_of(SYNC_ROWS) {
            sink.sync()?;
        }
    }
    for worker in &mut workers {
        worker.copy_rest(&mut others, &mut sink)?;
    }
    let positions = sink.finish()?;
    sink.record(&Commit::new(1, rows, stored, positions))?;
    sink.committed()?;
    Ok(left_out)
}

/// Returns the worker whose next row is the oldest; none if no rows are left.
fn next_worker(workers: &mut [Worker]) -> Result<Option<usize>, OutputError> {
    let mut oldest: Option<((u64, u64), usize)> = None;
    for (place, worker) in workers.iter_mut().enumerate() {
        let age = match worker.rows.peek() {
            None => continue,
            Some(Ok(row)) => (row.time.unwrap_or(0), row.number),
            Some(Err(_)) => match worker.rows.next() {
                Some(Err(error)) => return Err(error),
                _ => continue,
            },
        };
        if oldest.is_none_or(|(other, _)| age < other) {
            oldest = Some((age, place));
        }
    }
    Ok(oldest.map(|(_, place)| place))
}

/// The rows of a log up to its last commit.
type CommittedRows = Box<dyn Iterator<Item = Result<LogRow, OutputError>>>;

/// The folder of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerFolder {
    /// Its path.
    pub path: PathBuf,
    /// True if it was fetched from an object store, which has only what is final, and may lack what
    /// the worker had not uploaded when it died.
    pub is_fetched: bool,
}

impl WorkerFolder {
    /// Returns what the worker has committed; none if only its files know.
    fn committed(&self) -> Result<Option<Commit>, OutputError> {
        match CommitRecord::of(&self.path).read()? {
            Recorded::Newest { commit, .. } if !self.is_fetched => Ok(Some(commit)),
            _ => Ok(None),
        }
    }

    /// Checks that everything is there that the worker has committed.
    fn check(&self) -> Result<(), OutputError> {
        let Some(Commit { positions, .. }) = self.committed()? else { return Ok(()) };
        opening::check(&self.path, &positions)?;
        let parts = [("log", positions.log.part), ("links", positions.links.part)];
        for (name, parts) in parts {
            let folder = self.path.join(name);
            for part in 0..parts {
                check_is_there(&part_path(&folder, part))?;
            }
        }
        for number in 0..positions.pages.file {
            check_is_there(&self.path.join("pages").join(archive_name(number)))?;
        }
        Ok(())
    }
}

fn check_is_there(path: &Path) -> Result<(), OutputError> {
    if path.is_file() {
        return Ok(());
    }
    Err(OutputError::table(path, "is missing, but was committed; restore it, then merge again"))
}

fn committed_rows(folder: &WorkerFolder) -> Result<CommittedRows, OutputError> {
    let log = folder.path.join("log");
    if !log.is_dir() {
        return Ok(Box::new(std::iter::empty()));
    }
    let last = folder.committed()?.map_or(u64::MAX, |commit| commit.rows);
    let is_committed = move |row: &Result<LogRow, OutputError>| {
        row.as_ref().map_or(true, |row| row.number <= last)
    };
    Ok(Box::new(log_rows(&log)?.take_while(is_committed)))
}

/// The links that were fetched several times.
#[derive(Debug, Default)]
struct Repeated {
    /// The fetch of each that counts.
    chosen: HashMap<u128, Fetch>,
    /// Those whose bodies are the originals of copies.
    originals: HashSet<u128>,
}

/// A fetch. The greatest counts: one with a page rather than one without, then the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fetch {
    is_stored: bool,
    is_page: bool,
    time: u64,
    worker: usize,
    number: u64,
}

impl Fetch {
    fn of(row: &LogRow, worker: usize) -> Self {
        Self {
            is_stored: row.stored.is_some(),
            is_page: row.is_page(),
            time: row.time.unwrap_or(0),
            worker,
            number: row.number,
        }
    }
}

impl Repeated {
    fn find(folders: &[WorkerFolder]) -> Result<Self, OutputError> {
        let (mut seen, mut twice) = (HashSet::new(), HashSet::new());
        for folder in folders {
            for row in committed_rows(folder)? {
                if let Some(key) = key_of(&row?)
                    && !seen.insert(key)
                {
                    twice.insert(key);
                }
            }
        }
        drop(seen);
        let mut repeated = Self::default();
        if twice.is_empty() {
            return Ok(repeated);
        }
        for (worker, folder) in folders.iter().enumerate() {
            for row in committed_rows(folder)? {
                let row = row?;
                if let Some(key) = key_of(&row).filter(|key| twice.contains(key)) {
                    let fetch = Fetch::of(&row, worker);
                    let chosen = repeated.chosen.entry(key).or_insert(fetch);
                    *chosen = fetch.max(*chosen);
                }
                let original = row.duplicate_of.as_deref().map(key_of_page);
                repeated.originals.extend(original.filter(|key| twice.contains(key)));
            }
        }
        Ok(repeated)
    }

    fn is_left_out(&self, row: &LogRow, worker: usize) -> bool {
        let chosen = key_of(row).and_then(|key| self.chosen.get(&key));
        chosen.is_some_and(|chosen| *chosen != Fetch::of(row, worker))
    }

    fn is_original(&self, row: &LogRow) -> bool {
        key_of(row).is_some_and(|key| self.originals.contains(&key))
    }
}

/// Returns the key of the link that a row finishes. Each redirect of a chain has a row of its own.
/// None for files of robots, which each worker asks for, and for looks ahead, which finish nothing.
fn key_of(row: &LogRow) -> Option<u128> {
    if row.kind == FetchKind::Robots || row.outcome == Outcome::Looked {
        return None;
    }
    match (row.outcome, row.kind) {
        (Outcome::Redirect, kind) => Some(key(kind, &format!("{} {}", row.url, row.final_url))),
        (_, FetchKind::Page) => Some(key_of_page(&row.url)),
        (_, kind) => Some(key(kind, &row.url)),
    }
}

fn key_of_page(url: &str) -> u128 {
    key(FetchKind::Page, url)
}

fn key(kind: FetchKind, link: &str) -> u128 {
    xxh3_128(format!("{} {link}", kind.name()).as_bytes())
}

/// The output of one worker.
struct Worker {
    rows: Peekable<CommittedRows>,
    links: Peekable<Box<dyn Iterator<Item = Result<LinkRow, OutputError>>>>,
    archives: Archives,
}

impl Worker {
    fn open(folder: &WorkerFolder) -> Result<Self, OutputError> {
        let links = folder.path.join("links");
        let links: Box<dyn Iterator<Item = _>> = if links.is_dir() {
            Box::new(link_rows(&links)?)
        } else {
            Box::new(std::iter::empty())
        };
        Ok(Self {
            rows: committed_rows(folder)?.peekable(),
            links: links.peekable(),
            archives: Archives::open(folder)?,
        })
    }

    /// Copies the page and the links of a row. Returns the row with its new number and place.
    fn copy(
        &mut self,
        mut row: LogRow,
        number: u64,
        others: &mut Others,
        sink: &mut Sink,
    ) -> Result<LogRow, OutputError> {
        for link in self.links_of(row.number)? {
            sink.add_link(|| LinkRow { page: number, ..link })?;
        }
        if let Some(place) = row.stored.take()
            && let Some(capture) = self.archives.forward_to(&place, others, sink)?
        {
            row.stored = capture.store(sink)?;
        }
        row.number = number;
        Ok(row)
    }

    /// Passes over the page and the links of a row. The body stays in the archive if a copy of it
    /// refers to it.
    fn skip(
        &mut self,
        row: &LogRow,
        is_original: bool,
        others: &mut Others,
        sink: &mut Sink,
    ) -> Result<(), OutputError> {
        self.links_of(row.number)?;
        if let Some(place) = &row.stored
            && let Some(capture) = self.archives.forward_to(place, others, sink)?
            && is_original
        {
            capture.store(sink)?;
        }
        Ok(())
    }

    /// Copies the captures after the last page: redirects and errors.
    fn copy_rest(&mut self, others: &mut Others, sink: &mut Sink) -> Result<(), OutputError> {
        while let Some(capture) = self.archives.next()? {
            others.store(capture, sink)?;
        }
        Ok(())
    }

    /// Returns the links of a page. Rows and links have the same order.
    fn links_of(&mut self, page: u64) -> Result<Vec<LinkRow>, OutputError> {
        let mut links = Vec::new();
        let is_due =
            |row: &Result<LinkRow, OutputError>| row.as_ref().map_or(true, |row| row.page <= page);
        while let Some(row) = self.links.next_if(is_due) {
            let row = row?;
            if row.page == page {
                links.push(row);
            }
        }
        Ok(links)
    }
}

/// A response in an archive, with its request.
struct Capture {
    packed: Packed,
    offset: u64,
    file: String,
    listed: Listed,
}

impl Capture {
    fn store(self, sink: &mut Sink) -> Result<Option<Stored>, OutputError> {
        let Listed { url, time, status, mime, .. } = &self.listed;
        sink.add_page(&self.packed, url, *time, *status, mime)
    }
}

/// The captures that belong to no row: redirects and errors. Each is stored once, even if several
/// workers have it.
#[derive(Default)]
struct Others(HashSet<u128>);

impl Others {
    fn store(&mut self, capture: Capture, sink: &mut Sink) -> Result<(), OutputError> {
        let Listed { url, status, .. } = &capture.listed;
        if self.0.insert(xxh3_128(format!("{status} {url}").as_bytes())) {
            capture.store(sink)?;
        }
        Ok(())
    }
}

/// The archives of a worker up to its last commit, read from front to back.
struct Archives {
    /// True if archives may be missing.
    is_fetched: bool,
    /// The archives that were not opened yet, with the committed length of each.
    waiting: vec::IntoIter<(PathBuf, String, u64)>,
    current: Option<Archive>,
}

struct Archive {
    path: PathBuf,
    name: String,
    /// The committed length.
    length: u64,
    /// The end of the last record that was read.
    end: u64,
    records: Peekable<PlacedRecords>,
    file: File,
}

impl Archives {
    fn open(folder: &WorkerFolder) -> Result<Self, OutputError> {
        let last = folder.committed()?.map(|commit| commit.positions.pages);
        let pages = folder.path.join("pages");
        let mut numbers: Vec<u32> = Vec::new();
        for ending in [".warc.gz", ".warc.gz.open"] {
            numbers.extend(numbered(&pages, ending)?.into_iter().map(|(number, _)| number));
        }
        numbers.sort_unstable();
        numbers.dedup();
        let length = |number: u32| match last {
            Some(last) if number == last.file => last.length,
            Some(last) if number > last.file => 0,
            _ => u64::MAX,
        };
        let files = numbers.into_iter().map(|number| {
            let name = archive_name(number);
            (archive_path(&folder.path, &name), name, length(number))
        });
        let waiting = files.collect::<Vec<_>>().into_iter();
        Ok(Self { is_fetched: folder.is_fetched, waiting, current: None })
    }

    /// Returns the capture at a place; none if its archive was never uploaded. Copies those before
    /// it that belong to no row: redirects and errors.
    fn forward_to(
        &mut self,
        place: &Stored,
        others: &mut Others,
        sink: &mut Sink,
    ) -> Result<Option<Capture>, OutputError> {
        let is_current = |it: &Archive| it.name == place.file;
        let is_there = self.current.as_ref().is_some_and(is_current)
            || self.waiting.as_slice().iter().any(|(_, name, _)| *name == place.file);
        if !is_there && self.is_fetched {
            return Ok(None);
        }
        while let Some(capture) = self.next()? {
            if (&capture.file, capture.offset) == (&place.file, place.offset) {
                return Ok(Some(capture));
            }
            others.store(capture, sink)?;
        }
        let path = Path::new(&place.file);
        let reason = format!("no record starts at byte {}, where the log has a page", place.offset);
        Err(OutputError::table(path, reason))
    }

    /// Reads the next capture.
    fn next(&mut self) -> Result<Option<Capture>, OutputError> {
        loop {
            if let Some(archive) = &mut self.current
                && let Some(capture) = archive.next()?
            {
                return Ok(Some(capture));
            }
            let Some((path, name, length)) = self.waiting.next() else { return Ok(None) };
            self.current = Some(Archive::open(path, name, length)?);
        }
    }
}

impl Archive {
    fn open(path: PathBuf, name: String, length: u64) -> Result<Self, OutputError> {
        let wrong = |error| OutputError::table(&path, error);
        let records = PlacedRecords::open(&path).map_err(wrong)?.peekable();
        let file = File::open(&path).map_err(OutputError::at(&path))?;
        Ok(Self { path, name, length, end: 0, records, file })
    }

    fn next(&mut self) -> Result<Option<Capture>, OutputError> {
        while let Some(place) = self.next_record()? {
            if let Some(listed) = Listed::of(&place) {
                return self.capture(&place, listed).map(Some);
            }
        }
        Ok(None)
    }

    fn next_record(&mut self) -> Result<Option<PlacedRecord>, OutputError> {
        // Whatever follows the last commit may be torn.
        if self.end >= self.length {
            return Ok(None);
        }
        let place = self.records.next().transpose();
        let place = place.map_err(|error| OutputError::table(&self.path, error))?;
        self.end = place.as_ref().map_or(self.length, |place| place.end);
        Ok(place)
    }

    fn capture(&mut self, response: &PlacedRecord, listed: Listed) -> Result<Capture, OutputError> {
        let is_request = |place: &Result<PlacedRecord, _>| {
            place.as_ref().is_ok_and(|place: &PlacedRecord| place.record.kind() == "request")
        };
        let has_more = self.end < self.length;
        let request = has_more.then(|| self.records.next_if(is_request)).flatten();
        let request = request.and_then(Result::ok);
        self.end = request.as_ref().map_or(self.end, |request| request.end);
        let end = request.map_or(response.end, |request| request.end);
        let mut bytes = vec![0; usize::try_from(end - response.offset).unwrap_or(0)];
        let read = self.file.seek(SeekFrom::Start(response.offset));
        read.and_then(|_| self.file.read_exact(&mut bytes)).map_err(OutputError::at(&self.path))?;
        let response_length = response.end - response.offset;
        let packed = Packed { bytes, response_length, digest: listed.digest.clone() };
        Ok(Capture { packed, offset: response.offset, file: self.name.clone(), listed })
    }
}
