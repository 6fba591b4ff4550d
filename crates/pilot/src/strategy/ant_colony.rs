//! An ant colony (OLMOACO).
//!
//! Ants walk from page to page. On page i an ant takes link j with a probability proportional to
//! τᵢⱼᵃ ηⱼᵇ, where τ is the pheromone on the link and η its priority; with probability q₀ it takes
//! the link with the greatest product outright. An ant whose page has no open link jumps to a
//! Pareto-optimal link. In each generation every ant makes one move, and the Pareto-optimal ones
//! among the chosen links are fetched. A chosen link loses some of its pheromone (local update);
//! the links on the path to a relevant page gain pheromone by its relevance (global update). The
//! papers describe OLMOACO in words only; this is a reconstruction.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::pso::{pareto_best, take_from};
use super::{Decision, Strategy, StrategyContext, best_or_free, replace_key};
use crate::graph::{NodeId, NodeState, WebGraph};
use crate::link::LinkKey;
use crate::pareto::{CANDIDATES, Objectives, select_first};
use crate::random::Random;
use crate::rule::Rule;

/// Number of steps of its path that an ant remembers.
const LONGEST_PATH: usize = 50;

/// Settings of the ant colony.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct AntColonySettings {
    /// m, the number of ants.
    pub ants: usize,
    /// `n_s`, the number of links that are fetched in one generation.
    pub batch: usize,
    /// a, the exponent of the pheromone.
    pub pheromone_power: f64,
    /// b, the exponent of the priority.
    pub priority_power: f64,
    /// q₀, the probability that an ant takes the link with the greatest product outright.
    pub greed: f64,
    /// τ₀, the initial pheromone.
    pub pheromone: f64,
    /// ξ, the share of pheromone that evaporates when an ant passes.
    pub local: f64,
    /// ρ, the share of pheromone that is replaced after a relevant page.
    pub global: f64,
    /// The least and the greatest pheromone.
    pub bounds: [f64; 2],
}

impl Default for AntColonySettings {
    fn default() -> Self {
        Self {
            ants: 10,
            batch: 5,
            pheromone_power: 1.0,
            priority_power: 2.0,
            greed: 0.9,
            pheromone: 1.0,
            local: 0.1,
            global: 0.1,
            bounds: [0.01, 10.0],
        }
    }
}

/// An ant: the page that it is on, the path that led there, and the link that it chose.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Ant {
    at: Option<LinkKey>,
    path: Vec<(LinkKey, LinkKey)>,
    chosen: Option<(LinkKey, Rule)>,
}

/// The state of the ant colony.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AntColony {
    settings: AntColonySettings,
    ants: Vec<Ant>,
    batch: VecDeque<LinkKey>,
    /// True if anything was fetched since the last generation.
    has_news: bool,
}

impl AntColony {
    pub(crate) fn new(settings: AntColonySettings) -> Self {
        let ants = vec![Ant::default(); settings.ants.max(1)];
        Self { settings, ants, batch: VecDeque::new(), has_news: true }
    }

