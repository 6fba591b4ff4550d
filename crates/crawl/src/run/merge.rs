//! Puts the folders of the workers of one crawl together.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use ontrail_pilot::HostKey;
use url::Url;

use super::counts::{Counts, Summary};
use crate::frontier::FrontierCounts;
use crate::labels::Labels;
use crate::outcome::{FetchKind, Outcome};
use crate::output::{LogRow, OutputError, WorkerFolder, merge_outputs};

/// A merge of the folders of several workers.
#[derive(Debug)]
pub struct Merge<'a> {
    /// The folders of the workers.
    pub folders: &'a [WorkerFolder],
    /// The last figures of the workers.
    pub summaries: &'a [Summary],
    /// The seeds of the crawl.
    pub seeds: &'a [Url],
    /// The ground truth, if there is one.
    pub labels: Option<&'a Labels>,
    /// True if the crawl has a topic.
    pub has_topic: bool,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// The figures of the whole crawl. Those of the links that wait are missing: they are on the
    /// server.
    pub summary: Summary,
    /// Fetches that were left out, because the same link was fetched again.
    pub left_out: u64,
}

impl Merge<'_> {
    /// Writes pages, log and links of all workers into a folder, each page once. Calls `watch` with
    /// the number of rows that were merged. Returns an error, and leaves an incomplete folder, if a
    /// file of a worker cannot be read.
    pub fn write(
        &self,
        into: &Path,
        software: &str,
        watch: &mut dyn FnMut(u64),
    ) -> Result<Merged, OutputError> {
        let mut counts = Counts::default();
        if let Some(labels) = self.labels {
            counts.count_seeds(self.seeds, labels);
        }
        let seeds: HashSet<&str> = self.seeds.iter().map(Url::as_str).collect();
        let mut hosts: HashSet<HostKey> = HashSet::new();
        let left_out = merge_outputs(self.folders, into, software, &mut |row| {
            count_row(&mut counts, row, seeds.contains(row.url.as_str()));
            let url = row.is_page().then(|| Url::parse(&row.final_url).ok()).flatten();
            hosts.extend(url.and_then(|url| url.host_str().map(HostKey::of)));
            watch(row.number);
        })?;
        let frontier = FrontierCounts { hosts: hosts.len() as u64, ..FrontierCounts::default() };
        let relevant_pages = self.labels.map(Labels::relevant_pages);
        let mut summary = counts.summary(self.has_topic, relevant_pages, frontier);
        let is_judged = counts.expected_relevant > 0.0;
        summary.expected_relevant = is_judged.then_some(counts.expected_relevant);
        self.add_figures_of_workers(&mut summary);
        Ok(Merged { summary, left_out })
    }

    fn add_figures_of_workers(&self, summary: &mut Summary) {
        // The others go on with the links of a worker that dies.
        summary.finished = self.summaries.iter().any(|worker| worker.finished);
        for worker in self.summaries {
            summary.retries += worker.retries;
            // The workers crawled side by side.
            summary.seconds = summary.seconds.max(worker.seconds);
            add_counts(&mut summary.refused, &worker.refused);
            add_counts(&mut summary.statuses, &worker.statuses);
        }
    }
}

fn add_counts(sum: &mut BTreeMap<String, u64>, other: &BTreeMap<String, u64>) {
    for (name, count) in other {
        *sum.entry(name.clone()).or_default() += count;
    }
}

/// Counts a row of the log as the crawl did.
fn count_row(counts: &mut Counts, row: &LogRow, is_seed: bool) {
    counts.rows += 1;
    counts.stored += u64::from(row.stored.is_some());
    if row.is_page() {
        counts.downloaded += 1;
        counts.bytes += row.bytes;
        counts.duplicates += u64::from(row.outcome == Outcome::Duplicate);
        counts.near_duplicates += u64::from(row.near_duplicate_of.is_some());
        counts.noindex += u64::from(row.is_noindex());
        counts.relevant_noindex += u64::from(row.is_noindex() && row.relevant == Some(true));
        counts.count_judged(row, is_seed);
    } else if row.kind == FetchKind::Robots {
        counts.robots += 1;
    } else if row.outcome.is_error() {
        counts.count_error(&row.outcome.name());
    }
    counts.redirects += u64::from(row.outcome == Outcome::Redirect);
    counts.sitemaps += u64::from(row.outcome == Outcome::Sitemap);
}
