//! What a pilot knows of the web: the links that were found, the pages that came, and what leads where.
//!
//! The waiting links are kept in the order of their priority and counted by number, so the best is found and one is
//! drawn in O(log n). Priorities change when a link is found again or when what they are made of moves;
//! each page that comes pays for looking again at as many waiting links as it has ([`Map::sweep`]), so nothing is ever gone
//! through from end to end for one page.
//!
//! It is bounded: when it holds more links than it may, the least promising waiting links and the oldest pages are
//! forgotten. The queue still has those links.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::link::{HostKey, LinkId, LinkKey};
use crate::place::Place;
use crate::random::Random;
use crate::waiting::Waiting;

/// A link or page by its number.
pub(crate) type NodeId = u32;

/// How a link stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Standing {
    /// It is not promising enough, or was not taken up.
    Aside,
    /// It waits.
    Waiting,
    /// It is being fetched.
    Taken,
    /// It was dealt with.
    Settled,
}

/// One page that a link was found on, and what it said there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sighting {
    pub(crate) page: NodeId,
    /// R(p) of the page.
    pub(crate) relevance: f64,
    /// R(A) of the link's text there.
    pub(crate) anchor: f64,
    /// R(CL) of what stands around it there.
    pub(crate) context: f64,
}

/// What all pages that a link was found on say of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Said {
    /// How many pages it was found on.
    pub(crate) pages: u32,
    /// Σ R(p) over them.
    pub(crate) relevance: f64,
    /// The greatest R(A) and R(CL).
    pub(crate) anchor: f64,
    pub(crate) context: f64,
}

impl Said {
    /// What one page says.
    pub(crate) fn of(sighting: &Sighting) -> Self {
        let Sighting { relevance, anchor, context, .. } = *sighting;
        Self { pages: 1, relevance, anchor, context }
    }
}

/// A link, and the page behind it once that came.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) key: LinkKey,
    pub(crate) host: u32,
    /// The beginning of its address, by which it belongs to a niche.
    pub(crate) niche: u64,
    pub(crate) standing: Standing,
    pub(crate) priority: f64,
    /// Whether it was given, and not found: it keeps the priority that it was given.
    pub(crate) is_seed: bool,
    /// Where it was found, at first; how often in all, and what was said of it all in all.
    pub(crate) sightings: SmallVec<[Sighting; 1]>,
    pub(crate) said: Said,
    pub(crate) page: Option<Box<PageNode>>,
    /// PR, and how much of it has not been passed on yet.
    pub(crate) rank: f64,
    pub(crate) residual: f64,
    /// The weights of HITS.
    pub(crate) hub: f64,
    pub(crate) authority: f64,
}

/// A page that came.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PageNode {
    pub(crate) relevance: f64,
    pub(crate) is_relevant: bool,
    /// Where it leads, each address once.
    pub(crate) links: Vec<Edge>,
    /// What ants left on its links; empty until one did.
    pub(crate) pheromone: Vec<f64>,
}

/// A link of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edge {
    pub(crate) to: NodeId,
    /// R(A) of its text.
    pub(crate) anchor: f64,
}

/// A host.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Host {
    pub(crate) key: HostKey,
    pub(crate) waiting: u32,
    /// Pages fetched and relevant pages since it was last released from being tabu.
    pub(crate) visited: u32,
    pub(crate) relevant: u32,
}

/// What is known of the web.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Map {
    nodes: Vec<Node>,
    #[serde(skip)]
    index: HashMap<LinkKey, NodeId, FixedState>,
    /// The waiting links, the best first; of equal ones the one that was found first.
    #[serde(skip)]
    order: BTreeSet<Place>,
    #[serde(skip)]
    waiting: Waiting,
    pub(crate) hosts: Vec<Host>,
    #[serde(skip)]
    host_index: HashMap<HostKey, u32, FixedState>,
    /// Hosts with links that wait.
    pub(crate) open_hosts: usize,
    /// Pages in the order in which they came.
    pub(crate) pages: Vec<NodeId>,
    /// The link where the next look at waiting links begins.
    swept: NodeId,
    /// How many links were ever met, those forgotten included.
    pub(crate) met: usize,
    /// How many links it holds at most.
    limit: usize,
}

/// How many of the pages that a link is on are remembered: so what a link costs does not grow with the crawl.
const MOST_SIGHTINGS: usize = 32;
/// How much of a full map is kept as waiting links, and as pages.
const KEPT_WAITING: usize = 4;
const KEPT_PAGES: usize = 40;

