//! The web graph: the links that were found, the pages that arrived, and their connections.
//!
//! Waiting links are kept in the order of their priority and counted by number, so that the best
//! link is found and a random one is drawn in O(log n). Priorities change when a link is found
//! again or when PR moves. Each arriving page pays for recomputing the priorities of as many
//! waiting links as it has links ([`WebGraph::sweep`]), so no page ever triggers a pass over the
//! whole graph.
//!
//! The size is bounded: when the graph is full, the waiting links with the lowest priority and the
//! oldest pages are removed. The queue still holds those links.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;
use ontrail_anchor::AnchorText;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::clue::Clue;
use crate::link::{HostKey, LinkId, LinkKey};
use crate::place::Place;
use crate::random::Random;
use crate::waiting::Waiting;

/// The number of a link or page in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// The number of a page that is not in the graph.
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// Returns all numbers in ascending order.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self)
    }

    /// Returns the number as an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The state of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum NodeState {
    /// Not in the queue: its priority is too low, or it was never offered.
    NotQueued,
    /// Waiting in the queue.
    Waiting,
    /// Left to the worker that fetches from its host.
    Elsewhere,
    /// Being fetched.
    Taken,
    /// Fetched, redirected or failed: it needs no further fetch.
    Finished,
}

impl NodeState {
    /// Returns true if the link is not in the queue of this worker and may be offered to it.
    pub(crate) fn is_unqueued(self) -> bool {
        matches!(self, Self::NotQueued | Self::Elsewhere)
    }
}

/// The orders of waiting links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// By priority.
    Priority,
    /// By the fixed formula.
    Formula,
    /// The oldest first.
    Age,
    /// By the best page that has the link.
    Parent,
}

/// One page that contains a link, and the relevance of the link's texts there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sighting {
    pub(crate) page: NodeId,
    /// R(p) of the page.
    pub(crate) relevance: f64,
    /// R(A) of the anchor text.
    pub(crate) anchor: f64,
    /// R(CL) of the link context.
    pub(crate) context: f64,
}

/// The combined evidence from all pages that contain a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinkEvidence {
    /// Number of pages that contain the link.
    pub(crate) pages: u32,
    /// Σ R(p) over those pages.
    pub(crate) relevance: f64,
    /// Σ P(relevant) over those pages, if the recipe learns from it.
    pub(crate) probability: f64,
    /// The greatest R(A).
    pub(crate) anchor: f64,
    /// The greatest R(CL).
    pub(crate) context: f64,
}

impl LinkEvidence {
    /// Returns the evidence from one page.
    pub(crate) fn of(sighting: &Sighting) -> Self {
        let Sighting { relevance, anchor, context, .. } = *sighting;
        Self { pages: 1, relevance, probability: 0.0, anchor, context }
    }
}

/// A link, and the page behind it once that has arrived.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) key: LinkKey,
    /// The index of the host in [`WebGraph::hosts`].
    pub(crate) host: u32,
    /// The fingerprint of the niche that the link belongs to.
    pub(crate) niche: u64,
    pub(crate) state: NodeState,
    pub(crate) priority: f64,
    /// True if the link is a seed. A seed keeps the priority that it was given.
    pub(crate) is_seed: bool,
    /// The first pages that contain the link, at most [`MAX_SIGHTINGS`].
    pub(crate) sightings: SmallVec<[Sighting; 1]>,
    /// The evidence from all pages that contain the link.
    pub(crate) evidence: LinkEvidence,
    /// The information from the first pages that contain the link, at most [`MAX_CLUES`]; empty
    /// unless the recipe learns from it.
    pub(crate) clues: Vec<Clue>,
    /// The priorities by the fixed formula and by the best page that has the link; 0 unless the
    /// recipe hedges.
    rivals: [f64; 2],
    /// The worth of the page behind the link, once that has arrived.
    pub(crate) worth: Option<f64>,
    /// The anchor texts with terms of the topic, one for each of the first pages that have such a
    /// text, at most [`MAX_SIGHTINGS`]; empty unless the recipe compares them by BM25.
    pub(crate) anchors: Vec<AnchorText>,
    pub(crate) page: Option<Box<PageNode>>,
    /// PR.
    pub(crate) pagerank: f64,
    /// The part of PR that has not been passed on yet.
    pub(crate) residual: f64,
    /// The hub weight of HITS.
    pub(crate) hub: f64,
    /// The authority weight of HITS.
    pub(crate) authority: f64,
}

