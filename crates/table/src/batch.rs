//! Some rows of a table.

use std::path::{Path, PathBuf};

use polars::prelude::{Column, DataFrame, DataType};

use crate::error::TableError;
use crate::table::guarded;

/// Some rows of a table, with the columns that were asked for.
///
/// The values of a column are converted to the type that is asked for; a value that cannot be
/// converted is missing, like an empty one.
#[derive(Debug)]
pub struct Batch {
    frame: DataFrame,
    path: PathBuf,
}

impl Batch {
    pub(crate) fn new(frame: DataFrame, path: &Path) -> Self {
        Self { frame, path: path.to_owned() }
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.frame.height()
    }

    /// Returns true if the batch has a column of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.frame.column(name).is_ok()
    }

    /// Returns the rows, from 0, that have this text in a column.
    pub fn find(&self, name: &str, text: &str) -> Result<Vec<usize>, TableError> {
        let column = self.column(name, &DataType::String, "text")?;
        guarded(&self.path, || {
            let texts = column.str()?.iter().enumerate();
            Ok(texts.filter(|(_, own)| *own == Some(text)).map(|(row, _)| row).collect())
        })
    }

    /// Returns the texts of a column.
    pub fn texts(&self, name: &str) -> Result<Vec<Option<String>>, TableError> {
        let column = self.column(name, &DataType::String, "text")?;
        guarded(&self.path, || {
            Ok(column.str()?.iter().map(|text| text.map(str::to_owned)).collect())
        })
    }

    /// Returns the whole numbers of a column that are not negative.
    pub fn numbers(&self, name: &str) -> Result<Vec<Option<u64>>, TableError> {
        let column = self.column(name, &DataType::UInt64, "whole numbers")?;
        guarded(&self.path, || Ok(column.u64()?.iter().collect()))
    }

    /// Returns the numbers of a column.
    pub fn decimals(&self, name: &str) -> Result<Vec<Option<f64>>, TableError> {
        let column = self.column(name, &DataType::Float64, "numbers")?;
        guarded(&self.path, || Ok(column.f64()?.iter().collect()))
    }

    /// Returns the Booleans of a column.
    pub fn booleans(&self, name: &str) -> Result<Vec<Option<bool>>, TableError> {
        let column = self.column(name, &DataType::Boolean, "true or false")?;
        guarded(&self.path, || Ok(column.bool()?.iter().collect()))
    }

    fn column(&self, name: &str, kind: &DataType, wanted: &str) -> Result<Column, TableError> {
        let missing = || TableError::column(&self.path, name, "it was not read");
        let column = self.frame.column(name).map_err(|_| missing())?;
        let cast = guarded(&self.path, || Ok(column.cast(kind)))?;
        cast.map_err(|_| {
            let found = column.dtype();
            TableError::column(&self.path, name, format!("expected {wanted}, found {found}"))
        })
    }
}
