//! Reads and writes Apache Parquet tables.

use std::path::Path;

use ontrail_table::{Batch, Table, TableError};
use polars::prelude::{Column, DataFrame, ParquetWriter, PolarsError};

use crate::document::{Body, Document};
use crate::error::CorpusError;
use crate::info::Columns;
use crate::source::Documents;
use crate::table::no_column;

pub(crate) fn documents(path: &Path, columns: &Columns) -> Result<Documents, CorpusError> {
    let table = Table::open(path).map_err(of_table)?;
    let has = |name: &str| table.columns().iter().any(|own| own == name);
    let missing = |wanted: &str| CorpusError::file(path, no_column(wanted, table.columns()));
    if let Some(wanted) = columns.required().find(|name| !has(name)) {
        return Err(missing(wanted));
    }
    if !has(&columns.text) {
        return Err(missing(&columns.text));
    }
    let mut wanted = vec![columns.text.as_str()];
    let others = [&columns.label, &columns.title, &columns.part];
    wanted.extend(others.into_iter().map(String::as_str).filter(|name| has(name)));
    let batches = table.batches(&wanted).map_err(of_table)?;
    let (name, columns, mut first) = (path.display().to_string(), columns.clone(), 1);
    Ok(Box::new(batches.flat_map(move |batch| {
        let texts = batch.and_then(|batch| Texts::of(&batch, &columns));
        match texts {
            Ok(texts) => {
                let documents = texts.documents(&name, first);
                first += documents.len() as u64;
                documents
            }
            Err(error) => vec![Err(of_table(error))],
        }
    })))
}

fn of_table(error: TableError) -> CorpusError {
    match error {
        TableError::Io { path, source } => CorpusError::Io { path, source },
        TableError::Column { path, column, .. } => {
            CorpusError::File { path, reason: format!("column `{column}` is not text") }
        }
        other => CorpusError::Table(other),
    }
}

/// The columns of some rows.
struct Texts {
    text: Vec<Option<String>>,
    label: Vec<Option<String>>,
    title: Vec<Option<String>>,
    part: Vec<Option<String>>,
}

impl Texts {
    fn of(batch: &Batch, columns: &Columns) -> Result<Self, TableError> {
        let find = |name: &str| {
            if batch.has(name) { batch.texts(name) } else { Ok(vec![None; batch.rows()]) }
        };
        Ok(Self {
            text: find(&columns.text)?,
            label: find(&columns.label)?,
            title: find(&columns.title)?,
            part: find(&columns.part)?,
        })
    }

    /// Returns the documents of the rows. The first row has the number `first`.
    fn documents(self, name: &str, first: u64) -> Vec<Result<Document, CorpusError>> {
        let cell = |text: Option<String>| {
            text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let others = self.label.into_iter().zip(self.title).zip(self.part);
        let rows = (first..).zip(self.text.into_iter().zip(others));
        rows.map(|(line, (text, ((label, title), part)))| {
            let text = cell(text)
                .ok_or_else(|| CorpusError::row(name, Some(line), "the text is empty"))?;
            Ok(Document {
                id: format!("{name}:{line}"),
                label: cell(label),
                title: cell(title),
                body: Body::Text(text),
                part: cell(part),
            })
        })
        .collect()
    }
}

/// Writes texts as a table with the columns label, title, text and part.
pub(crate) fn write(
    out: &mut dyn std::io::Write,
    documents: &[Document],
) -> Result<(), PolarsError> {
    let text = |document: &Document| match &document.body {
        Body::Text(text) => Some(text.clone()),
        Body::Html(_) => None,
    };
    let column = |name: &str, of: &dyn Fn(&Document) -> Option<String>| {
        Column::new(name.into(), documents.iter().map(of).collect::<Vec<_>>())
    };
    let mut frame = DataFrame::new(
        documents.len(),
        vec![
            column("label", &|document| document.label.clone()),
            column("title", &|document| document.title.clone()),
            column("text", &text),
            column("part", &|document| document.part.clone()),
        ],
    )?;
    ParquetWriter::new(out).finish(&mut frame)?;
    Ok(())
}