    /// Returns the pheromone on a link of a page; none if the graph no longer has the link.
    fn pheromone<'m>(
        &self,
        graph: &'m mut WebGraph,
        page: &LinkKey,
        link: &LinkKey,
    ) -> Option<&'m mut f64> {
        let (page, link) = (graph.lookup(page)?, graph.lookup(link)?);
        let first = self.settings.pheromone;
        let page = graph.node_mut(page).page.as_mut()?;
        page.pheromone.resize(page.links.len(), first);
        let at = page.links.iter().position(|edge| edge.to == link)?;
        page.pheromone.get_mut(at)
    }

    fn change(
        &self,
        graph: &mut WebGraph,
        page: &LinkKey,
        link: &LinkKey,
        rate: f64,
        towards: f64,
    ) {
        let [least, most] = self.settings.bounds;
        if let Some(pheromone) = self.pheromone(graph, page, link) {
            *pheromone = ((1.0 - rate) * *pheromone + rate * towards).max(least).min(most);
        }
    }

    /// Returns the link that an ant on a page takes.
    fn step(&self, cx: &mut StrategyContext<'_>, page: NodeId) -> Option<(NodeId, Rule)> {
        let appraiser = &*cx.appraiser;
        let is_enough = |priority: f64| !appraiser.has_sunk(priority);
        self.step_on(cx.graph, page, is_enough, cx.random)
    }

    fn step_on(
        &self,
        graph: &WebGraph,
        page: NodeId,
        is_enough: impl Fn(f64) -> bool,
        random: &mut Random,
    ) -> Option<(NodeId, Rule)> {
        let facts = graph.node(page).page.as_ref()?;
        let AntColonySettings { pheromone_power: a, priority_power: b, .. } = self.settings;
        let pull = |(at, id): (usize, NodeId)| {
            let pheromone = facts.pheromone.get(at).unwrap_or(&self.settings.pheromone);
            (id, libm::pow(*pheromone, a) * libm::pow(graph.node(id).priority.max(0.0), b))
        };
        let links = facts.links.iter().map(|edge| edge.to).enumerate();
        let open: Vec<(NodeId, f64)> = links
            .filter(|(_, id)| graph.is_waiting(*id) && is_enough(graph.node(*id).priority))
            .map(pull)
            .collect();
        let sum: f64 = open.iter().map(|(_, pull)| pull).sum();
        if random.unit() < self.settings.greed || sum <= 0.0 {
            // The search runs backwards, so that the first of several equal links is found.
            let best = open.iter().rev().max_by(|x, y| x.1.total_cmp(&y.1))?;
            return Some((best.0, Rule::Trail));
        }
        let mut drawn = random.unit() * sum;
        let hit = open.iter().find(|(_, pull)| {
            drawn -= pull;
            drawn < 0.0
        });
        hit.or(open.last()).map(|(id, _)| (*id, Rule::Roulette))
    }

    /// Starts a generation: every ant makes a move, and the best of the chosen links become the
    /// next batch. An ant whose link is being fetched waits for its page.
    fn generation(&mut self, cx: &mut StrategyContext<'_>) {
        let mut ants = std::mem::take(&mut self.ants);
        let is_busy = |graph: &WebGraph, ant: &Ant| {
            let chosen = ant.chosen.and_then(|(key, _)| graph.lookup(&key));
            chosen.is_some_and(|id| graph.node(id).state == NodeState::Taken)
        };
        let mut free: Vec<&mut Ant> =
            ants.iter_mut().filter(|ant| !is_busy(cx.graph, ant)).collect();
        for ant in &mut free {
            let page = ant.at.and_then(|key| cx.graph.lookup(&key));
            let step = page.and_then(|page| self.step(cx, page));
            ant.chosen = step.map(|(id, rule)| (cx.graph.node(id).key, rule));
        }
        // Ants whose page has no open link jump, each to a different link.
        let lost = free.iter().filter(|ant| ant.chosen.is_none()).count();
        let mut jumps = Vec::new();
        if lost > 0 {
            jumps = pareto_best(cx, CANDIDATES, lost, select_first);
        }
        for (ant, id) in free.iter_mut().filter(|ant| ant.chosen.is_none()).zip(jumps) {
            let node = cx.graph.node(id);
            ant.path.clear();
            ant.at = node.parents().next().map(|page| cx.graph.node(page).key);
            ant.chosen = Some((node.key, Rule::Jump));
        }
        for ant in &free {
            if let (Some(page), Some((link, _))) = (&ant.at, &ant.chosen) {
                self.change(cx.graph, page, link, self.settings.local, self.settings.pheromone);
            }
        }
        let chosen = free.iter().filter_map(|ant| cx.graph.lookup(&ant.chosen.as_ref()?.0));
        let ids: Vec<NodeId> = chosen.collect::<BTreeSet<_>>().into_iter().collect();
        let values: Vec<Objectives> =
            ids.iter().map(|id| cx.appraiser.objectives(cx.graph, *id)).collect();
        let best = select_first(&values, self.settings.batch.max(1));
        self.batch = best.into_iter().map(|at| cx.graph.node(ids[at]).key).collect();
        self.ants = ants;
        self.has_news = false;
    }

    /// Returns the rule by which an ant chose a link.
    fn rule(&self, key: &LinkKey) -> Rule {
        let of = |ant: &Ant| ant.chosen.filter(|(chosen, _)| chosen == key).map(|(_, rule)| rule);
        self.ants.iter().find_map(of).unwrap_or(Rule::Pareto)
    }
}

