//! Writes a table, some rows at a time.

use std::io::{self, Write};

use polars::prelude::{
    BatchedWriter, Column, DataFrame, ParquetCompression, ParquetWriter, PolarsError,
};

/// The values of a column in some rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers that are not negative.
    Wholes(Vec<Option<u64>>),
    /// Truth values.
    Flags(Vec<Option<bool>>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Texts(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Wholes(values) => values.len(),
            Self::Flags(values) => values.len(),
        }
    }

    fn column(self, name: &str) -> Column {
        match self {
            Self::Texts(values) => Column::new(name.into(), values),
            Self::Numbers(values) => Column::new(name.into(), values),
            Self::Wholes(values) => Column::new(name.into(), values),
            Self::Flags(values) => Column::new(name.into(), values),
        }
    }
}

/// A table that is being written. Each call of [`write`](Self::write) gives one row group, so the
/// memory holds no more rows than that.
pub struct TableWriter<W: Write> {
    writer: BatchedWriter<W>,
}

impl<W: Write> TableWriter<W> {
    /// Starts a table. The values of `columns` tell the types; they may be empty.
    pub fn new(out: W, columns: Vec<(&str, Values)>) -> io::Result<Self> {
        let schema = frame(columns).map_err(cause)?.schema().as_ref().clone();
        let writer = ParquetWriter::new(out).with_compression(ParquetCompression::Snappy);
        Ok(Self { writer: writer.batched(&schema).map_err(cause)? })
    }

    /// Writes rows. The columns must be those that the table was started with.
    pub fn write(&mut self, columns: Vec<(&str, Values)>) -> io::Result<()> {
        let frame = frame(columns).map_err(cause)?;
        self.writer.write_batch(&frame).map_err(cause)
    }

    /// Writes the end of the table.
    pub fn finish(self) -> io::Result<()> {
        self.writer.finish().map(drop).map_err(cause)
    }
}

fn frame(columns: Vec<(&str, Values)>) -> Result<DataFrame, PolarsError> {
    let rows = columns.first().map_or(0, |(_, values)| values.len());
    let columns = columns.into_iter().map(|(name, values)| values.column(name));
    DataFrame::new(rows, columns.collect())
}

/// Returns the error of the output, if that is the cause.
fn cause(error: PolarsError) -> io::Error {
    match error {
        PolarsError::IO { error, .. } => io::Error::new(error.kind(), error.to_string()),
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;

    fn rows(texts: &[Option<&str>], numbers: &[Option<f64>]) -> Vec<(&'static str, Values)> {
        let texts = texts.iter().map(|text| text.map(str::to_owned)).collect();
        vec![("text", Values::Texts(texts)), ("number", Values::Numbers(numbers.to_vec()))]
    }

    #[test]
    fn what_is_written_in_batches_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        let mut file = std::fs::File::create(&path).unwrap();
        let mut table = TableWriter::new(&mut file, rows(&[], &[])).unwrap();
        table.write(rows(&[Some("暴雨"), None], &[None, Some(0.5)])).unwrap();
        table.write(rows(&[Some("rain")], &[None])).unwrap();
        table.finish().unwrap();
        let table = Table::open(&path).unwrap();
        assert_eq!(table.columns(), ["text", "number"]);
        let batches: Vec<_> =
            table.batches(&["text", "number"]).unwrap().map(Result::unwrap).collect();
        let texts: Vec<_> = batches.iter().flat_map(|it| it.texts("text").unwrap()).collect();
        assert_eq!(texts, [Some("暴雨".to_owned()), None, Some("rain".to_owned())]);
    }

    #[test]
    fn an_empty_table_has_its_columns() {
        let mut bytes = Vec::new();
        TableWriter::new(&mut bytes, rows(&[], &[])).unwrap().finish().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(Table::open(&path).unwrap().columns(), ["text", "number"]);
    }
}
