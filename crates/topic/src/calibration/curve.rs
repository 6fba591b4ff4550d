//! Precision and recall at every threshold.

/// The threshold to look for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// The greatest F1.
    F1,
    /// At least this precision, with as much recall as possible.
    Precision(f64),
    /// At least this recall, with as much precision as possible.
    Recall(f64),
}

/// A threshold, and what it does to a sample.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct OperatingPoint {
    /// The threshold. A page is relevant if its R is greater.
    pub threshold: f64,
    /// The share of relevant pages among those above the threshold; 0 if there are none.
    pub precision: f64,
    /// The share of on-topic pages above the threshold.
    pub recall: f64,
    /// The share of off-topic pages above the threshold.
    pub false_alarms: f64,
    /// The harmonic mean of precision and recall.
    pub f1: f64,
}

/// Precision, recall and false alarms at every threshold that separates two scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The points, by ascending threshold. The first threshold is 0: a page without any term of the
    /// topic is never relevant.
    pub points: Vec<OperatingPoint>,
}

impl Curve {
    /// Computes the curve from scores in ascending order, for a share of relevant pages.
    #[must_use]
    pub fn of(on: &[f64], off: &[f64], prior: f64) -> Self {
        let mut scores: Vec<f64> = on.iter().chain(off).copied().filter(|it| *it > 0.0).collect();
        scores.sort_by(f64::total_cmp);
        scores.dedup();
        let between = scores.windows(2).map(|two| f64::midpoint(two[0], two[1]));
        let thresholds = std::iter::once(0.0).chain(between).chain(scores.last().copied());
        let points = thresholds.map(|threshold| point(on, off, prior, threshold)).collect();
        Self { points }
    }

    /// Returns the point that reaches a goal; `None` if there is none. Of several points that are
    /// equally good, the one with the lowest threshold is returned for F1 and precision, and the
    /// one with the greatest for recall.
    #[must_use]
    pub fn best(&self, goal: Goal) -> Option<OperatingPoint> {
        let mut points = self.points.iter().copied();
        match goal {
            Goal::F1 => {
                let better = |best: OperatingPoint, it: OperatingPoint| {
                    if it.f1 > best.f1 { it } else { best }
                };
                points.reduce(better).filter(|it| it.f1 > 0.0)
            }
            Goal::Precision(least) => points.find(|it| it.recall > 0.0 && it.precision >= least),
            Goal::Recall(least) => points.rfind(|it| it.recall > 0.0 && it.recall >= least),
        }
    }
}

/// Precision by Bayes' rule: π·recall / (π·recall + (1 − π)·false alarms).
fn point(on: &[f64], off: &[f64], prior: f64, threshold: f64) -> OperatingPoint {
    let above = |scores: &[f64]| {
        let below = scores.partition_point(|&score| score <= threshold);
        share((scores.len() - below) as f64, scores.len() as f64)
    };
    let (recall, false_alarms) = (above(on), above(off));
    let true_share = prior * recall;
    let precision = share(true_share, true_share + (1.0 - prior) * false_alarms);
    let f1 = share(2.0 * precision * recall, precision + recall);
    OperatingPoint { threshold, precision, recall, false_alarms, f1 }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On-topic pages at 0.5, 0.7, 0.9; off-topic pages at 0, 0.1, 0.6. Above 0.3 are 3 + 1 pages
    /// (precision ¾, recall 1, F1 6/7), above 0.65 are 2 + 0 (precision 1, recall ⅔, F1 4/5).
    #[test]
    fn thresholds_by_hand() {
        let curve = Curve::of(&[0.5, 0.7, 0.9], &[0.0, 0.1, 0.6], 0.5);
        let thresholds: Vec<f64> = curve.points.iter().map(|it| it.threshold).collect();
        let expected = [0.0, 0.3, 0.55, 0.65, 0.8, 0.9];
        assert!(thresholds.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
        let best = curve.best(Goal::F1).unwrap();
        assert!((best.threshold - 0.3).abs() < 1e-12);
        assert!((best.f1 - 6.0 / 7.0).abs() < 1e-12);
        let precise = curve.best(Goal::Precision(0.9)).unwrap();
        assert!(
            (precise.threshold - 0.65).abs() < 1e-12 && (precise.recall - 2.0 / 3.0).abs() < 1e-12
        );
        let complete = curve.best(Goal::Recall(0.9)).unwrap();
        assert!((complete.threshold - 0.3).abs() < 1e-12);
        assert_eq!(curve.best(Goal::Precision(1.1)), None);
        // If relevant pages are rare, a false alarm costs more: with π = 0.1 the precision above
        // 0.3 is 0.1 / (0.1 + 0.9 / 3) = ¼, and the threshold moves up.
        let rare = Curve::of(&[0.5, 0.7, 0.9], &[0.0, 0.1, 0.6], 0.1);
        assert!((rare.points[1].precision - 0.25).abs() < 1e-12);
        assert!((rare.best(Goal::F1).unwrap().threshold - 0.65).abs() < 1e-12);
    }

    #[test]
    fn pages_without_a_score_have_no_threshold() {
        let curve = Curve::of(&[0.0], &[0.0, 0.0], 0.3);
        assert_eq!(curve.points.len(), 1);
        assert_eq!(curve.best(Goal::F1), None);
        assert_eq!(curve.best(Goal::Recall(0.5)), None);
    }
}
