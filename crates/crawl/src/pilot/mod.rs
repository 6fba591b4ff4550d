//! The pilot: decides where the crawl goes, by a [`Recipe`](crate::Recipe).
//!
//! A recipe names one of each part. When a page comes, the *gate* says whether its links are taken up, the *tunnel* what
//! becomes of them otherwise, and the *priority* how promising each is. When a link is wanted, the *strategy* takes one,
//! and *hosts* may forbid some. Each part is a small trait, with one file for each way to do it.
//!
//! Parts that know more than the page at hand share a [`Map`] of the web. Everything that a pilot knows is made from what
//! happened to it, in order: so it is kept as a state and the [`Note`]s since then, and after a crash it is what it was.
//! The pilots of recipes that need no map know nothing that is not in the frontier.

mod discarded;
pub(crate) mod gate;
mod helm;
pub(crate) mod hosts;
mod map;
mod note;
pub(crate) mod pagerank;
mod pareto;
pub(crate) mod priority;
mod random;
mod rule;
pub(crate) mod strategy;
pub(crate) mod tunnel;
mod waiting;

use std::collections::{HashMap, HashSet, VecDeque};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

pub use pagerank::PageRankSettings;
pub use rule::Rule;

use self::discarded::{Discarded, Put};
use self::gate::{PageFacts, Passage};
use self::helm::{Helm, Ready, ReadyNow};
use self::hosts::AnyHosts;
use self::map::{Address, Edge, Map, NodeId, PageNode, Said, Sighting, Standing};
use self::note::{Arrival, ArrivedLink, Asked, Note};
use self::pagerank::PageRank;
use self::priority::{AnyPriority, Appraiser, LinkFacts};
use self::random::Random;
use self::strategy::{AnyStrategy, Decision, Lead, StrategyRecipe};
use crate::focus::Reading;
use crate::frontier::{Frontier, Next, Offer, Taken};
use crate::link::{Link, LinkKey, Score, Target};
use crate::recipe::Recipe;
use crate::store::StoreError;

/// The priority of seeds: as promising as a link can be (F20 and B11 of the readings).
const SEED_PRIORITY: f64 = 1.0;
/// The rank of links that a tunnel leads to: before all others.
const TUNNEL_RANK: f64 = 2.0;
/// How many links that wait again are asked for at a time.
const MOST_RETURNED: usize = 64;
/// Notes are kept one by one until there are so many bytes of them, and as many as the state has.
const LEAST_NOTES: usize = 1 << 20;
/// How many links a map holds, about 200 bytes each.
const MAP_LINKS: usize = 2_000_000;

/// Decides where a crawl goes.
pub struct Pilot {
    recipe: Recipe,
    /// How many directories belong to a niche.
    directories: usize,
    /// What it knows, if the recipe asks for more than the page at hand.
    memory: Option<Memory>,
    /// Whether notes are kept, how many bytes of them there are, and how many the last state had.
    keeps_notes: bool,
    noted: usize,
    state_bytes: usize,
    /// Pages that came.
    pages: u64,
}

/// What a pilot knows.
#[derive(Debug, Serialize, Deserialize)]
struct Memory {
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
    budget: u64,
}

/// What a pilot says when it is asked for a link.
#[derive(Debug, Clone, PartialEq)]
pub enum Course {
    /// This one.
    Fetch(Box<Taken>),
    /// None now.
    Wait(Next),
}

/// A link of a page that may be taken up.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The link.
    pub link: Link,
    /// R(A).
    pub anchor: f64,
    /// R(CL).
    pub context: f64,
    /// R(B) of its content block.
    pub block: f64,
}

/// What became of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkVerdict {
    /// Why it was not taken up, or what the frontier made of it.
    pub reason: &'static str,
    /// P(l).
    pub priority: Option<f64>,
}

impl Pilot {
    /// A pilot at the start.
    #[must_use]
    pub fn new(recipe: &Recipe, budget: u64, seed: u64) -> Self {
        let directories = match &recipe.strategy {
            StrategyRecipe::NicheGenetic(settings) => settings.directories,
            _ => 0,
        };
        let rank = recipe.priority.pagerank();
        let rank = rank.or(recipe.strategy.needs_pagerank().then(PageRankSettings::default));
        let memory = recipe.needs_map().then(|| Memory {
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
        });
        Self {
            recipe: recipe.clone(),
            directories,
            memory,
            keeps_notes: false,
            noted: 0,
            state_bytes: 0,
            pages: 0,
        }
    }

