//! Runs a crawl, new or resumed, once its folder and models are ready.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use ontrail_cli::{ExitStatus, Printer, count, stop_flag};
use ontrail_crawl::{
    ArchiveWeb, Crawl, CrawlParts, CrawlSettings, CrawlState, Credentials, End, FetchKind,
    FolderWeb, FrontierLimits, FrontierPlace, Labels, LiveWeb, LocalState, OpenFiles, Outcome,
    ProgressFile, RunFile, RunFolder, Summary, Web, WebPlace, log_rows,
};
use ontrail_focus::Models;
use ontrail_pilot::{Cut, Verdict};
use url::Url;

use crate::endpoint::Endpoint;
use crate::figures;
use crate::shared;
use crate::upload::Order;
use crate::watch::{Watch, WatchArgs};

/// The preparation before a crawl starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// Nothing.
    AsItIs,
    /// Queue the links again that were given up for a failure that may have passed.
    RetryFailed,
}

/// Everything that a crawl needs besides its folder.
pub(crate) struct Prepared {
    pub(crate) web: Arc<dyn Web>,
    pub(crate) focus: Models,
    pub(crate) start: Start,
    /// The credentials for the server of a shared frontier.
    pub(crate) credentials: Credentials,
    /// The order to upload the crawl, if there is one.
    pub(crate) upload: Option<Order>,
}

/// Runs a crawl to its end, shows its progress, and prints its summary.
pub(crate) fn execute(
    folder: &RunFolder,
    run: &RunFile,
    prepared: Prepared,
    watching: &WatchArgs,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    watching.start_tracing();
    let Prepared { web, focus, start, credentials, upload } = prepared;
    let labels = labels(folder, run)?;
    let settings = match run.web {
        WebPlace::Live => within_open_files(&run.settings, printer),
        WebPlace::Archives(_) | WebPlace::Folder(_) => run.settings.clone(),
    };
    let parts = CrawlParts {
        web,
        focus: Arc::new(focus),
        recipe: run.recipe.clone(),
        state: state(folder, run, &credentials)?,
        settings,
        seeds: run.seeds.clone(),
        labels,
        has_topic: run.topic.is_some(),
        // The global thread pool has as many as --threads allows.
        threads: rayon::current_num_threads(),
    };
    let mut crawl = Crawl::open(parts, &folder.path)?;
    crawl.notices().iter().for_each(|notice| printer.warn(notice));
    if start == Start::RetryFailed {
        let links = crawl.retry_failed(log_rows(&folder.path.join("log"))?)?;
        printer.note(format_args!("{} failed link(s) are queued again", count(links)));
    }
    let stop = stop_flag().context("cannot listen for signals")?;
    let endpoint = watching.metrics.map(Endpoint::open).transpose()?;
    let budget = run.settings.budget;
    // Others see at once that the crawl runs, and the file is there if the disk becomes full.
    let progress = ProgressFile { summary: crawl.summary(), end: None, budget, error: None };
    folder.write_progress(&progress)?;
    let upload = upload.map(|order| order.start(folder)).transpose()?;
    let mut watch = Watch::new(folder, budget, endpoint, Arc::clone(&stop), printer);
    watch.upload = upload.as_ref();
    let end = crawl.run(&stop, &mut |summary| watch.update(summary));
    drop(watch);
    if let Err(error) = &end {
        let (summary, error) = (crawl.summary(), Some(with_causes(error)));
        let progress = ProgressFile { summary, end: None, budget, error };
        if let Err(error) = folder.write_last_progress(&progress) {
            tracing::warn!(%error, "cannot write progress.json");
        }
    }
    let end = end.with_context(|| {
        format!(
            "the crawl stopped; everything stored so far is safe. Fix the cause, then run \
             `ontrail crawl resume {}`",
            folder.path.display()
        )
    })?;
    let summary = crawl.summary();
    let progress = ProgressFile { summary: summary.clone(), end: Some(end), budget, error: None };
    folder.write_progress(&progress)?;
    folder.write_summary(&summary)?;
    if printer.is_json() {
        printer.json(&summary)?;
    } else {
        figures::show(&summary, Some(end), &crawl.busiest_hosts(10), printer)?;
        if end == End::NothingLeft && summary.downloaded < budget {
            note_links_held_back(&summary, run, printer);
        }
        note_failures(&summary, printer);
        if matches!(end, End::Stopped | End::Unreachable) {
            printer
                .note(format_args!("resume with: ontrail crawl resume {}", folder.path.display()));
        }
    }
    if let Some(upload) = upload {
        upload.finish(&folder.path, &stop, printer);
    }
    if summary.downloaded > 0 {
        return Ok(ExitStatus::Done);
    }
    warn_of_seeds(folder, printer)?;
    Ok(ExitStatus::No)
}

