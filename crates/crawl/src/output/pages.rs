//! Web archives (WARC 1.1, one gzip member per record), each with a sorted index (CDXJ).
//!
//! The archive that is being written has a name that says so (`.warc.gz.open`). It is renamed when
//! it is full and when the crawl ends.

use std::path::{Path, PathBuf};

use ontrail_archive::{Packed, index_line, warcinfo};
use serde::{Deserialize, Serialize};
use url::Url;

use super::log::Stored;
use super::surplus::Surplus;
use super::tail::Tail;
use super::{OPEN, OutputError, discard_from, remove_sealed, tidy};

/// The position of the archives: the number of the archive being written, its bytes and the bytes
/// of its index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PagesPosition {
    pub(super) file: u32,
    pub(super) length: u64,
    pub(super) index: u64,
}

/// The fields of an index line.
#[derive(Debug, Serialize)]
pub(crate) struct IndexEntry<'a> {
    pub(crate) url: &'a str,
    pub(crate) mime: &'a str,
    pub(crate) status: String,
    pub(crate) digest: &'a str,
    pub(crate) length: String,
    pub(crate) offset: String,
    pub(crate) filename: &'a str,
}

/// The archives of a crawl.
#[derive(Debug)]
pub(crate) struct Pages {
    folder: PathBuf,
    number: u32,
    archive: Tail,
    index: Tail,
    largest: u64,
    software: String,
    sealed: Vec<PathBuf>,
}

impl Pages {
    /// Opens the archives at the position of the last commit, and discards everything written
    /// later. A new archive is started when the current one has `largest` bytes.
    pub(crate) fn open(
        folder: &Path,
        position: PagesPosition,
        surplus: &Surplus,
        largest: u64,
        software: &str,
    ) -> Result<Self, OutputError> {
        tidy(folder)?;
        let PagesPosition { file, length, index } = position;
        // An archive was sealed when the crawl ended, and is written again now.
        rename_if_there(&folder.join(archive_name(file)), &folder.join(open_name(file)))?;
        let part = folder.join(index_part_name(file));
        if !part.exists() {
            // The lines stay sorted, which does no harm.
            rename_if_there(&folder.join(index_name(file)), &part)?;
        }
        discard_from(folder, ".warc.gz", file + 1, surplus)?;
        discard_from(folder, ".warc.gz.open", file + 1, surplus)?;
        discard_from(folder, ".cdxj", file, surplus)?;
        discard_from(folder, ".cdxj.part", file + 1, surplus)?;
        remove_sealed(folder, ".cdxj.part", ".cdxj", file)?;
        Ok(Self {
            folder: folder.to_owned(),
            number: file,
            archive: Tail::open(folder.join(open_name(file)), length, surplus)?,
            index: Tail::open(part, index, surplus)?,
            largest,
            software: software.to_owned(),
            sealed: Vec::new(),
        })
    }

    /// Appends the records of a fetch, and a line to the index.
    pub(crate) fn add(
        &mut self,
        packed: &Packed,
        url: &Url,
        time: u64,
        status: u16,
        mime: &str,
    ) -> Result<Stored, OutputError> {
        if self.archive.length() >= self.largest {
            self.rotate()?;
        }
        let file = archive_name(self.number);
        if self.archive.length() == 0 {
            let about = [
                ("software", self.software.as_str()),
                ("format", "WARC File Format 1.1"),
                (
                    "conformsTo",
                    "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
                ),
            ];
            self.archive.append(&warcinfo(&file, time, &about))?;
        }
        let offset = self.archive.append(&packed.bytes)?;
        let entry = IndexEntry {
            url: url.as_str(),
            mime,
            status: status.to_string(),
            digest: &packed.digest,
            length: packed.response_length.to_string(),
            offset: offset.to_string(),
            filename: &file,
        };
        let fields = serde_json::to_string(&entry)
            .map_err(|error| OutputError::table(self.index.path(), error))?;
        self.index.append(format!("{}\n", index_line(url, time, &fields)).as_bytes())?;
        Ok(Stored { file, offset, length: packed.response_length })
    }

