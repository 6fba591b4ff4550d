//! The niche genetic algorithm of gafc (section III C).
//!
//! Each generation has these steps:
//!
//! 1. *Visit*: fetch the links in the wait queue.
//! 2. *Selection*: a page with S > S₀ is a hub if it has more than `hub_links` links, otherwise an
//!    authority.
//! 3. *Fitness*: fetch the links of the hubs to learn their S. Each is fetched once and counted
//!    (reading G2, docs/papers.md).
//! 4. *Crossover*: keep the best `crossover` share of them.
//! 5. *Mutation*: of the open links of pages that are known to link to an authority, draw a random
//!    `mutation` share (reading G3).
//! 6. *Niche*: from the result of crossover and mutation, remove the `knock_out` share of each
//!    niche with the least S. A link that was not fetched yet counts as relevant as the pages that
//!    contain it (reading G4). A niche is a set of URLs with the same host and the same first
//!    directories. The rest is the next wait queue.
//!
//! In the paper the crawl ends when the wait queue is empty (reading G14). With `new_population`,
//! the waiting links with the greatest S begin a new population then.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::pso::take_from;
use super::{Decision, Strategy, StrategyContext, replace_key};
use crate::graph::{NodeId, NodeState, WebGraph};
use crate::link::LinkKey;
use crate::random::Random;
use crate::rule::Rule;

/// Settings of the niche genetic algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct NicheGeneticSettings {
    /// `p_c`, the share of the hubs' links that are kept.
    pub crossover: f64,
    /// `p_m`, the share of the links next to links to authorities that are drawn.
    pub mutation: f64,
    /// The share of each niche that is knocked out.
    pub knock_out: f64,
    /// `URL_NUMBER`: a page with more links is a hub.
    pub hub_links: usize,
    /// Number of directories of a URL that belong to its niche.
    pub directories: usize,
    /// Number of relevant pages at which the crawl ends; 0 for no limit.
    pub enough: u64,
    /// Maximum number of generations.
    pub generations: u64,
    /// Number of waiting links that begin a new population if the wait queue is empty; 0 ends the
    /// crawl then.
    pub new_population: usize,
}

impl Default for NicheGeneticSettings {
    fn default() -> Self {
        Self {
            crossover: 0.6,
            mutation: 0.4,
            knock_out: 0.1,
            hub_links: 15,
            directories: 0,
            enough: 4_500,
            generations: 1_000,
            new_population: 10,
        }
    }
}

/// The phase of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// The seeds are not known yet.
    Begin,
    /// The links in the wait queue are fetched.
    Visit,
    /// The links of the hubs are fetched.
    Fitness,
    /// The crawl has ended.
    Done,
}

/// The state of the niche genetic algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NicheGenetic {
    settings: NicheGeneticSettings,
    phase: Phase,
    generation: u64,
    relevant: u64,
    /// All links of this phase.
    all: Vec<LinkKey>,
    /// The links of this phase that must still be fetched.
    to_fetch: VecDeque<LinkKey>,
    /// Links that were drawn by mutation.
    mutants: BTreeSet<LinkKey>,
    authorities: Vec<LinkKey>,
}

impl NicheGenetic {
    pub(crate) fn new(settings: NicheGeneticSettings) -> Self {
        Self {
            settings,
            phase: Phase::Begin,
            generation: 0,
            relevant: 0,
            all: Vec::new(),
            to_fetch: VecDeque::new(),
            mutants: BTreeSet::new(),
            authorities: Vec::new(),
        }
    }

    fn begin(&mut self, phase: Phase, all: Vec<LinkKey>) {
        self.phase = phase;
        self.to_fetch = all.iter().copied().collect();
        self.all = all;
    }

    /// Returns true if links of this phase are being fetched or waiting. Waiting ones will be
    /// fetched (again).
    fn is_under_way(&mut self, graph: &WebGraph) -> bool {
        let state = |key: &LinkKey| graph.lookup(key).map(|id| graph.node(id).state);
        let waits = |key: &&LinkKey| state(key) == Some(NodeState::Waiting);
        self.to_fetch = self.all.iter().filter(waits).copied().collect();
        !self.to_fetch.is_empty() || self.all.iter().any(|key| state(key) == Some(NodeState::Taken))
    }

    /// Starts the next phase, once all pages of this one have arrived.
    fn next_phase(&mut self, cx: &mut StrategyContext<'_>) {
        match self.phase {
            Phase::Begin => {
                let seeds = cx.graph.waiting().map(|id| cx.graph.node(id).key).collect();
                self.begin(Phase::Visit, seeds);
            }
            Phase::Visit => {
                let hubs = self.select(cx.graph);
                self.begin(Phase::Fitness, open_links(cx.graph, &hubs));
            }
            Phase::Fitness => {
                let next = self.next_generation(cx.graph, cx.random);
                self.generation += 1;
                let NicheGeneticSettings { generations, enough, .. } = self.settings;
                let is_over =
                    self.generation >= generations || (enough > 0 && self.relevant >= enough);
                let next = if next.is_empty() { self.fittest_waiting(cx.graph) } else { next };
                let phase = if is_over || next.is_empty() { Phase::Done } else { Phase::Visit };
                self.begin(phase, next);
            }
            Phase::Done => {}
        }
    }

