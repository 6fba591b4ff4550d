//! Ranks within blocks, and the tests of Friedman's family: Friedman with ties, Iman and Davenport,
//! Nemenyi's critical difference, and z against a control with Holm's adjustment.

use rand::seq::SliceRandom;
use serde::Serialize;

use super::distribution::{chi_squared_above, f_above, nemenyi_q, normal_two_sided};
use crate::random_stream::RandomStream;

/// Number of permutations for the p-value of small designs.
pub const PERMUTATIONS: u32 = 10_000;

/// The direction in which values get better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Greater values are better.
    Higher,
    /// Smaller values are better.
    Lower,
}

/// The ranks of several algorithms in several blocks. 1 is the best, and equal values share the
/// mean of their ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    /// One row for each block.
    rows: Vec<Vec<f64>>,
    count: usize,
}

impl Ranks {
    /// Ranks the values of each block. Every row has one value for each algorithm.
    ///
    /// # Panics
    ///
    /// Panics if the rows differ in length.
    #[must_use]
    pub fn of(rows: &[Vec<f64>], better: Better) -> Self {
        let count = rows.first().map_or(0, Vec::len);
        assert!(rows.iter().all(|row| row.len() == count), "all rows have the same length");
        let ranked = rows.iter().map(|row| {
            let signed: Vec<f64> = match better {
                Better::Higher => row.iter().map(|value| -value).collect(),
                Better::Lower => row.clone(),
            };
            average_ranks(&signed)
        });
        Self { rows: ranked.collect(), count }
    }

    /// Returns the number of algorithms (k).
    #[must_use]
    pub fn algorithms(&self) -> usize {
        self.count
    }

    /// Returns the number of blocks (N).
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.rows.len()
    }

    /// Returns the mean rank of each algorithm.
    #[must_use]
    pub fn means(&self) -> Vec<f64> {
        let blocks = self.rows.len().max(1) as f64;
        self.sums().into_iter().map(|sum| sum / blocks).collect()
    }

    fn sums(&self) -> Vec<f64> {
        (0..self.count).map(|at| self.rows.iter().map(|row| row[at]).sum()).collect()
    }

    /// Returns Friedman's χ², corrected for ties:
    /// `(k−1) Σ (S_j − N(k+1)/2)² / (Σ r² − N k (k+1)²/4)`. It is 0 if all values are equal.
    #[must_use]
    pub fn chi_squared(&self) -> f64 {
        let (k, n) = (self.count as f64, self.rows.len() as f64);
        let middle = n * (k + 1.0) / 2.0;
        let above: f64 = self.sums().iter().map(|sum| (sum - middle) * (sum - middle)).sum();
        let squares: f64 = self.rows.iter().flatten().map(|rank| rank * rank).sum();
        let below = squares - n * k * (k + 1.0) * (k + 1.0) / 4.0;
        if below <= 1e-9 { 0.0 } else { (k - 1.0) * above / below }
    }

    /// Runs the tests of the whole table.
    #[must_use]
    pub fn omnibus(&self, seed: u64) -> Omnibus {
        let (k, n) = (self.count as f64, self.rows.len() as f64);
        let chi_squared = self.chi_squared();
        let freedom = (k - 1.0).max(1.0);
        let denominator = n * (k - 1.0) - chi_squared;
        // If all blocks agree, the denominator is 0: F is infinite and p is 0.
        let f = (denominator > 1e-9).then(|| (n - 1.0) * chi_squared / denominator);
        let freedoms = [freedom, freedom * (n - 1.0)];
        let is_testable = self.rows.len() > 1 && self.count > 1;
        Omnibus {
            chi_squared,
            freedom,
            p: if is_testable { chi_squared_above(chi_squared, freedom) } else { 1.0 },
            iman_davenport: f,
            iman_davenport_freedom: freedoms,
            iman_davenport_p: match f {
                _ if !is_testable => 1.0,
                Some(f) => f_above(f, freedoms[0], freedoms[1]),
                None => 0.0,
            },
            kendall_w: if k > 1.0 && n > 0.0 { chi_squared / (n * (k - 1.0)) } else { 0.0 },
            permutation_p: self.permutation_p(seed),
        }
    }

    /// Returns the share of random permutations within blocks whose χ² is at least as great, for
    /// designs that are too small for the χ² distribution.
    fn permutation_p(&self, seed: u64) -> f64 {
        if self.rows.len() < 2 || self.count < 2 {
            return 1.0;
        }
        let own = self.chi_squared() - 1e-9;
        let mut random = RandomStream::new(seed, "permutation", 0);
        let mut shuffled = self.clone();
        let mut as_great = 0;
        for _ in 0..PERMUTATIONS {
            shuffled.rows.iter_mut().for_each(|row| row.shuffle(random.rng()));
            as_great += u32::from(shuffled.chi_squared() >= own);
        }
        f64::from(1 + as_great) / f64::from(1 + PERMUTATIONS)
    }

    /// Returns Nemenyi's critical difference, the least significant difference of two mean ranks:
    /// `CD = q_α √(k(k+1) / 6N)`.
    #[must_use]
    pub fn critical_difference(&self, alpha: f64) -> f64 {
        nemenyi_q(self.count, alpha) * self.rank_error()
    }

    /// Returns √(k(k+1) / 6N), the standard error of a difference of mean ranks.
    fn rank_error(&self) -> f64 {
        let (k, n) = (self.count as f64, self.rows.len() as f64);
        (k * (k + 1.0) / (6.0 * n.max(1.0))).sqrt()
    }

    /// Compares each algorithm with a control: `z = (R_i − R_c) / √(k(k+1)/6N)`, with a two-sided p
    /// that is adjusted by Holm.
    #[must_use]
    pub fn against(&self, control: usize) -> Vec<AgainstControl> {
        let means = self.means();
        let others: Vec<usize> = (0..self.count).filter(|at| *at != control).collect();
        let z: Vec<f64> =
            others.iter().map(|at| (means[*at] - means[control]) / self.rank_error()).collect();
        let p: Vec<f64> = z.iter().map(|z| normal_two_sided(*z)).collect();
        let adjusted = holm(&p);
        let each = others.into_iter().zip(z).zip(p.into_iter().zip(adjusted));
        each.map(|((algorithm, z), (p, adjusted_p))| AgainstControl { algorithm, z, p, adjusted_p })
            .collect()
    }
}

