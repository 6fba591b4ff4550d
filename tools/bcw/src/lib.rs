//! `ontrail bcw`: trains, evaluates and uses page classifiers.

mod card;
mod documents;
mod eval;
mod predict;
mod report;
mod sample;
mod settings;
mod train;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Train, evaluate and use page classifiers
///
/// A classifier learns from labelled texts or pages, and predicts the class of other pages. Words
/// in titles and headings count more than words in navigation bars: this is the label-weighted
/// Bayesian classifier (BCW) of the paper bcw-cc.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail bcw train datasets/news-mini -o news
  ontrail bcw eval news datasets/news-mini
  ontrail bcw predict news datasets/rainstorm-pages/pages/017.html

If a dataset is split into parts, `train` uses its part `train` and `eval` its part `test`, unless
--part names another. bcw-cc is one of the papers that Ontrail implements; see docs/papers.md.")]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Train(Box<train::Train>),
    Eval(Box<eval::Eval>),
    Predict(predict::Predict),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.verb {
        Verb::Train(args) => train::run(args, printer),
        Verb::Eval(args) => eval::run(args, printer),
        Verb::Predict(args) => predict::run(args, printer),
    }
}
