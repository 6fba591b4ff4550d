//! `ontrail sdg`: builds, shows and applies semantic disambiguation graphs.

mod apply;
mod bounds;
mod build;
mod picture;
mod relevance;
mod show;
mod terms;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Build, show and apply semantic disambiguation graphs
///
/// A page about Amazon, the shop, is not a page about the rain forest. The graph of a topic says
/// which of its terms are ambiguous, and which other terms show that an ambiguous term has the
/// topic's meaning. On a page without these, the ambiguous term is removed before the page is
/// compared with the topic (ontrail topic score --sdg).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic learn datasets/senses-en --label amazon-forest -o amazon.topic.json
  ontrail sdg build datasets/senses-en --label amazon-forest --background datasets/senses-en \\
      --topic amazon.topic.json --theta 0.5 -o amazon.sdg.json
  ontrail sdg show amazon.sdg.json -o amazon.svg
  ontrail sdg apply amazon.sdg.json page.html
  ontrail topic score amazon.topic.json page.html --sdg amazon.sdg.json

Equations are those of the paper sdvsm; see docs/papers.md. A graph is a JSON file that you can edit;
docs/formats.md describes all fields.")]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Build(Box<build::Build>),
    Show(show::Show),
    Apply(apply::Apply),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.verb {
        Verb::Build(args) => build::run(args, printer),
        Verb::Show(args) => show::run(args, printer),
        Verb::Apply(args) => apply::run(args, printer),
    }
}
