//! `ontrail lattice owl`: makes an ontology from a context.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use ontrail_artifact::{Destination, Output, Provenance, write_with_sidecar};
use ontrail_cli::{
    ExitStatus, ForceArgs, OutputFile, Printer, count, output_file, share_above_zero,
};
use ontrail_fca::{Context, format};
use ontrail_intake::read_text;
use ontrail_ontology::{
    Ontology, Outline, OutlineError, OutlineSettings, Overrides, StrayTerm, Syntax,
};
use serde_json::json;

use crate::shared::{ONTOLOGY, file_name};

/// Make an OWL ontology from a context of documents and terms
///
/// The hierarchy is the order of the attribute concepts of the lattice, in a form that tolerates
/// exceptions: a term becomes a subclass of another if at least a share --confidence of its
/// documents also has the other, and the other occurs in more documents. With --confidence 1 the
/// order is exact. Terms with the same documents become one class with synonyms. The topic becomes
/// the root. A file of overrides corrects the result.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice owl rain.cxt --topic 暴雨灾害 -o rain.owl
  ontrail lattice owl rain.cxt --topic 暴雨灾害 --overrides rain.toml --depth 6 -o rain.owl -o rain.ttl

An override file:
  drop = [\"记者\"]                    # terms that are not concepts
  [[class]]
  term = \"洪涝\"                      # a term of the context, or a new term with a parent
  parent = \"次生灾害\"                # instead of the superclass that the lattice gives
  id = \"Flood\"                       # the last part of the IRI
  label = { zh = \"洪涝\", en = \"flood\" }
  synonyms = { en = [\"inundation\"] }
  definition = { en = \"Water that covers dry land.\" }
  merge = [\"洪水\"]                   # terms that mean the same
  [[relation]]
  from = \"洪涝\"
  to = \"水位\"
  id = \"isDetectedBy\"
  label = { en = \"is detected by\" }")]
pub(crate) struct Owl {
    /// Formal context to read
    #[arg(value_name = "CONTEXT")]
    path: PathBuf,
    /// Topic of the ontology, which becomes the root class
    #[arg(long, value_name = "TERM")]
    topic: String,
    /// Ontology to write; the extension tells the syntax. May be repeated
    #[arg(short, long = "output", value_name = "FILE", required = true, value_parser = output_file(syntax, "x.owl"))]
    outputs: Vec<OutputFile<Syntax>>,
    #[command(flatten)]
    force: ForceArgs,
    /// File of overrides: names, definitions and superclasses that you decided on
    #[arg(long, value_name = "FILE")]
    overrides: Option<PathBuf>,
    /// Share of a term's documents that must also have a broader term, above 0 and at most 1
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = OutlineSettings::DEFAULT_CONFIDENCE,
        value_parser = share_above_zero
    )]
    confidence: f64,
    /// Greatest number of levels; deeper classes are moved up
    #[arg(long, value_name = "LEVELS")]
    depth: Option<usize>,
    /// Keep only one superclass of each class, the most specific
    #[arg(long)]
    tree: bool,
    #[arg(
        long,
        value_name = "IRI",
        value_parser = ontology_iri,
        help = "IRI of the ontology [default: http://ontrail.example/ and the topic]"
    )]
    iri: Option<String>,
}

/// Warns about terms of the overrides that were probably misspelt.
fn warn_of_strays(args: &Owl, outline: &Outline, printer: &mut Printer) {
    let Some(path) = &args.overrides else { return };
    for StrayTerm { field, term, nearest } in &outline.strays {
        let path = path.display();
        match (*field, nearest) {
            ("drop", None) => {
                printer.warn(format_args!("{path}: drop: {term:?} is not a term of the context"));
            }
            ("drop", Some(nearest)) => printer.warn(format_args!(
                "{path}: drop: {term:?} is not a term of the context; did you mean {nearest:?}?"
            )),
            (_, nearest) => printer.warn(format_args!(
                "{path}: class: {term:?} is not a term of the context and becomes a new class; did \
                 you mean {:?}?",
                nearest.as_deref().unwrap_or_default()
            )),
        }
    }
}

pub(crate) fn run(args: &Owl, printer: &mut Printer) -> Result<ExitStatus> {
    let settings = settings(args)?;
    let inputs = || args.overrides.iter().chain([&args.path]);
    let outputs = destinations(&args.outputs, args.force, printer)?;
    check_all(&outputs, inputs)?;
    let context = format::read(&args.path)?;
    let overrides = match &args.overrides {
        Some(path) => read_text(path)?
            .parse()
            .with_context(|| format!("{}: cannot parse the overrides", path.display()))?,
        None => Overrides::default(),
    };
    let outline = Outline::of(&context, &settings, &overrides);
    let in_overrides = |error: OutlineError| match &args.overrides {
        Some(path) => anyhow!("{}: {error}", path.display()),
        None => error.into(),
    };
    let outline = outline.map_err(in_overrides)?;
    warn_of_strays(args, &outline, printer);
    let iri = iri(args);
    let provenance = provenance(args)?;
    let ontology =
        outline.to_ontology(&iri, &annotations(args, &provenance)).map_err(in_overrides)?;
    write_all(&ontology, &outputs, &provenance)?;
    let classes = ontology.class_count();
    let absent: Vec<String> = absent(&context);
    let outputs: Vec<&Path> = outputs.iter().map(|(to, _)| to.path()).collect();
    if printer.is_json() {
        printer.json(&json!({
            "outputs": outputs, "iri": iri, "classes": classes,
            "axioms": ontology.axiom_count(), "left_out": absent,
        }))?;
    } else {
        for path in outputs {
            printer.line(format_args!(
                "{}: {} classes, {} axioms",
                path.display(),
                count(classes as u64),
                count(ontology.axiom_count() as u64)
            ))?;
        }
        if !absent.is_empty() {
            printer.line(format_args!(
                "left out, because no document has them: {}",
                absent.join(", ")
            ))?;
        }
    }
    Ok(ExitStatus::Done)
}

/// Returns the terms that no document has.
fn absent(context: &Context) -> Vec<String> {
    let columns = context.columns();
    let names = context.attributes().iter().zip(&columns);
    names.filter(|(_, column)| column.is_empty()).map(|(name, _)| name.into_owned()).collect()
}

/// Returns the settings, if they are valid.
fn settings(args: &Owl) -> Result<OutlineSettings> {
    let settings = OutlineSettings::new(&args.topic)
        .confidence(args.confidence)
        .max_depth(args.depth)
        .tree(args.tree);
    settings.check().map_err(|error| match error {
        OutlineError::Depth(_) => anyhow!("--depth: {error}"),
        OutlineError::NoTopic => anyhow!("--topic: {error}"),
        error => anyhow!("--confidence: {error}"),
    })?;
    Ok(settings)
}

/// Returns the syntax of an ontology, which the extension of the file tells.
pub(crate) fn syntax(path: &Path) -> Result<Syntax, String> {
    Syntax::of(path).ok_or_else(|| {
        format!(
            "{}: name a .owl, .owx, .ofn, .omn, .ttl, .nt or .jsonld file to write an ontology to",
            path.display()
        )
    })
}

/// Returns the destinations that a user named, and the syntax of each.
pub(crate) fn destinations<'a>(
    outputs: &'a [OutputFile<Syntax>],
    force: ForceArgs,
    printer: &mut Printer,
) -> Result<Vec<(Destination<'a>, Syntax)>> {
    outputs.iter().map(|it| Ok((force.destination(&it.path, printer)?, it.form))).collect()
}