impl Map {
    /// An empty one that holds at most so many links.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            nodes: Vec::new(),
            index: HashMap::default(),
            order: BTreeSet::new(),
            waiting: Waiting::default(),
            hosts: Vec::new(),
            host_index: HashMap::default(),
            open_hosts: 0,
            pages: Vec::new(),
            swept: 0,
            met: 0,
            limit: limit.max(1_000),
        }
    }

    /// Makes anew what is not kept.
    pub(crate) fn rebuild(&mut self) {
        let nodes = self.nodes.iter().zip(0..);
        self.index = nodes.map(|(node, id)| (node.key, id)).collect();
        let is_in = self.nodes.iter().map(|node| node.standing == Standing::Waiting);
        self.waiting = Waiting::of(is_in);
        self.order = self.waiting().map(|id| self.place(id)).collect();
        self.host_index = self.hosts.iter().zip(0..).map(|(host, id)| (host.key, id)).collect();
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(crate) fn lookup(&self, key: &LinkKey) -> Option<NodeId> {
        self.index.get(key).copied()
    }

    /// A waiting link by its key.
    pub(crate) fn lookup_waiting(&self, key: &LinkKey) -> Option<NodeId> {
        self.lookup(key).filter(|id| self.is_waiting(*id))
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The waiting links in the order in which they were found.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = self.nodes.iter().zip(0..);
        nodes.filter(|(node, _)| node.standing == Standing::Waiting).map(|(_, id)| id)
    }

    pub(crate) fn is_waiting(&self, id: NodeId) -> bool {
        self.node(id).standing == Standing::Waiting
    }

    /// Whether a host has links that wait.
    pub(crate) fn has_waiting(&self, host: HostKey) -> bool {
        self.host_index.get(&host).is_some_and(|host| self.hosts[*host as usize].waiting > 0)
    }

    /// The waiting links, the best first.
    pub(crate) fn best(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.order.iter().filter_map(|place| NodeId::try_from(place.age).ok())
    }

    /// A waiting link, each with the same chance.
    pub(crate) fn draw(&self, random: &mut Random) -> Option<NodeId> {
        random.below(self.waiting.len()).and_then(|rank| self.waiting.nth(rank))
    }

    /// The links of a page that wait.
    pub(crate) fn open_links(&self, page: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let links = self.node(page).page.as_ref().map_or(&[][..], |page| &page.links);
        links.iter().map(|edge| edge.to).filter(|id| self.is_waiting(*id))
    }

    /// The node of an address, made if it is new.
    pub(crate) fn meet(&mut self, link: LinkId) -> NodeId {
        if let Some(id) = self.lookup(&link.key) {
            return id;
        }
        let id = NodeId::try_from(self.nodes.len()).expect("the limit is far lower");
        let host = *self.host_index.entry(link.host).or_insert_with(|| {
            self.hosts.push(Host { key: link.host, waiting: 0, visited: 0, relevant: 0 });
            u32::try_from(self.hosts.len() - 1).expect("hosts are fewer than links")
        });
        self.nodes.push(Node {
            key: link.key,
            host,
            niche: link.niche,
            standing: Standing::Aside,
            priority: 0.0,
            is_seed: false,
            sightings: SmallVec::new(),
            said: Said::default(),
            page: None,
            rank: 0.0,
            residual: 0.0,
            hub: 0.0,
            authority: 0.0,
        });
        self.index.insert(link.key, id);
        self.waiting.grow();
        self.met += 1;
        id
    }

    /// The identity of a node's link.
    pub(crate) fn id_of(&self, id: NodeId) -> LinkId {
        let node = self.node(id);
        let host = self.hosts[node.host as usize].key;
        LinkId { key: node.key, host, niche: node.niche }
    }

    fn place(&self, id: NodeId) -> Place {
        Place::new(self.node(id).priority, u64::from(id))
    }

    /// Gives a link a priority, whether it waits or not.
    pub(crate) fn set_priority(&mut self, id: NodeId, priority: f64) {
        let old = self.node(id).priority;
        if old.to_bits() == priority.to_bits() {
            return;
        }
        let is_waiting = self.is_waiting(id);
        if is_waiting {
            self.order.remove(&self.place(id));
        }
        self.node_mut(id).priority = priority;
        if is_waiting {
            self.order.insert(self.place(id));
        }
    }

    /// Gives every waiting link a priority: for when all of them change at once.
    pub(crate) fn set_all_priorities(&mut self, of: impl Fn(&Self, NodeId) -> f64) {
        self.order.clear();
        let waiting: Vec<NodeId> = self.waiting().collect();
        let mut places = Vec::with_capacity(waiting.len());
        for id in waiting {
            self.node_mut(id).priority = of(self, id);
            places.push(self.place(id));
        }
        places.sort_unstable();
        self.order = places.into_iter().collect();
    }

    /// Lets a link wait.
    pub(crate) fn set_waiting(&mut self, id: NodeId) {
        if self.is_waiting(id) {
            return;
        }
        self.waiting.insert(id);
        self.node_mut(id).standing = Standing::Waiting;
        let host = &mut self.hosts[self.nodes[id as usize].host as usize];
        host.waiting += 1;
        self.open_hosts += usize::from(host.waiting == 1);
        self.order.insert(self.place(id));
    }

    /// A link no longer waits.
    pub(crate) fn set_standing(&mut self, id: NodeId, standing: Standing) {
        if self.is_waiting(id) {
            self.order.remove(&self.place(id));
            self.waiting.remove(id);
            let host = &mut self.hosts[self.nodes[id as usize].host as usize];
            host.waiting -= 1;
            self.open_hosts -= usize::from(host.waiting == 0);
        }
        self.node_mut(id).standing = standing;
    }

    /// The next `count` waiting links in turn, each of which is to be looked at again.
    pub(crate) fn sweep(&mut self, count: usize) -> Vec<NodeId> {
        let count = count.min(self.waiting.len());
        let first = self.waiting.rank(self.swept);
        let rank = |at: usize| (first + at) % self.waiting.len().max(1);
        let swept: Vec<NodeId> = (0..count).filter_map(|at| self.waiting.nth(rank(at))).collect();
        self.swept = swept.last().map_or(0, |last| last + 1);
        swept
    }

    /// Whether it is full.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= self.limit
    }

    /// Forgets the waiting links that promise least, the oldest pages, and all that was dealt with.
    pub(crate) fn forget(&mut self) {
        let mut kept = vec![false; self.nodes.len()];
        for id in self.best().take(self.limit / KEPT_WAITING) {
            kept[id as usize] = true;
        }
        for &id in self.pages.iter().rev().take(self.limit / KEPT_PAGES) {
            kept[id as usize] = true;
        }
        let taken = self.nodes.iter().map(|node| node.standing == Standing::Taken);
        kept.iter_mut().zip(taken).for_each(|(kept, taken)| *kept |= taken);
        let mut next = 0;
        let numbers: Vec<Option<NodeId>> = kept
            .iter()
            .map(|kept| {
                let number = kept.then_some(next);
                next += NodeId::from(*kept);
                number
            })
            .collect();
        let new = |id: NodeId| numbers[id as usize];
        let nodes = std::mem::take(&mut self.nodes);
        self.nodes = nodes
            .into_iter()
            .zip(kept)
            .filter(|(_, kept)| *kept)
            .map(|(mut node, _)| {
                node.renumber(new);
                node
            })
            .collect();
        self.pages = self.pages.iter().copied().filter_map(new).collect();
        self.recount_hosts();
        self.swept = 0;
        self.rebuild();
    }

    fn recount_hosts(&mut self) {
        self.hosts.iter_mut().for_each(|host| host.waiting = 0);
        for node in self.nodes.iter().filter(|node| node.standing == Standing::Waiting) {
            self.hosts[node.host as usize].waiting += 1;
        }
        self.open_hosts = self.hosts.iter().filter(|host| host.waiting > 0).count();
    }
}

