//! A page arrives: what becomes of each of its links.
//!
//! One path serves all recipes. With a map, a link is judged by every page that shows it; without one, by
//! the page at hand. Links that promise enough are offered to the queue all at once, so that a queue on
//! another machine needs one round trip for a page; its answers complete the picture.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use crate::discarded::Put;
use crate::gate::Passage;
use crate::link::{Link, RankedLink, Score};
use crate::map::{Edge, NodeId, PageNode, Sighting, Standing};
use crate::note::{Arrival, ArrivedLink};
use crate::priority::LinkFacts;
use crate::recipe::Recipe;
use crate::rule::Rule;
use crate::state::{KnownWeb, PilotState};
use crate::strategy::Lead;
use crate::verdict::{Offer, Verdict};

/// The rank of links that a tunnel leads to: before all others.
const TUNNEL_RANK: f64 = 2.0;

/// What is known of a link from the page that shows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// R(A), the relevance of its text.
    pub anchor: f64,
    /// R(CL), the relevance of what stands around it.
    pub context: f64,
    /// R(B), the relevance of the content block that it stands in.
    pub block: f64,
}

/// A link of a page that may be fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The link.
    pub link: Link,
    /// What its page says of it.
    pub signals: Signals,
}

/// What became of a link, and how promising it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkVerdict {
    /// What became of it.
    pub verdict: Verdict,
    /// P(l), if it was appraised.
    pub priority: Option<f64>,
}

/// What a pilot wants done with the links of a page: some are to be offered to the queue.
///
/// Take the offers out, offer them, and return the answers with [`Pilot::offered`](crate::Pilot::offered).
#[derive(Debug)]
#[must_use = "the offers must be made, and the pilot must be told what came of them"]
pub struct Plan {
    /// The links to offer, in order.
    pub offers: Vec<RankedLink>,
    pub(crate) arrival: Arrival,
    pub(crate) page: ArrivedPage,
    pub(crate) fates: Vec<Fate>,
}

/// The page of a plan in the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ArrivedPage {
    /// There is no map.
    Unmapped,
    /// It had come before, and its links with it.
    KnownBefore,
    /// It is new.
    New(NodeId),
}

/// What is decided for a link.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fate {
    /// It is not offered.
    Settled(LinkVerdict),
    /// It is offered with this rank and these scores.
    Offered(OfferedLink),
}

/// A link that is offered to the queue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OfferedLink {
    pub(crate) rank: f64,
    pub(crate) scores: Vec<(Score, f64)>,
    priority: Option<f64>,
    is_tunnel: bool,
    id: Option<NodeId>,
}

/// What a link is worth.
struct Appraisal {
    /// P(l), as verdicts show it.
    priority: Option<f64>,
    /// The place in the queue; none if the strategy does not follow the link at all.
    rank: Option<f64>,
    scores: Vec<(Score, f64)>,
}

/// How the page was reached that shows a link.
#[derive(Clone, Copy)]
pub(crate) struct Reached<'a> {
    pub(crate) led_here: &'a Link,
    pub(crate) pages: u64,
}

impl Fate {
    fn settled(verdict: Verdict, priority: Option<f64>) -> Self {
        Self::Settled(LinkVerdict { verdict, priority })
    }
}

impl PilotState {
    /// Takes in a page and decides what becomes of its links.
    pub(crate) fn plan(
        &mut self,
        arrival: &Arrival,
        recipe: &Recipe,
        reached: Reached<'_>,
    ) -> (ArrivedPage, Vec<Fate>) {
        let page = self.take_in(arrival);
        let fates = match page {
            ArrivedPage::KnownBefore => {
                vec![Fate::settled(Verdict::KNOWN, None); arrival.links.len()]
            }
            ArrivedPage::Unmapped => self.plan_unmapped(arrival, recipe, reached),
            ArrivedPage::New(id) => self.plan_mapped(arrival, recipe, id),
        };
        (page, fates)
    }

