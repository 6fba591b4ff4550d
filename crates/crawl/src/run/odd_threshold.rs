//! Recognises a threshold of relevance that does not suit the pages of a crawl.

use serde::{Deserialize, Serialize};

use super::Summary;

/// Number of pages from which the share of relevant pages says something about the threshold.
const ENOUGH_PAGES: u64 = 100;
/// Shares of relevant pages at or below which, and at or above which, the threshold is suspicious.
const ODD_SHARES: [f64; 2] = [0.02, 0.98];

/// A threshold that nearly all pages pass, or hardly any.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OddThreshold {
    /// The threshold.
    pub threshold: f64,
    /// True if nearly all pages pass it, false if hardly any does.
    pub passes_nearly_all: bool,
    /// The threshold that would separate the pages better, if their scores show one.
    pub better: Option<f64>,
}

impl OddThreshold {
    /// Returns the threshold of a crawl if it does not suit the pages so far.
    pub(super) fn of(summary: &Summary) -> Option<Self> {
        let own = summary.own.filter(|_| summary.downloaded >= ENOUGH_PAGES)?;
        let calibration = summary.calibration.filter(|_| is_odd(own.accuracy))?;
        let above = calibration.above_computed as f64 / calibration.pages.max(1) as f64;
        let is_better = calibration.is_fixed && !is_odd(above);
        Some(Self {
            threshold: calibration.threshold,
            passes_nearly_all: own.accuracy > 0.5,
            better: is_better.then_some(calibration.computed),
        })
    }
}

fn is_odd(share: f64) -> bool {
    let [few, many] = ODD_SHARES;
    share <= few || share >= many
}

#[cfg(test)]
mod tests {
    use ontrail_calibration::Basis;
    use ontrail_pilot::CalibrationView;

    use super::*;
    use crate::frontier::FrontierCounts;
    use crate::run::counts::Counts;

    fn of(relevant: u64, is_fixed: bool, above_computed: u64) -> Option<OddThreshold> {
        let mut summary = Counts::default().summary(true, None, FrontierCounts::default());
        summary.downloaded = 200;
        let own = summary.own.as_mut().unwrap();
        (own.relevant, own.accuracy) = (relevant, relevant as f64 / 200.0);
        summary.calibration = Some(CalibrationView {
            threshold: if is_fixed { 0.62 } else { 0.2 },
            basis: Basis::Mixture,
            pages: 200,
            is_fixed,
            computed: 0.2,
            above_computed,
        });
        OddThreshold::of(&summary)
    }

    #[test]
    fn a_threshold_that_hardly_filters_or_filters_nearly_all_is_odd() {
        let odd =
            |passes_nearly_all, better| OddThreshold { threshold: 0.62, passes_nearly_all, better };
        assert_eq!(of(1, true, 30), Some(odd(false, Some(0.2))));
        assert_eq!(of(199, true, 30), Some(odd(true, Some(0.2))));
        assert_eq!(of(0, true, 199), Some(odd(false, None)), "no better one");
        assert_eq!(of(60, true, 30), None);
        let computed = OddThreshold { threshold: 0.2, passes_nearly_all: false, better: None };
        assert_eq!(of(2, false, 2), Some(computed));
    }
}
