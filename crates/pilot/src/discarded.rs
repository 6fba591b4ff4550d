//! Links that were refused, kept in case hosts run short (step 5 of algorithm 3 of fcits-oh) or no
//! other link waits.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::graph::WebGraph;
use crate::link::{HostKey, Link, LinkId, LinkKey};
use crate::place::Place;

/// Maximum number of discarded links; those with the highest priority are kept (reading F18,
/// docs/papers.md).
const MAX_LINKS: usize = 10_000;

/// The discarded links, in order of falling priority.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Discarded {
    links: BTreeMap<LinkKey, DiscardedLink>,
    #[serde(skip)]
    order: BTreeSet<(Place, LinkKey)>,
    /// The links of each host, in order.
    #[serde(skip)]
    hosts: BTreeMap<HostKey, BTreeSet<(Place, LinkKey)>>,
    /// The best link of each host.
    #[serde(skip)]
    first: BTreeSet<(Place, LinkKey)>,
}

/// A link that was discarded because of its priority, or because its host already had a seed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DiscardedLink {
    pub(crate) link: Link,
    pub(crate) id: LinkId,
    pub(crate) priority: f64,
}

impl DiscardedLink {
    fn place(&self) -> (Place, LinkKey) {
        (Place::new(self.priority, 0), self.id.key)
    }
}

impl Discarded {
    /// Rebuilds the indices that are not stored.
    pub(crate) fn rebuild(&mut self) {
        let links = std::mem::take(&mut self.links);
        links.into_values().for_each(|link| self.add(link));
    }

    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    /// Adds a link, and drops the one with the lowest priority if there are too many.
    pub(crate) fn add(&mut self, link: DiscardedLink) {
        self.remove(&link.id.key);
        let (place, host) = (link.place(), link.id.host);
        self.order.insert(place);
        self.change_host(host, |of_host| _ = of_host.insert(place));
        self.links.insert(link.id.key, link);
        if self.links.len() > MAX_LINKS
            && let Some((_, key)) = self.order.last().copied()
        {
            self.remove(&key);
        }
    }

    /// Removes a link, because it is queued after all.
    pub(crate) fn remove(&mut self, key: &LinkKey) -> Option<DiscardedLink> {
        let link = self.links.remove(key)?;
        let place = link.place();
        self.order.remove(&place);
        self.change_host(link.id.host, |of_host| _ = of_host.remove(&place));
        Some(link)
    }

    fn change_host(&mut self, host: HostKey, change: impl FnOnce(&mut BTreeSet<(Place, LinkKey)>)) {
        let of_host = self.hosts.entry(host).or_default();
        if let Some(first) = of_host.first() {
            self.first.remove(first);
        }
        change(of_host);
        match of_host.first() {
            Some(first) => _ = self.first.insert(*first),
            None => _ = self.hosts.remove(&host),
        }
    }

    /// Removes and returns the best link.
    pub(crate) fn take_best(&mut self) -> Option<DiscardedLink> {
        let (_, key) = self.order.first().copied()?;
        self.remove(&key)
    }

    /// Removes and returns the best links of hosts without waiting links: one for each host, at
    /// most `count`.
    pub(crate) fn of_other_hosts(&mut self, graph: &WebGraph, count: usize) -> Vec<DiscardedLink> {
        let is_other = |key: &&LinkKey| !graph.has_waiting(self.links[*key].id.host);
        let first = self.first.iter().map(|(_, key)| key);
        let keys: Vec<LinkKey> = first.filter(is_other).take(count).copied().collect();
        keys.iter().filter_map(|key| self.remove(key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discarded_link(url: &str, priority: f64) -> DiscardedLink {
        let link = Link::seed(url.parse().unwrap());
        DiscardedLink { id: LinkId::of(&link.url, 0), link, priority }
    }

    #[test]
    fn restores_one_link_of_each_host_without_waiting_links() {
        let mut graph = WebGraph::new(1_000);
        let waiting = graph.find_or_add(discarded_link("http://a.test/w", 0.0).id);
        graph.set_waiting(waiting);
        let mut discarded = Discarded::default();
        for (url, priority) in [
            ("http://a.test/1", 0.14),
            ("http://b.test/1", 0.10),
            ("http://b.test/2", 0.12),
            ("http://c.test/1", 0.05),
            ("http://d.test/1", 0.08),
        ] {
            discarded.add(discarded_link(url, priority));
        }
        let chosen = discarded.of_other_hosts(&graph, 2);
        let urls: Vec<&str> = chosen.iter().map(|it| it.link.url.as_str()).collect();
        assert_eq!(urls, ["http://b.test/2", "http://d.test/1"]);
        assert_eq!(discarded.links.len(), 3);
        // A link that is found again with another priority still has one entry.
        discarded.add(discarded_link("http://b.test/1", 0.5));
        assert_eq!((discarded.links.len(), discarded.order.len()), (3, 3));
        assert_eq!((discarded.hosts.len(), discarded.first.len()), (3, 3));
        let kept: Discarded =
            postcard::from_bytes(&postcard::to_stdvec(&discarded).unwrap()).unwrap();
        let mut again = kept;
        again.rebuild();
        assert_eq!((&again.order, &again.first), (&discarded.order, &discarded.first));
    }

    #[test]
    fn a_full_list_drops_the_link_with_the_lowest_priority() {
        let mut discarded = Discarded::default();
        for number in 0..=MAX_LINKS {
            discarded.add(discarded_link(&format!("http://a.test/{number}"), number as f64));
        }
        assert_eq!(discarded.links.len(), MAX_LINKS);
        assert!(discarded.remove(&discarded_link("http://a.test/0", 0.0).id.key).is_none());
        assert!(discarded.remove(&discarded_link("http://a.test/1", 0.0).id.key).is_some());
    }
}