/// A page that arrived.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PageNode {
    pub(crate) relevance: f64,
    pub(crate) is_relevant: bool,
    /// The links of the page, each URL once.
    pub(crate) links: Vec<Edge>,
    /// The pheromone on each link; empty until an ant has left some.
    pub(crate) pheromone: Vec<f64>,
}

/// A link of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edge {
    pub(crate) to: NodeId,
    /// R(A) of the anchor text.
    pub(crate) anchor: f64,
}

/// A host.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct HostNode {
    pub(crate) key: HostKey,
    pub(crate) waiting: u32,
    /// Pages fetched since the host was last released from being tabu.
    pub(crate) visited: u32,
    /// Relevant pages among them.
    pub(crate) relevant: u32,
    /// True if another worker has fetched from the host, or may have.
    pub(crate) was_left: bool,
}

/// The pages and links known to the pilot.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WebGraph {
    nodes: Vec<Node>,
    #[serde(skip)]
    index: HashMap<LinkKey, NodeId, FixedState>,
    /// The waiting links, the best first. Of links with equal priority, the older one comes first.
    #[serde(skip)]
    order: BTreeSet<Place>,
    /// The waiting links in the orders of [`Order::Formula`] and [`Order::Parent`], if the recipe
    /// hedges.
    #[serde(skip)]
    rivals: [BTreeSet<Place>; 2],
    has_rivals: bool,
    #[serde(skip)]
    waiting: Waiting,
    pub(crate) hosts: Vec<HostNode>,
    #[serde(skip)]
    host_index: HashMap<HostKey, u32, FixedState>,
    /// Number of hosts with waiting links.
    pub(crate) open_hosts: usize,
    /// Pages in the order of their arrival.
    pub(crate) pages: Vec<NodeId>,
    /// The node at which the next sweep starts.
    swept: NodeId,
    /// Number of links that were ever added, including those removed since.
    pub(crate) total_added: usize,
    /// Maximum number of links.
    limit: usize,
}

/// Maximum number of pages whose information about a link is kept for learning.
const MAX_CLUES: usize = 4;
/// Maximum number of pages remembered for each link, so that the memory for a link does not grow
/// with the crawl.
const MAX_SIGHTINGS: usize = 32;
/// Divisor: a full graph keeps a quarter of its limit as waiting links.
const KEPT_WAITING: usize = 4;
/// Divisor: a full graph keeps a fortieth of its limit as pages.
const KEPT_PAGES: usize = 40;

