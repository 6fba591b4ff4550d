//! Simulated annealing (FCSA): draws a link at random and takes it if it is no worse than the last
//! one, otherwise with the Metropolis probability exp(ΔP / T). The temperature T falls during the
//! crawl.
//!
//! After a given number of refusals in a row the best link is taken, so that the loop ends. The
//! papers describe FCSA in words only; this is a reconstruction.

use ontrail_learner::LearnedNumber;
use serde::{Deserialize, Serialize};

use super::{Decision, Strategy, StrategyContext, best_or_free};
use crate::graph::{NodeId, WebGraph};
use crate::random::Random;
use crate::rule::Rule;

/// Initial probability of accepting a link that is worse by the mean |ΔP|.
const FIRST_CHANCE: f64 = 0.8;
/// Number of links of seeds from which the first temperature is estimated.
const SAMPLE: usize = 100;
/// The first temperature, if the seeds have no links.
const FALLBACK: f64 = 0.1;

/// Settings of simulated annealing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct AnnealingSettings {
    /// T₀; if it is 0, it is estimated from the links of the seeds.
    pub temperature: f64,
    /// ρ, the factor by which the temperature falls.
    pub cooling: f64,
    /// Number of stretches of constant temperature into which the budget is divided.
    pub stretches: u64,
    /// The least temperature.
    pub coldest: f64,
    /// Number of refusals in a row before the best link is taken.
    pub refusals: u32,
    /// Probability that the best link is proposed instead of a random one.
    pub head_share: f64,
}

impl Default for AnnealingSettings {
    fn default() -> Self {
        Self {
            temperature: 0.0,
            cooling: 0.95,
            stretches: 150,
            coldest: 1e-3,
            refusals: 20,
            head_share: 0.0,
        }
    }
}

/// The state of simulated annealing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Annealing {
    settings: AnnealingSettings,
    temperature: Option<f64>,
    /// P(l) of the last accepted link; 1 for seeds.
    current: f64,
    accepted: u64,
    /// |ΔP| between seeds and their links, as a random sample.
    steps: Vec<f64>,
    /// Number of links that the sample was drawn from.
    seen: usize,
}

impl Annealing {
    pub(crate) fn new(settings: AnnealingSettings) -> Self {
        let temperature = Some(settings.temperature).filter(|it| *it > 0.0);
        Self { settings, temperature, current: 1.0, accepted: 0, steps: Vec::new(), seen: 0 }
    }

    /// Returns T. Its first value is T₀ = −mean |ΔP| / ln 0.8; until a seed has shown a link, a
    /// default.
    fn temperature(&mut self) -> f64 {
        if self.temperature.is_none() && !self.steps.is_empty() {
            let mean = self.steps.iter().sum::<f64>() / self.steps.len() as f64;
            let estimate = if mean > 0.0 { -mean / libm::log(FIRST_CHANCE) } else { FALLBACK };
            self.temperature = Some(estimate.max(self.settings.coldest));
        }
        self.temperature.unwrap_or(FALLBACK)
    }

    /// Returns the rule by which a link with this priority is accepted, if it is.
    fn accept(&mut self, priority: f64, random: &mut Random) -> Option<Rule> {
        let gain = priority - self.current;
        if gain >= 0.0 {
            return Some(Rule::Accepted);
        }
        let chance = libm::exp(gain / self.temperature());
        (random.unit() < chance).then_some(Rule::Metropolis)
    }

    /// Makes an accepted link the current one, and lowers the temperature if a stretch is complete.
    fn advance(&mut self, priority: f64, budget: u64) {
        self.current = priority;
        self.accepted += 1;
        let stretch = (budget / self.settings.stretches.max(1)).max(1);
        if self.accepted.is_multiple_of(stretch)
            && let Some(temperature) = self.temperature
        {
            self.temperature =
                Some((self.settings.cooling * temperature).max(self.settings.coldest));
        }
    }
}

/// The place of the temperature among the numbers that workers share.
const TEMPERATURE: u32 = u32::MAX;

impl Strategy for Annealing {
    /// The temperatures of all workers count alike.
    fn number(&self) -> Option<LearnedNumber> {
        let temperature = self.temperature?;
        Some(LearnedNumber::new(TEMPERATURE, temperature, 1.0))
    }

