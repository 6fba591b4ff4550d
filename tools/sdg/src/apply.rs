//! `ontrail sdg apply`: which terms of a page go, and why.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count as number};
use ontrail_intake::each_page;
use ontrail_page::PageReader;
use ontrail_sdg::{Disambiguator, Judgement, Sdg};
use serde::Serialize;

/// Tell which ambiguous terms of a page go, and why
///
/// An ambiguous term stays if the terms on the page that show its meaning stand together with it, on the
/// mean, at least as much as all of them do (eq. 20); without any of them it goes.
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

pub(crate) fn run(args: &Apply, printer: &mut Printer) -> Result<ExitStatus> {
    let sdg = Sdg::read(&args.graph)?;
    let analyzer = sdg.analyzer().build();
    let disambiguator = Disambiguator::new(&sdg, &analyzer)
        .map_err(|error| anyhow!("{}: {error}", args.graph.display()))?;
    if !disambiguator.unread().is_empty() {
        printer.warn(format_args!(
            "{}: terms without words in them are never found: {}",
            args.graph.display(),
            disambiguator.unread().join(", ")
        ));
    }
    let reader = PageReader::new(&analyzer);
    let (mut pages, mut count, mut skipped) = (Vec::new(), 0_usize, Vec::new());
    for path in &args.pages {
        each_page(path, args.skip_bad.then_some(&mut skipped), &mut |file| {
            let page = reader.read(&file.bytes, file.source());
            let judged = Judged {
                terms: disambiguator.judge(&page),
                words: page.occurrences().len(),
                page: file.name,
                title: page.title,
            };
            count += 1;
            if printer.is_json() {
                pages.push(judged);
            } else {
                show(&judged, count == 1, printer)?;
            }
            Ok(())
        })?;
    }
    printer.passed_over(skipped.len() as u64, "pages", &skipped);
    if count == 0 {
        let paths: Vec<String> = args.pages.iter().map(|it| it.display().to_string()).collect();
        bail!("{}: no pages in it", paths.join(", "));
    }
    if printer.is_json() {
        printer.json(&Report { graph: &sdg.name, pages })?;
    }
    Ok(ExitStatus::Done)
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
        ("why", Align::Left),
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
    if judgement.present.is_empty() {
        return "no term that would show the topic's meaning is on the page".to_owned();
    }
    let sign = if judgement.removed { "<" } else { "≥" };
    let present: Vec<String> =
        judgement.present.iter().map(|it| format!("{} {:.3}", it.term, it.degree)).collect();
    format!("{:.3} {sign} {:.3}: {}", judgement.mean, judgement.threshold, present.join(", "))
}
