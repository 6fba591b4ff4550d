//! Random numbers: a separate stream for each purpose and each item, such as a page. What is drawn
//! for one item never depends on another, so threads may draw in any order.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub(crate) struct RandomStream(ChaCha8Rng);

impl RandomStream {
    /// Returns the stream of one item for one purpose.
    pub(crate) fn new(seed: u64, purpose: &str, number: u64) -> Self {
        let name = format!("{purpose} {number}");
        Self(ChaCha8Rng::seed_from_u64(xxh3_64_with_seed(name.as_bytes(), seed)))
    }

    pub(crate) fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.0
    }

    /// Returns a number in the range [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// Returns true with the given probability.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number in `0..count`; 0 if `count` is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        // Drawn as 64 bits, so that the stream is the same on every machine.
        usize::try_from(self.0.random_range(0..count as u64)).unwrap_or(0)
    }

    /// Returns one of the items. There must be at least one.
    pub(crate) fn pick<'t, T: ?Sized>(&mut self, things: &[&'t T]) -> &'t T {
        things[self.below(things.len())]
    }

    /// Returns a number from a power law: P(x) ~ x^-exponent, from `least` to `most`.
    pub(crate) fn power_law(&mut self, exponent: f64, least: f64, most: f64) -> f64 {
        let tail = 1.0 - exponent;
        let (low, high) = (libm::pow(least, tail), libm::pow(most, tail));
        libm::pow(low + self.unit() * (high - low), 1.0 / tail)
    }
}
