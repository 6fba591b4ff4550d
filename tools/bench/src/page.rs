//! `ontrail bench page`: the speed from bytes to features, on one core.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use jieba_rs::Jieba;
use ontrail_cli::{Align, ExitStatus, Printer, Table, bytes, count};
use ontrail_corpus::{Body, Dataset};
use ontrail_page::{Content, Html, Source};
use ontrail_text::{Analyzer, Segmenter};
use serde::Serialize;
use url::Url;

use crate::timing::seconds;

/// Measure how many pages per second are parsed and segmented
///
/// Times the way from the bytes of a page to its features, and compares word segmentation with
/// plain jieba. Everything runs on one core. The fastest round of each measurement is reported,
/// because every disturbance slows a round down.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bench page datasets/rainstorm-pages
  ontrail bench page pages.tar.gz --rounds 20 --json")]
pub(crate) struct PageBench {
    /// Folder or tarball of pages
    #[arg(value_name = "PAGES")]
    pages: PathBuf,
    /// Number of rounds of each measurement
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Debug, Serialize)]
struct Report {
    pages: usize,
    bytes: usize,
    words: usize,
    /// Time from the bytes to the text of the main content.
    content_seconds: f64,
    pages_seconds: f64,
    pages_per_second: f64,
    megabytes_per_second: f64,
    text_bytes: usize,
    jieba_seconds: f64,
    segments_seconds: f64,
    terms_seconds: f64,
    segments_over_jieba: f64,
}

pub(crate) fn run(args: &PageBench, printer: &mut Printer) -> Result<ExitStatus> {
    let loaded = Dataset::open(&args.pages)?.load(true)?;
    if loaded.skipped.count > 0 {
        printer.note(format_args!("skipped {} files that are not pages", loaded.skipped.count));
    }
    let pages: Vec<Vec<u8>> = loaded
        .documents
        .into_iter()
        .filter_map(|document| match document.body {
            Body::Html(bytes) => Some(bytes),
            Body::Text(_) => None,
        })
        .collect();
    if pages.is_empty() {
        bail!("{}: the dataset holds no HTML pages, only texts", args.pages.display());
    }
    let report = measure(&pages, args.rounds);
    if printer.is_json() {
        printer.json(&report)?;
    } else {
        print(&report, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn measure(pages: &[Vec<u8>], rounds: u32) -> Report {
    let analyzer = Analyzer::new();
    let url = Url::parse("http://localhost/").expect("a constant URL is valid");
    let read =
        |page: &Vec<u8>| Html::parse(page, Source::at(&url)).analyze(&analyzer).occurrences().len();
    let words = pages.iter().map(read).sum();
    let rounds_of_pages = (0..rounds).map(|_| seconds(|| pages.iter().map(read).sum::<usize>()));
    let pages_seconds = rounds_of_pages.fold(f64::INFINITY, f64::min);

    let main = |page: &Vec<u8>| Html::parse(page, Source::at(&url)).text_of(Content::Main).len();
    let rounds_of_content = (0..rounds).map(|_| seconds(|| pages.iter().map(main).sum::<usize>()));
    let content_seconds = rounds_of_content.fold(f64::INFINITY, f64::min);

    let text_of = |page: &Vec<u8>| Html::parse(page, Source::default()).text();
    let texts: Vec<String> = pages.iter().map(text_of).collect();
    let jieba = Jieba::new();
    let segmenter = Segmenter::new();
    let cut = || texts.iter().map(|text| jieba.cut(text, true).len()).sum::<usize>();
    let segment = || {
        let mut segments = 0;
        for text in &texts {
            segmenter.for_each(text, |_| segments += 1);
        }
        segments
    };
    let analyze = || {
        let mut terms = 0;
        for text in &texts {
            analyzer.reader().read(text, |_, _| terms += 1);
        }
        terms
    };
    // The measurements alternate, so that a disturbance affects all of them. The ratio is the
    // median of the ratios of the rounds, because the speed of a machine drifts between rounds.
    let [mut jieba_seconds, mut segments_seconds, mut terms_seconds] = [f64::INFINITY; 3];
    let mut ratios = Vec::new();
    for _ in 0..rounds * 4 {
        let (raw, ours) = (seconds(cut), seconds(segment));
        ratios.push(ours / raw);
        jieba_seconds = jieba_seconds.min(raw);
        segments_seconds = segments_seconds.min(ours);
        terms_seconds = terms_seconds.min(seconds(analyze));
    }
    ratios.sort_by(f64::total_cmp);

    let total: usize = pages.iter().map(Vec::len).sum();
    Report {
        pages: pages.len(),
        bytes: total,
        words,
        content_seconds,
        pages_seconds,
        pages_per_second: pages.len() as f64 / pages_seconds,
        megabytes_per_second: total as f64 / 1e6 / pages_seconds,
        text_bytes: texts.iter().map(String::len).sum(),
        jieba_seconds,
        segments_seconds,
        terms_seconds,
        segments_over_jieba: ratios[ratios.len() / 2],
    }
}

fn print(report: &Report, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!(
        "{} pages, {} of HTML, {} of text, {} words",
        count(report.pages as u64),
        bytes(report.bytes as u64),
        bytes(report.text_bytes as u64),
        count(report.words as u64)
    ))?;
    let mut table = Table::new([
        ("task, on one core", Align::Left),
        ("seconds", Align::Right),
        ("MB/s", Align::Right),
        ("", Align::Left),
    ]);
    let text_rate = |seconds: f64| format!("{:.1}", report.text_bytes as f64 / 1e6 / seconds);
    table.row([
        "bytes to features".to_owned(),
        format!("{:.4}", report.pages_seconds),
        format!("{:.1}", report.megabytes_per_second),
        format!("{:.0} pages/s", report.pages_per_second),
    ]);
    table.row([
        "bytes to main content".to_owned(),
        format!("{:.4}", report.content_seconds),
        format!("{:.1}", report.bytes as f64 / 1e6 / report.content_seconds),
        format!("{:.0} pages/s", report.pages as f64 / report.content_seconds),
    ]);
    for (what, seconds, note) in [
        ("text to jieba tokens", report.jieba_seconds, String::new()),
        (
            "text to segments",
            report.segments_seconds,
            format!("{:.2} × jieba", report.segments_over_jieba),
        ),
        ("text to terms", report.terms_seconds, String::new()),
    ] {
        table.row([what.to_owned(), format!("{seconds:.4}"), text_rate(seconds), note]);
    }
    printer.table(&table)?;
    Ok(())
}
