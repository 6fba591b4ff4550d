//! `ontrail crawl shared`: shows and steers crawls that several workers share; and what the other
//! commands need to begin, join and resume one.

use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer, bytes, count};
use ontrail_crawl::{
    CrawlSettings, Credentials, Order, RunFile, RunFolder, ServerAddress, SharedCrawl, SharedFile,
    SharedPlace, SharedState, SharedStatus, WebPlace, is_harmless_header, shared_crawls,
};
use ontrail_pilot::Recipe;
use serde::Serialize;
use walkdir::WalkDir;

/// Show and steer crawls that several workers share
///
/// The workers of a crawl share its frontier on a Redis server or cluster. `ontrail crawl run
/// --frontier redis://HOST` starts such a crawl, and `ontrail crawl join` adds a worker.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
SERVER is redis://HOST:PORT, rediss://HOST:PORT with TLS, or several nodes of a cluster, separated
by commas. User name and password can be part of it or come from ONTRAIL_REDIS_USER and
ONTRAIL_REDIS_PASSWORD.

Examples:
  ontrail crawl shared list redis://10.0.0.5
  ontrail crawl shared status redis://10.0.0.5 rain
  ontrail crawl shared pause redis://10.0.0.5 rain
  ontrail crawl shared go redis://10.0.0.5 rain
  ontrail crawl shared stop redis://10.0.0.5 rain
  ontrail crawl shared drop redis://10.0.0.5 rain --yes")]
pub(crate) struct SharedArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    /// List the crawls on a server
    #[command(after_help = "\
Examples:
  ontrail crawl shared list redis://10.0.0.5
  ontrail crawl shared list redis://10.0.0.5,redis://10.0.0.6 --json")]
    List {
        /// Redis server
        #[arg(value_name = "SERVER")]
        server: String,
    },
    /// Show workers, links and memory of a crawl
    #[command(after_help = "\
Examples:
  ontrail crawl shared status redis://10.0.0.5 rain
  ontrail crawl shared status redis://10.0.0.5 rain --json")]
    Status(Named),
    /// Let all workers fetch nothing until `go`
    #[command(after_help = "\
Examples:
  ontrail crawl shared pause redis://10.0.0.5 rain
  ontrail crawl shared go redis://10.0.0.5 rain")]
    Pause(Named),
    /// Let paused workers go on, and workers join again after `stop`
    #[command(after_help = "\
Examples:
  ontrail crawl shared go redis://10.0.0.5 rain")]
    Go(Named),
    /// Stop all workers; each can be resumed after `go`
    #[command(after_help = "\
Examples:
  ontrail crawl shared stop redis://10.0.0.5 rain")]
    Stop(Named),
    /// Remove a crawl from the server; the pages in the folders of its workers stay
    #[command(after_help = "\
Examples:
  ontrail crawl shared drop redis://10.0.0.5 rain
  ontrail crawl shared drop redis://10.0.0.5 rain --yes")]
    Drop {
        #[command(flatten)]
        crawl: Named,
        /// Remove it even if workers are still crawling
        #[arg(long)]
        yes: bool,
    },
}

