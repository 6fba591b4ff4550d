//! `ontrail lattice draw`: a picture that a person can read.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use ontrail_artifact::{Provenance, write_with_sidecar};
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_diagram::{Diagram, Form, Node, Shape};
use ontrail_fca::format::{self, Format as ContextFormat};
use ontrail_fca::{AttributeOrder, Context, Lattice, Listing, ListingError};
use ontrail_taxonomy::Taxonomy;
use serde_json::json;

use crate::shared::{PICTURE, Support, file_name, listed};

/// Draw the line diagram of a context, or the hierarchy of an ontology
///
/// Attributes stand above the largest concept that has them, objects below the smallest. A lattice of
/// more than --max-nodes concepts is no picture any more: then the order of the attributes is drawn, or,
/// if there are too many of these as well, the concepts with most objects (the iceberg).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice draw rain.cxt -o rain.svg
  ontrail lattice draw rain.cxt --as iceberg --min-support 10% -o rain.html
  ontrail lattice draw rain.owl --lang en -o rain.png")]
pub(crate) struct Draw {
    /// A context or an ontology
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// The picture: .svg, .html (to pan, search and fold), .png or .dot
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What to draw of a context
    #[arg(long = "as", value_name = "WHAT", value_enum, default_value_t)]
    what: What,
    /// Leave out concepts with fewer objects: a number, or a share such as 2%
    #[arg(long, value_name = "N")]
    min_support: Option<Support>,
    /// How many nodes a picture may have
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    max_nodes: u32,
    /// The language of the first label, for an ontology
    #[arg(long, value_name = "TAG", default_value = "zh")]
    lang: String,
    /// The heading of the picture
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// How many pixels a unit has, for .png
    #[arg(long, value_name = "N", default_value_t = 2.0)]
    scale: f32,
}

/// What is drawn of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum What {
    /// The lattice if it is small enough, else the attribute order or the iceberg
    #[default]
    Auto,
    /// The whole lattice
    Lattice,
    /// The concepts with most objects
    Iceberg,
    /// The order of the attributes
    Attributes,
}

pub(crate) fn run(args: &Draw, printer: &mut Printer) -> Result<ExitStatus> {
    let form = Form::of(&args.output)?;
    if !(args.scale > 0.0 && args.scale <= 20.0) {
        bail!("--scale: {} is not above 0 and at most 20", args.scale);
    }
    ontrail_intake::check_output(&args.path, &args.output)?;
    let (diagram, drawn) = if ContextFormat::of(&args.path).is_some() {
        let context = format::read(&args.path)?;
        of_context(args, &context, printer)?
    } else {
        if args.what != What::Auto || args.min_support.is_some() {
            bail!("--as and --min-support are for contexts; {} is none", args.path.display());
        }
        let document = ontrail_ontology::read(&args.path)?;
        (of_ontology(args, &document.taxonomy()?, printer)?, "hierarchy")
    };
    if diagram.is_empty() {
        bail!("{}: nothing to draw", args.path.display());
    }
    let bytes = diagram
        .drawn(form, args.scale)
        .with_context(|| format!("{}: cannot be drawn", args.output.display()))?;
    let provenance = Provenance::of_this_process("ontrail lattice draw").with_input(&args.path)?;
    write_with_sidecar(&args.output, &PICTURE, &provenance, |out| out.write_all(&bytes))?;
    if printer.is_json() {
        printer.json(&json!({ "output": args.output, "drawn": drawn, "nodes": diagram.len() }))?;
    } else {
        printer.line(format_args!(
            "{}: {drawn}, {} nodes",
            args.output.display(),
            count(diagram.len() as u64)
        ))?;
    }
    Ok(ExitStatus::Done)
}

fn title(args: &Draw) -> String {
    args.title.clone().unwrap_or_else(|| file_name(&args.path))
}

