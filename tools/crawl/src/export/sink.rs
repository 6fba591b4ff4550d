//! Writers of pages, one for each format that is a single file.

use std::borrow::Cow;
use std::io::Write;

use anyhow::{Result, anyhow};
use ontrail_archive::warcinfo;
use ontrail_cells::guarded;
use ontrail_crawl::LogRow;
use ontrail_table::{TableWriter, Values};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::columns::{COLUMNS, Value};
use super::format::Format;
use super::page::{Archives, StoredPage};

/// Greatest number of rows in a row group of a Parquet table.
const GROUP_ROWS: usize = 10_000;
/// Number of bytes of text after which a row group ends, so that long pages do not fill the memory.
const GROUP_BYTES: usize = 64 << 20;

/// A writer of pages.
pub(super) enum Sink<'a> {
    Lines(&'a mut dyn Write),
    Table { table: Box<csv::Writer<&'a mut dyn Write>>, is_begun: bool },
    Parquet(Box<Groups<'a>>),
    Texts(&'a mut dyn Write),
    Records { out: &'a mut dyn Write, archives: &'a Archives<'a>, is_begun: bool },
}

impl<'a> Sink<'a> {
    pub(super) fn new(
        format: Format,
        out: &'a mut dyn Write,
        archives: &'a Archives<'a>,
    ) -> Result<Self> {
        Ok(match format {
            Format::Csv => {
                let table = Box::new(csv::Writer::from_writer(out));
                Self::Table { table, is_begun: false }
            }
            Format::Parquet => Self::Parquet(Box::new(Groups::new(out)?)),
            Format::Txt => Self::Texts(out),
            Format::Warc => Self::Records { out, archives, is_begun: false },
            // Markdown is a folder and has a writer of its own.
            Format::Jsonl | Format::Md => Self::Lines(out),
        })
    }

    pub(super) fn page(&mut self, row: &LogRow, page: Option<&StoredPage>) -> Result<()> {
        let values = || COLUMNS.iter().map(move |column| column.value(row, page));
        match self {
            Self::Lines(out) => {
                serde_json::to_writer(&mut **out, &Line(values().collect()))?;
                writeln!(out)?;
            }
            Self::Table { table, is_begun } => {
                if !std::mem::replace(is_begun, true) {
                    table.write_record(COLUMNS.map(|column| column.name)).map_err(unwrapped)?;
                }
                table.write_record(values().map(cell)).map_err(unwrapped)?;
            }
            Self::Parquet(groups) => groups.add(values().collect())?,
            Self::Texts(out) => {
                let title = page.and_then(|page| page.title.as_deref()).unwrap_or_default();
                let text = page.map_or("", |page| &page.text);
                writeln!(out, "{}\n{title}\n\n{text}\n", row.final_url)?;
            }
            Self::Records { out, archives, is_begun } => {
                if !std::mem::replace(is_begun, true) {
                    let about = [("software", "ontrail crawl export"), ("format", "WARC 1.1")];
                    out.write_all(&warcinfo("export", row.time.unwrap_or(0), &about))?;
                }
                out.write_all(&archives.record(row)?)?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Table { mut table, .. } => Ok(table.flush()?),
            Self::Parquet(groups) => groups.finish(),
            Self::Lines(out) | Self::Texts(out) | Self::Records { out, .. } => Ok(out.flush()?),
        }
    }
}

/// A page as a JSON object.
struct Line(Vec<Value>);

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(COLUMNS.len()))?;
        for (column, value) in COLUMNS.iter().zip(&self.0) {
            map.serialize_entry(column.name, value)?;
        }
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Missing => serializer.serialize_none(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Whole(number) => serializer.serialize_u64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
        }
    }
}

/// Returns a value as a cell of a CSV table, in which no text is a formula.
fn cell(value: Value) -> String {
    match value {
        Value::Missing => String::new(),
        Value::Text(text) => match guarded(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(guarded) => guarded,
        },
        Value::Number(number) => number.to_string(),
        Value::Whole(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
    }
}

/// Unwraps I/O errors from CSV errors, so that a reader that closes its end early is recognised.
fn unwrapped(error: csv::Error) -> anyhow::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => anyhow!("cannot write the table: {other:?}"),
    }
}

/// Rows of a Parquet table that are not written yet.
pub(super) struct Groups<'a> {
    table: TableWriter<&'a mut dyn Write>,
    rows: Vec<Vec<Value>>,
    bytes: usize,
}

impl<'a> Groups<'a> {
    fn new(out: &'a mut dyn Write) -> Result<Self> {
        let table = TableWriter::new(out, group(Vec::new()))?;
        Ok(Self { table, rows: Vec::new(), bytes: 0 })
    }

    fn add(&mut self, row: Vec<Value>) -> Result<()> {
        self.bytes +=
            row.iter().map(|it| if let Value::Text(it) = it { it.len() } else { 8 }).sum::<usize>();
        self.rows.push(row);
        if self.rows.len() >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.bytes = 0;
        Ok(self.table.write(group(std::mem::take(&mut self.rows)))?)
    }

    fn finish(mut self) -> Result<()> {
        if !self.rows.is_empty() {
            self.flush()?;
        }
        Ok(self.table.finish()?)
    }
}

/// Turns rows into columns.
fn group(mut rows: Vec<Vec<Value>>) -> Vec<(&'static str, Values)> {
    let columns = COLUMNS.iter().enumerate();
    columns
        .map(|(place, column)| {
            let take = |row: &mut Vec<Value>| std::mem::replace(&mut row[place], Value::Missing);
            (column.name, column.kind.values(rows.iter_mut().map(take)))
        })
        .collect()
}
