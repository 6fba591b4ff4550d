//! Handles an arriving page: decides about each of its links.
//!
//! All recipes share one code path. With a web graph, a link is judged by every page that contains
//! it; without one, by the current page only. All links with a sufficient priority are offered to
//! the queue in one batch, so that a queue on another machine needs one round trip for each page.
//! The queue's answers complete the verdicts.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use ontrail_anchor::{AnchorTerm, AnchorText, Bm25, PagesMet};
use ontrail_learner::LinkClues;
use serde::{Deserialize, Serialize};

use crate::clue::Clue;
use crate::company::{ForeignSighting, SentLink};
use crate::discarded::DiscardedLink;
use crate::gate::Passage;
use crate::graph::{Edge, NodeId, NodeState, PageNode, Sighting};
use crate::link::{Link, RankedLink, Score};
use crate::note::{Arrival, ArrivedLink};
use crate::priority::{LinkFacts, LinkLearner};
use crate::recipe::Recipe;
use crate::rule::Rule;
use crate::state::{KnownWeb, PilotState};
use crate::strategy::LinkOrigin;
use crate::verdict::{Offer, Verdict};

/// Most waiting links that are all scored again at once; if there are more, they take turns.
const RESCORED_AT_ONCE: usize = 20_000;
/// The queue priority of tunnel links: above all others.
const TUNNEL_PRIORITY: f64 = 2.0;

/// The relevance of a link's texts on one page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// R(A), the relevance of the anchor text.
    pub anchor: f64,
    /// R(CL), the relevance of the link context.
    pub context: f64,
    /// R(B), the relevance of the content block that contains the link.
    pub block: f64,
    /// The judge's probability of the anchor text, if the recipe needs it.
    pub probability: Option<f64>,
}

/// A link on a page that may be fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The link.
    pub link: Link,
    /// The relevance of its texts on this page.
    pub signals: Signals,
    /// The topic's terms in its anchor text, for recipes that compare anchor texts by BM25. They
    /// replace R(A) if [`PageFacts`](crate::PageFacts) has the terms of the page.
    pub terms: Vec<AnchorTerm>,
    /// The words and the place of the link on this page, for recipes that learn from them.
    pub clues: LinkClues,
    /// True if another worker fetches from the host of the link.
    pub is_elsewhere: bool,
}

/// The verdict on a link, and its priority.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// P(l), if it was computed.
    pub priority: Option<f64>,
}

/// The pilot's plan for the links of a page: some of them are to be offered to the queue.
///
/// Take out the links for other workers and send them. Take out the offers, offer them, and pass
/// the answers to [`Pilot::offered`](crate::Pilot::offered).
#[derive(Debug)]
#[must_use = "the offers must be made, and the pilot must be told the answers"]
pub struct Plan {
    /// The links to offer, in order.
    pub offers: Vec<RankedLink>,
    /// The links for other workers.
    pub sent: Vec<SentLink>,
    pub(crate) arrival: Arrival,
    pub(crate) page: ArrivedPage,
    pub(crate) decisions: Vec<LinkDecision>,
}

/// The page of a plan in the web graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ArrivedPage {
    /// There is no graph.
    NoGraph,
    /// The page and its links were already in the graph.
    KnownBefore,
    /// The page is new.
    New(NodeId),
}

/// The decision about a link.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LinkDecision {
    /// The link is not offered; this is the verdict.
    Settled(LinkVerdict),
    /// The link is offered to the queue, which decides.
    Offered(OfferedLink),
    /// The link is sent to another worker; this is the verdict.
    Sent(Box<ForeignSighting>, LinkVerdict),
}

/// A link that is offered to the queue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OfferedLink {
    pub(crate) queue_priority: f64,
    pub(crate) scores: Vec<(Score, f64)>,
    priority: Option<f64>,
    is_tunnel: bool,
    id: Option<NodeId>,
}

impl OfferedLink {
    /// Returns the link as it is offered.
    pub(crate) fn ranked(&self, mut link: Link) -> RankedLink {
        link.scores.clone_from(&self.scores);
        RankedLink { link, rank: self.queue_priority }
    }
}

/// The priority of a link and the scores behind it.
struct Appraisal {
    /// P(l), as verdicts show it.
    priority: Option<f64>,
    /// The priority in the queue; none if the strategy does not follow the link.
    queue_priority: Option<f64>,
    scores: Vec<(Score, f64)>,
}

/// The circumstances in which a page was reached.
#[derive(Clone, Copy)]
pub(crate) struct PageOrigin<'a> {
    /// The link that led to the page.
    pub(crate) via: &'a Link,
    /// Number of pages that arrived so far.
    pub(crate) pages: u64,
}

