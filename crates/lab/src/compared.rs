//! A comparison that was written down, to be shown again.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::comparison::{Mean, Measure};
use crate::figures::{columns, shown};

/// Why a comparison cannot be shown again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparedError {
    /// The file cannot be read.
    #[error("{}: cannot be read; make it with `ontrail lab compare -o DIR`", .0.display())]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// The file is no comparison.
    #[error("{}: is not as `ontrail lab compare` writes it", .0.display())]
    Foreign(PathBuf, #[source] serde_json::Error),
    /// The comparison is of nothing.
    #[error("{}: there are no recipes in it", .0.display())]
    Empty(PathBuf),
}

/// What `ontrail lab compare -o DIR` found.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The crawlers and their measures by the truth.
    pub by_truth: Measures,
    /// The crawlers and their measures by their own opinion.
    pub by_themselves: Measures,
    /// How many blocks they were compared on.
    pub blocks: usize,
    /// How many pages each was to fetch.
    pub budget: u64,
    /// How often each crawl was repeated at most.
    pub repeats: u64,
}

/// The heads and the rows of a table, the crawler with the greatest area under recall first.
#[derive(Debug, Clone)]
pub struct Measures {
    /// The heads.
    pub heads: Vec<&'static str>,
    /// A row for each crawler, means with their standard errors.
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

/// A measure of a crawler; what a run took stands beside both sides.
fn mean(crawler: &Value, measure: &Measure) -> Option<Mean> {
    let value = match (measure.side, measure.name) {
        ("run", "seconds") => &crawler["time"],
        ("run", name) => &crawler[name],
        (side, name) => &crawler[side][name],
    };
    Some(Mean { mean: value["mean"].as_f64()?, se: value["se"].as_f64()? })
}
