//! `ontrail crawl explain`: the story of one address.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, decimal};
use ontrail_crawl::{
    FetchKind, LinkRow, LogRow, Outcome, RunFile, canonical, check_is_run, read_links, read_log,
    read_run,
};
use ontrail_pilot::{Rule, Score, Verdict};
use serde::Serialize;
use url::Url;

/// How many of the places that an address was found at are shown.
const MOST_SHOWN: usize = 10;

/// Tell the story of one address: where it was found, what it scored, why it was or was not fetched
///
/// Exits with 1 if the crawl never met it.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl explain rain-crawl http://www.example.org/news/1.html
  ontrail crawl explain rain-crawl http://www.example.org/news/1.html --json")]
pub(crate) struct ExplainArgs {
    /// The folder of the crawl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The address
    #[arg(value_name = "URL")]
    url: String,
}

/// All that a crawl knows of an address.
#[derive(Debug, Serialize)]
struct Story {
    url: String,
    is_seed: bool,
    /// Where it was found, in order.
    found: Vec<Sighting>,
    /// The fetches of it, in order.
    fetches: Vec<Fetch>,
    /// Addresses that led here.
    moved_from: Vec<String>,
    /// Why it was not fetched, if it was not.
    not_fetched: Option<String>,
    /// What the recipe asks of pages and links.
    threshold: f64,
    least_priority: Option<f64>,
}

/// One place where it was found.
#[derive(Debug, Serialize)]
struct Sighting {
    /// The fetch that brought the page.
    fetch: u64,
    page: Option<String>,
    relevance: Option<f64>,
    anchor: String,
    priority: Option<f64>,
    verdict: Verdict,
}

/// One fetch of it.
#[derive(Debug, Serialize)]
struct Fetch {
    number: u64,
    rule: Option<Rule>,
    reason: Option<&'static str>,
    scores: BTreeMap<&'static str, f64>,
    outcome: Outcome,
    detail: Option<String>,
    leads_to: Option<String>,
    relevance: Option<f64>,
    relevant: Option<bool>,
    class: Option<String>,
    label: Option<String>,
}

pub(crate) fn run(args: &ExplainArgs, printer: &mut Printer) -> Result<ExitStatus> {
    check_is_run(&args.folder)?;
    let Some(url) = Url::parse(&args.url).ok().and_then(canonical) else {
        bail!(
            "{}: is not an address that can be crawled; give one such as http://www.example.org/",
            args.url
        );
    };
    let log = read_log(&args.folder.join("log"))?;
    let links = read_links(&args.folder.join("links"))?;
    let (_, run) = read_run(&args.folder)?;
    let story = story(&url, &run, &log, &links);
    let is_known = story.is_seed || !story.found.is_empty() || !story.fetches.is_empty();
    if printer.is_json() {
        printer.json(&story)?;
    } else {
        tell(&story, printer)?;
    }
    if !run.settings.output.links {
        printer.note("the crawl kept no table of links, so where it was found is not known");
    }
    Ok(if is_known { ExitStatus::Done } else { ExitStatus::No })
}

fn story(url: &Url, run: &RunFile, log: &[LogRow], links: &[LinkRow]) -> Story {
    let is_seed = run.seeds.contains(url);
    let url = url.as_str();
    let page = |number: u64| {
        let at = log.binary_search_by_key(&number, |row| row.number).ok()?;
        log.get(at)
    };
    let found: Vec<Sighting> = links
        .iter()
        .filter(|link| link.url == url)
        .map(|link| Sighting {
            fetch: link.page,
            page: page(link.page).map(|row| row.final_url.clone()),
            relevance: page(link.page).and_then(|row| row.relevance),
            anchor: link.anchor.clone(),
            priority: link.priority,
            verdict: link.verdict,
        })
        .collect();
    let led_here = |row: &&LogRow| row.outcome == Outcome::Redirect && row.final_url == url;
    let is_of = |row: &&LogRow| {
        row.kind != FetchKind::Robots && !led_here(row) && (row.url == url || row.final_url == url)
    };
    let moved_from = log.iter().filter(led_here).map(|row| row.url.clone()).collect();
    let fetches: Vec<Fetch> = log.iter().filter(is_of).map(fetch).collect();
    let not_fetched = fetches.is_empty().then(|| why_not(&found, is_seed, log));
    Story {
        url: url.to_owned(),
        is_seed,
        found,
        fetches,
        moved_from,
        not_fetched,
        threshold: run.recipe.threshold,
        least_priority: run.recipe.least_priority(),
    }
}

fn fetch(row: &LogRow) -> Fetch {
    let scores = Score::ALL.into_iter().filter_map(|score| Some((score.name(), row.score(score)?)));
    Fetch {
        number: row.number,
        rule: row.rule,
        reason: row.rule.map(Rule::meaning),
        scores: scores.collect(),
        outcome: row.outcome,
        detail: row.detail.clone(),
        leads_to: Some(row.final_url.clone()).filter(|last| *last != row.url),
        relevance: row.relevance,
        relevant: row.relevant,
        class: row.class.clone(),
        label: row.label.clone(),
    }
}

