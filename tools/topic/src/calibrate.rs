//! `ontrail topic calibrate`: finds out how to read the scores of a topic.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Output, Provenance, write_with_sidecar};
use ontrail_cli::{Align, ExitStatus, ForceArgs, Printer, Table, bar, count, share, significance};
use ontrail_intake::Content;
use ontrail_tool_input::content;
use ontrail_topic::{Calibration, Distribution, Estimate, FORMAT, Goal, Scoring, Topic};
use serde_json::{Value, json};

use crate::labelled::{Labelled, LabelledArgs};
use crate::model::ModelArgs;
use crate::picture;
use crate::ways::Ways;

/// The artifact format of the HTML page.
const REPORT: Format = Format {
    kind: "calibration-report",
    version: 1,
    oldest: 1,
    rebuild: "ontrail topic calibrate",
};
/// Number of bars of a histogram.
const BARS: usize = 20;

/// Find out how to read the scores of a topic, from pages that are about it and others that are not
///
/// R is a similarity: whether 0.3 is much depends on the topic and on the way of scoring. The
/// command scores the pages and stores in the topic file the distribution of their scores, the map
/// from R to P(relevant), and an estimate of precision, recall and F1 with the threshold that is
/// best for F1. Give pages that the topic was not learned from, because these score too high.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Without options for the way of scoring, the topic is calibrated for those of all recipes that need
no taxonomy: the cosine with label weights, tag weights and TF-IDF, for each part of a page. With
such options, it is calibrated for that way only; the calibrations for other ways are kept.

Examples:
  ontrail topic calibrate rain.topic.json --on rain-pages/ --off other-pages/
  ontrail topic calibrate rain.topic.json --data datasets/news-mini --label rainstorm
  ontrail topic calibrate rain.topic.json --on rain-pages/ --off other.warc.gz --report rain.html
  ontrail topic calibrate rain.topic.json --on a/ --off b/ --model ssrm --ontology rain.owl")]
