//! What a pilot knows, and how that changes with what happens: the map of the web, and the parts that have a state.

use std::collections::{HashMap, HashSet, VecDeque};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::discarded::{Discarded, Put};
use super::gate::Passage;
use super::helm::{Helm, Ready};
use super::hosts::AnyHosts;
use super::map::{Address, Edge, Map, NodeId, PageNode, Sighting, Standing};
use super::note::{Arrival, ArrivedLink};
use super::pagerank::{PageRank, PageRankSettings};
use super::priority::{AnyPriority, Appraiser};
use super::random::Random;
use super::rule::Rule;
use super::strategy::{AnyStrategy, Decision};
use super::{LinkVerdict, SEED_PRIORITY, finite};
use crate::frontier::Offer;
use crate::link::{Link, LinkKey, Score};
use crate::recipe::Recipe;
use crate::store::StoreError;

/// The rank of links that a tunnel leads to: before all others.
const TUNNEL_RANK: f64 = 2.0;
/// How many links that wait again are asked for at a time.
const MOST_RETURNED: usize = 64;
/// How many links a map holds, about 200 bytes each.
const MAP_LINKS: usize = 2_000_000;

/// What a pilot knows.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Memory {
    map: Map,
    random: Random,
    appraiser: Appraiser,
    strategy: AnyStrategy,
    hosts: AnyHosts,
    discarded: Discarded,
    /// Links that come before all others: what tunnels lead to, and lists that sites make for crawlers.
    first: VecDeque<(LinkKey, Rule)>,
    /// Links that were chosen and wait again, with the rule and whether they are only looked at.
    returned: Vec<(LinkKey, Rule, bool)>,
    /// Links that are being fetched.
    under_way: Vec<(LinkKey, Rule, bool)>,
    /// Pages that came and were counted, and how many are to come in all.
    pages: u64,
    pub(super) budget: u64,
}

impl Memory {
    /// One that knows nothing yet.
    pub(super) fn new(recipe: &Recipe, budget: u64, seed: u64) -> Self {
        let rank = recipe.priority.pagerank();
        let rank = rank.or(recipe.strategy.needs_pagerank().then(PageRankSettings::default));
        Self {
            map: Map::new(MAP_LINKS),
            random: Random::new(seed),
            appraiser: Appraiser {
                priority: AnyPriority::new(&recipe.priority),
                rank: rank.map(PageRank::new),
            },
            strategy: AnyStrategy::new(&recipe.strategy),
            hosts: AnyHosts::new(&recipe.hosts),
            discarded: Discarded::default(),
            first: VecDeque::new(),
            returned: Vec::new(),
            under_way: Vec::new(),
            pages: 0,
            budget,
        }
    }

    /// One as it was kept.
    pub(super) fn read(state: &[u8]) -> Result<Self, StoreError> {
        let mut memory: Self = postcard::from_bytes(state)?;
        memory.map.rebuild();
        memory.discarded.rebuild();
        Ok(memory)
    }

    /// Whether anything was left to chance so far, given what the dice began with.
    pub(super) fn has_drawn(&self, seed: u64) -> bool {
        self.random != Random::new(seed)
    }

    /// A seed is put aside, because another of its host is begun with.
    pub(super) fn put_seed_aside(&mut self, link: Link, address: Address) {
        self.discarded.put(Put { link, address, priority: SEED_PRIORITY });
    }

    pub(super) fn keeps_discarded(&self) -> bool {
        matches!(&self.hosts, AnyHosts::Memory(memory) if memory.settings.restore > 0)
    }

    /// Whether a seed is not begun with, because another of its host is.
    pub(super) fn is_surplus_seed(&self, host: u64) -> bool {
        matches!(&self.hosts, AnyHosts::Memory(memory) if memory.settings.one_seed_per_host)
            && self.map.has_waiting(host)
    }

