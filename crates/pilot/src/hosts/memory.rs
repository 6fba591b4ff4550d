//! The host memory of fcits-oh (section 4.8, the tabu list H₂ of algorithm 3).
//!
//! A host becomes tabu when many of its pages were fetched, or too few of them were relevant. Its
//! links are skipped until enough other hosts have become tabu, until links were skipped in a given
//! number of decisions in a row, or until no other host is left (reading F15, docs/papers.md). A
//! released host starts with fresh counts (reading F17).

use serde::{Deserialize, Serialize};

use super::{Hosts, NodeId, WebGraph};

/// Settings of the host memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct HostMemory {
    /// Number of other hosts that must become tabu before a host is released.
    pub term: u32,
    /// Number of pages after which the share of relevant pages is checked.
    pub pages: u32,
    /// Number of pages after which a host becomes tabu in any case.
    pub most_pages: u32,
    /// A host with at most this share of relevant pages becomes tabu.
    pub share: f64,
    /// Number of decisions in a row that skip links of tabu hosts before all terms are shortened by
    /// one.
    pub rejections: u32,
    /// Number of discarded links that are restored at a time when few hosts are left; 0 for never.
    pub restore: usize,
    /// Links are restored when fewer hosts than this have waiting links.
    pub few_hosts: usize,
    /// Links are restored only before this share of the budget is spent.
    pub early: f64,
    /// True if the crawl starts with only one seed of each host.
    pub one_seed_per_host: bool,
}

impl Default for HostMemory {
    fn default() -> Self {
        Self {
            term: 4,
            pages: 50,
            most_pages: 100,
            share: 0.8,
            rejections: 20,
            restore: 3,
            few_hosts: 10,
            early: 0.3,
            one_seed_per_host: true,
        }
    }
}

/// The tabu list of hosts, H₂.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) settings: HostMemory,
    /// The tabu hosts, and the number of other hosts until each is released.
    tabu: Vec<(u32, u32)>,
    /// Number of decisions in a row that skipped links of tabu hosts.
    skips_in_a_row: u32,
}

impl Memory {
    pub(crate) fn new(settings: HostMemory) -> Self {
        Self { settings, tabu: Vec::new(), skips_in_a_row: 0 }
    }

    /// Shortens all terms by one. Hosts whose term has ended start with fresh counts.
    fn tick(&mut self, graph: &mut WebGraph) {
        self.tabu.retain_mut(|(host, term)| {
            *term = term.saturating_sub(1);
            if *term == 0 {
                let host = &mut graph.hosts[*host as usize];
                (host.visited, host.relevant) = (0, 0);
            }
            *term > 0
        });
    }

    /// Returns true if discarded links are to be restored.
    pub(crate) fn wants_more_hosts(&self, graph: &WebGraph, progress: f64) -> bool {
        let HostMemory { restore, few_hosts, early, .. } = self.settings;
        restore > 0 && progress < early && graph.open_hosts < few_hosts
    }
}

impl Hosts for Memory {
    fn allows(&self, graph: &WebGraph, link: NodeId) -> bool {
        let host = graph.node(link).host;
        !self.tabu.iter().any(|(tabu, _)| *tabu == host)
    }

    fn has_tabu_hosts(&self) -> bool {
        !self.tabu.is_empty()
    }

    fn decided(&mut self, graph: &mut WebGraph, has_skipped_tabu: bool) {
        self.skips_in_a_row = if has_skipped_tabu { self.skips_in_a_row + 1 } else { 0 };
        if self.skips_in_a_row >= self.settings.rejections {
            self.skips_in_a_row = 0;
            self.tick(graph);
        }
    }

    fn shorten_terms(&mut self, graph: &mut WebGraph) {
        self.skips_in_a_row = 0;
        self.tick(graph);
    }

    fn left(&mut self, graph: &WebGraph) {
        self.tabu.retain(|(host, _)| !graph.hosts[*host as usize].was_left);
    }

    fn taken(&mut self, graph: &mut WebGraph, link: NodeId) {
        let number = graph.node(link).host;
        let host = &graph.hosts[number as usize];
        let HostMemory { pages, most_pages, share, term, .. } = self.settings;
        let is_fine = host.visited < pages
            || (host.visited < most_pages
                && f64::from(host.relevant) > share * f64::from(host.visited));
        if is_fine || self.tabu.iter().any(|(tabu, _)| *tabu == number) {
            return;
        }
        // Shorten the older terms first, so that the new term keeps its full length (reading F6).
        self.tick(graph);
        self.tabu.push((number, term));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{HostKey, LinkId, LinkKey};

    fn link(graph: &mut WebGraph, host: u64, number: u8) -> NodeId {
        let id =
            graph.find_or_add(LinkId { key: LinkKey([number; 16]), host: HostKey(host), niche: 0 });
        graph.set_waiting(id);
        id
    }

    fn visited(graph: &mut WebGraph, link: NodeId, visited: u32, relevant: u32) {
        let number = graph.node(link).host;
        let host = &mut graph.hosts[number as usize];
        (host.visited, host.relevant) = (visited, relevant);
    }

    #[test]
    fn a_host_becomes_tabu_by_its_pages_or_its_share_of_relevant_ones() {
        let mut graph = WebGraph::new(1_000);
        let (a, b) = (link(&mut graph, 1, 1), link(&mut graph, 2, 2));
        let mut memory = Memory::new(HostMemory::default());
        // 49 pages without a relevant one are not enough to decide.
        for (pages, relevant, is_tabu) in
            [(49, 0, false), (50, 41, false), (99, 80, false), (50, 40, true), (100, 100, true)]
        {
            let mut memory = memory.clone();
            visited(&mut graph, a, pages, relevant);
            memory.taken(&mut graph, a);
            assert_eq!(!memory.allows(&graph, a), is_tabu, "{pages} pages, {relevant} relevant");
            assert!(memory.allows(&graph, b));
        }
        // After four other hosts it is released and its counts start at zero.
        memory.taken(&mut graph, a);
        for number in 3..7 {
            assert!(!memory.allows(&graph, a));
            let other = link(&mut graph, u64::from(number), number);
            visited(&mut graph, other, 100, 100);
            memory.taken(&mut graph, other);
        }
        assert!(memory.allows(&graph, a));
        assert_eq!(graph.hosts[0].visited, 0);
    }

    /// Twenty decisions in a row that skip links shorten the terms by one, so after eighty
    /// decisions the host is released. If no other host is left, four steps are enough.
    #[test]
    fn host_memory_never_blocks_every_host() {
        let mut graph = WebGraph::new(1_000);
        let a = link(&mut graph, 1, 1);
        visited(&mut graph, a, 100, 100);
        let mut memory = Memory::new(HostMemory::default());
        memory.taken(&mut graph, a);
        let mut twin = memory.clone();
        let decisions = (0..1_000)
            .take_while(|_| {
                memory.decided(&mut graph, true);
                !memory.allows(&graph, a)
            })
            .count();
        assert_eq!(decisions, 79);
        let steps = (0..9).take_while(|_| {
            twin.shorten_terms(&mut graph);
            twin.has_tabu_hosts()
        });
        assert_eq!(steps.count(), 3);
        // One decision that skips nothing resets the count.
        memory.decided(&mut graph, true);
        memory.decided(&mut graph, false);
        assert_eq!(memory.skips_in_a_row, 0);
    }
}