impl WebGraph {
    /// Returns an empty graph that holds at most `limit` links, and at least 1,000.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            nodes: Vec::new(),
            index: HashMap::default(),
            order: BTreeSet::new(),
            rivals: Default::default(),
            has_rivals: false,
            waiting: Waiting::default(),
            hosts: Vec::new(),
            host_index: HashMap::default(),
            open_hosts: 0,
            pages: Vec::new(),
            swept: NodeId(0),
            total_added: 0,
            limit: limit.max(1_000),
        }
    }

    /// Rebuilds the indices that are not stored.
    pub(crate) fn rebuild(&mut self) {
        let nodes = self.nodes.iter().zip(NodeId::all());
        self.index = nodes.map(|(node, id)| (node.key, id)).collect();
        let is_in = self.nodes.iter().map(|node| node.state == NodeState::Waiting);
        self.waiting = Waiting::from_flags(is_in);
        self.order = self.waiting().map(|id| self.place(id)).collect();
        if self.has_rivals {
            let of = |at: usize| self.waiting().map(|id| self.rival(id, at)).collect();
            self.rivals = [of(0), of(1)];
        }
        self.host_index = self.hosts.iter().zip(0..).map(|(host, id)| (host.key, id)).collect();
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(crate) fn lookup(&self, key: &LinkKey) -> Option<NodeId> {
        self.index.get(key).copied()
    }

    /// Returns the node of a link if the link is waiting.
    pub(crate) fn lookup_waiting(&self, key: &LinkKey) -> Option<NodeId> {
        self.lookup(key).filter(|id| self.is_waiting(*id))
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the waiting links in the order in which they were found.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = self.nodes.iter().zip(NodeId::all());
        nodes.filter(|(node, _)| node.state == NodeState::Waiting).map(|(_, id)| id)
    }

    pub(crate) fn is_waiting(&self, id: NodeId) -> bool {
        self.node(id).state == NodeState::Waiting
    }

    /// Returns the number of waiting links.
    pub(crate) fn waiting_count(&self) -> usize {
        self.waiting.len()
    }

    /// Returns true if a host has waiting links.
    pub(crate) fn has_waiting(&self, host: HostKey) -> bool {
        self.host_index.get(&host).is_some_and(|host| self.hosts[*host as usize].waiting > 0)
    }

    /// Returns the waiting links, the best first.
    pub(crate) fn best(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.order.iter().filter_map(|place| u32::try_from(place.age).ok().map(NodeId))
    }

    /// Returns the first waiting links in an order, at most `count`.
    pub(crate) fn first(&self, order: Order, count: usize) -> Vec<NodeId> {
        let of = |places: &BTreeSet<Place>| {
            let ids = places.iter().filter_map(|place| u32::try_from(place.age).ok().map(NodeId));
            ids.take(count).collect()
        };
        match order {
            Order::Priority => of(&self.order),
            Order::Formula => of(&self.rivals[0]),
            Order::Parent => of(&self.rivals[1]),
            Order::Age => (0..count).map_while(|rank| self.waiting.nth(rank)).collect(),
        }
    }

    /// Keeps the waiting links in the orders of all kinds from now on.
    pub(crate) fn keep_rivals(&mut self) {
        self.has_rivals = true;
    }

    fn rival(&self, id: NodeId, at: usize) -> Place {
        Place::new(self.node(id).rivals[at], u64::from(id.0))
    }

    /// Sets the priorities of a link in the orders of [`Order::Formula`] and [`Order::Parent`].
    pub(crate) fn set_rivals(&mut self, id: NodeId, values: [f64; 2]) {
        let is_waiting = self.is_waiting(id);
        for at in 0..self.rivals.len() {
            let old = self.rival(id, at);
            if is_waiting {
                self.rivals[at].remove(&old);
            }
        }
        self.node_mut(id).rivals = values;
        if is_waiting {
            self.insert_rivals(id);
        }
    }

    fn insert_rivals(&mut self, id: NodeId) {
        if self.has_rivals {
            let places = [self.rival(id, 0), self.rival(id, 1)];
            self.rivals.iter_mut().zip(places).for_each(|(order, place)| _ = order.insert(place));
        }
    }

    /// Draws a waiting link at random, all with equal probability.
    pub(crate) fn draw(&self, random: &mut Random) -> Option<NodeId> {
        random.below(self.waiting.len()).and_then(|rank| self.waiting.nth(rank))
    }

    /// Returns the waiting links of a page.
    pub(crate) fn open_links(&self, page: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let links = self.node(page).page.as_ref().map_or(&[][..], |page| &page.links);
        links.iter().map(|edge| edge.to).filter(|id| self.is_waiting(*id))
    }

    /// Returns the node of a link, and adds it if it is new.
    pub(crate) fn find_or_add(&mut self, link: LinkId) -> NodeId {
        if let Some(id) = self.lookup(&link.key) {
            return id;
        }
        let count = u32::try_from(self.nodes.len()).expect("the limit on links is far below 2^32");
        let id = NodeId(count);
        let host = *self.host_index.entry(link.host).or_insert_with(|| {
            let key = link.host;
            self.hosts.push(HostNode { key, waiting: 0, visited: 0, relevant: 0, was_left: false });
            u32::try_from(self.hosts.len() - 1).expect("there are fewer hosts than links")
        });
        self.nodes.push(Node {
            key: link.key,
            host,
            niche: link.niche,
            state: NodeState::NotQueued,
            priority: 0.0,
            is_seed: false,
            sightings: SmallVec::new(),
            evidence: LinkEvidence::default(),
            clues: Vec::new(),
            rivals: [0.0; 2],
            worth: None,
            anchors: Vec::new(),
            page: None,
            pagerank: 0.0,
            residual: 0.0,
            hub: 0.0,
            authority: 0.0,
        });
        self.index.insert(link.key, id);
        self.waiting.grow();
        self.total_added += 1;
        id
    }

    /// Returns the identity of a node's link.
    pub(crate) fn id_of(&self, id: NodeId) -> LinkId {
        let node = self.node(id);
        let host = self.hosts[node.host as usize].key;
        LinkId { key: node.key, host, niche: node.niche }
    }

    fn place(&self, id: NodeId) -> Place {
        Place::new(self.node(id).priority, u64::from(id.0))
    }

    /// Sets the priority of a link, whether it is waiting or not.
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

    /// Sets the priorities of all waiting links at once, which is cheaper than one by one.
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

    /// Marks a link as waiting.
    pub(crate) fn set_waiting(&mut self, id: NodeId) {
        if self.is_waiting(id) {
            return;
        }
        self.waiting.insert(id);
        self.node_mut(id).state = NodeState::Waiting;
        let host = &mut self.hosts[self.nodes[id.index()].host as usize];
        host.waiting += 1;
        self.open_hosts += usize::from(host.waiting == 1);
        self.order.insert(self.place(id));
        self.insert_rivals(id);
    }

    /// Sets the state of a link to one other than waiting.
    pub(crate) fn set_state(&mut self, id: NodeId, state: NodeState) {
        if self.is_waiting(id) {
            self.order.remove(&self.place(id));
            let places = [self.rival(id, 0), self.rival(id, 1)];
            self.rivals.iter_mut().zip(places).for_each(|(order, place)| _ = order.remove(&place));
            self.waiting.remove(id);
            let host = &mut self.hosts[self.nodes[id.index()].host as usize];
            host.waiting -= 1;
            self.open_hosts -= usize::from(host.waiting == 0);
        }
        self.node_mut(id).state = state;
    }

    /// Makes room if the graph holds as many links as it may.
    pub(crate) fn make_room(&mut self) {
        if self.is_full() {
            self.trim();
        }
    }

    /// Leaves all links of hosts to another worker.
    pub(crate) fn leave_hosts(&mut self, is_left: &dyn Fn(HostKey) -> bool) {
        self.hosts.iter_mut().for_each(|host| host.was_left |= is_left(host.key));
        for id in NodeId::all().take(self.nodes.len()) {
            let node = self.node(id);
            if node.state != NodeState::NotQueued && is_left(self.hosts[node.host as usize].key) {
                self.set_state(id, NodeState::Elsewhere);
            }
        }
    }

    /// Returns the next `count` waiting links in turn, whose priorities are to be recomputed.
    pub(crate) fn sweep(&mut self, count: usize) -> Vec<NodeId> {
        let count = count.min(self.waiting.len());
        let first = self.waiting.rank(self.swept);
        let rank = |at: usize| (first + at) % self.waiting.len().max(1);
        let swept: Vec<NodeId> = (0..count).filter_map(|at| self.waiting.nth(rank(at))).collect();
        self.swept = swept.last().map_or(NodeId(0), |last| NodeId(last.0 + 1));
        swept
    }

    /// Returns true if the graph holds as many links as it may.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= self.limit
    }

    /// Removes the waiting links with the lowest priority, the oldest pages, and all finished
    /// links.
    pub(crate) fn trim(&mut self) {
        let mut kept = vec![false; self.nodes.len()];
        for id in self.best().take(self.limit / KEPT_WAITING) {
            kept[id.index()] = true;
        }
        for &id in self.pages.iter().rev().take(self.limit / KEPT_PAGES) {
            kept[id.index()] = true;
        }
        let taken = self.nodes.iter().map(|node| node.state == NodeState::Taken);
        kept.iter_mut().zip(taken).for_each(|(kept, taken)| *kept |= taken);
        let mut next = 0;
        let numbers: Vec<Option<NodeId>> = kept
            .iter()
            .map(|kept| {
                let number = kept.then_some(NodeId(next));
                next += u32::from(*kept);
                number
            })
            .collect();
        let new = |id: NodeId| numbers[id.index()];
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
        self.swept = NodeId(0);
        self.rebuild();
    }

    fn recount_hosts(&mut self) {
        self.hosts.iter_mut().for_each(|host| host.waiting = 0);
        for node in self.nodes.iter().filter(|node| node.state == NodeState::Waiting) {
            self.hosts[node.host as usize].waiting += 1;
        }
        self.open_hosts = self.hosts.iter().filter(|host| host.waiting > 0).count();
    }
}

