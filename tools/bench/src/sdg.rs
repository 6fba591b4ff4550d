//! `ontrail bench sdg`: building a disambiguation graph, and judging pages by it.

use anyhow::{Context as _, Result};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_page::{Html, Page, Source};
use ontrail_sdg::{Disambiguator, Occurrences, Sdg, Settings, TopicTerm};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use serde::Serialize;

use crate::timing::seconds;

/// One page in so many is on the topic.
const RELEVANT: usize = 10;
/// How many pages are judged.
const JUDGED: usize = 200;
/// How many words those have.
const WORDS: usize = 400;

/// Seconds to build a graph from counted pages, and pages judged per second
///
/// The pages are made up: a page has as many of the terms as --per-page says, on the mean, common terms more
/// often than rare ones. Each measurement is repeated and the fastest round is reported.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench sdg
  ontrail bench sdg --terms 1000 --pages 100000 --rounds 5")]
pub(crate) struct SdgBench {
    /// How many terms the topic has
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    terms: u32,
    /// How many pages the background has
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pages: u32,
    /// How many of the terms a page has on the mean
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    per_page: u32,
    /// How often to measure
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Serialize)]
struct Report {
    threads: usize,
    terms: u32,
    pages: u32,
    /// How many pairs stand together.
    edges: usize,
    /// To count the pages and build the graph, on one thread and on all.
    seconds_1: f64,
    seconds_n: f64,
    judged_per_second: f64,
}

pub(crate) fn run(args: &SdgBench, printer: &mut Printer) -> Result<ExitStatus> {
    let terms: Vec<TopicTerm> = (0..args.terms).map(term).collect();
    let pages = made_up(args);
    let one = ThreadPoolBuilder::new().num_threads(1).build().context("no thread to be had")?;
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

/// The terms of each page, each once. A term's chance falls with its number, from three times the mean to a
/// third of it and less.
fn made_up(args: &SdgBench) -> Vec<Vec<usize>> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let terms = args.terms as usize;
    let mut page = || {
        let mut page: Vec<usize> = (0..args.per_page)
            .map(|_| {
                let share: f64 = random.random();
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a place in a list"
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
    Sdg::build("made up", terms, &occurrences, &Settings::default())
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
        "a graph of {} terms over {} pages, {} edges",
        count(report.terms.into()),
        count(report.pages.into()),
        count(report.edges as u64)
    ))?;
    let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
    let threads = format!("{} threads", report.threads);
    for (what, figure) in [
        ("built, 1 thread", format!("{:.2} s", report.seconds_1)),
        (&format!("built, {threads}"), format!("{:.2} s", report.seconds_n)),
        ("judged, 1 thread", format!("{:.0} pages/s", report.judged_per_second)),
    ] {
        table.row([what.to_owned(), figure]);
    }
    printer.table(&table)?;
    Ok(())
}
