//! The random number generator behind all random choices. It is stored with the rest of the pilot,
//! so that a resumed crawl makes the same choices as an uninterrupted one.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A random number generator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a random number from 0 (inclusive) to 1 (exclusive).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// Returns a random number below `count`, and none if `count` is 0.
    pub(crate) fn below(&mut self, count: usize) -> Option<usize> {
        // Draw 64 bits, so that machines with another word size draw the same number.
        let drawn = (count > 0).then(|| self.0.random_range(0..count as u64))?;
        usize::try_from(drawn).ok()
    }

    /// Shuffles the elements.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        things.shuffle(&mut self.0);
    }

    /// Keeps a random sample of `count` elements, in random order.
    pub(crate) fn sample<T>(&mut self, things: &mut Vec<T>, count: usize) {
        let (_, rest) = things.partial_shuffle(&mut self.0, count);
        let kept = rest.len();
        // A partial shuffle leaves the sample at the end.
        things.rotate_left(kept);
        things.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_generator_draws_the_same_numbers() {
        let mut random = Random::new(7);
        let first: Vec<f64> = (0..5).map(|_| random.unit()).collect();
        assert!(first.iter().all(|it| (0.0..1.0).contains(it)));
        let mut kept: Random =
            postcard::from_bytes(&postcard::to_stdvec(&random).unwrap()).unwrap();
        assert_eq!(kept.below(1_000), random.below(1_000));
        assert_eq!(Random::new(7).unit().to_bits(), first[0].to_bits());
        assert_eq!(random.below(0), None);
    }

    #[test]
    fn a_sample_has_no_repetitions() {
        let mut random = Random::new(1);
        for count in 0..12 {
            let mut things: Vec<u32> = (0..9).collect();
            random.sample(&mut things, count);
            assert_eq!(things.len(), count.min(9));
            things.sort_unstable();
            things.dedup();
            assert_eq!(things.len(), count.min(9));
        }
    }
}