    pub(super) fn add_seed(&mut self, address: Address) {
        let id = self.meet(address);
        self.map.node_mut(id).is_seed = true;
        self.map.set_priority(id, SEED_PRIORITY);
        self.map.set_waiting(id);
    }

    /// A page that a site lists waits behind all that promise something; a list comes first.
    pub(super) fn list(&mut self, address: Address, is_list: bool) {
        let id = self.meet(address);
        if self.map.node(id).standing == Standing::Aside {
            self.map.set_waiting(id);
        }
        if is_list {
            self.first.push_back((address.key, Rule::Listed));
        }
    }

    fn meet(&mut self, address: Address) -> NodeId {
        self.appraiser.meet(&mut self.map, address)
    }

    /// What was being fetched when the crawl broke off waits again.
    pub(super) fn interrupt(&mut self) {
        for (key, rule, is_look) in std::mem::take(&mut self.under_way) {
            self.return_link(&key, rule, is_look);
        }
    }

    pub(super) fn choose(&mut self, ready: &mut dyn Ready) -> Result<Decision, StoreError> {
        self.restore(ready)?;
        // If nothing but tabu hosts is left, they come closer to being asked again; every step ends some terms.
        loop {
            let Decided { decision, is_again, has_passed_over, has_waited } = self.decide(ready)?;
            let is_nothing = decision == Decision::Nothing;
            if is_nothing && has_passed_over && !has_waited && self.hosts.part().forbids_some() {
                self.hosts.part_mut().relent(&mut self.map);
                continue;
            }
            if !is_again {
                self.hosts.part_mut().decided(&mut self.map, has_passed_over);
            }
            let (id, rule, is_look) = match decision {
                Decision::Fetch(id, rule) => (id, rule, false),
                Decision::Look(id, rule) => (id, rule, true),
                Decision::Nothing | Decision::Done => return Ok(decision),
            };
            self.under_way.push((self.map.node(id).key, rule, is_look));
            return Ok(decision);
        }
    }

    fn decide(&mut self, ready: &mut dyn Ready) -> Result<Decided, StoreError> {
        let Self { map, random, appraiser, strategy, hosts, returned, first, budget, .. } = self;
        let (budget, has_passed_over, has_waited) = (*budget, false, false);
        let mut helm =
            Helm { map, random, appraiser, hosts, ready, budget, has_passed_over, has_waited };
        let again = take_returned(returned, &mut helm)?;
        let is_again = again.is_some();
        let decision = match again {
            Some(decision) => decision,
            None => match take_first(first, &mut helm)? {
                Some(decision) => decision,
                None => strategy.part_mut().choose(&mut helm)?,
            },
        };
        let Helm { has_passed_over, has_waited, .. } = helm;
        Ok(Decided { decision, is_again, has_passed_over, has_waited })
    }

    /// Takes up links again that were put aside, if hosts run short.
    fn restore(&mut self, ready: &mut dyn Ready) -> Result<(), StoreError> {
        let AnyHosts::Memory(hosts) = &self.hosts else { return Ok(()) };
        let progress = self.pages as f64 / self.budget.max(1) as f64;
        if !hosts.wants_more_hosts(&self.map, progress) {
            return Ok(());
        }
        let count = hosts.settings.restore;
        for Put { link, address, priority } in self.discarded.of_other_hosts(&self.map, count) {
            let id = self.meet(address);
            if self.map.node(id).standing == Standing::Aside
                && matches!(
                    ready.offer(link, priority)?,
                    Offer::Queued | Offer::Raised | Offer::Known
                )
            {
                self.map.set_priority(id, priority);
                self.map.set_waiting(id);
            }
        }
        Ok(())
    }

    /// Writes down what the choice of a link was made from, as it stands now.
    pub(super) fn explain(&self, id: NodeId, link: &mut Link, predicts: bool) {
        let node = self.map.node(id);
        if node.is_seed || node.sightings.is_empty() {
            return;
        }
        let block = link.score(Score::Block);
        link.scores = self.scores(id, node.priority);
        link.scores.retain(|(score, _)| predicts || *score != Score::Priority);
        link.scores.extend(block.map(|block| (Score::Block, block)));
    }

