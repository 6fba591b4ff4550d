//! Priorities whose weights a particle swarm learns during the crawl (FCPSO).
//!
//! `P(l) = Σ x_d f_d(l)`, with the objectives f of a link (anchor text, pages, their PR) and
//! weights x that are not negative and sum to 1. At regular intervals the swarm searches for the
//! weights that would have predicted the relevance of the last pages best: those with the least
//! root mean square error. The papers describe FCPSO in words only; this is a reconstruction.

use std::collections::VecDeque;

use ontrail_learner::LearnedNumber;
use serde::{Deserialize, Serialize};

use super::pagerank::BETA_SHARE;
use super::{LinkFacts, Priority};
use crate::cut::Cut;
use crate::pagerank::PageRankSettings;
use crate::pareto::Objectives;
use crate::random::Random;

/// Settings of the learned weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct LearnedPriority {
    /// Least priority: a link below it is discarded.
    pub at_least: Cut,
    /// The initial weights of anchor text, pages and PR.
    pub weights: [f64; 3],
    /// Number of pages between two learning phases.
    pub every: u64,
    /// Number of the last pages to learn from.
    pub window: usize,
    /// Number of particles.
    pub particles: usize,
    /// Number of steps of each particle.
    pub steps: usize,
    /// The inertia w at the first and at the last step.
    pub inertia: [f64; 2],
    /// c₁ and c₂: the attraction of a particle to its own best position and to the best of the
    /// swarm.
    pub pull: [f64; 2],
    /// The greatest speed in each dimension.
    pub speed: f64,
    /// Settings of the PR computation.
    pub pagerank: PageRankSettings,
}

impl Default for LearnedPriority {
    fn default() -> Self {
        Self {
            at_least: Cut::Auto,
            weights: [0.20, 0.25, 0.55],
            every: 50,
            window: 200,
            particles: 20,
            steps: 20,
            inertia: [0.9, 0.4],
            pull: [2.0, 2.0],
            speed: 0.2,
            pagerank: PageRankSettings::default(),
        }
    }
}

/// The learned weights and the pages to learn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learned {
    settings: LearnedPriority,
    weights: Objectives,
    /// The last pages: the objectives of their links, and their relevance.
    seen: VecDeque<(Objectives, f64)>,
    pages: u64,
}

impl Learned {
    pub(crate) fn new(settings: LearnedPriority) -> Self {
        let weights = on_simplex(settings.weights);
        Self { settings, weights, seen: VecDeque::new(), pages: 0 }
    }
}

impl Priority for Learned {
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        weighted(&self.weights, &link.objectives())
    }

    fn refuses(&self, priority: f64, threshold: f64) -> bool {
        priority < self.settings.at_least.or(BETA_SHARE * threshold)
    }

    /// Each weight counts as much as the pages that it was learned from.
    fn numbers(&self) -> Vec<LearnedNumber> {
        let pages = self.pages as f64;
        (0..).zip(self.weights).map(|(at, it)| LearnedNumber::new(at, it, pages)).collect()
    }

    fn mix(&mut self, others: &[LearnedNumber]) {
        let own = self.numbers();
        let mixed = |at: usize| {
            let other = others.iter().find(|it| it.place == own[at].place);
            other.map_or(self.weights[at], |other| f64::from(own[at].mixed(other).value))
        };
        self.weights = on_simplex([mixed(0), mixed(1), mixed(2)]);
    }

    fn learn(&mut self, objectives: Objectives, relevance: f64, random: &mut Random) {
        self.seen.push_back((objectives, relevance));
        if self.seen.len() > self.settings.window {
            self.seen.pop_front();
        }
        self.pages += 1;
        if self.pages.is_multiple_of(self.settings.every.max(1)) {
            self.weights = swarm(&self.settings, self.weights, self.seen.make_contiguous(), random);
        }
    }
}

fn weighted(weights: &Objectives, objectives: &Objectives) -> f64 {
    weights.iter().zip(objectives).map(|(weight, it)| weight * it).sum()
}

/// Returns the root mean square error of the weights on the given pages.
fn error(weights: &Objectives, seen: &[(Objectives, f64)]) -> f64 {
    let square = |(objectives, relevance): &(Objectives, f64)| {
        let gap = weighted(weights, objectives) - relevance;
        gap * gap
    };
    (seen.iter().map(square).sum::<f64>() / seen.len().max(1) as f64).sqrt()
}

/// Makes weights non-negative with sum 1. If none is positive, all become equal.
fn on_simplex(weights: Objectives) -> Objectives {
    let weights = weights.map(|weight| if weight > 0.0 { weight } else { 0.0 });
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 && sum.is_finite() { weights.map(|weight| weight / sum) } else { [1.0 / 3.0; 3] }
}

#[derive(Debug, Clone, Copy)]
struct Particle {
    at: Objectives,
    speed: Objectives,
    best: Objectives,
    least_error: f64,
}

