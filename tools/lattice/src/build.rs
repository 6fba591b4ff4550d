//! `ontrail lattice build`: builds the concept lattice of a context and measures it.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_fca::{Context, Lattice, format, measure};
use serde::Serialize;
use serde_json::json;

use crate::shared::{ListingArgs, explain, listed, names_of, shortened};

/// Build the concept lattice of a context, and print its figures
///
/// The figures are the numbers of objects, attributes, concepts and edges, the height (the number
/// of steps in the longest chain) and the width (the size of the largest set of concepts of which
/// none is below another). Long lists are shortened in tables; --json prints them in full.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice build rain.cxt
  ontrail lattice build mushroom.cxt.gz --count-only
  ontrail lattice build rain.cxt --min-support 5% --concepts
  ontrail lattice build rain.cxt --concepts --stability --json")]
pub(crate) struct Build {
    /// Formal context to read
    #[arg(value_name = "CONTEXT")]
    path: PathBuf,
    #[command(flatten)]
    listing: ListingArgs,
    /// Only count the concepts
    #[arg(long, conflicts_with_all = ["concepts", "stability"])]
    count_only: bool,
    /// List the concepts, those with the most objects first
    #[arg(long)]
    concepts: bool,
    /// Also list the stability of each concept: how little it depends on single objects, from 0
    /// to 1
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
    /// True if the width is exact. For very large lattices it is the size of the fullest layer,
    /// which is a lower bound.
    width_is_exact: bool,
}

pub(crate) fn run(args: &Build, printer: &mut Printer) -> Result<ExitStatus> {
    if args.stability && !args.listing.min_support.is_zero() {
        bail!("--stability needs all concepts; remove --min-support");
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
    let too_many_for_stability = || {
        anyhow::anyhow!(
            "{}: {} concepts are too many for --stability, which takes at most {}",
            args.path.display(),
            count(lattice.len() as u64),
            count(measure::MOST_FOR_STABILITY as u64)
        )
    };
    let stability = args
        .stability
        .then(|| measure::stabilities(&lattice).ok_or_else(too_many_for_stability))
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
            value["stability"] = json!(stability[id.index()]);
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
        row.extend(stability.map(|stability| format!("{:.3}", stability[id.index()])));
        row.push(shortened(&listed(context.attributes(), &concepts.intent(id))));
        table.row(row);
    }
    printer.table(&table)?;
    Ok(())
}