    fn scores(&self, id: NodeId, priority: f64) -> Vec<(Score, f64)> {
        let facts = self.appraiser.facts(&self.map, id);
        let mut scores = vec![(Score::Page, facts.page()), (Score::Anchor, facts.anchor())];
        if matches!(self.appraiser.priority, AnyPriority::Comprehensive(_)) {
            scores.push((Score::Context, facts.context()));
        }
        if self.appraiser.rank.is_some() {
            scores.push((Score::Pagerank, facts.pagerank()));
        }
        scores.push((Score::Priority, priority));
        scores
    }

    fn done(&mut self, key: &LinkKey) -> Option<(Rule, bool)> {
        let at = self.under_way.iter().position(|(own, ..)| own == key)?;
        let (_, rule, is_look) = self.under_way.remove(at);
        Some((rule, is_look))
    }

    pub(super) fn settle(&mut self, key: &LinkKey) {
        self.done(key);
        if let Some(id) = self.map.lookup(key) {
            self.map.set_standing(id, Standing::Settled);
        }
    }

    pub(super) fn give_back(&mut self, key: &LinkKey) {
        let (rule, is_look) = self.done(key).unwrap_or((Rule::Free, false));
        self.return_link(key, rule, is_look);
    }

    fn return_link(&mut self, key: &LinkKey, rule: Rule, is_look: bool) {
        if let Some(id) = self.map.lookup(key) {
            self.map.set_waiting(id);
            self.returned.push((*key, rule, is_look));
        }
    }

    /// The other address is what the link is now: as promising, and to be fetched at once.
    pub(super) fn move_link(&mut self, from: &LinkKey, to: Address) {
        let (rule, is_look) = self.done(from).unwrap_or((Rule::Free, false));
        self.strategy.part_mut().moved(from, &to.key);
        let Some(old) = self.map.lookup(from) else { return };
        self.map.set_standing(old, Standing::Settled);
        let node = self.map.node(old).clone();
        let id = self.meet(to);
        if self.map.node(id).standing == Standing::Aside {
            let new = self.map.node_mut(id);
            (new.is_seed, new.sightings, new.said) = (node.is_seed, node.sightings, node.said);
            self.map.set_priority(id, node.priority);
            self.map.set_waiting(id);
            self.returned.push((to.key, rule, is_look));
        }
    }

    /// A page came: it goes into the map, its links are appraised, and those that promise enough are offered.
    pub(super) fn arrive(
        &mut self,
        arrival: &Arrival,
        recipe: &Recipe,
        mut offer: impl FnMut(usize, f64, &[(Score, f64)]) -> Result<Offer, StoreError>,
    ) -> Result<Vec<LinkVerdict>, StoreError> {
        self.done(&arrival.page.key);
        if self.map.is_full() {
            self.map.forget();
        }
        let page = self.meet(arrival.page);
        let was_known = self.map.node(page).page.is_some();
        if arrival.is_look {
            self.map.set_waiting(page);
        } else {
            self.map.set_standing(page, Standing::Settled);
            self.count(arrival, page);
        }
        if was_known {
            return Ok(vec![LinkVerdict { reason: "known", priority: None }; arrival.links.len()]);
        }
        let passage = self.passage(arrival, page);
        let ids = self.draw_map(arrival, page);
        let blocks = best_blocks(&arrival.links, &ids);
        let mut verdicts = Vec::with_capacity(arrival.links.len());
        let mut seen: HashSet<NodeId, FixedState> = HashSet::default();
        for (at, (link, id)) in arrival.links.iter().zip(&ids).enumerate() {
            let verdict = if seen.insert(*id) {
                self.take_up(at, link, *id, blocks[id], passage, recipe, &mut offer)?
            } else {
                LinkVerdict { reason: "known", priority: None }
            };
            verdicts.push(verdict);
        }
        self.strategy.part_mut().arrived(&mut self.map, page, &mut self.random);
        self.look_again(arrival.links.len());
        Ok(verdicts)
    }

