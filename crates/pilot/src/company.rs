//! The other workers of a crawl, each of which has a pilot of its own and fetches from hosts of its
//! own.
//!
//! A link to a host of another worker is sent there with everything that the page tells about it
//! ([`ForeignSighting`]). The pilot of that worker adds up what the pages of all workers tell, and
//! decides about the link as if it had seen these pages itself. PR goes along: a page passes its
//! share on to the link, wherever the link is. PR that the page receives later goes with the next
//! page that has the link.
//!
//! Numbers that are learned are mixed every few seconds ([`LearnedNumber`]).

use std::collections::HashSet;

use foldhash::fast::FixedState;
use ontrail_anchor::AnchorText;
use serde::{Deserialize, Serialize};

use crate::arrive::{LinkDecision, LinkVerdict, Way, finite};
use crate::clue::Clue;
use crate::graph::{NodeId, NodeState, Sighting};
use crate::link::{HostKey, Link, LinkId, LinkKey, RankedLink};
use crate::note::ArrivedLink;
use crate::recipe::Recipe;
use crate::state::{KnownWeb, Pick, PilotState};
use crate::verdict::{Offer, Verdict};

pub use ontrail_learner::LearnedNumber;

/// A link that is sent to the worker that fetches from its host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SentLink {
    /// The link.
    pub link: Link,
    /// P(l) by the page that has the link alone.
    pub priority: f64,
    /// Everything that the page tells about the link.
    pub sighting: Box<ForeignSighting>,
}

/// Everything that a page of another worker tells about a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForeignSighting {
    page: LinkId,
    /// PR of the page.
    page_rank: f64,
    /// PR that is passed on to the link.
    passed: f64,
    relevance: f64,
    anchor: f64,
    context: f64,
    /// The anchor text, if the recipe compares anchor texts by BM25.
    text: Option<AnchorText>,
    clue: Option<Clue>,
    way: Way,
}

/// A link that another worker sent, as the pilot remembers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShownLink {
    pub(crate) link: ArrivedLink,
    pub(crate) sighting: Box<ForeignSighting>,
}

/// A link that waits in the queue and that another worker has found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WaitingLink {
    /// The fingerprint of the URL.
    pub key: LinkKey,
    /// The fingerprint of the host.
    pub host: HostKey,
    /// The priority in the queue.
    pub priority: f64,
}

/// The pilot's plan for links that other workers sent: some of them are to be offered to the queue.
///
/// Take out the offers, offer them, and pass the answers to
/// [`Pilot::shown_offered`](crate::Pilot::shown_offered).
#[derive(Debug)]
#[must_use = "the offers must be made, and the pilot must be told the answers"]
pub struct ShownPlan {
    /// The links to offer, in order.
    pub offers: Vec<RankedLink>,
    pub(crate) shown: Vec<ShownLink>,
    pub(crate) decisions: Vec<LinkDecision>,
}

impl PilotState {
    /// Decides that a link on a page is sent to another worker, and takes what the page tells about
    /// it out of the graph.
    pub(crate) fn send(&mut self, id: NodeId, page: NodeId, way: Way) -> LinkDecision {
        let Some(known) = &mut self.known else {
            return LinkDecision::settled(Verdict::KNOWN, None);
        };
        if matches!(known.graph.node(id).state, NodeState::Finished | NodeState::Taken) {
            return LinkDecision::settled(Verdict::KNOWN, None);
        }
        let priority = finite(self.appraiser.appraise(&known.graph, id));
        known.discarded.remove(&known.graph.node(id).key);
        known.graph.set_state(id, NodeState::Elsewhere);
        known.graph.set_priority(id, priority);
        let (from, page_rank) = (known.graph.id_of(page), known.graph.node(page).pagerank);
        let node = known.graph.node_mut(id);
        let seen = node.sightings.pop();
        let (relevance, anchor, context) =
            seen.map_or_else(Default::default, |it| (it.relevance, it.anchor, it.context));
        let sighting = ForeignSighting {
            page: from,
            page_rank,
            passed: std::mem::take(&mut node.pagerank) + std::mem::take(&mut node.residual),
            relevance,
            anchor,
            context,
            text: node.anchors.pop(),
            clue: node.clues.pop(),
            way,
        };
        node.forget_evidence();
        let verdict = Verdict::Offered(Offer::Sent);
        let verdict = LinkVerdict { verdict, priority: Some(priority) };
        LinkDecision::Sent(Box::new(sighting), verdict)
    }

