//! A file that only grows, and whose length is part of what is committed.
//!
//! After a crash it is cut back to the length that the last commit knew, so it holds exactly what was counted.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::OutputError;

/// A file that only grows.
#[derive(Debug)]
pub(crate) struct Tail {
    path: PathBuf,
    file: BufWriter<File>,
    length: u64,
}

impl Tail {
    /// Opens a file and cuts it back to a length, or makes it.
    pub(crate) fn open(path: PathBuf, length: u64) -> Result<Self, OutputError> {
        let open = || -> io::Result<BufWriter<File>> {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
            let found = file.metadata()?.len();
            if found < length {
                let reason = format!("has {found} bytes where {length} were stored");
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
            }
            file.set_len(length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(BufWriter::with_capacity(1 << 17, file))
        };
        let file = open().map_err(OutputError::at(&path))?;
        Ok(Self { path, file, length })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Adds to the file, and returns where.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<u64, OutputError> {
        let offset = self.length;
        self.file.write_all(bytes).map_err(OutputError::at(&self.path))?;
        self.length += bytes.len() as u64;
        Ok(offset)
    }

    /// Makes what was added durable.
    pub(crate) fn sync(&mut self) -> Result<(), OutputError> {
        let sync = |file: &mut BufWriter<File>| {
            file.flush()?;
            file.get_ref().sync_data()
        };
        sync(&mut self.file).map_err(OutputError::at(&self.path))
    }
}
