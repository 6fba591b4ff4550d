//! Reads TSV and CSV tables.
//!
//! This uses the csv crate rather than polars, because errors must name the line of a bad row, and
//! because rows must be read one by one from a file that may be larger than memory.

use std::io::Read;

use csv::{ByteRecord, ReaderBuilder, Terminator};
use ontrail_cells::unguarded;

use crate::document::{Body, Document};
use crate::error::CorpusError;
use crate::format::Format;
use crate::info::Columns;
use crate::source::Documents;

pub(crate) fn documents(
    format: Format,
    reader: Box<dyn Read + Send>,
    name: &str,
    columns: &Columns,
) -> Documents {
    let mut builder = ReaderBuilder::new();
    // Lines end at a line feed: only then does the csv crate count lines correctly. A carriage
    // return before it is removed when fields are trimmed.
    builder.has_headers(false).flexible(true).terminator(Terminator::Any(b'\n'));
    // With a newline at the end, every record has one, as `line_of` assumes.
    let reader: Box<dyn Read + Send> = Box::new(reader.chain(&b"\n"[..]));
    if format == Format::Tsv {
        builder.delimiter(b'\t').quoting(false);
    }
    Box::new(Rows {
        reader: builder.from_reader(reader),
        record: ByteRecord::new(),
        is_guarded: format == Format::Csv,
        name: name.to_owned(),
        columns: columns.clone(),
        layout: (columns.header == Some(false)).then(Layout::label_and_text),
        may_lack_header: columns.header.is_none() && format == Format::Tsv,
        failed: false,
    })
}

struct Rows {
    reader: csv::Reader<Box<dyn Read + Send>>,
    record: ByteRecord,
    /// True if an apostrophe may keep a text from being taken for a formula.
    is_guarded: bool,
    name: String,
    columns: Columns,
    /// The positions of the columns; `None` until the header is read.
    layout: Option<Layout>,
    /// True if the first line decides whether there is a header.
    may_lack_header: bool,
    failed: bool,
}

struct Layout {
    width: usize,
    text: usize,
    label: Option<usize>,
    title: Option<usize>,
    part: Option<usize>,
    /// True if a row without a label is bad.
    needs_label: bool,
    /// Advice for a row with another number of fields.
    hint: &'static str,
}

impl Layout {
    fn label_and_text() -> Self {
        let hint = "; a table with other columns than label and text needs a dataset.toml";
        Self { width: 2, text: 1, label: Some(0), title: None, part: None, needs_label: true, hint }
    }

    fn of_header(header: &ByteRecord, columns: &Columns) -> Result<Self, String> {
        let names = names_of(header);
        let find = |wanted: &str| position(&names, wanted);
        if let Some(missing) = columns.required().find(|name| find(name).is_none()) {
            return Err(no_column(missing, &names));
        }
        let text = find(&columns.text).ok_or_else(|| no_column(&columns.text, &names))?;
        Ok(Self {
            width: names.len(),
            text,
            label: find(&columns.label),
            title: find(&columns.title),
            part: find(&columns.part),
            needs_label: false,
            hint: "",
        })
    }
}

impl Iterator for Rows {
    type Item = Result<Document, CorpusError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        loop {
            let before = self.reader.position().line();
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(CorpusError::file(self.name.as_ref(), error)));
                }
            }
            let line = line_of(&self.record, before, self.reader.position().line());
            let is_first = self.layout.is_none() && self.may_lack_header;
            if is_first && !is_header(&self.record, &self.columns) {
                self.layout = Some(Layout::label_and_text());
            }
            let Some(layout) = &self.layout else {
                match Layout::of_header(&self.record, &self.columns) {
                    Ok(layout) => self.layout = Some(layout),
                    Err(reason) => {
                        self.failed = true;
                        return Some(Err(CorpusError::file(self.name.as_ref(), reason)));
                    }
                }
                continue;
            };
            // Skip blank lines, which may hold a carriage return.
            if self.record.len() == 1 && self.record[0].trim_ascii().is_empty() {
                continue;
            }
            let id = format!("{}:{line}", self.name);
            let document = document(&self.record, layout, self.is_guarded, id);
            return Some(
                document.map_err(|reason| CorpusError::row(&self.name, Some(line), reason)),
            );
        }
    }
}

/// Returns true if the first line of a table names its columns for labels and texts.
fn is_header(record: &ByteRecord, columns: &Columns) -> bool {
    let names = names_of(record);
    [&columns.label, &columns.text].iter().all(|wanted| position(&names, wanted).is_some())
}

/// Returns the fields of a header, without the byte order mark that some programs write.
fn names_of(header: &ByteRecord) -> Vec<String> {
    let name = |field: &[u8]| {
        String::from_utf8_lossy(field).trim_start_matches('\u{feff}').trim().to_owned()
    };
    header.iter().map(name).collect()
}

/// Returns the place of a column: by its exact name, or else by its name in any case.
fn position(names: &[String], wanted: &str) -> Option<usize> {
    let exact = names.iter().position(|name| name == wanted);
    exact.or_else(|| names.iter().position(|name| name.eq_ignore_ascii_case(wanted)))
}

/// Returns the line on which a record starts. The csv crate reports the line after the previous
/// record, but it skips blank lines in between; `before` and `after` are its line numbers before
/// and after reading the record.
fn line_of(record: &ByteRecord, before: u64, after: u64) -> u64 {
    let inside = record.iter().map(|field| field.split(|&byte| byte == b'\n').count() as u64 - 1);
    let blank = (after - before).saturating_sub(inside.sum::<u64>() + 1);
    before + blank
}

fn document(
    record: &ByteRecord,
    layout: &Layout,
    is_guarded: bool,
    id: String,
) -> Result<Document, String> {
    if record.len() != layout.width {
        return Err(format!(
            "expected {} fields, found {}{}",
            layout.width,
            record.len(),
            layout.hint
        ));
    }
    let field = |index: usize| {
        let text = std::str::from_utf8(&record[index]).map_err(|error| {
            format!(
                "field {} is not valid UTF-8 after {} bytes; if the file has another charset, name \
                 it in a dataset.toml: [data.columns] charset = \"gbk\"",
                index + 1,
                error.valid_up_to()
            )
        })?;
        let text = if is_guarded { unguarded(text.trim()) } else { text };
        Ok::<_, String>(text.trim().to_owned())
    };
    let optional = |index: Option<usize>| {
        index.map(field).transpose().map(|text| text.filter(|text| !text.is_empty()))
    };
    let label = optional(layout.label)?;
    if layout.needs_label && label.is_none() {
        return Err("the label is empty".to_owned());
    }
    let text = field(layout.text)?;
    if text.is_empty() {
        return Err("the text is empty".to_owned());
    }
    let (title, part) = (optional(layout.title)?, optional(layout.part)?);
    Ok(Document { id, label, title, body: Body::Text(text), part })
}

/// Returns the error message for a table without the column `wanted`.
pub(crate) fn no_column(wanted: &str, names: &[String]) -> String {
    let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    format!("no column `{wanted}`; the columns are {names}. Name the right ones in a dataset.toml")
}