impl Strategy for AntColony {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        loop {
            if let Some(id) = take_from(&mut self.batch, cx) {
                self.has_news = true;
                return Decision::Fetch(id, self.rule(&cx.graph.node(id).key));
            }
            if !self.has_news {
                return best_or_free(cx);
            }
            self.generation(cx);
        }
    }

    fn redirected(&mut self, from: &LinkKey, to: &LinkKey) {
        let chosen = self.ants.iter_mut().filter_map(|ant| Some(&mut ant.chosen.as_mut()?.0));
        replace_key(chosen, from, to);
    }

    fn arrived(&mut self, graph: &mut WebGraph, page: NodeId, _: &mut Random) {
        self.has_news = true;
        let node = graph.node(page);
        let (key, facts) = (node.key, node.page.as_ref());
        let Some((relevance, is_relevant)) = facts.map(|it| (it.relevance, it.is_relevant)) else {
            return;
        };
        let mut ants = std::mem::take(&mut self.ants);
        for ant in &mut ants {
            if ant.chosen.is_none_or(|(chosen, _)| chosen != key) {
                continue;
            }
            ant.path.extend(ant.at.map(|from| (from, key)));
            let over = ant.path.len().saturating_sub(LONGEST_PATH);
            ant.path.drain(..over);
            (ant.at, ant.chosen) = (Some(key), None);
            if is_relevant {
                for (from, to) in &ant.path {
                    self.change(graph, from, to, self.settings.global, relevance);
                }
            }
        }
        self.ants = ants;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, PageNode};
    use crate::link::{HostKey, LinkId};

    /// Page 0 links to 1, 2 and 3, whose priorities are .2, .4 and .4.
    fn web() -> WebGraph {
        let mut graph = WebGraph::new(1_000);
        let ids: Vec<NodeId> = (0..4)
            .map(|number| {
                graph.find_or_add(LinkId { key: LinkKey([number; 16]), host: HostKey(0), niche: 0 })
            })
            .collect();
        let links = ids[1..].iter().map(|to| Edge { to: *to, anchor: 0.0 }).collect();
        let facts = PageNode { relevance: 0.9, is_relevant: true, links, pheromone: Vec::new() };
        graph.node_mut(NodeId(0)).page = Some(Box::new(facts));
        for (id, priority) in [(NodeId(1), 0.2), (NodeId(2), 0.4), (NodeId(3), 0.4)] {
            graph.set_priority(id, priority);
            graph.set_waiting(id);
        }
        graph
    }

    /// τ η² is .04, .16 and .16 at first, so the probabilities are 1/9, 4/9 and 4/9.
    #[test]
    fn ants_draw_by_pheromone_and_priority() {
        let graph = web();
        let settings = AntColonySettings { greed: 0.0, ..AntColonySettings::default() };
        let colony = AntColony::new(settings);
        let mut random = Random::new(2);
        let mut counts = [0_u32; 4];
        for _ in 0..90_000 {
            let (id, rule) = colony.step_on(&graph, NodeId(0), |_| true, &mut random).unwrap();
            assert_eq!(rule, Rule::Roulette);
            counts[id.index()] += 1;
        }
        for (count, expected) in counts.into_iter().zip([0.0, 10_000.0, 40_000.0, 40_000.0]) {
            assert!((f64::from(count) - expected).abs() < 500.0, "{counts:?}");
        }
        let greedy = AntColony::new(AntColonySettings { greed: 1.0, ..settings });
        assert_eq!(
            greedy.step_on(&graph, NodeId(0), |_| true, &mut random),
            Some((NodeId(2), Rule::Trail))
        );
    }

    /// Local: .9 · 1 + .1 · 1 stays 1 at first; from 2 it falls to 1.9. Global: towards R = .8, 1
    /// becomes .98.
    #[test]
    fn pheromones_fade_and_grow_within_their_bounds() {
        let mut graph = web();
        let colony = AntColony::new(AntColonySettings::default());
        let (page, link) = (LinkKey([0; 16]), LinkKey([2; 16]));
        *colony.pheromone(&mut graph, &page, &link).unwrap() = 2.0;
        colony.change(&mut graph, &page, &link, 0.1, 1.0);
        assert!((*colony.pheromone(&mut graph, &page, &link).unwrap() - 1.9).abs() < 1e-12);
        colony.change(&mut graph, &page, &LinkKey([3; 16]), 0.1, 0.8);
        assert!(
            (*colony.pheromone(&mut graph, &page, &LinkKey([3; 16])).unwrap() - 0.98).abs() < 1e-12
        );
        colony.change(&mut graph, &page, &link, 1.0, 99.0);
        assert!((*colony.pheromone(&mut graph, &page, &link).unwrap() - 10.0).abs() < 1e-12);
        assert_eq!(colony.pheromone(&mut graph, &page, &LinkKey([9; 16])), None);
    }

    /// The page behind an ant's link arrives and is relevant: the ant moves there, and its path
    /// gains pheromone.
    #[test]
    fn a_relevant_page_marks_the_path() {
        let mut graph = web();
        let mut colony =
            AntColony::new(AntColonySettings { ants: 1, ..AntColonySettings::default() });
        colony.ants[0] = Ant {
            at: Some(LinkKey([0; 16])),
            path: Vec::new(),
            chosen: Some((LinkKey([2; 16]), Rule::Trail)),
        };
        let facts = PageNode {
            relevance: 0.5,
            is_relevant: true,
            links: Vec::new(),
            pheromone: Vec::new(),
        };
        graph.node_mut(NodeId(2)).page = Some(Box::new(facts));
        colony.arrived(&mut graph, NodeId(2), &mut Random::new(0));
        assert_eq!(colony.ants[0].at, Some(LinkKey([2; 16])));
        assert_eq!(colony.ants[0].path, [(LinkKey([0; 16]), LinkKey([2; 16]))]);
        let pheromone =
            *colony.pheromone(&mut graph, &LinkKey([0; 16]), &LinkKey([2; 16])).unwrap();
        assert!((pheromone - (0.9 + 0.1 * 0.5)).abs() < 1e-12);
    }
}
