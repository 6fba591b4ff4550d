//! The state of a pilot: the running parts of its recipe and, if the recipe needs more than the
//! current page, a graph of the web.

use std::collections::VecDeque;

use ontrail_anchor::PagesMet;
use serde::{Deserialize, Serialize};

use crate::discarded::{Discarded, DiscardedLink};
use crate::graph::{NodeId, NodeState, WebGraph};
use crate::hosts::AnyHosts;
use crate::judge::PageJudge;
use crate::link::{HostKey, Link, LinkId, LinkKey, Score};
use crate::note::DamagedNotes;
use crate::pagerank::{PageRank, PageRankSettings};
use crate::pilot::Start;
use crate::priority::{AnyPriority, Appraiser};
use crate::random::Random;
use crate::rule::Rule;
use crate::strategy::AnyStrategy;
use crate::verdict::Offer;
use crate::why::{Learned, OrderFound, Why};

/// The priority of seeds: the highest that a link can have (readings F20 and B11, docs/papers.md).
pub const SEED_PRIORITY: f64 = 1.0;
/// Maximum number of links in a web graph, at about 350 bytes each, or 620 if the recipe learns
/// from links.
const GRAPH_LINKS: usize = 2_000_000;

/// The running parts of a recipe.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PilotState {
    pub(crate) random: Random,
    pub(crate) appraiser: Appraiser,
    pub(crate) strategy: AnyStrategy,
    pub(crate) hosts: AnyHosts,
    pub(crate) judge: PageJudge,
    /// True if links that a computed threshold refuses are kept for the time when no other waits.
    pub(crate) keeps_reserve: bool,
    /// Number of pages that arrived and count towards the budget.
    pub(crate) pages: u64,
    /// Number of pages to fetch in the whole crawl.
    pub(crate) budget: u64,
    /// Knowledge of the web beyond the current page, if the recipe needs it.
    pub(crate) known: Option<KnownWeb>,
}

/// Knowledge of the web beyond the current page.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KnownWeb {
    pub(crate) graph: WebGraph,
    pub(crate) discarded: Discarded,
    /// Links to fetch before all others: tunnel links and sitemaps.
    pub(crate) urgent: VecDeque<(LinkKey, Rule)>,
    /// Links that were chosen and came back to the queue.
    pub(crate) returned: Vec<Pick>,
    /// Links that are being fetched.
    pub(crate) under_way: Vec<Pick>,
    /// True if other workers have told anything.
    pub(crate) has_company: bool,
}

/// A chosen link, the rule that chose it, and whether it is fetched only as a lookahead.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pick {
    pub(crate) key: LinkKey,
    pub(crate) rule: Rule,
    pub(crate) is_look: bool,
}

impl PilotState {
    /// Returns the state at the start of a crawl.
    pub(crate) fn new(start: &Start<'_>) -> Self {
        let Start { recipe, budget, seed, .. } = *start;
        let kept = start.link_model.as_deref();
        let pagerank = recipe.priority.pagerank();
        let pagerank =
            pagerank.or(recipe.strategy.needs_pagerank().then(PageRankSettings::default));
        Self {
            random: Random::new(seed),
            appraiser: Appraiser {
                priority: AnyPriority::new(&recipe.priority, seed, kept),
                pagerank: pagerank.map(PageRank::new),
                met: recipe.needs_anchor_terms().then(PagesMet::new),
            },
            strategy: AnyStrategy::new(&recipe.strategy),
            hosts: AnyHosts::new(&recipe.hosts),
            judge: PageJudge::new(recipe, start.start_curve.clone()),
            keeps_reserve: recipe.keeps_reserve(),
            pages: 0,
            budget,
            known: recipe.needs_graph().then(|| KnownWeb::new(recipe.strategy.hedges())),
        }
    }

