//! The figures of a comparison: what JSON, the terminal and the reports show.

use std::collections::BTreeMap;

use anyhow::Result;
use ontrail_cli::{Align, Printer, Table, count};
use ontrail_lab::{
    Against, Comparison, MEASURES, Mean, MeanRank, Measure, Overlap, Verdict, points,
};
use serde::Serialize;

use crate::blocks::RunArgs;
use crate::runs::Speed;

/// Everything that a comparison found.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) recipes: BTreeMap<String, Crawler>,
    pub(crate) tests: BTreeMap<String, Verdict>,
    pub(crate) superposition: Vec<Overlap>,
    pub(crate) blocks: Vec<String>,
    pub(crate) budget: u64,
    pub(crate) repeats: u64,
    pub(crate) seed: u64,
    /// What means and standard errors are over.
    pub(crate) over: &'static str,
    pub(crate) speed: Speed,
}

/// The measures of one crawler.
#[derive(Debug, Serialize)]
pub(crate) struct Crawler {
    #[serde(rename = "true")]
    pub(crate) truth: BTreeMap<&'static str, Mean>,
    #[serde(rename = "self")]
    pub(crate) own: BTreeMap<&'static str, Mean>,
    /// The time of one run.
    pub(crate) seconds: f64,
    pub(crate) time: Mean,
    pub(crate) pages: Mean,
    /// Whether nothing is left to chance, so that repeats are the same.
    pub(crate) deterministic: bool,
    pub(crate) checkpoints: Vec<Checkpoint>,
}

/// How a crawler stood on the way.
#[derive(Debug, Serialize)]
pub(crate) struct Checkpoint {
    pub(crate) pages: u64,
    #[serde(rename = "true")]
    pub(crate) truth: BTreeMap<&'static str, Mean>,
    #[serde(rename = "self")]
    pub(crate) own: BTreeMap<&'static str, Mean>,
}

impl Figures {
    pub(crate) fn new(
        comparison: &Comparison,
        speed: Speed,
        args: &RunArgs,
        control: Option<&str>,
        alpha: f64,
        checkpoints: usize,
    ) -> Self {
        let crawler = |(at, name): (usize, &String)| {
            (name.clone(), Crawler::new(comparison, at, checkpoints))
        };
        Self {
            recipes: comparison.names.iter().enumerate().map(crawler).collect(),
            tests: comparison.tests(control, alpha, args.seed),
            superposition: comparison.overlaps(),
            blocks: comparison.blocks.clone(),
            budget: args.budget,
            repeats: args.repeats,
            seed: args.seed,
            over: if comparison.blocks.len() > 1 { "blocks" } else { "repeats" },
            speed,
        }
    }

    /// Prints the tables.
    pub(crate) fn show(&self, comparison: &Comparison, printer: &mut Printer) -> Result<()> {
        printer.heading(format_args!(
            "by the truth, with a budget of {} pages (mean ± standard error over {})",
            count(self.budget),
            self.over
        ))?;
        printer.table(&side_table(comparison, "true"))?;
        printer.heading("by the crawlers' own opinion")?;
        printer.table(&side_table(comparison, "self"))?;
        if self.blocks.len() < 2 {
            printer
                .note("no tests: one block says nothing of others; give more webs, or --seed-sets");
        }
        for (name, verdict) in &self.tests {
            show_test(name, verdict, printer)?;
        }
        printer.note(format_args!(
            "{} pages in {:.1} s: {:.0} pages a second and core, reading and scoring included",
            count(self.speed.pages),
            self.speed.seconds,
            self.speed.pages_per_core_second
        ));
        Ok(())
    }
}

fn side_table(comparison: &Comparison, side: &str) -> Table {
    let columns = columns(side);
    let heads = columns.iter().map(|measure| (measure.symbol, Align::Right));
    let mut table = Table::new(std::iter::once(("recipe", Align::Left)).chain(heads));
    for (at, name) in comparison.names.iter().enumerate() {
        let cells = columns.iter().map(|measure| shown(measure, comparison.mean(at, measure)));
        table.row(std::iter::once(name.clone()).chain(cells));
    }
    table
}

fn show_test(name: &str, verdict: &Verdict, printer: &mut Printer) -> Result<()> {
    // One block shows nothing but itself.
    if verdict.blocks < 2 || !matches!(name, "true.accuracy" | "true.recall" | "true.recall_area") {
        return Ok(());
    }
    printer.heading(format_args!("{name}: {}", sentence(verdict)))?;
    printer.table(&test_table(verdict))?;
    Ok(())
}

pub(crate) const TEST_HEADS: [&str; 6] =
    ["recipe", "mean rank", "z", "Holm p", "Wilcoxon p (Holm)", "A12"];

/// What a verdict says of each crawler, the best first.
pub(crate) fn test_rows(verdict: &Verdict) -> Vec<Vec<String>> {
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

/// The same as a table for the terminal.
pub(crate) fn test_table(verdict: &Verdict) -> Table {
    let align = |(at, head): (usize, &&'static str)| {
        (*head, if at == 0 { Align::Left } else { Align::Right })
    };
    let mut table = Table::new(TEST_HEADS.iter().enumerate().map(align));
    test_rows(verdict).into_iter().for_each(|row| table.row(row));
    table
}

/// What a verdict comes to, in words.
pub(crate) fn sentence(verdict: &Verdict) -> String {
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

pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { "<0.0001".to_owned() } else { format!("{p:.4}") }
}

fn p_compared(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// The columns of a table: the measures of one side, and what the run took beside the truth.
pub(crate) fn columns(side: &str) -> Vec<&'static Measure> {
    let is_shown =
        |measure: &&Measure| measure.side == side || (measure.side == "run" && side == "true");
    MEASURES.iter().filter(is_shown).collect()
}

/// A mean with its error, in as many digits as suit the measure.
pub(crate) fn shown(measure: &Measure, mean: Option<Mean>) -> String {
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