impl Node {
    /// Adds a page that contains the link. Only the first pages are remembered, but the evidence
    /// counts all of them.
    pub(crate) fn add_sighting(&mut self, sighting: Sighting) {
        self.evidence.pages += 1;
        self.evidence.relevance += sighting.relevance;
        self.raise_evidence(sighting.anchor, sighting.context);
        if self.sightings.len() < MAX_SIGHTINGS {
            self.sightings.push(sighting);
        }
    }

    /// Forgets everything that pages tell about the link.
    pub(crate) fn forget_evidence(&mut self) {
        self.sightings.clear();
        self.clues.clear();
        self.anchors.clear();
        self.evidence = LinkEvidence::default();
    }

    /// Returns true if a page is among those that contain the link.
    pub(crate) fn has_sighting(&self, page: NodeId) -> bool {
        self.sightings.iter().any(|sighting| sighting.page == page)
    }

    /// Adds the information of a page that contains the link.
    pub(crate) fn add_clue(&mut self, clue: Clue) {
        self.evidence.probability += clue.page_probability().unwrap_or(clue.page());
        if self.clues.len() < MAX_CLUES {
            // Most links are on one page only, and a growing vector would make room for four.
            self.clues.reserve_exact(1);
            self.clues.push(clue);
        }
    }