    /// Reads a stored state.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, DamagedNotes> {
        let mut state: Self = postcard::from_bytes(bytes)?;
        if let Some(known) = &mut state.known {
            known.graph.rebuild();
            known.discarded.rebuild();
        }
        Ok(state)
    }

    /// Returns true if a seed is not used because another seed of its host is.
    pub(crate) fn is_surplus_seed(&self, host: HostKey) -> bool {
        matches!(&self.hosts, AnyHosts::Memory(memory) if memory.settings.one_seed_per_host)
            && self.known.as_ref().is_some_and(|known| known.graph.has_waiting(host))
    }

    /// Returns true if links with a low priority are kept, because they may be restored later.
    pub(crate) fn keeps_discarded(&self) -> bool {
        self.keeps_reserve
            || matches!(&self.hosts, AnyHosts::Memory(memory) if memory.settings.restore > 0)
    }

    /// Returns true if no link waits or is being fetched, so that refused links are needed.
    pub(crate) fn needs_reserve(&self) -> bool {
        let is_idle = |known: &KnownWeb| {
            let has_begun = self.pages > 0 || known.has_company;
            known.graph.waiting_count() == 0 && known.under_way.is_empty() && has_begun
        };
        self.keeps_reserve && self.known.as_ref().is_some_and(is_idle)
    }

    /// Returns the number of refused links that are kept for the time when no link waits.
    pub(crate) fn reserve(&self) -> usize {
        if self.keeps_reserve { self.discarded_count() } else { 0 }
    }

    /// Returns the number of discarded links.
    pub(crate) fn discarded_count(&self) -> usize {
        self.known.as_ref().map_or(0, |known| known.discarded.len())
    }

    /// Discards a seed because another seed of its host is used.
    pub(crate) fn discard_seed(&mut self, link: Link, id: LinkId) {
        if let Some(known) = &mut self.known {
            known.discarded.add(DiscardedLink { link, id, priority: SEED_PRIORITY });
        }
    }

    pub(crate) fn add_seed(&mut self, link: LinkId) {
        let Some(known) = &mut self.known else { return };
        let id = self.appraiser.find_or_add(&mut known.graph, link);
        known.graph.node_mut(id).is_seed = true;
        known.graph.set_priority(id, SEED_PRIORITY);
        known.graph.set_waiting(id);
    }

    /// Adds a link that a site lists. It waits with the lowest priority, unless it is urgent.
    pub(crate) fn add_listed(&mut self, link: LinkId, is_urgent: bool) {
        let Some(known) = &mut self.known else { return };
        let id = self.appraiser.find_or_add(&mut known.graph, link);
        if known.graph.node(id).state.is_unqueued() {
            known.graph.set_waiting(id);
        }
        if is_urgent {
            known.urgent.push_back((link.key, Rule::Listed));
        }
    }

    /// Replaces a link by the URL it redirects to. The new link keeps the old link's priority and
    /// evidence and is fetched at the next opportunity.
    pub(crate) fn redirect_link(&mut self, from: &LinkKey, to: LinkId) {
        self.strategy.part_mut().redirected(from, &to.key);
        let Some(known) = &mut self.known else { return };
        let pick = known.end_fetch(from);
        let Some(old) = known.graph.lookup(from) else { return };
        known.graph.set_state(old, NodeState::Finished);
        let node = known.graph.node(old).clone();
        let id = self.appraiser.find_or_add(&mut known.graph, to);
        if known.graph.node(id).state.is_unqueued() {
            let new = known.graph.node_mut(id);
            (new.is_seed, new.sightings, new.evidence, new.anchors, new.clues) =
                (node.is_seed, node.sightings, node.evidence, node.anchors, node.clues);
            known.graph.set_priority(id, node.priority);
            known.graph.set_waiting(id);
            known.returned.push(Pick { key: to.key, ..pick });
        }
    }

    /// Writes the current scores of a chosen link into the link.
    pub(crate) fn explain(&self, link: &mut Link, predicts: bool) {
        let Some(known) = &self.known else { return };
        let Some(id) = known.graph.lookup(&link.key()) else { return };
        let node = known.graph.node(id);
        if node.is_seed || node.sightings.is_empty() {
            return;
        }
        let block = link.score(Score::Block);
        link.scores = self.appraiser.scores(&self.appraiser.facts(&known.graph, id));
        link.scores.extend(predicts.then_some((Score::Priority, node.priority)));
        link.scores.extend(block.map(|block| (Score::Block, block)));
    }
}

impl PilotState {
    /// Returns what decided about a chosen link, if the recipe learns from links.
    pub(crate) fn why(&self, link: &Link) -> Option<Why> {
        let known = self.known.as_ref()?;
        let learner = self.appraiser.learner_view()?;
        let id = known.graph.lookup(&link.key())?;
        let node = known.graph.node(id);
        if node.is_seed || node.clues.is_empty() {
            return None;
        }
        let facts = self.appraiser.facts(&known.graph, id);
        Some(Why { orders: self.orders(), ..learner.why(&facts, link) })
    }

    /// Returns what was learned about links, if the recipe learns from them.
    pub(crate) fn learned(&self) -> Option<Learned> {
        let learner = self.appraiser.learner_view()?;
        Some(Learned { orders: self.orders(), ..learner.learned() })
    }

    fn orders(&self) -> Vec<OrderFound> {
        match &self.strategy {
            AnyStrategy::Hedge(hedge) => hedge.orders(),
            _ => Vec::new(),
        }
    }
}

impl KnownWeb {
    fn new(hedges: bool) -> Self {
        let mut graph = WebGraph::new(GRAPH_LINKS);
        if hedges {
            graph.keep_rivals();
        }
        Self {
            graph,
            discarded: Discarded::default(),
            urgent: VecDeque::new(),
            returned: Vec::new(),
            under_way: Vec::new(),
            has_company: false,
        }
    }

    /// Puts every link that was being fetched when the crawl was interrupted back into the queue.
    pub(crate) fn interrupt(&mut self) {
        for pick in std::mem::take(&mut self.under_way) {
            self.wait_again(pick);
        }
    }

    /// Marks a link as finished.
    pub(crate) fn finish(&mut self, key: &LinkKey) {
        self.end_fetch(key);
        if let Some(id) = self.graph.lookup(key) {
            self.graph.set_state(id, NodeState::Finished);
        }
    }

    /// Puts a chosen link back into the queue.
    pub(crate) fn give_back(&mut self, key: &LinkKey) {
        let pick = self.end_fetch(key);
        self.wait_again(pick);
    }

    /// Removes a link from those being fetched, and returns how it was chosen.
    pub(crate) fn end_fetch(&mut self, key: &LinkKey) -> Pick {
        match self.under_way.iter().position(|pick| pick.key == *key) {
            Some(at) => self.under_way.remove(at),
            None => Pick { key: *key, rule: Rule::Free, is_look: false },
        }
    }

    fn wait_again(&mut self, pick: Pick) {
        if let Some(id) = self.graph.lookup(&pick.key)
            && self.graph.node(id).state == NodeState::Taken
        {
            self.graph.set_waiting(id);
            self.returned.push(pick);
        }
    }

    /// Marks a link as the queue has answered its offer.
    pub(crate) fn queued(&mut self, id: NodeId, offer: Offer) {
        match offer {
            Offer::Sent => self.graph.set_state(id, NodeState::Elsewhere),
            Offer::Done => self.graph.set_state(id, NodeState::Finished),
            offer if offer.is_refusal() => {}
            _ => self.graph.set_waiting(id),
        }
    }
}
