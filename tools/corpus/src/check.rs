//! `ontrail corpus check`: describe a dataset and find its defects.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, bar, count, share_above_zero};
use ontrail_corpus::duplicates::{Duplicate, find};
use ontrail_corpus::{Document, Skipped};
use serde::Serialize;

use ontrail_tool_input::{Input, LabelArg};

/// Count classes and lengths, and find duplicates and leaks between parts
///
/// A leak is a text in one part that repeats a text in another. If a test text repeats a training
/// text, the test measures what was memorised instead of what was learnt. With OTHER, the two
/// datasets are two parts: training documents and test documents, for example.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail corpus check datasets/news-mini
  ontrail corpus check train.tsv test.tsv
  ontrail corpus check news.tsv --skip-bad --similarity 0.9 --json

Exit code: 0 if the dataset is clean, 1 if it has bad rows, duplicates or leaks, 2 on errors.")]
pub(crate) struct Check {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    labels: LabelArg,
    /// Second dataset, to find the texts that repeat those of DATA
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,
    /// Minimum similarity of two texts that count as duplicates, above 0 and at most 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share_above_zero)]
    similarity: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    name: String,
    documents: usize,
    labels: BTreeMap<String, usize>,
    unlabelled: usize,
    parts: BTreeMap<String, usize>,
    characters: Lengths,
    skipped: Skipped,
    duplicates: Vec<Pair>,
    leaks: Vec<Pair>,
}

#[derive(Debug, Serialize)]
struct Lengths {
    shortest: usize,
    median: usize,
    longest: usize,
}

#[derive(Debug, Clone, Serialize)]
struct Pair {
    first: String,
    second: String,
    similarity: f64,
}

pub(crate) fn run(args: &Check, printer: &mut Printer) -> Result<ExitStatus> {
    let mut read = args.labels.read(&args.input, printer)?;
    if let Some(path) = &args.other {
        let other = Input { path: path.clone(), ..args.input.clone() };
        let other = args.labels.read(&other, printer)?;
        name_part(&mut read.documents, &args.input.path);
        let mut more = other.documents;
        name_part(&mut more, path);
        read.documents.extend(more);
        read.skipped.count += other.skipped.count;
        read.skipped.examples.extend(other.skipped.examples);
    }
    let texts: Vec<String> =
        read.documents.iter().map(|document| document.full_text().unwrap_or_default()).collect();
    let pairs = find(&texts, args.similarity);
    let is_leak = |d: &&Duplicate| read.documents[d.first].part != read.documents[d.second].part;
    let report = Report {
        name: name(args, &read.name()),
        documents: read.documents.len(),
        labels: tally(read.documents.iter().filter_map(|document| document.label.as_deref())),
        unlabelled: read.documents.iter().filter(|document| document.label.is_none()).count(),
        parts: tally(read.documents.iter().filter_map(|document| document.part.as_deref())),
        characters: lengths(&texts),
        leaks: earliest(&read.documents, pairs.iter().filter(is_leak)),
        duplicates: earliest(&read.documents, pairs.iter()),
        skipped: read.skipped.clone(),
    };
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        if let Some(info) = read.info() {
            let about =
                [("", &info.description), ("source: ", &info.source), ("licence: ", &info.licence)];
            for (what, text) in about.iter().filter(|(_, text)| !text.is_empty()) {
                printer.line(format_args!("{what}{text}"))?;
            }
        }
        print(&report, printer)?;
    }
    let is_clean = report.duplicates.is_empty() && report.skipped.count == 0;
    Ok(if is_clean { ExitStatus::Done } else { ExitStatus::No })
}

/// Makes a dataset one part, with the path of its file as the name.
fn name_part(documents: &mut [Document], path: &std::path::Path) {
    documents.iter_mut().for_each(|document| document.part = Some(path.display().to_string()));
}

fn name(args: &Check, first: &str) -> String {
    match &args.other {
        Some(other) => format!("{} and {}", args.input.path.display(), other.display()),
        None => first.to_owned(),
    }
}

fn print(report: &Report, printer: &mut Printer) -> Result<()> {
    let Lengths { shortest, median, longest } = report.characters;
    printer.heading(format_args!(
        "{}: {} documents",
        report.name,
        count(report.documents as u64)
    ))?;
    printer.line(format_args!("  characters: {shortest} to {longest}, median {median}"))?;
    for (what, counts) in [("label", &report.labels), ("part", &report.parts)] {
        if !counts.is_empty() {
            let mut table =
                Table::new([(what, Align::Left), ("documents", Align::Right), ("", Align::Left)]);
            let most = counts.values().copied().max().unwrap_or(1);
            for (name, &number) in counts {
                let share = number as f64 / most as f64;
                table.row([name.clone(), count(number as u64), bar(share, 30)]);
            }
            printer.table(&table)?;
        }
    }
    for (what, pairs) in
        [("duplicates", &report.duplicates), ("leaks between parts", &report.leaks)]
    {
        printer.line(format_args!("  {what}: {}", count(pairs.len() as u64)))?;
        let shown = 5;
        for pair in pairs.iter().take(shown) {
            printer.line(format_args!(
                "    {:.2}  {}  repeats  {}",
                pair.similarity, pair.second, pair.first
            ))?;
        }
        if pairs.len() > shown {
            printer.line(format_args!("    … and {} more (--json)", pairs.len() - shown))?;
        }
    }
    Ok(())
}

fn tally<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts
}

fn lengths(texts: &[String]) -> Lengths {
    let mut lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
    lengths.sort_unstable();
    Lengths {
        shortest: lengths.first().copied().unwrap_or_default(),
        median: lengths.get(lengths.len() / 2).copied().unwrap_or_default(),
        longest: lengths.last().copied().unwrap_or_default(),
    }
}

/// Lists each repeated text once, with the earliest text that it repeats.
fn earliest<'a>(documents: &[Document], pairs: impl Iterator<Item = &'a Duplicate>) -> Vec<Pair> {
    let mut pairs: Vec<&Duplicate> = pairs.collect();
    pairs.dedup_by_key(|duplicate| duplicate.second);
    let name = |text: usize| documents[text].id.clone();
    let named = |d: &Duplicate| Pair {
        first: name(d.first),
        second: name(d.second),
        similarity: d.similarity,
    };
    pairs.into_iter().map(named).collect()
}
