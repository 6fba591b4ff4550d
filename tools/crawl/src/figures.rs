//! The summary of a crawl as tables for the terminal.

use std::collections::BTreeMap;

use anyhow::Result;
use ontrail_cli::{Align, Printer, Table, bytes, count};
use ontrail_crawl::{End, Summary};

use crate::learned;
use crate::odd_threshold;
use crate::threshold;
use crate::watch::span;

/// Prints the summary of a crawl.
pub(crate) fn show(
    summary: &Summary,
    end: Option<End>,
    hosts: &[(String, u64)],
    printer: &mut Printer,
) -> Result<()> {
    let rate = summary.downloaded as f64 / summary.seconds.max(0.001);
    printer.heading(format_args!(
        "{} page{} in {} ({rate:.1} pages/s){}",
        count(summary.downloaded),
        if summary.downloaded == 1 { "" } else { "s" },
        span(summary.seconds),
        end.map(|end| format!(", {}", reason(end))).unwrap_or_default()
    ))?;
    let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    if let Some(elsewhere) = summary.elsewhere {
        row("pages of the other workers", count(elsewhere));
    }
    row("pages stored", count(summary.stored));
    if summary.noindex > 0 {
        row("pages not stored: noindex", count(summary.noindex));
    }
    if summary.relevant_noindex > 0 {
        row("relevant pages among them", count(summary.relevant_noindex));
    }
    row("bytes", bytes(summary.bytes));
    row("duplicates", count(summary.duplicates));
    row("near duplicates", count(summary.near_duplicates));
    row("redirects", count(summary.redirects));
    row("retries", count(summary.retries));
    // The folder of a merge has no links that wait.
    let has_links = summary.frontier.known > 0;
    if has_links {
        row("links waiting", count(summary.frontier.queued));
    }
    if summary.frontier.postponed > 0 {
        row("links to retry", count(summary.frontier.postponed));
    }
    if summary.frontier.dropped > 0 {
        row("links dropped for better ones", count(summary.frontier.dropped));
    }
    if summary.frontier.failing_hosts > 0 {
        row("hosts that do not answer", count(summary.frontier.failing_hosts));
    }
    if has_links {
        row("URLs known", count(summary.frontier.known));
    }
    row("hosts", count(summary.frontier.hosts));
    printer.table(&table)?;
    show_metrics(summary, printer)?;
    if let Some(learned) = summary.learned.as_ref().filter(|learned| learned.pages > 0) {
        learned::show(learned, printer)?;
    }
    show_counts("errors", &summary.errors, printer)?;
    show_counts("links not fetched", &summary.refused, printer)?;
    show_counts("classes", &summary.classes, printer)?;
    if !hosts.is_empty() {
        printer.heading("hosts with the most pages")?;
        let mut table = Table::new([("host", Align::Left), ("pages", Align::Right)]);
        hosts.iter().for_each(|(host, pages)| table.row([host.clone(), count(*pages)]));
        printer.table(&table)?;
    }
    Ok(())
}

fn reason(end: End) -> &'static str {
    match end {
        End::Budget => "budget spent",
        End::Time => "time limit reached",
        End::NothingLeft => "no links left to fetch",
        End::Unreachable => "only hosts that do not answer and pages that failed are left",
        End::Stopped => "stopped",
    }
}

fn show_metrics(summary: &Summary, printer: &mut Printer) -> Result<()> {
    let rows = measures(summary, rounded);
    if rows.is_empty() {
        return Ok(());
    }
    let [name, own, truth] = MEASURE_HEADS;
    let mut table = Table::new([(name, Align::Left), (own, Align::Right), (truth, Align::Right)]);
    rows.into_iter().for_each(|row| table.row(row));
    printer.heading("quality")?;
    printer.table(&table)?;
    show_calibration(summary, printer)
}

/// Prints the threshold, with the source of its number, and says if it does not suit the pages.
fn show_calibration(summary: &Summary, printer: &mut Printer) -> Result<()> {
    let Some(calibration) = &summary.calibration else { return Ok(()) };
    printer.line(threshold::message(calibration))?;
    if let Some(expected) = summary.expected_relevant {
        printer.line(format_args!("relevant pages expected by P(relevant): {expected:.0}"))?;
    }
    if let Some(remark) = odd_threshold::message(summary) {
        printer.line(remark)?;
    }
    Ok(())
}

/// Formats a measure for the terminal: two decimals, or three where two would hide most of it.
fn rounded(number: f64) -> String {
    let digits = if number != 0.0 && number.abs() < 0.1 { 3 } else { 2 };
    format!("{number:.digits$}")
}

/// The heads of the table of measures.
pub(crate) const MEASURE_HEADS: [&str; 3] = ["measure", "self-reported", "ground truth"];

/// Returns the measures of the papers, self-reported and by the ground truth, as rows of a table.
/// There are no rows if the crawl had neither a topic nor labels.
pub(crate) fn measures(summary: &Summary, number: fn(f64) -> String) -> Vec<[String; 3]> {
    let (own, truth, judgement) = (&summary.own, &summary.truth, &summary.judgement);
    if own.is_none() && truth.is_none() {
        return Vec::new();
    }
    let text = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    let whole = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), count);
    let row = |name: &str, own: String, truth: String| [name.to_owned(), own, truth];
    let decimals =
        |name: &str, own: Option<f64>, truth: Option<f64>| row(name, text(own), text(truth));
    let mut rows = vec![
        row(
            "relevant pages (LP, RP)",
            whole(own.map(|it| it.relevant)),
            whole(truth.map(|it| it.relevant)),
        ),
        decimals("harvest rate (AC)", own.map(|it| it.accuracy), truth.map(|it| it.accuracy)),
        decimals("mean relevance (AR)", own.map(|it| it.average_relevance), None),
        decimals(
            "standard deviation of relevance (SD)",
            own.map(|it| it.sd),
            truth.map(|it| it.sd),
        ),
        decimals(
            "mean relevance of relevant pages (AS)",
            // Undefined without relevant pages, and without a topic to compare them with.
            own.filter(|it| it.relevant > 0).map(|it| it.average_similarity),
            truth.filter(|it| it.relevant > 0 && own.is_some()).map(|it| it.average_similarity),
        ),
        decimals(
            "prediction error of priorities (AE)",
            own.and_then(|it| it.average_error),
            truth.and_then(|it| it.average_error),
        ),
        decimals("recall (RC)", None, truth.map(|it| it.recall)),
    ];
    // The two numbers of relevant pages can be alike and yet be of different pages.
    if let Some(quality) = judgement {
        rows.extend([
            decimals("precision of its own judgement (P)", None, Some(quality.precision)),
            decimals("recall of its own judgement (R)", None, Some(quality.recall)),
            decimals("F1 of its own judgement", None, Some(quality.f1)),
        ]);
    }
    rows
}

fn show_counts(heading: &str, counts: &BTreeMap<String, u64>, printer: &mut Printer) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    printer.heading(heading)?;
    let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
    let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    sorted.iter().for_each(|(name, number)| table.row([(*name).clone(), count(**number)]));
    printer.table(&table)?;
    Ok(())
}
