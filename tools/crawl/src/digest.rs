//! The digest of a log: what a report shows, gathered in one pass and in bounded memory.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use ontrail_crawl::{CurvesBuilder, FetchKind, LogRow, log_rows};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Greatest number of rows in a table.
pub(crate) const MOST_ROWS: usize = 25;

/// Greatest number of different values that are counted. Pages can state any language they like.
const MOST_VALUES: usize = 100_000;

/// The number of pages with each value.
pub(crate) type Counts = BTreeMap<String, u64>;

/// The figure by which pages are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ranking {
    /// R(p): P(relevant) of a score changes during a crawl, so R compares pages better.
    ByRelevance,
    /// P(relevant), if a classifier has a part in it, and R(p) among pages with the same.
    ByProbability,
}

impl Ranking {
    /// Returns the figures by which a page is ranked, the most important first.
    fn figures(self, row: &LogRow) -> [f64; 2] {
        let relevance = row.relevance.unwrap_or(0.0);
        match self {
            Self::ByRelevance => [relevance, 0.0],
            Self::ByProbability => [row.probability.unwrap_or(0.0), relevance],
        }
    }
}

/// The figures that a report shows about a crawl.
#[derive(Debug)]
pub(crate) struct Digest {
    /// Number of pages.
    pub(crate) pages: u64,
    pub(crate) own: CurvesBuilder,
    pub(crate) truth: CurvesBuilder,
    pub(crate) hosts: BTreeMap<String, HostPages>,
    pub(crate) classes: Counts,
    pub(crate) labels: Counts,
    pub(crate) charsets: Counts,
    pub(crate) languages: Counts,
    /// Number of failed fetches with each outcome.
    pub(crate) errors: Counts,
    /// The most relevant pages, the best first.
    pub(crate) best: Vec<LogRow>,
    ranking: Ranking,
    /// The URLs of the pages, if they are asked for.
    pub(crate) urls: Urls,
}

/// The pages of a host.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HostPages {
    pub(crate) pages: u64,
    pub(crate) relevant: u64,
}

/// Hashes of the URLs of pages. The URLs themselves would need gigabytes; with twenty million pages
/// the probability that two of them share a hash is one in a hundred thousand.
#[derive(Debug, Default)]
pub(crate) struct Urls {
    pub(crate) all: Vec<u64>,
    /// Those of the pages that the crawler considers relevant.
    pub(crate) relevant: Vec<u64>,
}

impl Digest {
    /// Reads the log of the crawl in a folder.
    pub(crate) fn of(folder: &Path, ranking: Ranking, with_urls: bool) -> Result<Self> {
        let mut digest = Self {
            pages: 0,
            own: CurvesBuilder::by_itself(),
            truth: CurvesBuilder::by_labels(),
            hosts: BTreeMap::new(),
            classes: Counts::new(),
            labels: Counts::new(),
            charsets: Counts::new(),
            languages: Counts::new(),
            errors: Counts::new(),
            best: Vec::new(),
            ranking,
            urls: Urls::default(),
        };
        for row in log_rows(&folder.join("log"))? {
            digest.add(row?, with_urls);
        }
        Ok(digest)
    }

    fn add(&mut self, row: LogRow, with_urls: bool) {
        if row.kind != FetchKind::Robots && row.outcome.is_error() {
            note(&mut self.errors, Some(&row.outcome.to_string()));
        }
        if !row.is_page() {
            return;
        }
        self.pages += 1;
        self.own.add(&row);
        self.truth.add(&row);
        let is_relevant = row.relevant == Some(true);
        let url = Url::parse(&row.final_url).ok();
        if let Some(host) = url.as_ref().and_then(Url::host_str) {
            if !self.hosts.contains_key(host) {
                self.hosts.insert(host.to_owned(), HostPages::default());
            }
            if let Some(pages) = self.hosts.get_mut(host) {
                pages.pages += 1;
                pages.relevant += u64::from(is_relevant);
            }
        }
        note(&mut self.classes, row.class.as_deref());
        note(&mut self.labels, row.label.as_deref());
        note(&mut self.charsets, row.charset.as_deref());
        note(&mut self.languages, row.language.as_deref());
        if with_urls {
            let hash = xxh3_64(row.final_url.as_bytes());
            self.urls.all.push(hash);
            self.urls.relevant.extend(is_relevant.then_some(hash));
        }
        self.rank(row);
    }

