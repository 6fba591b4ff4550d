//! Shares with their intervals.

use serde::{Deserialize, Serialize};

/// The 97.5 % quantile of the normal distribution, for intervals that hold in 95 % of samples.
const Z: f64 = 1.959_963_984_540_054;

/// A value with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Returns a share with the interval of E. B. Wilson, Probable inference, the law of
    /// succession, and statistical inference (1927); 0 with the interval from 0 to 1 if there are
    /// no cases.
    #[must_use]
    pub fn of_share(part: u64, whole: u64) -> Self {
        if whole == 0 {
            return Self { value: 0.0, low: 0.0, high: 1.0 };
        }
        let (n, p) = (whole as f64, part as f64 / whole as f64);
        let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let low = if part == 0 { 0.0 } else { (middle - half).max(0.0) };
        let high = if part == whole { 1.0 } else { (middle + half).min(1.0) };
        Self { value: p, low, high }
    }

    /// Returns the area under the ROC curve, the probability that an on-topic page has a greater
    /// score than an off-topic one, ties counting half, with the interval of R. G. Newcombe,
    /// Confidence intervals for an effect size measure based on the Mann–Whitney statistic (2006),
    /// method 5. Unlike others it does not shrink to a point if the classes do not overlap. The
    /// scores are in ascending order, and there is at least one of each class.
    #[must_use]
    pub fn of_auc(on: &[f64], off: &[f64]) -> Self {
        let wins = |&score: &f64| {
            let below = off.partition_point(|&other| other < score);
            let up_to = off.partition_point(|&other| other <= score);
            (below + up_to) as f64 / 2.0
        };
        let (m, n) = (on.len() as f64, off.len() as f64);
        let value = on.iter().map(wins).sum::<f64>() / (m * n);
        // Hanley and McNeil's variance at θ, with the mean sample size for both classes.
        let others = f64::midpoint(m, n) - 1.0;
        let sd = |t: f64| {
            let factor = 1.0 + others * (1.0 - t) / (2.0 - t) + others * t / (1.0 + t);
            (t * (1.0 - t) * factor / (m * n)).sqrt()
        };
        // The ends are the θ from which the value is Z standard deviations away.
        let low = bisect(0.0, value, |t| value - t > Z * sd(t));
        let high = bisect(value, 1.0, |t| t - value <= Z * sd(t));
        Self { value, low, high }
    }

    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), low: f(self.low), high: f(self.high) }
    }
}

/// Returns the place between two values where a condition that holds at the first one ends.
fn bisect(mut from: f64, mut to: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(from, to);
        if holds(middle) { from = middle } else { to = middle }
    }
    f64::midpoint(from, to)
}

/// Counts of right and wrong judgements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// On-topic pages that were called relevant.
    pub true_positives: u64,
    /// Off-topic pages that were called relevant.
    pub false_positives: u64,
    /// On-topic pages that were not called relevant.
    pub false_negatives: u64,
    /// Off-topic pages that were not called relevant.
    pub true_negatives: u64,
}

impl Confusion {
    /// Counts the judgements by a threshold.
    #[must_use]
    pub fn at(threshold: f64, on: &[f64], off: &[f64]) -> Self {
        let mut counts = Self::default();
        on.iter().for_each(|&score| counts.add(score > threshold, true));
        off.iter().for_each(|&score| counts.add(score > threshold, false));
        counts
    }

    /// Adds a page.
    pub fn add(&mut self, is_called_relevant: bool, is_on_topic: bool) {
        let count = match (is_called_relevant, is_on_topic) {
            (true, true) => &mut self.true_positives,
            (true, false) => &mut self.false_positives,
            (false, true) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        };
        *count += 1;
    }

    /// Returns the precision.
    #[must_use]
    pub fn precision(&self) -> Estimate {
        Estimate::of_share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// Returns the recall.
    #[must_use]
    pub fn recall(&self) -> Estimate {
        Estimate::of_share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// Returns F1. Its interval is that of Jaccard's coefficient J = TP / (TP + FP + FN), which is
    /// a share: F1 = 2 J / (1 + J) rises with J.
    #[must_use]
    pub fn f1(&self) -> Estimate {
        let all = self.true_positives + self.false_positives + self.false_negatives;
        Estimate::of_share(self.true_positives, all).map(|j| 2.0 * j / (1.0 + j))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Estimate, expected: [f64; 3]) {
        let found = [found.value, found.low, found.high];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 5e-5), "{found:?}");
    }

    /// Wilson's interval for 8 of 10, as in tables: 0.4902 to 0.9433. For 0 of 10 the upper end is
    /// z² / (n + z²) = 0.27753.
    #[test]
    fn wilson() {
        close(Estimate::of_share(8, 10), [0.8, 0.49016, 0.94332]);
        close(Estimate::of_share(0, 10), [0.0, 0.0, 0.27753]);
        close(Estimate::of_share(10, 10), [1.0, 0.72247, 1.0]);
        close(Estimate::of_share(0, 0), [0.0, 0.0, 1.0]);
    }

    /// Pairs of {0.4, 0.8} and {0.2, 0.4, 0.6}: 0.4 wins 1½ of 3, 0.8 wins 3 of 3, so 4½ of 6. The
    /// ends are the roots of Newcombe's equation (0.75 − θ)² = z² V(θ) with N* = 1.5, found by
    /// another program.
    #[test]
    fn auc_with_ties() {
        let found = Estimate::of_auc(&[0.4, 0.8], &[0.2, 0.4, 0.6]);
        close(found, [0.75, 0.26013, 0.95998]);
        // Without any overlap the interval still has a width, and shrinks with the sample.
        let low = |n: usize| Estimate::of_auc(&vec![0.9; n], &vec![0.1; n]).low;
        assert!(low(3) < low(12) && low(12) < low(100) && low(100) < 1.0);
        assert!((Estimate::of_auc(&[0.5; 4], &[0.5; 9]).value - 0.5).abs() < 1e-12);
    }

    /// 6 right of 6 + 2 + 2: J = 6/10 and F1 = 12/16.
    #[test]
    fn f1_by_jaccard() {
        let counts = Confusion {
            true_positives: 6,
            false_positives: 2,
            false_negatives: 2,
            true_negatives: 5,
        };
        let f1 = counts.f1();
        assert!((f1.value - 0.75).abs() < 1e-12);
        let j = Estimate::of_share(6, 10);
        assert!((f1.low - 2.0 * j.low / (1.0 + j.low)).abs() < 1e-12);
        assert_eq!(
            Confusion::at(0.5, &[0.5, 0.6], &[0.7, 0.1]),
            Confusion {
                true_positives: 1,
                false_positives: 1,
                false_negatives: 1,
                true_negatives: 1,
            }
        );
    }
}
