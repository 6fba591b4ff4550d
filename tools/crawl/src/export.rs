//! `ontrail crawl export`: writes the pages of a crawl in formats that other programs read.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_archive::record_at;
use ontrail_artifact::write_atomically;
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_crawl::{LogRow, Outcome, archive_path, check_is_run, read_log};
use ontrail_page::{Html, Source};
use serde::Serialize;
use url::Url;

/// Export the pages of a crawl as JSON Lines, CSV or plain text
///
/// Writes the pages that the crawler considers relevant (or all with --all), in the order in which
/// they were fetched. Exact duplicates of an earlier page are left out.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl export rain-crawl --format jsonl -o rain.jsonl
  ontrail crawl export rain-crawl --format text | less
  ontrail crawl export rain-crawl --format csv --all -o pages.csv")]
pub(crate) struct ExportArgs {
    /// Folder of the crawl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Format to write
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Export every stored page, relevant or not
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object per line
    Jsonl,
    /// A table with a header row
    Csv,
    /// The texts, each below its URL and title
    Text,
}

/// A page in the export.
#[derive(Serialize)]
struct Exported<'a> {
    number: u64,
    url: &'a str,
    /// The URL that was requested, before redirects.
    asked: &'a str,
    /// Time of the fetch, in milliseconds since 1970.
    time: Option<u64>,
    depth: u32,
    title: &'a str,
    language: &'a str,
    relevance: Option<f64>,
    class: Option<&'a str>,
    label: Option<&'a str>,
    near_duplicate_of: Option<&'a str>,
    warc: &'a str,
    warc_offset: u64,
    text: String,
}

/// The result as JSON, when the pages go to a file.
#[derive(Serialize)]
struct Written<'a> {
    written: &'a Path,
    pages: u64,
}

pub(crate) fn run(args: &ExportArgs, printer: &mut Printer) -> Result<ExitStatus> {
    if printer.is_json() && args.output.is_none() {
        bail!(
            "--json needs a file to write (-o); to print the pages as JSON, use --format jsonl instead"
        );
    }
    check_is_run(&args.folder)?;
    let rows = read_log(&args.folder.join("log"))?;
    let is_wanted = |row: &&LogRow| {
        row.outcome == Outcome::Page
            && row.stored.is_some()
            && (args.all || row.relevant != Some(false))
    };
    let mut wanted: Vec<&LogRow> = rows.iter().filter(is_wanted).collect();
    let all = wanted.len();
    let mut lengths = BTreeMap::new();
    wanted.retain(|row| is_archived(row, &args.folder, &mut lengths));
    if wanted.len() < all {
        printer.warn(format_args!(
            "{} page(s) left out: they were not in the archives yet when the crawl was interrupted; \
             `ontrail crawl resume` fetches them again",
            count((all - wanted.len()) as u64)
        ));
    }
    if wanted.is_empty() {
        bail!(
            "{}: no pages to export{}",
            args.folder.display(),
            if args.all { "" } else { "; --all includes pages that are not relevant" }
        );
    }
    let write = |out: &mut dyn Write| -> Result<()> {
        let mut sink = Sink::new(args.format, out);
        wanted.iter().try_for_each(|row| sink.page(&args.folder, row))?;
        sink.finish()
    };
    match &args.output {
        None => {
            let mut out = BufWriter::new(anstream::stdout());
            write(&mut out)?;
            out.flush()?;
        }
        Some(path) => {
            let mut failed = None;
            let written = write_atomically(path, |out| {
                write(out).map_err(|error| {
                    failed = Some(error);
                    std::io::Error::other("cannot read the pages")
                })
            });
            if let Some(error) = failed {
                return Err(error);
            }
            written?;
            let pages = wanted.len() as u64;
            if printer.is_json() {
                printer.json(&Written { written: path, pages })?;
            } else {
                printer.note(format_args!(
                    "{} page(s) written to {}",
                    count(pages),
                    path.display()
                ));
            }
        }
    }
    Ok(ExitStatus::Done)
}

/// Returns true if a page is in its archive. While a crawl runs, and after it was interrupted, the
/// log may be ahead of the archives. `lengths` remembers the length of each archive; an archive
/// that is not there at all is an error that reading it will report.
fn is_archived(row: &LogRow, folder: &Path, lengths: &mut BTreeMap<String, Option<u64>>) -> bool {
    let Some(stored) = &row.stored else { return false };
    let length = lengths.entry(stored.file.clone()).or_insert_with(|| {
        std::fs::metadata(archive_path(folder, &stored.file)).ok().map(|file| file.len())
    });
    length.is_none_or(|length| stored.offset + stored.length <= length)
}

/// A writer of pages in one of the formats.
enum Sink<'a> {
    Lines(&'a mut dyn Write),
    Table(Box<csv::Writer<&'a mut dyn Write>>),
    Texts(&'a mut dyn Write),
}

impl<'a> Sink<'a> {
    fn new(format: Format, out: &'a mut dyn Write) -> Self {
        match format {
            Format::Jsonl => Self::Lines(out),
            Format::Csv => Self::Table(Box::new(csv::Writer::from_writer(out))),
            Format::Text => Self::Texts(out),
        }
    }

    fn page(&mut self, folder: &Path, row: &LogRow) -> Result<()> {
        let page = Exported {
            number: row.number,
            url: &row.final_url,
            asked: &row.url,
            time: row.time,
            depth: row.depth,
            title: row.title.as_deref().unwrap_or_default(),
            language: row.language.as_deref().unwrap_or_default(),
            relevance: row.relevance,
            class: row.class.as_deref(),
            label: row.label.as_deref(),
            near_duplicate_of: row.near_duplicate_of.as_deref(),
            warc: row.stored.as_ref().map_or("", |stored| &stored.file),
            warc_offset: row.stored.as_ref().map_or(0, |stored| stored.offset),
            text: text(folder, row)?,
        };
        match self {
            Self::Lines(out) => {
                serde_json::to_writer(&mut **out, &page)?;
                writeln!(out)?;
            }
            Self::Table(table) => table.serialize(&page).map_err(unwrapped)?,
            Self::Texts(out) => {
                writeln!(out, "{}\n{}\n\n{}\n", page.url, page.title, page.text)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Table(mut table) => Ok(table.flush()?),
            Self::Lines(out) | Self::Texts(out) => Ok(out.flush()?),
        }
    }
}

/// Unwraps I/O errors from CSV errors, so that a reader that closes its end early is recognised.
fn unwrapped(error: csv::Error) -> anyhow::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => anyhow!("cannot write the table: {other:?}"),
    }
}

/// Returns the readable text of a stored page.
fn text(folder: &Path, row: &LogRow) -> Result<String> {
    let Some(stored) = &row.stored else { bail!("{}: the page is not stored", row.final_url) };
    let path = archive_path(folder, &stored.file);
    let response = record_at(&path, stored.offset)?.response();
    let Some(response) = response else {
        bail!(
            "{}: there is no page at offset {}, where the log places {}",
            path.display(),
            stored.offset,
            row.final_url
        );
    };
    let url = Url::parse(&row.final_url).with_context(|| row.final_url.clone())?;
    let source = Source::at(&url).with_content_type(response.header("content-type"));
    Ok(Html::parse(&response.body, source).text())
}
