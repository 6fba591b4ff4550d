//! `ontrail crawl export`: writes the pages of a crawl in formats that other programs read.

mod columns;
mod filter;
mod format;
mod markdown;
mod page;
mod sink;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Destination, FolderWriter, Output, Provenance, write_with_sidecar};
use ontrail_cli::{ExitStatus, ForceArgs, Printer, ProgressBar, count};
use ontrail_crawl::{LogRow, Outcome, check_is_run, log_rows};
use ontrail_page::Content;
use ontrail_tool_input::ContentArg;
use rayon::prelude::*;
use serde::Serialize;

use filter::Filter;
use format::Format;
use markdown::Markdown;
use page::{Archives, BATCH, StoredPage};
use sink::Sink;

use crate::outside::check_is_outside;
use crate::place::{Needs, Place};

const EXPORT: ontrail_artifact::Format = ontrail_artifact::Format {
    kind: "crawl export",
    version: 1,
    oldest: 1,
    rebuild: "ontrail crawl export",
};

/// Export the pages of a crawl: JSON Lines, CSV, Parquet, Markdown, text or WARC
///
/// Writes the pages that the crawler considers relevant (or all with --all), in the order in which
/// they were fetched. Duplicates of an earlier page are left out, and so are pages that the crawl
/// did not store (see `crawl run --store-noindex`). The column `text` holds the main content of a
/// page, `is_relevant` the crawler's judgement. In CSV, a text that starts like a formula gets an
/// apostrophe in front. On standard output, control characters of text formats are replaced.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The name of the output selects the format:
  NAME.jsonl     one JSON object per line
  NAME.csv       a table with a header row
  NAME.parquet   a table for DuckDB, pandas, polars …
  NAME.md, DIR/  a new folder, with a folder for each host and a Markdown file for each page
  NAME.txt       the texts, each below its URL and title
  NAME.warc.gz   a web archive with the pages as they were received

An expression for --where compares columns with values: = != < <= > >= contains starts-with,
is null, is not null; joined by and, or, not and parentheses. Besides the columns there is host.
A missing value passes no test but `is null`.

Examples:
  ontrail crawl export rain-crawl -o rain.jsonl
  ontrail crawl export rain-crawl --all -o pages.parquet
  ontrail crawl export rain-crawl --where 'relevance > 0.8 and host = \"www.example.org\"' -o best.csv
  ontrail crawl export rain-crawl -o articles/
  ontrail crawl export rain-crawl --format txt | less
  ontrail crawl export s3://crawls/rain -o rain.jsonl")]
pub(crate) struct ExportArgs {
    /// Folder of the crawl, or its address in an object store
    #[arg(value_name = "DIR|URL")]
    folder: PathBuf,
    /// File or folder to write; `-` is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format to write [default: by the name of the output; jsonl on standard output]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    force: ForceArgs,
    /// Export every stored page, relevant or not
    #[arg(long)]
    all: bool,
    /// Export only pages that fulfil a condition, such as 'relevance > 0.8'
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = Filter::parse)]
    filter: Option<Filter>,
    #[command(flatten)]
    content: ContentArg,
}

/// The result as JSON, when the pages go to a file.
#[derive(Serialize)]
struct Written<'a> {
    written: &'a Path,
    pages: u64,
}

