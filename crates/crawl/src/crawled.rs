//! A crawl read back from its folder, for reports and comparisons.

use std::path::Path;

use ontrail_pilot::Recipe;

use crate::curves::{Curves, CurvesBuilder};
use crate::folder::{RunFolderError, read_progress, read_run};
use crate::output::{LogRow, log_rows};
use crate::run::Summary;

/// A crawl read back from its folder. Its log is read once, row by row, so a crawl of any length
/// fits into the memory.
#[derive(Debug, Clone)]
pub struct Crawled {
    /// The recipe of the crawl.
    pub recipe: Recipe,
    /// The figures; none if the crawl has not written any yet.
    pub summary: Option<Summary>,
    /// Number of pages.
    pub pages: u64,
    /// True if any page has a label.
    pub has_labels: bool,
    /// The self-reported curves; empty if the crawl had no topic.
    pub own: Curves,
    /// The curves by the ground truth; empty if there was none.
    pub truth: Curves,
    /// The log rows of all pages, or of the most relevant if there are too many, in the order in
    /// which they were fetched.
    pub best: Vec<LogRow>,
}

impl Crawled {
    /// Reads a crawl folder. Keeps the log rows of at most `most` pages.
    pub fn read(folder: &Path, most: usize) -> Result<Self, RunFolderError> {
        let (_, run) = read_run(folder)?;
        let log = folder.join("log");
        if !log.is_dir() {
            return Err(RunFolderError::NoLog(log));
        }
        let (mut own, mut truth) = (CurvesBuilder::by_itself(), CurvesBuilder::by_labels());
        let (mut pages, mut has_labels, mut best) = (0, false, Vec::new());
        for row in log_rows(&log)? {
            let row = row?;
            if !row.is_page() {
                continue;
            }
            pages += 1;
            has_labels |= row.label.is_some();
            own.add(&row);
            truth.add(&row);
            best.push(row);
            // Sorting once in a while costs less than keeping the rows sorted.
            if best.len() >= most.saturating_mul(2).max(1_000) {
                keep_best(&mut best, most);
            }
        }
        keep_best(&mut best, most);
        let summary = read_progress(folder)?.map(|it| it.summary);
        let (own, truth) = (own.finish(), truth.finish());
        Ok(Self { recipe: run.recipe, summary, pages, has_labels, own, truth, best })
    }

    /// Keeps at most `most` of the log rows.
    pub fn keep_best(&mut self, most: usize) {
        keep_best(&mut self.best, most);
    }
}

/// Keeps the `most` most relevant pages, in the order in which they were fetched. Of equally
/// relevant pages, the first are kept.
fn keep_best(pages: &mut Vec<LogRow>, most: usize) {
    if pages.len() <= most {
        return;
    }
    let relevance = |row: &LogRow| row.relevance.unwrap_or(0.0);
    pages.sort_by(|a, b| {
        relevance(b).total_cmp(&relevance(a)).then_with(|| a.number.cmp(&b.number))
    });
    pages.truncate(most);
    pages.sort_by_key(|row| row.number);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u64) -> LogRow {
        LogRow { number, relevance: Some((number * 7_919 % 101) as f64), ..LogRow::default() }
    }

    #[test]
    fn the_most_relevant_rows_are_kept_however_they_come() {
        let all: Vec<LogRow> = (1..=10_000).map(row).collect();
        let mut expected = all.clone();
        keep_best(&mut expected, 150);
        // Of 101 values each occurs 99 or 100 times: all of the best, and some of the second best.
        let count = |value: f64| expected.iter().filter(|it| it.relevance == Some(value)).count();
        assert_eq!(count(100.0) + count(99.0), 150);
        assert!(count(100.0) >= 99 && expected.is_sorted_by_key(|row| row.number));
        let mut bit_by_bit = Vec::new();
        for row in all {
            bit_by_bit.push(row);
            if bit_by_bit.len() >= 300 {
                keep_best(&mut bit_by_bit, 150);
            }
        }
        keep_best(&mut bit_by_bit, 150);
        assert_eq!(bit_by_bit, expected);
    }
}