    /// Enters a page into the map.
    fn take_in(&mut self, arrival: &Arrival) -> ArrivedPage {
        if !arrival.is_look {
            self.pages += 1;
        }
        let Some(known) = &mut self.known else { return ArrivedPage::Unmapped };
        known.done(&arrival.page.key);
        if known.map.is_full() {
            known.map.forget();
        }
        let page = self.appraiser.meet(&mut known.map, arrival.page);
        let was_known = known.map.node(page).page.is_some();
        if arrival.is_look {
            known.map.set_waiting(page);
        } else {
            known.map.set_standing(page, Standing::Settled);
            self.learn(arrival, page);
        }
        if was_known { ArrivedPage::KnownBefore } else { ArrivedPage::New(page) }
    }

    /// Counts a page for its host, and lets priorities learn from it.
    fn learn(&mut self, arrival: &Arrival, page: NodeId) {
        let Some(known) = &mut self.known else { return };
        let host = known.map.node(page).host;
        let host = &mut known.map.hosts[host as usize];
        host.visited += 1;
        host.relevant += u32::from(arrival.is_relevant);
        let node = known.map.node(page);
        if !node.is_seed && !node.sightings.is_empty() {
            let objectives = self.appraiser.objectives(&known.map, page);
            let priority = self.appraiser.priority.part_mut();
            priority.learn(objectives, arrival.relevance.unwrap_or(0.0), &mut self.random);
        }
    }

    /// Decides by the page at hand alone. The links of a page that did not pass are not appraised.
    fn plan_unmapped(&self, arrival: &Arrival, recipe: &Recipe, reached: Reached<'_>) -> Vec<Fate> {
        if arrival.passage != Passage::Open {
            return vec![Fate::settled(Verdict::OffTopic, None); arrival.links.len()];
        }
        let relevance = arrival.relevance.unwrap_or(0.0);
        let fate = |(before, link): (usize, &ArrivedLink)| {
            let Signals { anchor, context, .. } = link.signals;
            let sighting = Sighting { page: NodeId::MAX, relevance, anchor, context };
            let facts = LinkFacts::of_one(&sighting);
            let lead = Lead { led_here: reached.led_here, before, pages: reached.pages };
            let mut appraisal = self.appraise_once(&facts, &lead, recipe);
            if arrival.relevance.is_none() {
                appraisal.scores.retain(|(score, _)| !matches!(score, Score::Page | Score::Anchor));
            }
            let Appraisal { priority, rank, scores } = appraisal;
            match rank {
                None => Fate::settled(Verdict::TooFar, priority),
                Some(rank) => {
                    let (is_tunnel, id) = (false, None);
                    Fate::Offered(OfferedLink { rank, scores, priority, is_tunnel, id })
                }
            }
        };
        arrival.links.iter().enumerate().map(fate).collect()
    }

    /// Appraises a link that was found once, by the strategy's own rank or by the recipe's priority.
    fn appraise_once(&self, facts: &LinkFacts<'_>, lead: &Lead<'_>, recipe: &Recipe) -> Appraisal {
        let mut scores = self.appraiser.scores(facts);
        if let Some(ranked) = self.strategy.part().rank(facts, lead) {
            let priority = ranked.scores.iter().find(|(score, _)| *score == Score::Priority);
            let priority = priority.map(|(_, value)| *value);
            scores.extend(ranked.scores);
            return Appraisal { priority, rank: ranked.rank.map(finite), scores };
        }
        let priority = finite(self.appraiser.priority.part().of(facts));
        let shown = recipe.priority.predicts().then_some(priority);
        scores.extend(shown.map(|priority| (Score::Priority, priority)));
        Appraisal { priority: shown, rank: Some(priority), scores }
    }

