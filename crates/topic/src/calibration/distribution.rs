//! The scores of a sample of pages.

use serde::{Deserialize, Serialize};

/// Most scores that are stored. More pages are represented by as many quantiles.
const MOST: usize = 200;

/// The distribution of the scores of a sample of pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// Number of pages.
    pub pages: u64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation (of the population, divided by n).
    pub sd: f64,
    /// The scores in ascending order: all of them, or 200 quantiles that stand for equal shares of
    /// the pages.
    pub scores: Vec<f64>,
}

impl Distribution {
    /// Describes the scores of at least one page.
    #[must_use]
    pub fn of(scores: &[f64]) -> Self {
        let sorted = sorted(scores);
        let pages = sorted.len();
        let count = pages.max(1) as f64;
        let mean = sorted.iter().sum::<f64>() / count;
        let variance = sorted.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
        let scores = if pages <= MOST {
            sorted
        } else {
            // The middle of each of 200 equal parts.
            (0..MOST).map(|part| sorted[(2 * part + 1) * pages / (2 * MOST)]).collect()
        };
        Self { pages: pages as u64, mean: rounded(mean), sd: rounded(variance.sqrt()), scores }
    }

    /// Returns the share of the pages in each of `bins` equal parts of the range from 0 to 1.
    #[must_use]
    pub fn histogram(&self, bins: usize) -> Vec<f64> {
        let bins = bins.max(1);
        let mut shares = vec![0.0; bins];
        for score in &self.scores {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "scores lie between 0 and 1"
            )]
            let bin = ((score * bins as f64) as usize).min(bins - 1);
            shares[bin] += 1.0 / self.scores.len() as f64;
        }
        shares
    }

    pub(super) fn is_valid(&self) -> bool {
        self.pages > 0
            && !self.scores.is_empty()
            && self.scores.len() as u64 <= self.pages
            && self.scores.iter().all(|score| (0.0..=1.0).contains(score))
            && self.scores.is_sorted()
            && self.mean.is_finite()
            && self.sd.is_finite()
    }
}

/// Returns scores in ascending order, within the range from 0 to 1, with six digits after the
/// point: files store no more, and scores that differ by less are equal for every purpose.
pub(super) fn sorted(scores: &[f64]) -> Vec<f64> {
    let within = |&score: &f64| if score.is_nan() { 0.0 } else { rounded(score.clamp(0.0, 1.0)) };
    let mut sorted: Vec<f64> = scores.iter().map(within).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn rounded(value: f64) -> f64 {
    // Adding 0 turns −0 into 0.
    (value * 1e6).round() / 1e6 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_scores_are_kept_and_many_become_quantiles() {
        let few = Distribution::of(&[0.4, 0.1, 0.1]);
        assert_eq!(few.scores, [0.1, 0.1, 0.4]);
        assert_eq!((few.mean, few.sd), (0.2, 0.141_421));
        let all: Vec<f64> = (0..1_000).map(|it| f64::from(it) / 1_000.0).collect();
        let many = Distribution::of(&all);
        assert_eq!((many.pages, many.scores.len()), (1_000, 200));
        assert_eq!(many.scores[..2], [0.002, 0.007]);
        assert!((many.mean - 0.4995).abs() < 1e-9);
    }

    #[test]
    fn a_histogram_counts_shares() {
        let shares = Distribution::of(&[0.0, 0.49, 0.5, 1.0]).histogram(2);
        assert_eq!(shares, [0.5, 0.5]);
    }
}
