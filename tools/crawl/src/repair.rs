//! `ontrail crawl repair`: rebuilds the state of a crawl from its pages, log and links.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_crawl::{
    Crawl, CrawlParts, FrontierLimits, FrontierPlace, NoWeb, ProgressFile, Repaired, RunFolder,
    Summary, read_progress, read_run,
};
use serde::Serialize;

use crate::execute::{labels, open_state};
use crate::resume::{check_is_no_merge, model_files};

/// Rebuild the state of a crawl if it is damaged or lost
///
/// Reads the pages, the log and the links of the crawl and rebuilds from them the waiting links,
/// the counters and the state of the recipe, so that the crawl can be resumed. The old state is
/// moved to state.damaged-1; incomplete rows and records are moved to pages/cut-1, log/cut-1 and
/// links/cut-1. Nothing is deleted. Every page is scored again, which takes about as long as the
/// crawl took to score it.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl repair rain-crawl
  ontrail crawl repair rain-crawl --json && ontrail crawl resume rain-crawl")]
pub(crate) struct RepairArgs {
    /// Folder of the crawl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// The result as JSON.
#[derive(Serialize)]
struct Report<'a> {
    old_state: Option<&'a Path>,
    moved: &'a [PathBuf],
    unreadable: u64,
    not_stored: u64,
    without_links: u64,
    #[serde(flatten)]
    summary: &'a Summary,
}

pub(crate) fn run(args: &RepairArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let folder = RunFolder::open(&args.folder)?;
    let (_, run) = read_run(&args.folder)?;
    check_is_no_merge(&args.folder, &run)?;
    if run.frontier == FrontierPlace::Memory {
        bail!(
            "{}: this crawl has no state to rebuild, because its frontier was kept in memory \
             (--frontier memory); start a new one",
            args.folder.display()
        );
    }
    if let FrontierPlace::Shared(place) = &run.frontier {
        bail!(
            "{}: the links of this crawl are on {}, and other workers go on with them; what this worker \
             has stored is safe. Join the crawl again with another folder",
            args.folder.display(),
            place.server
        );
    }
    let focus = model_files(&folder, &run)?.read()?.for_recipe(&run.recipe)?;
    let labels = labels(&folder, &run)?;
    // The figures of a crawl whose progress.json is lost begin at zero seconds.
    let progress = read_progress(&args.folder).ok().flatten();
    let seconds = progress.as_ref().map_or(0.0, |progress| progress.summary.seconds);
    let old_state = folder.set_state_aside()?;
    let parts = CrawlParts {
        web: Arc::new(NoWeb),
        focus: Arc::new(focus),
        recipe: run.recipe.clone(),
        state: Box::new(open_state(&folder.path, FrontierLimits::from(&run.settings))?),
        settings: run.settings.clone(),
        seeds: run.seeds.clone(),
        labels,
        has_topic: run.topic.is_some(),
        threads: 1,
    };
    let line = printer.live_line();
    let repaired = Crawl::repair(parts, &folder.path, seconds, &mut |row, rows| {
        line.set(format!("{} of {} rows replayed", count(row), count(rows)));
    })?;
    drop(line);
    let (summary, budget) = (repaired.summary.clone(), run.settings.budget);
    folder.write_progress(&ProgressFile { summary, end: None, budget, error: None })?;
    show(args, &repaired, old_state.as_deref(), printer)?;
    Ok(ExitStatus::Done)
}

/// Prints what was rebuilt, and what could not be.
fn show(
    args: &RepairArgs,
    repaired: &Repaired,
    old_state: Option<&Path>,
    printer: &mut Printer,
) -> Result<()> {
    let Repaired { summary, moved, unreadable, without_links, not_stored, .. } = repaired;
    if *unreadable > 0 {
        printer.warn(format_args!(
            "{} page(s) in the log cannot be read from the archives",
            count(*unreadable)
        ));
    }
    if *not_stored > 0 {
        printer.warn(format_args!(
            "{} page(s) are not in the archives; the recipe knows only the priorities of their links",
            count(*not_stored)
        ));
    }
    if *without_links > 0 {
        printer.warn(format_args!(
            "the links of {} page(s) are lost, because neither the pages nor their links were stored \
             (--no-links)",
            count(*without_links)
        ));
    }
    if printer.is_json() {
        printer.json(&Report {
            old_state,
            moved,
            unreadable: *unreadable,
            not_stored: *not_stored,
            without_links: *without_links,
            summary,
        })?;
        return Ok(());
    }
    printer.line(format_args!(
        "The state was rebuilt: {} page(s), {} waiting link(s) on {} host(s).",
        count(summary.downloaded),
        count(summary.frontier.queued),
        count(summary.frontier.open_hosts)
    ))?;
    if let Some(path) = old_state {
        printer.line(format_args!("The old state was moved to {}.", path.display()))?;
    }
    for path in moved {
        printer.line(format_args!("Surplus data was moved to {}.", path.display()))?;
    }
    printer.note(format_args!("resume with: ontrail crawl resume {}", args.folder.display()));
    Ok(())
}
