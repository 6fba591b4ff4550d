//! The counters of a crawl. They are committed together with the links, so the two always agree.

use std::collections::{BTreeMap, VecDeque};

use ontrail_pilot::{CalibrationView, Cut, Learned, Score};
use serde::{Deserialize, Serialize};
use url::Url;

use super::OddThreshold;
use super::timing::Timings;
use super::waiting::Waiting;
use crate::labels::Labels;
use crate::metrics::{Judged, JudgementQuality, Recalled, SelfJudged, Tally, TrulyJudged};
use crate::output::{Commit, LogRow, Positions};

/// Number of pages over which the recent harvest rate is computed.
const RECENT: usize = 1_000;

/// The counters of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Rows of the log.
    pub(crate) rows: u64,
    /// Fetches that were started; each has its own number.
    #[serde(rename = "visits")]
    pub(crate) fetches: u64,
    /// Pages fetched.
    pub(crate) downloaded: u64,
    /// Pages stored.
    pub(crate) stored: u64,
    /// Pages not stored because they ask crawlers not to.
    #[serde(default)]
    pub(crate) noindex: u64,
    /// Those among them that the crawler considers relevant.
    #[serde(default)]
    pub(crate) relevant_noindex: u64,
    pub(crate) bytes: u64,
    pub(crate) redirects: u64,
    pub(crate) retries: u64,
    pub(crate) duplicates: u64,
    pub(crate) near_duplicates: u64,
    pub(crate) sitemaps: u64,
    pub(crate) robots: u64,
    /// Errors, by kind.
    pub(crate) errors: BTreeMap<String, u64>,
    /// Links that were not queued or not fetched, by reason.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Responses by class of status, such as `2xx`.
    #[serde(default)]
    pub(crate) statuses: BTreeMap<String, u64>,
    pub(crate) classes: BTreeMap<String, u64>,
    /// Self-reported: by the crawler's own relevance.
    pub(crate) own: Tally,
    /// The sum of P(relevant) over all pages.
    #[serde(default)]
    pub(crate) expected_relevant: f64,
    /// By the ground truth.
    pub(crate) truth: Tally,
    /// Number of pages that are relevant both by the crawler's own judgement and by the ground
    /// truth.
    #[serde(default)]
    pub(crate) agreed: u64,
    pub(crate) recalled: Recalled,
    /// For each of the last pages, true if it was relevant.
    pub(crate) recent: VecDeque<bool>,
    /// Duration so far.
    pub(crate) seconds: f64,
    /// True if the seeds are in the frontier.
    pub(crate) has_begun: bool,
    /// True if the crawl ended by itself.
    pub(crate) is_finished: bool,
    pub(crate) positions: Positions,
    /// The number of the commit; 0 before the first, and if an older version wrote the state.
    #[serde(default)]
    pub(crate) commit: u64,
}

impl Counts {
    /// Returns the commit as the commit record holds it.
    pub(crate) fn as_commit(&self) -> Commit {
        Commit::new(self.commit, self.rows, self.stored, self.positions)
    }

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

    /// Counts a page as relevant or not, by the crawler's own relevance and by the ground truth.
    pub(crate) fn count_judged(&mut self, row: &LogRow, is_seed: bool) {
        if let Some(class) = &row.class {
            *self.classes.entry(class.clone()).or_default() += 1;
        }
        let priority = row.score(Score::Priority);
        let similarity = row.relevance.unwrap_or(0.0);
        self.expected_relevant += row.probability.unwrap_or(0.0);
        if let Some(is_relevant) = row.relevant {
            let relevance = similarity;
            self.own.add(Judged { is_relevant, relevance, similarity, priority });
            self.count_recent(is_relevant);
        }
        let Some(is_relevant) = row.truly_relevant else { return };
        self.agreed += u64::from(is_relevant && row.relevant == Some(true));
        let relevance = f64::from(u8::from(is_relevant));
        self.truth.add(Judged { is_relevant, relevance, similarity, priority });
        self.recalled.labelled += u64::from(row.label.is_some());
        self.recalled.relevant_seeds_found += u64::from(is_relevant && is_seed);
    }

    /// Counts the seeds with a relevant label.
    pub(crate) fn count_seeds(&mut self, seeds: &[Url], labels: &Labels) {
        let label = |url: &Url| labels.label(url.as_str());
        let relevant = seeds.iter().filter_map(label).filter(|label| labels.is_relevant(label));
        self.recalled.relevant_seeds += relevant.count() as u64;
    }

