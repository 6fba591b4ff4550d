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
        "{} page{} in {} ({rate:.1}/s){}",
        count(summary.downloaded),
        if summary.downloaded == 1 { "" } else { "s" },
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
    let rows = measures(summary);
    if rows.is_empty() {
        return Ok(());
    }
    let [name, own, truth] = MEASURED;
    let mut table = Table::new([(name, Align::Left), (own, Align::Right), (truth, Align::Right)]);
    rows.into_iter().for_each(|row| table.row(row));
    printer.heading("how good it is")?;
    printer.table(&table)?;
    Ok(())
}

/// The heads of the table of measures.
pub(crate) const MEASURED: [&str; 3] = ["measure", "by the crawler", "by labels"];

/// The measures of the papers, by the crawler's opinion and by labels; none if it was judged by neither.
pub(crate) fn measures(summary: &Summary) -> Vec<[String; 3]> {
    let (own, truth) = (&summary.own, &summary.truth);
    if own.is_none() && truth.is_none() {
        return Vec::new();
    }
    let text = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), decimal);
    let whole = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), count);
    let row = |name: &str, own: String, truth: String| [name.to_owned(), own, truth];
    let decimals =
        |name: &str, own: Option<f64>, truth: Option<f64>| row(name, text(own), text(truth));
    vec![
        row(
            "relevant pages (LP, RP)",
            whole(own.map(|it| it.relevant)),
            whole(truth.map(|it| it.relevant)),
        ),
        decimals(
            "accuracy, harvest rate (AC, HR)",
            own.map(|it| it.accuracy),
            truth.map(|it| it.accuracy),
        ),
        decimals("average relevance (AR)", own.map(|it| it.average_relevance), None),
        decimals("deviation of relevance (SD)", own.map(|it| it.sd), truth.map(|it| it.sd)),
        decimals(
            "relevance of relevant pages (AS)",
            // There is none where nothing was relevant, or where there is no topic to be similar to.
            own.filter(|it| it.relevant > 0).map(|it| it.average_similarity),
            truth.filter(|it| it.relevant > 0 && own.is_some()).map(|it| it.average_similarity),
        ),
        decimals(
            "error of prediction (AE)",
            own.and_then(|it| it.average_error),
            truth.and_then(|it| it.average_error),
        ),
        decimals("recall (RC)", None, truth.map(|it| it.recall)),
    ]
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
