//! `ontrail crawl report`: writes an HTML page about a crawl.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Output, Provenance, write_with_sidecar};
use ontrail_cli::{ExitStatus, ForceArgs, Printer, brief, bytes, count, decimal};
use ontrail_crawl::{
    Curves, LogRow, RunFile, Summary, Superposition, WebPlace, read_progress, read_run,
    superposition,
};
use ontrail_depot::is_address;
use ontrail_diagram::{Chart, Series};
use ontrail_pilot::{Recipe, Score};
use ontrail_report::{Page, Part, Table};
use serde::Serialize;

use crate::digest::{Digest, HostPages, MOST_ROWS, Ranking};
use crate::figures::{MEASURE_HEADS, measures};
use crate::learned;
use crate::odd_threshold;
use crate::outside::check_is_outside;
use crate::place::{Needs, Place};
use crate::threshold;
use crate::watch::span;

const REPORT: Format =
    Format { kind: "crawl report", version: 1, oldest: 1, rebuild: "ontrail crawl report" };

/// Write an HTML report about a crawl
///
/// The report plots the measures of the papers against the number of pages downloaded,
/// self-reported and by the ground truth: relevant pages (LP, RP), harvest rate (AC), mean
/// relevance (AR) and its standard deviation (SD). With labels it shows precision, recall and F1
/// of the crawler's own judgement of the pages that it fetched. It also lists hosts, classes,
/// errors and the most relevant pages. The file is self-contained and needs no network.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl report rain-crawl
  ontrail crawl report best -o compared.html --beside bfs")]