/// A crawl on a server.
#[derive(Debug, Clone, Args)]
pub(crate) struct Named {
    /// Redis server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,
    /// Name of the crawl
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

impl Named {
    /// Opens the crawl. Returns the credentials for its server, too.
    pub(crate) fn open(&self) -> Result<(SharedCrawl, Credentials)> {
        let (server, credentials) = ServerAddress::parse(&self.server)?;
        let place = SharedPlace::new(server, &self.name)?;
        Ok((place.open(&credentials)?, credentials))
    }
}

pub(crate) fn run(args: &SharedArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let order = |named: &Named, order: Order, printer: &mut Printer| -> Result<()> {
        named.open()?.0.order(order).context("the order")?;
        if printer.is_json() {
            return Ok(printer.json(&serde_json::json!({ "order": order.name() }))?);
        }
        printer.line(match order {
            Order::Go => "workers go on, join and resume",
            Order::Pause => "workers pause within seconds",
            Order::Stop => "workers end within seconds",
        })?;
        Ok(())
    };
    match &args.verb {
        Verb::List { server } => {
            let (server, credentials) = ServerAddress::parse(server)?;
            let names = shared_crawls(&server, &credentials)?;
            if printer.is_json() {
                printer.json(&names)?;
            } else if names.is_empty() {
                printer.note("the server has no crawls");
            }
            for name in names.iter().filter(|_| !printer.is_json()).cloned().collect::<Vec<_>>() {
                printer.line(name)?;
            }
        }
        Verb::Status(named) => {
            let (crawl, _) = named.open()?;
            show(&crawl, printer)?;
        }
        Verb::Pause(named) => order(named, Order::Pause, printer)?,
        Verb::Go(named) => order(named, Order::Go, printer)?,
        Verb::Stop(named) => order(named, Order::Stop, printer)?,
        Verb::Drop { crawl, yes } => {
            let (crawl, _) = crawl.open()?;
            let alive = crawl.living_workers()?;
            if alive > 0 && !yes {
                bail!(
                    "{alive} worker(s) are crawling; stop them first (`ontrail crawl shared stop`), or \
                     drop the crawl all the same with --yes"
                );
            }
            crawl.remove()?;
            if printer.is_json() {
                printer.json(&serde_json::json!({ "dropped": crawl.place().name }))?;
            } else {
                printer.line(format_args!("dropped {}", crawl.place().name))?;
            }
        }
    }
    Ok(ExitStatus::Done)
}

#[derive(Serialize)]
struct Report<'a> {
    server: String,
    name: &'a str,
    order: &'a str,
    finished: bool,
    partitions: u32,
    free_partitions: u32,
    open_links: u64,
    letters: u64,
    pages: u64,
    server_memory: u64,
    persistent: bool,
    workers: Vec<WorkerReport<'a>>,
}

#[derive(Serialize)]
struct WorkerReport<'a> {
    name: &'a str,
    alive: bool,
    silent_milliseconds: u64,
    pages: u64,
    partitions: u32,
    queued: u64,
    leased: u64,
    reserve: u64,
    letters: u64,
}

fn show(crawl: &SharedCrawl, printer: &mut Printer) -> Result<()> {
    let SharedPlace { server, name } = crawl.place();
    let status = crawl.status()?;
    let SharedStatus { workers, order, .. } = &status;
    let is_left = status.open + status.letters > 0;
    let is_crawled = workers.iter().any(|worker| crawl.is_alive(worker));
    let is_finished = !workers.is_empty() && !is_left && !is_crawled;
    let report = Report {
        server: server.to_string(),
        name,
        order: order.name(),
        finished: is_finished,
        partitions: status.partitions,
        free_partitions: status.free,
        open_links: status.open,
        letters: status.letters,
        pages: workers.iter().map(|worker| worker.figures.pages).sum(),
        server_memory: status.memory,
        persistent: status.is_persistent,
        workers: workers
            .iter()
            .map(|worker| WorkerReport {
                name: &worker.name,
                alive: crawl.is_alive(worker),
                silent_milliseconds: worker.silent_for,
                pages: worker.figures.pages,
                partitions: worker.figures.partitions,
                queued: worker.figures.queued,
                leased: worker.figures.leased,
                reserve: worker.figures.reserve,
                letters: worker.figures.letters,
            })
            .collect(),
    };
    if printer.is_json() {
        return Ok(printer.json(&report)?);
    }
    let alive = report.workers.iter().filter(|worker| worker.alive).count();
    printer.line(match order {
        _ if report.finished => "finished: no links are left".to_owned(),
        Order::Go => format!("{alive} worker(s) crawling"),
        Order::Pause => format!("paused, {alive} worker(s)"),
        Order::Stop => format!("stopped, {alive} worker(s) still ending"),
    })?;
    printer.line(format_args!(
        "{} page(s), {} open link(s), {} letter(s) under way",
        count(report.pages),
        count(report.open_links),
        count(report.letters)
    ))?;
    printer.line(format_args!(
        "{} of {} partition(s) without a worker",
        report.free_partitions, report.partitions
    ))?;
    printer.line(format_args!(
        "{} of memory on the server{}",
        bytes(report.server_memory),
        if report.persistent { "" } else { ", which keeps nothing on disk (appendonly no)" }
    ))?;
    printer.line(
        "  worker                               pages  partitions    queued   refused  state",
    )?;
    for worker in &report.workers {
        let state = if worker.alive { "alive" } else { "gone" };
        printer.line(format_args!(
            "  {:<32} {:>9} {:>11} {:>9} {:>9}  {state}",
            worker.name,
            count(worker.pages),
            worker.partitions,
            count(worker.queued),
            count(worker.reserve)
        ))?;
    }
    Ok(())
}

