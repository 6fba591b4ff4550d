//! `ontrail crawl merge`: puts the pages of the workers of a crawl together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::{FolderWriter, Provenance};
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_crawl::{
    FrontierPlace, Merge, Merged, ProgressFile, RunFile, RunFolder, WorkerFolder, hide_arguments,
    is_running, read_progress, read_run,
};
use serde::Serialize;
use serde_json::Value;
use walkdir::WalkDir;

use crate::execute::labels;
use crate::outside::check_is_outside;
use crate::place::{Needs, Place};

/// Put the pages of all workers of a shared crawl together in one folder
///
/// The new folder has each page once, with its links and its row of the log, in the order in which
/// they were fetched. `report`, `export`, `learn`, `upload` and the lab read it like any crawl. If
/// a worker died and another fetched its last pages again, only one fetch of each is there. The
/// folders of the workers stay as they are.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The workers must have ended. Their folders can be in object stores.

Examples:
  ontrail crawl merge rain-1 rain-2 rain-3 -o rain
  ontrail crawl merge s3://crawls/rain-1 s3://crawls/rain-2 -o rain")]
pub(crate) struct MergeArgs {
    /// Folders of the workers, or their addresses in an object store
    #[arg(value_name = "DIR|URL", required = true)]
    folders: Vec<PathBuf>,
    /// New folder for the whole crawl
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(rename = "crawl")]
    path: &'a Path,
    workers: usize,
    downloaded: u64,
    stored: u64,
    /// Fetches that were left out, because the same link was fetched again.
    left_out: u64,
}

pub(crate) fn run(args: &MergeArgs, printer: &mut Printer) -> Result<ExitStatus> {
    FolderWriter::check(&args.output)?;
    for given in &args.folders {
        check_is_outside(&args.output, given)?;
    }
    let places = args.folders.iter().map(|it| Place::open(it, Needs::Everything, printer));
    let places: Vec<Place> = places.collect::<Result<_>>()?;
    let folders: Vec<WorkerFolder> = places
        .iter()
        .map(|it| WorkerFolder { path: it.path().to_owned(), is_fetched: it.is_fetched() })
        .collect();
    let mut run = one_crawl(&args.folders, &folders)?;
    run.merged = places.iter().map(Place::name).collect();
    let mut provenance = Provenance::of_this_process("ontrail crawl merge");
    provenance.arguments = hide_arguments(&provenance.arguments);
    for place in &places {
        provenance = place.as_input_of(provenance)?;
    }

    let new = FolderWriter::create(&args.output)?;
    let folder = RunFolder::create(new.path())?;
    copy_models(&folders[0].path, new.path())?;
    let mut summaries = Vec::new();
    let mut end = None;
    for folder in &folders {
        if let Some(progress) = read_progress(&folder.path)? {
            end = end.or(progress.end.filter(|_| progress.summary.finished));
            summaries.push(progress.summary);
        }
    }
    let labels = labels(&folder, &run)?;
    let merge = Merge {
        folders: &folders,
        summaries: &summaries,
        seeds: &run.seeds,
        labels: labels.as_ref(),
        has_topic: run.topic.is_some(),
    };
    let line = printer.live_line();
    let software = concat!("ontrail/", env!("CARGO_PKG_VERSION"));
    let merged = merge.write(new.path(), software, &mut |rows| {
        if rows.is_multiple_of(1_000) {
            line.set(format!("{} rows merged", count(rows)));
        }
    })?;
    drop(line);
    folder.write_run(&run, &provenance)?;
    let Merged { summary, .. } = &merged;
    let budget = run.settings.budget;
    folder.write_progress(&ProgressFile { summary: summary.clone(), end, budget, error: None })?;
    folder.write_summary(summary)?;
    drop(folder);
    new.finish()?;
    show(args, &merged, printer)?;
    Ok(ExitStatus::Done)
}

/// Returns the description of the crawl that all these workers belong to.
fn one_crawl(given: &[PathBuf], folders: &[WorkerFolder]) -> Result<RunFile> {
    let mut first: Option<(RunFile, Value)> = None;
    let first_given = given.first().context("name the folders of the workers")?;
    let mut seen = BTreeSet::new();
    for (given, WorkerFolder { path: folder, .. }) in given.iter().zip(folders) {
        let (_, run) = read_run(folder)?;
        if !seen.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())) {
            bail!("{}: is named twice", given.display());
        }
        if !matches!(run.frontier, FrontierPlace::Shared(_)) || !run.merged.is_empty() {
            bail!(
                "{}: is not the folder of a worker of a shared crawl (`ontrail crawl run --frontier \
                 redis://…` and `ontrail crawl join` make such folders)",
                given.display()
            );
        }
        if is_running(folder) {
            bail!("{}: this worker is still crawling; stop it, then merge", given.display());
        }
        let description = in_common(&run)?;
        match &first {
            None => first = Some((run, description)),
            Some((_, other)) if *other == description => {}
            Some(_) => {
                bail!(
                    "{}: belongs to another crawl than {}",
                    given.display(),
                    first_given.display()
                )
            }
        }
    }
    Ok(first.context("name the folders of the workers")?.0)
}

/// Returns what all workers of a crawl have in common. The budget can be changed by `crawl resume`,
/// and each worker may know the server by another address.
fn in_common(run: &RunFile) -> Result<Value> {
    let mut run = run.clone();
    run.settings.budget = 0;
    run.settings.max_seconds = None;
    let mut value = serde_json::to_value(&run)?;
    if let FrontierPlace::Shared(place) = &run.frontier {
        value["frontier"] = place.name.clone().into();
    }
    Ok(value)
}

/// Copies the models of a worker.
fn copy_models(from: &Path, to: &Path) -> Result<()> {
    let models = from.join("models");
    if !models.is_dir() {
        return Ok(());
    }
    for entry in WalkDir::new(&models) {
        let entry = entry.with_context(|| format!("{}: cannot be read", models.display()))?;
        let target = to.join(entry.path().strip_prefix(from)?);
        let copied = if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target)
        } else {
            std::fs::copy(entry.path(), &target).map(|_| ())
        };
        copied.with_context(|| format!("{}: cannot be copied", entry.path().display()))?;
    }
    Ok(())
}

fn show(args: &MergeArgs, merged: &Merged, printer: &mut Printer) -> Result<()> {
    let Merged { summary, left_out, .. } = merged;
    let workers = args.folders.len();
    if printer.is_json() {
        let (downloaded, stored) = (summary.downloaded, summary.stored);
        let path = &args.output;
        printer.json(&Report { path, workers, downloaded, stored, left_out: *left_out })?;
        return Ok(());
    }
    printer.line(format_args!(
        "{} page(s) of {workers} worker(s), {} stored",
        count(summary.downloaded),
        count(summary.stored)
    ))?;
    if *left_out > 0 {
        printer.line(format_args!(
            "{} fetch(es) left out, because the same links were fetched again",
            count(*left_out)
        ))?;
    }
    printer.line(args.output.display())?;
    Ok(())
}
