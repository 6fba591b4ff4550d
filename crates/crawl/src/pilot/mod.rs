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
mod memory;
mod note;
pub(crate) mod pagerank;
mod pareto;
pub(crate) mod priority;
mod random;
mod rule;
pub(crate) mod strategy;
pub(crate) mod tunnel;
mod waiting;

pub use pagerank::PageRankSettings;
pub use rule::Rule;

use self::gate::{PageFacts, Passage};
use self::helm::ReadyNow;
use self::map::{Address, Map, NodeId, Said, Sighting};
use self::memory::Memory;
use self::note::{Arrival, ArrivedLink, Asked, Note};
use self::priority::{AnyPriority, LinkFacts};
use self::strategy::{AnyStrategy, Decision, Lead, StrategyRecipe};
use crate::focus::Reading;
use crate::frontier::{Frontier, Next, Offer, Taken};
use crate::link::{Link, Score, Target};
use crate::recipe::Recipe;
use crate::store::StoreError;

/// The priority of seeds: as promising as a link can be (F20 and B11 of the readings).
const SEED_PRIORITY: f64 = 1.0;
/// Notes are kept one by one until there are so many bytes of them, and as many as the state has.
const LEAST_NOTES: usize = 1 << 20;

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
        let memory = recipe.needs_map().then(|| Memory::new(recipe, budget, seed));
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
            pilot.memory = Some(Memory::read(&state)?);
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

    /// Whether anything was left to chance so far: if not, another seed would have led the same way.
    #[must_use]
    pub fn has_drawn(&self, seed: u64) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.has_drawn(seed))
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
            Note::SurplusSeed(link, address) => memory.put_seed_aside(*link, address),
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
