//! Comparison of two algorithms: Wilcoxon's signed-rank test, and Vargha and Delaney's A, the
//! probability that one is better.

use serde::Serialize;

use super::distribution::normal_two_sided;
use super::ranks::{average_ranks, same};

/// Greatest number of pairs for which p is exact, with or without ties. Beyond it, the normal
/// approximation is used.
const EXACT: usize = 200;

/// The result of Wilcoxon's signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wilcoxon {
    /// The smaller of the two sums of signed ranks.
    pub statistic: f64,
    /// Number of unequal pairs; equal pairs carry no information.
    pub pairs: usize,
    /// The two-sided p-value.
    pub p: f64,
}

/// Compares two lists of paired values by Wilcoxon's signed-rank test. Equal pairs are left out, as
/// Wilcoxon did.
#[must_use]
pub fn wilcoxon(a: &[f64], b: &[f64]) -> Wilcoxon {
    let unequal = a.iter().zip(b).filter(|(a, b)| !same(**a, **b));
    let differences: Vec<f64> = unequal.map(|(a, b)| a - b).collect();
    let sizes: Vec<f64> = differences.iter().map(|it| it.abs()).collect();
    let ranks = average_ranks(&sizes);
    let signed = ranks.iter().zip(&differences);
    let positive: f64 = signed.filter(|(_, it)| **it > 0.0).map(|(rank, _)| rank).sum();
    let all: f64 = ranks.iter().sum();
    let statistic = positive.min(all - positive);
    let p = match ranks.len() {
        0 => 1.0,
        1..=EXACT => exact(&ranks, statistic),
        _ => normal(&ranks, statistic),
    };
    Wilcoxon { statistic, pairs: ranks.len(), p }
}

/// Returns the smallest two-sided p that Wilcoxon's test can give with this number of pairs: all
/// differences have the same sign, which is one of 2ⁿ assignments of signs, on either side.
#[must_use]
pub fn smallest_wilcoxon_p(pairs: usize) -> f64 {
    i32::try_from(pairs).map_or(0.0, |pairs| (2.0 * 0.5_f64.powi(pairs)).min(1.0))
}

/// Returns the exact two-sided p: the share of all assignments of signs whose sum is at most the
/// statistic, doubled. Ranks are multiples of ½, so twice their sums are whole numbers.
fn exact(ranks: &[f64], statistic: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|rank| whole(2.0 * rank)).collect();
    let most: usize = doubled.iter().sum();
    let mut shares = vec![0.0; most + 1];
    shares[0] = 1.0;
    for rank in doubled {
        for sum in (0..=most).rev() {
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    let below: f64 = shares[..=whole(2.0 * statistic).min(most)].iter().sum();
    (2.0 * below).min(1.0)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
fn whole(number: f64) -> usize {
    number.round() as usize
}

/// Returns p by the normal approximation. The variance is Σ r² / 4, which accounts for ties.
fn normal(ranks: &[f64], statistic: f64) -> f64 {
    let mean: f64 = ranks.iter().sum::<f64>() / 2.0;
    let variance: f64 = ranks.iter().map(|rank| rank * rank).sum::<f64>() / 4.0;
    normal_two_sided((statistic - mean) / variance.sqrt())
}

/// Returns Vargha and Delaney's A: the probability that a value of `a` is greater than one of `b`,
/// with ties counted half. 0.5 means no effect; from 0.56, 0.64 and 0.71 an effect is called small,
/// medium and large.
///
/// ```
/// # use ontrail_lab::a12;
/// assert!((a12(&[3.0, 4.0], &[1.0, 3.0]) - 0.875).abs() < 1e-12);
/// ```
#[must_use]
pub fn a12(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.5;
    }
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b)));
    let win = |(a, b): (f64, f64)| match (same(a, b), a > b) {
        (true, _) => 0.5,
        (false, true) => 1.0,
        (false, false) => 0.0,
    };
    let wins: f64 = pairs.map(win).sum();
    wins / (a.len() * b.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilcoxon_agrees_with_hand_computation_and_published_values() {
        // Differences 1..=5, all positive: W = 0, and p = 2 / 2^5.
        let found = wilcoxon(&[2.0, 4.0, 6.0, 8.0, 10.0], &[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(found.statistic.abs() < 1e-12 && (found.p - 2.0 / 32.0).abs() < 1e-12);
        // Darwin's maize, from Fisher: fifteen pairs of heights in eighths of an inch. W = 24,
        // p = 0.04126.
        let crossed = [
            188.0, 96.0, 168.0, 176.0, 153.0, 172.0, 177.0, 163.0, 146.0, 173.0, 186.0, 168.0,
            177.0, 184.0, 96.0,
        ];
        let own = [
            139.0, 163.0, 160.0, 160.0, 147.0, 149.0, 149.0, 122.0, 132.0, 144.0, 130.0, 144.0,
            102.0, 124.0, 144.0,
        ];
        let found = wilcoxon(&crossed, &own);
        assert!((found.statistic - 24.0).abs() < 1e-12 && found.pairs == 15);
        assert!((found.p - 0.041_26).abs() < 5e-4, "{}", found.p);
        // Equal pairs carry no information.
        assert!((wilcoxon(&[1.0, 2.0], &[1.0, 2.0]).p - 1.0).abs() < 1e-12);
        // Five differences of one sign: one of 32 assignments, on two sides.
        assert!((smallest_wilcoxon_p(5) - 0.0625).abs() < 1e-12);
        assert!((wilcoxon(&[2.0, 3.0, 4.0, 5.0, 6.0], &[1.0; 5]).p - 0.0625).abs() < 1e-12);
        assert!((smallest_wilcoxon_p(0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_normal_approximation_agrees_with_the_exact_test_for_many_pairs() {
        let ranks: Vec<f64> = (1..=150).map(f64::from).collect();
        let statistic = 4_600.0;
        assert!((exact(&ranks, statistic) - normal(&ranks, statistic)).abs() < 2e-3);
    }

    #[test]
    fn a12_is_a_probability() {
        assert!((a12(&[1.0, 2.0], &[1.0, 2.0]) - 0.5).abs() < 1e-12);
        assert!((a12(&[5.0], &[1.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!((a12(&[], &[1.0]) - 0.5).abs() < 1e-12);
    }
}
