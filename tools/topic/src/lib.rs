//! `ontrail topic`: what a topic is, and how near a text comes to it.

mod background;
mod correlation;
mod five;
mod idf;
mod keywords;
mod learn;
mod meanings;
mod pairs;
mod score;
mod sem;
mod senses;
mod show;
mod similarity;
mod weigh;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Say what a topic is, and how near a text comes to it.
///
/// A topic is a list of weighted terms in a JSON file that a person can edit. It is made from an ontology
/// (weigh), from texts about it (learn) or from keywords; then pages can be scored by it.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
From an ontology to a page's relevance:
  ontrail topic weigh ontologies/rainstorm/rainstorm.owl --topic 暴雨灾害 -o rain.topic.json
  ontrail topic show rain.topic.json
  ontrail topic score rain.topic.json datasets/rainstorm-pages/pages/017.html

In these helps fcits-oh, bcw-cc, gafc and sdvsm are the papers that Ontrail unites; ARCHITECTURE.md has
their titles. In a topic file, terms with the same \"concept\" are names of one thing and count once;
docs/formats.md has all fields.")]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Weigh(weigh::Weigh),
    Learn(learn::Learn),
    Keywords(keywords::Keywords),
    Show(show::Show),
    Score(score::Score),
    Similarity(similarity::Similarity),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.verb {
        Verb::Weigh(args) => weigh::run(args, printer),
        Verb::Learn(args) => learn::run(args, printer),
        Verb::Keywords(args) => keywords::run(args, printer),
        Verb::Show(args) => show::run(args, printer),
        Verb::Score(args) => score::run(args, printer),
        Verb::Similarity(args) => similarity::run(args, printer),
    }
}
