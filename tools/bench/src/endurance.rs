//! `ontrail bench endurance`: the frontier of a very long crawl.
//!
//! Links come from a generator, so nothing is fetched or parsed. The frontier is filled on disk as
//! a crawl would fill it, links are taken and finished, and the frontier is opened again.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, bytes, count};
use ontrail_crawl::{Checkpoint, Frontier, FrontierLimits, LocalState};
use ontrail_pilot::{Link, RankedLink};
use serde::Serialize;

/// Measure memory, speed and resume time of a frontier with many millions of links
///
/// The frontier is built on disk from generated links, 100 per host on average; a hundred million
/// links take about 20 GB. Memory is that of the whole process, so sizes should be given in rising
/// order.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench endurance
  ontrail bench endurance --links 1000000,10000000,100000000 --folder /var/tmp")]
pub(crate) struct EnduranceBench {
    /// Numbers of links, separated by commas
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1_000_000, 10_000_000])]
    links: Vec<u64>,
    /// Number of decisions to measure: links that are taken and finished
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    decisions: u64,
    /// Folder for the frontier [default: the folder for temporary files]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// The figures of one size.
#[derive(Debug, Serialize)]
struct Row {
    links: u64,
    hosts: u64,
    offered_per_second: f64,
    decisions_per_second: f64,
    resume_seconds: f64,
    memory_filled: u64,
    memory_resumed: u64,
    disk: u64,
}

/// Number of links on a page, which are offered together.
const PAGE_LINKS: u64 = 50;
/// Number of links between two commits.
const COMMIT_LINKS: u64 = 50_000;
/// Average number of links per host.
const LINKS_PER_HOST: u64 = 100;

pub(crate) fn run(args: &EnduranceBench, printer: &mut Printer) -> Result<ExitStatus> {
    let mut rows = Vec::new();
    for &links in &args.links {
        let progress = printer.progress("links", Some(links));
        let row = measure(args, links, &mut |done| progress.set(done))?;
        drop(progress);
        rows.push(row);
    }
    if printer.is_json() {
        printer.json(&rows)?;
        return Ok(ExitStatus::Done);
    }
    let mut table = Table::new([
        ("links", Align::Right),
        ("hosts", Align::Right),
        ("offered/s", Align::Right),
        ("decisions/s", Align::Right),
        ("resume", Align::Right),
        ("memory", Align::Right),
        ("after resume", Align::Right),
        ("disk", Align::Right),
    ]);
    for row in &rows {
        table.row([
            count(row.links),
            count(row.hosts),
            format!("{:.0}", row.offered_per_second),
            format!("{:.0}", row.decisions_per_second),
            format!("{:.1} s", row.resume_seconds),
            bytes(row.memory_filled),
            bytes(row.memory_resumed),
            bytes(row.disk),
        ]);
    }
    printer.table(&table)?;
    Ok(ExitStatus::Done)
}

fn measure(args: &EnduranceBench, links: u64, progress: &mut dyn FnMut(u64)) -> Result<Row> {
    let folder = match &args.folder {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    };
    let folder = folder.context("cannot create a folder for the frontier")?;
    let mut limits = FrontierLimits::default();
    limits.hosts = u32::MAX;
    limits.queued = u64::MAX;
    let hosts = (links / LINKS_PER_HOST).max(1);
    let mut frontier = LocalState::on_disk(folder.path(), limits)?;
    let started = Instant::now();
    for page in 0..links / PAGE_LINKS {
        let first = page * PAGE_LINKS;
        frontier.offer_all((first..first + PAGE_LINKS).map(|n| generated(n, hosts)).collect())?;
        if first.is_multiple_of(COMMIT_LINKS) {
            frontier.commit(Vec::new())?;
            progress(first);
        }
    }
    frontier.commit(Vec::new())?;
    let offered_per_second = links as f64 / started.elapsed().as_secs_f64();
    let memory_filled = memory();
    let started = Instant::now();
    for decision in 0..args.decisions {
        let Some(lease) = frontier.take_many(decision, 1)?.pop() else { break };
        frontier.finish(&lease, decision + 1_000, true)?;
        if decision.is_multiple_of(1_000) {
            frontier.commit(Vec::new())?;
        }
    }
    frontier.commit(Vec::new())?;
    let decisions_per_second = args.decisions as f64 / started.elapsed().as_secs_f64();
    let hosts = frontier.counts().hosts;
    drop(frontier);
    let started = Instant::now();
    let mut frontier = LocalState::on_disk(folder.path(), limits)?;
    frontier.take_many(args.decisions + 1_000, 1)?.pop().context("no link is left")?;
    let resume_seconds = started.elapsed().as_secs_f64();
    let (memory_resumed, disk) = (memory(), size(folder.path())?);
    Ok(Row {
        links,
        hosts,
        offered_per_second,
        decisions_per_second,
        resume_seconds,
        memory_filled,
        memory_resumed,
        disk,
    })
}

/// Returns the n-th link. Half of all links belong to a hundredth of the hosts, as on the web,
/// where a few hosts are very large.
fn generated(n: u64, hosts: u64) -> RankedLink {
    let mixed = (n.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let draw = mixed >> 20;
    let host = if mixed & 1 == 0 { draw % hosts.div_ceil(100) } else { draw % hosts };
    let url = format!("http://host{host}.site{}.example/section/page-{n}", host % 100_000);
    let url = url.parse().expect("a generated URL is valid");
    RankedLink { link: Link::seed(url), rank: ((mixed >> 8) % 1_000) as f64 / 1_000.0 }
}

/// Returns the resident memory of this process, in bytes; 0 where the system does not tell.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    resident.and_then(|it| it.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0)
        * 1_024
}

/// Returns the size of the files in a folder, in bytes.
fn size(folder: &Path) -> Result<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        total += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(total)
}
