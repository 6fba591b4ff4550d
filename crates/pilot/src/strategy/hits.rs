//! Hubs and authorities (Kleinberg's HITS): the baseline of gafc that uses links only.
//!
//! At intervals, the weights of all known pages and links are computed: a(v) = Σ h(u) over the
//! pages u that link to v, h(u) = Σ a(v) over the links v of u, both normalised to length 1. The
//! priority of a waiting link is Σ h(u) over the pages that contain it. Links within one host say
//! nothing about quality and are left out. Before the first computation every page has weight 1, so
//! the priority of a link is the number of pages that contain it.
//!
//! A computation takes time proportional to the number of known links. It is therefore done after
//! `every` pages, but not before the number of links has grown by a tenth, so that its cost is
//! spread over proportionally many links.

use serde::{Deserialize, Serialize};

use super::{Decision, Strategy, StrategyContext, best_or_free};
use crate::graph::{NodeId, WebGraph};
use crate::random::Random;

/// The weights are recomputed only when the number of links has grown by a tenth.
const GROWTH: usize = 10;
/// The weights have converged when they change by less than this.
const PRECISION: f64 = 1e-8;

/// Settings of HITS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct HitsSettings {
    /// Number of pages between two computations of the weights.
    pub every: usize,
    /// Maximum number of iterations.
    pub rounds: usize,
    /// True if links within one host count.
    pub within_hosts: bool,
}

impl Default for HitsSettings {
    fn default() -> Self {
        Self { every: 50, rounds: 20, within_hosts: false }
    }
}

/// The state of HITS.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hits {
    settings: HitsSettings,
    /// Number of pages and number of links at which the weights are computed next.
    due: (usize, usize),
    /// The length of the hub weights before normalisation; none before the first computation.
    length: Option<f64>,
}

impl Hits {
    pub(crate) fn new(settings: HitsSettings) -> Self {
        Self { settings, due: (settings.every.max(1), 0), length: None }
    }

    fn counts(&self, graph: &WebGraph, from: NodeId, to: NodeId) -> bool {
        self.settings.within_hosts || graph.node(from).host != graph.node(to).host
    }

    /// Computes all weights.
    fn compute(&mut self, graph: &mut WebGraph) {
        let edges: Vec<(NodeId, NodeId)> = graph
            .pages
            .iter()
            .filter_map(|from| Some((*from, graph.node(*from).page.as_ref()?)))
            .flat_map(|(from, page)| page.links.iter().map(move |edge| (from, edge.to)))
            .filter(|(from, to)| self.counts(graph, *from, *to))
            .collect();
        let mut hubs = vec![0.0; graph.len()];
        graph.pages.iter().for_each(|page| hubs[page.index()] = 1.0);
        let mut authorities = vec![0.0; graph.len()];
        for _ in 0..self.settings.rounds {
            authorities.fill(0.0);
            for (from, to) in &edges {
                authorities[to.index()] += hubs[from.index()];
            }
            unit_length(&mut authorities);
            let mut next = vec![0.0; graph.len()];
            for (from, to) in &edges {
                next[from.index()] += authorities[to.index()];
            }
            self.length = Some(unit_length(&mut next));
            let change = next.iter().zip(&hubs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            hubs = next;
            if change < PRECISION {
                break;
            }
        }
        for ((hub, authority), id) in hubs.into_iter().zip(authorities).zip(NodeId::all()) {
            let node = graph.node_mut(id);
            (node.hub, node.authority) = (hub, authority);
        }
    }

    /// Returns Σ h(u) over the pages that contain a link.
    fn worth(&self, graph: &WebGraph, id: NodeId) -> f64 {
        let pages = graph.node(id).parents().filter(|page| self.counts(graph, *page, id));
        pages.map(|page| graph.node(page).hub).sum()
    }
}

/// Scales the weights to length 1, and returns their former length.
fn unit_length(weights: &mut [f64]) -> f64 {
    let length = weights.iter().map(|it| it * it).sum::<f64>().sqrt();
    if length > 0.0 {
        weights.iter_mut().for_each(|it| *it /= length);
    }
    length
}

impl Strategy for Hits {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        best_or_free(cx)
    }

