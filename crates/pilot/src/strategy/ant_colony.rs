//! An ant colony (OLMOACO, part C.5 of the readings).
//!
//! Ants walk from page to page. On page i an ant takes link j with a chance in proportion to τᵢⱼᵃ ηⱼᵇ, of the
//! pheromone on the link and its priority; mostly it takes the greatest outright. An ant whose page has no open link
//! jumps to a Pareto-best link. In each generation every ant makes one move, and of the links that they choose the
//! Pareto-best are fetched. A link that was chosen loses some of its pheromone (local update); the links on the path to a
//! relevant page gain by its relevance (global update).

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::pso::{pareto_best, take_of};
use super::{Decision, Helm, Strategy, best_or_free, rename};
use crate::link::LinkKey;
use crate::map::{Map, NodeId, Standing};
use crate::pareto::{CANDIDATES, Objectives, select_first};
use crate::random::Random;
use crate::rule::Rule;

/// How many steps of its path an ant remembers.
const LONGEST_PATH: usize = 50;

/// An ant colony.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct AntColonySettings {
    /// m, how many ants there are.
    pub ants: usize,
    /// `n_s`, how many links are fetched in one generation.
    pub batch: usize,
    /// a, the power of pheromones.
    pub pheromone_power: f64,
    /// b, the power of priorities.
    pub priority_power: f64,
    /// q₀, the chance with which the greatest is taken outright.
    pub greed: f64,
    /// τ₀, the pheromone at first.
    pub pheromone: f64,
    /// ξ, how much of it goes when an ant passes.
    pub local: f64,
    /// ρ, how much of it is replaced when a path was good.
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

/// An ant: the page that it is on, how it got there, and the link that it chose.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Ant {
    at: Option<LinkKey>,
    path: Vec<(LinkKey, LinkKey)>,
    chosen: Option<(LinkKey, Rule)>,
}

/// An ant colony at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AntColony {
    settings: AntColonySettings,
    ants: Vec<Ant>,
    batch: VecDeque<LinkKey>,
    /// Whether anything was fetched since the last generation.
    has_news: bool,
}

impl AntColony {
    pub(crate) fn new(settings: AntColonySettings) -> Self {
        let ants = vec![Ant::default(); settings.ants.max(1)];
        Self { settings, ants, batch: VecDeque::new(), has_news: true }
    }

