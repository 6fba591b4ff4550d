//! Journals: rows that are appended as JSON lines and sealed into Parquet files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::surplus::Surplus;
use super::tail::Tail;
use super::{OutputError, discard_from, remove_sealed, tidy};

/// A row of a table.
pub(crate) trait Row: Serialize + for<'de> Deserialize<'de> {
    /// Number of rows at which a part is sealed.
    const ROWS: u64;

    /// Writes a part as a Parquet file.
    fn write_part(rows: &[Self], path: &Path) -> Result<(), OutputError>
    where
        Self: Sized;
}

/// The position of a journal: the number of the part being written, its bytes and its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(super) part: u32,
    pub(super) length: u64,
    pub(super) rows: u64,
}

/// A journal and its sealed parts.
#[derive(Debug)]
pub(crate) struct Journal<R> {
    folder: PathBuf,
    tail: Tail,
    part: u32,
    rows: u64,
    /// Journals of sealed parts, to be removed after the next commit.
    sealed: Vec<PathBuf>,
    row: PhantomData<R>,
}

impl<R: Row> Journal<R> {
    /// Opens a journal at the position of the last commit, and discards everything written later.
    pub(crate) fn open(
        folder: &Path,
        position: Position,
        surplus: &Surplus,
    ) -> Result<Self, OutputError> {
        tidy(folder)?;
        discard_from(folder, ".parquet", position.part, surplus)?;
        discard_from(folder, ".jsonl", position.part + 1, surplus)?;
        remove_sealed(folder, ".jsonl", ".parquet", position.part)?;
        let tail = Tail::open(journal_path(folder, position.part), position.length, surplus)?;
        let Position { part, rows, .. } = position;
        let folder = folder.to_owned();
        Ok(Self { folder, tail, part, rows, sealed: Vec::new(), row: PhantomData })
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: &R) -> Result<(), OutputError> {
        let mut line =
            serde_json::to_vec(row).map_err(|error| OutputError::table(self.tail.path(), error))?;
        line.push(b'\n');
        self.tail.append(&line)?;
        self.rows += 1;
        Ok(())
    }

    /// Syncs the rows to disk, and seals the part if it is full. Returns the position to commit.
    pub(crate) fn sync(&mut self) -> Result<Position, OutputError> {
        self.tail.sync()?;
        if self.rows >= R::ROWS {
            self.seal()?;
        }
        Ok(self.position())
    }

    fn position(&self) -> Position {
        Position { part: self.part, length: self.tail.length(), rows: self.rows }
    }

    /// Seals the part unless it is empty. Returns the position to commit.
    pub(crate) fn finish(&mut self) -> Result<Position, OutputError> {
        self.tail.sync()?;
        if self.rows > 0 {
            self.seal()?;
        }
        Ok(self.position())
    }

    fn seal(&mut self) -> Result<(), OutputError> {
        let rows: Vec<R> = read_journal(self.tail.path())?;
        R::write_part(&rows, &part_path(&self.folder, self.part))?;
        self.sealed.push(self.tail.path().to_owned());
        self.part += 1;
        self.rows = 0;
        self.tail = Tail::new(journal_path(&self.folder, self.part));
        Ok(())
    }

    /// Removes the journals of sealed parts. To be called after a commit.
    pub(crate) fn committed(&mut self) -> Result<(), OutputError> {
        for path in self.sealed.drain(..) {
            std::fs::remove_file(&path).map_err(OutputError::at(&path))?;
        }
        Ok(())
    }
}

/// Returns the journal that is being written at a position, and its length.
pub(crate) fn committed_file(folder: &Path, position: Position) -> (PathBuf, u64) {
    (journal_path(folder, position.part), position.length)
}

/// Returns the path of a part while it is written.
pub(super) fn journal_path(folder: &Path, part: u32) -> PathBuf {
    folder.join(format!("{part:05}.jsonl"))
}

/// Returns the path of a sealed part.
pub(super) fn part_path(folder: &Path, part: u32) -> PathBuf {
    folder.join(format!("{part:05}.parquet"))
}

/// Reads the rows of a journal. An incomplete last line is skipped: it is still being written.
pub(crate) fn read_journal<R: Row>(path: &Path) -> Result<Vec<R>, OutputError> {
    let file = File::open(path).map_err(OutputError::at(path))?;
    let mut reader = BufReader::new(file);
    let (mut rows, mut line) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(OutputError::at(path))?;
        if line.last() != Some(&b'\n') {
            return Ok(rows);
        }
        let row = serde_json::from_slice(&line);
        let number = rows.len() + 1;
        rows.push(row.map_err(|error| {
            OutputError::table(path, format_args!("line {number} is not a valid row: {error}"))
        })?);
    }
}
