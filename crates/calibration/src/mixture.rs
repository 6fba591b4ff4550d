//! A mixture of normal distributions, fitted to scores whose labels nobody knows.
//!
//! The square roots of the scores above 0 are taken as a mixture of off-topic and on-topic pages:
//! the root makes the spread of high and of low scores alike. Pages with a score of 0 contain no
//! term of the topic and are off topic. Off-topic pages may be of two kinds, such as articles about
//! other things and front pages that mention everything; two or three components are fitted,
//! whichever the Bayesian information criterion prefers, and the upper one is on topic. The fit is
//! by expectation maximisation (Dempster, Laird and Rubin 1977) from several fixed starts, so that
//! the same scores always give the same mixture.

use crate::curve::ProbabilityCurve;
use crate::histogram::Histogram;

/// Fewest scores above 0 for a fit.
const FEWEST: u64 = 8;
/// Rounds of expectation maximisation from each start, and from the best of them.
const FIRST_ROUNDS: usize = 10;
const ROUNDS: usize = 100;
/// Bins of the histogram that the fit takes as one: it looks for kinds of pages, not for details.
const BINS_AT_A_TIME: usize = 4;
/// The rounds end early once all means move by less than this.
const SETTLED: f64 = 1e-7;
/// Least standard deviation of a component, against collapse onto few pages.
const LEAST_DEVIATION: f64 = 0.03;
/// The variances of the components are drawn together as if this many pages had the variance of
/// all components together: a component of few pages has no reliable variance of its own.
const SHARED_PAGES: f64 = 10.0;
/// Quantiles of the scores at which the means of the components start.
const STARTS: [&[f64]; 8] = [
    &[0.1, 0.9],
    &[0.25, 0.75],
    &[0.5, 0.95],
    &[0.05, 0.5],
    &[0.1, 0.5, 0.9],
    &[0.2, 0.6, 0.97],
    &[0.05, 0.3, 0.7],
    &[0.3, 0.7, 0.95],
];
/// Two components are apart if D is at least this (Ashman, Bird and Zepf 1994).
const LEAST_D: f64 = 2.0;

