//! The niche genetic algorithm of gafc (section III C).
//!
//! One generation after the other:
//!
//! 1. *Visit* the links of the wait queue.
//! 2. *Selection*: a page with S > S₀ is a hub if it has more links than `hub_links`, else an authority.
//! 3. *Fitness*: the links of the hubs are fetched to know their S (G2 of the readings: each once, and counted).
//! 4. *Crossover*: the best `crossover` of them.
//! 5. *Mutation*: of the open links of the pages that are known to lead to an authority, a random `mutation` share (G3).
//! 6. *Niche*: of what crossover and mutation gave, the last `knock_out` of each niche, by S, are knocked out; a link that
//!    was not fetched yet is taken for as relevant as the pages that it is on (G4). A niche are addresses that
//!    begin alike: the same host and the same first directories. The rest is the next wait queue.
//!
//! It ends when the wait queue is empty (G14).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::pso::take_of;
use super::{Decision, Helm, Strategy, rename};
use crate::link::LinkKey;
use crate::map::{Map, NodeId, Standing};
use crate::random::Random;
use crate::rule::Rule;

/// A niche genetic algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct NicheGeneticSettings {
    /// `p_c`, which share of the hubs' links goes on.
    pub crossover: f64,
    /// `p_m`, which share of the links beside links to authorities goes on.
    pub mutation: f64,
    /// Which share of each niche is knocked out.
    pub knock_out: f64,
    /// `URL_NUMBER`: a page with more links is a hub.
    pub hub_links: usize,
    /// How many directories of an address belong to its niche.
    pub directories: usize,
    /// How many relevant pages are enough; 0 for no end.
    pub enough: u64,
    /// How many generations there are at most.
    pub generations: u64,
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
        }
    }
}

/// Where a generation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// The seeds are not known yet.
    Begin,
    /// The wait queue is visited.
    Visit,
    /// The links of hubs are fetched.
    Fitness,
    /// Nothing is left.
    Done,
}

/// A niche genetic algorithm at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NicheGenetic {
    settings: NicheGeneticSettings,
    phase: Phase,
    generation: u64,
    relevant: u64,
    /// What this phase is about.
    all: Vec<LinkKey>,
    /// What of it must still be fetched.
    to_fetch: VecDeque<LinkKey>,
    /// Links that came by mutation.
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

    /// Whether some of this phase's links are being fetched or wait; those that wait again are to be fetched again.
    fn is_under_way(&mut self, map: &Map) -> bool {
        let standing = |key: &LinkKey| map.lookup(key).map(|id| map.node(id).standing);
        let waits = |key: &&LinkKey| standing(key) == Some(Standing::Waiting);
        self.to_fetch = self.all.iter().filter(waits).copied().collect();
        !self.to_fetch.is_empty()
            || self.all.iter().any(|key| standing(key) == Some(Standing::Taken))
    }

    /// The next phase, when all pages of this one have come.
    fn turn(&mut self, helm: &mut Helm<'_>) {
        match self.phase {
            Phase::Begin => {
                let seeds = helm.map.waiting().map(|id| helm.map.node(id).key).collect();
                self.begin(Phase::Visit, seeds);
            }
            Phase::Visit => {
                let hubs = self.select(helm.map);
                self.begin(Phase::Fitness, open_links(helm.map, &hubs));
            }
            Phase::Fitness => {
                let next = self.next_generation(helm.map, helm.random);
                self.generation += 1;
                let NicheGeneticSettings { generations, enough, .. } = self.settings;
                let is_over =
                    self.generation >= generations || (enough > 0 && self.relevant >= enough);
                let phase = if is_over || next.is_empty() { Phase::Done } else { Phase::Visit };
                self.begin(phase, next);
            }
            Phase::Done => {}
        }
    }

    /// Tells hubs from authorities. Returns the hubs.
    fn select(&mut self, map: &Map) -> Vec<NodeId> {
        self.authorities.clear();
        let mut hubs = Vec::new();
        for key in &self.all {
            let Some(id) = map.lookup(key) else { continue };
            let Some(page) = map.node(id).page.as_ref().filter(|page| page.is_relevant) else {
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

    /// Crossover, mutation and the niches.
    fn next_generation(&mut self, map: &Map, random: &mut Random) -> Vec<LinkKey> {
        let crossed = self.cross(map);
        let mutants = self.mutate(map, random);
        self.mutants = mutants.iter().map(|id| map.node(*id).key).collect();
        // Those were fetched and these were not, so none is both.
        let both = crossed.into_iter().chain(mutants);
        let kept = knock_out(map, both.collect(), self.settings.knock_out);
        kept.into_iter().map(|id| map.node(id).key).collect()
    }

    /// The best share of the pages that the hubs led to.
    fn cross(&self, map: &Map) -> Vec<NodeId> {
        let ids = self.all.iter().filter_map(|key| map.lookup(key));
        let mut pages: Vec<NodeId> = ids.filter(|id| map.node(*id).page.is_some()).collect();
        pages.sort_by(|a, b| fitness(map, *b).total_cmp(&fitness(map, *a)).then(a.cmp(b)));
        pages.truncate(share_of(pages.len(), self.settings.crossover));
        pages
    }

    /// A random share of the open links of pages that lead to an authority.
    fn mutate(&self, map: &Map, random: &mut Random) -> Vec<NodeId> {
        let ids = self.authorities.iter().filter_map(|key| map.lookup(key));
        let parents: BTreeSet<NodeId> = ids.flat_map(|id| map.node(id).parents()).collect();
        let open: BTreeSet<NodeId> =
            parents.into_iter().flat_map(|id| map.open_links(id)).collect();
        let mut open: Vec<NodeId> = open.into_iter().collect();
        let count = share_of(open.len(), self.settings.mutation);
        random.choose_first(&mut open, count);
        open
    }
}

/// ⌊n · share⌋.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is from 0 to the count"
)]
fn share_of(count: usize, share: f64) -> usize {
    // A little more, so that .1 · 30 is 3.
    (count as f64 * share.clamp(0.0, 1.0) + 1e-9).floor() as usize
}

