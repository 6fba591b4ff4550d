//! `ontrail crawl explain`: the history of one URL in a crawl.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, decimal};
use ontrail_crawl::{
    FetchKind, LinkRow, LogRow, Outcome, RunFile, canonical, links_to, log_rows, read_progress,
    read_run,
};
use ontrail_pilot::{Cut, Rule, Score, Verdict, Why};
use serde::Serialize;
use url::Url;

use crate::learned;
use crate::place::{Needs, Place};

/// Number of links to the URL that are shown.
const MOST_SHOWN: usize = 10;
/// Number of links to the URL, of its fetches and of redirects to it that are listed in JSON. A
/// large crawl may have millions of links to one page.
const MOST_LISTED: usize = 1_000;

/// Explain why a URL was or was not fetched
///
/// Shows the pages that link to the URL, the scores of these links, and every fetch of the URL with
/// the reason for it and its outcome.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Exit code: 0 if the crawl knows the URL, 1 if it has never seen it.

Examples:
  ontrail crawl explain rain-crawl http://www.example.org/news/1.html
  ontrail crawl explain rain-crawl http://www.example.org/news/1.html --json")]
pub(crate) struct ExplainArgs {
    /// Folder of the crawl, or its address in an object store
    #[arg(value_name = "DIR|URL")]
    folder: PathBuf,
    /// URL to explain
    #[arg(value_name = "URL")]
    url: String,
}

/// Everything that a crawl knows about a URL.
#[derive(Debug, Serialize)]
struct History {
    url: String,
    is_seed: bool,
    /// The first links to it, in the order in which they were found.
    found: Vec<FoundLink>,
    /// Number of links to it.
    times_found: u64,
    /// Its first fetches, in order.
    fetches: Vec<Fetch>,
    /// The first URLs that redirect to it.
    moved_from: Vec<String>,
    /// The reason why it was not fetched; none if it was.
    not_fetched: Option<String>,
    /// The recipe's threshold of relevance.
    threshold: Cut,
    /// The threshold as it was computed last.
    computed: Option<f64>,
    /// The recipe's least priority of a link.
    least_priority: Option<Cut>,
    #[serde(skip)]
    links: Links,
}

/// The links to the URL, summed up.
#[derive(Debug, Default)]
struct Links {
    count: u64,
    /// The places of the listed links, by the number of the fetch whose page has them.
    places: BTreeMap<u64, Vec<usize>>,
    /// The fetch whose page had the first link that was queued.
    first_queued: Option<u64>,
    /// The decision about the last link.
    last: Option<Verdict>,
    /// The greatest priority of a link.
    best: Option<f64>,
    /// True if some link had too low a priority.
    is_low: bool,
    /// True if some link was on a page that did not pass the gate.
    is_off_topic: bool,
}

impl Links {
    fn add(&mut self, link: &LinkRow) {
        self.count += 1;
        if link.verdict.is_queued() && self.first_queued.is_none() {
            self.first_queued = Some(link.page);
        }
        self.last = Some(link.verdict);
        if let Some(priority) = link.priority {
            self.best = Some(self.best.map_or(priority, |best| best.max(priority)));
        }
        self.is_low |= link.verdict == Verdict::Low;
        self.is_off_topic |= link.verdict == Verdict::OffTopic;
    }
}

/// The pages that were fetched after the URL was found.
#[derive(Debug, Default)]
struct Later {
    pages: u64,
    /// The least priority of a link to them.
    least: Option<f64>,
}

/// One link to the URL.
#[derive(Debug, Serialize)]
struct FoundLink {
    /// Number of the fetch whose page has the link.
    fetch: u64,
    page: Option<String>,
    relevance: Option<f64>,
    anchor: String,
    priority: Option<f64>,
    verdict: Verdict,
}

/// One fetch of the URL.
#[derive(Debug, Serialize)]
struct Fetch {
    number: u64,
    rule: Option<Rule>,
    reason: Option<&'static str>,
    scores: BTreeMap<&'static str, f64>,
    /// The reasons for the choice, if the recipe learns from links.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Box<Why>>,
    outcome: Outcome,
    detail: Option<String>,
    leads_to: Option<String>,
    relevance: Option<f64>,
    probability: Option<f64>,
    relevant: Option<bool>,
    class: Option<String>,
    label: Option<String>,
}

