//! `ontrail crawl status`: shows the progress of a crawl.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, bytes};
use ontrail_crawl::{DiskUse, End, Summary, check_is_run, is_running, read_progress};
use serde::Serialize;

use crate::figures;
use crate::watch::waiting_text;

/// Show the progress of a crawl, while it runs or afterwards
///
/// The figures of a running crawl are a few seconds old at most.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl status rain-crawl
  ontrail crawl status rain-crawl --json")]
pub(crate) struct StatusArgs {
    /// Folder of the crawl
    #[arg(value_name = "DIR")]
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
    disk: DiskUse,
    #[serde(flatten)]
    summary: Option<&'a Summary>,
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
}

pub(crate) fn run(args: &StatusArgs, printer: &mut Printer) -> Result<ExitStatus> {
    check_is_run(&args.folder)?;
    let progress = read_progress(&args.folder)?;
    let end = progress.as_ref().and_then(|progress| progress.end);
    let state = match end {
        _ if is_running(&args.folder) => State::Running,
        Some(End::Budget | End::Time | End::NothingLeft | End::Unreachable) => State::Finished,
        Some(End::Stopped) | None => State::Stopped,
    };
    let error = progress.as_ref().and_then(|progress| progress.error.as_deref());
    let error = error.filter(|_| state == State::Stopped);
    let disk = DiskUse::of(&args.folder);
    if printer.is_json() {
        let budget = progress.as_ref().map(|progress| progress.budget);
        let summary = progress.as_ref().map(|progress| &progress.summary);
        printer.json(&Report { state, budget, end, error, disk, summary })?;
        return Ok(ExitStatus::Done);
    }
    printer.line(match state {
        State::Running => "running",
        State::Finished => "finished",
        State::Stopped => "stopped; can be resumed",
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
    printer.line(match disk.free {
        Some(free) => {
            format!("{} in the crawl folder, {} free on its disk", bytes(disk.used), bytes(free))
        }
        None => format!("{} in the crawl folder", bytes(disk.used)),
    })?;
    Ok(ExitStatus::Done)
}