    /// Keeps a page if it is among the most relevant. Of equally relevant pages the first is kept.
    fn rank(&mut self, row: LogRow) {
        let own = self.ranking.figures(&row);
        if own[0] <= 0.0 {
            return;
        }
        let is_before = |other: &LogRow| {
            let other = self.ranking.figures(other);
            other[0].total_cmp(&own[0]).then(other[1].total_cmp(&own[1])).is_ge()
        };
        let place = self.best.partition_point(is_before);
        if place < MOST_ROWS {
            self.best.insert(place, row);
            self.best.truncate(MOST_ROWS);
        }
    }
}

/// Counts a value.
fn note(counts: &mut Counts, value: Option<&str>) {
    let Some(value) = value else { return };
    if let Some(count) = counts.get_mut(value) {
        *count += 1;
    } else {
        let is_full = counts.len() >= MOST_VALUES;
        let value = if is_full { "(other)" } else { value };
        *counts.entry(value.to_owned()).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use ontrail_crawl::{Outcome, write_log};

    use super::*;

    #[test]
    fn a_digest_is_that_of_all_rows_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let row = |number: u64| {
            let relevance = (number * 7_919 % 101) as f64 / 100.0;
            LogRow {
                number,
                outcome: if number.is_multiple_of(7) { Outcome::Http(404) } else { Outcome::Page },
                final_url: format!("http://host-{}.example/{number}", number % 9),
                relevance: Some(relevance),
                relevant: Some(relevance > 0.5),
                ..LogRow::default()
            }
        };
        // More rows than one part of the log holds.
        let rows: Vec<LogRow> = (1..=21_000).map(row).collect();
        write_log(&folder.path().join("log"), rows.clone()).unwrap();
        let digest = Digest::of(folder.path(), Ranking::ByRelevance, true).unwrap();
        let mut pages: Vec<&LogRow> = rows.iter().filter(|row| row.is_page()).collect();
        assert_eq!((digest.pages, digest.errors["http-404"]), (18_000, 3_000));
        assert_eq!(digest.urls.all.len(), 18_000);
        let relevant = pages.iter().filter(|row| row.relevant == Some(true)).count();
        assert_eq!(digest.urls.relevant.len(), relevant);
        let by_host: Vec<u64> = digest.hosts.values().map(|it| it.pages).collect();
        assert_eq!((by_host.len(), by_host.iter().sum::<u64>()), (9, 18_000));
        // The sort is stable: of equally relevant pages the first comes first.
        pages.sort_by(|a, b| b.relevance.unwrap().total_cmp(&a.relevance.unwrap()));
        let best: Vec<u64> = digest.best.iter().map(|row| row.number).collect();
        let expected: Vec<u64> = pages[..MOST_ROWS].iter().map(|row| row.number).collect();
        assert_eq!(best, expected);
        let curve = digest.own.finish().relevant;
        assert_eq!(curve.last(), Some(&(18_000.0, relevant as f64)));
    }

    #[test]
    fn values_without_end_are_counted_together() {
        let mut counts = Counts::new();
        for number in 0..MOST_VALUES + 50 {
            note(&mut counts, Some(&number.to_string()));
        }
        note(&mut counts, Some("7"));
        note(&mut counts, None);
        assert_eq!((counts.len(), counts["7"], counts["(other)"]), (MOST_VALUES + 1, 2, 50));
    }
}
