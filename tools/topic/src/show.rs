//! `ontrail topic show`: shows the terms of a topic by weight.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{
    Align, ExitStatus, Printer, Table, bar, count, decimal, join_names, room_for_names,
};
use ontrail_topic::{Origin, Term, Topic};

use crate::calibrate::print_calibrations;

/// Width of the longest bar, in columns.
const BAR: u16 = 30;

/// Show the terms of a topic, with their weights as bars
///
/// Names of one class of an ontology that have the same weight share a line. If the topic is
/// calibrated, the thresholds follow, with their quality.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic show rain.topic.json
  ontrail topic show rain.topic.json --all --json")]
pub(crate) struct Show {
    /// Topic file to show
    #[arg(value_name = "TOPIC")]
    topic: PathBuf,
    /// Number of lines to show (--json writes all terms)
    #[arg(long, value_name = "N", default_value_t = 40)]
    top: usize,
    /// Show all lines
    #[arg(long, conflicts_with = "top")]
    all: bool,
}

pub(crate) fn run(args: &Show, printer: &mut Printer) -> Result<ExitStatus> {
    let topic = Topic::read(&args.topic)?;
    if printer.is_json() {
        printer.json(&topic)?;
    } else {
        let more = "see --all";
        print_topic(&topic, if args.all { usize::MAX } else { args.top }, more, printer)?;
        print_calibrations(&topic.calibrations, printer)?;
    }
    Ok(ExitStatus::Done)
}

/// Advice on how to see all terms of a topic that was just made.
pub(crate) const SEE_MORE: &str = "see ontrail topic show --all";

/// Prints the terms with the greatest weights.
pub(crate) fn print_topic(
    topic: &Topic,
    top: usize,
    more: &str,
    printer: &mut Printer,
) -> Result<()> {
    let origin = match topic.origin {
        Origin::Ontology => "from an ontology",
        Origin::Texts => "learned from texts",
        Origin::Keywords => "keywords",
    };
    let terms = match topic.terms.len() {
        1 => "1 term".to_owned(),
        terms => format!("{} terms", count(terms as u64)),
    };
    printer.heading(format_args!("{}: {terms}, {origin}", topic.name))?;
    if let Some(background) = &topic.background {
        printer.line(format_args!(
            "  document frequencies from {} texts with {} words",
            count(background.documents),
            count(background.words)
        ))?;
    }
    let rows = rows(topic);
    let most = rows.first().map_or(0.0, |row| row.weight);
    let mut table =
        Table::new([("weight", Align::Right), ("", Align::Left), ("terms", Align::Left)]);
    let start = |row: &Row<'_>| {
        let share = if most > 0.0 { row.weight / most } else { 0.0 };
        vec![decimal(row.weight), padded(&bar(share, BAR))]
    };
    let starts: Vec<Vec<String>> = rows.iter().take(top).map(start).collect();
    // Someone who asks for all terms wants all their names, too.
    let is_cut = top < usize::MAX;
    let room = if is_cut { room_for_names(&["weight", ""], &starts) } else { usize::MAX };
    for (mut cells, row) in starts.into_iter().zip(&rows) {
        cells.push(join_names(&row.names, room));
        table.row(cells);
    }
    printer.table(&table)?;
    if rows.len() > top {
        printer.line(format_args!("  … and {} more ({more})", count((rows.len() - top) as u64)))?;
    }
    Ok(())
}

/// A line of the table: the names of one concept that have the same weight, or a single term.
struct Row<'a> {
    weight: f64,
    names: Vec<&'a str>,
}

fn rows(topic: &Topic) -> Vec<Row<'_>> {
    let mut sorted: Vec<&Term> = topic.terms.iter().collect();
    sorted.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut places: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    for term in sorted {
        let next = rows.len();
        let of_concept = term.concept.as_deref().map(|concept| (concept, term.weight.to_bits()));
        let place = of_concept.map_or(next, |concept| *places.entry(concept).or_insert(next));
        if place == next {
            rows.push(Row { weight: term.weight, names: Vec::new() });
        }
        rows[place].names.push(&term.term);
    }
    rows
}

/// Pads a bar with blanks to the width of the longest.
fn padded(bar: &str) -> String {
    format!("{bar}{}", " ".repeat(usize::from(BAR).saturating_sub(bar.chars().count())))
}
