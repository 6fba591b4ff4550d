//! `ontrail sdg show`: the graph as a table and as a picture.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, brief, count, decimal};
use ontrail_sdg::{INDICATORS, Node, Sdg};

use crate::picture::PictureArgs;

/// How many disambiguation terms a line names.
const NAMED: usize = 6;

/// Show a graph as a table, or draw it
///
/// Relevance, popularity and importance are TR, TP and TI of eq. 11. If two of them are low, compared with the
/// other terms of the graph, a term is ambiguous: its ambiguity is from 10 to 20, and 15 or more is ambiguous.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail sdg show amazon.sdg.json
  ontrail sdg show amazon.sdg.json --ambiguous
  ontrail sdg show amazon.sdg.json -o amazon.svg
  ontrail sdg show amazon.sdg.json --min-degree 0.2 -o amazon.html")]
pub(crate) struct Show {
    /// The graph
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// How many terms to show (--json has all)
    #[arg(long, value_name = "N", default_value_t = 40, conflicts_with = "output")]
    top: usize,
    /// Show all of them
    #[arg(long, conflicts_with_all = ["top", "output"])]
    all: bool,
    /// Show the ambiguous terms only
    #[arg(long, conflicts_with = "output")]
    ambiguous: bool,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Show, printer: &mut Printer) -> Result<ExitStatus> {
    let wanted = args.picture.wanted(&args.graph)?;
    let sdg = Sdg::read(&args.graph)?;
    if let Some(wanted) = wanted {
        return args.picture.draw(wanted, &args.graph, &sdg, printer);
    }
    let is_shown = |node: &&Node| node.ambiguous || !args.ambiguous;
    let shown: Vec<Node> = sdg.terms.iter().filter(is_shown).cloned().collect();
    if printer.is_json() {
        let is_end = |term: &String| shown.iter().any(|node| node.term == *term);
        let edges = sdg.edges.into_iter().filter(|edge| edge.terms.iter().all(is_end)).collect();
        printer.json(&Sdg { terms: shown, edges, ..sdg })?;
        return Ok(ExitStatus::Done);
    }
    heading(&sdg, printer)?;
    let top = if args.all { usize::MAX } else { args.top };
    print_terms(&shown, top, "--all", printer)?;
    Ok(ExitStatus::Done)
}

/// Prints a graph that was just made.
pub(crate) fn print_graph(sdg: &Sdg, top: usize, more: &str, printer: &mut Printer) -> Result<()> {
    heading(sdg, printer)?;
    print_terms(&sdg.terms, top, more, printer)
}

fn heading(sdg: &Sdg, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!(
        "{}: {} terms, {} of them ambiguous, {} edges",
        sdg.name,
        count(sdg.terms.len() as u64),
        count(sdg.ambiguous().count() as u64),
        count(sdg.edges.len() as u64)
    ))?;
    printer.line(format_args!(
        "  counted on {} pages, {} of them on the topic; θ is {} of the mean degree",
        count(sdg.pages),
        count(sdg.relevant_pages),
        sdg.theta
    ))?;
    let bounds = |name: &&str| {
        let bounds = sdg.bounds.get(*name)?;
        Some(format!("{name} {} to {}", brief(bounds.low), brief(bounds.high)))
    };
    let bounds: Vec<String> = INDICATORS.iter().filter_map(bounds).collect();
    if !bounds.is_empty() {
        printer.line(format_args!("  from low to high: {}", bounds.join(", ")))?;
    }
    Ok(())
}

fn print_terms(terms: &[Node], top: usize, more: &str, printer: &mut Printer) -> Result<()> {
    let mut table = Table::new([
        ("weight", Align::Right),
        ("term", Align::Left),
        ("relevance", Align::Right),
        ("popularity", Align::Right),
        ("importance", Align::Right),
        ("ambiguity", Align::Right),
        ("", Align::Left),
        ("its meaning is shown by", Align::Left),
    ]);
    terms.iter().take(top).for_each(|node| table.row(row(node)));
    printer.table(&table)?;
    if terms.len() > top {
        let rest = count((terms.len() - top) as u64);
        printer.line(format_args!("  … and {rest} more ({more})"))?;
    }
    Ok(())
}

fn row(node: &Node) -> [String; 8] {
    let mark = match (node.ambiguous, node.ambiguity) {
        (true, _) => "ambiguous",
        (false, None) => "not met",
        (false, Some(_)) => "",
    };
    let by = match node.disambiguated_by.as_slice() {
        [] if node.ambiguous => "(none, so it always stays)".to_owned(),
        few if few.len() <= NAMED => few.join(", "),
        many => format!("{}, … ({})", many[..NAMED].join(", "), count(many.len() as u64)),
    };
    [
        decimal(node.weight),
        node.term.clone(),
        brief(node.indicators.relevance),
        brief(node.indicators.popularity),
        brief(node.indicators.importance),
        node.ambiguity.map_or_else(String::new, |it| brief(it.value)),
        mark.to_owned(),
        by,
    ]
}
