//! The results of a comparison on the terminal: the most telling measures, rounded for people.

use anyhow::Result;
use ontrail_cli::{Align, Printer, Table, count, width};
use ontrail_lab::{
    Comparison, Figures, Mean, Measure, ORACLE, TEST_HEADS, TestResults, sentence, test_rows,
};

use crate::areas::{self, Areas};

/// Greatest number of columns of a line on the terminal.
pub(crate) const COLUMNS: usize = 100;

/// Measures by the ground truth on the terminal, with the heads of their columns.
const TRUE_COLUMNS: [(&str, &str); 6] = [
    ("relevant", "RP"),
    ("accuracy", "AC"),
    ("recall", "RC"),
    ("recall_without_seeds", "TR"),
    ("harvest_area", "area AC"),
    ("recall_area", "area TR"),
];

/// Self-reported measures on the terminal, with the heads of their columns.
const SELF_COLUMNS: [(&str, &str); 6] = [
    ("relevant", "LP"),
    ("accuracy", "AC"),
    ("average_relevance", "AR"),
    ("precision", "P"),
    ("judged_recall", "R"),
    ("f1", "F1"),
];

/// The symbols in the tables of measures.
const LEGEND: [&str; 7] = [
    "RP, LP  relevant pages: by the ground truth, and as the crawler itself sees it",
    "AC      harvest rate: relevant pages divided by pages fetched",
    "RC, TR  recall: share of all relevant pages that were fetched; TR leaves the seeds out",
    "area    mean of AC or TR over the whole budget; pages not fetched count as irrelevant",
    "AR      mean relevance of the pages fetched",
    "P, R    precision and recall of the crawler's own judgement of the pages that it fetched",
    "F1      harmonic mean of P and R",
];

/// The symbols in the tables of tests.
const TEST_LEGEND: [&str; 4] = [
    "mean rank  rank, averaged over blocks; 1 is the best",
    "z, p       comparison with the control; p is corrected for multiple comparisons (Holm)",
    "Nemenyi    differs if the mean ranks lie at least the critical difference apart",
    "A12        probability that the control is better, if blocks are drawn at random",
];

/// Prints the tables of a comparison.
pub(crate) fn show(
    figures: &Figures,
    comparison: &Comparison,
    printer: &mut Printer,
) -> Result<()> {
    printer.line(format_args!(
        "budget {} pages; mean ± standard error over {}",
        count(figures.budget),
        figures.over
    ))?;
    printer.heading("by the ground truth")?;
    printer.table(&measure_table(comparison, "true", &TRUE_COLUMNS))?;
    printer.line("")?;
    show_areas(comparison, printer)?;
    printer.heading("self-reported")?;
    printer.table(&measure_table(comparison, "self", &SELF_COLUMNS))?;
    printer.line("")?;
    show_legend(&LEGEND, printer)?;
    show_legend(&areas::LEGEND, printer)?;
    if figures.blocks.len() < 2 {
        printer.note("no tests, because there is only one block; give more webs, or --seed-sets");
    }
    let tested = ["true.accuracy", "true.recall", "true.recall_area"];
    let tests = tested.iter().filter_map(|name| Some((*name, figures.tests.get(*name)?)));
    // A test needs blocks to compare.
    let tests: Vec<(&str, &TestResults)> = tests.filter(|(_, test)| test.blocks > 1).collect();
    for (name, results) in &tests {
        printer.line("")?;
        show_test(&measure_title(name), results, printer)?;
    }
    if !tests.is_empty() {
        show_test_legend(printer)?;
    }
    printer.note(format_args!(
        "{} pages in {:.1} s: {:.0} pages per second and core, including parsing and scoring",
        count(figures.speed.pages),
        figures.speed.seconds,
        figures.speed.pages_per_core_second
    ));
    Ok(())
}

/// Prints the areas of recall, and how each recipe compares with the reference and the oracle.
fn show_areas(comparison: &Comparison, printer: &mut Printer) -> Result<()> {
    let rounded = |means: Vec<Option<Mean>>| {
        let digits = decimals(&means);
        means.into_iter().map(|mean| rounded(mean, digits)).collect()
    };
    let Areas { title, heads, rows } = Areas::of(comparison, rounded);
    printer.heading(&title)?;
    let last = heads.len() - 1;
    let align = |at: usize| if at == 0 || at == last { Align::Left } else { Align::Right };
    let heads = heads.iter().enumerate().map(|(at, head)| (head.as_str(), align(at)));
    let mut table = Table::new(heads);
    rows.into_iter().for_each(|row| table.row(row));
    printer.table(&table)?;
    Ok(printer.line("")?)
}

/// Prints the result of a test: a sentence and a table.
pub(crate) fn show_test(title: &str, results: &TestResults, printer: &mut Printer) -> Result<()> {
    printer.heading(title)?;
    for line in wrapped(&sentence(results), COLUMNS - 2) {
        printer.line(format_args!("  {line}"))?;
    }
    printer.table(&test_table(results))?;
    Ok(())
}

/// Prints the legend of the tables of tests.
pub(crate) fn show_test_legend(printer: &mut Printer) -> Result<()> {
    printer.line("")?;
    show_legend(&TEST_LEGEND, printer)
}

