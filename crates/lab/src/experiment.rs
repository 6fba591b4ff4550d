//! One run of an experiment: a crawler on a web, from given seeds, with a budget; and what came of it.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ontrail_crawl::{
    Crawl, CrawlError, CrawlParts, End, Focus, FrontierLimits, Judged, Labels, LocalState, LogRow,
    Recalled, SelfJudged, Settings, Summary, Tally, TrulyJudged,
};
use ontrail_pilot::{Recipe, Score};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::web::LoadedWeb;

/// How many points a curve has.
pub const POINTS: u64 = 100;

/// What all crawlers of a block are given: web, truth and seeds.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The web.
    pub web: Arc<LoadedWeb>,
    /// The truth.
    pub labels: Labels,
    /// Where crawls begin.
    pub seeds: Vec<Url>,
    /// How many pages each may fetch.
    pub budget: u64,
    /// What the first repeat's dice begin with; the others' follow.
    pub seed: u64,
}

/// A crawler, with the models that it asks.
#[derive(Clone)]
pub struct Contender {
    /// What it is called: the recipe's name, or that and what is set otherwise.
    pub name: String,
    /// The recipe.
    pub recipe: Recipe,
    /// What reads pages for it.
    pub focus: Arc<dyn Focus>,
    /// Whether it judges pages by a topic.
    pub has_topic: bool,
}

impl std::fmt::Debug for Contender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Pages that came (DP).
    pub pages: u64,
    /// Why it ended.
    pub end: End,
    /// How long it took, in seconds, reading and scoring of new pages included.
    pub seconds: f64,
    /// Whether anything was left to chance: if not, its repeats are the same.
    pub has_drawn: bool,
    /// By the crawler's own opinion, at the end.
    #[serde(rename = "self")]
    pub own: Option<SelfJudged>,
    /// By the truth, at the end.
    #[serde(rename = "true")]
    pub truth: TrulyJudged,
    /// The mean over the whole budget of the share of relevant pages so far, and of recall without the seeds. What is not spent
    /// brings nothing.
    pub harvest_area: f64,
    /// The same of recall.
    pub recall_area: f64,
    /// How it stood on the way.
    pub curve: Vec<Point>,
    /// The numbers of its pages in the web, and of those that are truly relevant, for the first repeat.
    pub found: Option<[Vec<u32>; 2]>,
}

/// How a run stood after some pages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// After so many pages.
    pub pages: u64,
    /// By its own opinion.
    #[serde(rename = "self")]
    pub own: Option<SelfJudged>,
    /// By the truth.
    #[serde(rename = "true")]
    pub truth: TrulyJudged,
}

impl Outcome {
    /// What it would be had the crawl ended there. The areas are those of the whole.
    #[must_use]
    pub fn as_of(&self, point: &Point) -> Self {
        let Point { pages, own, truth } = *point;
        Self { pages, own, truth, curve: Vec::new(), found: None, ..*self }
    }
}

/// Runs a crawler once. None if it was stopped.
pub fn run(
    setting: &Setting,
    contender: &Contender,
    repeat: u64,
    stop: &AtomicBool,
) -> Result<Option<Outcome>, CrawlError> {
    let settings = Settings {
        budget: setting.budget,
        seed: setting.seed.wrapping_add(repeat),
        ..Settings::default()
    };
    let observer = Arc::new(Mutex::new(Observer::new(setting)));
    let parts = CrawlParts {
        web: Arc::clone(&setting.web) as _,
        focus: Arc::clone(&contender.focus),
        recipe: contender.recipe.clone(),
        state: Box::new(LocalState::in_memory(FrontierLimits::from(&settings))),
        settings,
        seeds: setting.seeds.clone(),
        labels: Some(setting.labels.clone()),
        has_topic: contender.has_topic,
        threads: 1,
    };
    let start = Instant::now();
    let rows = Arc::clone(&observer);
    let mut crawl = Crawl::in_hand(parts, move |row| {
        rows.lock().unwrap_or_else(PoisonError::into_inner).see(&row);
    })?;
    let end = crawl.run(stop, &mut |_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    if end == End::Stopped {
        return Ok(None);
    }
    let (summary, has_drawn) = (crawl.summary(), crawl.has_drawn());
    drop(crawl);
    let observer = observer.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Some(observer.outcome(&summary, end, seconds, has_drawn, contender.has_topic, repeat == 0)))
}

/// After how many pages curves have their points: each hundredth of the budget, or each page of a small one.
#[must_use]
pub fn points(budget: u64) -> Vec<u64> {
    let count = budget.clamp(1, POINTS);
    (1..=count).map(|point| (point * budget.max(1)).div_ceil(count)).collect()
}

/// 1 + 1/2 + … + 1/n; beyond a million by Euler's formula, which is right to all digits there.
fn harmonic(n: u64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    if n > 1_000_000 {
        let n = n as f64;
        return libm::log(n) + EULER + 0.5 / n - 1.0 / (12.0 * n * n);
    }
    (1..=n).map(|at| 1.0 / at as f64).sum()
}

