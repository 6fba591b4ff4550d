//! Counts of scores, in bins that are narrow where scores are low.

use serde::{Deserialize, Serialize};

/// Number of bins. Scores by TF-IDF rarely exceed 0.2, so the bins must be narrow there: they
/// divide the square root of the score evenly.
pub const BINS: usize = 512;

/// Counts of scores from 0 to 1. A score of 0 has a bin of its own, because most pages contain no
/// term of a topic at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    zeros: u64,
    bins: Vec<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { zeros: 0, bins: vec![0; BINS] }
    }
}

impl Histogram {
    /// Counts a score. A score that is not a number counts as 0.
    pub fn add(&mut self, score: f64) {
        match bin_of(score) {
            Some(bin) => self.bins[bin] += 1,
            None => self.zeros += 1,
        }
    }

    /// Returns the number of scores.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.zeros + self.positive()
    }

    /// Returns the number of scores above 0.
    #[must_use]
    pub fn positive(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// Returns the number of scores that are 0.
    #[must_use]
    pub fn zeros(&self) -> u64 {
        self.zeros
    }

    /// Returns the number of scores above a threshold, to the width of a bin.
    #[must_use]
    pub fn above(&self, threshold: f64) -> u64 {
        self.bins[bin_of(threshold).unwrap_or(0)..].iter().sum()
    }

    /// Returns the bins of scores above 0: the square root of the score at the middle of the bin,
    /// and the count.
    #[must_use]
    pub fn bins(&self) -> impl DoubleEndedIterator<Item = (f64, u64)> + ExactSizeIterator {
        self.bins.iter().enumerate().map(|(bin, count)| (root_of(bin), *count))
    }
}

/// Returns the bin of a score, none for a score of 0 or less.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the score is between 0 and 1"
)]
pub(crate) fn bin_of(score: f64) -> Option<usize> {
    (score > 0.0).then(|| ((score.min(1.0).sqrt() * BINS as f64) as usize).min(BINS - 1))
}

/// Returns the square root of the score at the middle of a bin.
pub(crate) fn root_of(bin: usize) -> f64 {
    (bin as f64 + 0.5) / BINS as f64
}

/// Returns the lowest score of a bin.
pub(crate) fn least_of(bin: usize) -> f64 {
    let root = bin as f64 / BINS as f64;
    root * root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_fall_into_the_bin_that_holds_them() {
        let mut histogram = Histogram::default();
        for score in [0.0, f64::NAN, -1.0, 1e-9, 0.25, 1.0, 2.0] {
            histogram.add(score);
        }
        assert_eq!((histogram.total(), histogram.positive(), histogram.zeros()), (7, 4, 3));
        // √0.25 = 0.5 is the lower edge of bin 256.
        assert_eq!(bin_of(0.25), Some(256));
        assert_eq!((bin_of(1.0), bin_of(1e-9)), (Some(511), Some(0)));
        assert!((least_of(256) - 0.25).abs() < 1e-15);
        assert_eq!([0.0, 0.25, 0.26, 1.0].map(|it| histogram.above(it)), [4, 3, 2, 2]);
    }
}