    /// Counts a page for its host, and lets priorities learn from it.
    fn count(&mut self, arrival: &Arrival, page: NodeId) {
        self.pages += 1;
        let host = self.map.node(page).host;
        let host = &mut self.map.hosts[host as usize];
        host.visited += 1;
        host.relevant += u32::from(arrival.is_relevant);
        let node = self.map.node(page);
        if !node.is_seed && !node.sightings.is_empty() {
            let objectives = self.appraiser.objectives(&self.map, page);
            let priority = self.appraiser.priority.part_mut();
            priority.learn(objectives, arrival.relevance, &mut self.random);
        }
    }

    /// What becomes of the links of a page, if it was perhaps fetched only to be judged.
    fn passage(&mut self, arrival: &Arrival, page: NodeId) -> Passage {
        let node = self.map.node(page);
        if node.is_seed || node.sightings.is_empty() {
            return arrival.passage;
        }
        let priority = self.appraiser.priority.part();
        let facts = self.appraiser.facts(&self.map, page);
        let Some((promise, is_enough)) = priority.of_fetched(&facts, arrival.relevance) else {
            return arrival.passage;
        };
        let is_accepted = self.strategy.part_mut().accepts(promise, &mut self.random);
        if is_accepted && is_enough { arrival.passage } else { Passage::Closed }
    }

    /// Draws a page and its links into the map. Returns the nodes of the links.
    fn draw_map(&mut self, arrival: &Arrival, page: NodeId) -> Vec<NodeId> {
        let ids: Vec<NodeId> = arrival.links.iter().map(|link| self.meet(link.address)).collect();
        let mut links: Vec<Edge> = Vec::with_capacity(ids.len());
        let mut places: HashMap<NodeId, usize, FixedState> = HashMap::default();
        for (link, id) in arrival.links.iter().zip(&ids) {
            let (anchor, context) = (finite(link.anchor), finite(link.context));
            // A page that leads somewhere twice says what its best link says.
            if let Some(at) = places.get(id) {
                links[*at].anchor = links[*at].anchor.max(anchor);
                let node = self.map.node_mut(*id);
                node.hear(anchor, context);
                if let Some(sighting) = node.sightings.last_mut().filter(|it| it.page == page) {
                    sighting.anchor = sighting.anchor.max(anchor);
                    sighting.context = sighting.context.max(context);
                }
                continue;
            }
            places.insert(*id, links.len());
            links.push(Edge { to: *id, anchor });
            let relevance = finite(arrival.relevance);
            let node = self.map.node_mut(*id);
            node.add_sighting(Sighting { page, relevance, anchor, context });
        }
        let relevance = finite(arrival.relevance);
        let is_relevant = arrival.is_relevant;
        let facts = PageNode { relevance, is_relevant, links, pheromone: Vec::new() };
        self.map.node_mut(page).page = Some(Box::new(facts));
        self.map.pages.push(page);
        if let Some(rank) = &mut self.appraiser.rank {
            rank.arrived(&mut self.map, page);
        }
        ids
    }