    /// Adds what pages of other workers tell about links, and decides about each link.
    /// [`PilotState::conclude_shown`] must follow.
    pub(crate) fn plan_shown(&mut self, shown: &[ShownLink], recipe: &Recipe) -> Vec<LinkDecision> {
        if let Some(known) = &mut self.known {
            known.has_company = true;
            // Not in between: nodes get new numbers.
            known.graph.make_room();
        }
        let mut offered: HashSet<LinkKey, FixedState> = HashSet::default();
        let mut decisions = Vec::with_capacity(shown.len());
        for shown in shown {
            let key = shown.link.id.key;
            let decision = self.plan_one(shown, offered.contains(&key), recipe);
            if matches!(decision, LinkDecision::Offered(_)) {
                offered.insert(key);
            }
            decisions.push(decision);
        }
        decisions
    }

    /// Adds what a page of another worker tells about a link, and decides about the link unless it
    /// is being offered already.
    fn plan_one(&mut self, shown: &ShownLink, is_offered: bool, recipe: &Recipe) -> LinkDecision {
        let known_before = LinkDecision::settled(Verdict::KNOWN, None);
        let ShownLink { link, sighting } = shown;
        let Some(known) = &mut self.known else { return known_before };
        let page = known.graph.find_or_add(sighting.page);
        let id = self.appraiser.find_or_add(&mut known.graph, link.id);
        // A letter may come twice, because the commit that had read it was lost. The link counts
        // for its page once, but it must be offered again.
        if !known.graph.node(id).has_sighting(page) {
            let ForeignSighting { relevance, anchor, context, .. } = **sighting;
            let node = known.graph.node_mut(id);
            node.add_sighting(Sighting { page, relevance, anchor, context });
            sighting.text.iter().for_each(|text| node.add_anchor(text.clone()));
            if let Some(pagerank) = &mut self.appraiser.pagerank {
                let ForeignSighting { page_rank, passed, .. } = **sighting;
                pagerank.received(&mut known.graph, (page, page_rank), (id, passed));
            }
            if let (Some(learner), Some(clue)) = (self.appraiser.learner(), &sighting.clue) {
                known.add_clue(id, clue, learner);
            }
        }
        if is_offered {
            let priority = finite(self.appraiser.appraise(&known.graph, id));
            known.graph.set_priority(id, priority);
            return known_before;
        }
        self.decide_in_graph(link, id, sighting.way, recipe)
    }

    /// Completes the decisions about links that other workers sent.
    pub(crate) fn conclude_shown(&mut self, shown: &[ShownLink], decisions: Vec<LinkDecision>) {
        for (shown, decision) in shown.iter().zip(decisions) {
            if let LinkDecision::Offered(offered) = decision {
                let offer = shown.link.offer.unwrap_or(Offer::Known);
                self.conclude_offer(&shown.link, &offered, offer);
            }
        }
    }

    /// Leaves the links of hosts to another worker. What was done with them since the last commit
    /// counts for nothing, so all of them may be found, and their pages may arrive, once more.
    pub(crate) fn leave(&mut self, hosts: &[HostKey]) {
        let Some(known) = &mut self.known else { return };
        let left: HashSet<HostKey, FixedState> = hosts.iter().copied().collect();
        known.has_company = true;
        known.graph.leave_hosts(&|host| left.contains(&host));
        self.hosts.part_mut().left(&known.graph);
        let KnownWeb { graph, returned, under_way, .. } = known;
        let is_taken = |pick: &Pick| {
            graph.lookup(&pick.key).is_some_and(|id| graph.node(id).state == NodeState::Taken)
        };
        under_way.retain(is_taken);
        returned.retain(|pick| graph.lookup_waiting(&pick.key).is_some());
    }

    /// Adds links that wait in the queue and that another worker has found.
    pub(crate) fn add_waiting(&mut self, links: &[WaitingLink]) {
        let Some(known) = &mut self.known else { return };
        known.has_company = true;
        for WaitingLink { key, host, priority } in links {
            known.graph.make_room();
            let link = LinkId { key: *key, host: *host, niche: host.0 };
            let id = self.appraiser.find_or_add(&mut known.graph, link);
            known.discarded.remove(key);
            let node = known.graph.node(id);
            if node.state == NodeState::Taken {
                continue;
            }
            // Pages that this worker has seen tell more than a number.
            if node.sightings.is_empty() && !node.is_seed {
                known.graph.set_priority(id, finite(*priority));
            }
            known.graph.set_waiting(id);
        }
    }

    /// Returns all hosts.
    pub(crate) fn hosts(&self) -> Vec<HostKey> {
        let hosts = self.known.iter().flat_map(|known| &known.graph.hosts);
        hosts.map(|host| host.key).collect()
    }

    /// Returns the numbers that were learned.
    pub(crate) fn numbers(&self) -> Vec<LearnedNumber> {
        let of_priority = self.appraiser.priority.part().numbers();
        of_priority.into_iter().chain(self.strategy.part().number()).collect()
    }

    /// Mixes the numbers that were learned with those of others.
    pub(crate) fn mix(&mut self, others: &[LearnedNumber]) {
        self.appraiser.priority.part_mut().mix(others);
        self.strategy.part_mut().mix(others);
    }
}