/// Refuses recipes that compare all links of a crawl with each other.
pub(crate) fn check_recipe(recipe: &Recipe) -> Result<()> {
    if recipe.needs_whole_web() {
        bail!(
            "recipe {} compares all links of the crawl with each other, so workers cannot share it; \
             use another one, such as ontrail, or crawl on one machine",
            recipe.name
        );
    }
    Ok(())
}

/// Refuses settings that all workers would need and that must not be on a server.
pub(crate) fn check_settings(settings: &CrawlSettings) -> Result<()> {
    let fetch = &settings.fetch;
    let has_secrets = fetch.headers.keys().any(|name| !is_harmless_header(name))
        || fetch.headers_for.values().any(|headers| !headers.is_empty())
        || fetch.proxy.as_deref().is_some_and(|proxy| proxy.contains('@'));
    if has_secrets {
        bail!(
            "a crawl with secret headers or with a proxy password cannot be shared, because the Redis \
             server would hold them in clear; drop them, or crawl on one machine"
        );
    }
    Ok(())
}

/// Creates a crawl on a server, for the worker whose folder this is and all that join later.
pub(crate) fn create(
    place: &SharedPlace,
    credentials: &Credentials,
    partitions: u32,
    lease: Duration,
    folder: &RunFolder,
    run: &RunFile,
) -> Result<()> {
    let description = serde_json::to_string(run).context("the description of the crawl")?;
    let files = models(&folder.path)?;
    place.create(credentials, partitions, lease, &description, &files)?;
    Ok(())
}

/// Reads the copies of the models in a crawl folder.
fn models(folder: &Path) -> Result<Vec<SharedFile>> {
    let mut files = Vec::new();
    let models = folder.join("models");
    if !models.is_dir() {
        return Ok(files);
    }
    for entry in WalkDir::new(&models).sort_by_file_name() {
        let entry = entry.with_context(|| format!("{}: cannot be read", models.display()))?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder)?.to_string_lossy().into_owned();
            let content = std::fs::read(entry.path())
                .with_context(|| format!("{}: cannot be read", entry.path().display()))?;
            files.push((path, content));
        }
    }
    Ok(files)
}

/// Refuses a crawl whose workers were all told to stop.
pub(crate) fn check_is_not_stopped(crawl: &SharedCrawl) -> Result<()> {
    if crawl.current_order()? == Order::Stop {
        let SharedPlace { server, name } = crawl.place();
        bail!(
            "the crawl was stopped; `ontrail crawl shared go {server} {name}` lets workers join and \
             resume"
        );
    }
    Ok(())
}

/// Joins a crawl as the worker whose folder this is.
pub(crate) fn join(
    place: &SharedPlace,
    folder: &RunFolder,
    run: &RunFile,
    credentials: &Credentials,
) -> Result<SharedState> {
    let crawl = place.open(credentials)?;
    check_is_not_stopped(&crawl)?;
    let is_live = run.web == WebPlace::Live;
    // The clock of an offline crawl begins at 0.
    let since = if is_live { SystemTime::UNIX_EPOCH.elapsed()? } else { Duration::ZERO };
    let now = u64::try_from(since.as_millis())?;
    let state = folder.path.join("state");
    let has_graph = run.recipe.needs_graph();
    Ok(SharedState::join(crawl, &state, &run.settings, is_live, has_graph, now)?)
}
