//! Measures time.

use std::time::Instant;

/// Runs some work and returns the seconds it took.
pub(crate) fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    let made = std::hint::black_box(work());
    let elapsed = start.elapsed().as_secs_f64();
    drop(made);
    // Below the resolution of any clock; callers divide by the result, so it must not be zero.
    elapsed.max(1e-9)
}
