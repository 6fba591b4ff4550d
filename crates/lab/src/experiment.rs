//! One run of an experiment: one crawler on one web, with given seeds and a budget, and its
//! outcome.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ontrail_crawl::{
    Crawl, CrawlError, CrawlParts, CrawlSettings, CrawlState, End, Focus, FrontierLimits, Judged,
    JudgementQuality, Labels, LocalState, LogRow, Recalled, SelfJudged, Summary, Tally,
    TrulyJudged,
};
use ontrail_pilot::{Recipe, Score};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::web::LoadedWeb;

/// Number of points on a curve.
pub const POINTS: u64 = 100;

/// The conditions that all crawlers of a block share: web, ground truth, seeds and budget.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The web.
    pub web: Arc<LoadedWeb>,
    /// The ground truth.
    pub labels: Labels,
    /// The seeds.
    pub seeds: Vec<Url>,
    /// Number of pages that each crawl may fetch.
    pub budget: u64,
    /// Random seed of the first repeat; each further one adds 1.
    pub seed: u64,
}

/// A crawler with its models.
#[derive(Clone)]
pub struct Contender {
    /// The name: that of the recipe, with the settings that differ from it.
    pub name: String,
    /// The recipe.
    pub recipe: Recipe,
    /// The models that judge pages for it.
    pub focus: Arc<dyn Focus>,
    /// True if it judges pages by a topic.
    pub has_topic: bool,
}

impl std::fmt::Debug for Contender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOutcome {
    /// Number of pages fetched (DP).
    pub pages: u64,
    /// The reason why it ended.
    pub end: End,
    /// Duration in seconds, including the parsing and scoring of new pages.
    pub seconds: f64,
    /// True if the crawl used random numbers. If not, all its repeats are equal.
    pub is_random: bool,
    /// Self-reported measures at the end.
    #[serde(rename = "self")]
    pub own: Option<SelfJudged>,
    /// Measures by the ground truth at the end.
    #[serde(rename = "true")]
    pub truth: TrulyJudged,
    /// The quality of the crawler's own judgement of the pages that it fetched; none if it has no
    /// topic.
    #[serde(default)]
    pub judgement: Option<JudgementQuality>,
    /// Harvest rate, averaged over the whole budget. Pages that a crawl does not fetch count as
    /// irrelevant.
    pub harvest_area: f64,
    /// Recall without the seeds, averaged over the whole budget. After the end of a crawl, recall
    /// stays as it is.
    pub recall_area: f64,
    /// The same over the first quarter of the budget.
    pub recall_area_quarter: f64,
    /// The same over the first half of the budget.
    pub recall_area_half: f64,
    /// The measures during the run.
    pub curve: Vec<Point>,
    /// For the first repeat: the numbers, within the web, of all pages and of the pages that are
    /// relevant by the ground truth.
    pub found: Option<[Vec<u32>; 2]>,
}

/// The measures of a run after a number of pages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Number of pages fetched so far.
    pub pages: u64,
    /// Self-reported measures.
    #[serde(rename = "self")]
    pub own: Option<SelfJudged>,
    /// Measures by the ground truth.
    #[serde(rename = "true")]
    pub truth: TrulyJudged,
}

impl RunOutcome {
    /// Returns the outcome as if the crawl had ended at this point. The areas remain those of the
    /// whole run.
    #[must_use]
    pub fn as_of(&self, point: &Point) -> Self {
        let Point { pages, own, truth } = *point;
        Self { pages, own, truth, curve: Vec::new(), found: None, ..*self }
    }
}

/// Runs a crawler once. Returns `None` if `stop` was set meanwhile.
pub fn run(
    setting: &Setting,
    contender: &Contender,
    repeat: u64,
    stop: &AtomicBool,
) -> Result<Option<RunOutcome>, CrawlError> {
    let state = |limits| Box::new(LocalState::in_memory(limits)) as Box<dyn CrawlState>;
    run_in(setting, contender, repeat, stop, &state)
}

/// Runs a crawler once, in a state that is made for the limits of its frontier.
pub(crate) fn run_in(
    setting: &Setting,
    contender: &Contender,
    repeat: u64,
    stop: &AtomicBool,
    state: &dyn Fn(FrontierLimits) -> Box<dyn CrawlState>,
) -> Result<Option<RunOutcome>, CrawlError> {
    let settings = CrawlSettings::default().with(|it| {
        it.budget = setting.budget;
        it.seed = setting.seed.wrapping_add(repeat);
    });
    let observer = Arc::new(Mutex::new(Observer::new(setting)));
    let parts = CrawlParts {
        web: Arc::clone(&setting.web) as _,
        focus: Arc::clone(&contender.focus),
        recipe: contender.recipe.clone(),
        state: state(FrontierLimits::from(&settings)),
        settings,
        seeds: setting.seeds.clone(),
        labels: Some(setting.labels.clone()),
        has_topic: contender.has_topic,
        threads: 1,
    };
    let start = Instant::now();
    let rows = Arc::clone(&observer);
    let mut crawl = Crawl::without_output(parts, move |row| {
        rows.lock().unwrap_or_else(PoisonError::into_inner).add(&row);
    })?;
    let end = crawl.run(stop, &mut |_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    if end == End::Stopped {
        return Ok(None);
    }
    let (summary, is_random) = (crawl.summary(), crawl.is_random());
    drop(crawl);
    let observer = observer.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Some(observer.outcome(&summary, end, seconds, is_random, contender.has_topic, repeat == 0)))
}

