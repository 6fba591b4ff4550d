//! Writing documents as a table.

use std::io::{self, Write};

use serde::Serialize;

use crate::document::{Body, Document};
use crate::format::Format;
use crate::parquet;

/// Writes texts in a tabular format. In TSV and CSV, whose rows are lines, a headline is put before
/// its text, and line breaks and tabs become blanks; JSON Lines and Parquet keep everything.
///
/// # Errors
///
/// When writing fails, when a document is a page and not a text, or when the format is no table.
pub fn write_documents(
    out: &mut dyn Write,
    format: Format,
    documents: &[Document],
) -> io::Result<()> {
    if let Some(page) = documents.iter().find(|d| matches!(d.body, Body::Html(_))) {
        let message = format!("{}: a page; tables hold texts only", page.id);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    match format {
        Format::Tsv => write_rows(out, documents),
        Format::Csv => write_csv(out, documents),
        Format::Jsonl => write_lines(out, documents),
        Format::Parquet => parquet::write(out, documents).map_err(io::Error::other),
        Format::Folder | Format::Tar => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "folders and archives are not written"))
        }
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
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["label", "text"])?;
    for document in documents {
        let label = document.label.as_deref().unwrap_or_default();
        writer.write_record([label, &one_line(&text_of(document))])?;
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
        let Body::Text(text) = &document.body else { continue };
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
