//! The map from scores to probabilities.

use serde::{Deserialize, Serialize};

use crate::histogram::{BINS, Histogram, bin_of, least_of, root_of};

/// Probabilities closer to 0 or 1 than this cannot be told from certainty by any sample at hand.
const LEAST: f64 = 1e-4;

/// P(relevant) for each score. It never falls as the score rises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbabilityCurve {
    at_zero: f64,
    bins: Vec<f64>,
}

impl ProbabilityCurve {
    /// Tabulates a function of the score. Where it falls, the greatest value so far is kept.
    pub fn of(probability: impl Fn(f64) -> f64) -> Self {
        let at_zero = sane(probability(0.0));
        let mut greatest = at_zero;
        let bins = (0..BINS).map(|bin| {
            greatest = sane(probability(root_of(bin) * root_of(bin))).max(greatest);
            greatest
        });
        Self { bins: bins.collect(), at_zero }
    }

    /// Returns P(relevant) for a score.
    #[must_use]
    pub fn probability(&self, score: f64) -> f64 {
        bin_of(score).map_or(self.at_zero, |bin| self.bins[bin])
    }

    /// Returns the curve for another share of relevant pages: the odds change by the ratio of the
    /// odds of the two shares (Saerens, Latinne and Decaestecker 2002, eq. 2.4).
    #[must_use]
    pub fn with_prior(&self, old: f64, new: f64) -> Self {
        let ratio = odds(new) / odds(old);
        let shift = |probability: &f64| sane(of_odds(odds(*probability) * ratio));
        Self { at_zero: shift(&self.at_zero), bins: self.bins.iter().map(shift).collect() }
    }

    /// Returns the expected number of relevant pages among those counted.
    #[must_use]
    pub fn expected(&self, histogram: &Histogram) -> f64 {
        let positive: f64 =
            histogram.bins().zip(&self.bins).map(|((_, count), p)| count as f64 * p).sum();
        positive + histogram.zeros() as f64 * self.at_zero
    }

    /// Returns the lowest score with a probability of at least one half.
    #[must_use]
    pub fn even_score(&self) -> f64 {
        least_of(self.bins.iter().position(|p| *p >= 0.5).unwrap_or(BINS))
    }

    /// Returns the score from which on pages are to be called relevant so that the expected F1 over
    /// the pages counted is greatest. With Σ over pages at or above the score,
    ///
    /// F1 = 2 Σ P / (Σ 1 + Σ P over all pages).
    #[must_use]
    pub fn best_score(&self, histogram: &Histogram) -> f64 {
        let all = self.expected(histogram);
        let (mut pages, mut relevant) = (0.0, 0.0);
        let mut best = (0.0, self.even_score());
        for (bin, ((_, count), p)) in histogram.bins().zip(&self.bins).enumerate().rev() {
            if count == 0 {
                continue;
            }
            pages += count as f64;
            relevant += count as f64 * p;
            let f1 = 2.0 * relevant / (pages + all).max(f64::MIN_POSITIVE);
            if f1 > best.0 {
                best = (f1, least_of(bin));
            }
        }
        best.1
    }
}

fn sane(probability: f64) -> f64 {
    if probability.is_nan() { LEAST } else { probability.clamp(LEAST, 1.0 - LEAST) }
}

fn odds(probability: f64) -> f64 {
    let probability = sane(probability);
    probability / (1.0 - probability)
}

fn of_odds(odds: f64) -> f64 {
    if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_never_falls_and_is_never_certain() {
        let curve = ProbabilityCurve::of(|score| if score < 0.3 { score } else { 0.2 });
        assert!((curve.probability(0.25) - 0.25).abs() < 0.01);
        assert!((curve.probability(0.9) - 0.3).abs() < 0.01);
        assert!(
            curve.probability(0.0) > 0.0 && ProbabilityCurve::of(|_| 7.0).probability(1.0) < 1.0
        );
        assert!(ProbabilityCurve::of(|_| f64::NAN).probability(0.5) < 0.01);
    }

    #[test]
    fn another_prior_shifts_the_odds() {
        // Odds 1 under the share 0.2 (odds 1/4) become odds 4 under the share 0.5 (odds 1).
        let curve = ProbabilityCurve::of(|_| 0.5).with_prior(0.2, 0.5);
        assert!((curve.probability(0.4) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn the_best_score_maximises_the_expected_f1() {
        // Three pages with P = 0.9, 0.4 and 0.1. F1 with one page is 1.8 / 2.4 = 0.75, with two
        // 2.6 / 3.4 = 0.765, with three 2.8 / 4.4 = 0.636.
        let curve = ProbabilityCurve::of(|score| match score {
            s if s > 0.7 => 0.9,
            s if s > 0.4 => 0.4,
            _ => 0.1,
        });
        let mut histogram = Histogram::default();
        [0.8, 0.5, 0.2].iter().for_each(|score| histogram.add(*score));
        let best = curve.best_score(&histogram);
        assert!(best <= 0.5 && best > 0.49, "{best}");
        assert!((curve.expected(&histogram) - 1.4).abs() < 1e-12);
        assert!(curve.even_score() > 0.69 && curve.even_score() < 0.71);
    }
}
