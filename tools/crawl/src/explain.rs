//! `ontrail crawl explain`: the history of one URL in a crawl.

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

/// Number of links to the URL that are shown.
const MOST_SHOWN: usize = 10;

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
    /// Folder of the crawl
    #[arg(value_name = "DIR")]
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
    /// The links to it, in the order in which they were found.
    found: Vec<FoundLink>,
    /// Its fetches, in order.
    fetches: Vec<Fetch>,
    /// URLs that redirect to it.
    moved_from: Vec<String>,
    /// The reason why it was not fetched; none if it was.
    not_fetched: Option<String>,
    /// The recipe's threshold of relevance.
    threshold: f64,
    /// The recipe's least priority of a link.
    least_priority: Option<f64>,
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
            "{}: not a URL that can be crawled; give one such as http://www.example.org/",
            args.url
        );
    };
    let log = read_log(&args.folder.join("log"))?;
    let links = read_links(&args.folder.join("links"))?;
    let (_, run) = read_run(&args.folder)?;
    let history = history(&url, &run, &log, &links);
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

fn history(url: &Url, run: &RunFile, log: &[LogRow], links: &[LinkRow]) -> History {
    let is_seed = run.seeds.contains(url);
    let url = url.as_str();
    let page = |number: u64| {
        let at = log.binary_search_by_key(&number, |row| row.number).ok()?;
        log.get(at)
    };
    let found: Vec<FoundLink> = links
        .iter()
        .filter(|link| link.url == url)
        .map(|link| FoundLink {
            fetch: link.page,
            page: page(link.page).map(|row| row.final_url.clone()),
            relevance: page(link.page).and_then(|row| row.relevance),
            anchor: link.anchor.clone(),
            priority: link.priority,
            verdict: link.verdict,
        })
        .collect();
    let redirects_here = |row: &&LogRow| row.outcome == Outcome::Redirect && row.final_url == url;
    let is_of = |row: &&LogRow| {
        row.kind != FetchKind::Robots
            && !redirects_here(row)
            && (row.url == url || row.final_url == url)
    };
    let moved_from = log.iter().filter(redirects_here).map(|row| row.url.clone()).collect();
    let fetches: Vec<Fetch> = log.iter().filter(is_of).map(fetch).collect();
    let not_fetched = fetches.is_empty().then(|| why_not(&found, is_seed, log));
    History {
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

/// Returns the reason why a URL was not fetched.
fn why_not(found: &[FoundLink], is_seed: bool, log: &[LogRow]) -> String {
    let Some(first) = found.iter().find(|link| link.verdict.is_queued()) else {
        return match found.last() {
            None if is_seed => {
                "It is a seed, but was not queued because its host has another seed.".to_owned()
            }
            None => "The crawl has never seen it.".to_owned(),
            Some(last) => format!("It was not queued: {}.", last.verdict.meaning()),
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
        .filter_map(|link| link.priority)
        .fold(None, |best: Option<f64>, it| Some(best.map_or(it, |best| best.max(it))));
    let priorities = match (best, least) {
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
    match history.found.len() {
        0 => {}
        1 => printer.line("It was found once:")?,
        times => printer.line(format_args!("It was found {times} times:"))?,
    }
    for link in history.found.iter().take(MOST_SHOWN) {
        show_link(link, printer)?;
    }
    if history.found.len() > MOST_SHOWN {
        printer.line(format_args!(
            "  and {} more times (--json lists all)",
            history.found.len() - MOST_SHOWN
        ))?;
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
    let is_any = |verdict| history.found.iter().any(|link| link.verdict == verdict);
    if let Some(least) = history.least_priority.filter(|_| is_any(Verdict::Low)) {
        printer.line(format_args!("The recipe requires a priority of at least {least}."))?;
    }
    if is_any(Verdict::OffTopic) {
        let threshold = history.threshold;
        printer.line(format_args!("Relevant pages have a relevance above {threshold}."))?;
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
    let mut outcome = outcome_meaning(fetch);
    outcome.extend(fetch.detail.as_ref().map(|detail| format!(" ({detail})")));
    outcome.extend(fetch.relevance.map(|it| format!(", relevance {}", decimal(it))));
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
