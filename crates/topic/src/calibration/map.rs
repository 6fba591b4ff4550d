//! The map from R to P(relevant).

use serde::{Deserialize, Serialize};

use super::isotonic::{corners, interpolate};
use super::platt::Platt;

/// Pages of each kind from which isotonic regression is tried. With fewer it follows the noise
/// (A. Niculescu-Mizil and R. Caruana, Predicting good probabilities with supervised learning,
/// 2005).
const ENOUGH: usize = 100;

/// Number of parts for cross-validation.
const FOLDS: usize = 10;

/// A map from R to P(relevant) that never falls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ProbabilityMap {
    /// The logistic curve 1 / (1 + exp(−(slope · R + intercept))).
    Platt {
        /// The slope, 0 or more.
        slope: f64,
        /// The logit at R = 0.
        intercept: f64,
    },
    /// A function through some points, by isotonic regression.
    Isotonic {
        /// Pairs (R, P), by ascending R. P never falls.
        points: Vec<(f64, f64)>,
    },
}

impl ProbabilityMap {
    /// Fits the map to scores in ascending order: the logistic curve, or isotonic regression if
    /// there are enough pages and its log loss on pages left out is less.
    pub(super) fn fit(on: &[f64], off: &[f64]) -> Self {
        let platt = Self::platt(on, off);
        if on.len().min(off.len()) < ENOUGH {
            return platt;
        }
        if left_out_loss(on, off, Self::isotonic) < left_out_loss(on, off, Self::platt) {
            return Self::isotonic(on, off);
        }
        platt
    }

    fn platt(on: &[f64], off: &[f64]) -> Self {
        let Platt { slope, intercept } = Platt::fit(on, off);
        Self::Platt { slope, intercept }
    }

    /// A step at which all of n pages are relevant does not mean that P = 1: with Laplace's rule it
    /// is at most (n + 1) / (n + 2), where n counts the whole sample.
    fn isotonic(on: &[f64], off: &[f64]) -> Self {
        let least = 1.0 / ((on.len() + off.len()) as f64 + 2.0);
        let within = |(score, p): (f64, f64)| (score, p.clamp(least, 1.0 - least));
        Self::Isotonic { points: corners(on, off).into_iter().map(within).collect() }
    }

    /// Returns P(relevant) for the share of relevant pages among the sample.
    #[must_use]
    pub fn probability(&self, r: f64) -> f64 {
        let r = if r.is_nan() { 0.0 } else { r };
        match self {
            Self::Platt { slope, intercept } => {
                Platt { slope: *slope, intercept: *intercept }.probability(r)
            }
            Self::Isotonic { points } => interpolate(points, r),
        }
    }

    /// Returns the name of the method.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Platt { .. } => "platt",
            Self::Isotonic { .. } => "isotonic",
        }
    }

    pub(super) fn is_valid(&self) -> bool {
        match self {
            Self::Platt { slope, intercept } => {
                *slope >= 0.0 && slope.is_finite() && intercept.is_finite()
            }
            Self::Isotonic { points } => {
                !points.is_empty()
                    && points.iter().all(|(r, p)| r.is_finite() && (0.0..=1.0).contains(p))
                    && points.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 <= two[1].1)
            }
        }
    }
}

/// Returns the sum of the log losses of all pages, each by a map fitted without its part of the
/// pages.
fn left_out_loss(on: &[f64], off: &[f64], fit: impl Fn(&[f64], &[f64]) -> ProbabilityMap) -> f64 {
    let mut loss = 0.0;
    for fold in 0..FOLDS {
        let (own_on, rest_on) = parted(on, fold, FOLDS);
        let (own_off, rest_off) = parted(off, fold, FOLDS);
        let map = fit(&rest_on, &rest_off);
        loss -= own_on.iter().map(|&r| map.probability(r).ln()).sum::<f64>();
        loss -= own_off.iter().map(|&r| (1.0 - map.probability(r)).ln()).sum::<f64>();
    }
    loss
}

/// Splits sorted scores into every `folds`-th, starting with `fold`, and the others. So every part
/// covers the whole range.
pub(super) fn parted(scores: &[f64], fold: usize, folds: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut own, mut rest) = (Vec::new(), Vec::new());
    for (at, &score) in scores.iter().enumerate() {
        if at % folds == fold { own.push(score) } else { rest.push(score) }
    }
    (own, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The true P is 0.02 up to R = 0.5 and 0.9 above: a logistic curve cannot follow this step.
    #[test]
    fn isotonic_regression_wins_where_the_curve_is_no_logistic_one() {
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for at in 0..1_000 {
            let score = f64::from(at) / 1_000.0;
            let every = if score < 0.5 { 50 } else { 10 };
            let is_on = if score < 0.5 { at % every == 0 } else { at % every != 0 };
            if is_on { on.push(score) } else { off.push(score) }
        }
        let map = ProbabilityMap::fit(&on, &off);
        assert_eq!(map.name(), "isotonic");
        assert!(map.is_valid());
        assert!((map.probability(0.3) - 0.02).abs() < 0.03, "{}", map.probability(0.3));
        assert!((map.probability(0.6) - 0.9).abs() < 0.05, "{}", map.probability(0.6));
        let few = ProbabilityMap::fit(&on[..99], &off);
        assert_eq!(few.name(), "platt");
    }

    /// Scores drawn so that P is a logistic curve: 1 / (1 + exp(−(8 R − 4))).
    #[test]
    fn a_logistic_curve_is_found_again() {
        let (mut on, mut off, mut owed) = (Vec::new(), Vec::new(), 0.0);
        for at in 0..4_000 {
            let score = f64::from(at) / 4_000.0;
            owed += 1.0 / (1.0 + (-(8.0 * score - 4.0)).exp());
            if owed >= 1.0 {
                owed -= 1.0;
                on.push(score);
            } else {
                off.push(score);
            }
        }
        let ProbabilityMap::Platt { slope, intercept } = ProbabilityMap::platt(&on, &off) else {
            panic!("not a curve of Platt");
        };
        assert!((slope - 8.0).abs() < 0.1 && (intercept + 4.0).abs() < 0.1, "{slope} {intercept}");
    }
}
