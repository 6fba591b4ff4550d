//! The figures of a comparison on the terminal.

use anyhow::Result;
use ontrail_cli::{Align, Printer, Table, count};
use ontrail_lab::{Comparison, Figures, TEST_HEADS, Verdict, columns, sentence, shown, test_rows};

/// Prints the tables.
pub(crate) fn show(
    figures: &Figures,
    comparison: &Comparison,
    printer: &mut Printer,
) -> Result<()> {
    printer.heading(format_args!(
        "by the truth, with a budget of {} pages (mean ± standard error over {})",
        count(figures.budget),
        figures.over
    ))?;
    printer.table(&side_table(comparison, "true"))?;
    printer.heading("by the crawlers' own opinion")?;
    printer.table(&side_table(comparison, "self"))?;
    if figures.blocks.len() < 2 {
        printer.note("no tests: one block says nothing of others; give more webs, or --seed-sets");
    }
    for (name, verdict) in &figures.tests {
        show_test(name, verdict, printer)?;
    }
    printer.note(format_args!(
        "{} pages in {:.1} s: {:.0} pages a second and core, reading and scoring included",
        count(figures.speed.pages),
        figures.speed.seconds,
        figures.speed.pages_per_core_second
    ));
    Ok(())
}

fn side_table(comparison: &Comparison, side: &str) -> Table {
    let columns = columns(side);
    let heads = columns.iter().map(|measure| (measure.symbol, Align::Right));
    let mut table = Table::new(std::iter::once(("recipe", Align::Left)).chain(heads));
    for (at, name) in comparison.names.iter().enumerate() {
        let cells = columns.iter().map(|measure| shown(measure, comparison.mean(at, measure)));
        table.row(std::iter::once(name.clone()).chain(cells));
    }
    table
}

fn show_test(name: &str, verdict: &Verdict, printer: &mut Printer) -> Result<()> {
    // One block shows nothing but itself.
    if verdict.blocks < 2 || !matches!(name, "true.accuracy" | "true.recall" | "true.recall_area") {
        return Ok(());
    }
    printer.heading(format_args!("{name}: {}", sentence(verdict)))?;
    printer.table(&test_table(verdict))?;
    Ok(())
}

/// The same as a table for the terminal.
pub(crate) fn test_table(verdict: &Verdict) -> Table {
    let align = |(at, head): (usize, &&'static str)| {
        (*head, if at == 0 { Align::Left } else { Align::Right })
    };
    let mut table = Table::new(TEST_HEADS.iter().enumerate().map(align));
    test_rows(verdict).into_iter().for_each(|row| table.row(row));
    table
}