    /// The pheromone on a link of a page, to be changed; none if the page does not have it any more.
    fn pheromone<'m>(
        &self,
        map: &'m mut Map,
        page: &LinkKey,
        link: &LinkKey,
    ) -> Option<&'m mut f64> {
        let (page, link) = (map.lookup(page)?, map.lookup(link)?);
        let first = self.settings.pheromone;
        let page = map.node_mut(page).page.as_mut()?;
        page.pheromone.resize(page.links.len(), first);
        let at = page.links.iter().position(|edge| edge.to == link)?;
        page.pheromone.get_mut(at)
    }

    fn change(&self, map: &mut Map, page: &LinkKey, link: &LinkKey, rate: f64, towards: f64) {
        let [least, most] = self.settings.bounds;
        if let Some(pheromone) = self.pheromone(map, page, link) {
            *pheromone = ((1.0 - rate) * *pheromone + rate * towards).max(least).min(most);
        }
    }

    /// The link that an ant on a page takes.
    fn step(&self, helm: &mut Helm<'_>, page: NodeId) -> Option<(NodeId, Rule)> {
        let priority = helm.appraiser.priority.part();
        let is_enough = |priority_of: f64| !priority.refuses(priority_of);
        self.step_on(helm.map, page, is_enough, helm.random)
    }

    fn step_on(
        &self,
        map: &Map,
        page: NodeId,
        is_enough: impl Fn(f64) -> bool,
        random: &mut Random,
    ) -> Option<(NodeId, Rule)> {
        let facts = map.node(page).page.as_ref()?;
        let AntColonySettings { pheromone_power: a, priority_power: b, .. } = self.settings;
        let pull = |(at, id): (usize, NodeId)| {
            let pheromone = facts.pheromone.get(at).unwrap_or(&self.settings.pheromone);
            (id, libm::pow(*pheromone, a) * libm::pow(map.node(id).priority.max(0.0), b))
        };
        let links = facts.links.iter().map(|edge| edge.to).enumerate();
        let open: Vec<(NodeId, f64)> = links
            .filter(|(_, id)| map.is_waiting(*id) && is_enough(map.node(*id).priority))
            .map(pull)
            .collect();
        let sum: f64 = open.iter().map(|(_, pull)| pull).sum();
        if random.unit() < self.settings.greed || sum <= 0.0 {
            // The first of equal ones.
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

    /// One generation: every ant makes a move, and the best of their links make the next batch. An ant whose link is being
    /// fetched waits for its page.
    fn generation(&mut self, helm: &mut Helm<'_>) {
        let mut ants = std::mem::take(&mut self.ants);
        let is_busy = |map: &Map, ant: &Ant| {
            let chosen = ant.chosen.and_then(|(key, _)| map.lookup(&key));
            chosen.is_some_and(|id| map.node(id).standing == Standing::Taken)
        };
        let mut free: Vec<&mut Ant> =
            ants.iter_mut().filter(|ant| !is_busy(helm.map, ant)).collect();
        for ant in &mut free {
            let page = ant.at.and_then(|key| helm.map.lookup(&key));
            let step = page.and_then(|page| self.step(helm, page));
            ant.chosen = step.map(|(id, rule)| (helm.map.node(id).key, rule));
        }
        // Those whose page leads nowhere jump, each to another link.
        let lost = free.iter().filter(|ant| ant.chosen.is_none()).count();
        let mut jumps = Vec::new();
        if lost > 0 {
            jumps = pareto_best(helm, CANDIDATES, lost, select_first);
        }
        for (ant, id) in free.iter_mut().filter(|ant| ant.chosen.is_none()).zip(jumps) {
            let node = helm.map.node(id);
            ant.path.clear();
            ant.at = node.parents().next().map(|page| helm.map.node(page).key);
            ant.chosen = Some((node.key, Rule::Jump));
        }
        for ant in &free {
            if let (Some(page), Some((link, _))) = (&ant.at, &ant.chosen) {
                self.change(helm.map, page, link, self.settings.local, self.settings.pheromone);
            }
        }
        let chosen = free.iter().filter_map(|ant| helm.map.lookup(&ant.chosen.as_ref()?.0));
        let ids: Vec<NodeId> = chosen.collect::<BTreeSet<_>>().into_iter().collect();
        let values: Vec<Objectives> =
            ids.iter().map(|id| helm.appraiser.objectives(helm.map, *id)).collect();
        let best = select_first(&values, self.settings.batch.max(1));
        self.batch = best.into_iter().map(|at| helm.map.node(ids[at]).key).collect();
        self.ants = ants;
        self.has_news = false;
    }

    /// The rule by which an ant chose a link.
    fn rule(&self, key: &LinkKey) -> Rule {
        let of = |ant: &Ant| ant.chosen.filter(|(chosen, _)| chosen == key).map(|(_, rule)| rule);
        self.ants.iter().find_map(of).unwrap_or(Rule::Pareto)
    }
}

impl Strategy for AntColony {
    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        loop {
            if let Some(id) = take_of(&mut self.batch, helm) {
                self.has_news = true;
                return Decision::Fetch(id, self.rule(&helm.map.node(id).key));
            }
            if !self.has_news {
                return best_or_free(helm);
            }
            self.generation(helm);
        }
    }

    fn moved(&mut self, from: &LinkKey, to: &LinkKey) {
        let chosen = self.ants.iter_mut().filter_map(|ant| Some(&mut ant.chosen.as_mut()?.0));
        rename(chosen, from, to);
    }

    fn arrived(&mut self, map: &mut Map, page: NodeId, _: &mut Random) {
        self.has_news = true;
        let node = map.node(page);
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
                    self.change(map, from, to, self.settings.global, relevance);
                }
            }
        }
        self.ants = ants;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{HostKey, LinkId};
    use crate::map::{Edge, PageNode};

    /// A page 0 with links to 1, 2 and 3, of the priorities .2, .4 and .4.
    fn web() -> Map {
        let mut map = Map::new(1_000);
        let ids: Vec<NodeId> = (0..4)
            .map(|number| map.meet(LinkId { key: [number; 16], host: HostKey(0), niche: 0 }))
            .collect();
        let links = ids[1..].iter().map(|to| Edge { to: *to, anchor: 0.0 }).collect();
        let facts = PageNode { relevance: 0.9, is_relevant: true, links, pheromone: Vec::new() };
        map.node_mut(0).page = Some(Box::new(facts));
        for (id, priority) in [(1, 0.2), (2, 0.4), (3, 0.4)] {
            map.set_priority(id, priority);
            map.set_waiting(id);
        }
        map
    }

    /// τ η²: .04, .16 and .16 at first, so the chances are 1/9, 4/9 and 4/9.
    #[test]
    fn ants_draw_by_pheromone_and_priority() {
        let map = web();
        let settings = AntColonySettings { greed: 0.0, ..AntColonySettings::default() };
        let colony = AntColony::new(settings);
        let mut random = Random::new(2);
        let mut counts = [0_u32; 4];
        for _ in 0..90_000 {
            let (id, rule) = colony.step_on(&map, 0, |_| true, &mut random).unwrap();
            assert_eq!(rule, Rule::Roulette);
            counts[id as usize] += 1;
        }
        for (count, expected) in counts.into_iter().zip([0.0, 10_000.0, 40_000.0, 40_000.0]) {
            assert!((f64::from(count) - expected).abs() < 500.0, "{counts:?}");
        }
        let greedy = AntColony::new(AntColonySettings { greed: 1.0, ..settings });
        assert_eq!(greedy.step_on(&map, 0, |_| true, &mut random), Some((2, Rule::Trail)));
    }

    /// Local: .9 · 1 + .1 · 1 stays 1 at first; from 2 it falls to 1.9. Global: towards R = .8, 1 becomes .98.
    #[test]
    fn pheromones_fade_and_grow_within_their_bounds() {
        let mut map = web();
        let colony = AntColony::new(AntColonySettings::default());
        let (page, link) = ([0; 16], [2; 16]);
        *colony.pheromone(&mut map, &page, &link).unwrap() = 2.0;
        colony.change(&mut map, &page, &link, 0.1, 1.0);
        assert!((*colony.pheromone(&mut map, &page, &link).unwrap() - 1.9).abs() < 1e-12);
        colony.change(&mut map, &page, &[3; 16], 0.1, 0.8);
        assert!((*colony.pheromone(&mut map, &page, &[3; 16]).unwrap() - 0.98).abs() < 1e-12);
        colony.change(&mut map, &page, &link, 1.0, 99.0);
        assert!((*colony.pheromone(&mut map, &page, &link).unwrap() - 10.0).abs() < 1e-12);
        assert_eq!(colony.pheromone(&mut map, &page, &[9; 16]), None);
    }

    /// The page behind the link that an ant chose came, and it is relevant: the ant stands there, its path is marked.
    #[test]
    fn a_relevant_page_marks_the_path() {
        let mut map = web();
        let mut colony =
            AntColony::new(AntColonySettings { ants: 1, ..AntColonySettings::default() });
        colony.ants[0] =
            Ant { at: Some([0; 16]), path: Vec::new(), chosen: Some(([2; 16], Rule::Trail)) };
        let facts = PageNode {
            relevance: 0.5,
            is_relevant: true,
            links: Vec::new(),
            pheromone: Vec::new(),
        };
        map.node_mut(2).page = Some(Box::new(facts));
        colony.arrived(&mut map, 2, &mut Random::new(0));
        assert_eq!(colony.ants[0].at, Some([2; 16]));
        assert_eq!(colony.ants[0].path, [([0; 16], [2; 16])]);
        let pheromone = *colony.pheromone(&mut map, &[0; 16], &[2; 16]).unwrap();
        assert!((pheromone - (0.9 + 0.1 * 0.5)).abs() < 1e-12);
    }
}
