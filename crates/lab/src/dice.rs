//! Where chance comes from: one stream of random numbers for each purpose and each thing, so that what is drawn for one never
//! depends on another, and threads may draw in any order.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    /// The stream of one thing, such as a page, for one purpose.
    pub(crate) fn new(seed: u64, purpose: &str, number: u64) -> Self {
        let name = format!("{purpose} {number}");
        Self(ChaCha8Rng::seed_from_u64(xxh3_64_with_seed(name.as_bytes(), seed)))
    }

    pub(crate) fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.0
    }

    /// A number from 0 up to, but not including, 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// Whether something with this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of `0..count`; 0 if that is nothing.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        // Of 64 bits on every machine.
        if count < 2 {
            return 0;
        }
        usize::try_from(self.0.random_range(0..count as u64)).unwrap_or(0)
    }

    /// One of several things.
    pub(crate) fn pick<'t, T: ?Sized>(&mut self, things: &[&'t T]) -> &'t T {
        things[self.below(things.len())]
    }

    /// A number of a power law: P(x) ~ x^-exponent from `least` up to `most`.
    pub(crate) fn power_law(&mut self, exponent: f64, least: f64, most: f64) -> f64 {
        let tail = 1.0 - exponent;
        let (low, high) = (libm::pow(least, tail), libm::pow(most, tail));
        libm::pow(low + self.unit() * (high - low), 1.0 / tail)
    }
}
