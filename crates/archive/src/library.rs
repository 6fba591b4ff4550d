//! Looks up URLs in archives.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use tempfile::NamedTempFile;

use crate::error::ArchiveError;
use crate::record::{Record, Records};

/// Several archives with an index of their responses by URL.
///
/// An archive that is compressed record by record, or not at all, is read in place. One that is
/// compressed as a whole can only be read from its start, so it is decompressed to a temporary file
/// first.
#[derive(Debug)]
pub struct Library {
    files: Vec<ArchiveFile>,
    locations: HashMap<String, Location>,
    /// URLs whose response was the same as that of another URL, with that other URL.
    revisits: Vec<(String, String)>,
}

/// An archive, with its decompressed copy if it needs one.
#[derive(Debug)]
struct ArchiveFile {
    path: PathBuf,
    /// The decompressed copy, which is deleted when it is dropped.
    copy: Option<NamedTempFile>,
}

/// The location of a record: the index of its file, and the byte at which it starts.
#[derive(Debug, Clone, Copy)]
struct Location {
    file: u32,
    offset: u64,
}

/// A response in a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// The time of the fetch, as in the archive.
    pub date: Option<String>,
    /// The record.
    pub record: Record,
}

impl Library {
    /// Indexes archives. `key` turns a URL into the form in which it will be looked up; responses
    /// for which it returns `None` are left out. Of several responses with one key, the first is
    /// used.
    pub fn open(
        paths: &[PathBuf],
        key: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ArchiveError> {
        let mut library =
            Self { files: Vec::new(), locations: HashMap::new(), revisits: Vec::new() };
        for path in paths {
            library.add(path, &key)?;
        }
        for (revisit, other) in std::mem::take(&mut library.revisits) {
            if let Some(&location) = library.locations.get(&other) {
                library.locations.entry(revisit).or_insert(location);
            }
        }
        Ok(library)
    }

    /// Returns the number of URLs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Returns true if there are no URLs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// Returns the keys of all URLs, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = self.locations.keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns the response for a URL, given by its key.
    pub fn get(&self, key: &str) -> Result<Option<Holding>, ArchiveError> {
        let Some(&Location { file, offset }) = self.locations.get(key) else { return Ok(None) };
        let record = self.files[file as usize].record_at(offset)?;
        let date = record.header("WARC-Date").map(str::to_owned);
        Ok(Some(Holding { date, record }))
    }

    fn add(
        &mut self,
        path: &Path,
        key: &impl Fn(&str) -> Option<String>,
    ) -> Result<(), ArchiveError> {
        let file = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let (archive, entries) = ArchiveFile::open(path)?;
        for (target, entry) in entries {
            match (key(&target), entry) {
                (Some(key), Entry::At(offset)) => {
                    self.locations.entry(key).or_insert(Location { file, offset });
                }
                (Some(revisit), Entry::SameAs(other)) => {
                    self.revisits.extend(key(&other).map(|other| (revisit, other)));
                }
                (None, _) => {}
            }
        }
        self.files.push(archive);
        Ok(())
    }
}

/// The entries of an archive with their URLs.
type Entries = Vec<(String, Entry)>;

/// The response to a URL in one archive.
#[derive(Debug)]
enum Entry {
    /// A response record that starts at this byte.
    At(u64),
    /// A revisit record, which refers to the response of another URL.
    SameAs(String),
}

impl ArchiveFile {
    fn open(path: &Path) -> Result<(Self, Entries), ArchiveError> {
        let io = |source| ArchiveError::Io { path: path.to_owned(), record: 1, source };
        let mut reader = CountingReader::open(path).map_err(io)?;
        let is_packed = reader.fill_buf().map_err(io)?.starts_with(&[0x1f, 0x8b]);
        let mut file = Self { path: path.to_owned(), copy: None };
        if !is_packed {
            let entries = file.plain_entries(reader)?;
            return Ok((file, entries));
        }
        if let Some(entries) = file.packed_entries(reader)? {
            return Ok((file, entries));
        }
        file.copy = Some(unpacked_copy(path).map_err(io)?);
        let entries = file.plain_entries(CountingReader::open(file.readable()).map_err(io)?)?;
        Ok((file, entries))
    }

