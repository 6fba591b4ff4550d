//! The threshold with the greatest F1, from smoothed scores.
//!
//! The best threshold for a dozen pages depends on where two or three of them happen to lie. So
//! each score is replaced by a small bell curve around it (kernel density estimation, with the
//! bandwidth 1.06 σ n^(−1/5) of B. W. Silverman, Density estimation, 1986, eq. 3.28), and the
//! threshold is the one that is best for the smoothed samples. The bells are logistic ones, whose
//! integral has a closed form.

use super::logistic;

/// Number of steps of the thresholds that are tried.
const STEPS: usize = 500;

/// Least bandwidth, as a share of the greatest score: closer scores are not distinguished.
const NARROWEST: f64 = 0.005;

/// Values of F1 that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// The shares of two samples above each threshold, as sums over the scores.
#[derive(Debug, Clone)]
pub(super) struct Smoothed {
    on: Sample,
    off: Sample,
    /// The greatest score. Thresholds are tried up to it: by SSRM all scores may be below 0.01.
    top: f64,
}

#[derive(Debug, Clone)]
struct Sample {
    /// The greatest score of both samples.
    top: f64,
    /// The scale of the bells.
    scale: f64,
    /// Number of scores.
    count: f64,
    /// For each threshold, the sum over all scores of the part above it.
    above: Vec<f64>,
}

impl Smoothed {
    pub(super) fn of(on: &[f64], off: &[f64]) -> Self {
        let most = on.iter().chain(off).copied().fold(0.0, f64::max);
        let top = if most > 0.0 { most } else { 1.0 };
        Self { on: Sample::of(on, top), off: Sample::of(off, top), top }
    }

    /// Returns the threshold with the greatest F1 for a share of relevant pages, or the middle of
    /// those that are equally good. One page can be left out. `None` if no on-topic page is left.
    pub(super) fn threshold(&self, prior: f64, left_out: Option<(f64, bool)>) -> Option<f64> {
        let on_out = left_out.filter(|it| it.1).map(|it| it.0);
        let off_out = left_out.filter(|it| !it.1).map(|it| it.0);
        let (recall, alarms) = (self.on.shares(on_out)?, self.off.shares(off_out));
        let none = vec![0.0; STEPS];
        let alarms = alarms.as_ref().unwrap_or(&none);
        // F1 = 2 TP / (2 TP + FP + FN), and TP + FN = π.
        let f1 = |(recall, alarms): (&f64, &f64)| {
            2.0 * prior * recall / (prior * recall + (1.0 - prior) * alarms + prior)
        };
        let values: Vec<f64> = recall.iter().zip(alarms).map(f1).collect();
        let most = values.iter().copied().fold(0.0, f64::max);
        let first = values.iter().position(|&value| value >= most - EQUAL)?;
        let equal = values[first..].iter().take_while(|&&value| value >= most - EQUAL).count();
        let middle = f64::midpoint(first as f64, (first + equal - 1) as f64);
        Some(middle / STEPS as f64 * self.top)
    }
}

impl Sample {
    fn of(scores: &[f64], top: f64) -> Self {
        let count = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / count.max(1.0);
        let variance = scores.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / count.max(1.0);
        let bandwidth = (1.06 * variance.sqrt() * count.max(1.0).powf(-0.2)).max(NARROWEST * top);
        // The logistic distribution with the scale s has the variance s² π² / 3.
        let scale = bandwidth * 3.0_f64.sqrt() / std::f64::consts::PI;
        let mut sample = Self { top, scale, count, above: Vec::new() };
        let sum = |step| scores.iter().map(|&score| sample.part(score, step)).sum();
        sample.above = (0..STEPS).map(sum).collect();
        sample
    }

    /// Returns the share of the scores above each threshold, without one score; `None` if there
    /// are no others.
    fn shares(&self, left_out: Option<f64>) -> Option<Vec<f64>> {
        let count = self.count - f64::from(u8::from(left_out.is_some()));
        let own = |step| left_out.map_or(0.0, |score| self.part(score, step));
        let share = |(step, sum): (usize, &f64)| ((sum - own(step)) / count).clamp(0.0, 1.0);
        (count > 0.0).then(|| self.above.iter().enumerate().map(share).collect())
    }

    /// Returns the part of the bell around a score that lies above a threshold.
    fn part(&self, score: f64, step: usize) -> f64 {
        let threshold = step as f64 / STEPS as f64 * self.top;
        logistic((score - threshold) / self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal scores have the narrowest bells. Between 0.2 and 0.8 all thresholds are right.
    #[test]
    fn far_apart_classes_are_separated_in_the_middle() {
        let found = Smoothed::of(&[0.8; 12], &[0.2; 40]).threshold(12.0 / 52.0, None).unwrap();
        assert!((found - 0.5).abs() < 0.01, "{found}");
    }

    /// By SSRM all scores are small; steps and bandwidth follow the greatest of them.
    #[test]
    fn small_scores_are_separated_too() {
        let small = Smoothed::of(&[0.008; 12], &[0.002; 40]).threshold(12.0 / 52.0, None).unwrap();
        assert!((small - 0.005).abs() < 1e-4, "{small}");
    }

    /// One off-topic page among the on-topic ones hardly moves the threshold.
    #[test]
    fn a_stray_page_hardly_moves_the_threshold() {
        let on: Vec<f64> = (0..12).map(|it| 0.5 + f64::from(it) / 40.0).collect();
        let off: Vec<f64> = (0..120).map(|it| f64::from(it) / 400.0).collect();
        let without = Smoothed::of(&on, &off).threshold(0.1, None).unwrap();
        let stray: Vec<f64> = off.iter().copied().chain([0.55]).collect();
        let with = Smoothed::of(&on, &stray).threshold(0.1, None).unwrap();
        assert!((with - without).abs() < 0.05, "{without} {with}");
    }

    /// Leaving a page out is the same as not having it, but for the bandwidth, which stays.
    #[test]
    fn pages_are_left_out() {
        let all = Smoothed::of(&[0.9, 0.9, 0.9], &[0.1, 0.1]);
        let without = Smoothed::of(&[0.9, 0.9], &[0.1, 0.1]);
        let (one, other) = (all.threshold(0.5, Some((0.9, true))), without.threshold(0.5, None));
        assert!((one.unwrap() - other.unwrap()).abs() < 1e-6);
        let moved = Smoothed::of(&[0.9, 0.9, 0.4], &[0.1, 0.1]);
        let (with, without) = (moved.threshold(0.5, None), moved.threshold(0.5, Some((0.4, true))));
        assert!(with.unwrap() < without.unwrap(), "{with:?} {without:?}");
        assert_eq!(Smoothed::of(&[0.9], &[0.1]).threshold(0.5, Some((0.9, true))), None);
        assert!(Smoothed::of(&[0.9], &[0.1]).threshold(0.5, Some((0.1, false))).is_some());
    }
}
