//! `ontrail bench strategies`: the speed of decisions of each recipe, with a million queued links.
//!
//! A synthetic web is crawled without fetching or parsing anything: the relevance and links of a
//! page follow from its URL. The time covers only the pilot, which chooses a link and takes in the
//! links of its page, and the frontier, which stores them.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_crawl::{Course, Frontier, FrontierLimits, LocalState, begin, next_task, take_up};
use ontrail_pilot::{Candidate, Link, LinkClues, PageFacts, Pilot, Recipe, Signals, Start};
use serde::Serialize;
use url::Url;

/// Measure how many decisions per second each recipe makes
///
/// A decision is the choice of the next link, and the queueing of the links of its page. Everything
/// runs on one core and starts with a million queued links. Nothing is fetched or parsed.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench strategies
  ontrail bench strategies --recipes fcits-oh,bcw-cc --decisions 15000 --links 1000000")]
pub(crate) struct StrategiesBench {
    /// Built-in recipes to measure, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    recipes: Vec<String>,
    /// Number of decisions to measure
    #[arg(long, value_name = "N", default_value_t = 15_000)]
    decisions: u64,
    /// Number of queued links before the measurement starts
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    links: u64,
    /// Number of links on a page
    #[arg(long, value_name = "N", default_value_t = 50)]
    page_links: u64,
}

/// The speed of one recipe.
#[derive(Debug, Serialize)]
struct Row {
    recipe: String,
    decisions: u64,
    decisions_per_second: f64,
    microseconds: f64,
    /// Number of queued links before and after the measurement.
    queued: [u64; 2],
    /// Number of pages before the measurement.
    pages_before: u64,
    /// True if the recipe ended before it had made all decisions.
    ended: bool,
}

#[derive(Serialize)]
struct Report {
    page_links: u64,
    recipes: Vec<Row>,
}

/// Number of links on a page while the queue is filled, so that a few thousand pages fill it.
const FILLING_LINKS: u64 = 300;
/// Greatest number of pages to fill the queue with.
const MOST_FILLING: u64 = 60_000;
/// Number of seeds. Many pages link to the 500 pages after them.
const SEEDS: u64 = 30;
/// Number of hosts of the web.
const HOSTS: u64 = 5_000;

