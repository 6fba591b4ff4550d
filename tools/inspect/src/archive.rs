//! Shows the content of a web archive.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use ontrail_archive::{Records, find};
use ontrail_cli::{ExitStatus, Printer, bytes, count};
use serde_json::json;
use url::Url;

use crate::Command;
use crate::page;

pub(crate) fn show(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.url {
        Some(url) => show_page(command, url, printer),
        None => show_summary(command, printer),
    }
}

fn show_page(command: &Command, url: &Url, printer: &mut Printer) -> Result<ExitStatus> {
    let Some(response) = find(&command.path, url)? else {
        printer.note(format_args!("{}: contains no response for {url}", command.path.display()));
        if printer.is_json() {
            printer.json(&json!({ "kind": "page", "url": url.as_str(), "found": false }))?;
        }
        return Ok(ExitStatus::No);
    };
    let content_type = response.header("Content-Type");
    if let Some(other) = content_type.filter(|t| !t.contains("text") && !t.contains("html")) {
        bail!("{url}: the response (status {}) is {other}, not a page", response.status);
    }
    let packing = response.header("Content-Encoding").unwrap_or_default();
    if ["br", "zstd", "compress"].contains(&packing.trim()) {
        bail!("{url}: the response is compressed with {packing}, which is not supported");
    }
    let answer = Some((response.status, content_type));
    page::show_bytes(command, &response.body, url, answer, printer)
}

fn show_summary(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
    let mut urls = Vec::new();
    let mut body_bytes = 0;
    let shown = if command.all { usize::MAX } else { 5 };
    let progress = printer.progress("reading", None);
    for record in Records::open(&command.path)? {
        let record = record?;
        progress.step();
        *kinds.entry(record.kind().to_owned()).or_default() += 1;
        if let Some(response) = record.response() {
            *statuses.entry(response.status).or_default() += 1;
            body_bytes += response.body.len() as u64;
            if urls.len() < shown {
                urls.extend(record.target().map(str::to_owned));
            }
        }
    }
    drop(progress);
    if printer.is_json() {
        printer.json(&json!({
            "kind": "web archive", "records": kinds, "statuses": statuses,
            "body_bytes": body_bytes, "addresses": urls,
        }))?;
        return Ok(ExitStatus::Done);
    }
    printer.heading(command.path.display())?;
    printer.line("  kind      web archive")?;
    for (kind, number) in &kinds {
        printer.line(format_args!("  records   {} of type {kind}", count(*number)))?;
    }
    for (status, number) in &statuses {
        printer.line(format_args!("  responses {} with status {status}", count(*number)))?;
    }
    printer.line(format_args!("  bodies    {}", bytes(body_bytes)))?;
    for url in &urls {
        printer.line(format_args!("  URL       {url}"))?;
    }
    let more = statuses.values().sum::<u64>() - urls.len() as u64;
    if more > 0 {
        printer.line(format_args!("  … and {} more (--all)", count(more)))?;
    }
    Ok(ExitStatus::Done)
}