    #[expect(clippy::too_many_arguments, reason = "all of it is at hand in one place only")]
    fn take_up(
        &mut self,
        at: usize,
        link: &ArrivedLink,
        id: NodeId,
        block: f64,
        passage: Passage,
        recipe: &Recipe,
        offer: &mut impl FnMut(usize, f64, &[(Score, f64)]) -> Result<Offer, StoreError>,
    ) -> Result<LinkVerdict, StoreError> {
        let standing = self.map.node(id).standing;
        if matches!(standing, Standing::Settled | Standing::Taken) {
            return Ok(LinkVerdict { reason: "known", priority: None });
        }
        let own = self.strategy.part().own_priority(&self.map, id);
        let priority = finite(own.unwrap_or_else(|| self.appraiser.appraise(&self.map, id)));
        let verdict = |reason| LinkVerdict { reason, priority: Some(priority) };
        self.map.set_priority(id, priority);
        let is_tunnel = passage == Passage::Tunnel && recipe.tunnel.part().begins_at(block);
        if passage != Passage::Open && !is_tunnel {
            return Ok(verdict("off-topic"));
        }
        if !is_tunnel && standing == Standing::Waiting {
            return Ok(verdict("known"));
        }
        if !is_tunnel && self.appraiser.priority.part().refuses(priority) {
            let address = link.address;
            if let Some(link) = link.link.clone() {
                self.discarded.put(Put { link: *link, address, priority });
            }
            return Ok(verdict("low"));
        }
        self.discarded.remove(&link.address.key);
        let mut scores = self.scores(id, priority);
        scores.extend(is_tunnel.then_some((Score::Block, block)));
        let rank = if is_tunnel { TUNNEL_RANK } else { priority };
        let offer = offer(at, rank, &scores)?;
        if matches!(offer, Offer::PatternFull | Offer::QueueFull | Offer::HostsFull) {
            return Ok(verdict(offer.name()));
        }
        self.map.set_waiting(id);
        if is_tunnel {
            self.first.push_back((link.address.key, Rule::Tunnel));
        }
        Ok(verdict(if is_tunnel { "tunnel" } else { offer.name() }))
    }

    /// Looks at waiting links again whose priorities may have moved, as many as the page had.
    fn look_again(&mut self, count: usize) {
        if !self.appraiser.moves() {
            return;
        }
        for id in self.map.sweep(count) {
            if self.strategy.part().own_priority(&self.map, id).is_none() {
                let priority = finite(self.appraiser.appraise(&self.map, id));
                self.map.set_priority(id, priority);
            }
        }
    }
}

/// A decision and how it came about.
struct Decided {
    decision: Decision,
    /// Whether it was made before, and the link came back.
    is_again: bool,
    /// Whether a link was passed over because its host is tabu, and one because its host must rest.
    has_passed_over: bool,
    has_waited: bool,
}

/// A link that was chosen before and waits again.
fn take_returned(
    returned: &mut Vec<(LinkKey, Rule, bool)>,
    helm: &mut Helm<'_>,
) -> Result<Option<Decision>, StoreError> {
    returned.retain(|(key, ..)| helm.map.lookup_waiting(key).is_some());
    for at in 0..returned.len().min(MOST_RETURNED) {
        let (key, rule, is_look) = returned[at];
        let Some(id) = helm.map.lookup_waiting(&key) else { continue };
        if helm.take_again(id)? {
            returned.remove(at);
            let decision = if is_look { Decision::Look } else { Decision::Fetch };
            return Ok(Some(decision(id, rule)));
        }
    }
    Ok(None)
}

/// A link that comes before all others.
fn take_first(
    first: &mut VecDeque<(LinkKey, Rule)>,
    helm: &mut Helm<'_>,
) -> Result<Option<Decision>, StoreError> {
    let mut resting = Vec::new();
    let mut taken = None;
    while resting.len() < MOST_RETURNED
        && let Some((key, rule)) = first.pop_front()
    {
        let Some(id) = helm.map.lookup_waiting(&key) else { continue };
        if helm.take(id)? {
            taken = Some(Decision::Fetch(id, rule));
            break;
        }
        resting.push((key, rule));
    }
    resting.into_iter().rev().for_each(|it| first.push_front(it));
    Ok(taken)
}

/// The best block that each link of a page stands in.
fn best_blocks(links: &[ArrivedLink], ids: &[NodeId]) -> HashMap<NodeId, f64, FixedState> {
    let mut blocks = HashMap::default();
    for (link, id) in links.iter().zip(ids) {
        let block: &mut f64 = blocks.entry(*id).or_default();
        *block = block.max(link.block);
    }
    blocks
}