impl LinkDecision {
    pub(crate) fn settled(verdict: Verdict, priority: Option<f64>) -> Self {
        Self::Settled(LinkVerdict { verdict, priority })
    }
}

impl PilotState {
    /// Adds a page to the graph and decides about its links.
    pub(crate) fn plan(
        &mut self,
        arrival: &Arrival,
        recipe: &Recipe,
        origin: PageOrigin<'_>,
    ) -> (ArrivedPage, Vec<LinkDecision>) {
        let page = self.register_page(arrival);
        let decisions = match page {
            ArrivedPage::KnownBefore => {
                vec![LinkDecision::settled(Verdict::KNOWN, None); arrival.links.len()]
            }
            ArrivedPage::NoGraph => self.plan_without_graph(arrival, recipe, origin),
            ArrivedPage::New(id) => self.plan_with_graph(arrival, recipe, id),
        };
        (page, decisions)
    }

    /// Adds a page to the graph, without its links.
    fn register_page(&mut self, arrival: &Arrival) -> ArrivedPage {
        if !arrival.is_look {
            self.pages += 1;
        }
        let Some(known) = &mut self.known else { return ArrivedPage::NoGraph };
        known.end_fetch(&arrival.page.key);
        known.graph.make_room();
        let page = self.appraiser.find_or_add(&mut known.graph, arrival.page);
        let node = known.graph.node(page);
        // What a page told before its host was left may have been lost.
        let was_left = known.graph.hosts[node.host as usize].was_left;
        let was_known = node.page.is_some() && !was_left;
        if arrival.is_look {
            known.graph.set_waiting(page);
        } else {
            known.graph.set_state(page, NodeState::Finished);
            self.learn(arrival, page);
        }
        if was_known { ArrivedPage::KnownBefore } else { ArrivedPage::New(page) }
    }

    /// Counts a page for its host and lets the priority part learn from it.
    fn learn(&mut self, arrival: &Arrival, page: NodeId) {
        let Some(known) = &mut self.known else { return };
        let host = known.graph.node(page).host;
        let host = &mut known.graph.hosts[host as usize];
        host.visited += 1;
        host.relevant += u32::from(arrival.is_relevant);
        let worth = arrival.worth();
        known.graph.node_mut(page).worth = Some(finite(worth));
        if let Some(learner) = self.appraiser.learner() {
            let worth = if learner.is_hard() { worth.round() } else { worth };
            learner.learn(&mut known.graph, page, finite(worth), &mut self.random);
            return;
        }
        let node = known.graph.node(page);
        if !node.is_seed && !node.sightings.is_empty() {
            let objectives = self.appraiser.objectives(&known.graph, page);
            let priority = self.appraiser.priority.part_mut();
            priority.learn(objectives, arrival.relevance.unwrap_or(0.0), &mut self.random);
        }
    }

    /// Decides by the current page alone. If the gate did not let the page pass, its links get no
    /// priority.
    fn plan_without_graph(
        &self,
        arrival: &Arrival,
        recipe: &Recipe,
        origin: PageOrigin<'_>,
    ) -> Vec<LinkDecision> {
        if arrival.passage != Passage::Open {
            return vec![LinkDecision::settled(Verdict::OffTopic, None); arrival.links.len()];
        }
        let relevance = arrival.relevance.unwrap_or(0.0);
        let decision = |(position, link): (usize, &ArrivedLink)| {
            let Signals { anchor, context, .. } = link.signals;
            let sighting = Sighting { page: NodeId::NONE, relevance, anchor, context };
            let facts = LinkFacts::of_one(&sighting);
            let link_origin = LinkOrigin { via: origin.via, position, pages: origin.pages };
            let mut appraisal = self.appraise_once(&facts, &link_origin, recipe);
            if arrival.relevance.is_none() {
                appraisal.scores.retain(|(score, _)| !matches!(score, Score::Page | Score::Anchor));
            }
            let Appraisal { priority, queue_priority, scores } = appraisal;
            match queue_priority {
                None => LinkDecision::settled(Verdict::TooFar, priority),
                Some(queue_priority) => {
                    let (is_tunnel, id) = (false, None);
                    LinkDecision::Offered(OfferedLink {
                        queue_priority,
                        scores,
                        priority,
                        is_tunnel,
                        id,
                    })
                }
            }
        };
        arrival.links.iter().enumerate().map(decision).collect()
    }

