//! Writes documents as a table.

use std::borrow::Cow;
use std::io::{self, Write};

use ontrail_cells::guarded;
use serde::Serialize;

use crate::document::{Body, Document};
use crate::format::Format;
use crate::parquet;

/// Writes texts in a tabular format. A TSV file has one label and one text per line, so a headline
/// is put before its text, and line breaks and tabs become spaces; the other formats keep
/// everything. In CSV, an apostrophe keeps spreadsheets from taking a text for a formula.
///
/// # Errors
///
/// Fails if writing fails, if a document is a page or has no text (or, in TSV, no label), or if the
/// format is not a table.
pub fn write_documents(
    out: &mut dyn Write,
    format: Format,
    documents: &[Document],
) -> io::Result<()> {
    for document in documents {
        check(document, format).map_err(|reason| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("{}: {reason}", document.id))
        })?;
    }
    match format {
        Format::Tsv => write_rows(out, documents),
        Format::Csv => write_csv(out, documents),
        Format::Jsonl => write_lines(out, documents),
        Format::Parquet => parquet::write(out, documents).map_err(io::Error::other),
        Format::Folder | Format::Tar => {
            let reason = "cannot write a folder or tar archive; write a table";
            Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
        }
    }
}

/// Checks that a document can be written in a way that allows it to be read again.
fn check(document: &Document, format: Format) -> Result<(), &'static str> {
    match &document.body {
        Body::Html(_) => Err("the document is a page, but tables hold only texts"),
        Body::Text(text) if text.trim().is_empty() => Err("the text is empty"),
        Body::Text(_) if format == Format::Tsv && document.label.is_none() => {
            Err("no label, but a .tsv file needs one; write .csv, .jsonl or .parquet")
        }
        Body::Text(_) => Ok(()),
    }
}

fn write_rows(out: &mut dyn Write, documents: &[Document]) -> io::Result<()> {
    for document in documents {
        let label = document.label.as_deref().unwrap_or_default();
        writeln!(out, "{}\t{}", one_line(label), one_line(&text_of(document)))?;
    }
    Ok(())
}

fn write_csv(out: &mut dyn Write, documents: &[Document]) -> io::Result<()> {
    type Field = (&'static str, fn(&Document) -> Option<&str>);
    let fields: [Field; 4] = [
        ("label", |document| document.label.as_deref()),
        ("title", |document| document.title.as_deref()),
        ("part", |document| document.part.as_deref()),
        ("text", Document::text),
    ];
    // Leave out columns that are empty for all documents.
    let fields: Vec<&Field> =
        fields.iter().filter(|(_, of)| documents.iter().any(|d| of(d).is_some())).collect();
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(fields.iter().map(|(name, _)| name))?;
    for document in documents {
        let cells = fields.iter().map(|(_, of)| guarded(of(document).unwrap_or_default()));
        writer.write_record(cells.map(Cow::into_owned))?;
    }
    writer.flush()
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a str>,
}

fn write_lines(mut out: &mut dyn Write, documents: &[Document]) -> io::Result<()> {
    for document in documents {
        let Some(text) = document.text() else { continue };
        let line = Line {
            label: document.label.as_deref(),
            title: document.title.as_deref(),
            text,
            part: document.part.as_deref(),
        };
        serde_json::to_writer(&mut out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn text_of(document: &Document) -> String {
    document.full_text().unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split(['\t', '\n', '\r']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
