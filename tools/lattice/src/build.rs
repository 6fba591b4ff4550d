//! `ontrail lattice build`: all concepts of a context, and how they cover each other.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_fca::{Context, Lattice, format, measure};
use serde::Serialize;
use serde_json::json;

use crate::shared::{ListingArgs, explain, listed, names_of};

/// Build the concept lattice of a context
///
/// The height is the number of steps of the longest chain, the width the number of concepts in the
/// largest set of which none is below another.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice build rain.cxt
  ontrail lattice build mushroom.cxt.gz --count-only
  ontrail lattice build rain.cxt --min-support 5% --concepts
  ontrail lattice build rain.cxt --concepts --stability --json")]
pub(crate) struct Build {
    /// The context
    #[arg(value_name = "CONTEXT")]
    path: PathBuf,
    #[command(flatten)]
    listing: ListingArgs,
    /// Count the concepts and do nothing else
    #[arg(long, conflicts_with_all = ["concepts", "stability"])]
    count_only: bool,
    /// List the concepts, those with most objects first
    #[arg(long)]
    concepts: bool,
    /// Compute the stability of each concept listed: how little it hangs on single objects
    #[arg(long, requires = "concepts")]
    stability: bool,
}

/// The figures of a lattice.
#[derive(Serialize)]
struct Figures {
    objects: usize,
    attributes: usize,
    concepts: u64,
    edges: usize,
    height: usize,
    width: usize,
    /// Whether no wider set exists; of very large lattices only the fullest layer is known.
    width_is_exact: bool,
}

pub(crate) fn run(args: &Build, printer: &mut Printer) -> Result<ExitStatus> {
    if args.stability && !args.listing.min_support.is_zero() {
        bail!("--stability needs all concepts; leave --min-support out");
    }
    let context = format::read(&args.path)?;
    let listing = args.listing.listing(&context);
    let too_many = |error| explain(error, &args.path);
    let (objects, attributes) = (context.objects().len(), context.attributes().len());
    if args.count_only {
        let concepts = listing.count(&context).map_err(too_many)?;
        if printer.is_json() {
            let figures =
                json!({ "objects": objects, "attributes": attributes, "concepts": concepts });
            printer.json(&figures)?;
        } else {
            printer.line(format_args!("{} concepts", count(concepts)))?;
        }
        return Ok(ExitStatus::Done);
    }
    let lattice = listing.lattice(&context).map_err(too_many)?;
    let too_many_to_judge = || {
        anyhow::anyhow!(
            "{}: {} concepts are too many for --stability, which takes up to {}",
            args.path.display(),
            count(lattice.len() as u64),
            count(measure::MOST_FOR_STABILITY as u64)
        )
    };
    let stability = args
        .stability
        .then(|| measure::stabilities(&lattice).ok_or_else(too_many_to_judge))
        .transpose()?;
    let width = measure::width(&lattice);
    let figures = Figures {
        objects,
        attributes,
        concepts: lattice.len() as u64,
        edges: lattice.edge_count(),
        height: lattice.height(),
        width: width.concepts,
        width_is_exact: width.is_exact,
    };
    if printer.is_json() {
        let mut value = serde_json::to_value(&figures)?;
        if args.concepts {
            value["list"] = json!(list(&context, &lattice, stability.as_deref()));
        }
        printer.json(&value)?;
        return Ok(ExitStatus::Done);
    }
    show(&figures, printer)?;
    if args.concepts {
        show_concepts(&context, &lattice, stability.as_deref(), printer)?;
    }
    Ok(ExitStatus::Done)
}

fn show(figures: &Figures, printer: &mut Printer) -> Result<()> {
    let least = if figures.width_is_exact { "" } else { "at least " };
    let rows = [
        ("objects", count(figures.objects as u64)),
        ("attributes", count(figures.attributes as u64)),
        ("concepts", count(figures.concepts)),
        ("edges", count(figures.edges as u64)),
        ("height", count(figures.height as u64)),
        ("width", format!("{least}{}", count(figures.width as u64))),
    ];
    let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
    rows.into_iter().for_each(|(name, value)| table.row([name.to_owned(), value]));
    printer.table(&table)?;
    Ok(())
}

fn list(context: &Context, lattice: &Lattice, stability: Option<&[f64]>) -> Vec<serde_json::Value> {
    let concepts = lattice.concepts();
    let concept = |id| {
        let intent = concepts.intent(id);
        let mut value = json!({
            "intent": names_of(context.attributes(), &intent),
            "support": concepts.support(id),
            "lower": lattice.lower_neighbours(id),
        });
        if let Some(stability) = stability {
            value["stability"] = json!(stability[id as usize]);
        }
        value
    };
    concepts.ids().map(concept).collect()
}

fn show_concepts(
    context: &Context,
    lattice: &Lattice,
    stability: Option<&[f64]>,
    printer: &mut Printer,
) -> Result<()> {
    let mut head = vec![("objects", Align::Right)];
    head.extend(stability.map(|_| ("stability", Align::Right)));
    head.push(("attributes", Align::Left));
    let mut table = Table::new(head);
    let concepts = lattice.concepts();
    for id in concepts.ids() {
        let mut row = vec![count(u64::from(concepts.support(id)))];
        row.extend(stability.map(|stability| format!("{:.3}", stability[id as usize])));
        row.push(listed(context.attributes(), &concepts.intent(id)));
        table.row(row);
    }
    printer.table(&table)?;
    Ok(())
}
