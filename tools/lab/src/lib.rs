//! `ontrail lab`: makes webs to crawl offline, and compares crawlers on them.

mod areas;
mod blocks;
mod compare;
mod figures;
mod grid;
mod report;
mod serve;
mod table;
mod test;
mod weave;

use std::path::Path;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_artifact::write_atomically;
use ontrail_cli::{ExitStatus, Printer};

/// Make webs to crawl offline, and compare crawlers on them
///
/// A woven web is made from labelled texts, so the ground truth about every page is known. Crawlers
/// are compared on woven webs, or on archives with labels. Every crawler is measured by the ground
/// truth and by its own relevance, and statistical tests show which differences are significant.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
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

/// Writes a file into a folder.
fn write_file(folder: &Path, name: &str, text: &str) -> Result<()> {
    Ok(write_atomically(&folder.join(name), |out| out.write_all(text.as_bytes()))?)
}
