//! `ontrail topic`: makes topics, and scores pages by them.

mod background;
mod calibrate;
mod correlation;
mod eval;
mod five;
mod held_out;
mod idf;
mod keywords;
mod labelled;
mod learn;
mod meanings;
mod model;
mod pairs;
mod picture;
mod score;
mod sem;
mod senses;
mod show;
mod similarity;
mod ways;
mod weigh;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Make topics from ontologies, texts or keywords, and score pages by them
///
/// A topic is a list of weighted terms in a JSON file that you can edit. Make one from an ontology
/// (weigh), from texts about the topic (learn) or from keywords (keywords). Then compute the
/// relevance of pages to it (score), or use it for a crawl (ontrail crawl).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic weigh ontologies/rainstorm/rainstorm.owl --topic 暴雨灾害 -o rain.topic.json
  ontrail topic show rain.topic.json
  ontrail topic score rain.topic.json datasets/rainstorm-pages/pages/017.html

fcits-oh, bcw-cc, gafc and sdvsm are the papers that Ontrail implements; see docs/papers.md. In a
topic file, terms with the same \"concept\" are names of one thing and count together; docs/formats.md
describes all fields.")]
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
    Calibrate(calibrate::Calibrate),
    Eval(eval::Eval),
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
        Verb::Calibrate(args) => calibrate::run(args, printer),
        Verb::Eval(args) => eval::run(args, printer),
        Verb::Similarity(args) => similarity::run(args, printer),
    }
}