/// The results of the tests of a whole table of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Omnibus {
    /// Friedman's χ², corrected for ties.
    pub chi_squared: f64,
    /// Degrees of freedom of χ²: k − 1.
    pub freedom: f64,
    /// The p-value of χ².
    pub p: f64,
    /// Iman and Davenport's F; none if all blocks agree, because it is infinite then.
    pub iman_davenport: Option<f64>,
    /// Degrees of freedom of F: k − 1 and (k − 1)(N − 1).
    pub iman_davenport_freedom: [f64; 2],
    /// The p-value of F.
    pub iman_davenport_p: f64,
    /// Kendall's W: 1 if all blocks agree, 0 if their ranks have nothing in common.
    pub kendall_w: f64,
    /// The share of random permutations within blocks whose χ² is at least as great.
    pub permutation_p: f64,
}

/// The comparison of an algorithm with the control.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AgainstControl {
    /// Index of the algorithm in the table.
    pub algorithm: usize,
    /// The difference of mean ranks in standard errors; positive if the control is better.
    pub z: f64,
    /// The two-sided p-value.
    pub p: f64,
    /// The p-value adjusted by Holm.
    pub adjusted_p: f64,
}

/// Returns true if two values are equal, apart from rounding errors.
pub(crate) fn same(a: f64, b: f64) -> bool {
    let difference = (a - b).abs();
    a.total_cmp(&b).is_eq() || (difference.is_finite() && difference <= 1e-9 * a.abs().max(b.abs()))
}

/// Returns the ranks of the values, 1 for the smallest. Equal values share the mean of their ranks.
pub(crate) fn average_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let first = values[order[start]];
        let end = order[start..].iter().take_while(|at| same(values[**at], first)).count().max(1);
        let mean = (2 * start + end + 1) as f64 / 2.0;
        order[start..start + end].iter().for_each(|at| ranks[*at] = mean);
        start += end;
    }
    ranks
}

