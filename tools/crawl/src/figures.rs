//! How a crawl stands, as tables.

use std::collections::BTreeMap;

use anyhow::Result;
use ontrail_cli::{Align, Printer, Table, bytes, count, decimal};
use ontrail_crawl::{End, Summary};

use crate::watch::span;

/// Prints how a crawl stands.
pub(crate) fn show(
    summary: &Summary,
    end: Option<End>,
    hosts: &[(String, u64)],
    printer: &mut Printer,
) -> Result<()> {
    let rate = summary.downloaded as f64 / summary.seconds.max(0.001);
    printer.heading(format_args!(
        "{} pages in {} ({rate:.1}/s){}",
        count(summary.downloaded),
        span(summary.seconds),
        end.map(|end| format!(", {}", why(end))).unwrap_or_default()
    ))?;
    let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    row("stored", count(summary.stored));
    row("bytes", bytes(summary.bytes));
    row("duplicates", count(summary.duplicates));
    row("near-duplicates", count(summary.near_duplicates));
    row("redirects", count(summary.redirects));
    row("tried again", count(summary.retries));
    row("links that wait", count(summary.frontier.queued));
    row("addresses known", count(summary.frontier.known));
    row("hosts", count(summary.frontier.hosts));
    printer.table(&table)?;
    show_metrics(summary, printer)?;
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

fn why(end: End) -> &'static str {
    match end {
        End::Budget => "as many as were asked for",
        End::Time => "as long as was asked for",
        End::NothingLeft => "nothing is left to fetch",
        End::Stopped => "stopped",
    }
}

fn show_metrics(summary: &Summary, printer: &mut Printer) -> Result<()> {
    if summary.own.is_none() && summary.truth.is_none() {
        return Ok(());
    }
    let mut table = Table::new([
        ("measure", Align::Left),
        ("by the crawler", Align::Right),
        ("by labels", Align::Right),
    ]);
    let (own, truth) = (&summary.own, &summary.truth);
    let text = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), decimal);
    let whole = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), count);
    let mut row = |name: &str, own: String, truth: String| {
        table.row([name.to_owned(), own, truth]);
    };
    row(
        "relevant pages (LP, RP)",
        whole(own.map(|it| it.relevant)),
        whole(truth.map(|it| it.relevant)),
    );
    row("accuracy (AC, HR)", text(own.map(|it| it.accuracy)), text(truth.map(|it| it.accuracy)));
    row("average relevance (AR)", text(own.map(|it| it.average_relevance)), text(None));
    row("deviation (SD)", text(own.map(|it| it.sd)), text(truth.map(|it| it.sd)));
    row(
        "similarity of relevant (AS)",
        text(own.map(|it| it.average_similarity)),
        text(truth.map(|it| it.average_similarity)),
    );
    row(
        "error of prediction (AE)",
        text(own.and_then(|it| it.average_error)),
        text(truth.and_then(|it| it.average_error)),
    );
    row("recall (RC)", text(None), text(truth.map(|it| it.recall)));
    printer.heading("how good it is")?;
    printer.table(&table)?;
    Ok(())
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
