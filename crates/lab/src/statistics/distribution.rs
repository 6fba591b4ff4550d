//! Distributions for the tests. The normal, χ² and F distributions come from statrs; the
//! studentised range, which no maintained crate has, is integrated here.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor, Normal};

/// Number of steps in the integral of the studentised range. With Simpson's rule, this gives at
/// least ten correct digits.
const STEPS: u32 = 2_000;
/// Number of standard deviations beyond which the normal density is negligible.
const FAR: f64 = 9.0;

/// Returns P(X ≥ x) for χ² with `freedom` degrees of freedom.
pub(crate) fn chi_squared_above(x: f64, freedom: f64) -> f64 {
    match ChiSquared::new(freedom) {
        Ok(distribution) if x.is_finite() => distribution.sf(x.max(0.0)),
        _ => 0.0,
    }
}

/// Returns P(X ≥ x) for F with `above` and `below` degrees of freedom.
pub(crate) fn f_above(x: f64, above: f64, below: f64) -> f64 {
    match FisherSnedecor::new(above, below) {
        Ok(distribution) if x.is_finite() => distribution.sf(x.max(0.0)),
        _ => 0.0,
    }
}

/// Returns Φ(x), the standard normal distribution function.
pub(crate) fn normal_below(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// Returns P(|Z| ≥ z) for a standard normal Z.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    (2.0 * Normal::standard().sf(z.abs())).min(1.0)
}

/// Returns `q_α` of Nemenyi's test for `count` algorithms: the quantile of the studentised range
/// with infinite degrees of freedom, divided by √2.
///
/// P(range < q) = k ∫ φ(z) (Φ(z) − Φ(z − q))^(k−1) dz, inverted by bisection.
pub(crate) fn nemenyi_q(count: usize, alpha: f64) -> f64 {
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if 1.0 - range_below(middle, count) > alpha { low = middle } else { high = middle }
    }
    f64::midpoint(low, high) / std::f64::consts::SQRT_2
}

/// Returns P(range < q) for `count` standard normal variables.
fn range_below(q: f64, count: usize) -> f64 {
    let power = i32::try_from(count.saturating_sub(1)).unwrap_or(i32::MAX);
    let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let at = |z: f64| density(z) * (normal_below(z) - normal_below(z - q)).powi(power);
    let width = 2.0 * FAR / f64::from(STEPS);
    let sum: f64 = (0..=STEPS)
        .map(|step| {
            let weight = match step {
                0 | STEPS => 1.0,
                _ if step % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * at(-FAR + f64::from(step) * width)
        })
        .sum();
    (count as f64 * sum * width / 3.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nemenyi_quantiles_match_published_tables() {
        // From Demšar's tables and tables of the studentised range, k from 2 to 15.
        let tables = [
            (0.10, [1.644_854, 2.052_293, 2.291_341, 2.459_516, 2.588_521, 2.692_732, 2.779_884]),
            (0.05, [1.959_964, 2.343_701, 2.569_032, 2.727_774, 2.849_705, 2.948_320, 3.030_879]),
            (0.01, [2.575_829, 2.913_494, 3.113_250, 3.254_686, 3.363_740, 3.452_213, 3.526_471]),
        ];
        for (alpha, row) in tables {
            for (place, expected) in row.into_iter().enumerate() {
                let found = nemenyi_q(place + 2, alpha);
                assert!((found - expected).abs() < 1e-6, "k {} α {alpha}: {found}", place + 2);
            }
        }
        for (count, alpha, expected) in [
            (9, 0.05, 3.101_730),
            (15, 0.05, 3.391_230),
            (15, 0.10, 3.159_199),
            (15, 0.01, 3.852_654),
        ] {
            assert!((nemenyi_q(count, alpha) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn tail_probabilities_match_published_tables() {
        for (freedom, five, one) in
            [(1.0, 3.841, 6.635), (7.0, 14.067, 18.475), (10.0, 18.307, 23.209)]
        {
            assert!((chi_squared_above(five, freedom) - 0.05).abs() < 1e-4);
            assert!((chi_squared_above(one, freedom) - 0.01).abs() < 1e-4);
        }
        // F_F with k = 8 and N = 4 or 10.
        assert!((f_above(2.488, 7.0, 21.0) - 0.05).abs() < 1e-3);
        assert!((f_above(2.159, 7.0, 63.0) - 0.05).abs() < 1e-3);
        assert!((normal_two_sided(1.959_964) - 0.05).abs() < 1e-6);
        assert!((normal_two_sided(-2.575_829) - 0.01).abs() < 1e-6);
        assert!(f_above(f64::INFINITY, 7.0, 21.0).abs() < 1e-12);
    }
}