/// Returns the numbers of pages at which curves have their points: every hundredth of the budget,
/// or every page if the budget is smaller.
#[must_use]
pub fn points(budget: u64) -> Vec<u64> {
    let count = budget.clamp(1, POINTS);
    (1..=count).map(|point| (point * budget.max(1)).div_ceil(count)).collect()
}

/// Returns 1 + 1/2 + … + 1/n. Beyond a million it uses Euler's formula, which is exact to all
/// digits there.
fn harmonic(n: u64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    if n > 1_000_000 {
        let n = n as f64;
        return libm::log(n) + EULER + 0.5 / n - 1.0 / (12.0 * n * n);
    }
    (1..=n).map(|at| 1.0 / at as f64).sum()
}

/// Recall averaged over the first pages of a crawl.
#[derive(Debug, Clone, Copy)]
struct RecallArea {
    /// The number of those pages.
    pages: u64,
    /// Sum of the recalls after each of them.
    sum: f64,
}

impl RecallArea {
    fn of(pages: u64) -> Self {
        Self { pages, sum: 0.0 }
    }

    /// Adds the recall after a page; pages count from 1.
    fn add(&mut self, page: u64, recall: f64) {
        if page <= self.pages {
            self.sum += recall;
        }
    }

    /// Returns the mean for a crawl that ended after some pages and keeps its recall.
    fn mean(&self, fetched: u64, recall: f64) -> f64 {
        (self.sum + recall * self.pages.saturating_sub(fetched) as f64) / self.pages as f64
    }
}

/// Measures a crawl, page by page.
struct Observer {
    labels: Labels,
    web: Arc<LoadedWeb>,
    seeds: HashSet<String>,
    budget: u64,
    own: Tally,
    truth: Tally,
    recalled: Recalled,
    points: Vec<(Tally, Tally, Recalled)>,
    /// Sum of the harvest rates after each page.
    harvest_sum: f64,
    /// The areas of recall over a quarter, half and all of the budget.
    recalls: [RecallArea; 3],
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
            recalls: [4, 2, 1].map(|part| RecallArea::of(setting.budget.max(1).div_ceil(part))),
            found: [Vec::new(), Vec::new()],
            labels,
        }
    }

    fn add(&mut self, row: &LogRow) {
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
        let (page, recall) = (self.truth.pages, judged.recall_without_seeds);
        self.recalls.iter_mut().for_each(|area| area.add(page, recall));
        // The first page at or beyond each hundredth of the budget.
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
        is_random: bool,
        has_topic: bool,
        keeps_pages: bool,
    ) -> RunOutcome {
        let relevant_pages = self.labels.relevant_pages();
        let judged = |own: &Tally| has_topic.then(|| SelfJudged::of(own));
        let point = |(own, truth, recalled): &(Tally, Tally, Recalled)| Point {
            pages: truth.pages,
            own: judged(own),
            truth: TrulyJudged::of(truth, *recalled, relevant_pages),
        };
        let truth = self.truly();
        let mut curve: Vec<Point> = self.points.iter().map(point).collect();
        // A crawl that ends between two points gets one more, whose values it keeps.
        if curve.last().is_none_or(|last| last.pages != self.truth.pages) {
            curve.push(point(&(self.own, self.truth, self.recalled)));
        }
        // After an early end, recall stays, and the harvest rate falls with every page not fetched.
        let harvest = truth.relevant as f64 * (harmonic(self.budget) - harmonic(self.truth.pages));
        let areas = self.recalls.map(|it| it.mean(self.truth.pages, truth.recall_without_seeds));
        let [recall_area_quarter, recall_area_half, recall_area] = areas;
        let budget = self.budget as f64;
        RunOutcome {
            pages: summary.downloaded,
            end,
            seconds,
            is_random,
            own: judged(&self.own),
            truth,
            judgement: summary.judgement,
            harvest_area: (self.harvest_sum + harvest) / budget,
            recall_area,
            recall_area_quarter,
            recall_area_half,
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
    fn areas_of_recall_count_the_first_pages_and_keep_the_last_recall() {
        let recalls = [0.0, 0.2, 0.2, 0.6, 0.8];
        let area = |pages: u64, fetched: usize| {
            let mut area = RecallArea::of(pages);
            (1..).zip(&recalls[..fetched]).for_each(|(page, recall)| area.add(page, *recall));
            area.mean(fetched as u64, recalls[fetched - 1])
        };
        // (0 + .2 + .2) / 3; (0 + .2 + .2 + .6 + .8) / 5; (0 + .2 + .2 + 3 · .2) / 6.
        for (found, wanted) in
            [(area(3, 5), 0.4 / 3.0), (area(5, 5), 0.36), (area(6, 3), 1.0 / 6.0)]
        {
            assert!((found - wanted).abs() < 1e-12, "{found} is not {wanted}");
        }
    }

    #[test]
    fn harmonic_numbers_are_continuous_where_the_formula_takes_over() {
        assert!((harmonic(4) - 25.0 / 12.0).abs() < 1e-12);
        let joint = harmonic(1_000_001) - harmonic(1_000_000);
        assert!((joint - 1.0 / 1_000_001.0).abs() < 1e-10, "{joint}");
        assert!(harmonic(u64::MAX).is_finite());
    }
}