    /// Computes the priority of a link from one page: the strategy's own order if it has one,
    /// otherwise the recipe's priority.
    fn appraise_once(
        &self,
        facts: &LinkFacts<'_>,
        origin: &LinkOrigin<'_>,
        recipe: &Recipe,
    ) -> Appraisal {
        let mut scores = self.appraiser.scores(facts);
        if let Some(own) = self.strategy.part().link_priority(facts, origin) {
            let priority = own.scores.iter().find(|(score, _)| *score == Score::Priority);
            let priority = priority.map(|(_, value)| *value);
            scores.extend(own.scores);
            return Appraisal { priority, queue_priority: own.priority.map(finite), scores };
        }
        let priority = finite(self.appraiser.priority.part().of(facts));
        let shown = recipe.priority.predicts().then_some(priority);
        scores.extend(shown.map(|priority| (Score::Priority, priority)));
        Appraisal { priority: shown, queue_priority: Some(priority), scores }
    }

    /// Decides by everything that the graph knows about each link.
    fn plan_with_graph(
        &mut self,
        arrival: &Arrival,
        recipe: &Recipe,
        page: NodeId,
    ) -> Vec<LinkDecision> {
        let passage = self.passage(arrival, page);
        let Some(known) = &mut self.known else { return Vec::new() };
        let ids: Vec<NodeId> = arrival
            .links
            .iter()
            .map(|link| {
                // The other worker starts to compute PR for its link.
                if link.is_elsewhere {
                    let id = known.graph.find_or_add(link.id);
                    // Only what this page tells is sent.
                    known.graph.node_mut(id).forget_evidence();
                    id
                } else {
                    self.appraiser.find_or_add(&mut known.graph, link.id)
                }
            })
            .collect();
        known.add_page(arrival, page, &ids, recipe.priority.uses_judge());
        if let Some(learner) = self.appraiser.learner() {
            learner.name(&arrival.names);
            known.add_clues(arrival, &ids, learner);
        }
        if let (Some(met), Some(terms)) = (&mut self.appraiser.met, &arrival.terms) {
            met.add(terms);
            known.add_anchors(arrival, terms.words, page, &ids, met);
        }
        if let Some(pagerank) = &mut self.appraiser.pagerank {
            pagerank.arrived(&mut known.graph, page);
        }
        let threshold = self.judge.link_threshold();
        let blocks = best_blocks(&arrival.links, &ids);
        let mut seen: HashSet<NodeId, FixedState> = HashSet::default();
        let mut decisions = Vec::with_capacity(ids.len());
        for (link, id) in arrival.links.iter().zip(ids) {
            decisions.push(if seen.insert(id) {
                let block = blocks[&id];
                let is_tunnel =
                    passage == Passage::Tunnel && recipe.tunnel.part().begins_at(block, threshold);
                let way = if is_tunnel { Way::Tunnel(block) } else { Way::Through(passage) };
                if link.is_elsewhere {
                    self.send(id, page, way)
                } else {
                    self.decide_in_graph(link, id, way, recipe)
                }
            } else {
                LinkDecision::settled(Verdict::KNOWN, None)
            });
        }
        decisions
    }

    /// Returns whether the links of a page may be followed. If the page was fetched in order to
    /// judge it (`prefetch`), its own relevance decides as well.
    fn passage(&mut self, arrival: &Arrival, page: NodeId) -> Passage {
        let Some(known) = &self.known else { return arrival.passage };
        let node = known.graph.node(page);
        if node.is_seed || node.sightings.is_empty() {
            return arrival.passage;
        }
        let facts = self.appraiser.facts(&known.graph, page);
        let relevance = arrival.relevance.unwrap_or(0.0);
        let judged = self.appraiser.priority.part().of_fetched(
            &facts,
            relevance,
            self.judge.link_threshold(),
        );
        let Some((promise, is_enough)) = judged else { return arrival.passage };
        let is_accepted = self.strategy.part_mut().accepts(promise, &mut self.random);
        if is_accepted && is_enough { arrival.passage } else { Passage::Closed }
    }

