//! `ontrail crawl status`: shows the progress of a crawl.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, bytes, count};
use ontrail_crawl::{DiskUse, End, Summary, check_is_run, is_running, read_progress, read_run};
use ontrail_depot::{Ledger, UploadStatus};
use serde::Serialize;

use crate::figures;
use crate::place::{Needs, Place};
use crate::upload;
use crate::watch::waiting_text;

/// Show the progress of a crawl, while it runs or afterwards
///
/// The figures of a running crawl are a few seconds old at most.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl status rain-crawl
  ontrail crawl status rain-crawl --json
  ontrail crawl status s3://crawls/rain")]
pub(crate) struct StatusArgs {
    /// Folder of the crawl, or its address in an object store
    #[arg(value_name = "DIR|URL")]
    folder: PathBuf,
}

#[derive(Serialize)]
struct Report<'a> {
    state: State,
    budget: Option<u64>,
    end: Option<End>,
    /// The error that stopped the crawl, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// Missing if the crawl is in an object store.
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<DiskUse>,
    /// The upload to an object store, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    upload: Option<UploadReport<'a>>,
    #[serde(flatten)]
    summary: Option<&'a Summary>,
}

#[derive(Serialize)]
struct UploadReport<'a> {
    to: &'a str,
    #[serde(flatten)]
    status: &'a UploadStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// A process is crawling.
    Running,
    /// The crawl has ended: its budget or time is spent, or no links are left.
    Finished,
    /// The crawl was stopped or interrupted and can be resumed.
    Stopped,
    /// The crawl is in an object store, where it has not ended: it runs elsewhere or was
    /// interrupted.
    Unfinished,
    /// The folder has the pages of several workers, and cannot be resumed.
    Merged,
}

pub(crate) fn run(args: &StatusArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let place = Place::open(&args.folder, Needs::Figures, printer)?;
    let folder = place.path();
    check_is_run(folder)?;
    let progress = read_progress(folder)?;
    let end = progress.as_ref().and_then(|progress| progress.end);
    let state = match end {
        _ if is_running(folder) => State::Running,
        Some(End::Budget | End::Time | End::NothingLeft | End::Unreachable) => State::Finished,
        _ if !read_run(folder)?.1.merged.is_empty() => State::Merged,
        None if place.is_fetched() => State::Unfinished,
        Some(End::Stopped) | None => State::Stopped,
    };
    let error = progress.as_ref().and_then(|progress| progress.error.as_deref());
    let error = error.filter(|_| state == State::Stopped);
    let disk = (!place.is_fetched()).then(|| DiskUse::of(folder));
    let uploaded = Ledger::of_folder(folder);
    if printer.is_json() {
        let budget = progress.as_ref().map(|progress| progress.budget);
        let summary = progress.as_ref().map(|progress| &progress.summary);
        let upload = uploaded.as_ref().map(|(to, status)| UploadReport { to, status });
        printer.json(&Report { state, budget, end, error, disk, upload, summary })?;
        return Ok(ExitStatus::Done);
    }
    printer.line(match state {
        State::Running => "running",
        State::Finished => "finished",
        State::Stopped => "stopped; can be resumed",
        State::Merged => "merged from the folders of its workers before the crawl had ended",
        State::Unfinished => "not finished; it is still running elsewhere, or was interrupted",
    })?;
    let waiting = progress.as_ref().and_then(|progress| progress.summary.waiting);
    if let Some(waiting) = waiting.filter(|_| state == State::Running) {
        printer.line(waiting_text(waiting))?;
    }
    if let Some(error) = error {
        printer.line(format_args!("an error stopped it: {error}"))?;
    }
    match &progress {
        Some(progress) => figures::show(&progress.summary, end, &[], printer)?,
        None => printer.line("no page fetched yet")?,
    }
    if let Some((to, status)) = &uploaded {
        show_upload(to, status, printer)?;
    }
    let Some(disk) = disk else { return Ok(ExitStatus::Done) };
    printer.line(match disk.free {
        Some(free) => {
            format!("{} in the crawl folder, {} free on its disk", bytes(disk.used), bytes(free))
        }
        None => format!("{} in the crawl folder", bytes(disk.used)),
    })?;
    Ok(ExitStatus::Done)
}

fn show_upload(to: &str, status: &UploadStatus, printer: &mut Printer) -> Result<()> {
    printer.line(format_args!("{} file(s) are uploaded to {to}", count(status.uploaded)))?;
    if let Some(text) = upload::waiting_text(status) {
        printer.line(text)?;
    }
    if let Some(error) = &status.error {
        printer.line(format_args!("the upload fails: {error}"))?;
    }
    Ok(())
}
