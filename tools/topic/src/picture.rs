//! The HTML page that shows a calibration.

use ontrail_cli::count;
use ontrail_diagram::{Chart, Series};
use ontrail_report::{Page, Part, Table};
use ontrail_topic::{Calibration, Curve, Distribution, Goal, OperatingPoint};

use crate::calibrate::estimate;

/// Number of steps of a histogram.
const STEPS: usize = 25;

/// Returns a page with histograms, the map from R to P(relevant), and the ROC and precision–recall
/// curves.
pub(crate) fn page(topic: &str, it: &Calibration) -> Page {
    let best = it.threshold_for(Goal::F1);
    let lead = format!(
        "{}: {} on-topic and {} off-topic pages",
        it.scoring,
        count(it.on.pages),
        count(it.off.pages)
    );
    let curve = it.curve();
    let charts = vec![
        histogram(it, best).svg(),
        probability(it, best).svg(),
        roc(&curve, best).svg(),
        precision_recall(&curve, best).svg(),
    ];
    let quality = &it.quality;
    let threshold = best.map_or_else(|| "–".to_owned(), |point| format!("{:.3}", point.threshold));
    let rows = [
        ["threshold (best F1)".to_owned(), threshold],
        ["F1".to_owned(), estimate(quality.f1)],
        ["precision".to_owned(), estimate(quality.precision)],
        ["recall".to_owned(), estimate(quality.recall)],
        ["AUC".to_owned(), estimate(quality.auc)],
        ["map from R to P(relevant)".to_owned(), it.map.name().to_owned()],
        ["share of relevant pages (prior)".to_owned(), format!("{:.3}", it.prior)],
    ];
    let note = "F1, precision and recall are estimated by leaving pages out: each page is judged by \
                a threshold that was chosen without it. The intervals hold in 95 % of samples.";
    let mut parts =
        vec![Part::Table(Table::without_heads("Quality", rows)), Part::Note(note.to_owned())];
    if !it.separates() {
        parts.push(Part::paragraph(
            "The scores do not separate on-topic from off-topic pages; no threshold is of use.",
        ));
    }
    parts.push(Part::Charts(charts));
    Page::new(format!("Calibration of {topic}"), lead, parts)
}

fn histogram(it: &Calibration, best: Option<OperatingPoint>) -> Chart {
    let steps = |name: &str, scores: &Distribution| {
        let shares = scores.histogram(STEPS);
        let edge = |bin: usize| bin as f64 / STEPS as f64;
        let corners = |(bin, &share): (usize, &f64)| [(edge(bin), share), (edge(bin + 1), share)];
        let points = shares.iter().enumerate().flat_map(corners).collect();
        Series { name: name.to_owned(), points, band: None }
    };
    let (on, off) = (steps("on-topic", &it.on), steps("off-topic", &it.off));
    let most = on.points.iter().chain(&off.points).map(|point| point.1).fold(0.0, f64::max);
    let mut series = vec![on, off];
    series.extend(best.map(|point| line(point.threshold, most)));
    Chart {
        title: "Scores".to_owned(),
        x_label: "R".to_owned(),
        y_label: "share of the pages".to_owned(),
        series,
        y_range: None,
    }
}

fn probability(it: &Calibration, best: Option<OperatingPoint>) -> Chart {
    let at = |step: u32| f64::from(step) / 100.0;
    let points = (0..=100).map(|step| (at(step), it.probability(at(step)))).collect();
    let mut series = vec![Series { name: "P(relevant)".to_owned(), points, band: None }];
    series.extend(best.map(|point| line(point.threshold, 1.0)));
    Chart {
        title: "P(relevant)".to_owned(),
        x_label: "R".to_owned(),
        y_label: "P(relevant)".to_owned(),
        series,
        y_range: Some((0.0, 1.0)),
    }
}

fn roc(curve: &Curve, best: Option<OperatingPoint>) -> Chart {
    let mut points: Vec<(f64, f64)> = vec![(1.0, 1.0)];
    points.extend(curve.points.iter().map(|it| (it.false_alarms, it.recall)));
    points.push((0.0, 0.0));
    let mut series = vec![
        Series { name: "topic".to_owned(), points, band: None },
        Series { name: "chance".to_owned(), points: vec![(0.0, 0.0), (1.0, 1.0)], band: None },
    ];
    series.extend(best.map(|it| cross("threshold", it.false_alarms, it.recall)));
    Chart {
        title: "ROC curve".to_owned(),
        x_label: "share of off-topic pages called relevant".to_owned(),
        y_label: "recall".to_owned(),
        series,
        y_range: Some((0.0, 1.0)),
    }
}

fn precision_recall(curve: &Curve, best: Option<OperatingPoint>) -> Chart {
    let shown = curve.points.iter().filter(|it| it.recall > 0.0);
    let points = shown.map(|it| (it.recall, it.precision)).collect();
    let mut series = vec![Series { name: "topic".to_owned(), points, band: None }];
    series.extend(best.map(|it| cross("threshold", it.recall, it.precision)));
    Chart {
        title: "Precision–recall curve".to_owned(),
        x_label: "recall".to_owned(),
        y_label: "precision".to_owned(),
        series,
        y_range: Some((0.0, 1.0)),
    }
}

/// Returns a vertical line at the threshold.
fn line(threshold: f64, height: f64) -> Series {
    let name = format!("threshold {threshold:.3}");
    Series { name, points: vec![(threshold, 0.0), (threshold, height)], band: None }
}

/// Returns a cross that marks a point.
fn cross(name: &str, x: f64, y: f64) -> Series {
    const ARM: f64 = 0.025;
    let points = vec![
        ((x - ARM).max(0.0), y),
        ((x + ARM).min(1.0), y),
        (x, y),
        (x, (y - 2.0 * ARM).max(0.0)),
        (x, (y + 2.0 * ARM).min(1.0)),
    ];
    Series { name: name.to_owned(), points, band: None }
}