    /// Starts the next archive.
    fn rotate(&mut self) -> Result<(), OutputError> {
        self.archive.sync()?;
        self.seal()?;
        self.number += 1;
        self.archive = Tail::new(self.folder.join(open_name(self.number)));
        self.index = Tail::new(self.folder.join(index_part_name(self.number)));
        Ok(())
    }

    /// Syncs the records to disk. Returns the position to commit.
    pub(crate) fn sync(&mut self) -> Result<PagesPosition, OutputError> {
        self.archive.sync()?;
        self.index.sync()?;
        let (length, index) = (self.archive.length(), self.index.length());
        Ok(PagesPosition { file: self.number, length, index })
    }

    /// Syncs the records to disk, and seals the last archive. Returns the position to commit.
    pub(crate) fn finish(&mut self) -> Result<PagesPosition, OutputError> {
        let position = self.sync()?;
        if self.archive.length() > 0 {
            self.seal()?;
        }
        Ok(position)
    }

    /// Writes the index of the current archive, and gives the archive its final name.
    fn seal(&mut self) -> Result<(), OutputError> {
        self.write_index()?;
        let path = self.folder.join(archive_name(self.number));
        ontrail_artifact::rename(self.archive.path(), &path).map_err(OutputError::at(&path))
    }

    /// Writes the sorted index of the current archive.
    fn write_index(&mut self) -> Result<(), OutputError> {
        self.index.sync()?;
        self.sealed.push(self.index.path().to_owned());
        let part = self.index.path();
        let text = std::fs::read_to_string(part).map_err(OutputError::at(part))?;
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        let path = self.folder.join(index_name(self.number));
        let write = |out: &mut dyn std::io::Write| {
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))
        };
        ontrail_artifact::write_atomically(&path, write)
            .map_err(|error| OutputError::table(&path, error))
    }

    /// Removes the unsorted indexes of finished archives. To be called after a commit.
    pub(crate) fn committed(&mut self) -> Result<(), OutputError> {
        for path in self.sealed.drain(..) {
            std::fs::remove_file(&path).map_err(OutputError::at(&path))?;
        }
        Ok(())
    }
}

/// Returns the path of an archive of a crawl, given by the name that log and index have for it.
/// While the archive is being written, its file has another name.
#[must_use]
pub fn archive_path(crawl: &Path, name: &str) -> PathBuf {
    let path = crawl.join("pages").join(name);
    let open = crawl.join("pages").join(format!("{name}{OPEN}"));
    if !path.exists() && open.exists() { open } else { path }
}

/// Returns the archive and the index that are being written at a position, and their lengths.
pub(crate) fn committed_files(
    folder: &Path,
    position: PagesPosition,
) -> Result<Vec<(PathBuf, u64)>, OutputError> {
    let PagesPosition { file, length, index } = position;
    let (sealed, open) = (folder.join(archive_name(file)), folder.join(open_name(file)));
    if sealed.exists() && open.exists() {
        return Err(OutputError::TwoArchives(sealed));
    }
    let archive = if sealed.exists() { sealed } else { open };
    let (part, whole) = (folder.join(index_part_name(file)), folder.join(index_name(file)));
    // A sorted index cannot be cut to an earlier length, so it must be exactly this long.
    let is_whole = std::fs::metadata(&whole).is_ok_and(|file| file.len() == index);
    Ok(vec![(archive, length), (if is_whole && !part.exists() { whole } else { part }, index)])
}

/// Renames a file, if it exists.
fn rename_if_there(from: &Path, to: &Path) -> Result<(), OutputError> {
    if from.exists() {
        ontrail_artifact::rename(from, to).map_err(OutputError::at(to))?;
    }
    Ok(())
}

pub(super) fn index_name(number: u32) -> String {
    format!("pages-{number:05}.cdxj")
}

/// Returns the number in the name of an archive.
pub(super) fn archive_number(name: &str) -> Option<u32> {
    let number = name.strip_prefix("pages-")?.strip_suffix(".warc.gz")?.parse().ok()?;
    (archive_name(number) == name).then_some(number)
}

pub(super) fn archive_name(number: u32) -> String {
    format!("pages-{number:05}.warc.gz")
}

fn open_name(number: u32) -> String {
    format!("{}{OPEN}", archive_name(number))
}

pub(super) fn index_part_name(number: u32) -> String {
    format!("pages-{number:05}.cdxj.part")
}
