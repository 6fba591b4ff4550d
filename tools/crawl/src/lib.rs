//! `ontrail crawl`: crawls the web, and shows, explains and exports crawls.

mod digest;
mod endpoint;
mod execute;
mod explain;
mod export;
mod figures;
mod join;
mod judge;
mod learn;
mod learned;
mod merge;
mod odd_threshold;
mod outside;
mod place;
mod recipe;
mod recipes;
mod repair;
mod report;
mod resume;
mod robots;
mod run;
mod seeds;
mod shared;
mod status;
mod threshold;
mod upload;
mod watch;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Crawl the web for pages on a topic
///
/// A crawl starts from seed URLs, scores every page it fetches against a topic, and follows the
/// most promising links first. It can crawl the live web, web archives (WARC) or a folder of pages.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl run --contact me@example.org --topic rain.topic.json --seeds seeds.txt \\
      --budget 10000 -o rain-crawl
  ontrail crawl run --web pages.warc.gz --topic rain.topic.json http://www.example.org/ -o trial
  ontrail crawl recipes
  ontrail crawl status rain-crawl
  ontrail crawl explain rain-crawl http://www.example.org/news/1.html
  ontrail crawl resume rain-crawl
  ontrail crawl repair rain-crawl
  ontrail crawl report rain-crawl
  ontrail crawl export rain-crawl --format jsonl -o rain.jsonl
  ontrail crawl merge rain-1 rain-2 -o rain-crawl
  ontrail crawl upload rain-crawl s3://crawls/rain
  ontrail crawl learn rain-crawl -o rain.links.json")]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Run(Box<run::RunArgs>),
    Resume(resume::ResumeArgs),
    Join(join::JoinArgs),
    Shared(shared::SharedArgs),
    Merge(merge::MergeArgs),
    Repair(repair::RepairArgs),
    Status(status::StatusArgs),
    Explain(explain::ExplainArgs),
    Report(report::ReportArgs),
    Export(export::ExportArgs),
    Upload(upload::CommandArgs),
    Learn(learn::LearnArgs),
    Recipes(recipes::RecipesArgs),
    Judge(judge::JudgeArgs),
    Robots(robots::RobotsArgs),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.verb {
        Verb::Run(args) => run::run(args, printer),
        Verb::Resume(args) => resume::run(args, printer),
        Verb::Join(args) => join::run(args, printer),
        Verb::Shared(args) => shared::run(args, printer),
        Verb::Merge(args) => merge::run(args, printer),
        Verb::Repair(args) => repair::run(args, printer),
        Verb::Status(args) => status::run(args, printer),
        Verb::Explain(args) => explain::run(args, printer),
        Verb::Report(args) => report::run(args, printer),
        Verb::Export(args) => export::run(args, printer),
        Verb::Upload(args) => upload::run(args, printer),
        Verb::Judge(args) => judge::run(args, printer),
        Verb::Learn(args) => learn::run(args, printer),
        Verb::Recipes(args) => recipes::run(args, printer),
        Verb::Robots(args) => robots::run(args, printer),
    }
}
