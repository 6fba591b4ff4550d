//! A crawl that was done, to be shown beside others.

use std::path::Path;

use anyhow::{Result, bail};
use ontrail_crawl::{End, LogRow, Recipe, Summary, read_log};

use crate::folder::{read_progress, read_run};

/// The folder of a crawl, read.
#[derive(Debug, Clone)]
pub struct Crawled {
    /// The crawler.
    pub recipe: Recipe,
    /// The figures, if it has got that far.
    pub summary: Option<Summary>,
    rows: Vec<LogRow>,
}

impl Crawled {
    /// Reads the folder of a crawl.
    pub fn read(folder: &Path) -> Result<Self> {
        let (_, run) = read_run(folder)?;
        let log = folder.join("log");
        if !log.is_dir() {
            bail!("{}: the log of the crawl is gone", log.display());
        }
        Ok(Self {
            recipe: run.recipe,
            summary: read_progress(folder)?.map(|it| it.summary),
            rows: read_log(&log)?,
        })
    }

    /// The pages that it brought, in order.
    #[must_use]
    pub fn pages(&self) -> Vec<&LogRow> {
        self.rows.iter().filter(|row| row.is_page()).collect()
    }
}

/// How a crawl stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Why it ended, if it did.
    pub end: Option<End>,
    /// How many pages came.
    pub downloaded: u64,
}

/// How the crawl in a folder stands, if there is one; one that could not say so yet has not ended.
pub fn standing(folder: &Path) -> Result<Option<Standing>> {
    if !folder.join("run.json").is_file() {
        return Ok(None);
    }
    let progress = read_progress(folder)?;
    let none = Standing { end: None, downloaded: 0 };
    Ok(Some(
        progress.map_or(none, |it| Standing { end: it.end, downloaded: it.summary.downloaded }),
    ))
}