/// Returns the best weights that a swarm finds, starting from the given ones.
fn swarm(
    settings: &LearnedPriority,
    from: Objectives,
    seen: &[(Objectives, f64)],
    random: &mut Random,
) -> Objectives {
    let particle =
        |at: Objectives| Particle { at, speed: [0.0; 3], best: at, least_error: error(&at, seen) };
    // One particle starts at the current weights, the others at random points of the simplex
    // (uniformly: a Dirichlet distribution with all parameters 1).
    let mut particles = vec![particle(from)];
    while particles.len() < settings.particles.max(1) {
        let drawn = [(); 3].map(|()| -libm::log(1.0 - random.unit()));
        particles.push(particle(on_simplex(drawn)));
    }
    let mut best = particles[0];
    let better =
        |best: Particle, it: &Particle| if it.least_error < best.least_error { *it } else { best };
    best = particles.iter().fold(best, better);
    for step in 0..settings.steps {
        let done = step as f64 / settings.steps.saturating_sub(1).max(1) as f64;
        let [first, last] = settings.inertia;
        let inertia = first + (last - first) * done;
        for particle in &mut particles {
            for d in 0..3 {
                let (own, all) = (random.unit(), random.unit());
                let pull = settings.pull[0] * own * (particle.best[d] - particle.at[d])
                    + settings.pull[1] * all * (best.best[d] - particle.at[d]);
                let speed = inertia * particle.speed[d] + pull;
                particle.speed[d] = speed.clamp(-settings.speed.abs(), settings.speed.abs());
                particle.at[d] += particle.speed[d];
            }
            particle.at = on_simplex(particle.at);
            let error = error(&particle.at, seen);
            if error < particle.least_error {
                (particle.best, particle.least_error) = (particle.at, error);
            }
        }
        best = particles.iter().fold(best, better);
    }
    best.best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relevance of each page is .7 of the anchor text plus .3 of the page: the swarm finds
    /// these weights.
    #[test]
    fn the_swarm_finds_the_weights_that_made_the_data() {
        let mut random = Random::new(3);
        let mut learned = Learned::new(LearnedPriority { steps: 60, ..LearnedPriority::default() });
        for _ in 0..200 {
            let f = [(); 3].map(|()| random.unit());
            learned.learn(f, 0.7 * f[0] + 0.3 * f[1], &mut random);
        }
        let [text, page, rank] = learned.weights;
        assert!((text - 0.7).abs() < 0.01 && (page - 0.3).abs() < 0.01 && rank < 0.01);
    }

    /// Weights of 100 and 300 pages: .25 (.2, .2, .6) + .75 (.6, .2, .2) = (.5, .2, .3).
    #[test]
    fn weights_are_mixed_by_the_pages_behind_them() {
        let of = |weights, pages| {
            let mut learned = Learned::new(LearnedPriority::default());
            (learned.weights, learned.pages) = (weights, pages);
            learned
        };
        let mut one = of([0.2, 0.2, 0.6], 100);
        one.mix(&of([0.6, 0.2, 0.2], 300).numbers());
        assert!(crate::pareto::distance(&one.weights, &[0.5, 0.2, 0.3]) < 1e-6);
        one.mix(&[]);
        assert!(crate::pareto::distance(&one.weights, &[0.5, 0.2, 0.3]) < 1e-6);
    }

    #[test]
    fn weights_stay_on_the_simplex() {
        let third = 1.0 / 3.0;
        for (given, expected) in [
            ([0.0, -3.0, 0.0], [third; 3]),
            ([2.0, -1.0, 2.0], [0.5, 0.0, 0.5]),
            ([f64::NAN, 1.0, 0.0], [0.0, 1.0, 0.0]),
        ] {
            assert!(crate::pareto::distance(&on_simplex(given), &expected) < 1e-12);
        }
        // √((.1² + .3²) / 2) by hand.
        let seen = [([1.0, 0.0, 0.0], 0.4), ([0.0, 1.0, 0.0], 0.2)];
        assert!((error(&[0.5, 0.5, 0.0], &seen) - 0.05_f64.sqrt()).abs() < 1e-12);
    }

    /// Weights stay the same until the learning phase, which never increases the error.
    #[test]
    fn it_learns_on_schedule_and_never_increases_the_error() {
        let mut random = Random::new(5);
        let mut learned = Learned::new(LearnedPriority::default());
        let before = learned.weights;
        for number in 1..=50_u32 {
            assert_eq!(learned.weights.map(f64::to_bits), before.map(f64::to_bits));
            learned.learn([0.1, f64::from(number) / 50.0, 0.9], 0.5, &mut random);
        }
        let seen: Vec<_> = learned.seen.iter().copied().collect();
        assert!(error(&learned.weights, &seen) <= error(&before, &seen));
        assert!((learned.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