    /// Decides by all that the map knows of each link.
    fn plan_mapped(&mut self, arrival: &Arrival, recipe: &Recipe, page: NodeId) -> Vec<Fate> {
        let passage = self.passage(arrival, page);
        let Some(known) = &mut self.known else { return Vec::new() };
        let ids: Vec<NodeId> =
            arrival.links.iter().map(|link| self.appraiser.meet(&mut known.map, link.id)).collect();
        known.draw_page(arrival, page, &ids);
        if let Some(rank) = &mut self.appraiser.rank {
            rank.arrived(&mut known.map, page);
        }
        let blocks = best_blocks(&arrival.links, &ids);
        let mut seen: HashSet<NodeId, FixedState> = HashSet::default();
        let mut fates = Vec::with_capacity(ids.len());
        for (link, id) in arrival.links.iter().zip(ids) {
            fates.push(if seen.insert(id) {
                let block = blocks[&id];
                let is_tunnel = passage == Passage::Tunnel && recipe.tunnel.part().begins_at(block);
                let way = if is_tunnel { Way::Tunnel(block) } else { Way::Through(passage) };
                self.fate_of_mapped(link, id, way, recipe)
            } else {
                Fate::settled(Verdict::KNOWN, None)
            });
        }
        fates
    }

    /// What becomes of the links of a page, if it was perhaps fetched only to be judged.
    fn passage(&mut self, arrival: &Arrival, page: NodeId) -> Passage {
        let Some(known) = &self.known else { return arrival.passage };
        let node = known.map.node(page);
        if node.is_seed || node.sightings.is_empty() {
            return arrival.passage;
        }
        let facts = self.appraiser.facts(&known.map, page);
        let relevance = arrival.relevance.unwrap_or(0.0);
        let judged = self.appraiser.priority.part().of_fetched(&facts, relevance);
        let Some((promise, is_enough)) = judged else { return arrival.passage };
        let is_accepted = self.strategy.part_mut().accepts(promise, &mut self.random);
        if is_accepted && is_enough { arrival.passage } else { Passage::Closed }
    }

    fn fate_of_mapped(
        &mut self,
        link: &ArrivedLink,
        id: NodeId,
        way: Way,
        recipe: &Recipe,
    ) -> Fate {
        let Some(known) = &mut self.known else { return Fate::settled(Verdict::KNOWN, None) };
        let standing = known.map.node(id).standing;
        if matches!(standing, Standing::Settled | Standing::Taken) {
            return Fate::settled(Verdict::KNOWN, None);
        }
        let own = self.strategy.part().own_priority(&known.map, id);
        let priority = finite(own.unwrap_or_else(|| self.appraiser.appraise(&known.map, id)));
        let settled = |verdict| Fate::settled(verdict, Some(priority));
        known.map.set_priority(id, priority);
        match way {
            Way::Through(Passage::Tunnel | Passage::Closed) => return settled(Verdict::OffTopic),
            Way::Through(Passage::Open) if standing == Standing::Waiting => {
                return settled(Verdict::KNOWN);
            }
            Way::Through(Passage::Open) if self.appraiser.priority.part().refuses(priority) => {
                if let Some(kept) = link.link.clone() {
                    known.discarded.put(Put { link: *kept, id: link.id, priority });
                }
                return settled(Verdict::Low);
            }
            Way::Through(Passage::Open) | Way::Tunnel(_) => {}
        }
        known.discarded.remove(&link.id.key);
        let mut scores = self.appraiser.scores(&self.appraiser.facts(&known.map, id));
        scores.extend(recipe.priority.predicts().then_some((Score::Priority, priority)));
        let (rank, is_tunnel) = match way {
            Way::Tunnel(block) => {
                scores.push((Score::Block, block));
                (TUNNEL_RANK, true)
            }
            Way::Through(_) => (priority, false),
        };
        let (priority, id) = (Some(priority), Some(id));
        Fate::Offered(OfferedLink { rank, scores, priority, is_tunnel, id })
    }

