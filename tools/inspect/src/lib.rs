//! `ontrail inspect`: describe any artifact, or show what the crawler sees in a page.

mod archive;
mod artifact;
mod page;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, absolute_url};
use ontrail_text::{Analyzer, UserDictionary};
use url::Url;

/// Describe any artifact, or show what the crawler sees in a page
///
/// For an artifact (a topic, a model, a dataset, …), the output shows its kind, how it was made,
/// and whether its files have changed since. For a page, it shows the terms by label group, the
/// content blocks and the links. For a web archive, it shows a summary, or one page if its URL is
/// given.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct Command {
    /// File or folder to inspect; - reads a page from standard input
    path: PathBuf,
    /// URL of the page to show, if PATH is a web archive
    #[arg(value_parser = absolute_url)]
    url: Option<Url>,
    /// URL that a page file was fetched from; relative links are resolved against it
    #[arg(long = "url", value_name = "URL", conflicts_with = "url", value_parser = absolute_url)]
    base: Option<Url>,
    /// Term to find as a whole, such as "information retrieval"; may be repeated
    #[arg(long = "term", value_name = "TERM")]
    terms: Vec<String>,
    /// Dictionary for the Chinese segmenter, one word per line
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
    /// Show all terms, blocks and links, not only the first ones
    #[arg(long)]
    all: bool,
}

const EXAMPLES: &str = "\
Examples:
  ontrail inspect datasets/rainstorm-pages/pages/017.html
  ontrail inspect page.html --url http://www.example.org/news/ --term 暴雨灾害 --json
  ontrail inspect crawl.warc.gz http://www.example.org/
  ontrail inspect news-split

Exit code: 0 on success, 1 if the files of an artifact have changed or an archive does not contain
the URL, 2 on errors.";

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    let path = &command.path;
    if path.as_os_str() == "-" || (path.exists() && !path.is_file() && !path.is_dir()) {
        // Standard input and pipes can be read only once, so they are not probed for artifacts.
        return page::show_file(command, printer);
    }
    if let Some(description) = ontrail_artifact::describe(path)? {
        return artifact::show(path, &description, printer);
    }
    if path.is_dir() {
        let (what, command) = advice_for_folder(path);
        bail!("{}: {what}; try `ontrail {command} {0}`", path.display());
    }
    if is_archive(path)? {
        return archive::show(command, printer);
    }
    if let Some(kind) = table_of(path) {
        bail!("{}: this is {kind}, not a page; try `ontrail corpus check {0}`", path.display());
    }
    if command.url.is_some() {
        bail!("{}: not a web archive; to give the URL of a page file, use --url", path.display());
    }
    page::show_file(command, printer)
}

/// Describes a folder that is not an artifact, and returns the command that shows more.
fn advice_for_folder(path: &Path) -> (&'static str, &'static str) {
    if path.join("run.json").is_file() {
        ("this is the folder of a crawl", "crawl status")
    } else if path.join("ontrail.toml").is_file() {
        ("this is a project", "run --dry-run")
    } else {
        ("this folder is not an artifact, but may be a dataset", "corpus check")
    }
}

/// Returns the kind of dataset that a file is, by its name, if it is one.
fn table_of(path: &Path) -> Option<&'static str> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".tsv", ".csv", ".jsonl", ".ndjson", ".parquet"]) {
        Some("a table")
    } else if ends(&[".tar", ".tgz"]) {
        Some("a tar archive")
    } else {
        None
    }
}

/// Returns true if a file is a WARC archive, by its name or, if it is not compressed, by its start.
fn is_archive(path: &Path) -> Result<bool> {
    if ontrail_intake::is_archive(path) {
        return Ok(true);
    }
    let failed = || format!("{}: cannot read this file", path.display());
    let file = File::open(path).with_context(failed)?;
    let mut start = Vec::new();
    BufReader::new(file).take(7).read_to_end(&mut start).with_context(failed)?;
    Ok(start == b"WARC/1.")
}

/// Builds the analyzer that the flags describe.
fn analyzer(command: &Command) -> Result<Analyzer> {
    let mut builder = Analyzer::builder().terms(command.terms.iter().cloned());
    if let Some(path) = &command.dictionary {
        let read = || -> Result<_> { Ok(UserDictionary::read(BufReader::new(File::open(path)?))?) };
        let failed = || format!("{}: cannot read the dictionary", path.display());
        builder = builder.dictionary(read().with_context(failed)?);
    }
    Ok(builder.build())
}
