//! Logistic regression of P(relevant) on a few numbers, with a ridge that fits small samples.
//!
//! Each number is scaled by how well it separates the two kinds of pages alone: with the means a
//! and b of on-topic and off-topic pages and the variance v, z = (x − (a + b)/2) · (a − b) / (2 v).
//! A number that hardly separates them thus counts little from the start. The weights are fitted by
//! Newton's method with backtracking, to the smoothed targets of J. Platt, Probabilistic outputs
//! for support vector machines (1999), section 2.2. The penalty
//!
//! `EQUALITY`/2 · Σ (wⱼ − w̄)² + `SIZE`/2 · Σ wⱼ²
//!
//! pulls the weights towards each other, and a little towards 0. Sums with equal weights are hard
//! to beat if examples are few (R. M. Dawes, The robust beauty of improper linear models in
//! decision making, 1979), so this is where the fit starts from, and every further example moves it
//! from there. More relevance never speaks against a page: a weight that would become negative is
//! 0.

use serde::{Deserialize, Serialize};

/// Strength of the pull of the weights towards each other.
const EQUALITY: f64 = 2.0;
/// Strength of the pull of the weights towards 0.
const SIZE: f64 = 0.1;
/// Least distance between the means of the two kinds of pages at which a number is used.
const LEAST_DISTANCE: f64 = 1e-9;
/// Rounds of Newton's method.
const ROUNDS: usize = 100;
/// Shortest step of the backtracking.
const LEAST_STEP: f64 = 1e-10;

/// A number that counts for a page: its place, its scale and its weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weighed {
    /// The middle between the means of on-topic and off-topic pages.
    pub centre: f64,
    /// The variance around it, with equal shares of both kinds of pages, divided by half of the
    /// distance between the means.
    pub scale: f64,
    /// The weight of (x − centre) / scale.
    pub weight: f64,
}

/// P(relevant) = 1 / (1 + exp(−(intercept + Σ weight · (x − centre) / scale))).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logistic {
    /// The log-odds of a page with all numbers at their centres.
    pub intercept: f64,
    /// The numbers, in the order in which they are given.
    pub numbers: Vec<Weighed>,
}

impl Logistic {
    /// Fits the model to at least one page of each kind. All pages have equally many numbers, and
    /// those that may not be used get the weight 0.
    pub(crate) fn fit(on: &[Vec<f64>], off: &[Vec<f64>], may_use: &[bool]) -> Self {
        let mut numbers = standards(on, off);
        let (n_on, n_off) = (on.len() as f64, off.len() as f64);
        let targets = [(n_on + 1.0) / (n_on + 2.0), 1.0 / (n_off + 2.0)];
        let standardised = |(page, target): (&Vec<f64>, f64)| Sample {
            z: numbers.iter().zip(page).map(|(number, x)| number.standardised(*x)).collect(),
            target,
        };
        let on = on.iter().map(|page| (page, targets[0]));
        let off = off.iter().map(|page| (page, targets[1]));
        let samples: Vec<Sample> = on.chain(off).map(standardised).collect();
        let useful = numbers.iter().zip(may_use);
        let mut is_used: Vec<bool> = useful.map(|(it, may)| *may && it.weight > 0.0).collect();
        loop {
            let (intercept, weights) = minimise(&samples, &is_used);
            let lowest = (0..weights.len()).min_by(|&a, &b| weights[a].total_cmp(&weights[b]));
            if let Some(at) = lowest.filter(|&at| weights[at] < 0.0) {
                is_used[at] = false;
                continue;
            }
            numbers.iter_mut().zip(&weights).for_each(|(it, weight)| it.weight = *weight);
            return Self { intercept, numbers };
        }
    }

    /// Returns P(relevant) of a page with these numbers.
    #[must_use]
    pub fn probability(&self, page: &[f64]) -> f64 {
        let parts = self.numbers.iter().zip(page);
        let sum: f64 = parts.map(|(it, x)| it.weight * it.standardised(*x)).sum();
        logistic(self.intercept + sum)
    }

    /// Returns true if all numbers can be used, which an edited file may not allow.
    pub(crate) fn is_valid(&self) -> bool {
        let is_fine = |it: &Weighed| {
            it.centre.is_finite() && it.weight.is_finite() && it.weight >= 0.0 && it.scale > 0.0
        };
        self.intercept.is_finite() && self.numbers.iter().all(is_fine)
    }
}

impl Weighed {
    fn standardised(&self, x: f64) -> f64 {
        (x - self.centre) / self.scale
    }
}

/// A page with its standardised numbers.
struct Sample {
    z: Vec<f64>,
    target: f64,
}