/// Returns the p-values adjusted by Holm: the i-th smallest is multiplied by m − i + 1, and none is
/// less than a smaller one's adjusted value.
pub(crate) fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut greatest: f64 = 0.0;
    for (place, at) in order.into_iter().enumerate() {
        greatest = greatest.max(((p.len() - place) as f64 * p[at]).min(1.0));
        adjusted[at] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() < within, "{found} is not {expected}");
    }

    #[test]
    fn ties_share_the_mean_of_their_ranks() {
        assert_eq!(average_ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(average_ranks(&[1.0, 1.0, 1.0]), [2.0, 2.0, 2.0]);
        // The tolerance is relative, so tiny numbers differ too; infinity and NaN do no harm.
        assert_eq!(average_ranks(&[2e-13, 1e-13]), [2.0, 1.0]);
        assert_eq!(average_ranks(&[f64::INFINITY, 1.0, f64::NAN]), [2.0, 1.0, 3.0]);
        let ranks = Ranks::of(&[vec![0.9, 0.5, 0.9]], Better::Higher);
        assert_eq!(ranks.means(), [1.5, 3.0, 1.5]);
    }

    #[test]
    fn friedman_with_ties_matches_conover() {
        // Conover's example: twelve homeowners rank four kinds of grass, several with ties.
        // T1 = 8.0973 and T2 = 3.1922 (Practical Nonparametric Statistics, section 5.8).
        let rows: Vec<Vec<f64>> = [
            [4.0, 3.0, 2.0, 1.0],
            [4.0, 2.0, 3.0, 1.0],
            [3.0, 1.5, 1.5, 4.0],
            [3.0, 1.0, 2.0, 4.0],
            [4.0, 2.0, 1.0, 3.0],
            [2.0, 2.0, 2.0, 4.0],
            [1.0, 3.0, 2.0, 4.0],
            [2.0, 4.0, 1.0, 3.0],
            [3.5, 1.0, 2.0, 3.5],
            [4.0, 1.0, 3.0, 2.0],
            [4.0, 2.0, 3.0, 1.0],
            [3.5, 1.0, 2.0, 3.5],
        ]
        .map(Vec::from)
        .into();
        let omnibus = Ranks::of(&rows, Better::Lower).omnibus(1);
        close(omnibus.chi_squared, 8.0973, 5e-5);
        close(omnibus.iman_davenport.unwrap(), 3.1922, 5e-5);
        close(omnibus.p, 0.0440, 5e-4);
        // The permutation test gives about the same p.
        close(omnibus.permutation_p, 0.04, 0.01);
    }

    #[test]
    fn friedman_and_nemenyi_match_demsar() {
        // Demšar (2006), table 6: C4.5 and three variants on fourteen datasets, by the area under
        // the curve. The mean ranks are 3.143, 2.000, 2.893 and 1.964; χ² = 9.28, F = 3.69, CD =
        // 1.25 at 5 % (q = 2.569).
        let rows: Vec<Vec<f64>> = [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.000, 1.000, 1.000, 1.000],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.9751, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ]
        .map(Vec::from)
        .into();
        let ranks = Ranks::of(&rows, Better::Higher);
        let expected = [3.143, 2.000, 2.893, 1.964];
        ranks.means().iter().zip(expected).for_each(|(found, rank)| close(*found, rank, 5e-4));
        // The published χ² is not corrected for ties: 12N/(k(k+1)) [Σ R² − k(k+1)²/4].
        let squares: f64 = ranks.means().iter().map(|rank| rank * rank).sum();
        close(12.0 * 14.0 / 20.0 * (squares - 25.0), 9.28, 5e-3);
        close(ranks.critical_difference(0.05), 1.25, 5e-3);
        close(ranks.critical_difference(0.10), 1.12, 5e-3);
        // The correction for ties, for one tie of four and three of two, divides it by
        // 1 − (60 + 3 · 6) / 840.
        let plain = 12.0 * 14.0 / 20.0 * (squares - 25.0);
        close(ranks.chi_squared(), plain / (1.0 - 78.0 / 840.0), 1e-9);
        // Against C4.5: z = (3.143 − 1.964) / 0.488 = 2.416 and so on; Holm rejects the first two.
        let against = ranks.against(0);
        let z: Vec<f64> = against.iter().map(|it| -it.z).collect();
        [2.342, 0.512, 2.416]
            .iter()
            .zip(&z)
            .for_each(|(expected, found)| close(*found, *expected, 5e-3));
        close(against[2].adjusted_p, 3.0 * against[2].p, 1e-12);
        close(against[0].adjusted_p, against[2].adjusted_p.max(2.0 * against[0].p), 1e-12);
        close(against[2].p, 0.016, 5e-4);
        close(against[0].p, 0.019, 5e-4);
        close(against[1].p, 0.607, 5e-3);
    }

    #[test]
    fn holm_is_monotonic_and_never_exceeds_one() {
        let adjusted = holm(&[0.04, 0.01, 0.5, 0.011]);
        let expected = [0.08, 0.04, 0.5, 0.04];
        adjusted.iter().zip(expected).for_each(|(found, expected)| close(*found, expected, 1e-12));
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    #[test]
    fn too_little_data_is_never_significant() {
        let one = Ranks::of(&[vec![1.0, 2.0, 3.0]], Better::Lower).omnibus(0);
        assert!(one.p >= 1.0 && one.permutation_p >= 1.0 && one.iman_davenport_p >= 1.0);
        let alike = Ranks::of(&[vec![1.0, 1.0], vec![2.0, 2.0]], Better::Lower).omnibus(0);
        close(alike.chi_squared, 0.0, 1e-12);
        close(alike.permutation_p, 1.0, 1e-12);
        let agreed = Ranks::of(&vec![vec![1.0, 2.0, 3.0]; 5], Better::Lower).omnibus(0);
        assert_eq!(agreed.iman_davenport, None);
        close(agreed.iman_davenport_p, 0.0, 1e-12);
        close(agreed.kendall_w, 1.0, 1e-12);
    }
}
