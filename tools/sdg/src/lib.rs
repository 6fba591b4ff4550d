//! `ontrail sdg`: words that mean something else elsewhere, and when a page means them so.

mod apply;
mod build;
mod picture;
mod relevance;
mod show;
mod terms;
mod two;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Tell pages that mean a topic's words otherwise: the semantic disambiguation graph.
///
/// A page on Amazon the shop is not a page on the rain forest. The graph knows which words of a topic are
/// ambiguous, and which others show that one has the topic's meaning; without these it is taken away from
/// a page before the page is compared with the topic (topic score --sdg).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
From topic pages to the terms that a page should lose:
  ontrail topic learn datasets/senses-en --label amazon-forest -o amazon.topic.json
  ontrail sdg build datasets/senses-en --label amazon-forest --background datasets/senses-en \\
      --topic amazon.topic.json --theta 0.5 -o amazon.sdg.json
  ontrail sdg show amazon.sdg.json -o amazon.svg
  ontrail sdg apply amazon.sdg.json page.html
  ontrail topic score amazon.topic.json page.html --sdg amazon.sdg.json

Equations are those of the paper sdvsm; ARCHITECTURE.md has its title. docs/formats.md has all fields of
the file, which may be edited.")]
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