/// Returns centre and scale of each number, with a weight of 1 if it is used. A number that is not
/// greater on on-topic pages is not used.
fn standards(on: &[Vec<f64>], off: &[Vec<f64>]) -> Vec<Weighed> {
    let moments = |pages: &[Vec<f64>], at: usize| {
        let count = pages.len() as f64;
        let mean = pages.iter().map(|page| page[at]).sum::<f64>() / count;
        let variance = pages.iter().map(|page| (page[at] - mean).powi(2)).sum::<f64>() / count;
        (mean, variance)
    };
    let count = on.first().map_or(0, Vec::len);
    let standard = |at| {
        let ((a, of_on), (b, of_off)) = (moments(on, at), moments(off, at));
        let (centre, half) = (f64::midpoint(a, b), (a - b) / 2.0);
        let scale = (f64::midpoint(of_on, of_off) + half * half) / half;
        if half > LEAST_DISTANCE && scale.is_finite() {
            Weighed { centre, scale, weight: 1.0 }
        } else {
            Weighed { centre, scale: 1.0, weight: 0.0 }
        }
    };
    (0..count).map(standard).collect()
}

/// Returns the intercept and the weights with the least loss. Weights that are not used are 0.
fn minimise(samples: &[Sample], is_used: &[bool]) -> (f64, Vec<f64>) {
    let used: Vec<usize> = (0..is_used.len()).filter(|&at| is_used[at]).collect();
    let mean = samples.iter().map(|it| it.target).sum::<f64>() / samples.len() as f64;
    // The first parameter is the intercept.
    let mut found = vec![0.0; used.len() + 1];
    found[0] = libm::log(mean / (1.0 - mean));
    let mut least = loss(samples, &used, &found);
    for _ in 0..ROUNDS {
        let (gradient, hessian) = slopes(samples, &used, &found);
        if gradient.iter().all(|it| it.abs() < 1e-10) {
            break;
        }
        let Some(step) = solve(hessian, gradient.clone()) else { break };
        let descent: f64 = gradient.iter().zip(&step).map(|(g, s)| -g * s).sum();
        let mut length = 1.0;
        let is_better = loop {
            let tried: Vec<f64> = found.iter().zip(&step).map(|(at, s)| at - length * s).collect();
            let lost = loss(samples, &used, &tried);
            if lost < least + 1e-4 * length * descent {
                (found, least) = (tried, lost);
                break true;
            }
            length /= 2.0;
            if length < LEAST_STEP {
                break false;
            }
        };
        if !is_better {
            break;
        }
    }
    let mut weights = vec![0.0; is_used.len()];
    used.iter().zip(&found[1..]).for_each(|(&at, weight)| weights[at] = *weight);
    (found[0], weights)
}

/// Returns intercept + Σ w · z.
fn log_odds(sample: &Sample, used: &[usize], at: &[f64]) -> f64 {
    at[0]
        + used.iter().zip(&at[1..]).map(|(&number, weight)| weight * sample.z[number]).sum::<f64>()
}

/// Returns the cross entropy with the penalty.
fn loss(samples: &[Sample], used: &[usize], at: &[f64]) -> f64 {
    let entropy = |sample: &Sample| {
        let odds = log_odds(sample, used, at);
        // ln(1 + e^x) − t x, in the form that does not overflow.
        odds.max(0.0) + libm::log1p(libm::exp(-odds.abs())) - sample.target * odds
    };
    let mean = mean_of(&at[1..]);
    let penalty = |weight: &f64| EQUALITY * (weight - mean).powi(2) + SIZE * weight * weight;
    samples.iter().map(entropy).sum::<f64>() + at[1..].iter().map(penalty).sum::<f64>() / 2.0
}

/// Returns the first and second derivatives of the loss.
fn slopes(samples: &[Sample], used: &[usize], at: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = at.len();
    let mut gradient = vec![0.0; size];
    let mut hessian = vec![vec![0.0; size]; size];
    for sample in samples {
        let p = logistic(log_odds(sample, used, at));
        let inputs: Vec<f64> =
            std::iter::once(1.0).chain(used.iter().map(|&number| sample.z[number])).collect();
        for (row, a) in inputs.iter().enumerate() {
            gradient[row] += a * (p - sample.target);
            for (column, b) in inputs.iter().enumerate() {
                hessian[row][column] += a * b * p * (1.0 - p);
            }
        }
    }
    let mean = mean_of(&at[1..]);
    let share = 1.0 / (size - 1).max(1) as f64;
    for row in 1..size {
        gradient[row] += EQUALITY * (at[row] - mean) + SIZE * at[row];
        for (column, entry) in hessian[row].iter_mut().enumerate().skip(1) {
            let own = if row == column { 1.0 } else { 0.0 };
            *entry += EQUALITY * (own - share) + SIZE * own;
        }
    }
    // Keeps the matrix regular where all probabilities are near 0 or 1.
    hessian[0][0] += 1e-12;
    (gradient, hessian)
}

fn mean_of(weights: &[f64]) -> f64 {
    weights.iter().sum::<f64>() / weights.len().max(1) as f64
}