fn of_context(
    args: &Draw,
    context: &Context,
    printer: &mut Printer,
) -> Result<(Diagram, &'static str)> {
    let most = args.max_nodes as usize;
    let support = args.min_support.map_or(0, |support| support.of(context.objects().len()));
    let refuse = |what: &str| {
        anyhow::anyhow!(
            "{}: more than {most} {what}, which is no picture any more\n  raise --max-nodes, or leave \
             out small concepts with --min-support",
            args.path.display()
        )
    };
    match args.what {
        What::Attributes => {
            let order = AttributeOrder::of(context, 1.0);
            if order.nodes.len() > most {
                return Err(refuse("attributes"));
            }
            Ok((of_order(args, context, &order), "attribute order"))
        }
        What::Lattice | What::Auto => match lattice(context, support, most) {
            Ok(lattice) => {
                let drawn = if support > 0 { "iceberg" } else { "lattice" };
                Ok((of_lattice(args, context, &lattice, drawn), drawn))
            }
            Err(_) if args.what == What::Lattice => Err(refuse("concepts")),
            Err(_) => instead(args, context, most, printer),
        },
        What::Iceberg if support > 0 => {
            let lattice = lattice(context, support, most).map_err(|_| refuse("concepts"))?;
            Ok((of_lattice(args, context, &lattice, "iceberg"), "iceberg"))
        }
        What::Iceberg => {
            let (lattice, _) = iceberg(context, most)?;
            Ok((of_lattice(args, context, &lattice, "iceberg"), "iceberg"))
        }
    }
}

fn lattice(context: &Context, support: u32, most: usize) -> Result<Lattice, ListingError> {
    Listing::new().min_support(support).limit(most as u64).lattice(context)
}

/// What is drawn of a context whose lattice is too large.
fn instead(
    args: &Draw,
    context: &Context,
    most: usize,
    printer: &mut Printer,
) -> Result<(Diagram, &'static str)> {
    let order = AttributeOrder::of(context, 1.0);
    let path = args.path.display();
    if order.nodes.len() <= most {
        printer.note(format_args!(
            "{path}: more than {most} concepts, so the order of the attributes is drawn"
        ));
        return Ok((of_order(args, context, &order), "attribute order"));
    }
    let (lattice, support) = iceberg(context, most)?;
    printer.note(format_args!(
        "{path}: more than {most} concepts, so those with at least {} objects are drawn",
        count(u64::from(support))
    ));
    Ok((of_lattice(args, context, &lattice, "iceberg"), "iceberg"))
}

/// The largest iceberg of so many concepts, and the support that it takes.
fn iceberg(context: &Context, most: usize) -> Result<(Lattice, u32)> {
    let objects = u32::try_from(context.objects().len()).unwrap_or(u32::MAX);
    let (mut too_low, mut enough) = (0, objects);
    while enough - too_low > 1 {
        let middle = too_low + (enough - too_low) / 2;
        if Listing::new().min_support(middle).limit(most as u64).count(context).is_ok() {
            enough = middle;
        } else {
            too_low = middle;
        }
    }
    Ok((lattice(context, enough, most)?, enough))
}

fn of_lattice(args: &Draw, context: &Context, lattice: &Lattice, drawn: &str) -> Diagram {
    let concepts = lattice.concepts();
    let mut above = vec![Vec::new(); lattice.len()];
    for (attribute, id) in lattice.attribute_concepts(context).into_iter().enumerate() {
        if let Some(id) = id {
            above[id as usize].push(context.attributes().get(attribute).into_owned());
        }
    }
    let mut below = vec![Vec::new(); lattice.len()];
    for (object, id) in lattice.object_concepts(context).into_iter().enumerate() {
        if let Some(id) = id {
            below[id as usize].push(context.objects().get(object).into_owned());
        }
    }
    let figures = format!("{drawn}, {} concepts", count(lattice.len() as u64));
    let mut diagram = Diagram::new(format!("{} ({figures})", title(args)), Shape::Lattice);
    for (id, (above, below)) in concepts.ids().zip(above.into_iter().zip(below)) {
        let detail = format!(
            "{} objects: {}",
            count(u64::from(concepts.support(id))),
            listed(context.attributes(), &concepts.intent(id))
        );
        diagram.add(Node::new().above(above).below(below).detail(detail));
    }
    for id in concepts.ids() {
        for &lower in lattice.lower_neighbours(id) {
            diagram.connect(id as usize, lower as usize);
        }
    }
    diagram
}

