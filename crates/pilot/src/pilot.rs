//! The pilot: decides where a crawl goes, by a [`Recipe`].
//!
//! A recipe names one of each part. When a page comes, the *gate* says whether its links are taken up, the
//! *tunnel* what becomes of them otherwise, and the *priority* how promising each is. When a link is wanted,
//! the *strategy* takes one, and *hosts* may forbid some. Each part is a small trait, with one file for each
//! way to do it.
//!
//! A pilot knows neither queue nor disk. It says what it wants done (offer these links, fetch that one), and
//! is told what came of it. Everything it knows follows from what happened to it, in order; so it can be
//! stored as a state and the notes since then ([`Notes`]), and resumes exactly where it was.

use url::Url;

use crate::arrive::{Candidate, Fate, LinkVerdict, Plan, Reached};
use crate::choose::{Fallback, Next};
use crate::discarded::Put;
use crate::gate::{PageFacts, Passage};
use crate::link::{HostKey, Link, LinkId, LinkKey, RankedLink, Score, Target};
use crate::note::{Arrival, ArrivedLink, DamagedNotes, Note, Notes, Replayed};
use crate::random::Random;
use crate::recipe::Recipe;
use crate::rule::Rule;
use crate::state::{Pick, PilotState, SEED_PRIORITY};
use crate::strategy::StrategyRecipe;
use crate::verdict::Offer;

/// A whole state is handed out once the notes since the last one have this many bytes, and as many as it had.
const LEAST_NOTES: usize = 1 << 20;

/// Decides where a crawl goes.
pub struct Pilot {
    recipe: Recipe,
    /// How many directories belong to a niche.
    directories: usize,
    state: PilotState,
    journal: Option<Journal>,
    pending: Pending,
}

/// Tells which links may be fetched now. A queue answers by host: each is left alone for a while after a
/// fetch.
pub trait Ready {
    /// Whether this link of this host may be fetched now.
    fn is_ready(&self, link: &LinkKey, host: HostKey) -> bool;
}

impl<F: Fn(&LinkKey, HostKey) -> bool> Ready for F {
    fn is_ready(&self, link: &LinkKey, host: HostKey) -> bool {
        self(link, host)
    }
}

/// What a pilot wants when it is asked for a link.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// Fetch this link, which waits and is ready.
    Link {
        /// The link.
        key: LinkKey,
        /// The rule that picked it.
        rule: Rule,
        /// Whether it is only looked at: not counted, and it waits again.
        is_look: bool,
    },
    /// Fetch whatever ranks best in the queue and is ready. Tell the pilot which with [`Pilot::took`].
    Best(Rule),
    /// Offer these links to the queue, tell the pilot with [`Pilot::restored`], and ask again.
    Offer(Vec<RankedLink>),
    /// Nothing that may be fetched now.
    Wait,
    /// Nothing any more, once the fetches under way have ended.
    Done,
}

/// What a pilot waits to be told.
enum Pending {
    Nothing,
    /// What came of links that had been put aside and were offered again.
    Restored(Vec<Put>),
    /// They were; a link is to be chosen now.
    Choice,
    /// Which link ranked best.
    Best(Fallback),
}

/// The notes that have not been handed out yet.
#[derive(Default)]
struct Journal {
    notes: Vec<Vec<u8>>,
    /// Bytes of notes since the last whole state, and the bytes of that.
    noted: usize,
    state_bytes: usize,
}

impl Pilot {
    /// A pilot at the start of a crawl that is not resumed.
    #[must_use]
    pub fn new(recipe: &Recipe, budget: u64, seed: u64) -> Self {
        let directories = match &recipe.strategy {
            StrategyRecipe::NicheGenetic(settings) => settings.directories,
            _ => 0,
        };
        Self {
            recipe: recipe.clone(),
            directories,
            state: PilotState::new(recipe, budget, seed),
            journal: None,
            pending: Pending::Nothing,
        }
    }

    /// A pilot where it was left after so many pages, by the notes that it handed out. It keeps notes from
    /// now on; empty ones make a new pilot that does.
    pub fn resume(
        recipe: &Recipe,
        budget: u64,
        seed: u64,
        pages: u64,
        notes: &Notes,
    ) -> Result<Self, DamagedNotes> {
        let mut pilot = Self::new(recipe, budget, seed);
        if pilot.state.known.is_none() {
            pilot.state.pages = pages;
            return Ok(pilot);
        }
        let mut journal = Journal::default();
        if let Some(state) = &notes.state {
            pilot.state = PilotState::read(state)?;
            journal.state_bytes = state.len();
        }
        for note in &notes.since {
            journal.noted += note.len();
            pilot.happen(postcard::from_bytes(note)?);
        }
        pilot.journal = Some(journal);
        pilot.tell(Note::Budget(budget));
        pilot.tell(Note::Interrupted);
        Ok(pilot)
    }