pub(crate) struct Calibrate {
    /// Topic file to calibrate
    #[arg(value_name = "TOPIC")]
    topic: PathBuf,
    #[command(flatten)]
    pages: LabelledArgs,
    /// File to write [default: TOPIC]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// HTML page to write, with histograms, the ROC curve and the precision–recall curve
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Share of relevant pages where the topic will be used [default: their share among the given
    /// pages]
    #[arg(long, value_name = "P", value_parser = significance)]
    prior: Option<f64>,
    /// Also show the threshold that reaches this precision
    #[arg(long, value_name = "P", value_parser = share)]
    precision: Option<f64>,
    /// Also show the threshold that reaches this recall
    #[arg(long, value_name = "R", value_parser = share)]
    recall: Option<f64>,
    /// Part of each page to compare with the topic: main content, whole page, or auto for the main
    /// content of articles and the whole of other pages
    #[arg(long, value_name = "PART", default_value = Content::Page.name(), value_parser = content())]
    content: Content,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    force: ForceArgs,
}

pub(crate) fn run(args: &Calibrate, printer: &mut Printer) -> Result<ExitStatus> {
    args.model.model(false)?;
    let output = args.output.as_ref().unwrap_or(&args.topic);
    let same = args.output.is_none();
    let to = args.force.destination(output, printer)?;
    let inputs = || args.pages.paths().chain((!same).then_some(args.topic.as_path()));
    Output::json(to, &FORMAT).check(inputs())?;
    let report = args.report.as_ref().map(|path| args.force.destination(path, printer));
    let report = report.transpose()?;
    if let Some(report) = report {
        Output::file(report, &REPORT).check(inputs().chain([args.topic.as_path()]))?;
    }
    let (provenance, mut topic) = Topic::read_to_calibrate(&args.topic)?;
    warn_of_learned(&provenance, args, printer)?;
    let ways = if args.model.is_default() {
        Ways::usual(&topic, &args.topic)?
    } else {
        Ways::one(&topic, &args.topic, &args.model, args.content, printer)?
    };
    let pages = args.pages.read(printer)?;
    let made = calibrations(&topic, &ways, &pages, args.prior)?;
    for calibration in &made {
        topic.add_calibration(calibration.clone())?;
    }
    let provenance = args.pages.record(provenance)?;
    topic.write(to, &provenance)?;
    let main = chosen(&made, args.content);
    if let Some(report) = report {
        let html = picture::page(&topic.name, main).html();
        write_with_sidecar(report, &REPORT, &provenance, |out| out.write_all(html.as_bytes()))?;
    }
    warn(&made, printer);
    if printer.is_json() {
        let rows: Vec<Value> = made.iter().map(|it| row_of(it, args)).collect();
        printer.json(&json!({ "output": output, "topic": topic.name, "calibrations": rows }))?;
        return Ok(ExitStatus::Done);
    }
    show(main, printer)?;
    print_calibrations(&made, printer)?;
    for (name, goal) in goals(args) {
        match main.threshold_for(goal) {
            Some(point) => printer.line(format_args!(
                "{name}: threshold {:.3} (precision {:.3}, recall {:.3})",
                point.threshold, point.precision, point.recall
            ))?,
            None => printer.line(format_args!("{name}: no threshold reaches it"))?,
        }
    }
    printer.line(format_args!("\nwritten to {}", output.display()))?;
    Ok(ExitStatus::Done)
}

/// Calibrates a topic for several ways of scoring from pages that it was not learned from.
pub(crate) fn calibrations(
    topic: &Topic,
    ways: &Ways,
    pages: &Labelled,
    prior: Option<f64>,
) -> Result<Vec<Calibration>> {
    let (on, off) = (ways.scores(&pages.on), ways.scores(&pages.off));
    let mut made = Vec::new();
    for (scoring, (on, off)) in ways.scorings().zip(on.iter().zip(&off)) {
        let calibration = Calibration::fit(topic, scoring.clone(), on, off)?;
        made.push(match prior {
            Some(prior) => calibration.with_prior(prior),
            None => calibration,
        });
    }
    Ok(made)
}

/// Warns about pages that the topic was learned from.
fn warn_of_learned(provenance: &Provenance, args: &Calibrate, printer: &mut Printer) -> Result<()> {
    if provenance.tool != "ontrail topic learn" {
        return Ok(());
    }
    for path in args.pages.paths_on() {
        let own = Provenance::default().with_input(path)?;
        let is_same = |given: &&ontrail_artifact::Input| {
            own.inputs.iter().any(|own| own.sha256 == given.sha256)
        };
        if provenance.inputs.iter().take(1).any(|given| is_same(&given)) {
            printer.warn(format_args!(
                "{}: the topic was learned from these pages, so their scores are too high; give \
                 other pages, or let ontrail topic learn calibrate the topic (--background)",
                path.display()
            ));
        }
    }
    Ok(())
}

/// Returns the calibration to show: label weights on the chosen part of pages, or the only one.
fn chosen(made: &[Calibration], content: Content) -> &Calibration {
    let of_content = made.iter().find(|it| it.scoring.content == content);
    of_content.unwrap_or(&made[0])
}

/// Warns about small samples, and about scores that do not separate.
pub(crate) fn warn(made: &[Calibration], printer: &mut Printer) {
    let Some(first) = made.first() else { return };
    if first.is_from_few_pages() {
        let f1 = first.quality.f1;
        printer.warn(format_args!(
            "the calibration comes from {} on-topic and {} off-topic pages only: F1 lies between \
             {:.2} and {:.2} (95 %); give more pages",
            first.on.pages, first.off.pages, f1.low, f1.high
        ));
    }
    for it in made.iter().filter(|it| !it.separates()) {
        let auc = it.quality.auc;
        printer.warn(format_args!(
            "{}: the scores do not separate on-topic from off-topic pages (AUC {:.2}, between \
             {:.2} and {:.2}), so no threshold is of use",
            it.scoring, auc.value, auc.low, auc.high
        ));
    }
}

fn goals(args: &Calibrate) -> Vec<(String, Goal)> {
    let precision = args.precision.map(|it| (format!("precision {it}"), Goal::Precision(it)));
    let recall = args.recall.map(|it| (format!("recall {it}"), Goal::Recall(it)));
    precision.into_iter().chain(recall).collect()
}

fn row_of(it: &Calibration, args: &Calibrate) -> Value {
    let points: Vec<Value> = goals(args)
        .into_iter()
        .map(|(goal, wanted)| json!({ "goal": goal, "point": it.threshold_for(wanted) }))
        .collect();
    json!({
        "scoring": it.scoring, "map": it.map, "prior": it.prior, "quality": it.quality,
        "threshold": it.threshold_for(Goal::F1), "separates": it.separates(), "goals": points,
        "on": summary(&it.on), "off": summary(&it.off),
    })
}

fn summary(it: &Distribution) -> Value {
    json!({ "pages": it.pages, "mean": it.mean, "sd": it.sd })
}

/// Prints the thresholds and their quality.
pub(crate) fn print_calibrations(made: &[Calibration], printer: &mut Printer) -> Result<()> {
    if made.is_empty() {
        return Ok(());
    }
    let mut table = Table::new([
        ("way of scoring", Align::Left),
        ("threshold", Align::Right),
        ("F1", Align::Right),
        ("precision", Align::Right),
        ("recall", Align::Right),
        ("AUC", Align::Right),
        ("map", Align::Left),
    ]);
    for it in made {
        let threshold = it.threshold_for(Goal::F1);
        table.row([
            it.scoring.to_string(),
            threshold.map_or_else(|| "–".to_owned(), |point| format!("{:.3}", point.threshold)),
            estimate(it.quality.f1),
            estimate(it.quality.precision),
            estimate(it.quality.recall),
            estimate(it.quality.auc),
            it.map.name().to_owned(),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}

/// Writes a value with its interval.
pub(crate) fn estimate(it: Estimate) -> String {
    format!("{:.2} ({:.2}–{:.2})", it.value, it.low, it.high)
}

/// Shows the histograms of one calibration.
fn show(it: &Calibration, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!(
        "{}: {} on-topic and {} off-topic pages",
        it.scoring,
        count(it.on.pages),
        count(it.off.pages)
    ))?;
    let (on, off) = (it.on.histogram(BARS), it.off.histogram(BARS));
    let most = on.iter().chain(&off).copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut table = Table::new([
        ("R", Align::Left),
        ("on-topic", Align::Left),
        ("off-topic", Align::Left),
        ("P(relevant)", Align::Right),
    ]);
    let last = on.iter().zip(&off).rposition(|(on, off)| on + off > 0.0).unwrap_or(0);
    for bin in 0..=last {
        let from = bin as f64 / BARS as f64;
        table.row([
            format!("{from:.2}"),
            bar(on[bin] / most, 20),
            bar(off[bin] / most, 20),
            format!("{:.3}", it.probability(from + 0.5 / BARS as f64)),
        ]);
    }
    printer.table(&table)?;
    Ok(())
}

/// Returns the threshold of a topic for a way of scoring.
pub(crate) fn calibrated<'a>(
    topic: &'a Topic,
    path: &Path,
    scoring: &Scoring,
) -> Result<&'a Calibration> {
    match topic.calibration(scoring) {
        Ok(Some(calibration)) => Ok(calibration),
        Ok(None) => bail!(
            "{}: the topic has no calibration; add one with ontrail topic calibrate, or give \
             --threshold",
            path.display()
        ),
        Err(error) => bail!("{}: {error}", path.display()),
    }
}
