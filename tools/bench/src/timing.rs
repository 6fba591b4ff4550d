//! How long work takes.

use std::time::Instant;

/// The seconds that some work takes.
pub(crate) fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    let made = std::hint::black_box(work());
    let elapsed = start.elapsed().as_secs_f64();
    drop(made);
    // No clock is that exact; nothing may be divided by zero.
    elapsed.max(1e-9)
}
