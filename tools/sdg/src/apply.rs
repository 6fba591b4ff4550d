//! `ontrail sdg apply`: which terms of a page go, and why.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count as number};
use ontrail_intake::each_page;
use ontrail_page::Html;
use ontrail_sdg::{Disambiguator, Judgement, Sdg};
use serde::Serialize;

/// Tell which ambiguous terms of a page go, and why
///
/// An ambiguous term stays if the terms on the page that show its meaning have a mean co-occurrence degree
/// with it of at least θ, and goes if it is less or there are none of them (eq. 20). θ is the mean degree of all
/// terms that show its meaning, times what --theta was when the graph was built.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail sdg apply amazon.sdg.json page.html
  ontrail sdg apply amazon.sdg.json crawl.warc.gz --json
  curl -s http://www.example.org/ | ontrail sdg apply amazon.sdg.json -")]
pub(crate) struct Apply {
    /// The graph
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// Pages: files, folders of them, web archives, datasets, or - for one on standard input
    #[arg(value_name = "PAGE", required = true)]
    pages: Vec<PathBuf>,
    /// Of several pages show those without ambiguous terms too
    #[arg(long)]
    all: bool,
    /// Pass over pages that cannot be read, and report them, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,
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
    /// How many lose terms.
    losing: usize,
    /// How many were not shown, and one of them.
    hidden: usize,
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
        each_page::<anyhow::Error>(path, args.skip_bad.then_some(&mut skipped), &mut |file| {
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
    printer.passed_over(skipped.len() as u64, "pages", &skipped);
    if tally.pages == 0 {
        let paths: Vec<String> = args.pages.iter().map(|it| it.display().to_string()).collect();
        bail!("{}: no pages in it", paths.join(", "));
    }
    if printer.is_json() {
        printer.json(&Report { graph: &sdg.name, pages })?;
    } else {
        conclude(&tally, printer)?;
    }
    Ok(ExitStatus::Done)
}

/// The only page is shown whatever is on it; of several it is said how many lose something.
fn conclude(tally: &Tally, printer: &mut Printer) -> Result<()> {
    if let (1, Some(only)) = (tally.pages, &tally.last_hidden) {
        return show(only, true, printer);
    }
    if tally.pages > 1 {
        let hidden = match tally.hidden {
            0 => String::new(),
            hidden => {
                format!("; {} without ambiguous terms are not shown (--all)", number(hidden as u64))
            }
        };
        printer.line(format_args!(
            "\n{} of {} pages lose terms{hidden}",
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
        let why = if page.words == 0 { "no words on this page" } else { "no ambiguous term on it" };
        printer.line(format_args!("  {why}"))?;
        return Ok(());
    }
    let mut table = Table::new([
        ("", Align::Left),
        ("term", Align::Left),
        ("times", Align::Right),
        ("mean degree, θ, and what shows its meaning here", Align::Left),
    ]);
    for judgement in &page.terms {
        let fate = if judgement.removed { "goes" } else { "stays" };
        let times = number(judgement.occurrences.into());
        table.row([fate.to_owned(), judgement.term.clone(), times, why(judgement)]);
    }
    printer.table(&table)?;
    Ok(())
}

fn why(judgement: &Judgement) -> String {
    if judgement.disambiguation_terms == 0 {
        return "no term of the graph shows its meaning, so it cannot be judged".to_owned();
    }
    if judgement.present.is_empty() {
        return "no term that would show the topic's meaning is on the page".to_owned();
    }
    let sign = if judgement.removed { "<" } else { "≥" };
    let present: Vec<String> =
        judgement.present.iter().map(|it| format!("{} {:.3}", it.term, it.degree)).collect();
    format!("{:.3} {sign} {:.3}: {}", judgement.mean, judgement.threshold, present.join(", "))
}
