//! `ontrail lattice draw`: draws a context or an ontology.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_artifact::{Output, Provenance, write_with_sidecar};
use ontrail_cli::{
    ExitStatus, ForceArgs, OutputFile, Printer, count, output_file, pixels_per_unit,
};
use ontrail_fca::format::Format as ContextFormat;
use ontrail_report::Form;
use serde_json::json;

use crate::picture::{OBJECTS, Picture, What};
use crate::shared::{PICTURE, Support};

/// Draw the line diagram of a context, or the hierarchy of an ontology
///
/// In a line diagram each attribute is written above the greatest concept that has it, and each
/// object below the least. A diagram with more than --max-nodes concepts would not be readable;
/// instead the order of the attributes is drawn, or, if there are too many attributes as well,
/// the concepts with the most objects (the iceberg lattice).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice draw rain.cxt -o rain.svg
  ontrail lattice draw rain.cxt --as iceberg --min-support 10% -o rain.html
  ontrail lattice draw rain.owl --lang en -o rain.png")]
pub(crate) struct Draw {
    /// Context or ontology to draw
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Picture to write: .svg, .html (to pan, search and fold), .png or .dot
    #[arg(short, long, value_name = "FILE", value_parser = output_file(Form::of, "x.svg"))]
    output: OutputFile<Form>,
    #[command(flatten)]
    force: ForceArgs,
    /// Part of a context to draw
    #[arg(long = "as", value_name = "WHAT", value_enum, default_value_t)]
    what: What,
    /// Leave out concepts with fewer objects: a number, or a share such as 2%
    #[arg(long, value_name = "N")]
    min_support: Option<Support>,
    /// Greatest number of nodes in the picture
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    max_nodes: u32,
    /// Language of the first label of each class, for an ontology
    #[arg(long, value_name = "TAG", default_value = "zh")]
    lang: String,
    /// Title of the picture [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Pixels per unit, for .png
    #[arg(long, value_name = "N", default_value_t = 2.0, value_parser = pixels_per_unit)]
    scale: f32,
}

pub(crate) fn run(args: &Draw, printer: &mut Printer) -> Result<ExitStatus> {
    let OutputFile { path: output, form } = &args.output;
    let to = args.force.destination(output, printer)?;
    Output::file(to, &PICTURE).check([&args.path])?;
    let is_context = ContextFormat::of(&args.path).is_some();
    if !is_context && (args.what != What::Auto || args.min_support.is_some()) {
        bail!("{}: --as and --min-support are for contexts only", args.path.display());
    }
    let picture = Picture {
        what: args.what,
        min_support: args.min_support,
        max_nodes: args.max_nodes as usize,
        lang: args.lang.clone(),
        title: args.title.clone(),
        objects: OBJECTS,
    };
    let (diagram, drawn, note) = picture.of(&args.path)?;
    if let Some(note) = note {
        printer.note(note);
    }
    if diagram.is_empty() {
        bail!("{}: has no concepts or classes to draw", args.path.display());
    }
    let bytes = form
        .drawn(&diagram, args.scale)
        .with_context(|| format!("{}: cannot draw the picture", output.display()))?;
    let provenance = Provenance::of_this_process("ontrail lattice draw").with_input(&args.path)?;
    write_with_sidecar(to, &PICTURE, &provenance, |out| out.write_all(&bytes))?;
    if printer.is_json() {
        printer.json(&json!({ "output": output, "drawn": drawn, "nodes": diagram.len() }))?;
    } else {
        printer.line(format_args!(
            "{}: {drawn}, {} nodes",
            output.display(),
            count(diagram.len() as u64)
        ))?;
    }
    Ok(ExitStatus::Done)
}
