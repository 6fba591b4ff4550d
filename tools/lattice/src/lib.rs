//! `ontrail lattice`: builds concept lattices and OWL ontologies from documents.

mod build;
mod check;
mod context;
mod convert;
mod diff;
mod draw;
mod enrich;
mod explore;
mod owl;
mod picture;
mod rules;
mod shared;

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{ExitStatus, Printer};

pub use picture::{Drawn, Picture, What};

/// Build concept lattices and OWL ontologies from documents
///
/// A formal context is a table of documents and terms: it tells which document has which term. Its
/// concept lattice orders the terms, and the ontology takes its class hierarchy from there.
///
/// Contexts are read from .cxt (Burmeister), .csv, .dat (FIMI), .json, .cex and .txt (ConExp), each
/// also compressed (.gz). Ontologies are read from .owl and .rdf, .owx, .ofn, .omn, .ttl, .nt and
/// .jsonld.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice context datasets/rainstorm-pages -o rain.cxt
  ontrail lattice build rain.cxt
  ontrail lattice draw rain.cxt -o rain.html
  ontrail lattice owl rain.cxt --topic 暴雨灾害 -o rain.owl
  ontrail lattice check rain.owl")]
pub struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Context(context::ContextArgs),
    Build(build::Build),
    Draw(draw::Draw),
    Rules(rules::Rules),
    Explore(explore::Explore),
    Owl(owl::Owl),
    Enrich(enrich::Enrich),
    Check(check::Check),
    Convert(convert::Convert),
    Diff(diff::DiffArgs),
}

/// Runs the tool.
pub fn run(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    match &command.verb {
        Verb::Context(args) => context::run(args, printer),
        Verb::Build(args) => build::run(args, printer),
        Verb::Draw(args) => draw::run(args, printer),
        Verb::Rules(args) => rules::run(args, printer),
        Verb::Explore(args) => explore::run(args, printer),
        Verb::Owl(args) => owl::run(args, printer),
        Verb::Enrich(args) => enrich::run(args, printer),
        Verb::Check(args) => check::run(args, printer),
        Verb::Convert(args) => convert::run(args, printer),
        Verb::Diff(args) => diff::run(args, printer),
    }
}
