//! `ontrail lab`: webs to crawl offline, and comparisons that can be trusted.

mod blocks;
mod compare;
mod figures;
mod grid;
mod plan;
mod report;
mod runs;
mod serve;
mod table;
mod test;
mod weave;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Weave webs to crawl offline, and compare crawlers on them
///
/// A woven web is made from labelled texts, and the truth about every page is known. Crawlers are compared on woven webs or on
/// archives with labels, by the truth and by their own opinion side by side, with statistics that hold.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
From texts to a verdict:
  ontrail lab weave --from datasets/news-mini --pages 5000 -o web
  ontrail topic learn datasets/news-mini --label rainstorm -o rain.topic.json
  ontrail lab compare --web web --relevant rainstorm --topic rain.topic.json \\
      --recipes bfs,ops,ontrail --budget 1000 --repeats 5 -o compared
  ontrail lab grid --web web --relevant rainstorm --topic rain.topic.json --recipe ops \\
      --over priority.at-least=0,0.1,0.2 --budget 1000 -o grid
  ontrail lab serve web")]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Weave(weave::WeaveArgs),
    Serve(serve::ServeArgs),
    Compare(Box<compare::CompareArgs>),
    Grid(Box<grid::GridArgs>),
    Test(test::TestArgs),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.verb {
        Verb::Weave(args) => weave::run(args, printer),
        Verb::Serve(args) => serve::run(args, printer),
        Verb::Compare(args) => compare::run(args, printer),
        Verb::Grid(args) => grid::run(args, printer),
        Verb::Test(args) => test::run(args, printer),
    }
}