    pub(crate) fn count_recent(&mut self, is_relevant: bool) {
        self.recent.push_back(is_relevant);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }
}

/// The figures of a crawl, during the crawl and at its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Pages fetched (DP).
    pub downloaded: u64,
    /// Pages that the other workers of a shared crawl had fetched at their last report; none if the
    /// crawl has only one worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<u64>,
    /// Pages stored.
    pub stored: u64,
    /// Pages fetched and counted, but not stored, because they ask crawlers not to (`noindex`).
    #[serde(default)]
    pub noindex: u64,
    /// Those among them that the crawler considers relevant.
    #[serde(default)]
    pub relevant_noindex: u64,
    /// Self-reported figures, by the crawler's own relevance; none if it has no topic.
    #[serde(rename = "self")]
    pub own: Option<SelfJudged>,
    /// Figures by the ground truth; none if there is no ground truth.
    #[serde(rename = "true")]
    pub truth: Option<TrulyJudged>,
    /// The quality of the crawler's own judgement by the ground truth; none if there is no ground
    /// truth or no topic.
    #[serde(default)]
    pub judgement: Option<JudgementQuality>,
    /// The calibration of the crawl; none if no page has a score.
    #[serde(default)]
    pub calibration: Option<CalibrationView>,
    /// Set if nearly all pages pass the threshold, or hardly any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odd_threshold: Option<OddThreshold>,
    /// The expected number of relevant pages: the sum of P(relevant).
    #[serde(default)]
    pub expected_relevant: Option<f64>,
    /// A summary of the link model as of the last commit; none if the recipe does not
    /// learn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
    /// The duration of the crawl, in seconds.
    pub seconds: f64,
    /// Errors, by kind.
    pub errors: BTreeMap<String, u64>,
    /// Links that were not queued or not fetched, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Responses by class of status, such as `2xx`.
    #[serde(default)]
    pub statuses: BTreeMap<String, u64>,
    /// The reason why nothing is being fetched; none if something is.
    #[serde(default)]
    pub waiting: Option<Waiting>,
    /// Durations of the steps of this run, for those who watch it.
    #[serde(skip)]
    pub timings: Timings,
    /// The harvest rate of the last 1,000 pages; none if there is no topic.
    pub recent_harvest_rate: Option<f64>,
    /// Bytes of bodies as received.
    pub bytes: u64,
    /// Redirects followed.
    pub redirects: u64,
    /// Fetches retried.
    pub retries: u64,
    /// Pages with the same bytes as an earlier one.
    pub duplicates: u64,
    /// Pages with nearly the same text as an earlier one.
    pub near_duplicates: u64,
    /// Sitemaps read.
    pub sitemaps: u64,
    /// robots.txt files requested.
    pub robots: u64,
    /// Pages by class.
    pub classes: BTreeMap<String, u64>,
    /// Numbers of waiting links, known URLs and hosts.
    pub frontier: crate::frontier::FrontierCounts,
    /// True if the crawl ended by itself: the budget or the time is spent, or no links are left.
    pub finished: bool,
}

impl Summary {
    /// Returns the threshold of the crawl's recipe as reports show it: `auto` together with the
    /// number that was computed.
    #[must_use]
    pub fn threshold_text(&self, threshold: Cut) -> String {
        match &self.calibration {
            Some(computed) if threshold.is_auto() => format!("auto ({:.4})", computed.threshold),
            _ => threshold.to_string(),
        }
    }
}

impl Counts {
    /// Returns the figures so far.
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
            elsewhere: None,
            stored: self.stored,
            noindex: self.noindex,
            relevant_noindex: self.relevant_noindex,
            own: has_topic.then(|| SelfJudged::of(&self.own)),
            judgement: relevant_pages
                .filter(|_| has_topic)
                .map(|_| JudgementQuality::of(self.agreed, self.own.relevant, self.truth.relevant)),
            calibration: None,
            odd_threshold: None,
            expected_relevant: None,
            learned: None,
            truth: relevant_pages.map(|all| TrulyJudged::of(&self.truth, self.recalled, all)),
            seconds: self.seconds,
            errors: self.errors.clone(),
            refused: self.refused.clone(),
            statuses: self.statuses.clone(),
            waiting: None,
            timings: Timings::default(),
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
