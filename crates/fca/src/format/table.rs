//! CSV tables: contexts, and many-valued tables that are scaled to contexts.
//!
//! In a context the first line names the attributes and the first column the objects; a cell is a
//! cross (`X`, `1`, `yes`, `true`) or blank (empty, `.`, `0`, `no`, `false`). A many-valued table
//! has values instead, and the scale of each column defines which attributes an object gets from
//! its value (Ganter and Wille, 1999, section 1.3).

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::Path;

use ontrail_cells::{guarded, unguarded};

use super::{FormatError, ParseError, Place};
use crate::context::{Context, ContextBuilder, Names};

/// The way in which the values of a column become attributes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Scale {
    /// An attribute `column=value` for each value that occurs.
    Nominal,
    /// An attribute `column≥value` for each value that occurs, or for the values given.
    Ordinal(Vec<f64>),
    /// Attributes `column≤value` and `column≥value` for each value that occurs, or for the values
    /// given.
    Interordinal(Vec<f64>),
    /// The column is itself an attribute, with crosses and blanks in its cells.
    Binary,
}

/// The text is not a valid scale.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a scale; use nominal, binary, ordinal or interordinal, the last two optionally \
     with values, as in ordinal:18,65"
)]
#[non_exhaustive]
pub struct ScaleError(String);

impl std::str::FromStr for Scale {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Self, ScaleError> {
        let error = || ScaleError(text.to_owned());
        let (kind, values) = text.split_once(':').unwrap_or((text, ""));
        let values = values.split(',').map(str::trim).filter(|value| !value.is_empty());
        let values: Option<Vec<f64>> = values.map(number).collect();
        let values = values.ok_or_else(error)?;
        match kind {
            "nominal" if values.is_empty() => Ok(Self::Nominal),
            "binary" if values.is_empty() => Ok(Self::Binary),
            "ordinal" => Ok(Self::Ordinal(values)),
            "interordinal" => Ok(Self::Interordinal(values)),
            _ => Err(error()),
        }
    }
}

/// Parses a finite number.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A table in memory.
struct Table {
    columns: Vec<String>,
    objects: Vec<String>,
    cells: Vec<Vec<String>>,
    /// The line of each object in the file.
    lines: Vec<u64>,
}

impl Table {
    fn read(mut input: impl BufRead) -> Result<Self, ParseError> {
        let delimiter = delimiter(input.fill_buf()?);
        let mut reader =
            csv::ReaderBuilder::new().has_headers(true).delimiter(delimiter).from_reader(input);
        let mut columns = names(reader.headers().map_err(broken)?);
        if columns.is_empty() {
            return Err(ParseError::at_line(1, "the first line must name the attributes"));
        }
        columns.remove(0);
        let (mut objects, mut cells, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for record in reader.records() {
            let record = record.map_err(broken)?;
            let mut row = names(&record);
            objects.push(row.remove(0));
            cells.push(row.iter().map(|cell| cell.trim().to_owned()).collect());
            lines.push(record.position().map_or(0, csv::Position::line));
        }
        Ok(Self { columns, objects, cells, lines })
    }
}

fn names(record: &csv::StringRecord) -> Vec<String> {
    record.iter().map(|cell| unguarded(cell).to_owned()).collect()
}

/// Guesses the delimiter: the first of comma, semicolon and tab that occurs in the first line.
fn delimiter(start: &[u8]) -> u8 {
    let first_line = start.split(|&byte| byte == b'\n').next().unwrap_or(start);
    let has = |byte: &u8| first_line.contains(byte);
    [b',', b';', b'\t'].into_iter().find(has).unwrap_or(b',')
}

fn broken(error: csv::Error) -> ParseError {
    let place = Place { line: error.position().map(csv::Position::line), column: None };
    match error.into_kind() {
        csv::ErrorKind::Io(error) => ParseError::Io(error),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let reason = format!("{len} cells, but the first line has {expected_len}");
            ParseError::Malformed(place, reason)
        }
        csv::ErrorKind::Utf8 { .. } => {
            ParseError::Malformed(place, "not UTF-8; save the file as UTF-8".to_owned())
        }
        kind => ParseError::Malformed(place, format!("{kind:?}")),
    }
}

fn is_cross(cell: &str) -> Option<bool> {
    match cell.to_lowercase().as_str() {
        "x" | "1" | "yes" | "true" => Some(true),
        "" | "." | "0" | "no" | "false" => Some(false),
        _ => None,
    }
}

pub(crate) fn read(input: impl BufRead) -> Result<Context, ParseError> {
    let table = Table::read(input)?;
    let binary = table.columns.iter().map(|_| Scale::Binary).collect();
    scaled(table, binary)
}

