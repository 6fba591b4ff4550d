//! A file that only grows, and whose length is part of what is committed.
//!
//! After a crash it is cut back to the length that the last commit knew, so it holds exactly what was counted.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::OutputError;

/// A file that only grows. It is made when something is added.
#[derive(Debug)]
pub(crate) struct Tail {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    length: u64,
}

impl Tail {
    /// Opens a file and cuts it back to a length; to none is to remove it.
    pub(crate) fn open(path: PathBuf, length: u64) -> Result<Self, OutputError> {
        let mut tail = Self { path, file: None, length };
        if length > 0 {
            tail.file = Some(tail.cut_back().map_err(OutputError::at(&tail.path))?);
        } else if tail.path.exists() {
            std::fs::remove_file(&tail.path).map_err(OutputError::at(&tail.path))?;
        }
        Ok(tail)
    }

    fn cut_back(&self) -> io::Result<BufWriter<File>> {
        let mut file = OpenOptions::new().write(true).open(&self.path)?;
        let found = file.metadata()?.len();
        if found < self.length {
            let reason = format!("has {found} bytes where {} were stored", self.length);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
        }
        file.set_len(self.length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(buffered(file))
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
        let file = if let Some(file) = &mut self.file {
            file
        } else {
            let file = File::create(&self.path).map_err(OutputError::at(&self.path))?;
            self.file.insert(buffered(file))
        };
        file.write_all(bytes).map_err(OutputError::at(&self.path))?;
        self.length += bytes.len() as u64;
        Ok(offset)
    }

    /// Makes what was added durable.
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