pub(crate) fn run(args: &ExportArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let is_stdout = Destination::from(output).is_stdout();
    if printer.is_json() && is_stdout {
        bail!(
            "--json needs a file to write (-o); to print the pages as JSON, use --format jsonl instead"
        );
    }
    let format = chosen_format(args, output)?;
    let to = match format {
        Format::Md => {
            FolderWriter::check(output)?;
            Destination::from(output)
        }
        // Text is printed like all results.
        _ if is_stdout && format.is_text() => Destination::from(output),
        _ => args.force.destination(output, printer)?,
    };
    if format != Format::Md {
        if is_stdout && !format.is_text() && std::io::stdout().is_terminal() {
            bail!("this format is not for terminals; name a file with -o");
        }
        Output::file(to, &EXPORT).check([] as [&Path; 0])?;
    }
    if !is_stdout {
        check_is_outside(output, &args.folder)?;
    }
    let place = Place::open(&args.folder, Needs::Pages, printer)?;
    check_is_run(place.path())?;
    let mut archives = Archives::of(place.path(), place.is_fetched());
    if format != Format::Warc && args.content.content != Content::Page {
        let _progress = printer.progress("learning templates", None);
        archives.learn()?;
    }
    let progress = printer.progress("exporting", None);
    let mut export =
        Export { args, place: &place, archives: &archives, progress, counts: Counts::default() };
    let written = match format {
        Format::Md => export.write_folder(output),
        _ if is_stdout && format.is_text() => export.write(format, &mut printer.data()),
        _ => export.write_file(format, to),
    };
    let Export { progress, counts, .. } = export;
    drop(progress);
    counts.warn(place.is_fetched(), printer);
    written?;
    if is_stdout {
        return Ok(ExitStatus::Done);
    }
    let pages = counts.written;
    if printer.is_json() {
        printer.json(&Written { written: output, pages })?;
    } else {
        printer.note(format_args!("{} page(s) written to {}", count(pages), output.display()));
    }
    Ok(ExitStatus::Done)
}

/// Returns the format that was asked for, by name or by the name of the output.
fn chosen_format(args: &ExportArgs, output: &Path) -> Result<Format> {
    let named = Format::of(output);
    match (args.format, named) {
        (Some(asked), Some(named)) if asked != named => bail!(
            "{}: this name is for another format than --format asks for; choose one of them",
            output.display()
        ),
        (Some(asked), _) => Ok(asked),
        (None, Some(named)) => Ok(named),
        (None, None) if Destination::from(output).is_stream() => Ok(Format::Jsonl),
        (None, None) => bail!(
            "{}: name a .jsonl, .csv, .parquet, .txt or .warc.gz file, or a folder that ends in .md \
             or / for Markdown",
            output.display()
        ),
    }
}

fn provenance(args: &ExportArgs, place: &Place) -> Result<Provenance> {
    let filter = args.filter.as_ref().map(|filter| &filter.text);
    let provenance = Provenance::of_this_process("ontrail crawl export")
        .with_parameter("crawl", &args.folder)
        .with_parameter("all", args.all)
        .with_parameter("where", filter)
        .with_parameter("content", args.content.content.name());
    place.as_input_of(provenance)
}

/// An export in progress. The log is read row by row and a few pages are held at a time, so that a
/// crawl of any length fits into the memory.
struct Export<'a> {
    args: &'a ExportArgs,
    place: &'a Place,
    archives: &'a Archives<'a>,
    progress: ProgressBar,
    counts: Counts,
}

/// Numbers of pages.
#[derive(Debug, Default)]
struct Counts {
    written: u64,
    /// Not in the archives yet when the crawl was interrupted.
    ahead: u64,
    /// Not stored, because they forbid it.
    noindex: u64,
    /// Written, but without text, because they have no main content.
    without_text: u64,
}

