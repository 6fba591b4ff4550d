//! Where every random choice comes from. It is kept with the rest of the pilot, so a crawl that goes on draws what it
//! would have drawn.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A source of random choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number from 0 up to, but not including, 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.random()
    }

    /// One of `0..count`; none if that is nothing.
    pub(crate) fn below(&mut self, count: usize) -> Option<usize> {
        // Of 64 bits on every machine.
        let drawn = (count > 0).then(|| self.0.random_range(0..count as u64))?;
        usize::try_from(drawn).ok()
    }

    /// Puts things in random order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        things.shuffle(&mut self.0);
    }

    /// The first `count` of `things` become a random choice of them, in random order.
    pub(crate) fn choose_first<T>(&mut self, things: &mut Vec<T>, count: usize) {
        let (_, rest) = things.partial_shuffle(&mut self.0, count);
        let kept = rest.len();
        // A partial shuffle leaves what it chose at the end.
        things.rotate_left(kept);
        things.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_after_being_kept() {
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
    fn a_choice_is_of_different_things() {
        let mut random = Random::new(1);
        for count in 0..12 {
            let mut things: Vec<u32> = (0..9).collect();
            random.choose_first(&mut things, count);
            assert_eq!(things.len(), count.min(9));
            things.sort_unstable();
            things.dedup();
            assert_eq!(things.len(), count.min(9));
        }
    }
}