    fn mix(&mut self, others: &[LearnedNumber]) {
        let Some(other) = others.iter().find(|it| it.place == TEMPERATURE) else { return };
        let mixed = self.number().map_or(*other, |own| own.mixed(other));
        self.temperature = Some(f64::from(mixed.value).max(self.settings.coldest));
    }

    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        for _ in 0..self.settings.refusals {
            let is_head =
                self.settings.head_share > 0.0 && cx.random.unit() < self.settings.head_share;
            let head = cx.graph.best().next().filter(|_| is_head);
            let Some(id) = head.or_else(|| cx.graph.draw(cx.random)) else { break };
            let priority = cx.priority(id);
            if let Some(rule) = self.accept(priority, cx.random)
                && cx.take(id)
            {
                self.advance(priority, cx.budget);
                return Decision::Fetch(id, rule);
            }
        }
        let decision = best_or_free(cx);
        if let Decision::Fetch(id, _) = decision {
            self.advance(cx.graph.node(id).priority, cx.budget);
        }
        decision
    }

    fn fell_back(&mut self, priority: f64, budget: u64) {
        self.advance(priority, budget);
    }

    fn arrived(&mut self, graph: &mut WebGraph, page: NodeId, random: &mut Random) {
        let node = graph.node(page);
        let Some(facts) = node.page.as_ref().filter(|_| node.is_seed) else { return };
        if self.temperature.is_some() {
            return;
        }
        for edge in &facts.links {
            let step = (graph.node(edge.to).priority - node.priority).abs();
            self.seen += 1;
            // Reservoir sampling: each link is in the sample with the same probability.
            if self.steps.len() < SAMPLE {
                self.steps.push(step);
            } else if let Some(at) = random.below(self.seen).filter(|at| *at < SAMPLE) {
                self.steps[at] = step;
            }
        }
    }

    fn accepts(&mut self, priority: f64, random: &mut Random) -> bool {
        let is_accepted = self.accept(priority, random).is_some();
        if is_accepted {
            self.current = priority;
        }
        is_accepted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 100,000 links that are worse by .1 at T = .2, e^(−1/2) = 60.65 % are accepted.
    #[test]
    fn worse_links_are_accepted_as_metropolis_says() {
        let settings = AnnealingSettings { temperature: 0.2, ..AnnealingSettings::default() };
        let mut annealing = Annealing::new(settings);
        annealing.current = 0.5;
        let mut random = Random::new(11);
        let accepted =
            (0..100_000).filter(|_| annealing.accept(0.4, &mut random) == Some(Rule::Metropolis));
        // Three standard deviations are .0046.
        assert!((accepted.count() as f64 / 100_000.0 - 0.606_531).abs() < 0.005);
        assert_eq!(annealing.accept(0.5, &mut random), Some(Rule::Accepted));
    }

    /// 15,000 pages in 150 stretches: the temperature falls by 5 % after every 100 links, but not
    /// below .001.
    #[test]
    fn the_temperature_falls_with_the_links() {
        let settings = AnnealingSettings { temperature: 0.2, ..AnnealingSettings::default() };
        let mut annealing = Annealing::new(settings);
        for _ in 0..250 {
            annealing.advance(0.3, 15_000);
        }
        assert!((annealing.temperature() - 0.2 * 0.95 * 0.95).abs() < 1e-12);
        for _ in 0..100_000 {
            annealing.advance(0.3, 15_000);
        }
        assert!((annealing.temperature() - 1e-3).abs() < 1e-15);
    }

    /// The mean of .2 and .4 is .3. A worker without a temperature takes that of the others.
    #[test]
    fn temperatures_are_mixed() {
        let settings = AnnealingSettings { temperature: 0.2, ..AnnealingSettings::default() };
        let mut one = Annealing::new(settings);
        one.mix(&[LearnedNumber::new(TEMPERATURE, 0.4, 1.0)]);
        assert!((one.temperature() - 0.3).abs() < 1e-6);
        let mut other = Annealing::new(AnnealingSettings::default());
        assert_eq!(other.number(), None);
        other.mix(&one.number().into_iter().collect::<Vec<_>>());
        assert!((other.temperature() - 0.3).abs() < 1e-6);
    }

    /// A link that is worse by the mean, .3, is at first accepted with probability .8: T₀ = .3 /
    /// .223144.
    #[test]
    fn the_first_temperature_comes_from_the_links_of_seeds() {
        let mut annealing = Annealing::new(AnnealingSettings::default());
        annealing.steps = vec![0.2, 0.4];
        assert!((annealing.temperature() - 1.344_426).abs() < 1e-6);
        assert!((Annealing::new(AnnealingSettings::default()).temperature() - 0.1).abs() < 1e-12);
    }
}
