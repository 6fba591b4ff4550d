//! `ontrail lattice check`: prints the figures of an ontology and finds problems in it.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};

/// Check an ontology or a SKOS vocabulary for problems
///
/// Finds cycles in the hierarchy, orphans, several roots, classes that are not declared, that
/// have no label or that are below two disjoint classes, labels that several classes share,
/// imports that are missing (nothing is ever downloaded), and triples that are not axioms of OWL
/// 2. Prints the figures of the ontology, too. The exit code is 1 if there are problems.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice check ontologies/rainstorm/rainstorm.owl
  ontrail lattice check thesaurus.ttl --json")]
pub(crate) struct Check {
    /// Ontology or SKOS vocabulary to check
    #[arg(value_name = "ONTOLOGY")]
    path: PathBuf,
}

pub(crate) fn run(args: &Check, printer: &mut Printer) -> Result<ExitStatus> {
    let document = ontrail_ontology::read(&args.path)?;
    let report = document.check();
    let status = if report.problems.is_empty() { ExitStatus::Done } else { ExitStatus::No };
    if printer.is_json() {
        printer.json(&report)?;
        return Ok(status);
    }
    let profiles =
        if report.profiles.is_empty() { "none".to_owned() } else { report.profiles.join(", ") };
    let kind = if document.is_skos() { "SKOS concepts" } else { "classes" };
    let rows = [
        ("syntax", document.syntax.name().to_owned()),
        (kind, count(report.classes as u64)),
        ("levels", count(report.levels as u64)),
        ("branches", count(report.branches as u64)),
        ("relations", count(report.relations as u64)),
        ("axioms", count(report.axioms as u64)),
        ("profiles", profiles),
        ("problems", count(report.problems.len() as u64)),
    ];
    let mut table = Table::new([("", Align::Left), ("", Align::Left)]);
    rows.into_iter().for_each(|(name, value)| table.row([name.to_owned(), value]));
    printer.table(&table)?;
    for problem in &report.problems {
        printer.line(format_args!("{}: {}: {}", problem.kind, problem.subject, problem.message))?;
    }
    Ok(status)
}
