//! Isotonic regression: the rising step function nearest to the classes of the scores.
//!
//! Computed by pooling adjacent violators (M. Ayer et al., An empirical distribution function for
//! sampling with incomplete information, 1955; R. E. Barlow et al., 1972). Between the steps P is
//! interpolated.

/// Scores that share one value.
#[derive(Debug, Clone, Copy)]
struct Pool {
    first: f64,
    last: f64,
    on: f64,
    all: f64,
}

impl Pool {
    fn value(&self) -> f64 {
        self.on / self.all
    }
}

/// Returns the corners (R, P) of the rising function nearest to the classes, by ascending R. Both
/// samples are in ascending order.
pub(super) fn corners(on: &[f64], off: &[f64]) -> Vec<(f64, f64)> {
    let on = on.iter().map(|&score| (score, 1.0));
    let mut samples: Vec<(f64, f64)> = on.chain(off.iter().map(|&score| (score, 0.0))).collect();
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut pools: Vec<Pool> = Vec::new();
    for tied in samples.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let on = tied.iter().map(|it| it.1).sum();
        let mut pool = Pool { first: tied[0].0, last: tied[0].0, on, all: tied.len() as f64 };
        // Equal neighbours are pooled too: they make one step.
        while let Some(before) = pools.pop_if(|before| before.value() >= pool.value()) {
            pool = Pool {
                first: before.first,
                on: before.on + pool.on,
                all: before.all + pool.all,
                ..pool
            };
        }
        pools.push(pool);
    }
    let mut corners = Vec::new();
    for pool in pools {
        corners.push((pool.first, pool.value()));
        if pool.last > pool.first {
            corners.push((pool.last, pool.value()));
        }
    }
    corners
}

/// Returns the value at a score: interpolated between corners, constant beyond the first and the
/// last.
pub(super) fn interpolate(corners: &[(f64, f64)], score: f64) -> f64 {
    let after = corners.partition_point(|corner| corner.0 <= score);
    match (after.checked_sub(1).and_then(|at| corners.get(at)), corners.get(after)) {
        (Some(&(from, low)), Some(&(to, high))) => {
            low + (high - low) * ((score - from) / (to - from))
        }
        (Some(&(_, value)), None) | (None, Some(&(_, value))) => value,
        (None, None) => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes by ascending score: 0, 1, 0, 1 at 0.1, 0.2, 0.3, 0.4. The second and the third
    /// violate the order and are pooled to ½.
    #[test]
    fn violators_are_pooled() {
        let found = corners(&[0.2, 0.4], &[0.1, 0.3]);
        assert_eq!(found, [(0.1, 0.0), (0.2, 0.5), (0.3, 0.5), (0.4, 1.0)]);
        assert!((interpolate(&found, 0.15) - 0.25).abs() < 1e-12);
        assert!((interpolate(&found, 0.25) - 0.5).abs() < 1e-12);
        assert!(interpolate(&found, 0.0).abs() < 1e-12);
        assert!((interpolate(&found, 1.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn equal_scores_share_a_value() {
        assert_eq!(corners(&[0.5, 0.5], &[0.5]), [(0.5, 2.0 / 3.0)]);
        // A falling order becomes one step.
        assert_eq!(corners(&[0.1], &[0.9]), [(0.1, 0.5), (0.9, 0.5)]);
    }
}
