//! Points out a threshold of relevance that does not suit the pages of a crawl.

use std::path::Path;

use anyhow::Result;
use ontrail_calibration::{Calibrator, Histogram, StartCurve};
use ontrail_cli::{Printer, count, decimal};
use ontrail_crawl::{RunFile, RunFolder, Summary, log_rows};
use ontrail_pilot::Cut;

/// Number of pages from which the share of relevant pages says something about the threshold.
const ENOUGH_PAGES: u64 = 100;
/// Shares of relevant pages at or below which, and at or above which, the threshold is suspicious.
const ODD_SHARES: [f64; 2] = [0.02, 0.98];

/// Points out a threshold that hardly any page passes, or that nearly all pass, and names the
/// threshold that separates the pages better by their scores in the log.
pub(crate) fn check(
    summary: &Summary,
    run: &RunFile,
    folder: &RunFolder,
    start: Option<StartCurve>,
    printer: &mut Printer,
) -> Result<()> {
    let Some(own) = summary.own.filter(|_| summary.downloaded >= ENOUGH_PAGES) else {
        return Ok(());
    };
    // A computed threshold suits the topic by construction.
    let Cut::At(threshold) = run.recipe.threshold else { return Ok(()) };
    if !is_odd(own.accuracy) {
        return Ok(());
    }
    let (relevant, pages) = (count(own.relevant), count(summary.downloaded));
    if own.accuracy > 0.5 {
        printer.note(format_args!(
            "{relevant} of {pages} pages pass the threshold {threshold}, so it hardly filters"
        ));
    } else {
        printer.note(format_args!(
            "{relevant} of {pages} pages pass the threshold {threshold}, so nearly all are filtered \
             out"
        ));
    }
    // The log has R, but not the score of a judge that uses a classifier.
    if run.recipe.judge.uses_classifier() {
        printer.note(
            "without --threshold, the crawl computes the threshold from the answers of its judge",
        );
        return Ok(());
    }
    match better(&folder.path.join("log"), start)? {
        Some(better) => printer.note(format_args!(
            "by the scores of these pages, --threshold {} would separate relevant pages from others",
            decimal(better)
        )),
        None => printer.note("the scores of these pages show no threshold that separates them"),
    }
    Ok(())
}

fn is_odd(share: f64) -> bool {
    let [few, many] = ODD_SHARES;
    share <= few || share >= many
}

/// Returns the threshold that separates the pages of a log best, if any does.
fn better(log: &Path, start: Option<StartCurve>) -> Result<Option<f64>> {
    let mut scores = Histogram::default();
    for row in log_rows(log)? {
        let row = row?;
        if let Some(relevance) = row.relevance.filter(|_| row.is_page()) {
            scores.add(relevance);
        }
    }
    let threshold = Calibrator::of(start, scores.clone()).threshold();
    let passing = scores.above(threshold) as f64 / scores.total().max(1) as f64;
    Ok(Some(threshold).filter(|_| !is_odd(passing)))
}