/// Returns the text of an error and of its causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Warns if most fetches failed.
fn note_failures(summary: &Summary, printer: &mut Printer) {
    let errors: u64 = summary.errors.values().sum();
    if errors >= 20 && errors > summary.downloaded {
        printer.warn(format_args!(
            "most fetches failed ({} errors, {} pages); `ontrail crawl resume --retry-failed` tries \
             failed links again",
            count(errors),
            count(summary.downloaded)
        ));
    }
}

/// Returns the settings with as many fetches at a time as the limit on open files allows.
fn within_open_files(settings: &CrawlSettings, printer: &mut Printer) -> CrawlSettings {
    let (mut settings, files) = (settings.clone(), OpenFiles::raise());
    if files.limit > files.before {
        printer.note(format_args!(
            "raised the limit on open files from {} to {}",
            files.before, files.limit
        ));
    }
    if let Some(asked) = files.bound(&mut settings.fetch) {
        printer.note(format_args!(
            "the limit of {} open files allows {} fetches at a time, not {asked}; raise it with \
             `ulimit -n`",
            files.limit, settings.fetch.parallel
        ));
    }
    settings
}

/// Explains why a crawl ended before its budget was spent, if the recipe held links back.
fn note_links_held_back(summary: &Summary, run: &RunFile, printer: &mut Printer) {
    let held = |verdict: Verdict| summary.refused.get(verdict.name()).copied().unwrap_or(0);
    let (low, off_topic) = (held(Verdict::Low), held(Verdict::OffTopic));
    if let Some(Cut::At(least)) = run.recipe.least_priority().filter(|_| low > 0) {
        printer.note(format_args!(
            "the crawl ended early: {} link(s) had a priority below the recipe's minimum of {least}; \
             lower the minimum with --set",
            count(low)
        ));
    }
    if let (Cut::At(threshold), true) = (run.recipe.threshold, off_topic > 0) {
        printer.note(format_args!(
            "the crawl ended early: {} link(s) were on pages that did not pass the gate (relevance \
             above {threshold}); try a lower --threshold",
            count(off_topic),
        ));
    }
}

/// Warns that no page was fetched, and lists how the fetch of each seed ended.
fn warn_of_seeds(folder: &RunFolder, printer: &mut Printer) -> Result<()> {
    let mut failed = Vec::new();
    for row in log_rows(&folder.path.join("log"))? {
        let row = row?;
        if row.depth == 0 && row.kind == FetchKind::Page && row.outcome != Outcome::Redirect {
            let detail = row.detail.as_ref().map(|detail| format!(": {detail}"));
            failed.push(format!("{} ({}{})", row.url, row.outcome, detail.unwrap_or_default()));
        }
    }
    printer.warn("no page was fetched");
    printer.skipped(failed.len() as u64, "seeds", &failed);
    Ok(())
}

/// Opens a web.
pub(crate) fn open_web(
    place: &WebPlace,
    settings: &CrawlSettings,
    seeds: &[Url],
) -> Result<Arc<dyn Web>> {
    Ok(match place {
        WebPlace::Live => {
            let mut fetch = settings.fetch.clone();
            OpenFiles::raise().bound(&mut fetch);
            let web = LiveWeb::new(&fetch, seeds)?;
            Arc::new(web)
        }
        WebPlace::Archives(paths) => {
            let web = ArchiveWeb::open(paths)?;
            if web.is_empty() {
                let paths: Vec<String> = paths.iter().map(|it| it.display().to_string()).collect();
                bail!("{}: the archive holds no pages", paths.join(", "));
            }
            Arc::new(web)
        }
        WebPlace::Folder(path) => Arc::new(FolderWeb::open(path)?),
    })
}

pub(crate) fn labels(folder: &RunFolder, run: &RunFile) -> Result<Option<Labels>> {
    let (Some(labels), Some(relevant)) = (&run.labels, &run.relevant) else { return Ok(None) };
    Ok(Some(Labels::read(&folder.model(labels)?, relevant)?))
}

fn state(
    folder: &RunFolder,
    run: &RunFile,
    credentials: &Credentials,
) -> Result<Box<dyn CrawlState>> {
    let limits = FrontierLimits::from(&run.settings);
    Ok(match &run.frontier {
        FrontierPlace::Memory => Box::new(LocalState::in_memory(limits)),
        FrontierPlace::Disk => Box::new(open_state(&folder.path, limits)?),
        FrontierPlace::Shared(place) => Box::new(shared::join(place, folder, run, credentials)?),
    })
}

pub(crate) fn open_state(folder: &Path, limits: FrontierLimits) -> Result<LocalState> {
    let state = folder.join("state");
    LocalState::on_disk(&state, limits).with_context(|| {
        format!(
            "{}: cannot open the state of the crawl; if it is damaged, `ontrail crawl repair {}` \
             rebuilds it",
            state.display(),
            folder.display()
        )
    })
}
