//! `ontrail sdg show`: the graph as a table and as a picture.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_sdg::{Node, Sdg};

use crate::picture::PictureArgs;

/// How many disambiguation terms a line names.
const NAMED: usize = 6;

/// Show a graph as a table, or draw it
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
    #[arg(long, value_name = "N", default_value_t = 40)]
    top: usize,
    /// Show all of them
    #[arg(long, conflicts_with = "top")]
    all: bool,
    /// Show the ambiguous terms only
    #[arg(long)]
    ambiguous: bool,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Show, printer: &mut Printer) -> Result<ExitStatus> {
    let sdg = Sdg::read(&args.graph)?;
    if args.picture.is_wanted(&args.graph)? {
        return args.picture.draw(&args.graph, &sdg, printer);
    }
    if printer.is_json() {
        printer.json(&sdg)?;
        return Ok(ExitStatus::Done);
    }
    let is_shown = |node: &&Node| node.ambiguous || !args.ambiguous;
    let shown: Vec<Node> = sdg.terms.iter().filter(is_shown).cloned().collect();
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
        "  counted on {} pages, {} of them on the topic",
        count(sdg.pages),
        count(sdg.relevant_pages)
    ))?;
    Ok(())
}

fn print_terms(terms: &[Node], top: usize, more: &str, printer: &mut Printer) -> Result<()> {
    let mut table = Table::new([
        ("weight", Align::Right),
        ("term", Align::Left),
        ("TR", Align::Right),
        ("TP", Align::Right),
        ("TI", Align::Right),
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
    let mut by = node.disambiguated_by.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if node.disambiguated_by.len() > NAMED {
        by += &format!(", … ({})", count(node.disambiguated_by.len() as u64));
    }
    [
        format!("{:.4}", node.weight),
        node.term.clone(),
        format!("{:.2}", node.indicators.relevance),
        format!("{:.2}", node.indicators.popularity),
        format!("{:.2}", node.indicators.importance),
        node.ambiguity.map_or_else(String::new, |it| format!("{:.2}", it.value)),
        mark.to_owned(),
        by,
    ]
}