    /// Adds the anchor text on a page that contains the link. A text without terms of the topic
    /// changes nothing.
    pub(crate) fn add_anchor(&mut self, text: AnchorText) {
        if !text.terms.is_empty() && self.anchors.len() < MAX_SIGHTINGS {
            self.anchors.push(text);
        }
    }

    /// Raises the evidence to the given relevance of anchor text and context, where that is
    /// greater.
    pub(crate) fn raise_evidence(&mut self, anchor: f64, context: f64) {
        self.evidence.anchor = self.evidence.anchor.max(anchor);
        self.evidence.context = self.evidence.context.max(context);
    }

    /// Replaces all node numbers after other nodes were removed, and drops edges to removed nodes.
    fn renumber(&mut self, new: impl Fn(NodeId) -> Option<NodeId>) {
        // The evidence about the link stays, even if its page was removed.
        for sighting in &mut self.sightings {
            sighting.page = new(sighting.page).unwrap_or(NodeId::NONE);
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

    /// Returns the pages that contain the link and are still in the graph.
    pub(crate) fn parents(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.sightings.iter().map(|it| it.page).filter(|page| *page != NodeId::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(number: u16, host: u64) -> LinkId {
        let mut key = [0; 16];
        key[..2].copy_from_slice(&number.to_be_bytes());
        LinkId { key: LinkKey(key), host: HostKey(host), niche: host }
    }

    #[test]
    fn waiting_links_are_in_order_and_can_be_drawn() {
        let mut graph = WebGraph::new(1_000);
        let ids: Vec<NodeId> = (0..5).map(|number| graph.find_or_add(link(number, 1))).collect();
        for (id, priority) in ids.iter().zip([0.2, 0.9, 0.5, 0.9, 0.1]) {
            graph.set_priority(*id, priority);
            graph.set_waiting(*id);
        }
        assert_eq!(graph.best().collect::<Vec<_>>(), [1, 3, 2, 0, 4].map(NodeId));
        graph.set_state(NodeId(1), NodeState::Taken);
        graph.set_priority(NodeId(4), 0.95);
        assert_eq!(graph.best().collect::<Vec<_>>(), [4, 3, 2, 0].map(NodeId));
        let mut random = Random::new(0);
        let mut drawn: Vec<NodeId> = (0..200).filter_map(|_| graph.draw(&mut random)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, [0, 2, 3, 4].map(NodeId));
        // Each waiting link gets its turn.
        let swept: BTreeSet<NodeId> = (0..4).flat_map(|_| graph.sweep(1)).collect();
        assert_eq!(swept.len(), 4);
        assert_eq!(graph.sweep(99).len(), 4);
        graph.set_all_priorities(|_, id| f64::from(id.0));
        assert_eq!(graph.best().collect::<Vec<_>>(), [4, 3, 2, 0].map(NodeId));
        graph.set_state(NodeId(0), NodeState::Finished);
        assert_eq!((graph.open_hosts, graph.hosts[0].waiting), (1, 3));
    }

    /// A link on fifty pages remembers the first of them, and the mean of all.
    #[test]
    fn a_link_remembers_a_bounded_number_of_pages() {
        let mut graph = WebGraph::new(1_000);
        let id = graph.find_or_add(link(0, 0));
        for page in 0..50 {
            let anchor = f64::from(page) / 100.0;
            let relevance = f64::from(page);
            let sighting = Sighting { page: NodeId(page), relevance, anchor, context: 0.0 };
            graph.node_mut(id).add_sighting(sighting);
        }
        let node = graph.node(id);
        assert_eq!((node.sightings.len(), node.evidence.pages), (MAX_SIGHTINGS, 50));
        assert!((node.evidence.relevance / 50.0 - 24.5).abs() < 1e-12);
        assert!((node.evidence.anchor - 0.49).abs() < 1e-12);
    }

    /// A full graph keeps the best waiting links (a quarter of its limit), the newest pages, and
    /// the links that are being fetched.
    #[test]
    fn a_full_graph_removes_the_links_with_the_lowest_priority() {
        let mut graph = WebGraph::new(1_000);
        let page = graph.find_or_add(link(5_000, 9));
        let links: Vec<Edge> = (0..1_000)
            .map(|number| {
                let id = graph.find_or_add(link(number, u64::from(number % 7)));
                let sighting = Sighting { page, relevance: 0.5, anchor: 0.0, context: 0.0 };
                graph.node_mut(id).add_sighting(sighting);
                graph.set_priority(id, f64::from(number));
                graph.set_waiting(id);
                Edge { to: id, anchor: 0.0 }
            })
            .collect();
        let facts = PageNode { relevance: 0.5, is_relevant: true, links, pheromone: Vec::new() };
        graph.node_mut(page).page = Some(Box::new(facts));
        graph.pages.push(page);
        let taken = graph.lookup(&link(3, 0).key).unwrap();
        graph.set_state(taken, NodeState::Taken);
        assert!(graph.is_full());
        graph.trim();
        assert_eq!((graph.len(), graph.waiting().count()), (252, 250));
        let best = graph.best().next().unwrap();
        assert_eq!(graph.node(best).key, link(999, 0).key);
        assert!(graph.lookup(&link(749, 0).key).is_none());
        let page = graph.lookup(&link(5_000, 9).key).unwrap();
        assert_eq!(graph.open_links(page).count(), 250);
        assert_eq!(graph.node(best).parents().collect::<Vec<_>>(), [page]);
        assert_eq!(graph.node(graph.lookup(&link(3, 0).key).unwrap()).state, NodeState::Taken);
        let waiting: u32 = graph.hosts.iter().map(|host| host.waiting).sum();
        assert_eq!((waiting, graph.open_hosts), (250, 7));
    }
}
