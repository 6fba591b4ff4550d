//! Runs a crawl that is made ready, new or old.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use ontrail_cli::{ExitStatus, Printer, count, stop_flag};
use ontrail_crawl::{
    ArchiveWeb, Crawl, CrawlParts, CrawlState, End, FetchKind, FolderWeb, FrontierLimits,
    FrontierPlace, Labels, LiveWeb, LocalState, Outcome, ProgressFile, RunFile, RunFolder,
    Settings, Summary, Web, WebPlace, read_log,
};
use ontrail_focus::Models;
use ontrail_pilot::Verdict;

use crate::endpoint::Endpoint;
use crate::figures;
use crate::watch::{Watch, WatchArgs};

/// Crawls until the end, showing how it stands.
pub(crate) fn go(
    folder: &RunFolder,
    run: &RunFile,
    web: Arc<dyn Web>,
    focus: Models,
    watching: &WatchArgs,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    watching.start_tracing();
    let labels = labels(folder, run)?;
    let parts = CrawlParts {
        web,
        focus: Arc::new(focus),
        recipe: run.recipe.clone(),
        state: state(folder, run)?,
        settings: run.settings.clone(),
        seeds: run.seeds.clone(),
        labels,
        has_topic: run.topic.is_some(),
        // As many as --threads allows.
        threads: rayon::current_num_threads(),
    };
    let mut crawl = Crawl::open(parts, &folder.path)?;
    let stop = stop_flag().context("signals cannot be listened to")?;
    let endpoint = watching.metrics.map(Endpoint::open).transpose()?;
    let mut watch = Watch::new(folder, run.settings.budget, endpoint, Arc::clone(&stop), printer);
    let end = crawl.run(&stop, &mut |summary| watch.see(summary));
    drop(watch);
    let end = end.with_context(|| {
        format!(
            "the crawl stopped; what was stored until then is safe. Mend the cause and go on with \
             `ontrail crawl resume {}`",
            folder.path.display()
        )
    })?;
    let summary = crawl.summary();
    let budget = run.settings.budget;
    folder.write_progress(&ProgressFile { summary: summary.clone(), end: Some(end), budget })?;
    folder.write_summary(&summary)?;
    if printer.is_json() {
        printer.json(&summary)?;
    } else {
        figures::show(&summary, Some(end), &crawl.busiest_hosts(10), printer)?;
        say_if_the_threshold_tells_nothing_apart(&summary, run, printer);
        if end == End::NothingLeft && summary.downloaded < budget {
            say_what_was_held_back(&summary, run, printer);
        }
        if end == End::Stopped {
            printer
                .note(format_args!("go on with: ontrail crawl resume {}", folder.path.display()));
        }
    }
    if summary.downloaded > 0 {
        return Ok(ExitStatus::Done);
    }
    warn_of_nothing(folder, printer)?;
    Ok(ExitStatus::No)
}

/// From how many pages on it is odd if hardly any, or nearly all, are relevant, and what shares are odd.
const ENOUGH_PAGES: u64 = 100;
const ODD_SHARES: [f64; 2] = [0.02, 0.98];

/// Says so if the threshold calls hardly any page relevant, or nearly all: it is then that of another topic or another web.
fn say_if_the_threshold_tells_nothing_apart(
    summary: &Summary,
    run: &RunFile,
    printer: &mut Printer,
) {
    let Some(own) = summary.own.filter(|_| summary.downloaded >= ENOUGH_PAGES) else { return };
    let [few, many] = ODD_SHARES;
    if own.accuracy <= few || own.accuracy >= many {
        printer.note(format_args!(
            "{} of {} pages have a relevance above {}, from where on they count as relevant: so it hardly tells pages apart. \
             Look at some with `ontrail topic score`, and give another --threshold",
            count(own.relevant),
            count(summary.downloaded),
            run.recipe.threshold
        ));
    }
}

/// Says why a crawl ended before its budget was spent, if the recipe held links back.
fn say_what_was_held_back(summary: &Summary, run: &RunFile, printer: &mut Printer) {
    let held = |verdict: Verdict| summary.refused.get(verdict.name()).copied().unwrap_or(0);
    let (low, off_topic) = (held(Verdict::Low), held(Verdict::OffTopic));
    if let Some(least) = run.recipe.least_priority().filter(|_| low > 0) {
        printer.note(format_args!(
            "it ended early: {} links promised less than the recipe asks for ({least}); lower it with --set",
            count(low)
        ));
    }
    if off_topic > 0 {
        printer.note(format_args!(
            "it ended early: {} links are on pages that did not pass the gate; R(p) must be above {}, or lower --threshold",
            count(off_topic),
            run.recipe.threshold
        ));
    }
}

/// Says why a crawl brought nothing: what became of its seeds.
fn warn_of_nothing(folder: &RunFolder, printer: &mut Printer) -> Result<()> {
    let rows = read_log(&folder.path.join("log"))?;
    let failed: Vec<String> = rows
        .iter()
        .filter(|row| {
            row.depth == 0 && row.kind == FetchKind::Page && row.outcome != Outcome::Redirect
        })
        .map(|row| {
            let detail = row.detail.as_ref().map(|detail| format!(": {detail}"));
            format!("{} ({}{})", row.url, row.outcome, detail.unwrap_or_default())
        })
        .collect();
    printer.warn("no page was fetched");
    printer.passed_over(failed.len() as u64, "seeds", &failed);
    Ok(())
}

/// Opens a web.
pub(crate) fn web(place: &WebPlace, settings: &Settings) -> Result<Arc<dyn Web>> {
    Ok(match place {
        WebPlace::Live => {
            let web = LiveWeb::new(&settings.fetch, settings.politeness.address_delay)?;
            Arc::new(web)
        }
        WebPlace::Archives(paths) => {
            let web = ArchiveWeb::open(paths)?;
            if web.is_empty() {
                let paths: Vec<String> = paths.iter().map(|it| it.display().to_string()).collect();
                bail!("{}: no pages in it", paths.join(", "));
            }
            Arc::new(web)
        }
        WebPlace::Folder(path) => Arc::new(FolderWeb::open(path)?),
    })
}

fn labels(folder: &RunFolder, run: &RunFile) -> Result<Option<Labels>> {
    let (Some(labels), Some(relevant)) = (&run.labels, &run.relevant) else { return Ok(None) };
    Ok(Some(Labels::read(&folder.model(labels)?, relevant)?))
}

fn state(folder: &RunFolder, run: &RunFile) -> Result<Box<dyn CrawlState>> {
    let limits = FrontierLimits::from(&run.settings);
    Ok(match run.frontier {
        FrontierPlace::Memory => Box::new(LocalState::in_memory(limits)),
        FrontierPlace::Disk => Box::new(open_state(&folder.path, limits)?),
    })
}

fn open_state(folder: &Path, limits: FrontierLimits) -> Result<LocalState> {
    let state = folder.join("state");
    LocalState::on_disk(&state, limits)
        .with_context(|| format!("{}: cannot be opened", state.display()))
}
