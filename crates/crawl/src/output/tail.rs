//! A file that only grows, and whose length is part of each commit.
//!
//! After a crash it is truncated to the length in the last commit, so it holds exactly what was
//! counted.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::OutputError;
use super::surplus::Surplus;

/// A file that only grows. It is created by the first append.
#[derive(Debug)]
pub(crate) struct Tail {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    length: u64,
}

impl Tail {
    /// Opens a file of which `length` bytes were committed, and discards the surplus.
    pub(crate) fn open(path: PathBuf, length: u64, surplus: &Surplus) -> Result<Self, OutputError> {
        let mut tail = Self { path, file: None, length };
        if length > 0 {
            surplus.cut(&tail.path, length)?;
            tail.file = Some(tail.append_to().map_err(OutputError::at(&tail.path))?);
        } else if tail.path.exists() {
            surplus.discard(&tail.path)?;
        }
        Ok(tail)
    }

    /// Returns a file that does not exist yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None, length: 0 }
    }

    fn append_to(&self) -> io::Result<BufWriter<File>> {
        let mut file = OpenOptions::new().write(true).open(&self.path)?;
        file.seek(SeekFrom::Start(self.length))?;
        Ok(buffered(file))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends to the file, and returns the offset of the new bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<u64, OutputError> {
        let offset = self.length;
        let file = if let Some(file) = &mut self.file {
            file
        } else {
            let file = ontrail_artifact::create_file(&self.path);
            let file = file.map_err(OutputError::at(&self.path))?;
            self.file.insert(buffered(file))
        };
        file.write_all(bytes).map_err(OutputError::at(&self.path))?;
        self.length += bytes.len() as u64;
        Ok(offset)
    }

    /// Syncs the file to disk.
    pub(crate) fn sync(&mut self) -> Result<(), OutputError> {
        let sync = |file: &mut BufWriter<File>| {
            file.flush()?;
            file.get_ref().sync_data()
        };
        self.file.as_mut().map_or(Ok(()), sync).map_err(OutputError::at(&self.path))
    }
}

fn buffered(file: File) -> BufWriter<File> {
    BufWriter::with_capacity(1 << 17, file)
}
