//! The quality of the judgement by a threshold, on pages that did not choose it.

use serde::{Deserialize, Serialize};

use super::interval::{Confusion, Estimate};
use super::smooth::Smoothed;

/// The quality of the judgement by the threshold with the greatest F1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quality {
    /// The precision.
    pub precision: Estimate,
    /// The recall.
    pub recall: Estimate,
    /// The harmonic mean of precision and recall.
    pub f1: Estimate,
    /// The area under the ROC curve, which depends on no threshold.
    pub auc: Estimate,
}

impl Quality {
    /// Estimates the quality from scores in ascending order, by leave-one-out: each page is judged
    /// by a threshold that was chosen without it. A threshold that is judged by the pages it was
    /// chosen on looks better than it is. There is at least one page of each kind.
    #[must_use]
    pub fn estimate(on: &[f64], off: &[f64]) -> Self {
        let prior = on.len() as f64 / (on.len() + off.len()) as f64;
        let smoothed = Smoothed::of(on, off);
        let mut counts = Confusion::default();
        let mut judge = |score: f64, is_on: bool| {
            // Without any other on-topic page there is no threshold, and no page is relevant.
            let threshold = smoothed.threshold(prior, Some((score, is_on))).unwrap_or(1.0);
            counts.add(score > threshold, is_on);
        };
        on.iter().for_each(|&score| judge(score, true));
        off.iter().for_each(|&score| judge(score, false));
        Self {
            precision: counts.precision(),
            recall: counts.recall(),
            f1: counts.f1(),
            auc: Estimate::of_auc(on, off),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three on-topic pages at 0.9 and one at 0.1, off-topic pages at 0.2. With all pages the
    /// threshold lies between 0.2 and 0.9 and misses one page; without that page, too.
    #[test]
    fn each_page_is_judged_by_the_others() {
        let found = Quality::estimate(&[0.1, 0.9, 0.9, 0.9], &[0.2; 8]);
        assert!((found.precision.value - 1.0).abs() < 1e-12, "{found:?}");
        assert!((found.recall.value - 0.75).abs() < 1e-12, "{found:?}");
        assert!((found.auc.value - 0.75).abs() < 1e-12);
        // Two pages that each decide where the threshold lies are judged wrongly without
        // themselves: this is what an estimate on the same pages hides.
        let alone = Quality::estimate(&[0.5], &[0.1, 0.2]);
        assert!(alone.recall.value.abs() < 1e-12);
    }

    #[test]
    fn a_single_page_of_each_kind_is_possible() {
        let found = Quality::estimate(&[0.9], &[0.1]);
        assert!(found.f1.value.is_finite() && found.auc.low < 0.5);
    }
}
