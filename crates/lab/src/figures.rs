//! The figures of a comparison: what JSON, the terminal and the reports show.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::comparison::{Comparison, MEASURES, Mean, Measure, Overlap};
use crate::experiment::points;
use crate::statistics::{Against, MeanRank, Verdict};

/// Everything that a comparison found.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// The measures of each crawler, by name.
    pub recipes: BTreeMap<String, Crawler>,
    /// The tests, by `side.measure`.
    pub tests: BTreeMap<String, Verdict>,
    /// What each two crawlers have in common.
    pub superposition: Vec<Overlap>,
    /// The names of the blocks.
    pub blocks: Vec<String>,
    /// How many pages each run may fetch.
    pub budget: u64,
    /// How often each run was repeated at most.
    pub repeats: u64,
    /// The seed of all that was left to chance.
    pub seed: u64,
    /// What means and standard errors are over.
    pub over: &'static str,
    /// How fast it went.
    pub speed: Speed,
}

/// How figures are made of runs.
#[derive(Debug, Clone, Copy)]
pub struct Judging<'a> {
    /// How often each run was repeated at most.
    pub repeats: u64,
    /// The seed of all that was left to chance, the permutations of the tests too.
    pub seed: u64,
    /// The crawler that the others are tested against; if none, the one with the best mean rank.
    pub control: Option<&'a str>,
    /// The error that tests accept.
    pub alpha: f64,
    /// At how many points on the way the tables stand.
    pub checkpoints: usize,
}

/// How fast runs were made.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Speed {
    /// Pages that were crawled now, runs that were kept aside.
    pub pages: u64,
    /// The time all cores spent on crawling them, reading and scoring included, in seconds.
    pub core_seconds: f64,
    /// Pages a second of one core.
    pub pages_per_core_second: f64,
    /// The time that passed, in seconds.
    pub seconds: f64,
    /// Runs that were there already.
    pub kept_runs: u64,
}

/// The measures of one crawler.
#[derive(Debug, Serialize)]
pub struct Crawler {
    /// By the truth.
    #[serde(rename = "true")]
    pub truth: BTreeMap<&'static str, Mean>,
    /// By its own opinion.
    #[serde(rename = "self")]
    pub own: BTreeMap<&'static str, Mean>,
    /// The time of one run.
    pub seconds: f64,
    /// The time of one run, with its error.
    pub time: Mean,
    /// How many pages it fetched.
    pub pages: Mean,
    /// Whether nothing is left to chance, so that repeats are the same.
    pub deterministic: bool,
    /// How it stood on the way.
    pub checkpoints: Vec<Checkpoint>,
}

/// How a crawler stood on the way.
#[derive(Debug, Serialize)]
pub struct Checkpoint {
    /// After so many pages.
    pub pages: u64,
    /// By the truth.
    #[serde(rename = "true")]
    pub truth: BTreeMap<&'static str, Mean>,
    /// By its own opinion.
    #[serde(rename = "self")]
    pub own: BTreeMap<&'static str, Mean>,
}

impl Figures {
    /// The figures of some runs.
    #[must_use]
    pub fn new(comparison: &Comparison, speed: Speed, judging: &Judging<'_>) -> Self {
        let crawler = |(at, name): (usize, &String)| {
            (name.clone(), Crawler::new(comparison, at, judging.checkpoints))
        };
        Self {
            recipes: comparison.names.iter().enumerate().map(crawler).collect(),
            tests: comparison.tests(judging.control, judging.alpha, judging.seed),
            superposition: comparison.overlaps(),
            blocks: comparison.blocks.clone(),
            budget: comparison.budget,
            repeats: judging.repeats,
            seed: judging.seed,
            over: if comparison.blocks.len() > 1 { "blocks" } else { "repeats" },
            speed,
        }
    }
}

/// The heads of a table of tests.
pub const TEST_HEADS: [&str; 6] =
    ["recipe", "mean rank", "z", "Holm p", "Wilcoxon p (Holm)", "A12"];

