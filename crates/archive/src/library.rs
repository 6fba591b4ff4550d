//! Archives as a place to look addresses up in.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use tempfile::NamedTempFile;

use crate::error::ArchiveError;
use crate::record::{Record, Records};

/// Several archives, with the place of each answer in them.
///
/// An archive that is packed record by record, or not at all, is read where it lies. One that is packed as
/// a whole can only be read from its start, so it is unpacked to a temporary file first.
#[derive(Debug)]
pub struct Library {
    files: Vec<Shelf>,
    places: HashMap<String, Place>,
    /// Addresses whose answer was the same as that of another, and that other.
    revisits: Vec<(String, String)>,
}

/// An archive, or its unpacked copy.
#[derive(Debug)]
struct Shelf {
    path: PathBuf,
    /// Where it is read: the archive itself, or the copy, which goes when this does.
    copy: Option<NamedTempFile>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    file: u32,
    offset: u64,
}

/// What a library holds of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// When it was fetched, as the archive writes it.
    pub date: Option<String>,
    /// The record.
    pub record: Record,
}

impl Library {
    /// Goes through archives. `key` brings an address to the form in which it will be asked for; answers whose
    /// address has none are left out. Of several answers for one address the first counts.
    pub fn open(
        paths: &[PathBuf],
        key: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ArchiveError> {
        let mut library = Self { files: Vec::new(), places: HashMap::new(), revisits: Vec::new() };
        for path in paths {
            library.add(path, &key)?;
        }
        for (address, other) in std::mem::take(&mut library.revisits) {
            if let Some(&place) = library.places.get(&other) {
                library.places.entry(address).or_insert(place);
            }
        }
        Ok(library)
    }

    /// How many addresses there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The addresses that there are, in the form of the keys, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = self.places.keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }

    /// What there is of an address, given in the form of the keys.
    pub fn get(&self, key: &str) -> Result<Option<Holding>, ArchiveError> {
        let Some(&Place { file, offset }) = self.places.get(key) else { return Ok(None) };
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
        let (archive, found) = Shelf::open(path)?;
        for (target, found) in found {
            match (key(&target), found) {
                (Some(key), Answer::At(offset)) => {
                    self.places.entry(key).or_insert(Place { file, offset });
                }
                (Some(address), Answer::SameAs(other)) => {
                    self.revisits.extend(key(&other).map(|other| (address, other)));
                }
                (None, _) => {}
            }
        }
        self.files.push(archive);
        Ok(())
    }
}

/// The addresses of answers with what there is of each.
type Found = Vec<(String, Answer)>;

/// What an archive has of an address.
#[derive(Debug)]
enum Answer {
    /// A record that begins here.
    At(u64),
    /// Only that it was the same as that of another address.
    SameAs(String),
}

impl Shelf {
    fn open(path: &Path) -> Result<(Self, Found), ArchiveError> {
        let io = |source| ArchiveError::Io { path: path.to_owned(), record: 1, source };
        let mut reader = Counted::open(path).map_err(io)?;
        let is_packed = reader.fill_buf().map_err(io)?.starts_with(&[0x1f, 0x8b]);
        let mut shelf = Self { path: path.to_owned(), copy: None };
        if !is_packed {
            let found = shelf.plain_places(reader)?;
            return Ok((shelf, found));
        }
        if let Some(found) = shelf.packed_places(reader)? {
            return Ok((shelf, found));
        }
        shelf.copy = Some(unpacked_copy(path).map_err(io)?);
        let found = shelf.plain_places(Counted::open(shelf.readable()).map_err(io)?)?;
        Ok((shelf, found))
    }

    fn readable(&self) -> &Path {
        self.copy.as_ref().map_or(&self.path, |copy| copy.path())
    }

    /// The records of an archive that is not packed.
    fn plain_places(&self, mut reader: Counted) -> Result<Found, ArchiveError> {
        let mut found = Vec::new();
        for number in 1.. {
            let offset = reader.position;
            let next = Records::new(Box::new(&mut reader), &self.path).next();
            let Some(record) = next else { break };
            found.extend(answered(&record.map_err(|error| numbered(error, number))?, offset));
        }
        Ok(found)
    }

    /// The records of an archive that is packed record by record; none if it is packed otherwise.
    fn packed_places(&self, mut reader: Counted) -> Result<Option<Found>, ArchiveError> {
        let io = |number| {
            let path = self.path.clone();
            move |source| ArchiveError::Io { path, record: number, source }
        };
        let mut found = Vec::new();
        for number in 1.. {
            let offset = reader.position;
            if reader.fill_buf().map_err(io(number))?.is_empty() {
                break;
            }
            let mut member = BufReader::new(GzDecoder::new(&mut reader));
            let next = Records::new(Box::new(&mut member), &self.path).next();
            let Some(record) = next else { continue };
            found.extend(answered(&record.map_err(|error| numbered(error, number))?, offset));
            let mut rest = Vec::new();
            member.by_ref().take(64).read_to_end(&mut rest).map_err(io(number))?;
            if !rest.trim_ascii().is_empty() {
                return Ok(None);
            }
            io::copy(&mut member, &mut io::sink()).map_err(io(number))?;
        }
        Ok(Some(found))
    }

    fn record_at(&self, offset: u64) -> Result<Record, ArchiveError> {
        record_at(self.readable(), offset)
    }
}

/// The record that begins at a place of an archive that is not packed as a whole.
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
        reason: format!("no record begins at byte {offset}"),
    };
    Records::new(open().map_err(wrong)?, path).next().ok_or_else(nothing)?
}

/// The address that a record answers for, if it is an answer.
fn answered(record: &Record, offset: u64) -> Option<(String, Answer)> {
    let answer = match record.kind() {
        "response" if record.block.starts_with(b"HTTP/") => Answer::At(offset),
        "revisit" => Answer::SameAs(record.header("WARC-Refers-To-Target-URI")?.to_owned()),
        _ => return None,
    };
    Some((record.target()?.to_owned(), answer))
}

/// An error of one record, with its place among the others.
fn numbered(error: ArchiveError, number: u64) -> ArchiveError {
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

/// A file that knows how far it has been read.
#[derive(Debug)]
struct Counted {
    inner: BufReader<File>,
    position: u64,
}

impl Counted {
    fn open(path: &Path) -> io::Result<Self> {
        let inner = BufReader::with_capacity(1 << 18, File::open(path)?);
        Ok(Self { inner, position: 0 })
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.position += amount as u64;
        self.inner.consume(amount);
    }
}