impl Node {
    /// A page that leads here came. Of a link on many pages the first are remembered, and what all of them say.
    pub(crate) fn add_sighting(&mut self, sighting: Sighting) {
        self.said.pages += 1;
        self.said.relevance += sighting.relevance;
        self.hear(sighting.anchor, sighting.context);
        if self.sightings.len() < MOST_SIGHTINGS {
            self.sightings.push(sighting);
        }
    }

    /// The same page says more of it.
    pub(crate) fn hear(&mut self, anchor: f64, context: f64) {
        self.said.anchor = self.said.anchor.max(anchor);
        self.said.context = self.said.context.max(context);
    }

    /// Says the same with other numbers; what has none any more is left out.
    fn renumber(&mut self, new: impl Fn(NodeId) -> Option<NodeId>) {
        // What was said of the link stays, whether or not its page is still known.
        for sighting in &mut self.sightings {
            sighting.page = new(sighting.page).unwrap_or(NodeId::MAX);
        }
        let Some(page) = &mut self.page else { return };
        let has_pheromone = !page.pheromone.is_empty();
        let (mut links, mut pheromone) = (Vec::new(), Vec::new());
        for (at, edge) in page.links.iter().enumerate() {
            if let Some(to) = new(edge.to) {
                links.push(Edge { to, ..*edge });
                pheromone.extend(has_pheromone.then(|| page.pheromone[at]));
            }
        }
        (page.links, page.pheromone) = (links, pheromone);
    }

