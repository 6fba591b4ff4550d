//! A crawl that was done, to be shown beside others.

use std::path::Path;

use anyhow::Result;
use ontrail_crawl::{End, LogRow, Recipe, Summary, read_log};

use crate::folder::{read_progress, read_run};

/// The folder of a crawl, read.
#[derive(Debug, Clone)]
pub struct Crawled {
    /// The crawler.
    pub recipe: Recipe,
    /// How many pages it is to fetch.
    pub budget: u64,
    /// The figures, if it has got that far.
    pub summary: Option<Summary>,
    /// Why it ended, if it did.
    pub end: Option<End>,
    rows: Vec<LogRow>,
}

impl Crawled {
    /// Reads the folder of a crawl.
    pub fn read(folder: &Path) -> Result<Self> {
        let (_, run) = read_run(folder)?;
        let progress = read_progress(folder)?;
        Ok(Self {
            recipe: run.recipe,
            budget: run.settings.budget,
            end: progress.as_ref().and_then(|it| it.end),
            summary: progress.map(|it| it.summary),
            rows: read_log(&folder.join("log"))?,
        })
    }

    /// The pages that it brought, in order.
    #[must_use]
    pub fn pages(&self) -> Vec<&LogRow> {
        self.rows.iter().filter(|row| row.is_page()).collect()
    }
}

/// Why the crawl in a folder ended, if there is one and it did.
pub fn end_of(folder: &Path) -> Result<Option<End>> {
    if !folder.join("run.json").is_file() {
        return Ok(None);
    }
    Ok(read_progress(folder)?.and_then(|progress| progress.end))
}
