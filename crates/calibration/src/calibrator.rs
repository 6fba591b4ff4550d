//! A calibration that follows the pages of a crawl.

use serde::{Deserialize, Serialize};

use crate::curve::ProbabilityCurve;
use crate::histogram::Histogram;
use crate::mixture::Mixture;

/// Fewest pages whose scores decide about the share of relevant pages and about the threshold.
const FEWEST: u64 = 20;
/// The share of relevant pages that a start curve expects counts as much as this many pages.
const PRIOR_PAGES: f64 = 50.0;
/// Rounds in which the share of relevant pages is estimated.
const ROUNDS: usize = 50;
/// Bounds of that share: a crawl is neither hopeless nor perfect.
const SHARES: (f64, f64) = (0.005, 0.95);
/// A calibration is renewed whenever the number of pages has grown by this share of it.
const RENEWAL: u64 = 8;

/// P(relevant) of each score as far as it is known before a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartCurve {
    /// P(relevant) for each score.
    pub curve: ProbabilityCurve,
    /// The share of relevant pages for which it holds.
    pub prior: f64,
    /// True if it was made from example pages of the topic; false if it is that of an average
    /// topic, which the scores of the crawl replace as soon as they show two kinds of pages.
    pub is_of_topic: bool,
}

/// The source of the probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Example pages.
    Examples,
    /// Two kinds of pages that the scores of the crawl show.
    Mixture,
    /// The average of many topics, because the scores show only one kind of pages, or because there
    /// are too few; the share of relevant pages follows the crawl.
    Average,
    /// A guess, because the scores show only one kind of pages, or because there are too few.
    Guess,
}

/// Reads scores as probabilities, and learns from the scores of the pages that arrive.
///
/// A curve from example pages stays as it is. A crawler selects pages by their contents, so the
/// share of relevant pages rises while P(relevant) of a page with a given score stays the same. The
/// share alone must not move the curve: estimated from scores that overlap, it runs away (to 0.95
/// on a web where 0.08 is right; docs/results.md).
///
/// Its state is a function of the scores in the order in which they came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibrator {
    start: Option<StartCurve>,
    histogram: Histogram,
    renew_at: u64,
    curve: ProbabilityCurve,
    threshold: f64,
    basis: Basis,
}

impl Calibrator {
    /// Returns a calibrator that has seen no page.
    #[must_use]
    pub fn new(start: Option<StartCurve>) -> Self {
        Self::of(start, Histogram::default())
    }

    /// Returns a calibrator that has seen the pages with these scores.
    #[must_use]
    pub fn of(start: Option<StartCurve>, histogram: Histogram) -> Self {
        let mut calibrator = Self {
            start,
            histogram,
            renew_at: 0,
            curve: ProbabilityCurve::of(|_| 0.5),
            threshold: 0.0,
            basis: Basis::Guess,
        };
        calibrator.renew();
        calibrator
    }

    /// Takes note of the score of a page.
    pub fn observe(&mut self, score: f64) {
        self.histogram.add(score);
        if self.histogram.total() >= self.renew_at {
            self.renew();
        }
    }

    /// Returns P(relevant) for a score.
    #[must_use]
    pub fn probability(&self, score: f64) -> f64 {
        self.curve.probability(score)
    }

    /// Returns the threshold: pages with a greater score are to be called relevant. It maximises
    /// the expected F1 over the pages so far.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Returns the source of the probabilities.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Returns the number of pages seen.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.histogram.total()
    }

    /// Returns the number of pages with a score above a threshold, to the width of a bin.
    #[must_use]
    pub fn pages_above(&self, threshold: f64) -> u64 {
        self.histogram.above(threshold)
    }

    fn renew(&mut self) {
        let total = self.histogram.total();
        self.renew_at = total + (total / RENEWAL).max(1);
        let of_topic = self.start.as_ref().filter(|start| start.is_of_topic);
        let mixture = || Mixture::fit(&self.histogram).filter(Mixture::is_separated);
        (self.curve, self.basis) = if let Some(start) = of_topic {
            (start.curve.clone(), Basis::Examples)
        } else if let Some(mixture) = mixture() {
            (mixture.curve(), Basis::Mixture)
        } else if let Some(start) = &self.start {
            (shifted(start, &self.histogram), Basis::Average)
        } else {
            (guess(&self.histogram), Basis::Guess)
        };
        self.threshold = if total < FEWEST || self.basis == Basis::Guess {
            self.curve.even_score()
        } else {
            self.curve.best_score(&self.histogram)
        };
    }
}

/// Returns a start curve under the share of relevant pages in the crawl, which is
/// estimated by expectation maximisation (Saerens, Latinne and Decaestecker 2002, eq. 2.9).
fn shifted(start: &StartCurve, histogram: &Histogram) -> ProbabilityCurve {
    let total = histogram.total() as f64;
    if histogram.total() < FEWEST {
        return start.curve.clone();
    }
    let mut share = start.prior;
    let mut curve = start.curve.clone();
    for _ in 0..ROUNDS {
        let relevant = curve.expected(histogram) + PRIOR_PAGES * start.prior;
        let next = (relevant / (total + PRIOR_PAGES)).clamp(SHARES.0, SHARES.1);
        let is_settled = (next - share).abs() < 1e-6;
        share = next;
        curve = start.curve.with_prior(start.prior, share);
        if is_settled {
            break;
        }
    }
    curve
}

