//! Reads the tables of a crawl on demand, so that a crawl of any length fits into the memory.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use ontrail_table::{Batches, Table};

use super::journal::{Row, journal_path, part_path, read_journal};
use super::log::Cells;
use super::{OutputError, numbered};

/// A function that converts a table to rows.
type FromCells<R> = fn(&Cells<'_>) -> Result<Vec<R>, OutputError>;

/// The rows of a table, in order: those of the sealed parts, and those of the journal if the crawl
/// is still running or was interrupted.
pub(super) struct Rows<'a, R> {
    folder: PathBuf,
    parts: VecDeque<u32>,
    /// Journals that were not sealed when the rows were opened.
    journals: VecDeque<u32>,
    /// The part that is being read.
    part: Option<(PathBuf, Batches)>,
    ready: std::vec::IntoIter<R>,
    of: FromCells<R>,
    is_wanted: IsWanted<'a>,
}

/// A function that returns true if a part has rows that are asked for.
type IsWanted<'a> = Box<dyn FnMut(&Path) -> Result<bool, OutputError> + 'a>;

impl<'a, R: Row> Rows<'a, R> {
    pub(super) fn open(
        folder: &Path,
        of: FromCells<R>,
        is_wanted: impl FnMut(&Path) -> Result<bool, OutputError> + 'a,
    ) -> Result<Self, OutputError> {
        // Journals are listed first, so that a part that is sealed meanwhile is found in one list
        // or both.
        let journals = numbered(folder, ".jsonl")?;
        let parts = numbered(folder, ".parquet")?;
        let sealed = parts.last().map(|(number, _)| *number);
        let open = journals.iter().map(|(number, _)| *number);
        Ok(Self {
            folder: folder.to_owned(),
            parts: parts.iter().map(|(number, _)| *number).collect(),
            journals: open.filter(|number| sealed.is_none_or(|it| *number > it)).collect(),
            part: None,
            ready: Vec::new().into_iter(),
            of,
            is_wanted: Box::new(is_wanted),
        })
    }

    /// Reads the next rows. Returns false if there are none.
    fn advance(&mut self) -> Result<bool, OutputError> {
        if let Some((path, batches)) = &mut self.part {
            match batches.next() {
                Some(batch) => {
                    self.ready = (self.of)(&Cells { batch: &batch?, path })?.into_iter();
                }
                None => self.part = None,
            }
            return Ok(true);
        }
        if let Some(number) = self.parts.pop_front() {
            let path = part_path(&self.folder, number);
            if (self.is_wanted)(&path)? {
                let table = table(&path)?;
                let columns: Vec<String> = table.columns().to_vec();
                let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
                self.part = Some((path, table.batches(&columns)?));
            }
            return Ok(true);
        }
        if let Some(number) = self.journals.pop_front() {
            let path = journal_path(&self.folder, number);
            // A running crawl may have sealed it since.
            if part_path(&self.folder, number).exists() {
                self.parts.push_front(number);
            } else if path.exists() {
                self.ready = read_journal::<R>(&path)?.into_iter();
            }
            return Ok(true);
        }
        Ok(false)
    }
}

impl<R: Row> Iterator for Rows<'_, R> {
    type Item = Result<R, OutputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.ready.next() {
                return Some(Ok(row));
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    // Nothing follows an error.
                    self.parts.clear();
                    self.journals.clear();
                    self.part = None;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// Writes rows in sealed parts.
pub(super) fn write_parts<R: Row>(
    folder: &Path,
    rows: impl IntoIterator<Item = R>,
) -> Result<(), OutputError> {
    std::fs::create_dir_all(folder).map_err(OutputError::at(folder))?;
    let most = usize::try_from(R::ROWS).unwrap_or(usize::MAX);
    let mut rows = rows.into_iter();
    for part in 0.. {
        let next: Vec<R> = rows.by_ref().take(most).collect();
        if next.is_empty() {
            break;
        }
        R::write_part(&next, &part_path(folder, part))?;
    }
    Ok(())
}

/// Opens a part.
pub(super) fn table(path: &Path) -> Result<Table, OutputError> {
    Ok(Table::open(path)?)
}

#[cfg(test)]
mod tests {
    use super::super::{LinkRow, LogRow, link_rows, links_to, log_rows};
    use super::*;

    fn rows(numbers: std::ops::Range<u64>) -> Vec<LogRow> {
        let url = |number| format!("http://a.example/{number}");
        numbers.map(|number| LogRow { number, url: url(number), ..LogRow::default() }).collect()
    }

    fn write_journal(path: &Path, rows: &[LogRow]) {
        let lines = rows.iter().map(|row| serde_json::to_string(row).unwrap() + "\n");
        std::fs::write(path, lines.collect::<String>()).unwrap();
    }

    #[test]
    fn rows_are_read_part_by_part_and_then_from_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        for part in 0..3 {
            let from = u64::from(part) * 10;
            LogRow::write_part(&rows(from..from + 10), &part_path(folder.path(), part)).unwrap();
        }
        write_journal(&journal_path(folder.path(), 3), &rows(30..35));
        let read: Result<Vec<LogRow>, _> = log_rows(folder.path()).unwrap().collect();
        assert_eq!(read.unwrap(), rows(0..35));
        // The crawl seals the journal while someone reads.
        let mut reading = log_rows(folder.path()).unwrap();
        assert_eq!(reading.next().unwrap().unwrap().number, 0);
        LogRow::write_part(&rows(30..37), &part_path(folder.path(), 3)).unwrap();
        std::fs::remove_file(journal_path(folder.path(), 3)).unwrap();
        assert_eq!(reading.map(|row| row.unwrap().number).last(), Some(36));
    }

    #[test]
    fn nothing_follows_a_damaged_part() {
        let folder = tempfile::tempdir().unwrap();
        for part in 0..3 {
            LogRow::write_part(&rows(0..10), &part_path(folder.path(), part)).unwrap();
        }
        let path = part_path(folder.path(), 1);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let read: Vec<_> = log_rows(folder.path()).unwrap().collect();
        assert_eq!(read.len(), 11);
        let error = read[10].as_ref().unwrap_err().to_string();
        assert!(error.contains("00001.parquet: not a readable Parquet file"), "{error}");
    }

    #[test]
    fn the_links_to_a_url_are_found_in_all_parts() {
        let folder = tempfile::tempdir().unwrap();
        let link = |page: u64, to: u64| LinkRow {
            page,
            url: format!("http://a.example/{to}"),
            anchor: format!("from {page}"),
            priority: None,
            verdict: ontrail_pilot::Verdict::KNOWN,
        };
        let parts = [vec![link(1, 7), link(1, 8)], vec![link(2, 8)], vec![link(3, 8), link(3, 7)]];
        for (part, rows) in (0..).zip(&parts) {
            LinkRow::write_part(rows, &part_path(folder.path(), part)).unwrap();
        }
        let found = |url: &str| -> Vec<u64> {
            links_to(folder.path(), url).unwrap().map(|link| link.unwrap().page).collect()
        };
        assert_eq!(found("http://a.example/7"), [1, 3]);
        assert_eq!(found("http://a.example/9"), Vec::<u64>::new());
        assert_eq!(link_rows(folder.path()).unwrap().count(), 5);
    }
}
