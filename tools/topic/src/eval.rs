//! `ontrail topic eval`: measures how well a topic tells on-topic pages from others.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count, share};
use ontrail_intake::Content;
use ontrail_tool_input::content;
use ontrail_topic::{Calibration, Confusion, Curve, Estimate, Goal, Topic};
use serde_json::json;

use crate::calibrate::{calibrated, estimate};
use crate::labelled::LabelledArgs;
use crate::model::ModelArgs;
use crate::ways::Ways;

/// Measure how well a topic tells pages about it from other pages
///
/// A page is called relevant if its R is greater than the threshold: the one of the topic's
/// calibration for this way of scoring, or --threshold. The intervals hold in 95 % of samples of
/// this size. Give pages that the topic was neither learned from nor calibrated with.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic eval rain.topic.json --on rain-pages/ --off other-pages/
  ontrail topic eval rain.topic.json --data news.tsv --label rainstorm --threshold 0.62
  ontrail topic eval rain.topic.json --on a/ --off b.warc.gz --weights tfidf --json")]
pub(crate) struct Eval {
    /// Topic file to measure
    #[arg(value_name = "TOPIC")]
    topic: PathBuf,
    #[command(flatten)]
    pages: LabelledArgs,
    /// Threshold of R [default: that of the topic's calibration]
    #[arg(long, value_name = "R", value_parser = share)]
    threshold: Option<f64>,
    /// Part of each page to compare with the topic: main content, whole page, or auto for the main
    /// content of articles and the whole of other pages
    #[arg(long, value_name = "PART", default_value = Content::Page.name(), value_parser = content())]
    content: Content,
    #[command(flatten)]
    model: ModelArgs,
}

pub(crate) fn run(args: &Eval, printer: &mut Printer) -> Result<ExitStatus> {
    args.model.model(false)?;
    let topic = Topic::read(&args.topic)?;
    let ways = Ways::one(&topic, &args.topic, &args.model, args.content, printer)?;
    let scoring = ways.scorings().next().expect("one way was prepared");
    let calibration = match args.threshold {
        Some(_) => topic.calibration(scoring).ok().flatten(),
        None => Some(calibrated(&topic, &args.topic, scoring)?),
    };
    let best = calibration.and_then(|it| it.threshold_for(Goal::F1));
    // Without any threshold of use, no page is relevant.
    let threshold = args.threshold.or(best.map(|it| it.threshold)).unwrap_or(1.0);
    let pages = args.pages.read(printer)?;
    let sorted = |mut scores: Vec<f64>| {
        scores.sort_by(f64::total_cmp);
        scores
    };
    let on = sorted(ways.scores(&pages.on).swap_remove(0));
    let off = sorted(ways.scores(&pages.off).swap_remove(0));
    let counts = Confusion::at(threshold, &on, &off);
    let prior = on.len() as f64 / (on.len() + off.len()) as f64;
    let (auc, here) = (Estimate::of_auc(&on, &off), Curve::of(&on, &off, prior).best(Goal::F1));
    let expected = calibration.map(|it| expected_share(it, &on, &off));
    if printer.is_json() {
        printer.json(&json!({
            "topic": topic.name, "scoring": scoring, "threshold": threshold,
            "pages": { "on": on.len(), "off": off.len() }, "confusion": counts,
            "precision": counts.precision(), "recall": counts.recall(), "f1": counts.f1(),
            "auc": auc, "best_on_these_pages": here, "share": prior, "expected_share": expected,
        }))?;
        return Ok(ExitStatus::Done);
    }
    printer.heading(format_args!("{}: {scoring}, threshold {threshold:.3}", topic.name))?;
    let mut table =
        Table::new([("", Align::Left), ("called relevant", Align::Right), ("not", Align::Right)]);
    table.row(["on-topic".to_owned(), count(counts.true_positives), count(counts.false_negatives)]);
    table.row([
        "off-topic".to_owned(),
        count(counts.false_positives),
        count(counts.true_negatives),
    ]);
    printer.table(&table)?;
    for (name, value) in [
        ("precision", counts.precision()),
        ("recall", counts.recall()),
        ("F1", counts.f1()),
        ("AUC", auc),
    ] {
        printer.line(format_args!("  {name:<10}{}", estimate(value)))?;
    }
    if let Some(expected) = expected {
        printer.line(format_args!(
            "  mean P(relevant) {expected:.3}, share of on-topic pages {prior:.3}"
        ))?;
    }
    if let Some(here) = here {
        printer.line(format_args!(
            "  the best threshold for these pages is {:.3} (F1 {:.3})",
            here.threshold, here.f1
        ))?;
    }
    Ok(ExitStatus::Done)
}

/// Returns the mean of P(relevant) over all pages.
fn expected_share(calibration: &Calibration, on: &[f64], off: &[f64]) -> f64 {
    let all = on.iter().chain(off);
    all.map(|&r| calibration.probability(r)).sum::<f64>() / (on.len() + off.len()) as f64
}