    /// Divides the relevant pages into hubs and authorities. Returns the hubs.
    fn select(&mut self, graph: &WebGraph) -> Vec<NodeId> {
        self.authorities.clear();
        let mut hubs = Vec::new();
        for key in &self.all {
            let Some(id) = graph.lookup(key) else { continue };
            let Some(page) = graph.node(id).page.as_ref().filter(|page| page.is_relevant) else {
                continue;
            };
            if page.links.len() > self.settings.hub_links {
                hubs.push(id);
            } else {
                self.authorities.push(*key);
            }
        }
        hubs
    }

    /// Returns the result of crossover, mutation and knock-out.
    fn next_generation(&mut self, graph: &WebGraph, random: &mut Random) -> Vec<LinkKey> {
        let crossed = self.cross(graph);
        let mutants = self.mutate(graph, random);
        self.mutants = mutants.iter().map(|id| graph.node(*id).key).collect();
        // The first were fetched and the second were not, so no link is in both.
        let both = crossed.into_iter().chain(mutants);
        let kept = knock_out(graph, both.collect(), self.settings.knock_out);
        kept.into_iter().map(|id| graph.node(id).key).collect()
    }

    /// Returns the waiting links with the greatest S, the oldest first among equals.
    fn fittest_waiting(&self, graph: &WebGraph) -> Vec<LinkKey> {
        let mut waiting: Vec<NodeId> = graph.waiting().collect();
        waiting.sort_by(|a, b| fitness(graph, *b).total_cmp(&fitness(graph, *a)).then(a.cmp(b)));
        waiting.truncate(self.settings.new_population);
        waiting.into_iter().map(|id| graph.node(id).key).collect()
    }

    /// Returns the best share of the pages that the hubs link to.
    fn cross(&self, graph: &WebGraph) -> Vec<NodeId> {
        let ids = self.all.iter().filter_map(|key| graph.lookup(key));
        let mut pages: Vec<NodeId> = ids.filter(|id| graph.node(*id).page.is_some()).collect();
        pages.sort_by(|a, b| fitness(graph, *b).total_cmp(&fitness(graph, *a)).then(a.cmp(b)));
        pages.truncate(share_of(pages.len(), self.settings.crossover));
        pages
    }

    /// Returns a random share of the open links of pages that link to an authority.
    fn mutate(&self, graph: &WebGraph, random: &mut Random) -> Vec<NodeId> {
        let ids = self.authorities.iter().filter_map(|key| graph.lookup(key));
        let parents: BTreeSet<NodeId> = ids.flat_map(|id| graph.node(id).parents()).collect();
        let open: BTreeSet<NodeId> =
            parents.into_iter().flat_map(|id| graph.open_links(id)).collect();
        let mut open: Vec<NodeId> = open.into_iter().collect();
        let count = share_of(open.len(), self.settings.mutation);
        random.sample(&mut open, count);
        open
    }
}

/// Returns ⌊n · share⌋.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is from 0 to the count"
)]
fn share_of(count: usize, share: f64) -> usize {
    // The small addition makes up for rounding, so that .1 · 30 gives 3.
    (count as f64 * share.clamp(0.0, 1.0) + 1e-9).floor() as usize
}

/// Returns the open links of pages, each once.
fn open_links(graph: &WebGraph, pages: &[NodeId]) -> Vec<LinkKey> {
    let mut seen = BTreeSet::new();
    let links = pages.iter().flat_map(|page| graph.open_links(*page));
    links.filter(|id| seen.insert(*id)).map(|id| graph.node(id).key).collect()
}

/// Returns S: the relevance of a fetched page, or the mean relevance of the pages that contain a
/// link.
fn fitness(graph: &WebGraph, id: NodeId) -> f64 {
    let node = graph.node(id);
    if let Some(page) = &node.page {
        return page.relevance;
    }
    node.evidence.relevance / f64::from(node.evidence.pages.max(1))
}

/// Removes the worst share of each niche, and keeps the order of the rest.
fn knock_out(graph: &WebGraph, all: Vec<NodeId>, share: f64) -> Vec<NodeId> {
    let mut niches: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    for id in &all {
        niches.entry(graph.node(*id).niche).or_default().push(*id);
    }
    let mut out: BTreeSet<NodeId> = BTreeSet::new();
    for niche in niches.values_mut() {
        niche.sort_by(|a, b| fitness(graph, *a).total_cmp(&fitness(graph, *b)).then(b.cmp(a)));
        out.extend(niche.iter().take(share_of(niche.len(), share)));
    }
    all.into_iter().filter(|id| !out.contains(id)).collect()
}