    /// A pilot where it was left, if the frontier has notes of it. What it notes from now on goes there.
    pub fn open(
        recipe: &Recipe,
        budget: u64,
        seed: u64,
        frontier: &mut dyn Frontier,
        pages: u64,
    ) -> Result<Self, StoreError> {
        let mut pilot = Self::new(recipe, budget, seed);
        pilot.pages = pages;
        pilot.keeps_notes = frontier.is_durable() && pilot.memory.is_some();
        if !pilot.keeps_notes {
            return Ok(pilot);
        }
        let notes = frontier.notes()?;
        if let Some(state) = notes.state {
            let mut memory: Memory = postcard::from_bytes(&state)?;
            memory.map.rebuild();
            memory.discarded.rebuild();
            pilot.memory = Some(memory);
            pilot.state_bytes = state.len();
        }
        for note in notes.since {
            pilot.noted += note.len();
            pilot.happen(postcard::from_bytes(&note)?)?;
        }
        pilot.tell(Note::Budget(budget), frontier)?;
        pilot.tell(Note::Interrupted, frontier)?;
        Ok(pilot)
    }

    /// Whether P(l) is a guess at the relevance of the page behind a link.
    #[must_use]
    pub fn predicts(&self) -> bool {
        self.recipe.priority.predicts() || matches!(self.recipe.strategy, StrategyRecipe::Shark(_))
    }

    /// Whether a page counts as relevant; none if there is no topic.
    #[must_use]
    pub fn is_relevant(&self, reading: &Reading) -> Option<bool> {
        self.recipe.gate.part().is_relevant(&self.facts(reading))
    }

