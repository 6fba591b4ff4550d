//! `ontrail bench lattice`: the speed of computing all concepts of a context, on one thread and on
//! all.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_fca::{Context, Listing, format, sample};
use serde::Serialize;

/// Measure the time to count, list and order all concepts of a context
///
/// The fastest round of each measurement is reported, because every disturbance slows a round down.
/// Reading the file is not included. Without a file, a synthetic context of 200 documents and 200
/// words is used.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench lattice
  ontrail bench lattice mushroom.cxt.gz --rounds 9")]
pub(crate) struct LatticeBench {
    /// Files of contexts
    #[arg(value_name = "CONTEXT")]
    contexts: Vec<PathBuf>,
    /// Number of rounds of each measurement
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Serialize)]
struct Report {
    threads: usize,
    contexts: Vec<Measured>,
}

#[derive(Serialize)]
struct Measured {
    file: String,
    objects: usize,
    attributes: usize,
    concepts: u64,
    edges: usize,
    seconds: Seconds,
}

/// Seconds to count, list and order the concepts, on one thread and on all.
#[derive(Serialize)]
struct Seconds {
    count_1: f64,
    list_1: f64,
    lattice_1: f64,
    count_n: f64,
    list_n: f64,
    lattice_n: f64,
}

pub(crate) fn run(args: &LatticeBench, printer: &mut Printer) -> Result<ExitStatus> {
    let mut contexts = Vec::new();
    for path in &args.contexts {
        contexts.push((path.display().to_string(), format::read(path)?));
    }
    if contexts.is_empty() {
        contexts.push(("(synthetic)".to_owned(), sample::words(200, 200)?));
    }
    let progress = printer.progress("measuring", Some(contexts.len() as u64));
    let mut report = Report { threads: rayon::current_num_threads(), contexts: Vec::new() };
    for (file, context) in contexts {
        let measured = measure(&file, &context, args.rounds)
            .with_context(|| format!("{file}: cannot compute its concepts"))?;
        report.contexts.push(measured);
        progress.step();
    }
    drop(progress);
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        show(&report, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn measure(file: &str, context: &Context, rounds: u32) -> Result<Measured> {
    let (one, all) = (Listing::new().parallel(false), Listing::new());
    // Rounds on one thread and on all alternate, so that a slow phase of the machine affects both.
    let mut best = [f64::INFINITY; 6];
    for _ in 0..rounds {
        let times = [
            timed(|| one.count(context))?,
            timed(|| one.concepts(context))?,
            timed(|| one.lattice(context))?,
            timed(|| all.count(context))?,
            timed(|| all.concepts(context))?,
            timed(|| all.lattice(context))?,
        ];
        best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
    }
    let lattice = all.lattice(context)?;
    let [count_1, list_1, lattice_1, count_n, list_n, lattice_n] = best;
    Ok(Measured {
        file: file.to_owned(),
        objects: context.objects().len(),
        attributes: context.attributes().len(),
        concepts: lattice.len() as u64,
        edges: lattice.edge_count(),
        seconds: Seconds { count_1, list_1, lattice_1, count_n, list_n, lattice_n },
    })
}

fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<f64, E> {
    let start = Instant::now();
    let made = work()?;
    let seconds = start.elapsed().as_secs_f64();
    drop(made);
    Ok(seconds)
}

fn show(report: &Report, printer: &mut Printer) -> Result<()> {
    let all = format!("{} threads", report.threads);
    let head = [
        ("context", Align::Left),
        ("concepts", Align::Right),
        ("edges", Align::Right),
        ("task", Align::Left),
        ("one thread", Align::Right),
        (all.as_str(), Align::Right),
        ("speed-up", Align::Right),
    ];
    let mut table = Table::new(head);
    for it in &report.contexts {
        let seconds = &it.seconds;
        let size =
            format!("{} ({} × {})", it.file, count(it.objects as u64), count(it.attributes as u64));
        let rows = [
            (
                size,
                count(it.concepts),
                count(it.edges as u64),
                "count",
                seconds.count_1,
                seconds.count_n,
            ),
            (String::new(), String::new(), String::new(), "list", seconds.list_1, seconds.list_n),
            (
                String::new(),
                String::new(),
                String::new(),
                "lattice",
                seconds.lattice_1,
                seconds.lattice_n,
            ),
        ];
        for (file, concepts, edges, what, one, all) in rows {
            let cells = [format!("{one:.4} s"), format!("{all:.4} s"), format!("{:.2}", one / all)];
            let [one, all, ratio] = cells;
            table.row([file, concepts, edges, what.to_owned(), one, all, ratio]);
        }
    }
    printer.table(&table)?;
    Ok(())
}