pub(crate) struct ReportArgs {
    /// Folder of the crawl, or its address in an object store
    #[arg(value_name = "DIR|URL")]
    folder: PathBuf,
    /// File to write [default: report.html in the folder of the crawl]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Folder of another crawl; the report shows how many pages the two have in common
    #[arg(long, value_name = "DIR")]
    beside: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    #[serde(rename = "report")]
    path: PathBuf,
    downloaded: u64,
    /// The overlap of the two crawls: of all pages, and of the pages that each considers relevant.
    #[serde(skip_serializing_if = "Option::is_none")]
    superposition: Option<Overlap>,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Overlap {
    pages: Superposition,
    relevant: Superposition,
}

pub(crate) fn run(args: &ReportArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let output = output(args)?;
    let to = args.force.destination(&output, printer)?;
    if args.output.is_some() {
        Output::file(to, &REPORT).check([] as [&Path; 0])?;
        check_is_outside(&output, &args.folder)?;
    }
    let place = Place::open(&args.folder, Needs::Log, printer)?;
    let folder = place.path();
    let (_, run) = read_run(folder)?;
    Output::file(to, &REPORT).check([] as [&Path; 0])?;
    let mut digest = Digest::of(folder, ranking(&run), args.beside.is_some())?;
    if digest.pages == 0 {
        bail!(
            "{}: the crawl fetched no pages, so there is nothing to report",
            args.folder.display()
        );
    }
    let beside = args.beside.as_deref();
    let beside = beside.map(|other| Place::open(other, Needs::Log, printer)).transpose()?;
    let overlap = beside.map(|other| overlap(&mut digest, other.path())).transpose()?;
    let summary = read_progress(folder)?.map(|progress| progress.summary);
    let name = place.name();
    let downloaded = digest.pages;
    let overlap = overlap.zip(args.beside.as_deref());
    let page = page(&name, &run, summary.as_ref(), digest, overlap);
    let html = page.html();
    let provenance = Provenance::of_this_process("ontrail crawl report")
        .with_parameter("crawl", &args.folder)
        .with_parameter("beside", &args.beside);
    write_with_sidecar(to, &REPORT, &provenance, |out| out.write_all(html.as_bytes()))?;
    let overlap = overlap.map(|(overlap, _)| overlap);
    if printer.is_json() {
        printer.json(&Report { path: output, downloaded, superposition: overlap })?;
    } else {
        if let Some(overlap) = overlap {
            printer.line(format_args!(
                "{} pages in common; superposition ratio {} of all pages, {} of relevant pages",
                count(overlap.pages.common),
                brief(overlap.pages.ratio),
                brief(overlap.relevant.ratio)
            ))?;
        }
        printer.line(output.display())?;
    }
    Ok(ExitStatus::Done)
}

/// Returns the file to write.
fn output(args: &ReportArgs) -> Result<PathBuf> {
    match &args.output {
        Some(output) => Ok(output.clone()),
        None if is_address(&args.folder) => {
            bail!("the crawl is in an object store; name the file to write with -o")
        }
        None => Ok(args.folder.join("report.html")),
    }
}

/// Returns the figure by which the pages of a crawl are ranked.
fn ranking(run: &RunFile) -> Ranking {
    if run.recipe.judge.uses_classifier() { Ranking::ByProbability } else { Ranking::ByRelevance }
}

fn overlap(digest: &mut Digest, other: &Path) -> Result<Overlap> {
    read_run(other)?;
    let others = Digest::of(other, Ranking::ByRelevance, true)?.urls;
    let own = std::mem::take(&mut digest.urls);
    Ok(Overlap {
        pages: superposition(own.all, others.all),
        relevant: superposition(own.relevant, others.relevant),
    })
}

fn page(
    name: &str,
    run: &RunFile,
    summary: Option<&Summary>,
    digest: Digest,
    overlap: Option<(Overlap, &Path)>,
) -> Page {
    let relevant = summary.and_then(|it| it.truth).map_or(0, |truth| truth.relevant_pages);
    let charts = charts(&digest.own.finish(), &digest.truth.finish(), relevant);
    let mut tables = vec![facts(run, summary, digest.pages)];
    let judged = summary.map(|it| measures(it, decimal)).filter(|rows| !rows.is_empty());
    tables.extend(judged.map(|rows| Table::new("Quality", MEASURE_HEADS, rows)));
    tables.extend(learned_tables(summary));
    tables.extend(overlap.map(|(overlap, beside)| overlap_table(overlap, beside)));
    tables.push(hosts(&digest.hosts));
    tables.extend(counts("Classes", &digest.classes));
    tables.extend(counts("Labels", &digest.labels));
    tables.extend(counts("Charsets", &digest.charsets));
    tables.extend(counts("Languages", &digest.languages));
    tables.extend(counts("Errors", &digest.errors));
    if let Some(summary) = summary {
        tables.extend(counts("Links not fetched", &summary.refused));
    }
    let tables = tables.into_iter().map(Part::Table).collect();
    let mut parts =
        vec![Part::Charts(charts.iter().map(Chart::svg).collect()), Part::Beside(tables)];
    parts.extend(best_pages(&digest.best).map(Part::Table));
    Page::new(format!("Crawl {name}"), lead(run, digest.pages, summary), parts)
}

fn lead(run: &RunFile, pages: u64, summary: Option<&Summary>) -> String {
    let web = match &run.web {
        WebPlace::Live => "the live web".to_owned(),
        WebPlace::Archives(paths) => paths
            .iter()
            .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join(", "),
        WebPlace::Folder(path) => path.display().to_string(),
    };
    let is_finished = summary.is_some_and(|summary| summary.finished);
    let state = if is_finished { "" } else { " (not finished)" };
    format!("{} pages of {web}, crawled with recipe {}{state}", count(pages), run.recipe.name)
}

/// Returns the name of the recipe, with a remark if it is not an unchanged built-in recipe.
fn recipe_name(run: &RunFile) -> String {
    let name = &run.recipe.name;
    let is_shipped = Recipe::shipped(name).is_ok_and(|shipped| shipped == run.recipe);
    if is_shipped { name.clone() } else { format!("{name} (changed: see run.json)") }
}

/// Returns the charts: each measure over the pages fetched so far.
fn charts(own: &Curves, truth: &Curves, relevant_pages: u64) -> Vec<Chart> {
    let chart = |title: &str, y: &str, range, pick: fn(&Curves) -> Vec<(f64, f64)>, both: bool| {
        let named = [("self-reported", own), ("ground truth", truth)];
        let shown = named.into_iter().take(if both { 2 } else { 1 });
        let series = shown
            .filter(|(_, curves)| !curves.accuracy.is_empty())
            .map(|(name, curves)| Series {
                name: name.to_owned(),
                points: pick(curves),
                band: None,
            })
            .collect();
        Chart {
            title: title.to_owned(),
            x_label: "pages downloaded (DP)".to_owned(),
            y_label: y.to_owned(),
            series,
            y_range: range,
        }
    };
    let mut charts = vec![
        chart("Relevant pages", "LP, RP", None, |it| it.relevant.clone(), true),
        chart("Harvest rate", "AC", None, |it| it.accuracy.clone(), true),
        chart("Harvest rate over the last 500 pages", "AC", None, |it| it.window.clone(), true),
        chart("Mean relevance", "AR", None, |it| it.average.clone(), false),
        chart("Standard deviation of relevance", "SD", None, |it| it.deviation.clone(), false),
    ];
    if relevant_pages > 0 {
        let share = |(x, y): &(f64, f64)| (*x, y / relevant_pages as f64);
        let points = truth.relevant.iter().map(share).collect();
        let mut recall = chart("Recall", "RC", None, |_| Vec::new(), true);
        recall.series = vec![Series { name: "ground truth".to_owned(), points, band: None }];
        charts.push(recall);
    }
    charts
}

fn facts(run: &RunFile, summary: Option<&Summary>, pages: u64) -> Table {
    let mut rows = vec![
        vec!["recipe".to_owned(), recipe_name(run)],
        vec!["budget".to_owned(), count(run.settings.budget)],
        vec!["pages downloaded".to_owned(), count(pages)],
        vec!["seeds".to_owned(), count(run.seeds.len() as u64)],
    ];
    if run.topic.is_some() {
        let threshold = run.recipe.threshold;
        let threshold = summary.map_or(threshold.to_string(), |it| it.threshold_text(threshold));
        rows.push(vec!["threshold of relevance".to_owned(), threshold]);
    }
    if let Some(summary) = summary {
        let source = summary.calibration.as_ref().map(threshold::message);
        rows.extend(source.map(|it| vec!["source of the threshold".to_owned(), it]));
        let remark = odd_threshold::message(summary);
        rows.extend(remark.map(|it| vec!["remark on the threshold".to_owned(), it]));
        rows.extend([
            vec!["pages stored".to_owned(), count(summary.stored)],
            vec!["bytes".to_owned(), bytes(summary.bytes)],
            vec!["time".to_owned(), span(summary.seconds)],
            vec!["duplicates".to_owned(), count(summary.duplicates)],
            vec!["near duplicates".to_owned(), count(summary.near_duplicates)],
            vec!["redirects".to_owned(), count(summary.redirects)],
            vec!["retries".to_owned(), count(summary.retries)],
        ]);
        // The folder of a merge has no links that wait.
        if summary.frontier.known > 0 {
            rows.extend([
                vec!["links waiting".to_owned(), count(summary.frontier.queued)],
                vec!["URLs known".to_owned(), count(summary.frontier.known)],
            ]);
        }
        rows.push(vec!["hosts".to_owned(), count(summary.frontier.hosts)]);
    }
    Table::without_heads("The crawl", rows)
}

/// Returns what was learned about links: the quality of the predictions, the orders of links, and
/// what counts most.
fn learned_tables(summary: Option<&Summary>) -> Vec<Table> {
    let learned = summary.and_then(|it| it.learned.as_ref()).filter(|learned| learned.pages > 0);
    let Some(learned) = learned else { return Vec::new() };
    let foresight = [
        ("pages learned from", count(learned.pages)),
        ("mean prediction", decimal(learned.predicted)),
        ("mean found", decimal(learned.found)),
        ("log-loss of the predictions", decimal(learned.log_loss)),
        ("log-loss of the mean", decimal(learned.log_loss_of_mean)),
    ];
    let foresight = foresight.map(|(name, value)| vec![name.to_owned(), value]).to_vec();
    let mut tables = vec![Table::without_heads("Predictions of the link model", foresight)];
    if !learned.orders.is_empty() {
        let rows = learned::order_rows(&learned.orders);
        tables.push(Table::new("Orders of links", learned::ORDER_HEADS, rows));
    }
    if !learned.strongest.is_empty() {
        let rows = learned::strongest_rows(learned, 5);
        tables.push(Table::new("Learned about links", learned::STRONGEST_HEADS, rows));
    }
    tables
}

fn overlap_table(overlap: Overlap, beside: &Path) -> Table {
    let row = |name: &str, it: Superposition| {
        vec![name.to_owned(), count(it.common), decimal(it.ratio), decimal(it.of_smaller)]
    };
    let rows = [row("pages", overlap.pages), row("relevant pages", overlap.relevant)];
    let heading = format!("In common with {}", beside.display());
    Table::new(heading, ["", "in both", "share of either", "share of the smaller"], rows)
}

fn hosts(hosts: &BTreeMap<String, HostPages>) -> Table {
    let mut sorted: Vec<(&String, &HostPages)> = hosts.iter().collect();
    sorted.sort_by(|a, b| b.1.pages.cmp(&a.1.pages).then_with(|| a.0.cmp(b.0)));
    let rows: Vec<Vec<String>> = sorted
        .iter()
        .take(MOST_ROWS)
        .map(|(host, it)| vec![(*host).clone(), count(it.pages), count(it.relevant)])
        .collect();
    let heading = format!("Hosts ({})", count(hosts.len() as u64));
    Table::new(heading, ["host", "pages", "relevant"], rows)
}

fn counts(heading: &str, counts: &BTreeMap<String, u64>) -> Option<Table> {
    let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let rows: Vec<Vec<String>> = sorted
        .iter()
        .take(MOST_ROWS)
        .map(|(name, number)| vec![(*name).clone(), count(**number)])
        .collect();
    (!rows.is_empty()).then(|| Table::without_heads(heading, rows))
}

/// Returns the table of the most relevant pages, with the priorities of the links to them.
fn best_pages(best: &[LogRow]) -> Option<Table> {
    let rows: Vec<Vec<String>> = best
        .iter()
        .map(|row| {
            let title = row.title.clone().unwrap_or_default();
            let priority = row.score(Score::Priority).map_or_else(|| "–".to_owned(), decimal);
            let or_none = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), decimal);
            let (relevance, probability) = (or_none(row.relevance), or_none(row.probability));
            vec![title, row.final_url.clone(), relevance, probability, priority, count(row.number)]
        })
        .collect();
    let heads = ["title", "URL", "relevance", "P(relevant)", "priority", "fetch"];
    (!rows.is_empty()).then(|| Table::new("Most relevant pages", heads, rows))
}
