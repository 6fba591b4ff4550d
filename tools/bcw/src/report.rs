//! The HTML report of an evaluation.

use ontrail_bcw::{Measured, Mistake, ThresholdPoint};
use ontrail_cli::count;
use ontrail_report::{ClassRow, Confusion, EvaluationPage, MistakeRow, Reliability, Thresholds};

use crate::eval::words;

/// Returns the report's page.
pub(crate) fn page(measured: &Measured) -> EvaluationPage {
    let evaluation = &measured.evaluation;
    let classes = measured.rows().into_iter().zip(evaluation.figures());
    let reliability = evaluation.reliability().into_iter();
    EvaluationPage {
        title: measured.what.clone(),
        settings: measured.settings.clone(),
        cards: cards(measured),
        classes: classes
            .map(|(class, figures)| ClassRow {
                name: class.to_owned(),
                precision: figures.precision,
                recall: figures.recall,
                f1: figures.f1,
                documents: figures.support,
            })
            .collect(),
        confusion: confusion(measured),
        reliability: reliability
            .map(|(claimed, right, documents)| Reliability { claimed, right, documents })
            .collect(),
        thresholds: thresholds(measured),
        mistakes: measured.mistakes.list().iter().map(mistake_row).collect(),
        wrong: evaluation.wrong(),
    }
}

fn thresholds(measured: &Measured) -> Thresholds {
    let points = measured.evaluation.thresholds();
    let pick = |value: &dyn Fn(&ThresholdPoint) -> Option<f64>| -> Vec<(f64, f64)> {
        points.iter().filter_map(|point| Some((point.threshold, value(point)?))).collect()
    };
    let has_foreign = measured.evaluation.foreign() > 0;
    Thresholds {
        coverage: pick(&|point| Some(point.coverage)),
        precision: pick(&|point| point.precision),
        accuracy: if has_foreign { pick(&|point| Some(point.accuracy)) } else { Vec::new() },
    }
}

fn mistake_row(mistake: &Mistake) -> MistakeRow {
    MistakeRow {
        document: mistake.document.clone(),
        text: mistake.text.clone(),
        class: mistake.class.clone(),
        answer: mistake.answer.clone(),
        posterior: mistake.posterior,
        words: words(mistake),
    }
}

fn cards(measured: &Measured) -> Vec<(String, String)> {
    let evaluation = &measured.evaluation;
    let mut cards = vec![
        ("accuracy", format!("{:.3}", evaluation.accuracy())),
        ("macro F1", format!("{:.3}", evaluation.macro_f1())),
        ("documents", count(evaluation.documents())),
        ("log-loss", format!("{:.3}", evaluation.log_loss())),
        ("calibration error", format!("{:.3}", evaluation.calibration_error())),
    ];
    if evaluation.others() > 0 {
        cards.push(("answered \"other\"", count(evaluation.others())));
    }
    if evaluation.without_known_words > 0 {
        cards.push(("without a known word", count(evaluation.without_known_words as u64)));
    }
    if let Some(baseline) = &measured.baseline {
        cards.push(("linfa-bayes accuracy", format!("{:.3}", baseline.accuracy())));
    }
    cards.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn confusion(measured: &Measured) -> Confusion {
    let ontrail_bcw::Confusion { classes, answers, counts } = measured.confusion();
    Confusion { classes, answers, counts }
}