fn show_legend(legend: &[&str], printer: &mut Printer) -> Result<()> {
    for line in legend {
        printer.line(format_args!("  {line}"))?;
    }
    Ok(())
}

/// Returns a measure such as `true.accuracy` in words.
pub(crate) fn measure_title(name: &str) -> String {
    let (side, name) = name.split_once('.').unwrap_or(("", name));
    let words = match name {
        "relevant" if side == "self" => "relevant pages (LP)",
        "relevant" => "relevant pages (RP)",
        "accuracy" => "harvest rate (AC)",
        "average_relevance" => "mean relevance (AR)",
        "sd" => "standard deviation of relevance (SD)",
        "average_similarity" => "mean relevance of relevant pages (AS)",
        "average_error" => "prediction error (AE)",
        "precision" => "precision of the judgement (P)",
        "judged_recall" => "recall of the judgement (R)",
        "f1" => "F1 of the judgement",
        "recall" => "recall (RC)",
        "recall_without_seeds" => "recall without seeds (TR)",
        "harvest_area" => "area of the harvest rate",
        "recall_area_quarter" => "area of recall over a quarter of the budget",
        "recall_area_half" => "area of recall over half of the budget",
        "recall_area" => "area of recall",
        other => other,
    };
    if side == "self" { format!("self-reported {words}") } else { words.to_owned() }
}

fn measure_table(comparison: &Comparison, side: &str, columns: &[(&str, &str)]) -> Table {
    let heads = columns.iter().map(|(_, head)| (*head, Align::Right));
    let mut table = Table::new(std::iter::once(("recipe", Align::Left)).chain(heads));
    // The oracle judges no pages.
    let has_oracle = side == "true" && !comparison.oracle.is_empty();
    let column = |measure: Option<&'static Measure>| -> Vec<String> {
        let mean = |at| measure.and_then(|measure| comparison.mean(at, measure));
        let mut means: Vec<Option<Mean>> = (0..comparison.names.len()).map(mean).collect();
        if has_oracle {
            means.push(measure.and_then(|measure| comparison.oracle_mean(measure)));
        }
        let is_count = measure.is_some_and(|measure| measure.name == "relevant");
        let digits = if is_count { 0 } else { decimals(&means) };
        means.into_iter().map(|mean| rounded(mean, digits)).collect()
    };
    let cells: Vec<Vec<String>> =
        columns.iter().map(|(name, _)| column(Measure::named(side, name))).collect();
    let oracle = has_oracle.then_some(ORACLE);
    let names = comparison.names.iter().map(String::as_str).chain(oracle);
    for (at, name) in names.enumerate() {
        table.row(std::iter::once(name.to_owned()).chain(cells.iter().map(|it| it[at].clone())));
    }
    table
}

/// Returns the number of decimals for a column of means from 0 to 1: two, or three if two would
/// hide most of all of them.
pub(crate) fn decimals(means: &[Option<Mean>]) -> usize {
    let greatest = means.iter().flatten().map(|it| it.mean.abs()).fold(0.0, f64::max);
    if greatest > 0.0 && greatest < 0.1 { 3 } else { 2 }
}

/// Formats a mean and its standard error. The error is rounded up, so that it is never understated.
pub(crate) fn rounded(mean: Option<Mean>, digits: usize) -> String {
    let Some(Mean { mean, se }) = mean else { return "–".to_owned() };
    // The error of a single run is unknown.
    if se == 0.0 {
        return format!("{mean:.digits$}");
    }
    let scale = [1.0, 10.0, 100.0, 1_000.0][digits.min(3)];
    let error = (se * scale).ceil() / scale;
    format!("{mean:.digits$} ± {error:.digits$}")
}

fn test_table(results: &TestResults) -> Table {
    let align = |(at, head): (usize, &&'static str)| {
        (*head, if at == 0 { Align::Left } else { Align::Right })
    };
    let mut table = Table::new(TEST_HEADS.iter().enumerate().map(align));
    test_rows(results).into_iter().for_each(|row| table.row(row));
    table
}

/// Breaks a text between words into lines of at most the given number of columns.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded_and_errors_rounded_up() {
        let some = |mean, se| Some(Mean { mean, se });
        assert_eq!(rounded(some(0.5421, 0.0049), 2), "0.54 ± 0.01");
        assert_eq!(rounded(some(0.0342, 0.0021), 3), "0.034 ± 0.003");
        assert_eq!(rounded(some(0.5421, 0.0), 2), "0.54");
        assert_eq!(rounded(some(101.4, 2.2), 0), "101 ± 3");
        assert_eq!(rounded(None, 2), "–");
        assert_eq!(decimals(&[some(0.03, 0.0), some(0.5, 0.0), None]), 2);
        assert_eq!(decimals(&[some(0.03, 0.0), some(0.0, 0.0)]), 3);
        assert_eq!(decimals(&[some(0.0, 0.0)]), 2);
    }

    #[test]
    fn texts_are_wrapped_between_words() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("immeasurable", 4), ["immeasurable"]);
    }

    #[test]
    fn legends_fit_the_terminal() {
        let lines = LEGEND.iter().chain(&areas::LEGEND).chain(&TEST_LEGEND);
        assert!(lines.into_iter().all(|line| width(line) + 2 <= COLUMNS));
    }
}
