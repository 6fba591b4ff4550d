//! `ontrail crawl export`: writes the pages of a crawl in formats that other programs read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_archive::record_at;
use ontrail_artifact::write_atomically;
use ontrail_cells::guarded;
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_crawl::{LogRow, Outcome, archive_path, check_is_run, log_rows};
use ontrail_page::{Html, Source};
use serde::Serialize;
use url::Url;

/// Export the pages of a crawl as JSON Lines, CSV or plain text
///
/// Writes the pages that the crawler considers relevant (or all with --all), in the order in which
/// they were fetched. Duplicates of an earlier page are left out. In CSV, a text that starts like a
/// formula gets an apostrophe in front. On standard output, control characters are replaced.
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
    url: Cow<'a, str>,
    /// The URL that was requested, before redirects.
    asked: Cow<'a, str>,
    /// Time of the fetch, in milliseconds since 1970.
    time: Option<u64>,
    depth: u32,
    title: Cow<'a, str>,
    language: Cow<'a, str>,
    relevance: Option<f64>,
    class: Option<Cow<'a, str>>,
    label: Option<Cow<'a, str>>,
    near_duplicate_of: Option<Cow<'a, str>>,
    warc: Cow<'a, str>,
    warc_offset: u64,
    text: Cow<'a, str>,
}

impl<'a> Exported<'a> {
    /// Returns the page with every text as `cell` writes it.
    fn new(row: &'a LogRow, text: &'a str, cell: fn(&'a str) -> Cow<'a, str>) -> Self {
        let optional = |text: &'a Option<String>| text.as_deref().map(cell);
        Self {
            number: row.number,
            url: cell(&row.final_url),
            asked: cell(&row.url),
            time: row.time,
            depth: row.depth,
            title: cell(row.title.as_deref().unwrap_or_default()),
            language: cell(row.language.as_deref().unwrap_or_default()),
            relevance: row.relevance,
            class: optional(&row.class),
            label: optional(&row.label),
            near_duplicate_of: optional(&row.near_duplicate_of),
            warc: cell(row.stored.as_ref().map_or("", |stored| &stored.file)),
            warc_offset: row.stored.as_ref().map_or(0, |stored| stored.offset),
            text: cell(text),
        }
    }
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
    let log = args.folder.join("log");
    let is_wanted = |row: &LogRow| {
        row.outcome == Outcome::Page
            && row.stored.is_some()
            && (args.all || row.relevant != Some(false))
    };
    let archives = lengths(&args.folder);
    // The log is read twice, because it may not fit into the memory, and an export that would be
    // empty must not replace a file.
    let (mut all, mut wanted) = (0_u64, 0_u64);
    for row in log_rows(&log)? {
        let row = row?;
        all += u64::from(is_wanted(&row));
        wanted += u64::from(is_wanted(&row) && is_archived(&row, &archives));
    }
    if wanted < all {
        printer.warn(format_args!(
            "{} page(s) left out: they were not in the archives yet when the crawl was interrupted; \
             `ontrail crawl resume` fetches them again",
            count(all - wanted)
        ));
    }
    if wanted == 0 {
        bail!(
            "{}: no pages to export{}",
            args.folder.display(),
            if args.all { "" } else { "; --all includes pages that are not relevant" }
        );
    }
    let write = |out: &mut dyn Write| -> Result<()> {
        let mut sink = Sink::new(args.format, out);
        let mut left = wanted;
        let mut rows = log_rows(&log)?;
        // A running crawl goes on writing.
        while left > 0
            && let Some(row) = rows.next()
        {
            let row = row?;
            if is_wanted(&row) && is_archived(&row, &archives) {
                sink.page(&args.folder, &row)?;
                left -= 1;
            }
        }
        sink.finish()
    };
    match &args.output {
        None => {
            write(&mut printer.data())?;
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
            let pages = wanted;
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

/// Returns the length of each archive of a crawl, by the name that the log gives it.
fn lengths(folder: &Path) -> BTreeMap<String, u64> {
    let files = std::fs::read_dir(folder.join("pages")).into_iter().flatten().flatten();
    let length = |file: std::fs::DirEntry| {
        let name = file.file_name().to_string_lossy().into_owned();
        let name = name.strip_suffix(".open").unwrap_or(&name).to_owned();
        Some((name, file.metadata().ok()?.len()))
    };
    files.filter_map(length).collect()
}

/// Returns true if a page is in its archive. While a crawl runs, and after it was interrupted, the
/// log may be ahead of the archives. An archive that is not there at all is an error that reading
/// it will report.
fn is_archived(row: &LogRow, archives: &BTreeMap<String, u64>) -> bool {
    row.stored.as_ref().is_some_and(|it| {
        archives.get(&it.file).is_none_or(|length| it.offset + it.length <= *length)
    })
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
        let text = text(folder, row)?;
        match self {
            Self::Lines(out) => {
                serde_json::to_writer(&mut **out, &Exported::new(row, &text, Cow::Borrowed))?;
                writeln!(out)?;
            }
            Self::Table(table) => {
                table.serialize(Exported::new(row, &text, guarded)).map_err(unwrapped)?;
            }
            Self::Texts(out) => {
                let title = row.title.as_deref().unwrap_or_default();
                writeln!(out, "{}\n{title}\n\n{text}\n", row.final_url)?;
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