impl Export<'_> {
    fn write(&mut self, format: Format, out: &mut dyn Write) -> Result<()> {
        let mut sink = Sink::new(format, out, self.archives)?;
        self.each_page(format != Format::Warc, &mut |row, page| sink.page(row, page))?;
        sink.finish()
    }

    fn write_file(&mut self, format: Format, to: Destination<'_>) -> Result<()> {
        let provenance = provenance(self.args, self.place)?;
        let mut failed = None;
        let written = write_with_sidecar(to, &EXPORT, &provenance, |out| {
            self.write(format, out).map_err(|error| {
                failed = Some(error);
                std::io::Error::other("cannot write the pages")
            })
        });
        failed.map_or(Ok(()), Err)?;
        Ok(written?)
    }

    fn write_folder(&mut self, target: &Path) -> Result<()> {
        let mut folder = Markdown::create(target)?;
        self.each_page(true, &mut |row, page| page.map_or(Ok(()), |page| folder.page(row, page)))?;
        folder.finish()
    }

    /// Calls `write` with each page to export, in the order of the log. Fails if there is none.
    fn each_page(
        &mut self,
        needs_page: bool,
        write: &mut dyn FnMut(&LogRow, Option<&StoredPage>) -> Result<()>,
    ) -> Result<()> {
        let mut batch = Vec::with_capacity(BATCH);
        for row in log_rows(&self.place.path().join("log"))? {
            let row = row?;
            if self.is_candidate(&row) {
                batch.push(row);
            }
            if batch.len() == BATCH {
                self.batch(&std::mem::take(&mut batch), needs_page, write)?;
            }
        }
        self.batch(&batch, needs_page, write)?;
        let folder = self.args.folder.display();
        match (self.counts.written, &self.args.filter, self.args.all) {
            (0, Some(_), _) => {
                bail!("{folder}: no pages to export; no page fulfils the condition of --where")
            }
            (0, None, false) => {
                bail!("{folder}: no pages to export; --all includes pages that are not relevant")
            }
            (0, None, true) => bail!("{folder}: no pages to export"),
            _ => Ok(()),
        }
    }

    /// Returns true if the log does not rule a page out.
    fn is_candidate(&mut self, row: &LogRow) -> bool {
        let is_wanted = row.outcome == Outcome::Page
            && (self.args.all || row.relevant != Some(false))
            && self.filter_of_log().is_none_or(|filter| filter.accepts(row, None));
        let is_archived = is_wanted && self.archives.have(row);
        self.counts.noindex += u64::from(is_wanted && row.is_noindex());
        self.counts.ahead += u64::from(is_wanted && row.stored.is_some() && !is_archived);
        is_archived
    }

    /// Returns the condition, if no page has to be read for it.
    fn filter_of_log(&self) -> Option<&Filter> {
        self.args.filter.as_ref().filter(|filter| !filter.needs_page())
    }

    fn batch(
        &mut self,
        rows: &[LogRow],
        needs_page: bool,
        write: &mut dyn FnMut(&LogRow, Option<&StoredPage>) -> Result<()>,
    ) -> Result<()> {
        let filter = self.args.filter.as_ref().filter(|filter| filter.needs_page());
        let is_read = needs_page || filter.is_some();
        let content = self.args.content.content;
        let read = |row: &LogRow| is_read.then(|| self.archives.read(row, content)).transpose();
        let pages: Vec<Result<Option<StoredPage>>> = rows.par_iter().map(read).collect();
        for (row, page) in rows.iter().zip(pages) {
            let page = page?;
            if filter.is_none_or(|filter| filter.accepts(row, page.as_ref())) {
                write(row, page.as_ref())?;
                let page = page.as_ref();
                self.counts.written += 1;
                let is_empty = page.is_some_and(|page| page.text.is_empty());
                self.counts.without_text += u64::from(is_empty && content == Content::Main);
            }
            self.progress.step();
        }
        Ok(())
    }
}

impl Counts {
    fn warn(&self, is_fetched: bool, printer: &mut Printer) {
        if self.ahead > 0 && is_fetched {
            printer.warn(format_args!(
                "{} page(s) left out: their archives are not uploaded yet",
                count(self.ahead)
            ));
        } else if self.ahead > 0 {
            printer.warn(format_args!(
                "{} page(s) left out: they were not in the archives yet when the crawl was interrupted; \
                 `ontrail crawl resume` fetches them again",
                count(self.ahead)
            ));
        }
        if self.noindex > 0 {
            printer.note(format_args!(
                "{} page(s) left out: they ask crawlers not to store them (noindex); `ontrail crawl run \
                 --store-noindex` stores such pages",
                count(self.noindex)
            ));
        }
        if self.without_text > 0 {
            printer.note(format_args!(
                "{} page(s) have no main content and so no text; --content auto exports the whole text \
                 of such pages",
                count(self.without_text)
            ));
        }
    }
}
