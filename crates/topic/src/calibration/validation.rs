//! The quality of the judgement by a threshold, on pages that did not choose it.

use serde::{Deserialize, Serialize};

use super::curve::{Curve, Goal};
use super::interval::{Confusion, Estimate};
use super::map::parted;

/// Pages up to which each page is left out on its own.
const EACH: usize = 300;

/// Number of parts of a greater sample.
const FOLDS: usize = 10;

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
    /// Estimates the quality from scores in ascending order. Each page is judged by a threshold
    /// that was chosen without it (leave-one-out), or, if there are many, without its part of the
    /// pages. A threshold that is judged by the pages it was chosen on looks better than it is.
    pub(super) fn estimate(on: &[f64], off: &[f64]) -> Self {
        let all = on.len() + off.len();
        let mut counts = Confusion::default();
        let mut judge = |own: &[f64], is_on: bool, rest_on: &[f64], rest_off: &[f64]| {
            let prior = on.len() as f64 / all as f64;
            let best = Curve::of(rest_on, rest_off, prior).best(Goal::F1);
            let threshold = best.map_or(1.0, |point| point.threshold);
            own.iter().for_each(|&score| counts.add(score > threshold, is_on));
        };
        let folds = |n: usize| if all <= EACH { n } else { FOLDS.min(n) };
        for fold in 0..folds(on.len()) {
            let (own, rest) = parted(on, fold, folds(on.len()));
            judge(&own, true, &rest, off);
        }
        for fold in 0..folds(off.len()) {
            let (own, rest) = parted(off, fold, folds(off.len()));
            judge(&own, false, on, &rest);
        }
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

    /// On-topic pages at 0.4 and 0.9, off-topic pages at 0.1 and 0.3. All thresholds from 0.3 to
    /// 0.4 are right for all pages. Without the page at 0.4, the threshold is the middle of 0.3 and
    /// 0.9, which misses it; without the page at 0.3 it is 0.25, which lets that page pass; the
    /// other two are judged rightly.
    #[test]
    fn each_page_is_judged_by_the_others() {
        let found = Quality::estimate(&[0.4, 0.9], &[0.1, 0.3]);
        assert!((found.precision.value - 0.5).abs() < 1e-12);
        assert!((found.recall.value - 0.5).abs() < 1e-12);
        assert!((found.auc.value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_single_page_of_each_kind_is_possible() {
        let found = Quality::estimate(&[0.9], &[0.1]);
        assert!(found.f1.value.is_finite() && found.auc.low < 0.5);
    }
}
