//! The figures of a comparison, as JSON, the terminal and the reports show them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::comparison::{Comparison, MEASURES, Mean, Measure, Overlap};
use crate::experiment::points;
use crate::gap::Gaps;
use crate::statistics::{Against, MeanRank, TestResults, smallest_wilcoxon_p};

/// All figures of a comparison.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// The measures of each crawler, by name.
    pub recipes: BTreeMap<String, Crawler>,
    /// The measures of the oracle by the ground truth, if it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oracle: Option<OracleFigures>,
    /// Each crawler compared with a reference, by name.
    pub gaps: Gaps,
    /// The test results, by `side.measure`.
    pub tests: BTreeMap<String, TestResults>,
    /// The overlap of each pair of crawlers.
    pub superposition: Vec<Overlap>,
    /// The names of the blocks.
    pub blocks: Vec<String>,
    /// Number of pages that each run may fetch.
    pub budget: u64,
    /// Greatest number of repeats of a run.
    pub repeats: u64,
    /// The random seed.
    pub seed: u64,
    /// The unit that means and standard errors are over: `blocks` or `repeats`.
    pub over: &'static str,
    /// The speed of the experiment.
    pub speed: Speed,
}

/// Settings for computing the figures of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct FigureSettings<'a> {
    /// Greatest number of repeats of a run.
    pub repeats: u64,
    /// The random seed, also used for the permutation tests.
    pub seed: u64,
    /// The crawler that the others are tested against; by default the one with the best mean rank.
    pub control: Option<&'a str>,
    /// The significance level of the tests.
    pub alpha: f64,
    /// Number of milestones.
    pub milestones: usize,
}

/// The speed of an experiment.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Speed {
    /// Number of pages crawled, without those of saved runs.
    pub pages: u64,
    /// Time that all cores together spent on crawling, parsing and scoring them, in seconds.
    pub core_seconds: f64,
    /// Pages per second of one core.
    pub pages_per_core_second: f64,
    /// Elapsed time in seconds.
    pub seconds: f64,
    /// Number of runs that were reused from an earlier experiment.
    pub kept_runs: u64,
}

/// The measures of the oracle, which judges no pages.
#[derive(Debug, Serialize)]
pub struct OracleFigures {
    /// Measures by the ground truth.
    #[serde(rename = "true")]
    pub truth: BTreeMap<&'static str, Mean>,
}

/// The measures of one crawler.
#[derive(Debug, Serialize)]
pub struct Crawler {
    /// Measures by the ground truth.
    #[serde(rename = "true")]
    pub truth: BTreeMap<&'static str, Mean>,
    /// Self-reported measures.
    #[serde(rename = "self")]
    pub own: BTreeMap<&'static str, Mean>,
    /// Mean duration of a run in seconds.
    pub seconds: f64,
    /// Duration of a run in seconds, with its standard error.
    pub time: Mean,
    /// Number of pages fetched.
    pub pages: Mean,
    /// True if no run used random numbers, so that all repeats are equal.
    pub deterministic: bool,
    /// The measures at some page counts, evenly spread over the budget.
    #[serde(rename = "checkpoints")]
    pub milestones: Vec<Milestone>,
}

/// The measures of a crawler after a number of pages.
#[derive(Debug, Serialize)]
pub struct Milestone {
    /// Number of pages fetched so far.
    pub pages: u64,
    /// Measures by the ground truth.
    #[serde(rename = "true")]
    pub truth: BTreeMap<&'static str, Mean>,
    /// Self-reported measures.
    #[serde(rename = "self")]
    pub own: BTreeMap<&'static str, Mean>,
}

impl Figures {
    /// Computes the figures of a comparison.
    #[must_use]
    pub fn new(comparison: &Comparison, speed: Speed, settings: &FigureSettings<'_>) -> Self {
        let crawler = |(at, name): (usize, &String)| {
            (name.clone(), Crawler::new(comparison, at, settings.milestones))
        };
        Self {
            recipes: comparison.names.iter().enumerate().map(crawler).collect(),
            oracle: (!comparison.oracle.is_empty()).then(|| OracleFigures::new(comparison)),
            gaps: comparison.gaps(),
            tests: comparison.tests(settings.control, settings.alpha, settings.seed),
            superposition: comparison.overlaps(),
            blocks: comparison.blocks.clone(),
            budget: comparison.budget,
            repeats: settings.repeats,
            seed: settings.seed,
            over: if comparison.blocks.len() > 1 { "blocks" } else { "repeats" },
            speed,
        }
    }
}

/// Column heads of a table of test results.
pub const TEST_HEADS: [&str; 7] =
    ["recipe", "mean rank", "z", "Holm p", "Nemenyi", "Wilcoxon p (Holm)", "A12"];

/// Returns the rows of a table of test results, the crawler with the best mean rank first.
#[must_use]
pub fn test_rows(results: &TestResults) -> Vec<Vec<String>> {
    let row = |ranked: &MeanRank| {
        let against = results.against_control.iter().find(|it| it.name == ranked.name);
        let cell =
            |of: fn(&Against) -> f64| against.map_or_else(|| "–".to_owned(), |it| p_value(of(it)));
        vec![
            ranked.name.clone(),
            format!("{:.2}", ranked.rank),
            against.map_or_else(|| "–".to_owned(), |it| format!("{:.2}", it.z)),
            cell(|it| it.holm_p),
            against.map_or("–", |it| if it.nemenyi { "differs" } else { "no" }).to_owned(),
            cell(|it| it.wilcoxon_holm_p),
            against.map_or_else(|| "–".to_owned(), |it| format!("{:.2}", it.a12)),
        ]
    };
    results.mean_ranks.iter().map(row).collect()
}

