//! Platt scaling: a logistic curve through the scores of two classes.
//!
//! J. Platt, Probabilistic outputs for support vector machines and comparisons to regularized
//! likelihood methods (1999), with the smoothed targets of his section 2.2, fitted by Newton's
//! method with backtracking as H.-T. Lin, C.-J. Lin and R. C. Weng, A note on Platt's probabilistic
//! outputs for support vector machines (2007) give it in their algorithm 1.

use super::{logistic, logit};

/// P(relevant) = 1 / (1 + exp(−(slope · R + intercept))).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Platt {
    pub(super) slope: f64,
    pub(super) intercept: f64,
}

impl Platt {
    /// Fits the curve to at least one score of each class. If it would fall, it becomes constant:
    /// then R says nothing about the relevance of a page.
    pub(super) fn fit(on: &[f64], off: &[f64]) -> Self {
        let (n_on, n_off) = (on.len() as f64, off.len() as f64);
        // Targets of Platt's section 2.2: they keep the curve finite if the classes do not overlap.
        let high = (n_on + 1.0) / (n_on + 2.0);
        let low = 1.0 / (n_off + 2.0);
        let on = on.iter().map(|&score| (score, high));
        let samples: Vec<(f64, f64)> = on.chain(off.iter().map(|&score| (score, low))).collect();
        let start = Self { slope: 0.0, intercept: ((n_on + 1.0) / (n_off + 1.0)).ln() };
        let found = start.descend(&samples);
        if found.slope > 0.0 && found.slope.is_finite() && found.intercept.is_finite() {
            return found;
        }
        let mean = samples.iter().map(|it| it.1).sum::<f64>() / samples.len() as f64;
        Self { slope: 0.0, intercept: logit(mean) }
    }

    pub(super) fn probability(self, score: f64) -> f64 {
        logistic(self.slope * score + self.intercept)
    }

    /// Minimises the cross entropy by Newton's method with backtracking.
    fn descend(mut self, samples: &[(f64, f64)]) -> Self {
        const ROUNDS: usize = 100;
        const LEAST_STEP: f64 = 1e-10;
        // Makes the Hessian positive definite even if all scores are equal.
        const RIDGE: f64 = 1e-12;
        let mut loss = self.loss(samples);
        for _ in 0..ROUNDS {
            let (mut h11, mut h22, mut h21, mut g1, mut g2) = (RIDGE, RIDGE, 0.0, 0.0, 0.0);
            for &(score, target) in samples {
                let p = self.probability(score);
                let (curvature, error) = (p * (1.0 - p), p - target);
                h11 += score * score * curvature;
                h22 += curvature;
                h21 += score * curvature;
                g1 += score * error;
                g2 += error;
            }
            if g1.abs() < 1e-9 && g2.abs() < 1e-9 {
                break;
            }
            let determinant = h11 * h22 - h21 * h21;
            let slope = -(h22 * g1 - h21 * g2) / determinant;
            let intercept = -(h11 * g2 - h21 * g1) / determinant;
            let descent = g1 * slope + g2 * intercept;
            let mut step = 1.0;
            loop {
                let tried = Self {
                    slope: self.slope + step * slope,
                    intercept: self.intercept + step * intercept,
                };
                let tried_loss = tried.loss(samples);
                if tried_loss < loss + 1e-4 * step * descent {
                    (self, loss) = (tried, tried_loss);
                    break;
                }
                step /= 2.0;
                if step < LEAST_STEP {
                    return self;
                }
            }
        }
        self
    }

    /// Returns the cross entropy, in the form that does not overflow (eq. 6 and 7 of Lin et al.).
    fn loss(self, samples: &[(f64, f64)]) -> f64 {
        let of = |&(score, target): &(f64, f64)| {
            let x = self.slope * score + self.intercept;
            if x >= 0.0 {
                (1.0 - target) * x + (-x).exp().ln_1p()
            } else {
                -target * x + x.exp().ln_1p()
            }
        };
        samples.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two scores, 0 and 1, for which the two parameters can be worked out: P(0) and P(1) equal the
    /// mean targets of the pages with these scores. On-topic pages: 1, 1, 0; off-topic pages: 0, 0.
    /// The targets are 4/5 and 1/4, so P(1) = 4/5 and P(0) = (4/5 + 1/4 + 1/4) / 3 = 13/30:
    /// the intercept is ln(13/17), and the slope ln 4 − ln(13/17).
    #[test]
    fn two_scores_by_hand() {
        let found = Platt::fit(&[1.0, 1.0, 0.0], &[0.0, 0.0]);
        assert!((found.probability(1.0) - 0.8).abs() < 1e-7, "{found:?}");
        assert!((found.probability(0.0) - 13.0 / 30.0).abs() < 1e-7, "{found:?}");
        assert!((found.intercept - (13.0_f64 / 17.0).ln()).abs() < 1e-6);
        assert!((found.slope - (4.0_f64.ln() - (13.0_f64 / 17.0).ln())).abs() < 1e-6);
    }

    /// With equal scores everywhere, P is the mean target: 2/3 for one page and 1/5 for three.
    #[test]
    fn equal_scores_and_falling_curves_are_constant() {
        let equal = Platt::fit(&[0.4], &[0.4, 0.4, 0.4]);
        let mean = (2.0 / 3.0 + 3.0 / 5.0) / 4.0;
        assert!((equal.probability(0.4) - mean).abs() < 1e-7, "{equal:?}");
        let falling = Platt::fit(&[0.1, 0.2], &[0.8, 0.9]);
        assert!(falling.slope.abs() < 1e-12);
        assert!((falling.probability(0.9) - 0.5).abs() < 1e-7);
    }
}
