//! `ontrail lattice convert`: converts a context or an ontology to another format.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_artifact::{Destination, Output, Provenance};
use ontrail_cli::{ExitStatus, ForceArgs, OutputFile, Printer, count, output_file};
use ontrail_fca::format::{self, Format as ContextFormat, Scale};
use ontrail_fca::{Context, reduce};
use ontrail_ontology::Syntax;
use serde_json::json;

use crate::owl::write_all;
use crate::shared::{ONTOLOGY, check_context, context_format, write_context};

/// Convert a context or an ontology to another format
///
/// The extensions of the files tell the formats. An ontology is converted without losing any
/// axiom, or not at all. A context can also be clarified (equal rows and equal columns are
/// merged) or reduced (only what the shape of the lattice depends on is kept). A .csv table with
/// values becomes a context by a scale for each column.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice convert rain.owl -o rain.ttl
  ontrail lattice convert drawn-in-conexp.cex -o rain.cxt --reduce
  ontrail lattice convert people.csv -o people.cxt --scale age=ordinal:18,65 \\
      --scale sex=nominal

Scales:
  nominal             an attribute for each value; the default as soon as any column has a scale
  ordinal             `column≥value` for each value, or for the values in ordinal:18,65
  interordinal        both `column≤value` and `column≥value`
  binary              the column holds crosses already")]
pub(crate) struct Convert {
    /// Context or ontology to read
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// File to write; its extension selects the format
    #[arg(short = 'o', long = "output", value_name = "FILE", value_parser = output_file(target, "x.cxt"))]
    to: OutputFile<Target>,
    #[command(flatten)]
    force: ForceArgs,
    /// Scale of a column, for a .csv table with values; may be repeated
    #[arg(long = "scale", value_name = "COLUMN=SCALE", value_parser = parse_scale)]
    scales: Vec<(String, Scale)>,
    /// Merge equal objects, and merge equal attributes
    #[arg(long)]
    clarify: bool,
    /// Keep only what the shape of the lattice depends on
    #[arg(long)]
    reduce: bool,
}

/// The kind of file to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Context(ContextFormat),
    Ontology(Syntax),
}

fn target(path: &Path) -> Result<Target, String> {
    match (Syntax::of(path), ContextFormat::of(path)) {
        (Some(syntax), _) => Ok(Target::Ontology(syntax)),
        (None, Some(_)) => context_format(path).map(Target::Context),
        (None, None) => Err(format!(
            "{}: name a .cxt, .csv, .dat or .json file for a context, or a .owl, .owx, .ofn, .omn, .ttl, \
             .nt or .jsonld file for an ontology",
            path.display()
        )),
    }
}

fn parse_scale(text: &str) -> Result<(String, Scale), String> {
    let (column, scale) =
        text.rsplit_once('=').ok_or("give COLUMN=SCALE, such as age=ordinal:18,65")?;
    let scale = scale.parse::<Scale>().map_err(|error| error.to_string())?;
    Ok((column.to_owned(), scale))
}

pub(crate) fn run(args: &Convert, printer: &mut Printer) -> Result<ExitStatus> {
    let to = args.force.destination(&args.to.path, printer)?;
    check(args, to)?;
    let provenance = Provenance::of_this_process("ontrail lattice convert")
        .with_parameter("clarify", args.clarify)
        .with_parameter("reduce", args.reduce)
        .with_parameter(
            "scales",
            args.scales.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>(),
        )
        .with_input(&args.from)?;
    match args.to.form {
        Target::Context(format) => convert_context(args, (to, format), &provenance, printer),
        Target::Ontology(syntax) => convert_ontology(args, (to, syntax), &provenance, printer),
    }
}

/// Refuses impossible conversions before anything is read.
fn check(args: &Convert, destination: Destination<'_>) -> Result<()> {
    let (from, to) = (&args.from, destination.path());
    let read_as = ContextFormat::of(from);
    match (read_as, args.to.form) {
        (Some(_), Target::Ontology(_)) => bail!(
            "{} is a context and {} an ontology; use `ontrail lattice owl` to make an ontology",
            from.display(),
            to.display()
        ),
        (None, Target::Context(_)) => bail!(
            "{}: not the name of a context, so it cannot be converted to {}; name a .cxt, .csv, .dat, \
             .json, .cex or .txt file to read",
            from.display(),
            to.display()
        ),
        (Some(_), Target::Context(format)) => {
            if !args.scales.is_empty() && read_as != Some(ContextFormat::Csv) {
                bail!("{}: --scale is for .csv tables only", from.display());
            }
            check_context(destination, format, &[from])?;
        }
        (None, Target::Ontology(_)) => {
            if args.clarify || args.reduce || !args.scales.is_empty() {
                bail!("--clarify, --reduce and --scale are for contexts, not for ontologies");
            }
            Output::file(destination, &ONTOLOGY).check([from])?;
        }
    }
    Ok(())
}

fn convert_context(
    args: &Convert,
    (destination, format): (Destination<'_>, ContextFormat),
    provenance: &Provenance,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let to = destination.path();
    let context = read_context(&args.from, &args.scales)?;
    let (context, left) = match (args.clarify, args.reduce) {
        (_, true) => reduce::reduced(&context),
        (true, false) => reduce::clarified(&context),
        (false, false) => {
            let left = reduce::Left { objects: Vec::new(), attributes: Vec::new() };
            (context, left)
        }
    };
    if context.objects().is_empty() {
        bail!(
            "{}: every object has every attribute, so nothing is left of the reduced context",
            args.from.display()
        );
    }
    write_context(destination, format, &context, provenance)?;
    let (objects, attributes) = (context.objects().len(), context.attributes().len());
    if printer.is_json() {
        printer.json(&json!({
            "output": to, "objects": objects, "attributes": attributes,
            "left_out": { "objects": left.objects, "attributes": left.attributes },
        }))?;
    } else {
        printer.line(format_args!(
            "{}: {} objects × {} attributes",
            to.display(),
            count(objects as u64),
            count(attributes as u64)
        ))?;
        for (what, names) in [("objects", &left.objects), ("attributes", &left.attributes)] {
            if !names.is_empty() {
                printer.line(format_args!("  {what} left out: {}", names.join(", ")))?;
            }
        }
    }
    Ok(ExitStatus::Done)
}

fn read_context(path: &Path, scales: &[(String, Scale)]) -> Result<Context> {
    if scales.is_empty() {
        return Ok(format::read(path)?);
    }
    Ok(format::read_scaled(path, scales)?)
}

fn convert_ontology(
    args: &Convert,
    (destination, syntax): (Destination<'_>, Syntax),
    provenance: &Provenance,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let to = destination.path();
    let document = ontrail_ontology::read(&args.from)?;
    if document.is_skos() {
        bail!(
            "{}: a SKOS vocabulary has no axioms to convert; convert its syntax with an RDF tool",
            args.from.display()
        );
    }
    document.check_whole()?;
    let written = write_all(&document.ontology, &[(destination, syntax)], provenance);
    written.with_context(|| format!("{}: cannot write the ontology", to.display()))?;
    let axioms = document.ontology.axiom_count();
    if printer.is_json() {
        printer.json(&json!({ "output": to, "axioms": axioms }))?;
    } else {
        printer.line(format_args!("{}: {} axioms", to.display(), count(axioms as u64)))?;
    }
    Ok(ExitStatus::Done)
}
