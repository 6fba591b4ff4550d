//! The commit record: says beside the archives what they hold, so that no state can contradict it.
//!
//! The state knows how long each file was at its last commit, but a state can be older than the
//! files: it was restored from a backup, or damage made it fall back to an earlier commit.
//! Truncating the files to the lengths in such a state would delete pages. So each commit writes
//! its number and all lengths to the file `commits`, after the files were synced and before the
//! state commits. If the record is ahead of the state, the crawl is not resumed.
//!
//! The file has two slots, which are written in turn, so a torn write damages one of them only. A
//! slot is a line of JSON and its checksum.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{OutputError, Positions};

/// The name of the file.
const NAME: &str = "commits";
/// The version of the format.
const FORMAT: u32 = 1;
/// The size of a slot in bytes. With the greatest numbers, a commit takes 420 of them.
const SLOT: usize = 512;

/// A commit, as the record holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Commit {
    format: u32,
    /// The number of the commit, from 1.
    #[serde(rename = "commit")]
    pub(crate) number: u64,
    /// Rows of the log.
    pub(crate) rows: u64,
    /// Pages stored.
    pub(crate) pages: u64,
    pub(crate) positions: Positions,
}

impl Commit {
    pub(crate) fn new(number: u64, rows: u64, pages: u64, positions: Positions) -> Self {
        Self { format: FORMAT, number, rows, pages, positions }
    }

    fn encode(&self) -> Vec<u8> {
        let text = serde_json::to_string(self).expect("numbers always serialise");
        let line = format!("{text} {:016x}", xxh3_64(text.as_bytes()));
        format!("{line:<width$}\n", width = SLOT - 1).into_bytes()
    }

    /// Reads a slot. Only bytes that were written like this are accepted, so that no changed bit
    /// goes unnoticed.
    fn decode(slot: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(slot).ok()?.trim_end();
        let (json, _) = text.rsplit_once(' ')?;
        let commit: Self = serde_json::from_str(json).ok()?;
        (commit.encode() == slot).then_some(commit)
    }
}

/// The content of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// There is no record: an older version of Ontrail made the folder, or the file was removed.
    Missing,
    /// Neither slot is readable.
    Damaged,
    /// The newest commit; `is_sound` is false if the other slot is damaged.
    Newest { commit: Commit, is_sound: bool },
}

impl Recorded {
    fn parse(bytes: &[u8]) -> Self {
        let slots: Vec<&[u8]> = bytes.chunks(SLOT).collect();
        let is_empty = |slot: &&[u8]| slot.iter().all(|byte| *byte == 0);
        let commits: Vec<Commit> = slots.iter().filter_map(|slot| Commit::decode(slot)).collect();
        let damaged = slots.iter().filter(|slot| !is_empty(slot)).count() - commits.len();
        let is_sound = damaged == 0 && slots.len() <= 2;
        let newest = commits.into_iter().max_by_key(|commit| commit.number);
        newest.map_or(Self::Damaged, |commit| Self::Newest { commit, is_sound })
    }
}

/// The file with the commit record.
#[derive(Debug)]
pub(crate) struct CommitRecord {
    path: PathBuf,
    file: Option<File>,
}

impl CommitRecord {
    /// Returns the record of a crawl folder. The first commit creates the file.
    pub(crate) fn of(folder: &Path) -> Self {
        Self { path: folder.join(NAME), file: None }
    }

    /// Reads the record.
    pub(crate) fn read(&self) -> Result<Recorded, OutputError> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Recorded::Missing);
            }
            Err(error) => return Err(OutputError::at(&self.path)(error)),
        };
        Ok(Recorded::parse(&bytes))
    }

    /// Writes a commit over the last but one, and syncs it to disk.
    pub(crate) fn write(&mut self, commit: &Commit) -> Result<(), OutputError> {
        let write = |file: &mut Option<File>| {
            let file = match file {
                Some(file) => file,
                None if self.path.exists() => {
                    file.insert(OpenOptions::new().write(true).open(&self.path)?)
                }
                None => file.insert(ontrail_artifact::create_file(&self.path)?),
            };
            file.seek(SeekFrom::Start(commit.number % 2 * SLOT as u64))?;
            file.write_all(&commit.encode())?;
            file.sync_data()
        };
        write(&mut self.file).map_err(OutputError::at(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(number: u64) -> Commit {
        Commit::new(number, 10 * number, 7 * number, Positions::default())
    }

    fn newest(recorded: Recorded) -> (u64, bool) {
        match recorded {
            Recorded::Newest { commit, is_sound } => (commit.number, is_sound),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_newest_commit_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(CommitRecord::of(folder.path()).read().unwrap(), Recorded::Missing);
        for number in 1..6 {
            // Each commit by another process.
            CommitRecord::of(folder.path()).write(&commit(number)).unwrap();
            let read = CommitRecord::of(folder.path()).read().unwrap();
            assert_eq!(newest(read), (number, true));
        }
        assert_eq!(std::fs::metadata(folder.path().join(NAME)).unwrap().len(), 2 * SLOT as u64);
    }

    /// Of two slots, a damaged bit makes one unreadable, and the other still counts.
    #[test]
    fn every_damaged_bit_is_noticed() {
        let mut bytes = [commit(8).encode(), commit(9).encode()].concat();
        for at in 0..bytes.len() * 8 {
            bytes[at / 8] ^= 1 << (at % 8);
            let left = if at / 8 < SLOT { 9 } else { 8 };
            assert_eq!(newest(Recorded::parse(&bytes)), (left, false), "bit {at}");
            bytes[at / 8] ^= 1 << (at % 8);
        }
        assert_eq!(newest(Recorded::parse(&bytes)), (9, true));
        assert_eq!(Recorded::parse(&bytes[..100]), Recorded::Damaged);
    }
}
