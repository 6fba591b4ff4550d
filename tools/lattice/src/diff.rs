//! `ontrail lattice diff`: compares two ontologies.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, count};
use serde_json::json;

/// Compare two ontologies axiom by axiom
///
/// Prints a summary, then the axioms that only the first ontology has (-) and those that only the
/// second has (+). The two files may have different syntaxes. The exit code is 1 if the ontologies
/// differ.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice diff rain.owl rain.ttl
  ontrail lattice diff old.owl new.owl --json")]
pub(crate) struct DiffArgs {
    /// First ontology
    #[arg(value_name = "FIRST")]
    first: PathBuf,
    /// Second ontology
    #[arg(value_name = "SECOND")]
    second: PathBuf,
}

pub(crate) fn run(args: &DiffArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let (first, second) =
        (ontrail_ontology::read(&args.first)?, ontrail_ontology::read(&args.second)?);
    for document in [&first, &second] {
        if document.is_skos() {
            bail!("{}: a SKOS vocabulary has no axioms to compare", document.path.display());
        }
        document.check_whole().context("cannot compare triples that are not axioms")?;
    }
    let difference = ontrail_ontology::diff(&first.ontology, &second.ontology);
    let status = if difference.is_empty() { ExitStatus::Done } else { ExitStatus::No };
    if printer.is_json() {
        printer.json(&json!({
            "same": difference.is_empty(), "shared": difference.shared,
            "only_in_first": difference.only_in_first, "only_in_second": difference.only_in_second,
        }))?;
        return Ok(status);
    }
    printer.heading(format_args!(
        "{} axioms in both, {} only in {}, {} only in {}",
        count(difference.shared as u64),
        count(difference.only_in_first.len() as u64),
        args.first.display(),
        count(difference.only_in_second.len() as u64),
        args.second.display()
    ))?;
    for axiom in &difference.only_in_first {
        printer.line(format_args!("- {axiom}"))?;
    }
    for axiom in &difference.only_in_second {
        printer.line(format_args!("+ {axiom}"))?;
    }
    Ok(status)
}