    /// Completes a plan: the queue answered the offers, in order.
    pub(crate) fn conclude(
        &mut self,
        arrival: &Arrival,
        page: ArrivedPage,
        fates: Vec<Fate>,
        offers: &[Offer],
    ) -> Vec<LinkVerdict> {
        let mut offers = offers.iter().copied();
        let mut verdicts = Vec::with_capacity(fates.len());
        for (link, fate) in arrival.links.iter().zip(fates) {
            verdicts.push(match fate {
                Fate::Settled(verdict) => verdict,
                Fate::Offered(offered) => {
                    let offer = offers.next().unwrap_or(Offer::Known);
                    self.conclude_offer(link, &offered, offer)
                }
            });
        }
        if let (ArrivedPage::New(page), Some(known)) = (page, &mut self.known) {
            self.strategy.part_mut().arrived(&mut known.map, page, &mut self.random);
            self.look_again(arrival.links.len());
        }
        verdicts
    }

    fn conclude_offer(
        &mut self,
        link: &ArrivedLink,
        offered: &OfferedLink,
        offer: Offer,
    ) -> LinkVerdict {
        let mut verdict = Verdict::Offered(offer);
        if let (Some(known), Some(id)) = (&mut self.known, offered.id)
            && !offer.is_refusal()
        {
            known.map.set_waiting(id);
            if offered.is_tunnel {
                known.first.push_back((link.id.key, Rule::Tunnel));
                verdict = Verdict::Tunnel;
            }
        }
        LinkVerdict { verdict, priority: offered.priority }
    }

    /// Looks at waiting links again whose priorities may have moved, as many as the page had.
    fn look_again(&mut self, count: usize) {
        let Some(known) = &mut self.known else { return };
        if !self.appraiser.moves() {
            return;
        }
        for id in known.map.sweep(count) {
            if self.strategy.part().own_priority(&known.map, id).is_none() {
                let priority = finite(self.appraiser.appraise(&known.map, id));
                known.map.set_priority(id, priority);
            }
        }
    }
}

/// How a link of a page may be reached.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    /// As the gate lets the page through.
    Through(Passage),
    /// By a tunnel that begins in a block with this R(B).
    Tunnel(f64),
}

impl KnownWeb {
    /// Draws a page and its links into the map.
    fn draw_page(&mut self, arrival: &Arrival, page: NodeId, ids: &[NodeId]) {
        let relevance = finite(arrival.relevance.unwrap_or(0.0));
        let mut links: Vec<Edge> = Vec::with_capacity(ids.len());
        let mut places: HashMap<NodeId, usize, FixedState> = HashMap::default();
        for (link, id) in arrival.links.iter().zip(ids) {
            let (anchor, context) = (finite(link.signals.anchor), finite(link.signals.context));
            let node = self.map.node_mut(*id);
            // A page that leads somewhere twice says what its best link says.
            if let Some(at) = places.get(id) {
                links[*at].anchor = links[*at].anchor.max(anchor);
                node.hear(anchor, context);
                if let Some(sighting) = node.sightings.last_mut().filter(|it| it.page == page) {
                    sighting.anchor = sighting.anchor.max(anchor);
                    sighting.context = sighting.context.max(context);
                }
                continue;
            }
            places.insert(*id, links.len());
            links.push(Edge { to: *id, anchor });
            node.add_sighting(Sighting { page, relevance, anchor, context });
        }
        let is_relevant = arrival.is_relevant;
        let facts = PageNode { relevance, is_relevant, links, pheromone: Vec::new() };
        self.map.node_mut(page).page = Some(Box::new(facts));
        self.map.pages.push(page);
    }
}

/// The best block that each link of a page stands in.
fn best_blocks(links: &[ArrivedLink], ids: &[NodeId]) -> HashMap<NodeId, f64, FixedState> {
    let mut blocks = HashMap::default();
    for (link, id) in links.iter().zip(ids) {
        let block: &mut f64 = blocks.entry(*id).or_default();
        *block = block.max(link.signals.block);
    }
    blocks
}

/// NaN and infinities can be neither ranked nor written as JSON.
fn finite(rank: f64) -> f64 {
    if rank.is_finite() { rank } else { 0.0 }
}