/// Summarises test results in one sentence.
#[must_use]
pub fn sentence(results: &TestResults) -> String {
    let test = &results.friedman;
    let is_small = results.blocks < 10 || results.mean_ranks.len() < 5;
    let (what, p) = if is_small {
        ("permutation test", test.permutation_p)
    } else {
        ("Iman–Davenport test", test.iman_davenport_p)
    };
    let found = if results.rejects {
        format!("significant differences ({what}, p {})", p_compared(p))
    } else {
        format!("no significant differences ({what}, p {})", p_compared(p))
    };
    format!(
        "{found}; Friedman χ² {:.2}, Kendall's W {:.2}, {} blocks; critical difference {:.2}; control \
         {}{}",
        test.chi_squared,
        test.kendall_w,
        results.blocks,
        results.critical_difference,
        results.control,
        smallest_p(results)
    )
}

/// Greatest number of blocks that the advice considers.
const MOST_BLOCKS: usize = 100;

/// Returns the smallest p that the number of blocks allows, and what it means for the user. With
/// many blocks it is no limit.
fn smallest_p(results: &TestResults) -> String {
    let smallest = results.smallest_wilcoxon_p;
    if smallest < 0.0001 {
        return String::new();
    }
    let comparisons = results.against_control.len().max(1) as f64;
    let is_out_of_reach = smallest * comparisons >= results.alpha;
    let reaches = |blocks: &usize| smallest_wilcoxon_p(*blocks) * comparisons < results.alpha;
    let needed = (1..=MOST_BLOCKS).find(reaches);
    let advice = match needed.filter(|_| is_out_of_reach) {
        Some(needed) => format!(
            ", so its corrected p cannot be below {}; that takes {needed} blocks",
            results.alpha
        ),
        None => String::new(),
    };
    format!(
        "; the smallest p of Wilcoxon's test with {} blocks is {}{advice}",
        results.blocks,
        p_value(smallest)
    )
}

/// Formats a p-value with four decimals.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p < 0.0001 { "<0.0001".to_owned() } else { format!("{p:.4}") }
}

fn p_compared(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// Returns the columns of a table: the measures of one side. Those of the run itself are shown with
/// the ground truth.
#[must_use]
pub fn columns(side: &str) -> Vec<&'static Measure> {
    let is_shown =
        |measure: &&Measure| measure.side == side || (measure.side == "run" && side == "true");
    MEASURES.iter().filter(is_shown).collect()
}

/// Formats a mean and its standard error, with as many decimals as suit the measure.
#[must_use]
pub fn shown(measure: &Measure, mean: Option<Mean>) -> String {
    let Some(Mean { mean, se }) = mean else { return "–".to_owned() };
    let digits = match measure.name {
        "relevant" | "pages" => 0,
        "seconds" => 2,
        _ => 4,
    };
    // The error of a single run is unknown, so none is shown.
    if se == 0.0 { format!("{mean:.digits$}") } else { format!("{mean:.digits$} ± {se:.digits$}") }
}

impl OracleFigures {
    fn new(comparison: &Comparison) -> Self {
        let of_truth = MEASURES.iter().filter(|measure| measure.side == "true");
        let mean = |measure: &Measure| Some((measure.name, comparison.oracle_mean(measure)?));
        Self { truth: of_truth.filter_map(mean).collect() }
    }
}

impl Crawler {
    fn new(comparison: &Comparison, at: usize, milestones: usize) -> Self {
        let side = |side: &str| -> BTreeMap<&'static str, Mean> {
            let of = |measure: &&Measure| measure.side == side;
            let mean = |measure: &Measure| Some((measure.name, comparison.mean(at, measure)?));
            MEASURES.iter().filter(of).filter_map(mean).collect()
        };
        let run = side("run");
        let none = Mean { mean: 0.0, se: 0.0 };
        let time = run.get("seconds").copied().unwrap_or(none);
        Self {
            truth: side("true"),
            own: side("self"),
            seconds: time.mean,
            time,
            pages: run.get("pages").copied().unwrap_or(none),
            deterministic: !comparison
                .runs
                .iter()
                .flat_map(|block| &block[at])
                .any(|it| it.is_random),
            milestones: self::milestones(comparison, at, milestones),
        }
    }
}

/// Returns the measures of a crawler at `wanted` page counts, evenly spread over the budget.
fn milestones(comparison: &Comparison, at: usize, wanted: usize) -> Vec<Milestone> {
    let curves: Vec<(&Measure, Vec<(u64, Mean)>)> = MEASURES
        .iter()
        .filter(|measure| measure.has_curve())
        .map(|measure| (measure, comparison.curve(at, measure)))
        .collect();
    let pages = points(comparison.budget);
    let places = (1..=wanted).map(|point| (point * pages.len()).div_ceil(wanted.max(1)));
    let mut places: Vec<usize> = places.filter(|place| *place > 0).map(|place| place - 1).collect();
    places.dedup();
    let milestone = |place: usize| {
        let side = |side: &str| -> BTreeMap<&'static str, Mean> {
            let own = curves.iter().filter(|(measure, _)| measure.side == side);
            own.filter_map(|(measure, curve)| Some((measure.name, curve.get(place)?.1))).collect()
        };
        Milestone { pages: pages[place], truth: side("true"), own: side("self") }
    };
    places.into_iter().map(milestone).collect()
}