    pub(crate) fn decide_in_graph(
        &mut self,
        link: &ArrivedLink,
        id: NodeId,
        way: Way,
        recipe: &Recipe,
    ) -> LinkDecision {
        let Some(known) = &mut self.known else {
            return LinkDecision::settled(Verdict::KNOWN, None);
        };
        let state = known.graph.node(id).state;
        if matches!(state, NodeState::Finished | NodeState::Taken) {
            return LinkDecision::settled(Verdict::KNOWN, None);
        }
        let own = self.strategy.part().own_priority(&known.graph, id);
        let priority = finite(own.unwrap_or_else(|| self.appraiser.appraise(&known.graph, id)));
        let settled = |verdict| LinkDecision::settled(verdict, Some(priority));
        known.graph.set_priority(id, priority);
        let is_low =
            || self.appraiser.priority.part().refuses(priority, self.judge.link_threshold());
        let refusal = match way {
            Way::Through(Passage::Tunnel | Passage::Closed) => Some(Verdict::OffTopic),
            Way::Through(Passage::Open) if state == NodeState::Waiting => Some(Verdict::KNOWN),
            Way::Through(Passage::Open) if is_low() => Some(Verdict::Low),
            Way::Through(Passage::Open) | Way::Tunnel(_) => None,
        };
        if let Some(verdict) = refusal {
            let is_kept = match verdict {
                Verdict::Low => true,
                Verdict::OffTopic => self.keeps_reserve && state != NodeState::Waiting,
                _ => false,
            };
            if let Some(kept) = link.link.clone().filter(|_| is_kept) {
                known.discarded.add(DiscardedLink { link: *kept, id: link.id, priority });
            }
            return settled(verdict);
        }
        known.discarded.remove(&link.id.key);
        let mut scores = self.appraiser.scores(&self.appraiser.facts(&known.graph, id));
        scores.extend(recipe.priority.predicts().then_some((Score::Priority, priority)));
        let (queue_priority, is_tunnel) = match way {
            Way::Tunnel(block) => {
                scores.push((Score::Block, block));
                (TUNNEL_PRIORITY, true)
            }
            Way::Through(_) => (priority, false),
        };
        let (priority, id) = (Some(priority), Some(id));
        LinkDecision::Offered(OfferedLink { queue_priority, scores, priority, is_tunnel, id })
    }

    /// Completes a plan with the queue's answers, in the order of the offers.
    pub(crate) fn conclude(
        &mut self,
        arrival: &Arrival,
        page: ArrivedPage,
        decisions: Vec<LinkDecision>,
        offers: &[Offer],
    ) -> Vec<LinkVerdict> {
        let mut offers = offers.iter().copied();
        let mut verdicts = Vec::with_capacity(decisions.len());
        for (link, decision) in arrival.links.iter().zip(decisions) {
            verdicts.push(match decision {
                LinkDecision::Settled(verdict) | LinkDecision::Sent(_, verdict) => verdict,
                LinkDecision::Offered(offered) => {
                    let offer = offers.next().unwrap_or(Offer::Known);
                    self.conclude_offer(link, &offered, offer)
                }
            });
        }
        if let (ArrivedPage::New(page), Some(known)) = (page, &mut self.known) {
            self.strategy.part_mut().arrived(&mut known.graph, page, &mut self.random);
            self.refresh_priorities(arrival.links.len());
        }
        verdicts
    }

    pub(crate) fn conclude_offer(
        &mut self,
        link: &ArrivedLink,
        offered: &OfferedLink,
        offer: Offer,
    ) -> LinkVerdict {
        let mut verdict = Verdict::Offered(offer);
        if let (Some(known), Some(id)) = (&mut self.known, offered.id)
            && !offer.is_refusal()
        {
            known.queued(id, offer);
            if offered.is_tunnel {
                known.urgent.push_back((link.id.key, Rule::Tunnel));
                verdict = Verdict::Tunnel;
            }
        }
        LinkVerdict { verdict, priority: offered.priority }
    }

    /// Recomputes the priorities of as many waiting links as the page has, because they may have
    /// changed.
    fn refresh_priorities(&mut self, count: usize) {
        let Some(known) = &mut self.known else { return };
        if !self.appraiser.has_moving_priorities() {
            return;
        }
        let pages = self.pages;
        let is_due = self.appraiser.learner().is_some_and(|learner| learner.is_due(pages));
        if is_due && known.graph.waiting_count() <= RESCORED_AT_ONCE {
            let appraiser = &self.appraiser;
            known.graph.set_all_priorities(|graph, id| finite(appraiser.appraise(graph, id)));
            return;
        }
        for id in known.graph.sweep(count) {
            if self.strategy.part().own_priority(&known.graph, id).is_none() {
                let priority = finite(self.appraiser.appraise(&known.graph, id));
                known.graph.set_priority(id, priority);
            }
        }
    }
}

/// The way by which a link can be followed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Way {
    /// As the gate lets the page pass.
    Through(Passage),
    /// Through a tunnel that starts in a block with this R(B).
    Tunnel(f64),
}

