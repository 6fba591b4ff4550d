//! The records of an archive with their places.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use crate::error::ArchiveError;
use crate::library::{CountingReader, with_number};
use crate::record::{Record, Records};

/// A record and its place in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedRecord {
    /// The byte at which the record starts.
    pub offset: u64,
    /// The byte after its last.
    pub end: u64,
    /// The record.
    pub record: Record,
}

/// The records of an archive that is compressed record by record. The first record that is
/// incomplete or damaged is an error, and the last item.
#[derive(Debug)]
pub struct PlacedRecords {
    path: PathBuf,
    reader: CountingReader,
    number: u64,
    failed: bool,
}

impl PlacedRecords {
    /// Opens an archive.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let io = |source| ArchiveError::Io { path: path.to_owned(), record: 1, source };
        let reader = CountingReader::open(path).map_err(io)?;
        Ok(Self { path: path.to_owned(), reader, number: 0, failed: false })
    }

    fn read(&mut self) -> Result<Option<PlacedRecord>, ArchiveError> {
        let (path, number) = (self.path.clone(), self.number);
        let io = |source| ArchiveError::Io { path: path.clone(), record: number, source };
        let offset = self.reader.position;
        if self.reader.fill_buf().map_err(io)?.is_empty() {
            return Ok(None);
        }
        let mut member = BufReader::new(GzDecoder::new(&mut self.reader));
        let record = Records::new(Box::new(&mut member), &path).next();
        let empty = || ArchiveError::Malformed {
            path: path.clone(),
            record: number,
            reason: String::new(),
        };
        let record = record.ok_or_else(empty)?.map_err(|error| with_number(error, number))?;
        // Reading to the end also verifies the checksum of the member.
        io::copy(&mut member, &mut io::sink()).map_err(io)?;
        drop(member);
        Ok(Some(PlacedRecord { offset, end: self.reader.position, record }))
    }
}

impl Iterator for PlacedRecords {
    type Item = Result<PlacedRecord, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        self.number += 1;
        let read = self.read();
        self.failed = read.is_err();
        read.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warcinfo;

    #[test]
    fn records_have_their_places_up_to_the_first_that_is_incomplete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let (first, second) = (warcinfo("a", 0, &[]), warcinfo("b", 0, &[("x", "y")]));
        let whole = [first.clone(), second.clone()].concat();
        let places = |bytes: &[u8]| -> Vec<Option<(u64, u64)>> {
            std::fs::write(&path, bytes).unwrap();
            let records = PlacedRecords::open(&path).unwrap();
            records.map(|it| it.ok().map(|it| (it.offset, it.end))).collect()
        };
        let [a, b] = [first.len() as u64, whole.len() as u64];
        assert_eq!(places(&whole), [Some((0, a)), Some((a, b))]);
        for cut in first.len() + 1..whole.len() {
            assert_eq!(places(&whole[..cut]), [Some((0, a)), None], "{cut}");
        }
        assert_eq!(places(&first), [Some((0, a))]);
    }
}