/// Sees every page of a crawl as it comes.
struct Observer {
    labels: Labels,
    web: Arc<LoadedWeb>,
    seeds: HashSet<String>,
    budget: u64,
    own: Tally,
    truth: Tally,
    recalled: Recalled,
    points: Vec<(Tally, Tally, Recalled)>,
    /// After each page, how many relevant ones there were, without and with the seeds.
    harvest_sum: f64,
    recall_sum: f64,
    found: [Vec<u32>; 2],
}

impl Observer {
    fn new(setting: &Setting) -> Self {
        let labels = setting.labels.clone();
        let is_relevant =
            |url: &&Url| labels.label(url.as_str()).is_some_and(|label| labels.is_relevant(label));
        let relevant_seeds = setting.seeds.iter().filter(is_relevant).count() as u64;
        Self {
            web: Arc::clone(&setting.web),
            seeds: setting.seeds.iter().map(Url::to_string).collect(),
            budget: setting.budget.max(1),
            own: Tally::default(),
            truth: Tally::default(),
            recalled: Recalled { relevant_seeds, ..Recalled::default() },
            points: Vec::new(),
            harvest_sum: 0.0,
            recall_sum: 0.0,
            found: [Vec::new(), Vec::new()],
            labels,
        }
    }

    fn see(&mut self, row: &LogRow) {
        if !row.is_page() {
            return;
        }
        let priority = row.score(Score::Priority);
        let similarity = row.relevance.unwrap_or(0.0);
        if let Some(is_relevant) = row.relevant {
            self.own.add(Judged { is_relevant, relevance: similarity, similarity, priority });
        }
        let is_relevant = row.truly_relevant == Some(true);
        let relevance = f64::from(u8::from(is_relevant));
        self.truth.add(Judged { is_relevant, relevance, similarity, priority });
        self.recalled.labelled += u64::from(row.label.is_some());
        let is_seed = self.seeds.contains(&row.url);
        self.recalled.relevant_seeds_found += u64::from(is_relevant && is_seed);
        if let Some(place) = self.web.place(&row.final_url) {
            self.found[0].push(place);
            self.found[1].extend(is_relevant.then_some(place));
        }
        let judged = self.truly();
        self.harvest_sum += judged.accuracy;
        self.recall_sum += judged.recall_without_seeds;
        // The last page before each hundredth of the budget.
        let pages = self.truth.pages;
        if pages * POINTS / self.budget > (pages - 1) * POINTS / self.budget {
            self.points.push((self.own, self.truth, self.recalled));
        }
    }

    fn truly(&self) -> TrulyJudged {
        TrulyJudged::of(&self.truth, self.recalled, self.labels.relevant_pages())
    }

    fn outcome(
        &self,
        summary: &Summary,
        end: End,
        seconds: f64,
        has_drawn: bool,
        has_topic: bool,
        keeps_pages: bool,
    ) -> Outcome {
        let relevant_pages = self.labels.relevant_pages();
        let judged = |own: &Tally| has_topic.then(|| SelfJudged::of(own));
        let point = |(own, truth, recalled): &(Tally, Tally, Recalled)| Point {
            pages: truth.pages,
            own: judged(own),
            truth: TrulyJudged::of(truth, *recalled, relevant_pages),
        };
        let truth = self.truly();
        let mut curve: Vec<Point> = self.points.iter().map(point).collect();
        // A crawl that ends between two points has one more, at which it stays.
        if curve.last().is_none_or(|last| last.pages != self.truth.pages) {
            curve.push(point(&(self.own, self.truth, self.recalled)));
        }
        // What is not spent brings nothing: recall stays, and the share of relevant pages falls with each.
        let unspent = self.budget.saturating_sub(self.truth.pages) as f64;
        let harvest = truth.relevant as f64 * (harmonic(self.budget) - harmonic(self.truth.pages));
        let recall = truth.recall_without_seeds * unspent;
        let budget = self.budget as f64;
        Outcome {
            pages: summary.downloaded,
            end,
            seconds,
            has_drawn,
            own: judged(&self.own),
            truth,
            harvest_area: (self.harvest_sum + harvest) / budget,
            recall_area: (self.recall_sum + recall) / budget,
            curve,
            found: keeps_pages.then(|| self.found.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_spread_over_the_budget() {
        assert_eq!(points(3), [1, 2, 3]);
        let many = points(250);
        assert_eq!((many.len(), many[0], many[1], many[99]), (100, 3, 5, 250));
        assert_eq!(points(0), [1]);
    }

    #[test]
    fn the_harmonic_numbers_join_where_the_formula_takes_over() {
        assert!((harmonic(4) - 25.0 / 12.0).abs() < 1e-12);
        let joint = harmonic(1_000_001) - harmonic(1_000_000);
        assert!((joint - 1.0 / 1_000_001.0).abs() < 1e-10, "{joint}");
        assert!(harmonic(u64::MAX).is_finite());
    }
}
