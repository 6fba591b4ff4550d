//! A mixture of two normal distributions, fitted to scores whose labels nobody knows.
//!
//! The square roots of the scores above 0 are taken as a mixture of off-topic and on-topic pages:
//! the root makes the spread of high and of low scores alike. Pages with a score of 0 contain no
//! term of the topic and are off topic. The fit is by expectation maximisation (Dempster, Laird and
//! Rubin 1977) from several fixed starts, so that the same scores always give the same mixture.

use crate::curve::ProbabilityCurve;
use crate::histogram::Histogram;

/// Fewest scores above 0 for a fit.
const FEWEST: u64 = 8;
/// Rounds of expectation maximisation.
const ROUNDS: usize = 100;
/// The rounds end early once both means move by less than this.
const SETTLED: f64 = 1e-7;
/// Least standard deviation of a component, against collapse onto few pages.
const LEAST_DEVIATION: f64 = 0.03;
/// The variances of the components are drawn together as if this many pages had the variance of
/// both: a component of few pages has no reliable variance of its own.
const SHARED_PAGES: f64 = 10.0;
/// Quantiles of the scores at which the two means start.
const STARTS: [(f64, f64); 4] = [(0.1, 0.9), (0.25, 0.75), (0.5, 0.95), (0.05, 0.5)];
/// Two components are apart if D is at least this (Ashman, Bird and Zepf 1994).
const LEAST_D: f64 = 2.0;

/// Two components: off-topic and on-topic pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixture {
    off: Component,
    on: Component,
    /// The gain of two components over one by the Bayesian information criterion.
    gain: f64,
    /// The share of pages whose score is above 0.
    positive: f64,
}

/// A normal distribution of the square root of scores.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Component {
    weight: f64,
    mean: f64,
    deviation: f64,
}

impl Component {
    /// Returns the weighted density, without the factor 1/√2π.
    fn density(&self, root: f64) -> f64 {
        let z = (root - self.mean) / self.deviation;
        self.weight * libm::exp(-0.5 * z * z) / self.deviation
    }
}

impl Mixture {
    /// Fits a mixture. Returns none if too few scores are above 0.
    #[must_use]
    pub fn fit(histogram: &Histogram) -> Option<Self> {
        let positive = histogram.positive();
        if positive < FEWEST {
            return None;
        }
        let bins: Vec<(f64, f64)> = histogram
            .bins()
            .filter(|(_, count)| *count > 0)
            .map(|(root, count)| (root, count as f64))
            .collect();
        let mut sums = Sums::default();
        bins.iter().for_each(|(root, count)| sums.add(*root, *count));
        let all = Component { weight: 1.0, mean: sums.mean(), deviation: sums.variance().sqrt() };
        let fits = STARTS.iter().map(|(low, high)| {
            let start = |share| Component {
                weight: 0.5,
                mean: quantile(&bins, share * positive as f64),
                deviation: (all.deviation / 2.0).max(LEAST_DEVIATION),
            };
            maximise(&bins, [start(*low), start(*high)])
        });
        let best = fits.reduce(|best, fit| if fit.1 > best.1 { fit } else { best })?;
        let ([a, b], likelihood) = best;
        let (off, on) = if a.mean <= b.mean { (a, b) } else { (b, a) };
        let one = log_likelihood(&bins, &[all]);
        let gain = 2.0 * (likelihood - one) - 3.0 * libm::log(positive as f64);
        Some(Self { off, on, gain, positive: positive as f64 / histogram.total() as f64 })
    }

    /// Returns D, the distance of the means in units of the mean deviation.
    #[must_use]
    pub fn distance(&self) -> f64 {
        let spread = f64::midpoint(self.off.deviation.powi(2), self.on.deviation.powi(2)).sqrt();
        (self.on.mean - self.off.mean) / spread
    }

    /// Returns true if the scores show two kinds of pages.
    #[must_use]
    pub fn is_separated(&self) -> bool {
        self.gain > 0.0 && self.distance() >= LEAST_D
    }

    /// Returns the share of on-topic pages.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.on.weight * self.positive
    }

    /// Returns P(relevant) for each score. Beyond the two means it does not turn back, as that of
    /// two normal distributions with unequal deviations would.
    #[must_use]
    pub fn curve(&self) -> ProbabilityCurve {
        ProbabilityCurve::of(|score| {
            if score <= 0.0 {
                return 0.0;
            }
            let root = score.sqrt().clamp(self.off.mean, self.on.mean);
            let (off, on) = (self.off.density(root), self.on.density(root));
            on / (off + on).max(f64::MIN_POSITIVE)
        })
    }
}