/// The attributes alone, from left to right like a tree, below a node for all objects.
fn of_order(args: &Draw, context: &Context, order: &AttributeOrder) -> Diagram {
    let objects = context.objects().len();
    let name = format!("{} (attribute order)", title(args));
    let mut diagram = Diagram::new(name, Shape::Tree);
    for (attributes, extent) in order.nodes.iter().zip(&order.extents) {
        let labels = attributes.iter().map(|&it| context.attributes().get(it).into_owned());
        let figures = format!("{} of {}", count(extent.len() as u64), count(objects as u64));
        diagram
            .add(Node::new().above(labels).below([figures.clone()]).detail(figures + " objects"));
    }
    let everywhere = order.extents.iter().position(|extent| extent.len() == objects);
    let top = everywhere.unwrap_or_else(|| {
        diagram.add(Node::new().below([format!("{} objects", count(objects as u64))]))
    });
    for (node, parents) in order.parents.iter().enumerate() {
        if parents.is_empty() && node != top {
            diagram.connect(top, node);
        }
        parents.iter().for_each(|&parent| diagram.connect(parent, node));
    }
    diagram
}

/// The hierarchy, or its upper levels if it is too large for a picture.
fn of_ontology(args: &Draw, taxonomy: &Taxonomy, printer: &mut Printer) -> Result<Diagram> {
    let most = args.max_nodes as usize;
    let within =
        |levels: usize| (0..taxonomy.len()).filter(move |&id| taxonomy.depth(id) <= levels);
    let levels = (1..=taxonomy.levels()).rev().find(|&levels| within(levels).count() <= most);
    let Some(levels) = levels.or((taxonomy.is_empty()).then_some(0)) else {
        bail!(
            "{}: more than {most} classes at the top, which is no picture any more; raise --max-nodes",
            args.path.display()
        );
    };
    if levels < taxonomy.levels() {
        printer.note(format_args!(
            "{}: more than {most} classes, so the upper {levels} of {} levels are drawn",
            args.path.display(),
            taxonomy.levels()
        ));
    }
    let drawn: Vec<usize> = within(levels).collect();
    let name = format!(
        "{} ({} concepts, {} levels)",
        title(args),
        count(taxonomy.len() as u64),
        taxonomy.levels()
    );
    let mut diagram = Diagram::new(name, Shape::Tree);
    for &id in &drawn {
        let first = taxonomy.name(id, &args.lang);
        let labels = taxonomy.concept(id).labels.iter().filter(|label| label.is_preferred);
        let others = labels.map(|label| label.text.clone()).filter(|text| text != first);
        let synonyms: Vec<&str> = taxonomy
            .concept(id)
            .labels
            .iter()
            .filter(|label| !label.is_preferred)
            .map(|label| label.text.as_str())
            .collect();
        let definitions = taxonomy.concept(id).definitions.iter().map(|it| it.text.as_str());
        let detail: Vec<String> = std::iter::once(synonyms.join(", "))
            .chain(definitions.map(str::to_owned))
            .filter(|line| !line.is_empty())
            .collect();
        diagram.add(Node::new().above([first]).below(others).detail(detail.join("\n")));
    }
    // Parents lie higher, so that whatever is drawn has its parents drawn.
    let place = |id: usize| drawn.binary_search(&id).expect("numbers of concepts are in order");
    for &id in &drawn {
        taxonomy.parents(id).iter().for_each(|&it| diagram.connect(place(it), place(id)));
    }
    Ok(diagram)
}