/// The open links of pages, each once.
fn open_links(map: &Map, pages: &[NodeId]) -> Vec<LinkKey> {
    let mut seen = BTreeSet::new();
    let links = pages.iter().flat_map(|page| map.open_links(*page));
    links.filter(|id| seen.insert(*id)).map(|id| map.node(id).key).collect()
}

/// S: of a page that came its relevance, of another link that of the pages that it is on.
fn fitness(map: &Map, id: NodeId) -> f64 {
    let node = map.node(id);
    if let Some(page) = &node.page {
        return page.relevance;
    }
    node.said.relevance / f64::from(node.said.pages.max(1))
}

/// Knocks out the last share of each niche. The order of the rest stays.
fn knock_out(map: &Map, all: Vec<NodeId>, share: f64) -> Vec<NodeId> {
    let mut niches: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    for id in &all {
        niches.entry(map.node(*id).niche).or_default().push(*id);
    }
    let mut out: BTreeSet<NodeId> = BTreeSet::new();
    for niche in niches.values_mut() {
        niche.sort_by(|a, b| fitness(map, *a).total_cmp(&fitness(map, *b)).then(b.cmp(a)));
        out.extend(niche.iter().take(share_of(niche.len(), share)));
    }
    all.into_iter().filter(|id| !out.contains(id)).collect()
}

