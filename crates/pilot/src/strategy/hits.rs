//! Hubs and authorities (Kleinberg's HITS, part E.4 of the readings): the baseline of gafc that goes by links alone.
//!
//! Now and then the weights of all pages and links that are known are computed, a(v) = Σ h(u) over the pages u that lead to v,
//! h(u) = Σ a(v) over the links v of u, both kept at length 1. A waiting link is worth Σ h(u) over the pages that
//! it is on. Links within one host say nothing and are left out. Before the first time every page counts 1, so a link
//! is worth the number of pages that lead to it.
//!
//! Computing anew takes time with the number of links that are known, so it is done after `every` pages and no sooner than
//! when there are a tenth more: what it costs is then shared by as many links.

use serde::{Deserialize, Serialize};

use super::{Decision, Helm, Strategy, best_or_free};
use crate::map::{Map, NodeId};
use crate::random::Random;

/// There must be a tenth more links before the weights are computed anew.
const GROWTH: usize = 10;
/// When the weights change less than this, they are right.
const PRECISION: f64 = 1e-8;

/// Hubs and authorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct HitsSettings {
    /// After how many pages the weights are computed anew.
    pub every: usize,
    /// How often they are passed on at most.
    pub rounds: usize,
    /// Whether links within one host count.
    pub within_hosts: bool,
}

impl Default for HitsSettings {
    fn default() -> Self {
        Self { every: 50, rounds: 20, within_hosts: false }
    }
}

/// HITS at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hits {
    settings: HitsSettings,
    /// From how many pages and how many links on the weights are computed next.
    due: (usize, usize),
    /// The length of the hubs' weights before it was made 1; none before the first time.
    length: Option<f64>,
}

impl Hits {
    pub(crate) fn new(settings: HitsSettings) -> Self {
        Self { settings, due: (settings.every.max(1), 0), length: None }
    }

    fn counts(&self, map: &Map, from: NodeId, to: NodeId) -> bool {
        self.settings.within_hosts || map.node(from).host != map.node(to).host
    }

    /// Computes all weights.
    fn compute(&mut self, map: &mut Map) {
        let edges: Vec<(NodeId, NodeId)> = map
            .pages
            .iter()
            .filter_map(|from| Some((*from, map.node(*from).page.as_ref()?)))
            .flat_map(|(from, page)| page.links.iter().map(move |edge| (from, edge.to)))
            .filter(|(from, to)| self.counts(map, *from, *to))
            .collect();
        let mut hubs = vec![0.0; map.len()];
        map.pages.iter().for_each(|page| hubs[*page as usize] = 1.0);
        let mut authorities = vec![0.0; map.len()];
        for _ in 0..self.settings.rounds {
            authorities.fill(0.0);
            for (from, to) in &edges {
                authorities[*to as usize] += hubs[*from as usize];
            }
            unit_length(&mut authorities);
            let mut next = vec![0.0; map.len()];
            for (from, to) in &edges {
                next[*from as usize] += authorities[*to as usize];
            }
            self.length = Some(unit_length(&mut next));
            let change = next.iter().zip(&hubs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            hubs = next;
            if change < PRECISION {
                break;
            }
        }
        for ((hub, authority), id) in hubs.into_iter().zip(authorities).zip(0..) {
            let node = map.node_mut(id);
            (node.hub, node.authority) = (hub, authority);
        }
    }

    /// Σ h(u) over the pages that a link is on.
    fn worth(&self, map: &Map, id: NodeId) -> f64 {
        let pages = map.node(id).parents().filter(|page| self.counts(map, *page, id));
        pages.map(|page| map.node(page).hub).sum()
    }
}

/// Scales to length 1, and returns what the length was.
fn unit_length(weights: &mut [f64]) -> f64 {
    let length = weights.iter().map(|it| it * it).sum::<f64>().sqrt();
    if length > 0.0 {
        weights.iter_mut().for_each(|it| *it /= length);
    }
    length
}

impl Strategy for Hits {
    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        best_or_free(helm)
    }

    fn arrived(&mut self, map: &mut Map, page: NodeId, _: &mut Random) {
        if map.pages.len() >= self.due.0 && map.met >= self.due.1 {
            self.compute(map);
            let links = map.met + map.met / GROWTH;
            self.due = (map.pages.len() + self.settings.every.max(1), links);
            map.set_all_priorities(|map, id| {
                // Seeds were found nowhere and stay where they are.
                let node = map.node(id);
                if node.is_seed { node.priority } else { self.worth(map, id) }
            });
            return;
        }
        // Until the next time a new page is as good a hub as its links are authorities.
        let links = map.node(page).page.as_ref().map_or(&[][..], |page| &page.links);
        let sum: f64 = links
            .iter()
            .filter(|edge| self.counts(map, page, edge.to))
            .map(|edge| map.node(edge.to).authority)
            .sum();
        let hub = match self.length {
            None => 1.0,
            Some(length) if length > 0.0 => sum / length,
            Some(_) => 0.0,
        };
        map.node_mut(page).hub = hub;
        let open: Vec<NodeId> = map.open_links(page).collect();
        for id in open {
            if !map.node(id).is_seed {
                map.set_priority(id, self.worth(map, id));
            }
        }
    }

    fn own_priority(&self, map: &Map, id: NodeId) -> Option<f64> {
        let node = map.node(id);
        Some(if node.is_seed { node.priority } else { self.worth(map, id) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{HostKey, LinkId};
    use crate::map::{Edge, PageNode};

    fn web(pages: &[(u8, &[u8])]) -> Map {
        let mut map = Map::new(1_000);
        let address =
            |number: u8| LinkId { key: [number; 16], host: HostKey(u64::from(number)), niche: 0 };
        for (page, links) in pages {
            let id = map.meet(address(*page));
            let links =
                links.iter().map(|to| Edge { to: map.meet(address(*to)), anchor: 0.0 }).collect();
            let facts =
                PageNode { relevance: 0.0, is_relevant: false, links, pheromone: Vec::new() };
            map.node_mut(id).page = Some(Box::new(facts));
            map.pages.push(id);
        }
        map
    }

    /// 1 → 3, 4 and 2 → 4: `AᵀA` has the greatest eigenvalue (3 + √5) / 2, so the authorities of 3 and 4 are as 1 to the
    /// golden ratio, and the hubs of 1 and 2 as the golden ratio to 1.
    #[test]
    fn hubs_and_authorities_are_the_golden_ratio_apart() {
        let mut map = web(&[(1, &[3, 4]), (2, &[4])]);
        let mut hits = Hits::new(HitsSettings { rounds: 50, ..HitsSettings::default() });
        hits.compute(&mut map);
        let node = |number: u8| map.node(map.lookup(&[number; 16]).unwrap());
        let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
        assert!((node(4).authority / node(3).authority - golden).abs() < 1e-6);
        assert!((node(1).hub / node(2).hub - golden).abs() < 1e-6);
        assert!((node(1).hub.hypot(node(2).hub) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn links_within_a_host_count_only_on_request() {
        let mut map = web(&[(1, &[3])]);
        map.node_mut(1).host = map.node(0).host;
        let mut hits = Hits::new(HitsSettings::default());
        hits.compute(&mut map);
        assert!(map.node(0).hub.abs() < 1e-12);
        hits.settings.within_hosts = true;
        hits.compute(&mut map);
        assert!((map.node(0).hub - 1.0).abs() < 1e-12);
    }
}