    /// Whether P(l) is a guess at the relevance of the page behind a link.
    #[must_use]
    pub fn predicts(&self) -> bool {
        self.recipe.priority.predicts() || matches!(self.recipe.strategy, StrategyRecipe::Shark(_))
    }

    /// Whether anything was left to chance so far: if not, another random seed would have led the same way.
    #[must_use]
    pub fn has_drawn(&self, seed: u64) -> bool {
        self.state.random != Random::new(seed)
    }

    /// Whether a page counts as relevant; none if there is no topic.
    #[must_use]
    pub fn is_relevant(&self, page: &PageFacts<'_>) -> Option<bool> {
        self.recipe.gate.part().is_relevant(page, self.recipe.threshold)
    }

    /// The notes since they were last handed out, to be stored behind those before. When they have grown as
    /// large as a whole state, or `is_whole` asks for it, a state comes that replaces all of them.
    pub fn take_notes(&mut self, is_whole: bool) -> Result<Notes, DamagedNotes> {
        let Some(journal) = &mut self.journal else { return Ok(Notes::default()) };
        let since = std::mem::take(&mut journal.notes);
        if !is_whole && journal.noted < LEAST_NOTES.max(journal.state_bytes) {
            return Ok(Notes { state: None, since });
        }
        let state = postcard::to_stdvec(&self.state)?;
        (journal.noted, journal.state_bytes) = (0, state.len());
        Ok(Notes { state: Some(state), since: Vec::new() })
    }

    fn note(&mut self, note: &Note) {
        if let Some(journal) = &mut self.journal {
            let bytes = postcard::to_stdvec(note).expect("notes are plain data");
            journal.noted += bytes.len();
            journal.notes.push(bytes);
        }
    }

    /// Notes something and lets it happen. Without a map, nothing that happens is remembered.
    fn tell(&mut self, note: Note) {
        if self.state.known.is_some() {
            self.note(&note);
            self.happen(note);
        }
    }

    /// Something happens, for the first time or once more after a crash.
    fn happen(&mut self, note: Note) {
        let Some(known) = &mut self.state.known else { return };
        match note {
            Note::Budget(budget) => self.state.budget = budget,
            Note::Interrupted => known.interrupt(),
            Note::Gone(key) => known.settle(&key),
            Note::Returned(key) => known.give_back(&key),
            Note::Seed(id) => self.state.add_seed(id),
            Note::SurplusSeed(link, id) => self.state.put_seed_aside(*link, id),
            Note::Listed(id, is_list) => self.state.list(id, is_list),
            Note::Moved(from, to) => self.state.move_link(&from, to),
            Note::Restored(offers) => {
                let wanted = self.state.restore();
                self.state.restored(&wanted, &offers);
            }
            Note::Asked(chosen) => {
                if let Next::Free(fallback) = self.state.choose(&Replayed(chosen)) {
                    self.state.took_free(fallback, chosen);
                }
            }
            Note::Arrived(arrival) => {
                let offers: Vec<Offer> = arrival.links.iter().filter_map(|it| it.offer).collect();
                // Only strategies without a map look at how a page was reached.
                let led_here = Link::seed(nowhere());
                let reached = Reached { led_here: &led_here, pages: self.state.pages };
                let (page, fates) = self.state.plan(&arrival, &self.recipe, reached);
                self.state.conclude(&arrival, page, fates, &offers);
            }
        }
    }

    fn id_of(&self, url: &Url) -> LinkId {
        LinkId::of(url, self.directories)
    }

    /// Takes up the links that a crawl begins with. Returns those to offer to the queue.
    pub fn seeds(&mut self, links: Vec<Link>) -> Vec<RankedLink> {
        let mut offers = Vec::with_capacity(links.len());
        for link in links {
            let id = self.id_of(&link.url);
            if self.state.is_surplus_seed(id.host) {
                self.tell(Note::SurplusSeed(Box::new(link), id));
            } else {
                self.tell(Note::Seed(id));
                offers.push(RankedLink { link, rank: SEED_PRIORITY });
            }
        }
        offers
    }

    /// A link of which nothing is known but that a site lists it was queued.
    pub fn listed(&mut self, link: &Link) {
        let is_list = link.target == Target::Sitemap;
        self.tell(Note::Listed(self.id_of(&link.url), is_list));
    }

