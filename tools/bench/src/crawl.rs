//! `ontrail bench crawl`: the speed of a whole crawl, including fetching and storing, from a server
//! on this machine.

mod served;
mod site;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, bytes, count};
use ontrail_crawl::{
    Crawl, CrawlParts, CrawlSettings, FrontierLimits, LiveWeb, LocalState, Summary,
};
use ontrail_focus::{Models, model_of};
use ontrail_pilot::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

/// Measure how many pages per second a crawl fetches, parses, scores and stores
///
/// A server in a separate process generates English-like pages of 32 kB with 50 links each, most of
/// them new, so that 20,000 pages lead to about a million known URLs. They are crawled best-first
/// with a topic of 50 terms. Pages go to a web archive and links to a frontier on disk; both are
/// committed about once a second.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench crawl
  ontrail bench crawl --pages 5000 --json
  ontrail bench crawl --serve        # only the server; it runs until standard input ends")]
pub(crate) struct CrawlBench {
    /// Number of pages to crawl
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pages: u64,
    /// Number of fetches at a time
    #[arg(long, value_name = "N", default_value_t = 64)]
    parallel: usize,
    /// Crawl breadth-first instead of best-first
    #[arg(long)]
    bfs: bool,
    /// Keep the frontier in memory instead of on disk
    #[arg(long)]
    memory: bool,
    /// Only start the server: print its URL and the path of the topic as JSON, and run until
    /// standard input ends
    #[arg(long)]
    serve: bool,
}

/// The first line that the server prints.
#[derive(Debug, Serialize, Deserialize)]
struct Served {
    address: Url,
    topic: std::path::PathBuf,
}

#[derive(Serialize)]
struct Report {
    recipe: String,
    pages: u64,
    threads: usize,
    seconds: f64,
    pages_per_second: f64,
    /// CPU time of all threads of this process; the server is a separate process.
    cpu_ms_per_page: f64,
    peak_memory_bytes: u64,
    known_links: u64,
    relevant: u64,
    bytes: u64,
    errors: u64,
}

pub(crate) fn run(args: &CrawlBench, printer: &mut Printer) -> Result<ExitStatus> {
    if args.serve {
        return serve(printer);
    }
    let mut server = Server::start()?;
    let started = (Instant::now(), cpu_seconds());
    let summary = crawl(args, &server.served)?;
    let (seconds, cpu) = (started.0.elapsed().as_secs_f64(), cpu_seconds() - started.1);
    server.stop();
    let pages = summary.downloaded;
    let report = Report {
        recipe: recipe_name(args).to_owned(),
        pages,
        threads: rayon::current_num_threads(),
        seconds,
        pages_per_second: pages as f64 / seconds,
        cpu_ms_per_page: 1_000.0 * cpu / pages.max(1) as f64,
        peak_memory_bytes: peak_memory(),
        known_links: summary.frontier.known,
        relevant: summary.own.map_or(0, |own| own.relevant),
        bytes: summary.bytes,
        errors: summary.errors.values().sum(),
    };
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        show(&report, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn show(report: &Report, printer: &mut Printer) -> Result<()> {
    let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    row("recipe", report.recipe.clone());
    row("pages", count(report.pages));
    row("seconds", format!("{:.2}", report.seconds));
    row("pages per second", format!("{:.0}", report.pages_per_second));
    row("CPU time per page", format!("{:.2} ms", report.cpu_ms_per_page));
    row("peak memory", bytes(report.peak_memory_bytes));
    row("URLs known", count(report.known_links));
    row("relevant pages", count(report.relevant));
    row("bytes fetched", bytes(report.bytes));
    row("errors", count(report.errors));
    printer.table(&table)?;
    Ok(())
}

fn recipe_name(args: &CrawlBench) -> &'static str {
    if args.bfs { "bfs" } else { "ontrail" }
}

fn crawl(args: &CrawlBench, served: &Served) -> Result<Summary> {
    let mut settings = CrawlSettings::default().with(|it| it.budget = args.pages);
    settings.politeness.delay = 0.0;
    settings.politeness.address_delay = 0.0;
    settings.politeness.slow_factor = 0.0;
    settings.politeness.connections_per_host = u32::try_from(args.parallel).unwrap_or(64);
    settings.caps.links_per_pattern = u32::MAX;
    settings.fetch.parallel = args.parallel;
    settings.fetch.contact = Some("bench@localhost.localdomain".to_owned());
    settings.fetch.allow_private = vec!["127.0.0.1".to_owned()];
    settings.check()?;
    let limits = FrontierLimits::from(&settings);
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let state = if args.memory {
        LocalState::in_memory(limits)
    } else {
        LocalState::on_disk(&folder.path().join("state"), limits)?
    };
    let recipe = Recipe::shipped(recipe_name(args))?;
    let model = model_of(&recipe.similarity);
    let parts = CrawlParts {
        web: Arc::new(LiveWeb::new(&settings.fetch, &[])?),
        focus: Arc::new(Models::new().with_topic(&site::topic(), model, None)?),
        recipe,
        state: Box::new(state),
        settings,
        seeds: vec![served.address.clone()],
        labels: None,
        has_topic: true,
        threads: rayon::current_num_threads(),
    };
    let mut crawl = Crawl::open(parts, folder.path())?;
    crawl.run(&AtomicBool::new(false), &mut |_| {})?;
    Ok(crawl.summary())
}

/// Runs the server until standard input ends.
fn serve(printer: &mut Printer) -> Result<ExitStatus> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let topic = folder.path().join("bench.topic.json");
    site::topic().write(&topic, &ontrail_artifact::Provenance::of_this_process("ontrail bench"))?;
    let server = served::start()?;
    let address = Url::parse(&format!("http://{}/", server.address()))?;
    printer.line(serde_json::to_string(&Served { address, topic })?)?;
    printer.flush()?;
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
    Ok(ExitStatus::Done)
}

/// The server process, which ends with this one.
struct Server {
    child: Child,
    served: Served,
}

impl Server {
    fn start() -> Result<Self> {
        // Repeats the arguments up to `crawl`: both `ontrail bench` and `ontrail-bench` get here.
        let words: Vec<String> = std::env::args().skip(1).collect();
        let until = words.iter().position(|word| word == "crawl").unwrap_or(0);
        let mut child = Command::new(std::env::current_exe()?)
            .args(&words[..=until])
            .arg("--serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the server")?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        if let Ok(served) = serde_json::from_str(&line) {
            Ok(Self { child, served })
        } else {
            let _ = child.kill();
            bail!("the server printed {line:?} instead of its URL")
        }
    }

    fn stop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the CPU time of this process on Linux; 0 elsewhere.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().skip(11).take(2);
    // A tick is a hundredth of a second on every current Linux.
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Returns the peak memory of this process on Linux; 0 elsewhere.
fn peak_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1_024
}