impl Strategy for NicheGenetic {
    fn moved(&mut self, from: &LinkKey, to: &LinkKey) {
        rename(self.all.iter_mut(), from, to);
        if self.mutants.remove(from) {
            self.mutants.insert(*to);
        }
    }

    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        // A phase with nothing to fetch is over at once, and three in a row have come to the next generation; a
        // generation that only visits pages it knows may follow another.
        for _ in 0..=2 * self.settings.generations {
            if let Some(id) = take_of(&mut self.to_fetch, helm) {
                let is_mutant = self.mutants.contains(&helm.map.node(id).key);
                let rule = match self.phase {
                    Phase::Fitness => Rule::Fitness,
                    _ if is_mutant => Rule::Mutation,
                    _ => Rule::First,
                };
                return Decision::Fetch(id, rule);
            }
            if !self.to_fetch.is_empty() || self.is_under_way(helm.map) {
                return Decision::Nothing;
            }
            if self.phase == Phase::Done {
                return Decision::Done;
            }
            self.turn(helm);
        }
        Decision::Done
    }

    fn arrived(&mut self, map: &mut Map, page: NodeId, _: &mut Random) {
        let is_relevant = map.node(page).page.as_ref().is_some_and(|page| page.is_relevant);
        self.relevant += u64::from(is_relevant);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{HostKey, LinkId};
    use crate::map::{Edge, PageNode};

    fn page(map: &mut Map, number: u8, niche: u64, relevance: f64, links: &[u8]) -> NodeId {
        let address = |number, niche| LinkId { key: [number; 16], host: HostKey(niche), niche };
        let id = map.meet(address(number, niche));
        let links = links
            .iter()
            .map(|to| {
                let known = map.lookup(&[*to; 16]);
                let to = known.unwrap_or_else(|| {
                    let id = map.meet(address(*to, niche));
                    map.set_waiting(id);
                    id
                });
                let sighting =
                    crate::map::Sighting { page: id, relevance, anchor: 0.0, context: 0.0 };
                map.node_mut(to).add_sighting(sighting);
                Edge { to, anchor: 0.0 }
            })
            .collect();
        map.set_standing(id, Standing::Settled);
        let facts =
            PageNode { relevance, is_relevant: relevance > 0.05, links, pheromone: Vec::new() };
        map.node_mut(id).page = Some(Box::new(facts));
        map.pages.push(id);
        id
    }

    /// ⌊.1 n⌋ of each niche: none of nine, one of ten, and of twenty the two with the least S.
    #[test]
    fn the_last_of_each_niche_are_knocked_out() {
        let mut map = Map::new(1_000);
        let small: Vec<NodeId> =
            (0..9).map(|n| page(&mut map, n, 1, f64::from(n) / 10.0, &[])).collect();
        let large: Vec<NodeId> =
            (10..30).map(|n| page(&mut map, n, 2, f64::from((n * 7) % 20) / 20.0, &[])).collect();
        let all = [small.clone(), large.clone()].concat();
        let kept = knock_out(&map, all.clone(), 0.1);
        let out: Vec<NodeId> = all.into_iter().filter(|id| !kept.contains(id)).collect();
        // (n · 7) mod 20 is 0 for n = 20 and 1 for n = 23.
        assert_eq!(out.iter().map(|id| map.node(*id).key[0]).collect::<Vec<_>>(), [20, 23]);
    }

    #[test]
    fn selection_crossover_and_mutation() {
        let mut map = Map::new(1_000);
        // 1 is a hub with three links, of which 2 and 3 came; 2 is an authority.
        page(&mut map, 1, 1, 0.5, &[2, 3, 4]);
        page(&mut map, 2, 1, 0.9, &[]);
        page(&mut map, 3, 1, 0.2, &[]);
        page(&mut map, 9, 1, 0.01, &[]);
        let settings = NicheGeneticSettings { hub_links: 2, ..NicheGeneticSettings::default() };
        let mut genetic = NicheGenetic::new(settings);
        genetic.all = [1, 2, 9].map(|number| [number; 16]).into();
        let hubs = genetic.select(&map);
        // 9 is not relevant, so it is neither.
        assert_eq!(hubs, [map.lookup(&[1; 16]).unwrap()]);
        assert_eq!(genetic.authorities, [[2; 16]]);
        assert_eq!(open_links(&map, &hubs), [[4; 16]]);
        // ⌊2 · .6⌋ = 1 of 2 and 3: the better one.
        genetic.all = vec![[3; 16], [2; 16]];
        assert_eq!(genetic.cross(&map), [map.lookup(&[2; 16]).unwrap()]);
        // 1 leads to the authority 2, and only 4 of it is open: ⌊1 · .4⌋ = 0 of it, with 1 all of it.
        assert!(genetic.mutate(&map, &mut Random::new(0)).is_empty());
        genetic.settings.mutation = 1.0;
        assert_eq!(genetic.mutate(&map, &mut Random::new(0)), [map.lookup(&[4; 16]).unwrap()]);
        // 4 is taken for as relevant as the page that it is on.
        assert!((fitness(&map, map.lookup(&[4; 16]).unwrap()) - 0.5).abs() < 1e-12);
    }
}
