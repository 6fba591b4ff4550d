//! `ontrail crawl`: the crawler. So far it can be asked what it may fetch.

mod robots;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Ask what a crawler may fetch.
///
/// The crawler itself is not there yet; the rules that it will keep are.
#[derive(Debug, Clone, Args)]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Robots(robots::RobotsArgs),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.verb {
        Verb::Robots(args) => robots::run(args, printer),
    }
}
