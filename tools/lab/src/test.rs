//! `ontrail lab test`: tests a table of results, the user's or a paper's.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_artifact::{Format, Output, Provenance, write_with_sidecar};
use ontrail_cli::{
    Align, ExitStatus, ForceArgs, OutputFile, Printer, Table as Shown, output_file, significance,
};
use ontrail_diagram::RankDiagram;
use ontrail_lab::{Better, PRINTED, ResultTable, TestResults};

use crate::{figures, report, table};

const DIAGRAM: Format =
    Format { kind: "picture", version: 1, oldest: 1, rebuild: "ontrail lab test -o" };

/// Test which algorithms in a table of results differ significantly
///
/// Computes Friedman's test with ties, its correction by Iman and Davenport, Kendall's W, a
/// permutation test within blocks, Nemenyi's critical difference, tests against a control with
/// Holm's correction, Wilcoxon's signed-rank test, and Vargha and Delaney's A12.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The table has a row for each block and a column for each algorithm; the first row and the first
column are names. Blocks must be independent trials, such as topics, webs or seed sets; several
measures of one trial are not.

Exit code: 0 if there are significant differences, 1 if not, 2 on errors.

Examples:
  ontrail lab test results.csv
  ontrail lab test errors.tsv --better lower --control mine -o ranks.svg
  ontrail lab test --paper fcits-oh-tourism
  ontrail lab test --paper all")]
pub(crate) struct TestArgs {
    /// Table to test (.csv or .tsv)
    #[arg(value_name = "TABLE", required_unless_present = "paper")]
    table: Option<PathBuf>,
    /// Test a table of ranks that a paper prints, or `all` of them
    #[arg(long, value_name = "NAME", conflicts_with = "table")]
    paper: Option<String>,
    /// Direction in which values are better
    #[arg(long, value_enum, default_value_t = Direction::Higher)]
    better: Direction,
    /// Algorithm to test the others against [default: the one with the best mean rank]
    #[arg(long, value_name = "NAME")]
    control: Option<String>,
    /// Significance level
    #[arg(long, value_name = "A", default_value_t = 0.05, value_parser = significance)]
    alpha: f64,
    /// Random seed of the permutation test
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// File for the diagram of critical differences (.svg)
    #[arg(short, long, value_name = "FILE", value_parser = output_file(svg, "x.svg"))]
    output: Option<OutputFile<Svg>>,
    #[command(flatten)]
    force: ForceArgs,
}

/// The only format of the diagram.
#[derive(Debug, Clone, Copy)]
struct Svg;

fn svg(path: &Path) -> Result<Svg, String> {
    if path.extension().is_some_and(|ending| ending == "svg") {
        return Ok(Svg);
    }
    Err(format!("{}: the diagram is written as SVG; give a name that ends in .svg", path.display()))
}

/// The direction in which values are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Direction {
    /// Higher values are better
    Higher,
    /// Lower values are better
    Lower,
}

pub(crate) fn run(args: &TestArgs, printer: &mut Printer) -> Result<ExitStatus> {
    if args.paper.as_deref() == Some("all") {
        if args.output.is_some() {
            bail!("-o: a diagram shows one table; name it with --paper");
        }
        return show_papers(printer);
    }
    let to =
        args.output.as_ref().map(|it| args.force.destination(&it.path, printer)).transpose()?;
    if let Some(to) = to {
        Output::file(to, &DIAGRAM).check(&args.table)?;
    }
    let (name, table) = chosen(args)?;
    if let Some(control) = args.control.as_ref().filter(|control| !table.names.contains(control)) {
        bail!("--control {control}: not in the table, which has {}", table.names.join(", "));
    }
    let results = table.judge(args.control.as_deref(), args.alpha, args.seed);
    if let Some(to) = to {
        let svg = diagram(&name, &results);
        write_with_sidecar(to, &DIAGRAM, &provenance(args)?, |out| out.write_all(svg.as_bytes()))?;
    }
    if printer.is_json() {
        printer.json(&results)?;
    } else {
        show(&name, &results, printer)?;
    }
    Ok(if results.rejects { ExitStatus::Done } else { ExitStatus::No })
}

fn provenance(args: &TestArgs) -> Result<Provenance> {
    let provenance = Provenance::of_this_process("ontrail lab test")
        .with_parameter("paper", &args.paper)
        .with_parameter("better", format!("{:?}", args.better).to_lowercase())
        .with_parameter("control", &args.control)
        .with_parameter("alpha", args.alpha)
        .with_seed(args.seed);
    Ok(match &args.table {
        Some(table) => provenance.with_input(table)?,
        None => provenance,
    })
}

fn chosen(args: &TestArgs) -> Result<(String, ResultTable)> {
    if let Some(name) = &args.paper {
        let printed = PRINTED.iter().find(|it| it.name == *name).ok_or_else(|| {
            let names: Vec<&str> = PRINTED.iter().map(|it| it.name).collect();
            anyhow!("--paper {name}: no such table; choose {} or all", names.join(", "))
        })?;
        return Ok((printed.place.to_owned(), printed.table()));
    }
    let path =
        args.table.as_ref().ok_or_else(|| anyhow!("no table to test; give a file, or --paper"))?;
    let better = if args.better == Direction::Higher { Better::Higher } else { Better::Lower };
    Ok((path.display().to_string(), table::read(path, better)?))
}

fn diagram(name: &str, results: &TestResults) -> String {
    let ranks = results.mean_ranks.iter().map(|it| (it.name.clone(), it.rank)).collect();
    let (title, groups) = (format!("Mean ranks: {name}"), results.groups.clone());
    RankDiagram { title, ranks, critical_difference: results.critical_difference, groups }.to_svg()
}

fn show(name: &str, results: &TestResults, printer: &mut Printer) -> Result<()> {
    figures::show_test(name, results, printer)?;
    figures::show_test_legend(printer)?;
    if !results.rejects {
        printer.note(
            "the table as a whole shows no significant differences, so single pairs must not be \
             interpreted",
        );
    }
    Ok(())
}

fn show_papers(printer: &mut Printer) -> Result<ExitStatus> {
    if printer.is_json() {
        let results: std::collections::BTreeMap<&str, TestResults> =
            PRINTED.iter().map(|it| (it.name, it.table().judge(None, 0.05, 0))).collect();
        printer.json(&results)?;
        return Ok(ExitStatus::Done);
    }
    let heads = report::PRINTED_HEADS;
    let mut table = Shown::new(heads.iter().map(|head| (*head, Align::Left)));
    report::printed_rows().into_iter().for_each(|row| table.row(row));
    printer.table(&table)?;
    for line in figures::wrapped(report::PRINTED_NOTE, figures::COLUMNS) {
        printer.line(line)?;
    }
    Ok(ExitStatus::Done)
}
