//! Links that were not promising enough, kept in case hosts run short (step 5 of algorithm 3 of fcits-oh).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::link::{HostKey, Link, LinkId, LinkKey};
use crate::map::Map;
use crate::place::Place;

/// How many are kept: the most promising ones (F18 of the readings).
const MOST: usize = 10_000;

/// Links that were put aside, the most promising first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Discarded {
    links: BTreeMap<LinkKey, Put>,
    #[serde(skip)]
    order: BTreeSet<(Place, LinkKey)>,
    /// Those of each host in order, and of each host the first.
    #[serde(skip)]
    hosts: BTreeMap<HostKey, BTreeSet<(Place, LinkKey)>>,
    #[serde(skip)]
    first: BTreeSet<(Place, LinkKey)>,
}

/// A link that was put aside.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Put {
    pub(crate) link: Link,
    pub(crate) id: LinkId,
    pub(crate) priority: f64,
}

impl Put {
    fn place(&self) -> (Place, LinkKey) {
        (Place::new(self.priority, 0), self.id.key)
    }
}

impl Discarded {
    /// Makes anew what is not kept.
    pub(crate) fn rebuild(&mut self) {
        let links = std::mem::take(&mut self.links);
        links.into_values().for_each(|put| self.put(put));
    }

    /// Puts a link aside; the least promising one goes if there are too many.
    pub(crate) fn put(&mut self, put: Put) {
        self.remove(&put.id.key);
        let (place, host) = (put.place(), put.id.host);
        self.order.insert(place);
        self.change_host(host, |of_host| _ = of_host.insert(place));
        self.links.insert(put.id.key, put);
        if self.links.len() > MOST
            && let Some((_, key)) = self.order.last().copied()
        {
            self.remove(&key);
        }
    }

    /// A link is wanted after all.
    pub(crate) fn remove(&mut self, key: &LinkKey) -> Option<Put> {
        let put = self.links.remove(key)?;
        let place = put.place();
        self.order.remove(&place);
        self.change_host(put.id.host, |of_host| _ = of_host.remove(&place));
        Some(put)
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

    /// The most promising links of hosts without waiting links, one of each, at most so many.
    pub(crate) fn of_other_hosts(&mut self, map: &Map, count: usize) -> Vec<Put> {
        let is_other = |key: &&LinkKey| !map.has_waiting(self.links[*key].id.host);
        let first = self.first.iter().map(|(_, key)| key);
        let keys: Vec<LinkKey> = first.filter(is_other).take(count).copied().collect();
        keys.iter().filter_map(|key| self.remove(key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(url: &str, priority: f64) -> Put {
        let link = Link::seed(url.parse().unwrap());
        Put { id: LinkId::of(&link.url, 0), link, priority }
    }

    #[test]
    fn one_of_each_host_that_has_nothing_waiting() {
        let mut map = Map::new(1_000);
        let waiting = map.meet(put("http://a.test/w", 0.0).id);
        map.set_waiting(waiting);
        let mut discarded = Discarded::default();
        for (url, priority) in [
            ("http://a.test/1", 0.14),
            ("http://b.test/1", 0.10),
            ("http://b.test/2", 0.12),
            ("http://c.test/1", 0.05),
            ("http://d.test/1", 0.08),
        ] {
            discarded.put(put(url, priority));
        }
        let chosen = discarded.of_other_hosts(&map, 2);
        let urls: Vec<&str> = chosen.iter().map(|put| put.link.url.as_str()).collect();
        assert_eq!(urls, ["http://b.test/2", "http://d.test/1"]);
        assert_eq!(discarded.links.len(), 3);
        // Found again with another priority it has one place.
        discarded.put(put("http://b.test/1", 0.5));
        assert_eq!((discarded.links.len(), discarded.order.len()), (3, 3));
        assert_eq!((discarded.hosts.len(), discarded.first.len()), (3, 3));
        let kept: Discarded =
            postcard::from_bytes(&postcard::to_stdvec(&discarded).unwrap()).unwrap();
        let mut again = kept;
        again.rebuild();
        assert_eq!((&again.order, &again.first), (&discarded.order, &discarded.first));
    }

    #[test]
    fn the_least_promising_go_when_there_are_too_many() {
        let mut discarded = Discarded::default();
        for number in 0..=MOST {
            discarded.put(put(&format!("http://a.test/{number}"), number as f64));
        }
        assert_eq!(discarded.links.len(), MOST);
        assert!(discarded.remove(&put("http://a.test/0", 0.0).id.key).is_none());
        assert!(discarded.remove(&put("http://a.test/1", 0.0).id.key).is_some());
    }
}