    /// Chooses the next link, of those that are ready.
    pub fn choose(&mut self, ready: &dyn Ready) -> Choice {
        if self.state.known.is_none() {
            return Choice::Best(self.state.strategy.part().plain_rule());
        }
        if !matches!(self.pending, Pending::Choice) {
            let wanted = self.state.restore();
            if !wanted.is_empty() {
                let offer = |put: &Put| RankedLink { link: put.link.clone(), rank: put.priority };
                let offers = wanted.iter().map(offer).collect();
                self.pending = Pending::Restored(wanted);
                return Choice::Offer(offers);
            }
        }
        self.pending = Pending::Nothing;
        match self.state.choose(ready) {
            Next::Link(Pick { key, rule, is_look }, id) => {
                self.note(&Note::Asked(Some(id)));
                Choice::Link { key, rule, is_look }
            }
            Next::Free(fallback) => {
                self.pending = Pending::Best(fallback);
                Choice::Best(Rule::Free)
            }
            Next::Nothing => {
                self.note(&Note::Asked(None));
                Choice::Wait
            }
            Next::Done => {
                self.note(&Note::Asked(None));
                Choice::Done
            }
        }
    }

    /// After [`Choice::Offer`]: what the queue made of the links, in order.
    pub fn restored(&mut self, offers: &[Offer]) {
        if let Pending::Restored(wanted) = std::mem::replace(&mut self.pending, Pending::Choice) {
            self.note(&Note::Restored(offers.to_vec()));
            self.state.restored(&wanted, offers);
        }
    }

    /// After [`Choice::Best`]: the link that the queue gave out, if it had one.
    pub fn took(&mut self, link: Option<&Link>) {
        if let Pending::Best(fallback) = std::mem::replace(&mut self.pending, Pending::Nothing) {
            let id = link.map(|link| self.id_of(&link.url));
            self.note(&Note::Asked(id));
            self.state.took_free(fallback, id);
        }
    }

    /// Writes into a link that was chosen what the choice was made from, as it stands now.
    pub fn explain(&self, link: &mut Link) {
        self.state.explain(link, self.recipe.priority.predicts());
    }

    /// A page came. Says which of its links are to be offered to the queue; [`Pilot::offered`] must follow.
    pub fn arrived(
        &mut self,
        led_here: &Link,
        is_look: bool,
        page: &PageFacts<'_>,
        candidates: Vec<Candidate>,
    ) -> Plan {
        let passage = match self.recipe.gate.part().passage(page, self.recipe.threshold) {
            // Whatever a tunnel led to is left by its own links.
            _ if led_here.score(Score::Block).is_some() => Passage::Open,
            passage => passage,
        };
        let keeps_links = self.state.keeps_discarded();
        let mut links = Vec::with_capacity(candidates.len());
        let mut arrived = Vec::with_capacity(candidates.len());
        for Candidate { link, signals } in candidates {
            let kept = keeps_links.then(|| Box::new(link.clone()));
            arrived.push(ArrivedLink {
                id: self.id_of(&link.url),
                signals,
                link: kept,
                offer: None,
            });
            links.push(link);
        }
        let arrival = Arrival {
            page: self.id_of(&led_here.url),
            relevance: page.relevance,
            is_relevant: self.is_relevant(page) == Some(true),
            passage,
            is_look,
            links: arrived,
        };
        let reached = Reached { led_here, pages: self.state.pages + 1 };
        let (page, fates) = self.state.plan(&arrival, &self.recipe, reached);
        let offer = |(mut link, fate): (Link, &Fate)| match fate {
            Fate::Settled(_) => None,
            Fate::Offered(offered) => {
                link.scores.clone_from(&offered.scores);
                Some(RankedLink { link, rank: offered.rank })
            }
        };
        let offers = links.into_iter().zip(&fates).filter_map(offer).collect();
        Plan { offers, arrival, page, fates }
    }

    /// Completes a plan with what the queue made of its offers, in order. Returns what became of each link.
    pub fn offered(&mut self, plan: Plan, offers: &[Offer]) -> Vec<LinkVerdict> {
        let Plan { mut arrival, page, fates, .. } = plan;
        let mut answers = offers.iter();
        for (link, fate) in arrival.links.iter_mut().zip(&fates) {
            if matches!(fate, Fate::Offered(_)) {
                link.offer = answers.next().copied();
            }
        }
        let verdicts = self.state.conclude(&arrival, page, fates, offers);
        if self.journal.is_some() {
            self.note(&Note::Arrived(arrival));
        }
        verdicts
    }

    /// A link was dealt with, and brought no page.
    pub fn gone(&mut self, link: &LinkKey) {
        self.tell(Note::Gone(*link));
    }

    /// A link leads to another URL, which waits in its place.
    pub fn moved(&mut self, from: &LinkKey, to: &Link) {
        self.tell(Note::Moved(*from, self.id_of(&to.url)));
    }

    /// A link that was chosen waits again.
    pub fn returned(&mut self, link: &LinkKey) {
        self.tell(Note::Returned(*link));
    }
}

/// A URL that is on no page.
fn nowhere() -> Url {
    Url::parse("about:blank").expect("it is a URL")
}

impl std::fmt::Debug for Pilot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pilot").field("recipe", &self.recipe.name).finish_non_exhaustive()
    }
}