    fn facts<'r>(&self, reading: &'r Reading) -> PageFacts<'r> {
        PageFacts {
            relevance: reading.relevance,
            class: reading.class.as_ref().map(|class| class.name.as_str()),
            threshold: self.recipe.threshold,
        }
    }

    /// Makes a note of what happened, if notes are kept.
    fn note(&mut self, note: &Note, frontier: &mut dyn Frontier) -> Result<(), StoreError> {
        if self.keeps_notes {
            let bytes = postcard::to_stdvec(note)?;
            self.noted += bytes.len();
            frontier.note(bytes);
        }
        Ok(())
    }

    /// To be called before a commit: keeps the whole state, when the notes since the last have become as large.
    pub fn keep(&mut self, frontier: &mut dyn Frontier) -> Result<(), StoreError> {
        if self.noted >= LEAST_NOTES.max(self.state_bytes) {
            self.keep_whole(frontier)
        } else {
            Ok(())
        }
    }

    /// Keeps the whole state in place of all notes so far.
    pub fn keep_whole(&mut self, frontier: &mut dyn Frontier) -> Result<(), StoreError> {
        let Some(memory) = self.memory.as_ref().filter(|_| self.keeps_notes) else { return Ok(()) };
        let state = postcard::to_stdvec(memory)?;
        (self.noted, self.state_bytes) = (0, state.len());
        frontier.condense(state)
    }

    /// Something happens, for the first time or again.
    fn happen(&mut self, note: Note) -> Result<(), StoreError> {
        let Some(memory) = &mut self.memory else { return Ok(()) };
        match note {
            Note::Budget(budget) => memory.budget = budget,
            Note::Interrupted => memory.interrupt(),
            Note::Seed(address) => memory.add_seed(address),
            Note::SurplusSeed(link, address) => {
                memory.discarded.put(Put { link: *link, address, priority: SEED_PRIORITY });
            }
            Note::Listed(address, is_list) => memory.list(address, is_list),
            Note::Asked(mut asked) => _ = memory.choose(&mut asked)?,
            Note::Arrived(arrival) => {
                let offers: Vec<Option<Offer>> = arrival.links.iter().map(|it| it.offer).collect();
                let offer =
                    |at: usize, _: f64, _: &[(Score, f64)]| Ok(offers[at].unwrap_or(Offer::Known));
                memory.arrive(&arrival, &self.recipe, offer)?;
            }
            Note::Gone(key) => memory.settle(&key),
            Note::Moved(from, to) => memory.move_link(&from, to),
            Note::Returned(key) => memory.give_back(&key),
        }
        Ok(())
    }

    /// Takes up the addresses that a crawl begins with.
    pub fn seed(&mut self, link: Link, frontier: &mut dyn Frontier) -> Result<Offer, StoreError> {
        let address = Address::of(&link.url, self.directories);
        if let Some(memory) = &self.memory {
            if memory.is_surplus_seed(address.host) {
                self.tell(Note::SurplusSeed(Box::new(link), address), frontier)?;
                return Ok(Offer::Known);
            }
            self.tell(Note::Seed(address), frontier)?;
        }
        frontier.offer(link, SEED_PRIORITY)
    }

    /// Takes up an address that nothing is known of but that a site lists it, or a list of such.
    pub fn listed(
        &mut self,
        link: Link,
        rank: f64,
        frontier: &mut dyn Frontier,
    ) -> Result<Offer, StoreError> {
        let address = Address::of(&link.url, self.directories);
        let is_list = link.target == Target::Sitemap;
        let offer = frontier.offer(link, rank)?;
        if offer == Offer::Queued {
            self.tell(Note::Listed(address, is_list), frontier)?;
        }
        Ok(offer)
    }

    /// Chooses the next link, of those that may be fetched at the time `now`.
    pub fn choose(&mut self, frontier: &mut dyn Frontier, now: u64) -> Result<Course, StoreError> {
        let directories = self.directories;
        let Some(memory) = &mut self.memory else {
            let rule = AnyStrategy::new(&self.recipe.strategy).part().plain_rule().name();
            return Ok(match frontier.next(now)? {
                Next::Link(taken) => Course::Fetch(Box::new(Taken { rule, ..*taken })),
                other => Course::Wait(other),
            });
        };
        let (gone, offers) = (Vec::new(), Vec::new());
        let mut ready =
            ReadyNow { frontier, now, taken: None, otherwise: None, directories, gone, offers };
        let decision = memory.choose(&mut ready)?;
        let ReadyNow { taken, otherwise, gone, offers, .. } = ready;
        let chosen = taken.as_ref().map(|taken| Address::of(&taken.link.url, directories));
        self.note(&Note::Asked(Asked { chosen, gone, offers: offers.into() }), frontier)?;
        let (id, rule, is_look) = match decision {
            Decision::Fetch(id, rule) => (id, rule, false),
            Decision::Look(id, rule) => (id, rule, true),
            Decision::Nothing => {
                return Ok(Course::Wait(otherwise.unwrap_or_else(|| frontier.idle(now))));
            }
            Decision::Done if frontier.counts().leased > 0 => return Ok(Course::Wait(Next::Busy)),
            Decision::Done => return Ok(Course::Wait(Next::Nothing)),
        };
        let Some(mut taken) = taken else {
            return Err(StoreError::Damaged("a link was chosen that was not taken".to_owned()));
        };
        if let Some(memory) = &self.memory {
            memory.explain(id, &mut taken.link, self.recipe.priority.predicts());
        }
        Ok(Course::Fetch(Box::new(Taken { rule: rule.name(), is_look, ..*taken })))
    }

    /// A page came. Takes up its links, and says of each what became of it.
    pub fn arrived(
        &mut self,
        taken: &Taken,
        reading: &Reading,
        candidates: Vec<Candidate>,
        frontier: &mut dyn Frontier,
    ) -> Result<Vec<LinkVerdict>, StoreError> {
        let passage = match self.recipe.gate.part().passage(&self.facts(reading)) {
            // Whatever a tunnel led to is left by its own links.
            _ if taken.link.score(Score::Block).is_some() => Passage::Open,
            passage => passage,
        };
        self.pages += 1;
        if self.memory.is_none() {
            return self.take_up_plainly(taken, reading, candidates, passage, frontier);
        }
        let keeps_links = self.memory.as_ref().is_some_and(Memory::keeps_discarded);
        let mut links: Vec<Link> = Vec::with_capacity(candidates.len());
        let mut arrived = Vec::with_capacity(candidates.len());
        for Candidate { link, anchor, context, block } in candidates {
            let address = Address::of(&link.url, self.directories);
            let kept = keeps_links.then(|| Box::new(link.clone()));
            arrived.push(ArrivedLink { address, anchor, context, block, link: kept, offer: None });
            links.push(link);
        }
        let mut arrival = Arrival {
            page: Address::of(&taken.link.url, self.directories),
            relevance: reading.relevance.unwrap_or(0.0),
            is_relevant: self.is_relevant(reading) == Some(true),
            passage,
            is_look: taken.is_look,
            links: arrived,
        };
        let predicts = self.recipe.priority.predicts();
        let mut offers = vec![None; links.len()];
        let Some(memory) = &mut self.memory else { return Ok(Vec::new()) };
        let mut links: Vec<Option<Link>> = links.into_iter().map(Some).collect();
        let verdicts = memory.arrive(&arrival, &self.recipe, |at, rank, scores| {
            let Some(mut link) = links[at].take() else { return Ok(Offer::Known) };
            link.scores =
                scores.iter().filter(|it| predicts || it.0 != Score::Priority).copied().collect();
            let offer = frontier.offer(link, rank)?;
            offers[at] = Some(offer);
            Ok(offer)
        })?;
        if self.keeps_notes {
            arrival.links.iter_mut().zip(offers).for_each(|(link, offer)| link.offer = offer);
            self.note(&Note::Arrived(arrival), frontier)?;
        }
        Ok(verdicts)
    }

    /// Takes up links by what is known of their page alone.
    fn take_up_plainly(
        &mut self,
        taken: &Taken,
        reading: &Reading,
        candidates: Vec<Candidate>,
        passage: Passage,
        frontier: &mut dyn Frontier,
    ) -> Result<Vec<LinkVerdict>, StoreError> {
        if passage != Passage::Open {
            let verdict = LinkVerdict { reason: "off-topic", priority: None };
            return Ok(vec![verdict; candidates.len()]);
        }
        let relevance = reading.relevance.unwrap_or(0.0);
        let priority = AnyPriority::new(&self.recipe.priority);
        let strategy = AnyStrategy::new(&self.recipe.strategy);
        let nowhere = Map::new(0);
        let mut verdicts = Vec::with_capacity(candidates.len());
        for (before, candidate) in candidates.into_iter().enumerate() {
            let Candidate { mut link, anchor, context, .. } = candidate;
            let sighting = Sighting { page: NodeId::MAX, relevance, anchor, context };
            let said = Said { pages: 1, relevance, anchor, context };
            let facts = LinkFacts { sightings: &[sighting], said, map: &nowhere, rank: None };
            let promise = finite(priority.part().of(&facts));
            if reading.relevance.is_some() {
                link.scores = vec![(Score::Page, relevance), (Score::Anchor, anchor)];
            }
            let lead = Lead {
                led_here: &taken.link,
                page: relevance,
                anchor,
                context,
                before,
                pages: self.pages,
            };
            let rank = match strategy.part().rank(&lead) {
                Some(ranked) => {
                    link.scores.extend(ranked.scores);
                    ranked.rank
                }
                None if self.recipe.priority.predicts() => {
                    link.scores.push((Score::Priority, promise));
                    Some(promise)
                }
                None => Some(promise),
            };
            let shown = link.score(Score::Priority);
            let reason = match rank.map(finite) {
                None => "too-far",
                Some(rank) => frontier.offer(link, rank)?.name(),
            };
            verdicts.push(LinkVerdict { reason, priority: shown });
        }
        Ok(verdicts)
    }

    /// A link was dealt with, and brought no page.
    pub fn gone(&mut self, taken: &Taken, frontier: &mut dyn Frontier) -> Result<(), StoreError> {
        self.tell(Note::Gone(taken.link.key()), frontier)
    }

    /// A link leads to another address, which waits in its place.
    pub fn moved(
        &mut self,
        taken: &Taken,
        to: &Link,
        frontier: &mut dyn Frontier,
    ) -> Result<(), StoreError> {
        let to = Address::of(&to.url, self.directories);
        self.tell(Note::Moved(taken.link.key(), to), frontier)
    }

    /// A link that was chosen waits again.
    pub fn returned(
        &mut self,
        taken: &Taken,
        frontier: &mut dyn Frontier,
    ) -> Result<(), StoreError> {
        self.tell(Note::Returned(taken.link.key()), frontier)
    }

    fn tell(&mut self, note: Note, frontier: &mut dyn Frontier) -> Result<(), StoreError> {
        if self.memory.is_none() {
            return Ok(());
        }
        self.note(&note, frontier)?;
        self.happen(note)
    }
}

