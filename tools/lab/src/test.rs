//! `ontrail lab test`: the statistics of a table of results, ours or a paper's.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_artifact::write_atomically;
use ontrail_cli::{
    Align, ExitStatus, OutputFile, Printer, Table as Shown, output_file, significance,
};
use ontrail_diagram::RankDiagram;
use ontrail_lab::{Better, PRINTED, Table, Verdict, sentence};

use crate::figures::test_table;
use crate::{report, table};

/// Test a table of results: which algorithms differ by more than chance?
///
/// Friedman with ties, Iman and Davenport, Kendall's W, permutations within blocks, Nemenyi's critical difference, Holm
/// against a control, Wilcoxon's signed ranks, Vargha and Delaney's A12.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
A table has a row for each block and a column for each algorithm; the first row and the first column are
names. Blocks are independent trials: topics, webs, seed sets. Measures of one trial are not.
Exit code: 0 if they differ by more than chance, 1 if not.

Examples:
  ontrail lab test results.csv
  ontrail lab test errors.tsv --better lower --control mine -o ranks.svg
  ontrail lab test --paper fcits-oh-tourism
  ontrail lab test --paper all")]
pub(crate) struct TestArgs {
    /// The table (.csv or .tsv)
    #[arg(value_name = "TABLE", required_unless_present = "paper")]
    table: Option<PathBuf>,
    /// A table of ranks that a paper prints, or all of them
    #[arg(long, value_name = "NAME", conflicts_with = "table")]
    paper: Option<String>,
    /// Which values are good
    #[arg(long, value_enum, default_value_t = Good::Higher)]
    better: Good,
    /// What the others are tested against [default: the one with the best mean rank]
    #[arg(long, value_name = "NAME")]
    control: Option<String>,
    /// The error that is accepted
    #[arg(long, value_name = "A", default_value_t = 0.05, value_parser = significance)]
    alpha: f64,
    /// What fixes the random permutations
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write the diagram of critical differences (.svg)
    #[arg(short, long, value_name = "FILE", value_parser = output_file(svg))]
    output: Option<OutputFile<Svg>>,
}

/// The one form of the diagram.
#[derive(Debug, Clone, Copy)]
struct Svg;

fn svg(path: &Path) -> Result<Svg, String> {
    if path.extension().is_some_and(|ending| ending == "svg") {
        return Ok(Svg);
    }
    Err(format!("{}: the diagram is SVG; give a name that ends in .svg", path.display()))
}

/// Which values are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Good {
    Higher,
    Lower,
}

pub(crate) fn run(args: &TestArgs, printer: &mut Printer) -> Result<ExitStatus> {
    if args.paper.as_deref() == Some("all") {
        if args.output.is_some() {
            bail!("-o: there is a diagram of one table at a time; name it with --paper");
        }
        return show_papers(printer);
    }
    let (name, table) = chosen(args)?;
    if let Some(control) = args.control.as_ref().filter(|control| !table.names.contains(control)) {
        bail!("--control {control}: is not in the table; there are {}", table.names.join(", "));
    }
    let verdict = table.judge(args.control.as_deref(), args.alpha, args.seed);
    if let Some(OutputFile { path, .. }) = &args.output {
        let svg = diagram(&name, &verdict);
        write_atomically(path, |out| out.write_all(svg.as_bytes()))?;
    }
    if printer.is_json() {
        printer.json(&verdict)?;
    } else {
        show(&name, &verdict, printer)?;
    }
    Ok(if verdict.rejects { ExitStatus::Done } else { ExitStatus::No })
}

fn chosen(args: &TestArgs) -> Result<(String, Table)> {
    if let Some(name) = &args.paper {
        let printed = PRINTED.iter().find(|it| it.name == *name).ok_or_else(|| {
            let names: Vec<&str> = PRINTED.iter().map(|it| it.name).collect();
            anyhow!("--paper {name}: there are {} and all", names.join(", "))
        })?;
        return Ok((printed.place.to_owned(), printed.table()));
    }
    let path = args.table.as_ref().ok_or_else(|| anyhow!("give a table, or --paper"))?;
    let better = if args.better == Good::Higher { Better::Higher } else { Better::Lower };
    Ok((path.display().to_string(), table::read(path, better)?))
}

fn diagram(name: &str, verdict: &Verdict) -> String {
    let ranks = verdict.mean_ranks.iter().map(|it| (it.name.clone(), it.rank)).collect();
    let (title, groups) = (format!("Mean ranks: {name}"), verdict.groups.clone());
    RankDiagram { title, ranks, critical_difference: verdict.critical_difference, groups }.to_svg()
}

fn show(name: &str, verdict: &Verdict, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!("{name}: {}", sentence(verdict)))?;
    printer.table(&test_table(verdict))?;
    if !verdict.rejects {
        printer.note("the whole table is no more than chance: single pairs are not to be read");
    }
    Ok(())
}

fn show_papers(printer: &mut Printer) -> Result<ExitStatus> {
    if printer.is_json() {
        let verdicts: std::collections::BTreeMap<&str, Verdict> =
            PRINTED.iter().map(|it| (it.name, it.table().judge(None, 0.05, 0))).collect();
        printer.json(&verdicts)?;
        return Ok(ExitStatus::Done);
    }
    let heads = report::PRINTED_HEADS;
    let mut table = Shown::new(heads.iter().map(|head| (*head, Align::Left)));
    report::printed_rows().into_iter().for_each(|row| table.row(row));
    printer.table(&table)?;
    printer.line(report::PRINTED_NOTE)?;
    Ok(ExitStatus::Done)
}