impl Strategy for NicheGenetic {
    fn redirected(&mut self, from: &LinkKey, to: &LinkKey) {
        replace_key(self.all.iter_mut(), from, to);
        if self.mutants.remove(from) {
            self.mutants.insert(*to);
        }
    }

    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        // A phase with nothing to fetch ends at once. Several such phases can follow each other,
        // because a generation may visit only pages that are already known.
        for _ in 0..=2 * self.settings.generations {
            if let Some(id) = take_from(&mut self.to_fetch, cx) {
                let is_mutant = self.mutants.contains(&cx.graph.node(id).key);
                let rule = match self.phase {
                    Phase::Fitness => Rule::Fitness,
                    _ if is_mutant => Rule::Mutation,
                    _ => Rule::First,
                };
                return Decision::Fetch(id, rule);
            }
            if !self.to_fetch.is_empty() || self.is_under_way(cx.graph) {
                return Decision::Nothing;
            }
            if self.phase == Phase::Done {
                return Decision::Done;
            }
            self.next_phase(cx);
        }
        Decision::Done
    }

    fn arrived(&mut self, graph: &mut WebGraph, page: NodeId, _: &mut Random) {
        let is_relevant = graph.node(page).page.as_ref().is_some_and(|page| page.is_relevant);
        self.relevant += u64::from(is_relevant);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, PageNode};
    use crate::link::{HostKey, LinkId};

    fn page(graph: &mut WebGraph, number: u8, niche: u64, relevance: f64, links: &[u8]) -> NodeId {
        let link =
            |number, niche| LinkId { key: LinkKey([number; 16]), host: HostKey(niche), niche };
        let id = graph.find_or_add(link(number, niche));
        let links = links
            .iter()
            .map(|to| {
                let known = graph.lookup(&LinkKey([*to; 16]));
                let to = known.unwrap_or_else(|| {
                    let id = graph.find_or_add(link(*to, niche));
                    graph.set_waiting(id);
                    id
                });
                let sighting =
                    crate::graph::Sighting { page: id, relevance, anchor: 0.0, context: 0.0 };
                graph.node_mut(to).add_sighting(sighting);
                Edge { to, anchor: 0.0 }
            })
            .collect();
        graph.set_state(id, NodeState::Finished);
        let facts =
            PageNode { relevance, is_relevant: relevance > 0.05, links, pheromone: Vec::new() };
        graph.node_mut(id).page = Some(Box::new(facts));
        graph.pages.push(id);
        id
    }

    /// ⌊.1 n⌋ of each niche: none of nine, one of ten, and of twenty the two with the least S.
    #[test]
    fn the_last_of_each_niche_are_knocked_out() {
        let mut graph = WebGraph::new(1_000);
        let small: Vec<NodeId> =
            (0..9).map(|n| page(&mut graph, n, 1, f64::from(n) / 10.0, &[])).collect();
        let large: Vec<NodeId> =
            (10..30).map(|n| page(&mut graph, n, 2, f64::from((n * 7) % 20) / 20.0, &[])).collect();
        let all = [small.clone(), large.clone()].concat();
        let kept = knock_out(&graph, all.clone(), 0.1);
        let out: Vec<NodeId> = all.into_iter().filter(|id| !kept.contains(id)).collect();
        // (n · 7) mod 20 is 0 for n = 20 and 1 for n = 23.
        assert_eq!(out.iter().map(|id| graph.node(*id).key[0]).collect::<Vec<_>>(), [20, 23]);
    }

    #[test]
    fn selection_crossover_and_mutation() {
        let mut graph = WebGraph::new(1_000);
        // 1 is a hub with three links, of which 2 and 3 were fetched; 2 is an authority.
        page(&mut graph, 1, 1, 0.5, &[2, 3, 4]);
        page(&mut graph, 2, 1, 0.9, &[]);
        page(&mut graph, 3, 1, 0.2, &[]);
        page(&mut graph, 9, 1, 0.01, &[]);
        let settings = NicheGeneticSettings { hub_links: 2, ..NicheGeneticSettings::default() };
        let mut genetic = NicheGenetic::new(settings);
        genetic.all = [1, 2, 9].map(|number| LinkKey([number; 16])).into();
        let hubs = genetic.select(&graph);
        // 9 is not relevant, so it is neither.
        assert_eq!(hubs, [graph.lookup(&LinkKey([1; 16])).unwrap()]);
        assert_eq!(genetic.authorities, [LinkKey([2; 16])]);
        assert_eq!(open_links(&graph, &hubs), [LinkKey([4; 16])]);
        // ⌊2 · .6⌋ = 1 of 2 and 3: the better one.
        genetic.all = vec![LinkKey([3; 16]), LinkKey([2; 16])];
        assert_eq!(genetic.cross(&graph), [graph.lookup(&LinkKey([2; 16])).unwrap()]);
        // 1 links to the authority 2, and of its links only 4 is open: ⌊1 · .4⌋ = 0 links are
        // drawn, or with the share 1 all of them.
        assert!(genetic.mutate(&graph, &mut Random::new(0)).is_empty());
        genetic.settings.mutation = 1.0;
        assert_eq!(
            genetic.mutate(&graph, &mut Random::new(0)),
            [graph.lookup(&LinkKey([4; 16])).unwrap()]
        );
        // 4 counts as relevant as the page that contains it.
        assert!((fitness(&graph, graph.lookup(&LinkKey([4; 16])).unwrap()) - 0.5).abs() < 1e-12);
    }
}
