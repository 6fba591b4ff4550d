//! A Parquet file, and the batches of its rows.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::prelude::{DataFrame, ParallelStrategy, ParquetReader, PolarsError, SerReader};
use polars_io::parquet::read::FileMetadata;

use crate::batch::Batch;
use crate::check::{self, Chunk, Fault};
use crate::contain::contain;
use crate::error::TableError;

/// Greatest number of rows in a batch.
const MOST_ROWS: usize = 131_072;

/// A table in a Parquet file.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: File,
    metadata: Arc<FileMetadata>,
    columns: Vec<String>,
}

impl Table {
    /// Opens a file and reads its footer.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let mut file = File::open(path).map_err(TableError::io(path))?;
        check::footer(&mut file).map_err(|fault| of_fault(path, fault))?;
        let (metadata, columns) = guarded(path, || {
            let mut reader = ParquetReader::new(&mut file);
            let columns = reader.schema()?.iter_names().map(ToString::to_string).collect();
            Ok((reader.get_metadata()?.clone(), columns))
        })?;
        Ok(Self { path: path.to_owned(), file, metadata, columns })
    }

    /// Returns the names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the number of rows that the footer states.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.metadata.row_groups.iter().fold(0, |sum, group| sum.saturating_add(group.num_rows()))
    }

    /// Returns the rows in order, in batches, with the given columns.
    pub fn batches(self, columns: &[&str]) -> Result<Batches, TableError> {
        let missing = columns.iter().find(|name| !self.columns.iter().any(|own| own == *name));
        if let Some(name) = missing {
            return Err(TableError::column(&self.path, name, "the table has no such column"));
        }
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        Ok(Batches { table: self, columns, group: 0, start: 0 })
    }

    /// Checks the pages of the given columns in a row group.
    fn check(&mut self, group: usize, columns: &[String]) -> Result<(), TableError> {
        let metadata = self.metadata.clone();
        let group = &metadata.row_groups[group];
        for name in columns {
            let chunks = guarded(&self.path, || {
                let Some(chunks) = group.columns_under_root_iter(name) else {
                    return Ok(Vec::new());
                };
                let chunk = |values, range: std::ops::Range<u64>| Chunk {
                    start: range.start,
                    end: range.end,
                    values,
                    rows: group.num_rows(),
                };
                let is_nested = |level| level > 0;
                Ok(chunks
                    .map(|it| {
                        let is_nested = is_nested(it.descriptor().descriptor.max_rep_level);
                        (!is_nested).then(|| chunk(it.num_values(), it.byte_range()))
                    })
                    .collect::<Vec<_>>())
            })?;
            let [chunk] = chunks.as_slice() else {
                return Err(TableError::column(&self.path, name, "it holds records"));
            };
            let Some(chunk) = chunk else {
                return Err(TableError::column(&self.path, name, "it holds lists"));
            };
            check::pages(&mut self.file, *chunk).map_err(|fault| of_fault(&self.path, fault))?;
        }
        Ok(())
    }

    /// Reads some rows of a row group, counted from the start of the group.
    fn read(
        &mut self,
        group: usize,
        start: usize,
        count: usize,
        columns: &[String],
    ) -> Result<DataFrame, TableError> {
        // With the footer of a file that has only this row group, the reader skips the others.
        let mut metadata = FileMetadata::clone(&self.metadata);
        metadata.row_groups = vec![metadata.row_groups.swap_remove(group)];
        metadata.num_rows = metadata.row_groups[0].num_rows();
        let frame = guarded(&self.path, || {
            let mut reader = ParquetReader::new(&mut self.file)
                .with_slice(Some((start, count)))
                .with_columns(Some(columns.to_vec()))
                // On other threads a panic could not be silenced.
                .read_parallel(ParallelStrategy::None);
            reader.set_metadata(Arc::new(metadata));
            reader.finish()
        })?;
        if frame.height() != count || frame.columns().iter().any(|it| it.len() != count) {
            return Err(TableError::damaged(&self.path, "its columns differ in length"));
        }
        Ok(frame)
    }
}

/// The batches of a table.
#[derive(Debug)]
pub struct Batches {
    table: Table,
    columns: Vec<String>,
    /// The row group of the next batch.
    group: usize,
    /// The first row of the next batch in its row group.
    start: usize,
}

impl Iterator for Batches {
    type Item = Result<Batch, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = loop {
            let rows = self.table.metadata.row_groups.get(self.group)?.num_rows();
            if self.start < rows {
                break rows;
            }
            (self.group, self.start) = (self.group + 1, 0);
        };
        let (group, start) = (self.group, self.start);
        let count = (rows - start).min(MOST_ROWS);
        let checked = if start == 0 { self.table.check(group, &self.columns) } else { Ok(()) };
        let frame = checked.and_then(|()| self.table.read(group, start, count, &self.columns));
        self.start += count;
        if frame.is_err() {
            // Nothing follows an error.
            self.group = usize::MAX;
        }
        Some(frame.map(|frame| Batch::new(frame, &self.table.path)))
    }
}

/// Runs a function of polars. Panics become errors.
pub(crate) fn guarded<T>(
    path: &Path,
    function: impl FnOnce() -> Result<T, PolarsError>,
) -> Result<T, TableError> {
    match contain(function) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(TableError::damaged(path, error)),
        Err(panic) => Err(TableError::damaged(path, panic)),
    }
}

fn of_fault(path: &Path, fault: Fault) -> TableError {
    match fault {
        Fault::Io(error) => TableError::io(path)(error),
        Fault::Damage(reason) => TableError::damaged(path, reason),
    }
}
