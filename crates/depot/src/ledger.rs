//! The list of uploads that stays beside the files (`uploads.json`).
//!
//! It remembers where a folder is uploaded to, so that an interrupted crawl goes on without being
//! told again, and the checksums of uploaded files, so that they need not be read again. It is not
//! the truth: what is in the store is. If it is lost, files are compared with the records there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ontrail_artifact::write_atomically;
use serde::{Deserialize, Serialize};

use crate::transfer::Look;
use crate::{Address, DepotError, Record};

/// The name of the file.
pub const LEDGER: &str = "uploads.json";
/// The version of the format.
const FORMAT: u32 = 1;

/// How far the upload of a folder is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadStatus {
    /// Number of files that are uploaded.
    pub uploaded: u64,
    /// Number of files that are complete and wait to be uploaded.
    pub waiting: u64,
    /// The error that the upload meets at the moment, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The content of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Content {
    format: u32,
    /// The address that the folder is uploaded to.
    to: String,
    /// The mark of this folder in the store.
    owner: String,
    #[serde(flatten)]
    status: UploadStatus,
    files: BTreeMap<String, Entry>,
}

/// A file that was uploaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    /// The time of its last change then, in nanoseconds since 1970.
    changed: Option<u64>,
    #[serde(flatten)]
    record: Record,
}

/// The list of uploads of a folder.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    content: Content,
    /// True if the file does not have everything yet.
    is_dirty: bool,
}

impl Ledger {
    /// Opens the list of a folder for an address, or begins one. The list of another address, or
    /// one that cannot be read, is replaced.
    #[must_use]
    pub fn open(folder: &Path, to: &Address) -> Self {
        let path = folder.join(LEDGER);
        let known = read(&path).filter(|content| content.to == to.to_string());
        let content = known.unwrap_or_else(|| Content {
            format: FORMAT,
            to: to.to_string(),
            owner: new_mark(),
            status: UploadStatus::default(),
            files: BTreeMap::new(),
        });
        Self { path, content, is_dirty: true }
    }

    /// Returns the address that a folder is uploaded to, and how far that is; none if it is not
    /// uploaded.
    #[must_use]
    pub fn of_folder(folder: &Path) -> Option<(String, UploadStatus)> {
        read(&folder.join(LEDGER)).map(|content| (content.to, content.status))
    }

    pub(crate) fn owner(&self) -> &str {
        &self.content.owner
    }

    pub(crate) fn set_owner(&mut self, mark: String) {
        self.content.owner = mark;
        self.is_dirty = true;
    }

    /// Returns the record of a file, if the file still looks as it did when it was uploaded.
    pub(crate) fn record(&self, name: &str, look: Look) -> Option<&Record> {
        let entry = self.content.files.get(name)?;
        let is_same = entry.record.bytes == look.0 && entry.changed == nanoseconds(look);
        is_same.then_some(&entry.record)
    }

    pub(crate) fn add(&mut self, name: &str, look: Look, record: Record) {
        let entry = Entry { changed: nanoseconds(look), record };
        self.content.files.insert(name.to_owned(), entry);
        self.is_dirty = true;
    }

    /// Writes the list, if it has changed.
    pub fn write(&mut self, status: &UploadStatus) -> Result<(), DepotError> {
        if !self.is_dirty && self.content.status == *status {
            return Ok(());
        }
        self.is_dirty = true;
        self.content.status.clone_from(status);
        write_atomically(&self.path, |out| {
            serde_json::to_writer_pretty(&mut *out, &self.content)?;
            writeln!(out)
        })?;
        self.is_dirty = false;
        Ok(())
    }
}

fn read(path: &Path) -> Option<Content> {
    let content: Content = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (content.format == FORMAT).then_some(content)
}

fn nanoseconds((_, changed): Look) -> Option<u64> {
    let since = changed?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// Returns a mark that no other folder has.
fn new_mark() -> String {
    use std::hash::{BuildHasher, RandomState};
    // The standard library takes the keys of this hasher from the randomness of the system.
    format!("{:016x}{:016x}", RandomState::new().hash_one(1), RandomState::new().hash_one(2))
}
