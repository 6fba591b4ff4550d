//! Reads and writes Apache Parquet tables with polars.

use std::fs::File;
use std::path::Path;

use polars::prelude::{
    Column, DataFrame, DataType, ParquetReader, ParquetWriter, PolarsError, SerReader,
};

use crate::document::{Body, Document};
use crate::error::CorpusError;
use crate::info::Columns;
use crate::source::Documents;
use crate::table::no_column;

pub(crate) fn documents(path: &Path, columns: &Columns) -> Result<Documents, CorpusError> {
    let file = File::open(path).map_err(CorpusError::io(path))?;
    let broken = |error: PolarsError| {
        CorpusError::file(path, format!("not a readable Parquet file: {error}"))
    };
    let frame = ParquetReader::new(file).finish().map_err(broken)?;
    let texts = Texts::of(&frame, columns, path)?;
    let name = path.display().to_string();
    Ok(Box::new((0..frame.height()).map(move |row| texts.document(&name, row))))
}

/// The columns of a dataset, converted to strings.
struct Texts {
    text: Column,
    label: Option<Column>,
    title: Option<Column>,
    part: Option<Column>,
}

impl Texts {
    fn of(frame: &DataFrame, columns: &Columns, path: &Path) -> Result<Self, CorpusError> {
        let find = |name: &str| -> Result<Option<Column>, CorpusError> {
            let Ok(column) = frame.column(name) else { return Ok(None) };
            let cast = column.cast(&DataType::String);
            let cast =
                cast.map_err(|_| CorpusError::file(path, format!("column `{name}` is not text")))?;
            Ok(Some(cast))
        };
        let missing = |wanted: &str| {
            let names: Vec<_> = frame.get_column_names().iter().map(ToString::to_string).collect();
            CorpusError::file(path, no_column(wanted, &names))
        };
        if let Some(wanted) = columns.required().find(|name| frame.column(name).is_err()) {
            return Err(missing(wanted));
        }
        Ok(Self {
            text: find(&columns.text)?.ok_or_else(|| missing(&columns.text))?,
            label: find(&columns.label)?,
            title: find(&columns.title)?,
            part: find(&columns.part)?,
        })
    }

    fn document(&self, name: &str, row: usize) -> Result<Document, CorpusError> {
        let line = row as u64 + 1;
        let cell = |column: &Column| {
            let texts = column.str().ok()?;
            texts.get(row).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let text = cell(&self.text)
            .ok_or_else(|| CorpusError::row(name, Some(line), "the text is empty"))?;
        Ok(Document {
            id: format!("{name}:{line}"),
            label: self.label.as_ref().and_then(cell),
            title: self.title.as_ref().and_then(cell),
            body: Body::Text(text),
            part: self.part.as_ref().and_then(cell),
        })
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
