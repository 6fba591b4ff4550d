//! The memory of hosts of fcits-oh (section 4.8, the tabu list H₂ of algorithm 3).
//!
//! A host from which many pages came, or too few relevant ones, becomes tabu: its links are passed over until other hosts
//! have become tabu, until links were passed over in so many decisions in a row, or until nothing else is left (F15 of
//! the readings). A host that is released begins anew (F17).

use serde::{Deserialize, Serialize};

use super::{Hosts, Map, NodeId};

/// A memory of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct HostMemory {
    /// For how many other hosts a host stays tabu.
    pub term: u32,
    /// From how many pages on a host is asked what it brought.
    pub pages: u32,
    /// From how many pages on it becomes tabu whatever it brought.
    pub most_pages: u32,
    /// With no greater share of relevant pages it becomes tabu.
    pub share: f64,
    /// In how many decisions in a row links are passed over before all terms grow shorter.
    pub rejections: u32,
    /// How many links that were put aside are taken up again at a time, when few hosts are left early on; 0 for never.
    pub restore: usize,
    /// Few hosts are fewer than this.
    pub few_hosts: usize,
    /// Early is before this share of the budget is spent.
    pub early: f64,
    /// Whether only one seed of each host is begun with.
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

/// H₂.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) settings: HostMemory,
    /// The hosts that are tabu, and for how long.
    tabu: Vec<(u32, u32)>,
    /// In how many decisions in a row links were passed over.
    rejected: u32,
}

impl Memory {
    pub(crate) fn new(settings: HostMemory) -> Self {
        Self { settings, tabu: Vec::new(), rejected: 0 }
    }

    /// All terms grow shorter by one; hosts whose term is over begin anew.
    fn tick(&mut self, map: &mut Map) {
        self.tabu.retain_mut(|(host, term)| {
            *term = term.saturating_sub(1);
            if *term == 0 {
                let host = &mut map.hosts[*host as usize];
                (host.visited, host.relevant) = (0, 0);
            }
            *term > 0
        });
    }

    /// Whether links that were put aside are to be taken up again.
    pub(crate) fn wants_more_hosts(&self, map: &Map, progress: f64) -> bool {
        let HostMemory { restore, few_hosts, early, .. } = self.settings;
        restore > 0 && progress < early && map.open_hosts < few_hosts
    }
}

impl Hosts for Memory {
    fn allows(&self, map: &Map, link: NodeId) -> bool {
        let host = map.node(link).host;
        !self.tabu.iter().any(|(tabu, _)| *tabu == host)
    }

    fn forbids_some(&self) -> bool {
        !self.tabu.is_empty()
    }

    fn decided(&mut self, map: &mut Map, has_passed_over: bool) {
        self.rejected = if has_passed_over { self.rejected + 1 } else { 0 };
        if self.rejected >= self.settings.rejections {
            self.rejected = 0;
            self.tick(map);
        }
    }

    fn relent(&mut self, map: &mut Map) {
        self.rejected = 0;
        self.tick(map);
    }

    fn taken(&mut self, map: &mut Map, link: NodeId) {
        let number = map.node(link).host;
        let host = &map.hosts[number as usize];
        let HostMemory { pages, most_pages, share, term, .. } = self.settings;
        let is_fine = host.visited < pages
            || (host.visited < most_pages
                && f64::from(host.relevant) > share * f64::from(host.visited));
        if is_fine || self.tabu.iter().any(|(tabu, _)| *tabu == number) {
            return;
        }
        // Older terms first, so that the new one is kept in full (F6 of the readings).
        self.tick(map);
        self.tabu.push((number, term));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{HostKey, LinkId};

    fn link(map: &mut Map, host: u64, number: u8) -> NodeId {
        let id = map.meet(LinkId { key: [number; 16], host: HostKey(host), niche: 0 });
        map.set_waiting(id);
        id
    }

    fn visited(map: &mut Map, link: NodeId, visited: u32, relevant: u32) {
        let number = map.node(link).host;
        let host = &mut map.hosts[number as usize];
        (host.visited, host.relevant) = (visited, relevant);
    }

    #[test]
    fn a_host_becomes_tabu_by_pages_or_by_its_share() {
        let mut map = Map::new(1_000);
        let (a, b) = (link(&mut map, 1, 1), link(&mut map, 2, 2));
        let mut memory = Memory::new(HostMemory::default());
        // 49 pages without a relevant one are not enough to tell.
        for (pages, relevant, is_tabu) in
            [(49, 0, false), (50, 41, false), (99, 80, false), (50, 40, true), (100, 100, true)]
        {
            let mut memory = memory.clone();
            visited(&mut map, a, pages, relevant);
            memory.taken(&mut map, a);
            assert_eq!(!memory.allows(&map, a), is_tabu, "{pages} pages, {relevant} relevant");
            assert!(memory.allows(&map, b));
        }
        // Four other hosts later it is free again, and begins anew.
        memory.taken(&mut map, a);
        for number in 3..7 {
            assert!(!memory.allows(&map, a));
            let other = link(&mut map, u64::from(number), number);
            visited(&mut map, other, 100, 100);
            memory.taken(&mut map, other);
        }
        assert!(memory.allows(&map, a));
        assert_eq!(map.hosts[0].visited, 0);
    }

    /// Links passed over in twenty decisions in a row shorten the terms: after eighty the host is free. If nothing
    /// else is left, four steps are enough.
    #[test]
    fn it_never_locks_everything_out() {
        let mut map = Map::new(1_000);
        let a = link(&mut map, 1, 1);
        visited(&mut map, a, 100, 100);
        let mut memory = Memory::new(HostMemory::default());
        memory.taken(&mut map, a);
        let mut twin = memory.clone();
        let decisions = (0..1_000)
            .take_while(|_| {
                memory.decided(&mut map, true);
                !memory.allows(&map, a)
            })
            .count();
        assert_eq!(decisions, 79);
        let steps = (0..9).take_while(|_| {
            twin.relent(&mut map);
            twin.forbids_some()
        });
        assert_eq!(steps.count(), 3);
        // One decision in which nothing was passed over begins the count anew.
        memory.decided(&mut map, true);
        memory.decided(&mut map, false);
        assert_eq!(memory.rejected, 0);
    }
}
