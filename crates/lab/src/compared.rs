//! Reads a saved comparison, so that it can be shown again.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::comparison::{Mean, Measure};
use crate::figures::{columns, shown};

/// An error in reading a saved comparison.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparedError {
    /// The file cannot be read.
    #[error("{}: cannot read the file; create it with `ontrail lab compare -o DIR`", .0.display())]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// The file is not a comparison.
    #[error("{}: not a file that `ontrail lab compare` wrote", .0.display())]
    Foreign(PathBuf, #[source] serde_json::Error),
    /// The comparison has no recipes.
    #[error("{}: the comparison has no recipes", .0.display())]
    Empty(PathBuf),
}

/// The figures that `ontrail lab compare -o DIR` wrote.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The measures of the crawlers by the ground truth.
    pub by_truth: Measures,
    /// The self-reported measures of the crawlers.
    pub by_themselves: Measures,
    /// Number of blocks that the crawlers were compared on.
    pub blocks: usize,
    /// Number of pages that each crawl may fetch.
    pub budget: u64,
    /// Greatest number of repeats of a crawl.
    pub repeats: u64,
}

/// A table of measures. The crawler with the greatest area of recall comes first.
#[derive(Debug, Clone)]
pub struct Measures {
    /// The column heads.
    pub heads: Vec<&'static str>,
    /// One row for each crawler: means with their standard errors.
    pub rows: Vec<Vec<String>>,
}

impl Compared {
    /// Reads the folder of a comparison.
    pub fn read(folder: &Path) -> Result<Self, ComparedError> {
        let path = folder.join("comparison.json");
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) => return Err(ComparedError::Unreadable(path, error)),
        };
        let all: Value = match serde_json::from_slice(&text) {
            Ok(all) => all,
            Err(error) => return Err(ComparedError::Foreign(path, error)),
        };
        let recipes = all["recipes"].as_object().filter(|recipes| !recipes.is_empty());
        let recipes = recipes.ok_or(ComparedError::Empty(path))?;
        let area = |crawler: &Value| crawler["true"]["recall_area"]["mean"].as_f64().unwrap_or(0.0);
        let mut crawlers: Vec<(&String, &Value)> = recipes.iter().collect();
        crawlers.sort_by(|a, b| area(b.1).total_cmp(&area(a.1)).then_with(|| a.0.cmp(b.0)));
        Ok(Self {
            by_truth: Measures::of("true", &crawlers),
            by_themselves: Measures::of("self", &crawlers),
            blocks: all["blocks"].as_array().map_or(0, Vec::len),
            budget: all["budget"].as_u64().unwrap_or(0),
            repeats: all["repeats"].as_u64().unwrap_or(0),
        })
    }
}

impl Measures {
    fn of(side: &str, crawlers: &[(&String, &Value)]) -> Self {
        let columns = columns(side);
        let heads = std::iter::once("recipe").chain(columns.iter().map(|measure| measure.symbol));
        let row = |(name, crawler): &(&String, &Value)| {
            let cells = columns.iter().map(|measure| shown(measure, mean(crawler, measure)));
            std::iter::once((*name).clone()).chain(cells).collect()
        };
        Self { heads: heads.collect(), rows: crawlers.iter().map(row).collect() }
    }
}

/// Returns a measure of a crawler. Measures of the run, such as time and pages, belong to neither
/// side and are found directly under the crawler.
fn mean(crawler: &Value, measure: &Measure) -> Option<Mean> {
    let value = match (measure.side, measure.name) {
        ("run", "seconds") => &crawler["time"],
        ("run", name) => &crawler[name],
        (side, name) => &crawler[side][name],
    };
    Some(Mean { mean: value["mean"].as_f64()?, se: value["se"].as_f64()? })
}