/// Solves a positive definite system of equations by Gaussian elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for pivot in 0..size {
        let by = matrix[pivot][pivot];
        if !(by > 0.0 && by.is_finite()) {
            return None;
        }
        let (above, below) = matrix.split_at_mut(pivot + 1);
        for (row, values) in (pivot + 1..).zip(below) {
            let factor = values[pivot] / by;
            let pairs = values.iter_mut().zip(&above[pivot]).skip(pivot);
            pairs.for_each(|(value, known)| *value -= factor * known);
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    Some(right)
}

/// Returns 1 / (1 + e^−x), without overflow.
fn logistic(x: f64) -> f64 {
    let e = libm::exp(-x.abs());
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(on: &[&[f64]], off: &[&[f64]]) -> Logistic {
        let owned = |pages: &[&[f64]]| pages.iter().map(|it| it.to_vec()).collect::<Vec<_>>();
        Logistic::fit(&owned(on), &owned(off), &[true; 3][..on[0].len()])
    }

    fn weights(model: &Logistic) -> Vec<f64> {
        model.numbers.iter().map(|it| it.weight).collect()
    }

    /// One page of each kind, at 1 and −1: centre 0, scale 1, targets 2/3 and 1/3. The gradient is
    /// 2 (σ(w) − 2/3) + 0.1 w, and its zero 0.5679.
    #[test]
    fn one_number_by_hand() {
        let found = fit(&[&[1.0]], &[&[-1.0]]);
        assert!((found.numbers[0].scale - 1.0).abs() < 1e-12);
        assert!(found.intercept.abs() < 1e-9);
        assert!((found.numbers[0].weight - 0.5679).abs() < 1e-4, "{found:?}");
        let p = found.probability(&[1.0]);
        assert!((p - 0.6383).abs() < 1e-4, "{p}");
    }

    /// Three numbers that say the same have equal weights: with s = 3 w, the gradient of each is
    /// 2 (σ(s) − 2/3) + s/30, and its zero s = 0.6452.
    #[test]
    fn numbers_that_say_the_same_share_the_weight() {
        let found = fit(&[&[1.0, 1.0, 1.0]], &[&[-1.0, -1.0, -1.0]]);
        for weight in weights(&found) {
            assert!((weight - 0.6452 / 3.0).abs() < 1e-4, "{found:?}");
        }
    }

    /// Both scales are 1: (0 + 1) / 1, and (1/4 + 1/4) / (1/2). The targets are 3/4 and 1/4. The
    /// gradients are 2 σ(w₁ + w₂) + 2 σ(w₁) − 3 + (w₁ − w₂) + 0.1 w₁ and
    /// 2 σ(w₁ + w₂) − 1.5 − (w₁ − w₂) + 0.1 w₂, with their zeros at 0.64226 and 0.55204. The first
    /// number is always right, but four pages move the weights only that far apart.
    #[test]
    fn few_pages_leave_the_weights_near_each_other() {
        let found = fit(&[&[1.0, 1.0], &[1.0, 0.0]], &[&[-1.0, -1.0], &[-1.0, 0.0]]);
        for number in &found.numbers {
            assert!((number.scale - 1.0).abs() < 1e-12, "{found:?}");
        }
        let weights = weights(&found);
        assert!((weights[0] - 0.64226).abs() < 1e-4, "{weights:?}");
        assert!((weights[1] - 0.55204).abs() < 1e-4, "{weights:?}");
    }

    /// The second number says nothing, so it is not used.
    #[test]
    fn a_number_that_says_nothing_counts_nothing() {
        let many = |first: f64| -> Vec<Vec<f64>> {
            (0..1_000).map(|at| vec![first, if at % 2 == 0 { 1.0 } else { -1.0 }]).collect()
        };
        let (mut on, mut off) = (many(1.0), many(-1.0));
        // A fifth of the pages are unlike their kind, so that the weights stay finite.
        on.iter_mut().step_by(5).for_each(|page| page[0] = -1.0);
        off.iter_mut().step_by(5).for_each(|page| page[0] = 1.0);
        let weights = weights(&Logistic::fit(&on, &off, &[true; 2]));
        assert!(weights[0] > 1.0 && weights[1].abs() < 1e-12, "{weights:?}");
    }

    #[test]
    fn what_speaks_against_the_topic_counts_nothing() {
        let found = fit(&[&[1.0, -1.0], &[0.8, -0.9]], &[&[0.1, 0.9], &[0.0, 1.0]]);
        let weights = weights(&found);
        assert!(weights[0] > 0.1 && weights[1].abs() < 1e-12, "{weights:?}");
    }

    #[test]
    fn equal_or_wild_numbers_give_probabilities() {
        for (on, off) in [(0.0, 0.0), (1.0, 1.0), (1e9, -1e9), (1e-12, 0.0)] {
            let found = fit(&[&[on, 0.5]], &[&[off, 0.5], &[off, 0.5]]);
            assert!(found.is_valid(), "{found:?}");
            let p = found.probability(&[on, 0.5]);
            assert!(p > 0.0 && p < 1.0, "{on} {off}: {p}");
        }
    }
}