    fn arrived(&mut self, graph: &mut WebGraph, page: NodeId, _: &mut Random) {
        if graph.pages.len() >= self.due.0 && graph.total_added >= self.due.1 {
            self.compute(graph);
            let links = graph.total_added + graph.total_added / GROWTH;
            self.due = (graph.pages.len() + self.settings.every.max(1), links);
            graph.set_all_priorities(|graph, id| {
                // Seeds have no pages that contain them, so they keep their priority.
                let node = graph.node(id);
                if node.is_seed { node.priority } else { self.worth(graph, id) }
            });
            return;
        }
        // Until the next computation, the hub weight of a new page follows from the authority of
        // its links.
        let links = graph.node(page).page.as_ref().map_or(&[][..], |page| &page.links);
        let sum: f64 = links
            .iter()
            .filter(|edge| self.counts(graph, page, edge.to))
            .map(|edge| graph.node(edge.to).authority)
            .sum();
        let hub = match self.length {
            None => 1.0,
            Some(length) if length > 0.0 => sum / length,
            Some(_) => 0.0,
        };
        graph.node_mut(page).hub = hub;
        let open: Vec<NodeId> = graph.open_links(page).collect();
        for id in open {
            if !graph.node(id).is_seed {
                graph.set_priority(id, self.worth(graph, id));
            }
        }
    }

    fn own_priority(&self, graph: &WebGraph, id: NodeId) -> Option<f64> {
        let node = graph.node(id);
        Some(if node.is_seed { node.priority } else { self.worth(graph, id) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, PageNode};
    use crate::link::{HostKey, LinkId, LinkKey};

    fn web(pages: &[(u8, &[u8])]) -> WebGraph {
        let mut graph = WebGraph::new(1_000);
        let link = |number: u8| LinkId {
            key: LinkKey([number; 16]),
            host: HostKey(u64::from(number)),
            niche: 0,
        };
        for (page, links) in pages {
            let id = graph.find_or_add(link(*page));
            let links = links
                .iter()
                .map(|to| Edge { to: graph.find_or_add(link(*to)), anchor: 0.0 })
                .collect();
            let facts =
                PageNode { relevance: 0.0, is_relevant: false, links, pheromone: Vec::new() };
            graph.node_mut(id).page = Some(Box::new(facts));
            graph.pages.push(id);
        }
        graph
    }

    /// 1 → 3, 4 and 2 → 4: `AᵀA` has the greatest eigenvalue (3 + √5) / 2, so the authorities of 4
    /// and 3, and the hubs of 1 and 2, are in the golden ratio.
    #[test]
    fn hubs_and_authorities_are_the_golden_ratio_apart() {
        let mut graph = web(&[(1, &[3, 4]), (2, &[4])]);
        let mut hits = Hits::new(HitsSettings { rounds: 50, ..HitsSettings::default() });
        hits.compute(&mut graph);
        let node = |number: u8| graph.node(graph.lookup(&LinkKey([number; 16])).unwrap());
        let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
        assert!((node(4).authority / node(3).authority - golden).abs() < 1e-6);
        assert!((node(1).hub / node(2).hub - golden).abs() < 1e-6);
        assert!((node(1).hub.hypot(node(2).hub) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn links_within_a_host_count_only_on_request() {
        let mut graph = web(&[(1, &[3])]);
        graph.node_mut(NodeId(1)).host = graph.node(NodeId(0)).host;
        let mut hits = Hits::new(HitsSettings::default());
        hits.compute(&mut graph);
        assert!(graph.node(NodeId(0)).hub.abs() < 1e-12);
        hits.settings.within_hosts = true;
        hits.compute(&mut graph);
        assert!((graph.node(NodeId(0)).hub - 1.0).abs() < 1e-12);
    }
}
