//! `ontrail crawl report`: writes an HTML page about a crawl.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::write_atomically;
use ontrail_cli::{ExitStatus, Printer, brief, bytes, count, decimal};
use ontrail_crawl::{
    Curves, FetchKind, LogRow, RunFile, Summary, Superposition, WebPlace, read_log, read_progress,
    read_run, superposition,
};
use ontrail_diagram::{Chart, Series};
use ontrail_pilot::{Recipe, Score};
use ontrail_report::{Page, Part, Table};
use serde::Serialize;
use url::Url;

use crate::figures::{MEASURE_HEADS, measures};
use crate::watch::span;

/// Greatest number of rows in a table.
const MOST_ROWS: usize = 25;

/// Write an HTML report about a crawl
///
/// The report plots the measures of the papers against the number of pages downloaded,
/// self-reported and by the ground truth: relevant pages (LP, RP), harvest rate (AC), mean
/// relevance (AR) and its standard deviation (SD). It also lists hosts, classes, errors and the
/// most relevant pages. The file is self-contained and needs no network.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl report rain-crawl
  ontrail crawl report best -o compared.html --beside bfs")]
pub(crate) struct ReportArgs {
    /// Folder of the crawl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write [default: report.html in the folder of the crawl]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
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
    let (_, run) = read_run(&args.folder)?;
    let rows = read_log(&args.folder.join("log"))?;
    let pages: Vec<&LogRow> = rows.iter().filter(|row| row.is_page()).collect();
    if pages.is_empty() {
        bail!(
            "{}: the crawl fetched no pages, so there is nothing to report",
            args.folder.display()
        );
    }
    let overlap = args.beside.as_deref().map(|other| overlap(&pages, other)).transpose()?;
    let summary = read_progress(&args.folder)?.map(|progress| progress.summary);
    let name = args.folder.canonicalize().unwrap_or_else(|_| args.folder.clone());
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let page = page(&name, &run, summary.as_ref(), &rows, &pages, overlap, args.beside.as_deref());
    let html = page.html();
    let output = args.output.clone().unwrap_or_else(|| args.folder.join("report.html"));
    write_atomically(&output, |out| out.write_all(html.as_bytes()))?;
    if printer.is_json() {
        let downloaded = pages.len() as u64;
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

fn overlap(pages: &[&LogRow], other: &Path) -> Result<Overlap> {
    read_run(other)?;
    let rows = read_log(&other.join("log"))?;
    let others: Vec<&LogRow> = rows.iter().filter(|row| row.is_page()).collect();
    let urls = |pages: &[&LogRow], only_relevant: bool| -> Vec<String> {
        let is_taken = |row: &&&LogRow| !only_relevant || row.relevant == Some(true);
        pages.iter().filter(is_taken).map(|row| row.final_url.clone()).collect()
    };
    let of = |only| superposition(urls(pages, only), urls(&others, only));
    Ok(Overlap { pages: of(false), relevant: of(true) })
}

fn page(
    name: &str,
    run: &RunFile,
    summary: Option<&Summary>,
    rows: &[LogRow],
    pages: &[&LogRow],
    overlap: Option<Overlap>,
    beside: Option<&Path>,
) -> Page {
    let relevant = summary.and_then(|it| it.truth).map_or(0, |truth| truth.relevant_pages);
    let charts = charts(pages, relevant).iter().map(Chart::svg).collect();
    let mut tables = vec![facts(run, summary, pages.len())];
    let judged = summary.map(|it| measures(it, decimal)).filter(|rows| !rows.is_empty());
    tables.extend(judged.map(|rows| Table::new("Quality", MEASURE_HEADS, rows)));
    if let (Some(overlap), Some(beside)) = (overlap, beside) {
        tables.push(overlap_table(overlap, beside));
    }
    tables.push(hosts(pages));
    tables.extend(counts("Classes", &by(pages, |row| row.class.clone())));
    tables.extend(counts("Labels", &by(pages, |row| row.label.clone())));
    tables.extend(counts("Charsets", &by(pages, |row| row.charset.clone())));
    tables.extend(counts("Languages", &by(pages, |row| row.language.clone())));
    let failed: Vec<&LogRow> = rows.iter().filter(|row| is_error(row)).collect();
    tables.extend(counts("Errors", &by(&failed, |row| Some(row.outcome.to_string()))));
    if let Some(summary) = summary {
        tables.extend(counts("Links not fetched", &summary.refused));
    }
    let tables = tables.into_iter().map(Part::Table).collect();
    let mut parts = vec![Part::Charts(charts), Part::Beside(tables)];
    parts.extend(best_pages(pages).map(Part::Table));
    Page::new(format!("Crawl {name}"), lead(run, pages.len(), summary), parts)
}

fn lead(run: &RunFile, pages: usize, summary: Option<&Summary>) -> String {
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
    format!(
        "{} pages of {web}, crawled with recipe {}{state}",
        count(pages as u64),
        run.recipe.name
    )
}

/// Returns the name of the recipe, with a remark if it is not an unchanged built-in recipe.
fn recipe_name(run: &RunFile) -> String {
    let name = &run.recipe.name;
    let is_shipped = Recipe::shipped(name).is_ok_and(|shipped| shipped == run.recipe);
    if is_shipped { name.clone() } else { format!("{name} (changed: see run.json)") }
}

/// Returns true if a row records a fetch that failed.
fn is_error(row: &LogRow) -> bool {
    row.kind != FetchKind::Robots && row.outcome.is_error()
}

/// Returns the charts: each measure over the pages fetched so far, after every page.
fn charts(pages: &[&LogRow], relevant_pages: u64) -> Vec<Chart> {
    let (own, truth) = (Curves::by_itself(pages), Curves::by_labels(pages));
    let chart = |title: &str, y: &str, range, pick: fn(&Curves) -> Vec<(f64, f64)>, both: bool| {
        let named = [("self-reported", &own), ("ground truth", &truth)];
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

fn facts(run: &RunFile, summary: Option<&Summary>, pages: usize) -> Table {
    let mut rows = vec![
        vec!["recipe".to_owned(), recipe_name(run)],
        vec!["budget".to_owned(), count(run.settings.budget)],
        vec!["pages downloaded".to_owned(), count(pages as u64)],
        vec!["seeds".to_owned(), count(run.seeds.len() as u64)],
    ];
    if run.topic.is_some() {
        rows.push(vec!["threshold of relevance".to_owned(), run.recipe.threshold.to_string()]);
    }
    if let Some(summary) = summary {
        rows.extend([
            vec!["pages stored".to_owned(), count(summary.stored)],
            vec!["bytes".to_owned(), bytes(summary.bytes)],
            vec!["time".to_owned(), span(summary.seconds)],
            vec!["duplicates".to_owned(), count(summary.duplicates)],
            vec!["near duplicates".to_owned(), count(summary.near_duplicates)],
            vec!["redirects".to_owned(), count(summary.redirects)],
            vec!["retries".to_owned(), count(summary.retries)],
            vec!["links waiting".to_owned(), count(summary.frontier.queued)],
            vec!["URLs known".to_owned(), count(summary.frontier.known)],
            vec!["hosts".to_owned(), count(summary.frontier.hosts)],
        ]);
    }
    Table::without_heads("The crawl", rows)
}

fn overlap_table(overlap: Overlap, beside: &Path) -> Table {
    let row = |name: &str, it: Superposition| {
        vec![name.to_owned(), count(it.common), decimal(it.ratio), decimal(it.of_smaller)]
    };
    let rows = [row("pages", overlap.pages), row("relevant pages", overlap.relevant)];
    let heading = format!("In common with {}", beside.display());
    Table::new(heading, ["", "in both", "share of either", "share of the smaller"], rows)
}

fn hosts(pages: &[&LogRow]) -> Table {
    let host = |row: &LogRow| Some(Url::parse(&row.final_url).ok()?.host_str()?.to_owned());
    let all = by(pages, host);
    let relevant: Vec<&LogRow> =
        pages.iter().filter(|row| row.relevant == Some(true)).copied().collect();
    let relevant = by(&relevant, host);
    let mut sorted: Vec<(&String, &u64)> = all.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let rows: Vec<Vec<String>> = sorted
        .iter()
        .take(MOST_ROWS)
        .map(|(host, pages)| {
            let relevant = relevant.get(*host).copied().unwrap_or(0);
            vec![(*host).clone(), count(**pages), count(relevant)]
        })
        .collect();
    let heading = format!("Hosts ({})", count(all.len() as u64));
    Table::new(heading, ["host", "pages", "relevant"], rows)
}

/// Returns the number of rows with each value.
fn by(rows: &[&LogRow], of: impl Fn(&LogRow) -> Option<String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for value in rows.iter().filter_map(|row| of(row)) {
        *counts.entry(value).or_default() += 1;
    }
    counts
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
fn best_pages(pages: &[&LogRow]) -> Option<Table> {
    let mut best: Vec<&LogRow> =
        pages.iter().filter(|row| row.relevance.is_some_and(|it| it > 0.0)).copied().collect();
    best.sort_by(|a, b| {
        let order = b.relevance.unwrap_or(0.0).total_cmp(&a.relevance.unwrap_or(0.0));
        order.then_with(|| a.number.cmp(&b.number))
    });
    let rows: Vec<Vec<String>> = best
        .iter()
        .take(MOST_ROWS)
        .map(|row| {
            let title = row.title.clone().unwrap_or_default();
            let priority = row.score(Score::Priority).map_or_else(|| "–".to_owned(), decimal);
            let relevance = decimal(row.relevance.unwrap_or(0.0));
            vec![title, row.final_url.clone(), relevance, priority, count(row.number)]
        })
        .collect();
    let heads = ["title", "URL", "relevance", "priority", "fetch"];
    (!rows.is_empty()).then(|| Table::new("Most relevant pages", heads, rows))
}
