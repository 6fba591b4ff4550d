//! TSV and CSV tables.
//!
//! They are read with the csv crate rather than with polars, because a bad row must be named by
//! its line, and rows must come one by one from a file that may be larger than memory.

use std::io::Read;

use csv::{ByteRecord, ReaderBuilder, Terminator};

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
    // Lines end at the line feed alone: the csv crate counts lines right only then, and a return
    // character before it goes when fields are trimmed.
    builder.has_headers(false).flexible(true).terminator(Terminator::Any(b'\n'));
    // With a newline at the end every record has one, which `line_of` counts on.
    let reader: Box<dyn Read + Send> = Box::new(reader.chain(&b"\n"[..]));
    if format == Format::Tsv {
        builder.delimiter(b'\t').quoting(false);
    }
    let has_header = columns.header.unwrap_or(format == Format::Csv);
    Box::new(Rows {
        reader: builder.from_reader(reader),
        record: ByteRecord::new(),
        name: name.to_owned(),
        columns: columns.clone(),
        layout: (!has_header).then(Layout::label_and_text),
        failed: false,
    })
}

struct Rows {
    reader: csv::Reader<Box<dyn Read + Send>>,
    record: ByteRecord,
    name: String,
    columns: Columns,
    /// Which column holds what; unknown until the header is read.
    layout: Option<Layout>,
    failed: bool,
}

struct Layout {
    width: usize,
    text: usize,
    label: Option<usize>,
    title: Option<usize>,
    part: Option<usize>,
    /// Whether a row without a label is bad.
    needs_label: bool,
    /// What to do about a row of another width.
    hint: &'static str,
}

impl Layout {
    fn label_and_text() -> Self {
        let hint = "; a table of other columns than label and text needs a dataset.toml";
        Self { width: 2, text: 1, label: Some(0), title: None, part: None, needs_label: true, hint }
    }

    fn of_header(header: &ByteRecord, columns: &Columns) -> Result<Self, String> {
        let names: Vec<_> =
            header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
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
            // A blank line, perhaps with the return character of another system.
            if self.record.len() == 1 && self.record[0].trim_ascii().is_empty() {
                continue;
            }
            let id = format!("{}:{line}", self.name);
            let document = document(&self.record, layout, id);
            return Some(
                document.map_err(|reason| CorpusError::row(&self.name, Some(line), reason)),
            );
        }
    }
}

/// The line that a record starts on. The csv crate gives the line after the record before, but there
/// may be blank lines between, which it skips; `before` and `after` are its counts of lines.
fn line_of(record: &ByteRecord, before: u64, after: u64) -> u64 {
    let inside = record.iter().map(|field| field.split(|&byte| byte == b'\n').count() as u64 - 1);
    let blank = (after - before).saturating_sub(inside.sum::<u64>() + 1);
    before + blank
}

fn document(record: &ByteRecord, layout: &Layout, id: String) -> Result<Document, String> {
    if record.len() != layout.width {
        return Err(format!(
            "{} fields, where {} are expected{}",
            record.len(),
            layout.width,
            layout.hint
        ));
    }
    let field = |index: usize| {
        let text = std::str::from_utf8(&record[index]).map_err(|error| {
            format!(
                "field {} is not UTF-8 after {} bytes; name the file's charset in a dataset.toml: \
                 [data.columns] charset = \"gbk\"",
                index + 1,
                error.valid_up_to()
            )
        })?;
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

/// What to say of a table that lacks a column.
pub(crate) fn no_column(wanted: &str, names: &[String]) -> String {
    let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    format!("no column `{wanted}`; it has {names}. Name the columns in a dataset.toml")
}
