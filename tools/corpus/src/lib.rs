//! `ontrail corpus`: check, split and convert labelled datasets.

mod check;
mod convert;
mod shared;
mod split;
mod terms;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Check, split and convert labelled datasets
///
/// DATA is a folder of class folders (class/0001.txt, as in THUCNews), a .tsv (label, tab, text),
/// .csv, .jsonl or .parquet table, a folder or .tar.gz of pages, a web archive (.warc, .warc.gz),
/// or a folder with a dataset.toml.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail corpus check datasets/news-mini
  ontrail corpus terms datasets/news-mini --top 8
  ontrail corpus split datasets/news-mini -o news-split
  ontrail corpus convert datasets/news-mini -o news.parquet")]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Check(check::Check),
    Terms(terms::TermsArgs),
    Split(split::SplitArgs),
    Convert(convert::Convert),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.verb {
        Verb::Check(args) => check::run(args, printer),
        Verb::Terms(args) => terms::run(args, printer),
        Verb::Split(args) => split::run(args, printer),
        Verb::Convert(args) => convert::run(args, printer),
    }
}
