//! `ontrail inspect`: describe any artifact, or show what the crawler sees in a page.

mod archive;
mod artifact;
mod page;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, address};
use ontrail_text::{Analyzer, UserDictionary};
use url::Url;

/// Describe any artifact, or show what the crawler sees in a page.
///
/// An artifact (a topic vector, a model, a crawl, …) is described: what it is, how it was made, and
/// whether its files are still as they were. Of a page, the terms by label group, the content
/// blocks and the links are shown. Of a web archive, what it holds, or one page of it.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct Command {
    /// The file or folder to look at; - for a page on standard input
    path: PathBuf,
    /// The address to look up, if PATH is a web archive
    #[arg(value_parser = address)]
    url: Option<Url>,
    /// The address that a page file came from, which relative links start at
    #[arg(long = "url", value_name = "URL", conflicts_with = "url", value_parser = address)]
    base: Option<Url>,
    /// A term to find as one, such as "information retrieval"; may be repeated
    #[arg(long = "term", value_name = "TERM")]
    terms: Vec<String>,
    /// A dictionary of words for the Chinese segmenter, one a line
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
    /// Show all terms, blocks and links, not only the first
    #[arg(long)]
    all: bool,
}

const EXAMPLES: &str = "\
Examples:
  ontrail inspect datasets/rainstorm-pages/pages/017.html
  ontrail inspect page.html --url http://www.example.org/news/ --term 暴雨灾害 --json
  ontrail inspect crawl.warc.gz http://www.example.org/
  ontrail inspect news-split

Exit code: 0 if all is well, 1 if an artifact's files have changed or an archive lacks the address,
2 on errors.";

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    let path = &command.path;
    if path.as_os_str() == "-" || (path.exists() && !path.is_file() && !path.is_dir()) {
        // Standard input and pipes can be read but once.
        return page::show_file(command, printer);
    }
    if let Some(description) = ontrail_artifact::describe(path)? {
        return artifact::show(path, &description, printer);
    }
    if path.is_dir() {
        let (what, command) = folder_of(path);
        bail!("{}: {what}; try `ontrail {command} {0}`", path.display());
    }
    if is_archive(path)? {
        return archive::show(command, printer);
    }
    if let Some(kind) = table_of(path) {
        bail!("{}: {kind}, not a page; try `ontrail corpus check {0}`", path.display());
    }
    if command.url.is_some() {
        bail!("{}: not a web archive; to say where a page came from, use --url", path.display());
    }
    page::show_file(command, printer)
}

/// What a folder is that is no artifact, and the command that tells more of it.
fn folder_of(path: &Path) -> (&'static str, &'static str) {
    if path.join("run.json").is_file() {
        ("the folder of a crawl", "crawl status")
    } else if path.join("ontrail.toml").is_file() {
        ("a project", "run --dry-run")
    } else {
        ("a folder that is no artifact; if it is a dataset", "corpus check")
    }
}

/// What kind of dataset a file is by its name, if it is one.
fn table_of(path: &Path) -> Option<&'static str> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".tsv", ".csv", ".jsonl", ".ndjson", ".parquet"]) {
        Some("a table")
    } else if ends(&[".tar", ".tgz"]) {
        Some("an archive of files")
    } else {
        None
    }
}

/// Whether a file is a WARC archive: by its name, or by its start if it is not packed.
fn is_archive(path: &Path) -> Result<bool> {
    if ontrail_intake::is_archive(path) {
        return Ok(true);
    }
    let file = File::open(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let mut start = Vec::new();
    BufReader::new(file)
        .take(7)
        .read_to_end(&mut start)
        .with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(start == b"WARC/1.")
}

/// The analyzer that the flags describe.
fn analyzer(command: &Command) -> Result<Analyzer> {
    let mut builder = Analyzer::builder().terms(command.terms.iter().cloned());
    if let Some(path) = &command.dictionary {
        let read = || -> Result<_> { Ok(UserDictionary::read(BufReader::new(File::open(path)?))?) };
        let named = || format!("{}: not a usable dictionary", path.display());
        builder = builder.dictionary(read().with_context(named)?);
    }
    Ok(builder.build())
}
