//! The effect of a threshold below which the answer is "other".

use serde::Serialize;

use crate::evaluate::share;

/// Number of steps of the threshold from 0 to 1.
const STEPS: usize = 100;

/// The answers that a classifier would give with a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ThresholdPoint {
    /// The threshold: the answer is "other" if all posteriors are below it.
    pub threshold: f64,
    /// Share of the documents that are answered with a class.
    pub coverage: f64,
    /// Share of these answers that are right; none if there are no such answers.
    pub precision: Option<f64>,
    /// Share of all documents that get the right answer. For a document of none of the classes,
    /// that is "other".
    pub accuracy: f64,
}

/// The documents of an evaluation by the posterior of their likeliest class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Confidences {
    /// A bin for each threshold k / 100, with the documents from there to the next.
    bins: Vec<Bin>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Bin {
    documents: u64,
    /// Number of documents whose likeliest class is the true one.
    right: u64,
    /// Number of documents of none of the classes.
    foreign: u64,
}

impl Confidences {
    pub(crate) fn new() -> Self {
        Self { bins: vec![Bin::default(); STEPS + 1] }
    }

    /// Adds a document with the posterior of its likeliest class. `is_right` is none if the
    /// document belongs to none of the classes.
    pub(crate) fn add(&mut self, posterior: f64, is_right: Option<bool>) {
        let above = |step: &usize| threshold(*step) <= posterior;
        let last = (0..=STEPS).take_while(above).last().unwrap_or(0);
        let bin = &mut self.bins[last];
        bin.documents += 1;
        bin.right += u64::from(is_right == Some(true));
        bin.foreign += u64::from(is_right.is_none());
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.documents += more.documents;
            bin.right += more.right;
            bin.foreign += more.foreign;
        }
    }

    /// Returns a point for each threshold from 0 to 1; none if there are no documents.
    pub(crate) fn points(&self) -> Vec<ThresholdPoint> {
        let all: u64 = self.bins.iter().map(|bin| bin.documents).sum();
        if all == 0 {
            return Vec::new();
        }
        let (mut answered, mut right) = (all, self.bins.iter().map(|bin| bin.right).sum::<u64>());
        let mut rejected = 0;
        let point = |(step, bin): (usize, &Bin)| {
            let point = ThresholdPoint {
                threshold: threshold(step),
                coverage: share(answered, all),
                precision: (answered > 0).then(|| share(right, answered)),
                accuracy: share(right + rejected, all),
            };
            answered -= bin.documents;
            right -= bin.right;
            rejected += bin.foreign;
            point
        };
        self.bins.iter().enumerate().map(point).collect()
    }
}

fn threshold(step: usize) -> f64 {
    step as f64 / STEPS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_curve_has_the_figures_computed_by_hand() {
        let mut confidences = Confidences::new();
        // Two right answers, a wrong one, and a document of no class.
        confidences.add(0.29, Some(true));
        confidences.add(0.9, Some(true));
        confidences.add(0.5, Some(false));
        confidences.add(0.4, None);
        let points = confidences.points();
        assert_eq!(points.len(), 101);
        let at = |step: usize| (points[step].coverage, points[step].precision);
        assert_eq!((at(0), points[0].accuracy), ((1.0, Some(0.5)), 0.5));
        // A posterior that equals the threshold is an answer, as in prediction.
        assert_eq!(at(29), (1.0, Some(0.5)));
        assert_eq!((at(30), points[30].accuracy), ((0.75, Some(1.0 / 3.0)), 0.25));
        assert_eq!((at(41), points[41].accuracy), ((0.5, Some(0.5)), 0.5));
        assert_eq!((at(51), points[51].accuracy), ((0.25, Some(1.0)), 0.5));
        assert_eq!((at(100), points[100].accuracy), ((0.0, None), 0.25));
        let mut twice = confidences.clone();
        twice.absorb(&confidences);
        assert_eq!(twice.points(), points);
        assert_eq!(Confidences::new().points(), []);
    }
}