/// The components: one or two kinds of off-topic pages, and on-topic pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// By rising mean; the last one is on topic.
    components: Vec<Component>,
    /// The gain over a single component by the Bayesian information criterion.
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
        let bins = coarse_bins(histogram);
        let mut sums = Sums::default();
        bins.iter().for_each(|(root, count)| sums.add(*root, *count));
        let all = Component { weight: 1.0, mean: sums.mean(), deviation: sums.variance().sqrt() };
        let fits = STARTS.iter().map(|shares| {
            let kinds = shares.len() as f64;
            let start = |share: &f64| Component {
                weight: 1.0 / kinds,
                mean: quantile(&bins, share * positive as f64),
                deviation: (all.deviation / kinds).max(LEAST_DEVIATION),
            };
            maximise(&bins, shares.iter().map(start).collect(), FIRST_ROUNDS)
        });
        let merit = |components: &[Component]| {
            let parameters = 3.0 * components.len() as f64 - 1.0;
            2.0 * log_likelihood(&bins, components) - parameters * libm::log(positive as f64)
        };
        let fits = fits.map(|components| (merit(&components), components));
        let (_, best) = fits.reduce(|best, fit| if fit.0 > best.0 { fit } else { best })?;
        let mut components = maximise(&bins, best, ROUNDS);
        components.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        let gain = merit(&components) - merit(&[all]);
        Some(Self { components, gain, positive: positive as f64 / histogram.total() as f64 })
    }

    /// Returns the on-topic component and the off-topic ones.
    fn parts(&self) -> (&Component, &[Component]) {
        self.components.split_last().expect("a mixture has at least two components")
    }

    /// Returns D, the distance of the on-topic mean from the mean of the lowest component, in units
    /// of the mean deviation.
    #[must_use]
    pub fn distance(&self) -> f64 {
        let (on, off) = self.parts();
        let low = off[0];
        let spread = f64::midpoint(low.deviation.powi(2), on.deviation.powi(2)).sqrt();
        (on.mean - low.mean) / spread
    }

    /// Returns true if the scores show two kinds of pages.
    #[must_use]
    pub fn is_separated(&self) -> bool {
        self.gain > 0.0 && self.distance() >= LEAST_D
    }

    /// Returns the share of on-topic pages.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.parts().0.weight * self.positive
    }

    /// Returns P(relevant) for each score. Beyond the lowest and the highest mean it does not turn
    /// back, as that of normal distributions with unequal deviations would.
    #[must_use]
    pub fn curve(&self) -> ProbabilityCurve {
        ProbabilityCurve::of(|score| {
            if score <= 0.0 {
                return 0.0;
            }
            let (on, off) = self.parts();
            let root = score.sqrt().clamp(off[0].mean, on.mean);
            let (off, on) = (density(off, root), on.density(root));
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

/// Returns the pages with a score above 0 in coarse bins: the mean root, and the count.
fn coarse_bins(histogram: &Histogram) -> Vec<(f64, f64)> {
    let fine: Vec<(f64, u64)> = histogram.bins().collect();
    let merged = fine.chunks(BINS_AT_A_TIME).map(|bins| {
        let mut sums = Sums::default();
        bins.iter().for_each(|(root, count)| sums.add(*root, *count as f64));
        (sums.mean(), sums.pages)
    });
    merged.filter(|(_, pages)| *pages > 0.0).collect()
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

/// Improves components round by round.
fn maximise(bins: &[(f64, f64)], mut components: Vec<Component>, rounds: usize) -> Vec<Component> {
    let mut sums = vec![Sums::default(); components.len()];
    let mut shares = vec![0.0; components.len()];
    for _ in 0..rounds {
        sums.fill(Sums::default());
        for (root, count) in bins {
            shares.iter_mut().zip(&components).for_each(|(share, it)| *share = it.density(*root));
            let all: f64 = shares.iter().sum();
            for (sum, share) in sums.iter_mut().zip(&shares) {
                sum.add(*root, count * share / all.max(f64::MIN_POSITIVE));
            }
        }
        let total: f64 = sums.iter().map(|it| it.pages).sum::<f64>().max(1e-9);
        let common = sums.iter().map(|it| it.pages * it.variance()).sum::<f64>() / total;
        let mut moved = 0.0_f64;
        for (component, sum) in components.iter_mut().zip(&sums) {
            moved = moved.max((sum.mean() - component.mean).abs());
            let variance =
                (sum.pages * sum.variance() + SHARED_PAGES * common) / (sum.pages + SHARED_PAGES);
            *component = Component {
                weight: sum.pages / total,
                mean: sum.mean(),
                deviation: variance.sqrt().max(LEAST_DEVIATION),
            };
        }
        if moved < SETTLED {
            break;
        }
    }
    components
}

/// Returns the sum of the weighted densities.
fn density(components: &[Component], root: f64) -> f64 {
    components.iter().map(|it| it.density(root)).sum()
}

/// Returns the log-likelihood of the bins, without the constant of the normal distribution.
fn log_likelihood(bins: &[(f64, f64)], components: &[Component]) -> f64 {
    bins.iter().map(|(root, count)| count * libm::log(density(components, *root).max(1e-300))).sum()
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
        let (on, off) = mixture.parts();
        assert!((off[0].mean - 0.2).abs() < 0.01 && (on.mean - 0.6).abs() < 0.01);
        assert!((mixture.share() - 100.0 / 900.0).abs() < 0.005, "{}", mixture.share());
        let curve = mixture.curve();
        assert!(curve.probability(0.09) < 0.1 && curve.probability(0.25) > 0.9);
        assert!((curve.expected(&histogram) - 100.0).abs() < 3.0);
        assert!(curve.probability(0.0) < 0.001, "a page without any term is off topic");
        assert!(curve.probability(1.0) > 0.99, "the best page is on topic");
    }

    #[test]
    fn off_topic_pages_may_be_of_two_kinds() {
        let mut histogram = Histogram::default();
        pages(&mut histogram, 0.15, 0.08, 400);
        pages(&mut histogram, 0.4, 0.08, 400);
        pages(&mut histogram, 0.7, 0.08, 100);
        let mixture = Mixture::fit(&histogram).unwrap();
        assert_eq!(mixture.components.len(), 3);
        assert!((mixture.share() - 1.0 / 9.0).abs() < 0.01, "{mixture:?}");
        assert!(mixture.curve().probability(0.2) < 0.1);
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