/// Returns a curve for scores that show one kind of pages. The first pages of a crawl are those
/// that a person chose, so most are relevant: P is ½ where the root of the score is half of the
/// mean root.
fn guess(histogram: &Histogram) -> ProbabilityCurve {
    let positive = histogram.positive();
    if positive == 0 {
        return ProbabilityCurve::of(|score| if score > 0.0 { 0.5 } else { 0.0 });
    }
    let sum: f64 = histogram.bins().map(|(root, count)| root * count as f64).sum();
    let mean = sum / positive as f64;
    ProbabilityCurve::of(|score| {
        let z = (score.sqrt() - mean / 2.0) / (mean / 8.0);
        if score > 0.0 { 1.0 / (1.0 + libm::exp(-z)) } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> StartCurve {
        let curve = ProbabilityCurve::of(|score| 1.0 / (1.0 + libm::exp(-40.0 * (score - 0.4))));
        StartCurve { curve, prior: 0.1, is_of_topic: true }
    }

    /// Nine pages of ten have scores at which P(relevant) is 0.3. An estimate of the share of
    /// relevant pages would grow with each round, and call all of them relevant.
    #[test]
    fn overlapping_scores_do_not_move_a_curve_from_examples() {
        let mut calibrator = Calibrator::new(Some(examples()));
        let before = calibrator.probability(0.38);
        for page in 0..1_000 {
            calibrator.observe(if page % 10 == 0 { 0.6 } else { 0.38 });
        }
        assert!((before - 0.31).abs() < 0.02, "{before}");
        assert!((calibrator.probability(0.38) - before).abs() < f64::EPSILON);
        assert!(calibrator.threshold() < 0.38, "{}", calibrator.threshold());
        assert_eq!((calibrator.basis(), calibrator.pages()), (Basis::Examples, 1_000));
    }

    /// The same with the curve of an average topic: there the share follows the crawl.
    #[test]
    fn the_share_of_relevant_pages_moves_the_curve_of_an_average_topic() {
        let start = StartCurve { is_of_topic: false, ..examples() };
        let mut rich = Calibrator::new(Some(start.clone()));
        let mut poor = Calibrator::new(Some(start));
        let before = rich.probability(0.38);
        for _ in 0..200 {
            rich.observe(0.6);
            poor.observe(0.1);
        }
        assert!(rich.probability(0.38) > before + 0.3, "{}", rich.probability(0.38));
        assert!(poor.probability(0.38) < before, "{}", poor.probability(0.38));
    }

    #[test]
    fn without_examples_the_scores_themselves_decide() {
        let mut calibrator = Calibrator::new(None);
        assert_eq!(calibrator.basis(), Basis::Guess);
        for round in 0..60 {
            let wobble = f64::from(round) / 1_000.0;
            calibrator.observe(0.02 + wobble / 2.0);
            calibrator.observe(0.0);
            if round % 3 == 0 {
                calibrator.observe(0.4 + 2.0 * wobble);
            }
        }
        assert_eq!(calibrator.basis(), Basis::Mixture);
        let threshold = calibrator.threshold();
        assert!(threshold > 0.05 && threshold < 0.41, "{threshold}");
        assert!(calibrator.probability(0.45) > 0.9 && calibrator.probability(0.03) < 0.1);
    }

    #[test]
    fn the_average_of_topics_holds_until_the_scores_show_two_kinds_of_pages() {
        let start = StartCurve { is_of_topic: false, ..examples() };
        let mut calibrator = Calibrator::new(Some(start));
        assert_eq!(calibrator.basis(), Basis::Average);
        assert!((calibrator.threshold() - 0.4).abs() < 0.01, "{}", calibrator.threshold());
        for round in 0..60 {
            let wobble = f64::from(round) / 1_000.0;
            calibrator.observe(0.02 + wobble / 2.0);
            calibrator.observe(0.15 + wobble);
        }
        assert_eq!(calibrator.basis(), Basis::Mixture);
        assert!(calibrator.threshold() < 0.2, "{}", calibrator.threshold());
    }

    #[test]
    fn a_stored_calibrator_goes_on_as_before() {
        let mut whole = Calibrator::new(None);
        let mut resumed = Calibrator::new(None);
        for step in 0..300_u32 {
            let score = f64::from(step * 37 % 100) / 100.0;
            whole.observe(score);
            resumed.observe(score);
            if step % 40 == 0 {
                resumed = postcard::from_bytes(&postcard::to_stdvec(&resumed).unwrap()).unwrap();
            }
        }
        assert_eq!(whole, resumed);
    }
}