/// Why an address was not fetched.
fn why_not(found: &[Sighting], is_seed: bool, log: &[LogRow]) -> String {
    let Some(first) = found.iter().find(|sighting| sighting.verdict.is_queued()) else {
        return match found.last() {
            None if is_seed => {
                "It is a seed that was put aside, because another seed is on its host.".to_owned()
            }
            None => "The crawl never met it.".to_owned(),
            Some(last) => format!("It was not taken up: {}.", last.verdict.meaning()),
        };
    };
    let later = log.iter().filter(|row| row.number > first.fetch && row.is_page());
    let (mut count, mut least) = (0_u64, None::<f64>);
    for row in later {
        count += 1;
        if let Some(priority) = row.score(Score::Priority) {
            least = Some(least.map_or(priority, |least| least.min(priority)));
        }
    }
    let best = found
        .iter()
        .filter_map(|sighting| sighting.priority)
        .fold(None, |best: Option<f64>, it| Some(best.map_or(it, |best| best.max(it))));
    let promise = match (best, least) {
        (Some(best), Some(least)) => {
            format!(
                "; its priority was {} when it was found, the least of theirs {} when they were chosen",
                decimal(best),
                decimal(least)
            )
        }
        _ => String::new(),
    };
    format!("It waits: it was not among the {count} fetched since it was found{promise}.")
}

fn tell(story: &Story, printer: &mut Printer) -> Result<()> {
    printer.heading(&story.url)?;
    if story.is_seed {
        printer.line("It is a seed.")?;
    }
    match story.found.len() {
        0 => {}
        1 => printer.line("It was found once:")?,
        times => printer.line(format_args!("It was found {times} times:"))?,
    }
    for sighting in story.found.iter().take(MOST_SHOWN) {
        tell_sighting(sighting, printer)?;
    }
    if story.found.len() > MOST_SHOWN {
        printer.line(format_args!("  and {} times more", story.found.len() - MOST_SHOWN))?;
    }
    for fetch in &story.fetches {
        tell_fetch(fetch, printer)?;
    }
    for from in &story.moved_from {
        printer.line(format_args!("{from} leads here."))?;
    }
    if let Some(reason) = &story.not_fetched {
        printer.line(reason)?;
    }
    tell_bounds(story, printer)
}

/// What the recipe asks for, if something did not reach it.
fn tell_bounds(story: &Story, printer: &mut Printer) -> Result<()> {
    let is_any = |verdict| story.found.iter().any(|sighting| sighting.verdict == verdict);
    if let Some(least) = story.least_priority.filter(|_| is_any(Verdict::Low)) {
        printer.line(format_args!("The recipe asks for a priority of {least} or more."))?;
    }
    if is_any(Verdict::OffTopic) {
        let threshold = story.threshold;
        printer.line(format_args!("Pages on the topic have a relevance above {threshold}."))?;
    }
    Ok(())
}

fn tell_sighting(sighting: &Sighting, printer: &mut Printer) -> Result<()> {
    let page = sighting.page.as_deref().unwrap_or("a page");
    let relevance = sighting.relevance.map(|it| format!(", R(p) {}", decimal(it)));
    let priority = sighting.priority.map(|it| format!(", P(l) {}", decimal(it)));
    let anchor = if sighting.anchor.is_empty() {
        "no text".to_owned()
    } else {
        format!("{:?}", sighting.anchor)
    };
    printer.line(format_args!(
        "  on {page} (fetch {}{}), with {anchor}{}: {}",
        sighting.fetch,
        relevance.unwrap_or_default(),
        priority.unwrap_or_default(),
        sighting.verdict.meaning(),
    ))?;
    Ok(())
}

fn tell_fetch(fetch: &Fetch, printer: &mut Printer) -> Result<()> {
    let reason = fetch.reason.map(|reason| format!(" because {reason}")).unwrap_or_default();
    let rule = fetch.rule.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    printer.line(format_args!("Fetch {}: it was chosen{reason}{rule}.", fetch.number))?;
    if !fetch.scores.is_empty() {
        let scores: Vec<String> = fetch
            .scores
            .iter()
            .map(|(name, value)| format!("{name} {}", decimal(*value)))
            .collect();
        printer.line(format_args!("  scores: {}", scores.join(", ")))?;
    }
    let mut outcome = outcome_meaning(fetch);
    outcome.extend(fetch.detail.as_ref().map(|detail| format!(" ({detail})")));
    outcome.extend(fetch.relevance.map(|it| format!(", R(p) {}", decimal(it))));
    outcome.extend(fetch.relevant.map(|it| if it { ", relevant" } else { ", not relevant" }));
    outcome.extend(fetch.class.as_ref().map(|class| format!(", class {class}")));
    outcome.extend(fetch.label.as_ref().map(|label| format!(", label {label}")));
    printer.line(format_args!("  outcome: {outcome}"))?;
    Ok(())
}

/// What came of a fetch, in words.
fn outcome_meaning(fetch: &Fetch) -> String {
    match (fetch.outcome, &fetch.leads_to) {
        (Outcome::Redirect, Some(url)) => format!("it leads to {url}"),
        (outcome, _) => outcome.meaning(),
    }
}