pub(crate) fn run(args: &ExplainArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let Some(url) = Url::parse(&args.url).ok().and_then(canonical) else {
        bail!(
            "{}: not a URL that can be crawled; give one such as http://www.example.org/",
            args.url
        );
    };
    let place = Place::open(&args.folder, Needs::Links, printer)?;
    let (_, run) = read_run(place.path())?;
    let history = history(&url, &run, place.path())?;
    let is_known = history.is_seed || !history.found.is_empty() || !history.fetches.is_empty();
    if printer.is_json() {
        printer.json(&history)?;
    } else {
        show(&history, printer)?;
    }
    if !run.settings.output.links {
        printer
            .note("this crawl stored no links (--no-links), so the links to the URL are unknown");
    }
    Ok(if is_known { ExitStatus::Done } else { ExitStatus::No })
}

fn history(url: &Url, run: &RunFile, folder: &Path) -> Result<History> {
    let calibration = read_progress(folder)?.and_then(|progress| progress.summary.calibration);
    let mut history = History {
        url: url.to_string(),
        is_seed: run.seeds.contains(url),
        found: Vec::new(),
        times_found: 0,
        fetches: Vec::new(),
        moved_from: Vec::new(),
        not_fetched: None,
        threshold: run.recipe.threshold,
        computed: calibration.map(|it| it.threshold),
        least_priority: run.recipe.least_priority(),
        links: Links::default(),
    };
    let url = url.as_str();
    for link in links_to(&folder.join("links"), url)? {
        history.find(link?);
    }
    history.times_found = history.links.count;
    let mut later = Later::default();
    for row in log_rows(&folder.join("log"))? {
        history.log(&row?, url, &mut later);
    }
    if history.fetches.is_empty() {
        history.not_fetched = Some(why_not(&history, &later));
    }
    Ok(history)
}

impl History {
    /// Takes in a link to the URL.
    fn find(&mut self, link: LinkRow) {
        self.links.add(&link);
        if self.found.len() < MOST_LISTED {
            self.links.places.entry(link.page).or_default().push(self.found.len());
            self.found.push(FoundLink {
                fetch: link.page,
                page: None,
                relevance: None,
                anchor: link.anchor,
                priority: link.priority,
                verdict: link.verdict,
            });
        }
    }

    /// Takes in a row of the log, after all links.
    fn log(&mut self, row: &LogRow, url: &str, later: &mut Later) {
        for place in self.links.places.get(&row.number).into_iter().flatten() {
            let link = &mut self.found[*place];
            (link.page, link.relevance) = (Some(row.final_url.clone()), row.relevance);
        }
        let redirects_here = row.outcome == Outcome::Redirect && row.final_url == url;
        let is_of = row.kind != FetchKind::Robots && (row.url == url || row.final_url == url);
        if redirects_here && self.moved_from.len() < MOST_LISTED {
            self.moved_from.push(row.url.clone());
        }
        if is_of && !redirects_here && self.fetches.len() < MOST_LISTED {
            self.fetches.push(fetch(row));
        }
        if self.links.first_queued.is_some_and(|first| row.number > first) && row.is_page() {
            later.pages += 1;
            if let Some(priority) = row.score(Score::Priority) {
                later.least = Some(later.least.map_or(priority, |least| least.min(priority)));
            }
        }
    }
}

fn fetch(row: &LogRow) -> Fetch {
    let scores = Score::ALL.into_iter().filter_map(|score| Some((score.name(), row.score(score)?)));
    Fetch {
        number: row.number,
        rule: row.rule,
        reason: row.rule.map(Rule::meaning),
        scores: scores.collect(),
        why: row.why.clone(),
        outcome: row.outcome,
        detail: row.detail.clone(),
        leads_to: Some(row.final_url.clone()).filter(|last| *last != row.url),
        relevance: row.relevance,
        probability: row.probability,
        relevant: row.relevant,
        class: row.class.clone(),
        label: row.label.clone(),
    }
}

/// Returns the reason why a URL was not fetched.
fn why_not(history: &History, later: &Later) -> String {
    if history.links.first_queued.is_none() {
        return match history.links.last {
            None if history.is_seed => {
                "It is a seed, but was not queued because its host has another seed.".to_owned()
            }
            None => "The crawl has never seen it.".to_owned(),
            Some(last) => format!("It was not queued: {}.", last.meaning()),
        };
    }
    let count = later.pages;
    let priorities = match (history.links.best, later.least) {
        (Some(best), Some(least)) => {
            format!(
                " Its priority was {} when it was found; the least priority of those pages was {} \
                 when they were chosen.",
                decimal(best),
                decimal(least)
            )
        }
        _ => String::new(),
    };
    format!("It still waits: {count} other page(s) were fetched after it was found.{priorities}")
}

