//! Web archives (WARC 1.1, one gzip member per record), each with a sorted index (CDXJ).

use std::path::{Path, PathBuf};

use ontrail_archive::{Packed, index_line, warcinfo};
use serde::{Deserialize, Serialize};
use url::Url;

use super::log::Stored;
use super::tail::Tail;
use super::{OutputError, remove_from, tidy};

/// The position of the archives: the number of the archive being written, its bytes and the bytes
/// of its index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PagesPosition {
    file: u32,
    length: u64,
    index: u64,
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
        largest: u64,
        software: &str,
    ) -> Result<Self, OutputError> {
        tidy(folder)?;
        let PagesPosition { file, length, index } = position;
        remove_from(folder, ".warc.gz", file + 1)?;
        reopen_index(folder, file)?;
        remove_from(folder, ".cdxj", file)?;
        remove_from(folder, ".cdxj.part", file + 1)?;
        Ok(Self {
            folder: folder.to_owned(),
            number: file,
            archive: Tail::open(folder.join(archive_name(file)), length)?,
            index: Tail::open(folder.join(index_part_name(file)), index)?,
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
        self.write_index()?;
        self.number += 1;
        self.archive = Tail::open(self.folder.join(archive_name(self.number)), 0)?;
        self.index = Tail::open(self.folder.join(index_part_name(self.number)), 0)?;
        Ok(())
    }

    /// Syncs the records to disk. Returns the position to commit.
    pub(crate) fn sync(&mut self) -> Result<PagesPosition, OutputError> {
        self.archive.sync()?;
        self.index.sync()?;
        let (length, index) = (self.archive.length(), self.index.length());
        Ok(PagesPosition { file: self.number, length, index })
    }

    /// Syncs the records to disk, and writes the index of the last archive. Returns the position to
    /// commit.
    pub(crate) fn finish(&mut self) -> Result<PagesPosition, OutputError> {
        let position = self.sync()?;
        if self.archive.length() > 0 {
            self.write_index()?;
        }
        Ok(position)
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

/// Renames the index of a finished archive so that lines can be appended to it. The lines stay
/// sorted, which does no harm.
fn reopen_index(folder: &Path, number: u32) -> Result<(), OutputError> {
    let (part, whole) = (folder.join(index_part_name(number)), folder.join(index_name(number)));
    if whole.exists() && !part.exists() {
        std::fs::rename(&whole, &part).map_err(OutputError::at(&part))?;
    }
    Ok(())
}

fn index_name(number: u32) -> String {
    format!("pages-{number:05}.cdxj")
}

fn archive_name(number: u32) -> String {
    format!("pages-{number:05}.warc.gz")
}

fn index_part_name(number: u32) -> String {
    format!("pages-{number:05}.cdxj.part")
}
