//! `ontrail corpus`: check, split and convert labelled datasets.

mod check;
mod convert;
mod shared;
mod split;
mod terms;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Check, split and convert labelled datasets.
///
/// DATA is a folder of class folders (THUCNews: class/0001.txt), a .tsv (label, tab, text), .csv,
/// .jsonl or .parquet table, a folder or .tar.gz of pages, or a folder with a dataset.toml.
#[derive(Debug, Clone, Args)]
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
