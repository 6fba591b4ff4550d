//! The reading of scores: what a relevance R says about the probability that a page is relevant.
//!
//! R is a similarity. Whether 0.3 is much or little depends on the topic and on the way of scoring.
//! A [`Calibration`] is made from the scores of pages that are known to be on-topic or off-topic.
//! It maps R to P(relevant), and it knows the thresholds that reach a [`Goal`].

mod curve;
mod distribution;
mod folds;
mod general;
mod interval;
mod isotonic;
mod map;
mod platt;
mod scoring;
mod smooth;
mod validation;

use ontrail_artifact::Checksum;
use serde::{Deserialize, Serialize};

pub use curve::{Curve, Goal, OperatingPoint};
pub use distribution::Distribution;
pub use folds::Folds;
pub use interval::{Confusion, Estimate};
pub use map::ProbabilityMap;
pub use scoring::{Meanings, Scoring};
pub use validation::Quality;

use crate::topic::Topic;

/// Pages of each kind below which a calibration should not be trusted without a look at its
/// intervals.
const FEW: u64 = 10;

/// The reading of the scores that one topic gives by one way of scoring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The checksum of the topic ([`Topic::checksum`]). Another topic has other scores.
    pub topic: Checksum,
    /// The way of scoring.
    pub scoring: Scoring,
    /// The share of relevant pages for which P(relevant) is read.
    pub prior: f64,
    /// The map from R to P(relevant), for the share of relevant pages among the sample.
    pub map: ProbabilityMap,
    /// The quality of the judgement by the threshold with the greatest F1, estimated on pages that
    /// the threshold was not chosen by.
    pub quality: Quality,
    /// The scores of the on-topic pages.
    pub on: Distribution,
    /// The scores of the off-topic pages.
    pub off: Distribution,
}

/// Error for pages from which no calibration can be made, or for a calibration that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// There are no on-topic pages.
    #[error("a calibration needs pages about the topic, and there are none")]
    NoOnTopic,
    /// There are no off-topic pages.
    #[error("a calibration needs pages that are not about the topic, and there are none")]
    NoOffTopic,
    /// The calibration was made for another topic.
    #[error(
        "the calibration for {scoring} was made for other terms or another background; make it again with \
         ontrail topic calibrate, or remove it from the file"
    )]
    OtherTopic {
        /// The way of scoring.
        scoring: String,
    },
    /// The topic has no calibration for a way of scoring.
    #[error(
        "the topic has no calibration for {wanted}, only for {known}; add it with ontrail topic \
         calibrate"
    )]
    OtherScoring {
        /// The way of scoring that is used.
        wanted: String,
        /// The ways of scoring that the topic has calibrations for.
        known: String,
    },
    /// Two calibrations are for the same way of scoring.
    #[error("the topic has two calibrations for {0}; remove one of them")]
    Twice(String),
    /// A number of the calibration is impossible.
    #[error(
        "the calibration for {scoring} is damaged: {reason}; make it again with ontrail topic calibrate"
    )]
    Damaged {
        /// The way of scoring.
        scoring: String,
        /// The fault.
        reason: &'static str,
    },
}

impl Calibration {
    /// Calibrates a topic from scores of on-topic and off-topic pages. The topic must not have been
    /// learned from the same pages: their scores would be too high. (Learn it without some of the
    /// pages, score these, and so on for the others.)
    ///
    /// Scores that are not numbers from 0 to 1 are moved into this range.
    pub fn fit(
        topic: &Topic,
        scoring: Scoring,
        on: &[f64],
        off: &[f64],
    ) -> Result<Self, CalibrationError> {
        if on.is_empty() {
            return Err(CalibrationError::NoOnTopic);
        }
        if off.is_empty() {
            return Err(CalibrationError::NoOffTopic);
        }
        let (on, off) = (distribution::sorted(on), distribution::sorted(off));
        Ok(Self {
            topic: topic.checksum(),
            scoring,
            prior: on.len() as f64 / (on.len() + off.len()) as f64,
            map: ProbabilityMap::fit(&on, &off),
            quality: Quality::estimate(&on, &off),
            on: Distribution::of(&on),
            off: Distribution::of(&off),
        })
    }

    /// Returns P(relevant) of a page with the relevance `r`. It never falls as `r` rises.
    ///
    /// If the share of relevant pages differs from that of the sample, the odds change by the ratio
    /// of the prior odds (Bayes' rule).
    #[must_use]
    pub fn probability(&self, r: f64) -> f64 {
        let p = self.map.probability(r);
        logistic(logit(p) + logit(self.prior) - logit(self.sample_share()))
    }

    /// Returns the same calibration for another share of relevant pages, which must lie between 0
    /// and 1; other values are moved into this range.
    #[must_use]
    pub fn with_prior(mut self, prior: f64) -> Self {
        self.prior = bounded(prior);
        self
    }

    /// Returns the share of on-topic pages in the sample.
    #[must_use]
    pub fn sample_share(&self) -> f64 {
        let (on, off) = (self.on.pages as f64, self.off.pages as f64);
        bounded(on / (on + off))
    }

    /// Returns the curve of precision, recall and false alarms over all thresholds.
    #[must_use]
    pub fn curve(&self) -> Curve {
        Curve::of(&self.on.scores, &self.off.scores, self.prior)
    }

