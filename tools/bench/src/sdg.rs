//! `ontrail bench sdg`: the speed of building a disambiguation graph and of applying it to pages.

use anyhow::{Context as _, Result};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_page::{Html, Page, Source};
use ontrail_sdg::{Disambiguator, Occurrences, Sdg, SdgSettings, TopicTerm};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use serde::Serialize;

use crate::timing::seconds;

/// One page of this many is relevant.
const RELEVANT: usize = 10;
/// Number of pages that the graph is applied to.
const JUDGED: usize = 200;
/// Number of words in each of these pages.
const WORDS: usize = 400;

/// Measure the speed of building and applying a disambiguation graph
///
/// The pages are synthetic. Each has up to --per-page of the terms, frequent terms more often than
/// rare ones. The fastest round of each measurement is reported.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench sdg
  ontrail bench sdg --terms 1000 --pages 100000 --rounds 5")]
pub(crate) struct SdgBench {
    /// Number of terms in the topic
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    terms: u32,
    /// Number of pages in the background
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pages: u32,
    /// Number of terms drawn for each page
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    per_page: u32,
    /// Number of rounds of each measurement
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Serialize)]
struct Report {
    threads: usize,
    terms: u32,
    pages: u32,
    /// Number of edges of the graph.
    edges: usize,
    /// Seconds to count the pages and build the graph, on one thread.
    seconds_1: f64,
    /// The same on all threads.
    seconds_n: f64,
    judged_per_second: f64,
}

pub(crate) fn run(args: &SdgBench, printer: &mut Printer) -> Result<ExitStatus> {
    let terms: Vec<TopicTerm> = (0..args.terms).map(term).collect();
    let pages = synthetic_pages(args);
    let one = ThreadPoolBuilder::new().num_threads(1).build().context("cannot start a thread")?;
    let build = || -> Result<Sdg> { Ok(built(&terms, &pages)?) };
    let sdg = build()?;
    let fastest =
        |work: &mut dyn FnMut() -> f64| (0..args.rounds).map(|_| work()).fold(f64::MAX, f64::min);
    let report = Report {
        threads: rayon::current_num_threads(),
        terms: args.terms,
        pages: args.pages,
        edges: sdg.edges.len(),
        seconds_1: fastest(&mut || one.install(|| seconds(build))),
        seconds_n: fastest(&mut || seconds(build)),
        judged_per_second: judged_per_second(&sdg, &mut |work| fastest(work))?,
    };
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        show(&report, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn term(number: u32) -> TopicTerm {
    TopicTerm { term: format!("term{number}"), weight: 1.0, occurrences: 5 }
}

/// Returns the terms of each page, without repetitions. The probability of term n is proportional
/// to 1/√n.
fn synthetic_pages(args: &SdgBench) -> Vec<Vec<usize>> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let terms = args.terms as usize;
    let mut page = || {
        let mut page: Vec<usize> = (0..args.per_page)
            .map(|_| {
                let share: f64 = random.random();
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "an index into a list"
                )]
                let place = (share * share * terms as f64) as usize;
                place.min(terms - 1)
            })
            .collect();
        page.sort_unstable();
        page.dedup();
        page
    };
    (0..args.pages).map(|_| page()).collect()
}

fn built(terms: &[TopicTerm], pages: &[Vec<usize>]) -> Result<Sdg, ontrail_sdg::BuildError> {
    let mut occurrences = Occurrences::new(terms.len());
    for (number, page) in pages.iter().enumerate() {
        occurrences.add(number % RELEVANT == 0, page.iter().map(|&term| (term, 1)));
    }
    Sdg::build("synthetic", terms, &occurrences, &SdgSettings::default())
}

fn judged_per_second(
    sdg: &Sdg,
    fastest: &mut dyn FnMut(&mut dyn FnMut() -> f64) -> f64,
) -> Result<f64> {
    let analyzer = sdg.analyzer();
    let disambiguator = Disambiguator::new(sdg, &analyzer)?;
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let mut page = || -> Page {
        let word = |_| format!("term{} ", random.random_range(0..sdg.terms.len() * 20));
        let text: String = (0..WORDS).map(word).collect();
        Html::parse(text.as_bytes(), Source::default()).analyze(&analyzer)
    };
    let pages: Vec<Page> = (0..JUDGED).map(|_| page()).collect();
    let took = fastest(&mut || {
        seconds(|| pages.iter().map(|page| disambiguator.judge(page).len()).sum::<usize>())
    });
    Ok(JUDGED as f64 / took)
}

fn show(report: &Report, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!(
        "graph of {} terms from {} pages, {} edges",
        count(report.terms.into()),
        count(report.pages.into()),
        count(report.edges as u64)
    ))?;
    let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
    let threads = format!("{} threads", report.threads);
    for (what, figure) in [
        ("build, 1 thread", format!("{:.2} s", report.seconds_1)),
        (&format!("build, {threads}"), format!("{:.2} s", report.seconds_n)),
        ("apply, 1 thread", format!("{:.0} pages/s", report.judged_per_second)),
    ] {
        table.row([what.to_owned(), figure]);
    }
    printer.table(&table)?;
    Ok(())
}