/// What a verdict says of each crawler, the best first.
#[must_use]
pub fn test_rows(verdict: &Verdict) -> Vec<Vec<String>> {
    let row = |ranked: &MeanRank| {
        let against = verdict.against_control.iter().find(|it| it.name == ranked.name);
        let cell =
            |of: fn(&Against) -> f64| against.map_or_else(|| "–".to_owned(), |it| p_value(of(it)));
        vec![
            ranked.name.clone(),
            format!("{:.3}", ranked.rank),
            against.map_or_else(|| "–".to_owned(), |it| format!("{:.2}", it.z)),
            cell(|it| it.holm_p),
            cell(|it| it.wilcoxon_holm_p),
            against.map_or_else(|| "–".to_owned(), |it| format!("{:.2}", it.a12)),
        ]
    };
    verdict.mean_ranks.iter().map(row).collect()
}

/// What a verdict comes to, in words.
#[must_use]
pub fn sentence(verdict: &Verdict) -> String {
    let test = &verdict.friedman;
    let is_small = verdict.blocks < 10 || verdict.mean_ranks.len() < 5;
    let (what, p) = if is_small {
        ("by permutations", test.permutation_p)
    } else {
        ("Iman–Davenport", test.iman_davenport_p)
    };
    let found = if verdict.rejects {
        format!("they differ ({what} p {})", p_compared(p))
    } else {
        format!("no difference that is more than chance ({what} p {})", p_compared(p))
    };
    format!(
        "{found}; Friedman χ² {:.3}, W {:.2}, {} blocks; critical difference {:.2}; control {}",
        test.chi_squared,
        test.kendall_w,
        verdict.blocks,
        verdict.critical_difference,
        verdict.control
    )
}

/// A probability in four decimals.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p < 0.0001 { "<0.0001".to_owned() } else { format!("{p:.4}") }
}

fn p_compared(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// The columns of a table: the measures of one side, and what the run took beside the truth.
#[must_use]
pub fn columns(side: &str) -> Vec<&'static Measure> {
    let is_shown =
        |measure: &&Measure| measure.side == side || (measure.side == "run" && side == "true");
    MEASURES.iter().filter(is_shown).collect()
}

/// A mean with its error, in as many digits as suit the measure.
#[must_use]
pub fn shown(measure: &Measure, mean: Option<Mean>) -> String {
    let Some(Mean { mean, se }) = mean else { return "–".to_owned() };
    let digits = match measure.name {
        "relevant" | "pages" => 0,
        "seconds" => 2,
        _ => 4,
    };
    // A single run has no error that could be known.
    if se == 0.0 { format!("{mean:.digits$}") } else { format!("{mean:.digits$} ± {se:.digits$}") }
}

impl Crawler {
    fn new(comparison: &Comparison, at: usize, checkpoints: usize) -> Self {
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
                .any(|it| it.has_drawn),
            checkpoints: self::checkpoints(comparison, at, checkpoints),
        }
    }
}

/// How a crawler stood at so many points, evenly spread.
fn checkpoints(comparison: &Comparison, at: usize, wanted: usize) -> Vec<Checkpoint> {
    let curves: Vec<(&Measure, Vec<(u64, Mean)>)> = MEASURES
        .iter()
        .filter(|measure| measure.has_curve())
        .map(|measure| (measure, comparison.curve(at, measure)))
        .collect();
    let pages = points(comparison.budget);
    let places = (1..=wanted).map(|point| (point * pages.len()).div_ceil(wanted.max(1)));
    let mut places: Vec<usize> = places.filter(|place| *place > 0).map(|place| place - 1).collect();
    places.dedup();
    let checkpoint = |place: usize| {
        let side = |side: &str| -> BTreeMap<&'static str, Mean> {
            let own = curves.iter().filter(|(measure, _)| measure.side == side);
            own.filter_map(|(measure, curve)| Some((measure.name, curve.get(place)?.1))).collect()
        };
        Checkpoint { pages: pages[place], truth: side("true"), own: side("self") }
    };
    places.into_iter().map(checkpoint).collect()
}