impl KnownWeb {
    /// Adds the links of a page to the graph. If `uses_judge`, the judge's probabilities take the
    /// place of R(p) and R(A).
    fn add_page(&mut self, arrival: &Arrival, page: NodeId, ids: &[NodeId], uses_judge: bool) {
        let probability = arrival.probability.filter(|_| uses_judge);
        let relevance = finite(probability.or(arrival.relevance).unwrap_or(0.0));
        let mut links: Vec<Edge> = Vec::with_capacity(ids.len());
        let mut places: HashMap<NodeId, usize, FixedState> = HashMap::default();
        // If the terms of anchor texts are known, they are compared instead (`add_anchors`).
        let has_terms = arrival.terms.is_some();
        for (link, id) in arrival.links.iter().zip(ids) {
            let Signals { anchor, context, probability, .. } = link.signals;
            let anchor = probability.filter(|_| uses_judge).unwrap_or(anchor);
            let (anchor, context) = (if has_terms { 0.0 } else { finite(anchor) }, finite(context));
            let node = self.graph.node_mut(*id);
            // If a page contains a link several times, the best occurrence counts.
            if let Some(at) = places.get(id) {
                links[*at].anchor = links[*at].anchor.max(anchor);
                node.raise_evidence(anchor, context);
                if let Some(sighting) = node.sightings.last_mut().filter(|it| it.page == page) {
                    sighting.anchor = sighting.anchor.max(anchor);
                    sighting.context = sighting.context.max(context);
                }
                continue;
            }
            places.insert(*id, links.len());
            links.push(Edge { to: *id, anchor });
            if !node.has_sighting(page) {
                node.add_sighting(Sighting { page, relevance, anchor, context });
            }
        }
        let is_relevant = arrival.is_relevant;
        let facts = PageNode { relevance, is_relevant, links, pheromone: Vec::new() };
        if self.graph.node_mut(page).page.replace(Box::new(facts)).is_none() {
            self.graph.pages.push(page);
        }
    }

    /// Adds the information of a page about its links, for the link model. If a page contains a
    /// link several times, the first occurrence counts.
    fn add_clues(&mut self, arrival: &Arrival, ids: &[NodeId], learner: &LinkLearner) {
        let mut seen: HashSet<NodeId, FixedState> = HashSet::default();
        for (link, id) in arrival.links.iter().zip(ids) {
            if let Some(clue) = link.clue.as_deref().filter(|_| seen.insert(*id)) {
                self.add_clue(*id, clue, learner);
            }
        }
    }

    /// Adds the information of a page about a link, unless the link has been fetched.
    pub(crate) fn add_clue(&mut self, id: NodeId, clue: &Clue, learner: &LinkLearner) {
        let node = self.graph.node_mut(id);
        if !matches!(node.state, NodeState::Taken | NodeState::Finished) {
            node.add_clue(clue.clone());
            let rivals = learner.rivals(&node.clues).map(finite);
            self.graph.set_rivals(id, rivals);
        }
    }

    /// Adds the anchor texts of a page's links, to be compared by BM25. All texts of a link on the
    /// page are one text. For eq. 8, R(A) of a page's own text is computed once, as PR passes on
    /// shares that must not change.
    fn add_anchors(
        &mut self,
        arrival: &Arrival,
        page_words: u64,
        page: NodeId,
        ids: &[NodeId],
        met: &PagesMet,
    ) {
        let mut texts: HashMap<NodeId, AnchorText, FixedState> = HashMap::default();
        for (link, id) in arrival.links.iter().zip(ids) {
            let text = texts.entry(*id).or_default();
            text.page_words = page_words;
            text.add(&link.terms);
        }
        let Some(mut facts) = self.graph.node_mut(page).page.take() else { return };
        for edge in &mut facts.links {
            let Some(text) = texts.remove(&edge.to) else { continue };
            edge.anchor = met.relevance(&Bm25::default(), std::slice::from_ref(&text));
            self.graph.node_mut(edge.to).add_anchor(text);
        }
        self.graph.node_mut(page).page = Some(facts);
    }
}

/// Returns the relevance of the best block that contains each link of a page.
fn best_blocks(links: &[ArrivedLink], ids: &[NodeId]) -> HashMap<NodeId, f64, FixedState> {
    let mut blocks = HashMap::default();
    for (link, id) in links.iter().zip(ids) {
        let block: &mut f64 = blocks.entry(*id).or_default();
        *block = block.max(link.signals.block);
    }
    blocks
}

/// Replaces NaN and infinities by 0, because they can be neither ordered nor written as JSON.
pub(crate) fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}
