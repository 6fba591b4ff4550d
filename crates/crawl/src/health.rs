//! The health of a host: how it answered lately, and how long to leave it alone because of that.
//!
//! A host that does not answer is asked again after a delay that doubles each time, from seconds to
//! hours, while its links stay queued. A host that asks for fewer requests (429 or 503) gets a
//! longer crawl delay, which shrinks slowly once it answers again.

use serde::{Deserialize, Serialize};

/// The delay after the first failure, in milliseconds; it doubles with each further one.
const FIRST_BACK_OFF: u64 = 5_000;
/// The longest delay after a failure.
const LONGEST_BACK_OFF: u64 = 4 * 3_600 * 1_000;
/// The smallest and the greatest addition to the crawl delay of a host that asks for fewer
/// requests, in milliseconds.
const SMALLEST_SLOWDOWN: u64 = 1_000;
const GREATEST_SLOWDOWN: u64 = 10 * 60 * 1_000;
/// Number of failures in a row from which on a host counts as failing. A single one may be the
/// fault of one page.
const FAILING: u32 = 2;

/// The health of a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostHealth {
    /// Requests in a row that failed.
    pub failures: u32,
    /// The time of the first of these failures, in milliseconds since 1970.
    pub failing_since: Option<u64>,
    /// Milliseconds added to the crawl delay because the host asked for fewer requests.
    pub slowdown: u64,
}

impl HostHealth {
    /// Returns the health after a usable answer. An eighth of the slowdown goes with each.
    #[must_use]
    pub fn answered(self) -> Self {
        let slowdown = self.slowdown - self.slowdown.div_ceil(8);
        Self { failures: 0, failing_since: None, slowdown }
    }

    /// Returns the health after a request without a usable answer.
    #[must_use]
    pub fn failed(self, now: u64) -> Self {
        Self {
            failures: self.failures.saturating_add(1),
            failing_since: self.failing_since.or(Some(now)),
            ..self
        }
    }

    /// Returns the health after an answer that asks for fewer requests. `delay` is the crawl delay
    /// so far, in milliseconds.
    #[must_use]
    pub fn throttled(self, delay: u64) -> Self {
        let before = self.slowdown.max(delay / 2).max(SMALLEST_SLOWDOWN / 2);
        let slowdown = before.saturating_mul(2).min(GREATEST_SLOWDOWN);
        Self { failures: 0, failing_since: None, slowdown }
    }

    /// Returns true if the host has failed several times in a row.
    #[must_use]
    pub fn is_failing(self) -> bool {
        self.failures >= FAILING
    }

    /// Returns true if the host has been failing for `most` milliseconds or longer.
    #[must_use]
    pub fn has_failed_for(self, most: u64, now: u64) -> bool {
        self.is_failing()
            && self.failing_since.is_some_and(|since| now >= since.saturating_add(most))
    }

    /// Returns the delay after the last failure, in milliseconds. `spread` from 0 to 255 adds up to
    /// a quarter, so that hosts that failed together are not asked again together.
    #[must_use]
    pub fn back_off(self, spread: u8) -> u64 {
        if self.failures == 0 {
            return 0;
        }
        let delay = FIRST_BACK_OFF.saturating_mul(1 << (self.failures - 1).min(32));
        let delay = delay.min(LONGEST_BACK_OFF);
        delay + delay * u64::from(spread) / 1_024
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_back_off_doubles_up_to_hours() {
        let mut health = HostHealth::default();
        assert_eq!(health.back_off(0), 0);
        let mut delays = Vec::new();
        for now in 0..14 {
            health = health.failed(now);
            delays.push(health.back_off(0) / 1_000);
        }
        let expected =
            [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 14_400, 14_400];
        assert_eq!(delays, expected);
        assert_eq!(health.failing_since, Some(0));
        assert_eq!(health.back_off(255), 14_400_000 + 14_400_000 * 255 / 1_024);
        assert_eq!(health.answered(), HostHealth::default());
    }

    #[test]
    fn one_failure_does_not_make_a_host_failing() {
        let once = HostHealth::default().failed(1_000);
        assert!(!once.is_failing() && once.failed(2_000).is_failing());
        assert!(!once.failed(2_000).has_failed_for(5_000, 5_999));
        assert!(once.failed(2_000).has_failed_for(5_000, 6_000));
    }

    #[test]
    fn a_slowdown_doubles_and_shrinks_slowly() {
        let mut health = HostHealth::default().throttled(1_000);
        assert_eq!(health.slowdown, 1_000);
        health = health.throttled(1_000);
        assert_eq!(health.slowdown, 2_000);
        assert_eq!(health.answered().slowdown, 1_750);
        for _ in 0..40 {
            health = health.throttled(1_000);
        }
        assert_eq!(health.slowdown, GREATEST_SLOWDOWN);
        for _ in 0..150 {
            health = health.answered();
        }
        assert_eq!(health.slowdown, 0);
        // A host with a long delay is slowed down from there.
        assert_eq!(HostHealth::default().throttled(60_000).slowdown, 60_000);
    }
}