    /// Returns the threshold that reaches a goal, with precision and recall there; `None` if no
    /// threshold does. A page is relevant if its R is greater. For F1 the scores are smoothed
    /// first, so that the threshold does not depend on two or three pages.
    #[must_use]
    pub fn threshold_for(&self, goal: Goal) -> Option<OperatingPoint> {
        let curve = self.curve();
        let best = curve.best(goal)?;
        if goal != Goal::F1 {
            return Some(best);
        }
        let (on, off) = (&self.on.scores, &self.off.scores);
        let threshold = smooth::Smoothed::of(on, off).threshold(self.prior, None);
        let smooth = threshold.map(|it| OperatingPoint::at(it, on, off, self.prior));
        smooth.filter(|it| it.recall > 0.0).or(Some(best))
    }

    /// Returns false if the scores of on-topic and off-topic pages may come from the same
    /// distribution, so that no threshold is of use.
    #[must_use]
    pub fn separates(&self) -> bool {
        self.quality.auc.low > 0.5
    }

    /// Returns true if there were so few pages that the intervals matter more than the values.
    #[must_use]
    pub fn is_from_few_pages(&self) -> bool {
        self.on.pages < FEW || self.off.pages < FEW
    }

    /// Checks the numbers, since the file may have been edited by hand.
    pub(crate) fn check(&self, topic: &Checksum) -> Result<(), CalibrationError> {
        let scoring = || self.scoring.to_string();
        if self.topic != *topic {
            return Err(CalibrationError::OtherTopic { scoring: scoring() });
        }
        let damaged = |reason| Err(CalibrationError::Damaged { scoring: scoring(), reason });
        if !(self.prior > 0.0 && self.prior < 1.0) {
            return damaged("the prior does not lie between 0 and 1");
        }
        if !(self.on.is_valid() && self.off.is_valid()) {
            return damaged("the scores are not sorted numbers from 0 to 1");
        }
        if !self.map.is_valid() {
            return damaged("the map from R to P(relevant) is not a rising one");
        }
        Ok(())
    }
}

/// Returns ln(p / (1 − p)).
fn logit(p: f64) -> f64 {
    let p = bounded(p);
    (p / (1.0 - p)).ln()
}

/// Returns 1 / (1 + e^−x), without overflow.
fn logistic(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

/// Moves a probability into the range where its logit is a number.
fn bounded(p: f64) -> f64 {
    const LEAST: f64 = 1e-9;
    if p.is_nan() { 0.5 } else { p.clamp(LEAST, 1.0 - LEAST) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, Origin, Term};
    use ontrail_page::Content;

    fn topic() -> Topic {
        Topic::new("rain", Origin::Keywords, vec![Term::new("rain", 1.0)]).unwrap()
    }

    fn fit(on: &[f64], off: &[f64]) -> Calibration {
        Calibration::fit(&topic(), Scoring::new(&Model::labels(), Content::Page), on, off).unwrap()
    }

    #[test]
    fn pages_of_one_kind_are_refused() {
        let scoring = || Scoring::new(&Model::labels(), Content::Page);
        let fit = |on: &[f64], off: &[f64]| Calibration::fit(&topic(), scoring(), on, off);
        assert_eq!(fit(&[], &[0.1]), Err(CalibrationError::NoOnTopic));
        assert_eq!(fit(&[0.1], &[]), Err(CalibrationError::NoOffTopic));
    }

    /// 1 on-topic page among 4 has odds of 1/3. Under a prior of 1/2 the odds are multiplied by 3.
    #[test]
    fn another_prior_multiplies_the_odds() {
        let own = fit(&[0.9], &[0.1, 0.2, 0.3]);
        assert!((own.prior - 0.25).abs() < 1e-12);
        let even = own.clone().with_prior(0.5);
        for r in [0.0, 0.25, 0.6, 1.0] {
            let odds = |p: f64| p / (1.0 - p);
            let (own, even) = (own.probability(r), even.probability(r));
            assert!((odds(even) / odds(own) - 3.0).abs() < 1e-9, "{own} {even}");
        }
        for wild in [-1.0, 0.0, 1.0, 7.0, f64::NAN, f64::INFINITY] {
            let p = own.clone().with_prior(wild).probability(0.5);
            assert!((0.0..=1.0).contains(&p), "{wild}: {p}");
        }
    }

    #[test]
    fn strange_samples_give_numbers() {
        let strange: [(&[f64], &[f64]); 6] = [
            (&[0.5], &[0.5]),
            (&[0.0; 5], &[0.0; 9]),
            (&[1.0; 30], &[0.0; 300]),
            (&[0.0; 30], &[1.0; 300]),
            (&[f64::NAN, f64::INFINITY, -3.0], &[f64::NEG_INFINITY, 9.0]),
            (&[1e-300], &[0.0]),
        ];
        for (on, off) in strange {
            let found = fit(on, off);
            found.check(&topic().checksum()).unwrap();
            let mut last = 0.0;
            for r in [0.0, 1e-9, 0.3, 0.5, 0.500_001, 1.0] {
                let p = found.probability(r);
                assert!((last..=1.0).contains(&p), "{on:?} {off:?} {r}: {p}");
                last = p;
            }
            for goal in [Goal::F1, Goal::Precision(0.9), Goal::Recall(0.9)] {
                if let Some(point) = found.threshold_for(goal) {
                    assert!((0.0..=1.0).contains(&point.threshold), "{point:?}");
                    assert!(point.f1.is_finite());
                }
            }
            let text = serde_json::to_string(&found).unwrap();
            assert_eq!(serde_json::from_str::<Calibration>(&text).unwrap(), found);
        }
        assert!(!fit(&[0.5], &[0.5]).separates());
        assert!(!fit(&[0.2, 0.4, 0.1], &[0.3, 0.2, 0.4, 0.1]).separates());
        assert!(fit(&[0.8; 12], &[0.1; 40]).separates());
    }
}
