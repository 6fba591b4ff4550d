//! Reads a table of results: a row for each block, a column for each algorithm.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ontrail_intake::read_text;
use ontrail_lab::{Better, ResultTable};

/// Reads a table of values separated by commas or tabs, whose first row and first column are names.
pub(crate) fn read(path: &Path, better: Better) -> Result<ResultTable> {
    let text = read_text(path)?;
    let first = text.lines().next().unwrap_or_default();
    let delimiter = if first.contains('\t') { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
    let names: Vec<String> =
        reader.headers()?.iter().skip(1).map(|name| name.trim().to_owned()).collect();
    if names.len() < 2 {
        bail!(
            "{}:1: a table needs a column of block names and at least two columns of algorithms",
            path.display()
        );
    }
    if let Some(at) = (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
        bail!("{}:1: two columns have the name {:?}", path.display(), names[at]);
    }
    let mut blocks = Vec::new();
    for (at, row) in reader.records().enumerate() {
        let row = row.map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let line = row.position().map_or(at as u64 + 2, csv::Position::line);
        let name = row.get(0).unwrap_or_default().trim().to_owned();
        let value = |(cell, algorithm): (&str, &String)| {
            let value = cell.trim().parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| {
                anyhow!("{}:{line}: {cell:?} in column {algorithm} is not a number", path.display())
            })
        };
        let values = row.iter().skip(1).zip(&names).map(value).collect::<Result<Vec<f64>>>()?;
        blocks.push((name, values));
    }
    if blocks.is_empty() {
        bail!("{}: the table has no rows below its header", path.display());
    }
    Ok(ResultTable { names, blocks, better })
}
