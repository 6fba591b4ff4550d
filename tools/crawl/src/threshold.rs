//! The threshold of relevance in words, with the source of its number.

use ontrail_calibration::Basis;
use ontrail_cli::decimal;
use ontrail_pilot::CalibrationView;

/// Returns the threshold of a crawl in words.
pub(crate) fn message(calibration: &CalibrationView) -> String {
    let threshold = decimal(calibration.threshold);
    match calibration.basis {
        _ if calibration.is_fixed => format!("threshold of relevance {threshold}, as given"),
        Basis::Examples => format!(
            "threshold of relevance {threshold}, from example pages and the scores of this crawl"
        ),
        Basis::Mixture => format!(
            "threshold of relevance {threshold}, from two kinds of pages that the scores show"
        ),
        Basis::Average => format!(
            "threshold of relevance {threshold}, that of an average topic: the scores show only one \
             kind of pages"
        ),
        Basis::Guess => format!(
            "threshold of relevance {threshold}, a guess: the scores show only one kind of pages"
        ),
    }
}
