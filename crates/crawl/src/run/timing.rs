//! Durations of the steps of a crawl, as histograms.

use std::time::Duration;

/// The upper bounds of the buckets, in seconds. A last bucket has no bound.
pub const BUCKETS: [f64; 12] =
    [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0];

/// A histogram of durations.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Histogram {
    /// Number of durations in each bucket of [`BUCKETS`], and above the last.
    pub counts: [u64; BUCKETS.len() + 1],
    /// The sum of all durations, in seconds.
    pub sum: f64,
}

impl Histogram {
    pub(crate) fn add(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let bucket = BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len());
        self.counts[bucket] += 1;
        self.sum += seconds;
    }
}

/// Durations of the steps of a run. Earlier runs of the same crawl do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timings {
    /// Fetches, from the request to the last byte.
    pub fetch: Histogram,
    /// Lookups of host names.
    pub lookup: Histogram,
    /// Choices of the next link.
    pub decision: Histogram,
    /// Commits of the state.
    pub commit: Histogram,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_in_buckets() {
        let mut histogram = Histogram::default();
        for milliseconds in [0, 1, 3, 400, 61_000] {
            histogram.add(Duration::from_millis(milliseconds));
        }
        assert_eq!(histogram.counts, [1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
        assert!((histogram.sum - 61.404).abs() < 1e-9);
    }
}
