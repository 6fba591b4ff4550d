//! What a crawl has counted so far. It is committed with the links, so the two always agree.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::metrics::{Recalled, SelfJudged, Tally, TrulyJudged};
use crate::output::Positions;

/// Over how many pages the harvest rate of the moment is taken.
const RECENT: usize = 1_000;

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Rows of the log.
    pub(crate) rows: u64,
    /// Visits that were begun; each has its own number.
    pub(crate) visits: u64,
    /// Pages that came.
    pub(crate) downloaded: u64,
    /// Pages that were stored.
    pub(crate) stored: u64,
    pub(crate) bytes: u64,
    pub(crate) redirects: u64,
    pub(crate) retries: u64,
    pub(crate) duplicates: u64,
    pub(crate) near_duplicates: u64,
    pub(crate) sitemaps: u64,
    pub(crate) robots: u64,
    /// What went wrong, by kind.
    pub(crate) errors: BTreeMap<String, u64>,
    /// Links that were not taken up or not fetched, by reason.
    pub(crate) refused: BTreeMap<String, u64>,
    pub(crate) classes: BTreeMap<String, u64>,
    /// By the crawler's own opinion.
    pub(crate) own: Tally,
    /// By true labels.
    pub(crate) truth: Tally,
    pub(crate) recalled: Recalled,
    /// Whether each of the last pages was relevant.
    pub(crate) recent: VecDeque<bool>,
    /// Time spent so far.
    pub(crate) seconds: f64,
    /// Whether the seeds are in the frontier.
    pub(crate) has_begun: bool,
    /// Whether the crawl came to its end.
    pub(crate) is_finished: bool,
    pub(crate) positions: Positions,
}

impl Counts {
    pub(crate) fn count_error(&mut self, kind: &str) {
        *self.errors.entry(kind.to_owned()).or_default() += 1;
    }

    pub(crate) fn count_refused(&mut self, reason: &str) {
        match self.refused.get_mut(reason) {
            Some(count) => *count += 1,
            None => {
                self.refused.insert(reason.to_owned(), 1);
            }
        }
    }

    pub(crate) fn count_recent(&mut self, is_relevant: bool) {
        self.recent.push_back(is_relevant);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }
}

/// How a crawl stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Pages that came (DP).
    pub downloaded: u64,
    /// Pages that were stored.
    pub stored: u64,
    /// By the crawler's own opinion; none if it has no topic.
    #[serde(rename = "self")]
    pub own: Option<SelfJudged>,
    /// By true labels; none if there are no labels.
    #[serde(rename = "true")]
    pub truth: Option<TrulyJudged>,
    /// The time it took.
    pub seconds: f64,
    /// What went wrong, by kind.
    pub errors: BTreeMap<String, u64>,
    /// Links that were not taken up or not fetched, by reason.
    pub refused: BTreeMap<String, u64>,
    /// The share of relevant pages among the last 1,000; none if there is no topic.
    pub recent_harvest_rate: Option<f64>,
    /// Bytes of bodies as they came.
    pub bytes: u64,
    /// Redirects that were followed.
    pub redirects: u64,
    /// Fetches that were tried again.
    pub retries: u64,
    /// Pages with the same bytes as one before.
    pub duplicates: u64,
    /// Pages with nearly the same text as one before.
    pub near_duplicates: u64,
    /// Sitemaps that were read.
    pub sitemaps: u64,
    /// robots.txt files that were asked for.
    pub robots: u64,
    /// Pages by class.
    pub classes: BTreeMap<String, u64>,
    /// Links that wait, addresses and hosts that are known.
    pub frontier: crate::frontier::FrontierCounts,
    /// Whether it came to its end: the budget or the time is spent, or nothing is left.
    pub finished: bool,
}

impl Counts {
    /// How the crawl stands.
    pub(crate) fn summary(
        &self,
        has_topic: bool,
        relevant_pages: Option<u64>,
        frontier: crate::frontier::FrontierCounts,
    ) -> Summary {
        let recent = self.recent.iter().filter(|it| **it).count() as f64;
        let of_recent = recent / self.recent.len().max(1) as f64;
        Summary {
            downloaded: self.downloaded,
            stored: self.stored,
            own: has_topic.then(|| SelfJudged::of(&self.own)),
            truth: relevant_pages.map(|all| TrulyJudged::of(&self.truth, self.recalled, all)),
            seconds: self.seconds,
            errors: self.errors.clone(),
            refused: self.refused.clone(),
            recent_harvest_rate: has_topic.then_some(of_recent),
            bytes: self.bytes,
            redirects: self.redirects,
            retries: self.retries,
            duplicates: self.duplicates,
            near_duplicates: self.near_duplicates,
            sitemaps: self.sitemaps,
            robots: self.robots,
            classes: self.classes.clone(),
            frontier,
            finished: self.is_finished,
        }
    }
}