fn show(history: &History, printer: &mut Printer) -> Result<()> {
    printer.heading(&history.url)?;
    if history.is_seed {
        printer.line("It is a seed.")?;
    }
    match history.times_found {
        0 => {}
        1 => printer.line("It was found once:")?,
        times => printer.line(format_args!("It was found {times} times:"))?,
    }
    for link in history.found.iter().take(MOST_SHOWN) {
        show_link(link, printer)?;
    }
    let more = history.times_found.saturating_sub(MOST_SHOWN as u64);
    if more > 0 {
        printer.line(format_args!("  and {more} more times (--json lists up to {MOST_LISTED})"))?;
    }
    for fetch in &history.fetches {
        show_fetch(fetch, printer)?;
    }
    for from in &history.moved_from {
        printer.line(format_args!("{from} redirects to it."))?;
    }
    if let Some(reason) = &history.not_fetched {
        printer.line(reason)?;
    }
    show_limits(history, printer)
}

/// Prints the recipe's limits that kept a link from being queued.
fn show_limits(history: &History, printer: &mut Printer) -> Result<()> {
    if let Some(least) = history.least_priority.filter(|_| history.links.is_low) {
        match least {
            Cut::At(least) => {
                printer
                    .line(format_args!("The recipe requires a priority of at least {least}."))?;
            }
            Cut::Auto => {
                printer.line("The least priority is computed from the threshold of relevance.")?;
            }
        }
    }
    if history.links.is_off_topic {
        match history.threshold {
            Cut::At(threshold) => {
                printer.line(format_args!("Relevant pages have a relevance above {threshold}."))?;
            }
            Cut::Auto => match history.computed {
                Some(computed) => printer.line(format_args!(
                    "The threshold of relevance is computed from the scores of the pages; now it is \
                     {}.",
                    decimal(computed)
                ))?,
                None => printer
                    .line("The threshold of relevance is computed from the scores of the pages.")?,
            },
        }
    }
    Ok(())
}

fn show_link(link: &FoundLink, printer: &mut Printer) -> Result<()> {
    let page = link.page.as_deref().unwrap_or("a page");
    let relevance = link.relevance.map(|it| format!(", relevance {}", decimal(it)));
    let priority = link.priority.map(|it| format!(", priority {}", decimal(it)));
    let anchor = if link.anchor.is_empty() {
        "no anchor text".to_owned()
    } else {
        format!("anchor text {:?}", link.anchor)
    };
    printer.line(format_args!(
        "  on {page} (fetch {}{}), {anchor}{}: {}",
        link.fetch,
        relevance.unwrap_or_default(),
        priority.unwrap_or_default(),
        link.verdict.meaning(),
    ))?;
    Ok(())
}

fn show_fetch(fetch: &Fetch, printer: &mut Printer) -> Result<()> {
    let reason = fetch.reason.map(|reason| format!(" because {reason}")).unwrap_or_default();
    let rule = fetch.rule.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    printer.line(format_args!("Fetch {}: chosen{reason}{rule}.", fetch.number))?;
    if !fetch.scores.is_empty() {
        let scores: Vec<String> = fetch
            .scores
            .iter()
            .map(|(name, value)| format!("{name} {}", decimal(*value)))
            .collect();
        printer.line(format_args!("  scores: {}", scores.join(", ")))?;
    }
    if let Some(why) = &fetch.why {
        learned::show_why(why, printer)?;
    }
    let mut outcome = outcome_meaning(fetch);
    outcome.extend(fetch.detail.as_ref().map(|detail| format!(" ({detail})")));
    outcome.extend(fetch.relevance.map(|it| format!(", relevance {}", decimal(it))));
    outcome.extend(fetch.probability.map(|it| format!(", P(relevant) {}", decimal(it))));
    outcome.extend(fetch.relevant.map(|it| if it { ", relevant" } else { ", not relevant" }));
    outcome.extend(fetch.class.as_ref().map(|class| format!(", class {class}")));
    outcome.extend(fetch.label.as_ref().map(|label| format!(", label {label}")));
    printer.line(format_args!("  outcome: {outcome}"))?;
    Ok(())
}

/// Returns the outcome of a fetch in words.
fn outcome_meaning(fetch: &Fetch) -> String {
    match (fetch.outcome, &fetch.leads_to) {
        (Outcome::Redirect, Some(url)) => format!("it redirects to {url}"),
        (outcome, _) => outcome.meaning(),
    }
}
