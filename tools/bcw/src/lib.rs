//! `ontrail bcw`: train, evaluate and use page classifiers.

mod card;
mod documents;
mod eval;
mod predict;
mod report;
mod settings;
mod train;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

/// Train, evaluate and use page classifiers.
///
/// A classifier learns from labelled texts or pages what class a page is of. Words in titles and headings
/// count more than words in navigation bars: the label-weighted Bayesian classifier (BCW) of bcw-cc.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
From labelled texts to the class of a page:
  ontrail bcw train datasets/news-mini -o news --auto
  ontrail bcw eval news datasets/news-mini
  ontrail bcw predict news datasets/rainstorm-pages/pages/017.html

A dataset that is cut into parts is trained on its part `train` and evaluated on
its part `test`, unless --part says otherwise. In these helps bcw-cc is one of
the papers that Ontrail unites; ARCHITECTURE.md has their titles.")]
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
