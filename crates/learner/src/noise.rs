//! Noise that is a function of its arguments, so that it is the same after a restart.

use crate::clues::mixed;

/// Returns a number from −1.5 to 1.5 for a random seed, a pass and a link. Most are near 0: it is
/// the sum of three uniform numbers, less 1.5.
#[must_use]
pub fn noise(seed: u64, pass: u64, link: u64) -> f64 {
    let hash = mixed(mixed(link, pass), seed);
    let part = |shift: u32| (hash >> shift & 0x1f_ffff) as f64 / 2_097_152.0;
    part(0) + part(21) + part(42) - 1.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_centred_and_bounded() {
        let drawn: Vec<f64> = (0..10_000).map(|link| noise(1, 2, link)).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let square = drawn.iter().map(|it| it * it).sum::<f64>() / drawn.len() as f64;
        assert!(drawn.iter().all(|it| it.abs() <= 1.5));
        // Three uniform numbers have a variance of 3/12.
        assert!(mean.abs() < 0.02 && (square - 0.25).abs() < 0.02, "{mean} {square}");
        assert!((noise(1, 2, 3) - noise(1, 2, 3)).abs() < f64::EPSILON);
        assert!((noise(1, 2, 3) - noise(1, 3, 3)).abs() > f64::EPSILON);
    }
}