impl std::fmt::Debug for Pilot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pilot").field("recipe", &self.recipe.name).finish_non_exhaustive()
    }
}

/// What is no number is no rank, and would be no JSON.
fn finite(rank: f64) -> f64 {
    if rank.is_finite() { rank } else { 0.0 }
}

impl Memory {
    fn keeps_discarded(&self) -> bool {
        matches!(&self.hosts, AnyHosts::Memory(memory) if memory.settings.restore > 0)
    }

    /// Whether a seed is not begun with, because another of its host is.
    fn is_surplus_seed(&self, host: u64) -> bool {
        matches!(&self.hosts, AnyHosts::Memory(memory) if memory.settings.one_seed_per_host)
            && self.map.has_waiting(host)
    }

    fn add_seed(&mut self, address: Address) {
        let id = self.meet(address);
        self.map.node_mut(id).is_seed = true;
        self.map.set_priority(id, SEED_PRIORITY);
        self.map.set_waiting(id);
    }

    /// A page that a site lists waits behind all that promise something; a list comes first.
    fn list(&mut self, address: Address, is_list: bool) {
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
    fn interrupt(&mut self) {
        for (key, rule, is_look) in std::mem::take(&mut self.under_way) {
            self.return_link(&key, rule, is_look);
        }
    }

    fn choose(&mut self, ready: &mut dyn Ready) -> Result<Decision, StoreError> {
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
    fn explain(&self, id: NodeId, link: &mut Link, predicts: bool) {
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

    fn settle(&mut self, key: &LinkKey) {
        self.done(key);
        if let Some(id) = self.map.lookup(key) {
            self.map.set_standing(id, Standing::Settled);
        }
    }

    fn give_back(&mut self, key: &LinkKey) {
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
    fn move_link(&mut self, from: &LinkKey, to: Address) {
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
    fn arrive(
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