/// Sums over pages, from which the mean and the deviation of a component follow.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    pages: f64,
    roots: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, root: f64, pages: f64) {
        self.pages += pages;
        self.roots += pages * root;
        self.squares += pages * root * root;
    }

    fn mean(&self) -> f64 {
        self.roots / self.pages.max(1e-9)
    }

    fn variance(&self) -> f64 {
        let variance = self.squares / self.pages.max(1e-9) - self.mean() * self.mean();
        variance.max(LEAST_DEVIATION * LEAST_DEVIATION)
    }
}

/// Returns the root below which `pages` pages lie.
fn quantile(bins: &[(f64, f64)], pages: f64) -> f64 {
    let mut sum = 0.0;
    let found = bins.iter().find(|(_, count)| {
        sum += count;
        sum >= pages
    });
    found.or(bins.last()).map_or(0.0, |(root, _)| *root)
}

/// Improves two components round by round. Returns them with their log-likelihood.
fn maximise(bins: &[(f64, f64)], mut pair: [Component; 2]) -> ([Component; 2], f64) {
    for _ in 0..ROUNDS {
        let before = pair;
        let mut sums = [Sums::default(); 2];
        for (root, count) in bins {
            let (a, b) = (pair[0].density(*root), pair[1].density(*root));
            let second =
                if a + b > 0.0 { b / (a + b) } else { f64::from(u8::from(*root > pair[1].mean)) };
            sums[0].add(*root, count * (1.0 - second));
            sums[1].add(*root, count * second);
        }
        let total = sums[0].pages + sums[1].pages;
        let shared: f64 = sums.iter().map(|it| it.pages * it.variance()).sum::<f64>() / total;
        pair = sums.map(|it| Component {
            weight: it.pages / total,
            mean: it.mean(),
            deviation: ((it.pages * it.variance() + SHARED_PAGES * shared)
                / (it.pages + SHARED_PAGES))
                .sqrt(),
        });
        if pair.iter().zip(before).all(|(new, old)| (new.mean - old.mean).abs() < SETTLED) {
            break;
        }
    }
    (pair, log_likelihood(bins, &pair))
}

/// Returns the log-likelihood of the bins, without the constant of the normal distribution.
fn log_likelihood(bins: &[(f64, f64)], components: &[Component]) -> f64 {
    let density = |root: f64| components.iter().map(|it| it.density(root)).sum::<f64>();
    bins.iter().map(|(root, count)| count * libm::log(density(*root).max(1e-300))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores whose roots are denser around a mean than far from it.
    fn pages(histogram: &mut Histogram, mean: f64, spread: f64, count: u32) {
        for at in 0..count {
            let place = (f64::from(at) + 0.5) / f64::from(count) * 2.0 - 1.0;
            let root = mean + spread * libm::tan(place * 1.2) / libm::tan(1.2);
            histogram.add(root * root);
        }
    }

    #[test]
    fn two_kinds_of_pages_are_told_apart() {
        let mut histogram = Histogram::default();
        (0..500).for_each(|_| histogram.add(0.0));
        pages(&mut histogram, 0.2, 0.08, 300);
        pages(&mut histogram, 0.6, 0.12, 100);
        let mixture = Mixture::fit(&histogram).unwrap();
        assert!(mixture.is_separated(), "{mixture:?}");
        assert!((mixture.off.mean - 0.2).abs() < 0.01 && (mixture.on.mean - 0.6).abs() < 0.01);
        assert!((mixture.share() - 100.0 / 900.0).abs() < 0.005, "{}", mixture.share());
        let curve = mixture.curve();
        assert!(curve.probability(0.09) < 0.1 && curve.probability(0.25) > 0.9);
        assert!((curve.expected(&histogram) - 100.0).abs() < 3.0);
        assert!(curve.probability(0.0) < 0.001, "a page without any term is off topic");
        assert!(curve.probability(1.0) > 0.99, "the best page is on topic");
    }

    #[test]
    fn one_kind_of_pages_is_not_divided() {
        let mut histogram = Histogram::default();
        pages(&mut histogram, 0.5, 0.2, 200);
        assert!(!Mixture::fit(&histogram).unwrap().is_separated());
        let mut few = Histogram::default();
        pages(&mut few, 0.5, 0.2, 7);
        assert_eq!(Mixture::fit(&few), None);
    }

    #[test]
    fn equal_scores_give_finite_numbers() {
        let mut histogram = Histogram::default();
        (0..50).for_each(|_| histogram.add(0.3));
        let mixture = Mixture::fit(&histogram).unwrap();
        assert!(!mixture.is_separated() && mixture.distance().is_finite());
        assert!(mixture.curve().probability(0.3).is_finite());
    }
}