pub(crate) fn run(args: &StrategiesBench, printer: &mut Printer) -> Result<ExitStatus> {
    let names: Vec<String> = match args.recipes.as_slice() {
        [] => Recipe::names().map(str::to_owned).collect(),
        given => given.to_vec(),
    };
    let recipes = names.iter().map(|name| recipe(name)).collect::<Result<Vec<_>>>()?;
    let mut rows = Vec::new();
    let progress = printer.progress("recipes", Some(names.len() as u64));
    for (name, recipe) in names.iter().zip(&recipes) {
        rows.push(measure(args, name, recipe)?);
        progress.step();
    }
    drop(progress);
    let report = Report { page_links: args.page_links, recipes: rows };
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        show(&report, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn show(report: &Report, printer: &mut Printer) -> Result<()> {
    let mut table = Table::new([
        ("recipe", Align::Left),
        ("decisions/s", Align::Right),
        ("µs each", Align::Right),
        ("decisions", Align::Right),
        ("queued before", Align::Right),
        ("after", Align::Right),
    ]);
    for row in &report.recipes {
        let ended = if row.ended { " (ended early)" } else { "" };
        table.row([
            row.recipe.clone(),
            format!("{:.0}", row.decisions_per_second),
            format!("{:.0}", row.microseconds),
            format!("{}{ended}", count(row.decisions)),
            count(row.queued[0]),
            count(row.queued[1]),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}

/// Returns the recipe to measure: with a class, and without the setting that ends it early.
fn recipe(name: &str) -> Result<Recipe> {
    let text = Recipe::text(name)?;
    let mut set = Vec::new();
    if text.contains("enough =") {
        set.push("strategy.enough=0".to_owned());
    }
    let mut recipe = Recipe::parse(text, &set)?;
    recipe.set_class("topic");
    Ok(recipe)
}

fn measure(args: &StrategiesBench, name: &str, recipe: &Recipe) -> Result<Row> {
    let mut limits = FrontierLimits::default();
    limits.pattern = u32::MAX;
    let mut frontier = LocalState::in_memory(limits);
    let mut pilot = Pilot::new(&Start::new(recipe, args.decisions, 0));
    let seeds = (0..SEEDS).map(|number| Link::seed(url(number))).collect();
    begin(&mut pilot, &mut frontier, seeds)?;
    let mut web = SyntheticWeb { next: SEEDS + 500, links: FILLING_LINKS };
    let mut pages_before = 0;
    while frontier.counts().queued < args.links && pages_before < MOST_FILLING {
        if step(&mut pilot, &mut frontier, &mut web)?.is_none() {
            bail!(
                "recipe {name} ended after {pages_before} pages, before {} links were queued",
                args.links
            );
        }
        pages_before += 1;
    }
    let before = frontier.counts().queued;
    web.links = args.page_links;
    let (mut spent, mut decisions) = (Duration::ZERO, 0);
    while decisions < args.decisions
        && let Some(time) = step(&mut pilot, &mut frontier, &mut web)?
    {
        spent += time;
        decisions += 1;
    }
    let seconds = spent.as_secs_f64().max(1e-9);
    Ok(Row {
        recipe: name.to_owned(),
        decisions,
        decisions_per_second: decisions as f64 / seconds,
        microseconds: 1e6 * seconds / decisions.max(1) as f64,
        queued: [before, frontier.counts().queued],
        pages_before,
        ended: decisions < args.decisions,
    })
}

/// Chooses a link and takes in its page. Returns the time it took, or `None` if no link was chosen.
fn step(
    pilot: &mut Pilot,
    frontier: &mut LocalState,
    web: &mut SyntheticWeb,
) -> Result<Option<Duration>> {
    let start = Instant::now();
    let Course::Fetch(task) = next_task(pilot, frontier, 0)? else { return Ok(None) };
    let chosen = start.elapsed();
    let (facts, candidates) = web.page(task.link());
    let start = Instant::now();
    let judgement = pilot.judge(&facts, task.is_look);
    take_up(pilot, frontier, &task, &judgement, candidates)?;
    frontier.finish(&task.lease, 0, true)?;
    Ok(Some(chosen + start.elapsed()))
}

/// A web in which everything follows from URLs.
struct SyntheticWeb {
    /// Number of the next page that has no links to it yet.
    next: u64,
    links: u64,
}

fn url(number: u64) -> Url {
    let host = mixed(number) % HOSTS;
    format!("http://h{host}.example/{}/{number}", number % 7).parse().expect("a valid URL")
}

/// Hashes a number (splitmix64).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// Hashes a number to one from 0 to 1.
fn share(number: u64) -> f64 {
    (mixed(number) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns the relevance of a page; three pages of ten are above 0.7.
fn relevance(number: u64) -> f64 {
    let drawn = share(number ^ 0xABCD);
    if drawn < 0.3 { drawn.mul_add(1.0, 0.7) } else { drawn - 0.3 }
}

/// Returns the words and the place of a link to a page: six words of its anchor text and twelve
/// around it, of which a third says something about the page.
fn clues(to: u64, drawn: u64) -> LinkClues {
    let topic = if relevance(to) > 0.7 { 0 } else { 1_000 };
    let word = |at: u64| {
        let own = mixed(drawn ^ at);
        let word = if at.is_multiple_of(3) { topic + own % 300 } else { 2_000 + own % 20_000 };
        #[expect(clippy::cast_possible_truncation, reason = "the hash is cut to 32 bits")]
        let feature = mixed(word) as u32 | 1;
        feature
    };
    let words = |range: std::ops::Range<u64>| -> Box<[u32]> { range.map(word).collect() };
    #[expect(clippy::cast_possible_truncation, reason = "there are a few hundred places")]
    let path = (mixed(drawn % 200) as u32) | 1;
    LinkClues { anchor: words(0..6), context: words(100..112), path }
}

impl SyntheticWeb {
    /// Returns the relevance, class and links of a page. One link of five belongs to the navigation
    /// that many pages share, one of ten leads to an old page, and the others to new pages.
    fn page(&mut self, link: &Link) -> (PageFacts<'static>, Vec<Candidate>) {
        let number: u64 =
            link.url.path().rsplit('/').next().and_then(|it| it.parse().ok()).unwrap_or(0);
        let candidates = (0..self.links)
            .map(|at| {
                let drawn = mixed(number.wrapping_mul(1_000).wrapping_add(at));
                let to = match at {
                    _ if at.is_multiple_of(5) => SEEDS + number % 50 * 10 + at / 5 % 10,
                    _ if drawn.is_multiple_of(10) => drawn % self.next,
                    _ => self.next + at,
                };
                let url = url(to);
                let parent = Some(link.url.to_string());
                let link = Link { depth: link.depth + 1, parent, ..Link::seed(url) };
                // The signals of a link are half its target's relevance and half noise.
                let signal = f64::midpoint(relevance(to), share(drawn));
                let signals =
                    Signals { anchor: signal, context: signal, block: signal, probability: None };
                let clues = clues(to, drawn);
                Candidate { link, signals, terms: Vec::new(), clues, is_elsewhere: false }
            })
            .collect();
        self.next += self.links;
        let relevance = relevance(number);
        let class = if relevance > 0.5 { "topic" } else { "other" };
        let (relevance, class) = (Some(relevance), Some(class));
        (PageFacts { relevance, judged: relevance, class, ..PageFacts::default() }, candidates)
    }
}