    fn readable(&self) -> &Path {
        self.copy.as_ref().map_or(&self.path, |copy| copy.path())
    }

    /// Returns the entries of an archive that is not compressed.
    fn plain_entries(&self, mut reader: CountingReader) -> Result<Entries, ArchiveError> {
        let mut entries = Vec::new();
        for number in 1.. {
            let offset = reader.position;
            let next = Records::new(Box::new(&mut reader), &self.path).next();
            let Some(record) = next else { break };
            entries.extend(entry_of(&record.map_err(|error| with_number(error, number))?, offset));
        }
        Ok(entries)
    }

    /// Returns the entries of an archive that is compressed record by record, or `None` if it is
    /// compressed otherwise.
    fn packed_entries(&self, mut reader: CountingReader) -> Result<Option<Entries>, ArchiveError> {
        let io = |number| {
            let path = self.path.clone();
            move |source| ArchiveError::Io { path, record: number, source }
        };
        let mut entries = Vec::new();
        for number in 1.. {
            let offset = reader.position;
            if reader.fill_buf().map_err(io(number))?.is_empty() {
                break;
            }
            let mut member = BufReader::new(GzDecoder::new(&mut reader));
            let next = Records::new(Box::new(&mut member), &self.path).next();
            let Some(record) = next else { continue };
            entries.extend(entry_of(&record.map_err(|error| with_number(error, number))?, offset));
            let mut rest = Vec::new();
            member.by_ref().take(64).read_to_end(&mut rest).map_err(io(number))?;
            if !rest.trim_ascii().is_empty() {
                return Ok(None);
            }
            io::copy(&mut member, &mut io::sink()).map_err(io(number))?;
        }
        Ok(Some(entries))
    }

    fn record_at(&self, offset: u64) -> Result<Record, ArchiveError> {
        record_at(self.readable(), offset)
    }
}

/// Returns the record that starts at byte `offset` of an archive that is compressed record by
/// record or not at all.
pub fn record_at(path: &Path, offset: u64) -> Result<Record, ArchiveError> {
    let open = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let is_packed = reader.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let unpacked: Box<dyn BufRead + Send> = if is_packed {
            Box::new(BufReader::new(GzDecoder::new(reader)))
        } else {
            Box::new(reader)
        };
        Ok(unpacked)
    };
    let wrong = |source| ArchiveError::Io { path: path.to_owned(), record: 0, source };
    let nothing = || ArchiveError::Malformed {
        path: path.to_owned(),
        record: 0,
        reason: format!("no record starts at byte {offset}"),
    };
    Records::new(open().map_err(wrong)?, path).next().ok_or_else(nothing)?
}

/// Returns the URL and the entry of a record, if it is a response or a revisit.
fn entry_of(record: &Record, offset: u64) -> Option<(String, Entry)> {
    let answer = match record.kind() {
        "response" if record.block.starts_with(b"HTTP/") => Entry::At(offset),
        "revisit" => Entry::SameAs(record.header("WARC-Refers-To-Target-URI")?.to_owned()),
        _ => return None,
    };
    Some((record.target()?.to_owned(), answer))
}

/// Sets the record number of an error.
pub(crate) fn with_number(error: ArchiveError, number: u64) -> ArchiveError {
    match error {
        ArchiveError::Io { path, source, .. } => ArchiveError::Io { path, record: number, source },
        ArchiveError::Malformed { path, reason, .. } => {
            ArchiveError::Malformed { path, record: number, reason }
        }
    }
}

fn unpacked_copy(path: &Path) -> io::Result<NamedTempFile> {
    let copy = NamedTempFile::new()?;
    let packed = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut writer = BufWriter::new(copy.as_file());
    io::copy(&mut flate2::bufread::MultiGzDecoder::new(packed), &mut writer)?;
    writer.flush()?;
    drop(writer);
    Ok(copy)
}

/// A file that counts the bytes read.
#[derive(Debug)]
pub(crate) struct CountingReader {
    inner: BufReader<File>,
    pub(crate) position: u64,
}

impl CountingReader {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let inner = BufReader::with_capacity(1 << 18, File::open(path)?);
        Ok(Self { inner, position: 0 })
    }
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl BufRead for CountingReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.position += amount as u64;
        self.inner.consume(amount);
    }
}
