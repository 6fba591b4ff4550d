//! `ontrail sdg apply`: shows which ambiguous terms of a page are removed, and why.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count as number, join_names, room_for_names};
use ontrail_page::Html;
use ontrail_sdg::{Disambiguator, Judgement, Sdg};
use ontrail_tool_input::LabelArg;
use serde::Serialize;

/// Show which ambiguous terms of a page are removed, and why
///
/// An ambiguous term is kept on a page if its disambiguation terms there have a mean co-occurrence
/// degree with it of at least θ. It is removed if the mean is lower, or if none of them is on the
/// page (eq. 20). θ is the mean degree of all its disambiguation terms, times the --theta of
/// `ontrail sdg build`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail sdg apply amazon.sdg.json page.html
  ontrail sdg apply amazon.sdg.json crawl.warc.gz --json
  curl -s http://www.example.org/ | ontrail sdg apply amazon.sdg.json -")]
pub(crate) struct Apply {
    /// Graph to apply
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// Pages to judge: files, folders, web archives, datasets, or - for a page on standard input
    #[arg(value_name = "PAGE", required = true)]
    pages: Vec<PathBuf>,
    /// Show all pages, even those without ambiguous terms
    #[arg(long)]
    all: bool,
    /// Skip and report documents that cannot be read, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
    #[command(flatten)]
    labels: LabelArg,
}

#[derive(Serialize)]
struct Report<'a> {
    graph: &'a str,
    pages: Vec<Judged>,
}

#[derive(Serialize)]
struct Judged {
    page: String,
    title: String,
    words: usize,
    /// The ambiguous terms on the page.
    terms: Vec<Judgement>,
}

/// The pages that were judged.
#[derive(Default)]
struct Tally {
    pages: usize,
    /// Number of pages from which terms are removed.
    losing: usize,
    /// Number of pages that were not shown.
    hidden: usize,
    /// The last page that was not shown.
    last_hidden: Option<Judged>,
}

pub(crate) fn run(args: &Apply, printer: &mut Printer) -> Result<ExitStatus> {
    let sdg = Sdg::read(&args.graph)?;
    let analyzer = sdg.analyzer();
    let disambiguator = Disambiguator::new(&sdg, &analyzer)?;
    if let Some(warning) = disambiguator.warning() {
        printer.warn(format_args!("{}: {warning}", args.graph.display()));
    }
    let (mut pages, mut tally, mut skipped) = (Vec::new(), Tally::default(), Vec::new());
    for path in &args.pages {
        let noted = args.skip_bad.then_some(&mut skipped);
        args.labels.each_page(path, noted, &mut |file| {
            let html = Html::parse(&file.bytes, file.source());
            let page = html.analyze(&analyzer);
            let terms = disambiguator.judge(&page);
            let words = page.occurrences().len();
            let judged = Judged { page: file.name, title: html.title, words, terms };
            tally.pages += 1;
            tally.losing += usize::from(judged.terms.iter().any(|term| term.removed));
            if printer.is_json() {
                pages.push(judged);
            } else if args.all || !judged.terms.is_empty() {
                show(&judged, tally.pages - tally.hidden == 1, printer)?;
            } else {
                tally.hidden += 1;
                tally.last_hidden = Some(judged);
            }
            Ok(())
        })?;
    }
    printer.skipped(skipped.len() as u64, "pages", &skipped);
    if tally.pages == 0 {
        let paths: Vec<String> = args.pages.iter().map(|it| it.display().to_string()).collect();
        bail!("{}: no pages found", paths.join(", "));
    }
    if printer.is_json() {
        printer.json(&Report { graph: &sdg.name, pages })?;
    } else {
        conclude(&tally, printer)?;
    }
    Ok(ExitStatus::Done)
}

/// Shows a single page even if it has no ambiguous terms, and a summary of several pages.
fn conclude(tally: &Tally, printer: &mut Printer) -> Result<()> {
    if let (1, Some(only)) = (tally.pages, &tally.last_hidden) {
        return show(only, true, printer);
    }
    if tally.pages > 1 {
        let hidden = match tally.hidden {
            0 => String::new(),
            hidden => {
                format!("; not shown: {} without ambiguous terms (--all)", number(hidden as u64))
            }
        };
        printer.line(format_args!(
            "\nterms removed from {} of {} pages{hidden}",
            number(tally.losing as u64),
            number(tally.pages as u64)
        ))?;
    }
    Ok(())
}

fn show(page: &Judged, is_first: bool, printer: &mut Printer) -> Result<()> {
    if !is_first {
        printer.line("")?;
    }
    printer.heading(&page.page)?;
    if !page.title.is_empty() {
        printer.line(format_args!("  {}", page.title))?;
    }
    if page.terms.is_empty() {
        printer.line(if page.words == 0 {
            "  no words on this page"
        } else {
            "  no ambiguous terms on this page"
        })?;
        return Ok(());
    }
    let mut table = Table::new([
        ("", Align::Left),
        ("term", Align::Left),
        ("times", Align::Right),
        ("mean degree", Align::Right),
        ("θ", Align::Right),
        ("disambiguation terms on the page", Align::Left),
    ]);
    let rows: Vec<Vec<String>> = page.terms.iter().map(row).collect();
    let room = room_for_names(&["", "term", "times", "mean degree", "θ"], &rows);
    for (judgement, mut row) in page.terms.iter().zip(rows) {
        row.push(disambiguation_terms(judgement, room));
        table.row(row);
    }
    printer.table(&table)?;
    Ok(())
}

/// Returns the cells of a term, without its disambiguation terms.
fn row(judgement: &Judgement) -> Vec<String> {
    let decision = if judgement.removed { "removed" } else { "kept" };
    let degree = |degree: f64, is_known: bool| {
        if is_known { format!("{degree:.3}") } else { String::new() }
    };
    vec![
        decision.to_owned(),
        judgement.term.clone(),
        number(judgement.occurrences.into()),
        degree(judgement.mean, !judgement.present.is_empty()),
        degree(judgement.threshold, judgement.disambiguation_terms > 0),
    ]
}

/// Lists the disambiguation terms on the page with their degrees.
fn disambiguation_terms(judgement: &Judgement, room: usize) -> String {
    if judgement.disambiguation_terms == 0 {
        return "(none in the graph: always kept)".to_owned();
    }
    if judgement.present.is_empty() {
        return "none".to_owned();
    }
    let present: Vec<String> =
        judgement.present.iter().map(|it| format!("{} {:.3}", it.term, it.degree)).collect();
    join_names(&present, room)
}