    /// The pages that it was found on and that are still known.
    pub(crate) fn parents(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.sightings.iter().map(|it| it.page).filter(|page| *page != NodeId::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(number: u16, host: u64) -> LinkId {
        let mut key = [0; 16];
        key[..2].copy_from_slice(&number.to_be_bytes());
        LinkId { key, host: HostKey(host), niche: host }
    }

    #[test]
    fn waiting_links_are_in_order_and_can_be_drawn() {
        let mut map = Map::new(1_000);
        let ids: Vec<NodeId> = (0..5).map(|number| map.meet(link(number, 1))).collect();
        for (id, priority) in ids.iter().zip([0.2, 0.9, 0.5, 0.9, 0.1]) {
            map.set_priority(*id, priority);
            map.set_waiting(*id);
        }
        assert_eq!(map.best().collect::<Vec<_>>(), [1, 3, 2, 0, 4]);
        map.set_standing(1, Standing::Taken);
        map.set_priority(4, 0.95);
        assert_eq!(map.best().collect::<Vec<_>>(), [4, 3, 2, 0]);
        let mut random = Random::new(0);
        let mut drawn: Vec<NodeId> = (0..200).filter_map(|_| map.draw(&mut random)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, [0, 2, 3, 4]);
        // Every waiting link is looked at in turn.
        let swept: BTreeSet<NodeId> = (0..4).flat_map(|_| map.sweep(1)).collect();
        assert_eq!(swept.len(), 4);
        assert_eq!(map.sweep(99).len(), 4);
        map.set_all_priorities(|_, id| f64::from(id));
        assert_eq!(map.best().collect::<Vec<_>>(), [4, 3, 2, 0]);
        map.set_standing(0, Standing::Settled);
        assert_eq!((map.open_hosts, map.hosts[0].waiting), (1, 3));
    }

    /// A link on fifty pages remembers the first of them, and the mean of all.
    #[test]
    fn what_a_link_costs_does_not_grow() {
        let mut map = Map::new(1_000);
        let id = map.meet(link(0, 0));
        for page in 0..50 {
            let anchor = f64::from(page) / 100.0;
            let sighting = Sighting { page, relevance: f64::from(page), anchor, context: 0.0 };
            map.node_mut(id).add_sighting(sighting);
        }
        let node = map.node(id);
        assert_eq!((node.sightings.len(), node.said.pages), (MOST_SIGHTINGS, 50));
        assert!((node.said.relevance / 50.0 - 24.5).abs() < 1e-12);
        assert!((node.said.anchor - 0.49).abs() < 1e-12);
    }

    /// A full map keeps the best quarter of waiting links, the newest pages, and what is being fetched.
    #[test]
    fn a_full_map_forgets_what_promises_least() {
        let mut map = Map::new(1_000);
        let page = map.meet(link(5_000, 9));
        let links: Vec<Edge> = (0..1_000)
            .map(|number| {
                let id = map.meet(link(number, u64::from(number % 7)));
                let sighting = Sighting { page, relevance: 0.5, anchor: 0.0, context: 0.0 };
                map.node_mut(id).add_sighting(sighting);
                map.set_priority(id, f64::from(number));
                map.set_waiting(id);
                Edge { to: id, anchor: 0.0 }
            })
            .collect();
        let facts = PageNode { relevance: 0.5, is_relevant: true, links, pheromone: Vec::new() };
        map.node_mut(page).page = Some(Box::new(facts));
        map.pages.push(page);
        let taken = map.lookup(&link(3, 0).key).unwrap();
        map.set_standing(taken, Standing::Taken);
        assert!(map.is_full());
        map.forget();
        assert_eq!((map.len(), map.waiting().count()), (252, 250));
        let best = map.best().next().unwrap();
        assert_eq!(map.node(best).key, link(999, 0).key);
        assert!(map.lookup(&link(749, 0).key).is_none());
        let page = map.lookup(&link(5_000, 9).key).unwrap();
        assert_eq!(map.open_links(page).count(), 250);
        assert_eq!(map.node(best).parents().collect::<Vec<_>>(), [page]);
        assert_eq!(map.node(map.lookup(&link(3, 0).key).unwrap()).standing, Standing::Taken);
        let waiting: u32 = map.hosts.iter().map(|host| host.waiting).sum();
        assert_eq!((waiting, map.open_hosts), (250, 7));
    }
}