/// Refuses outputs that must not be written.
pub(crate) fn check_all<P: AsRef<Path>, I: IntoIterator<Item = P>>(
    outputs: &[(Destination<'_>, Syntax)],
    inputs: impl Fn() -> I,
) -> Result<()> {
    for &(to, _) in outputs {
        Output::file(to, &ONTOLOGY).check(inputs())?;
    }
    Ok(())
}

/// Writes an ontology in each syntax. Before the first file is written, all syntaxes have been
/// serialised and all outputs checked, so that either all files are written or none.
pub(crate) fn write_all(
    ontology: &Ontology,
    outputs: &[(Destination<'_>, Syntax)],
    provenance: &Provenance,
) -> Result<()> {
    let files: Result<Vec<Vec<u8>>, _> =
        outputs.iter().map(|&(_, syntax)| ontology.to_bytes(syntax)).collect();
    check_all(outputs, || [] as [&Path; 0])?;
    for (&(to, _), bytes) in outputs.iter().zip(files?) {
        write_with_sidecar(to, &ONTOLOGY, provenance, |out| out.write_all(&bytes))?;
    }
    Ok(())
}

/// Returns the IRI of the ontology. In the default IRI, characters of the topic that an IRI must
/// not have are replaced.
fn iri(args: &Owl) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
    let default = || {
        let topic: String = args.topic.trim().chars().map(plain).collect();
        format!("http://ontrail.example/{topic}")
    };
    args.iri.clone().unwrap_or_else(default)
}

/// Parses an IRI that can be written in every syntax.
fn ontology_iri(iri: &str) -> Result<String, String> {
    let is_broken = |c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c);
    if !iri.contains(':')
        || iri.contains(is_broken)
        || iri.contains('#')
        || iri.ends_with(['/', ':'])
    {
        return Err(format!(
            "{iri:?} cannot name an ontology; give an absolute IRI without # and without a / at the end, \
             such as https://example.org/rain"
        ));
    }
    Ok(iri.to_owned())
}

fn provenance(args: &Owl) -> Result<Provenance> {
    let mut provenance = Provenance::of_this_process("ontrail lattice owl")
        .with_parameter("topic", &args.topic)
        .with_parameter("confidence", args.confidence)
        .with_parameter("depth", args.depth)
        .with_parameter("tree", args.tree)
        .with_input(&args.path)?;
    if let Some(path) = &args.overrides {
        provenance = provenance.with_input(path)?;
    }
    Ok(provenance)
}

/// Returns the provenance as annotations of the ontology: a sentence, then each input with its
/// checksum.
fn annotations(args: &Owl, provenance: &Provenance) -> Vec<String> {
    let depth = args.depth.map_or(String::new(), |depth| format!(", depth {depth}"));
    let tree = if args.tree { ", one superclass each" } else { "" };
    let sentence = format!(
        "Made by {} {}: topic {}, confidence {}{depth}{tree}.",
        provenance.tool, provenance.version, args.topic, args.confidence
    );
    let inputs = provenance
        .inputs
        .iter()
        .map(|input| format!("{} (sha256 {})", file_name(input.path.as_ref()), input.sha256));
    std::iter::once(sentence).chain(inputs).collect()
}