/// Reads a many-valued table and scales it. Columns without a scale are nominal. From an empty cell
/// an object gets no attribute.
pub fn read_scaled(path: &Path, scales: &[(String, Scale)]) -> Result<Context, FormatError> {
    let read = || {
        let table = Table::read(super::open(path)?)?;
        if let Some((unknown, _)) =
            scales.iter().find(|(column, _)| !table.columns.contains(column))
        {
            let columns = table.columns.join(", ");
            let reason = format!("no column is called {unknown:?}; the columns are {columns}");
            return Err(ParseError::at_line(1, reason));
        }
        let scale_of = |column: &String| {
            let given = scales.iter().find(|(name, _)| name == column);
            given.map_or(Scale::Nominal, |(_, scale)| scale.clone())
        };
        let all = table.columns.iter().map(scale_of).collect();
        scaled(table, all)
    };
    read().map_err(|error| error.in_file(path))
}

fn scaled(table: Table, scales: Vec<Scale>) -> Result<Context, ParseError> {
    let mut attributes = Vec::new();
    let mut rows = vec![Vec::new(); table.objects.len()];
    for (place, (column, scale)) in table.columns.iter().zip(scales).enumerate() {
        let cells = || table.cells.iter().map(|row| row[place].as_str());
        let first = attributes.len();
        let wrong = |row: usize, reason: String| {
            ParseError::Malformed(Place { line: Some(table.lines[row]), column: None }, reason)
        };
        let tests = match &scale {
            Scale::Binary => vec![Test::Cross],
            Scale::Nominal => {
                let values: BTreeSet<&str> = cells().filter(|cell| !cell.is_empty()).collect();
                values.into_iter().map(|value| Test::Is(value.to_owned())).collect()
            }
            Scale::Ordinal(given) | Scale::Interordinal(given) => {
                let values = thresholds(given, cells()).map_err(|(row, cell)| {
                    let reason = format!("column {column:?} has {cell:?}, which is not a number");
                    wrong(row, reason)
                })?;
                let at_most = matches!(scale, Scale::Interordinal(_));
                let below = values.iter().filter(|_| at_most).map(|&value| Test::AtMost(value));
                below.chain(values.iter().map(|&value| Test::AtLeast(value))).collect()
            }
        };
        attributes.extend(tests.iter().map(|test| test.name(column)));
        for (row, cell) in cells().enumerate() {
            if matches!(scale, Scale::Binary) && is_cross(cell).is_none() {
                let reason = format!(
                    "column {column:?} has {cell:?}, but the cells of a context are crosses (X, 1) \
                     or blanks; a table with values needs a scale for each column"
                );
                return Err(wrong(row, reason));
            }
            for (number, test) in tests.iter().enumerate() {
                if test.holds(cell) {
                    rows[row].push(u32::try_from(first + number).unwrap_or(u32::MAX));
                }
            }
        }
    }
    let mut builder = ContextBuilder::new();
    rows.iter().for_each(|row| builder.row(row));
    Ok(builder.finish(Names::Given(table.objects), Names::Given(attributes))?)
}

/// Returns the numbers that a scale compares with, ascending. Fails with the row and the cell that
/// is not a number.
fn thresholds<'a>(
    given: &[f64],
    cells: impl Iterator<Item = &'a str>,
) -> Result<Vec<f64>, (usize, &'a str)> {
    let mut values = given.to_vec();
    for (row, cell) in cells.enumerate().filter(|(_, cell)| !cell.is_empty()) {
        let value = number(cell).ok_or((row, cell))?;
        if given.is_empty() {
            values.push(value);
        }
    }
    values.sort_by(f64::total_cmp);
    values.dedup();
    Ok(values)
}

/// The condition on a value under which its object has an attribute.
enum Test {
    Cross,
    Is(String),
    AtMost(f64),
    AtLeast(f64),
}

impl Test {
    fn name(&self, column: &str) -> String {
        match self {
            Self::Cross => column.to_owned(),
            Self::Is(value) => format!("{column}={value}"),
            Self::AtMost(value) => format!("{column}≤{value}"),
            Self::AtLeast(value) => format!("{column}≥{value}"),
        }
    }

    fn holds(&self, cell: &str) -> bool {
        let compares = |with: &dyn Fn(f64) -> bool| number(cell).is_some_and(with);
        match self {
            Self::Cross => is_cross(cell) == Some(true),
            Self::Is(value) => cell == value,
            Self::AtMost(most) => compares(&|value| value <= *most),
            Self::AtLeast(least) => compares(&|value| value >= *least),
        }
    }
}

pub(crate) fn write(context: &Context, out: &mut dyn Write) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let names = context.attributes().iter();
    let names = names.map(|name| guarded(&name).into_owned());
    writer.write_record(std::iter::once(String::new()).chain(names))?;
    for object in 0..context.objects().len() {
        let mut cells = vec![""; context.attributes().len()];
        context.row(object).iter().for_each(|&attribute| cells[attribute as usize] = "X");
        let name = context.objects().get(object);
        writer.write_record(std::iter::once(&*guarded(&name)).chain(cells))?;
    }
    writer.flush()
}
