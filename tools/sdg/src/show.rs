//! `ontrail sdg show`: shows a graph as a table or as a picture.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{
    Align, ExitStatus, Printer, Table, brief, count, decimal, join_names, room_for_names,
};
use ontrail_sdg::{INDICATORS, Node, Sdg};

use crate::picture::PictureArgs;

/// Show a graph as a table, or draw it
///
/// Relevance, popularity and importance are TR, TP and TI of eq. 11. A term is ambiguous if two of
/// them are low, compared with the other terms of the graph: its ambiguity, from 10 to 20, is then
/// at least 15. The ambiguity of a term that no background page has is unknown.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail sdg show amazon.sdg.json
  ontrail sdg show amazon.sdg.json --ambiguous
  ontrail sdg show amazon.sdg.json -o amazon.svg
  ontrail sdg show amazon.sdg.json --min-degree 0.2 -o amazon.html")]
pub(crate) struct Show {
    /// Graph to show
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// Number of terms to show; --json shows all
    #[arg(long, value_name = "N", default_value_t = 40, conflicts_with = "output")]
    top: usize,
    /// Show all terms
    #[arg(long, conflicts_with_all = ["top", "output"])]
    all: bool,
    /// Show only ambiguous terms
    #[arg(long, conflicts_with = "output")]
    ambiguous: bool,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Show, printer: &mut Printer) -> Result<ExitStatus> {
    let wanted = args.picture.wanted(&args.graph, printer)?;
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

/// Prints the heading and the first terms of a graph. `more` is the command that shows all terms.
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
        "  counted on {} background pages, {} of them relevant; θ is {} times the mean degree",
        count(sdg.pages),
        count(sdg.relevant_pages),
        sdg.theta
    ))?;
    let bounds = |name: &&str| {
        let bounds = sdg.bounds.get(*name)?;
        Some(format!("{name} {}, {}", brief(bounds.low), brief(bounds.high)))
    };
    let bounds: Vec<String> = INDICATORS.iter().filter_map(bounds).collect();
    if !bounds.is_empty() {
        printer.line(format_args!("  bounds (low, high): {}", bounds.join("; ")))?;
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
        ("ambiguity", Align::Left),
        ("disambiguated by", Align::Left),
    ]);
    let heads = ["weight", "term", "relevance", "popularity", "importance", "ambiguity"];
    let shown = &terms[..top.min(terms.len())];
    let rows: Vec<Vec<String>> = shown.iter().map(row).collect();
    let room = room_for_names(&heads, &rows);
    for (node, mut row) in shown.iter().zip(rows) {
        row.push(disambiguated_by(node, room));
        table.row(row);
    }
    printer.table(&table)?;
    if terms.len() > top {
        let others = count((terms.len() - top) as u64);
        printer.line(format_args!("  … and {others} more ({more})"))?;
    }
    Ok(())
}

/// Returns the cells of a term, without its disambiguation terms.
fn row(node: &Node) -> Vec<String> {
    let ambiguity = node.ambiguity.map(|it| brief(it.value));
    let ambiguity = match (node.ambiguous, ambiguity) {
        (true, Some(value)) => format!("{value} ambiguous"),
        (true, None) => "ambiguous".to_owned(),
        (false, Some(value)) => value,
        (false, None) => "unknown".to_owned(),
    };
    vec![
        decimal(node.weight),
        node.term.clone(),
        brief(node.indicators.relevance),
        brief(node.indicators.popularity),
        brief(node.indicators.importance),
        ambiguity,
    ]
}

fn disambiguated_by(node: &Node, room: usize) -> String {
    if node.ambiguous && node.disambiguated_by.is_empty() {
        return "(none: always kept)".to_owned();
    }
    join_names(&node.disambiguated_by, room)
}
