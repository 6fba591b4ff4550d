//! The pilot: runs a [`Recipe`] and decides which link a crawl fetches next.
//!
//! A recipe combines one kind of each part. When a page arrives, the *gate* decides whether its
//! links are followed, the *tunnel* whether some of them are followed anyway, and the *priority*
//! how promising each link is. When a link is requested, the *strategy* picks one, and *host
//! memory* may exclude some hosts. Each part is a small trait with one file for each kind.
//!
//! A pilot knows neither queue nor disk. It says what to do (offer these links, fetch that one) and
//! is told the result. Its state follows from the sequence of these events alone. It can therefore
//! be stored as a snapshot and the notes since then ([`Notes`]), and resumes exactly where it
//! stopped.

use std::sync::Arc;

use ontrail_calibration::StartCurve;
use ontrail_learner::{KeptModel, Named};
use url::Url;

use crate::arrive::{Candidate, LinkDecision, LinkVerdict, PageOrigin, Plan, Signals};
use crate::choose::{Fallback, Next};
use crate::clue::{Clue, ShowingPage, names_of_url};
use crate::company::{LearnedNumber, SentLink, ShownLink, ShownPlan, WaitingLink};
use crate::discarded::DiscardedLink;
use crate::gate::{PageFacts, Passage};
use crate::judge::{CalibrationView, Judgement};
use crate::link::{HostKey, Link, LinkId, LinkKey, RankedLink, Score};
use crate::note::{Arrival, ArrivedLink, DamagedNotes, Note, Notes, Replayed};
use crate::priority::LinkLearner;
use crate::random::Random;
use crate::recipe::Recipe;
use crate::rule::Rule;
use crate::state::{Pick, PilotState, SEED_PRIORITY};
use crate::strategy::StrategyRecipe;
use crate::verdict::Offer;
use crate::why::{Learned, Why};

/// A new snapshot is due once the notes since the last one are larger than it, and have at least
/// this many bytes.
const MIN_NOTE_BYTES: usize = 1 << 20;

/// Runs a recipe and decides which link a crawl fetches next.
pub struct Pilot {
    recipe: Recipe,
    /// Number of directories that belong to a niche.
    directories: usize,
    state: PilotState,
    journal: Option<Journal>,
    pending: Pending,
    /// True while links wait for other workers.
    others_have_links: bool,
}

/// Says which links may be fetched now. A queue decides by host, because the crawl delay must pass
/// between two fetches from the same host.
pub trait Ready {
    /// Returns true if this link on this host may be fetched now.
    fn is_ready(&self, link: &LinkKey, host: HostKey) -> bool;
}

impl<F: Fn(&LinkKey, HostKey) -> bool> Ready for F {
    fn is_ready(&self, link: &LinkKey, host: HostKey) -> bool {
        self(link, host)
    }
}

/// The pilot's answer to a request for a link.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// Fetch this link, which is waiting and ready.
    Link {
        /// The link.
        key: LinkKey,
        /// Its host.
        host: HostKey,
        /// The rule that picked it.
        rule: Rule,
        /// True if the page is fetched only as a lookahead: it does not count towards the budget,
        /// and the link goes back to the queue.
        is_look: bool,
    },
    /// Fetch the ready link with the highest priority in the queue. Tell the pilot which one it was
    /// with [`Pilot::took`].
    Best(Rule),
    /// Offer these links to the queue, tell the pilot with [`Pilot::restored`], and ask again.
    Offer(Vec<RankedLink>),
    /// No link may be fetched now.
    Wait,
    /// The crawl is over once the fetches under way have ended.
    Done,
}

/// The information that a pilot is waiting for.
enum Pending {
    Nothing,
    /// The queue's answers to discarded links that were offered again.
    Restored(Vec<DiscardedLink>),
    /// Nothing: discarded links were just offered, and a link can be chosen now.
    Choice,
    /// The link that the queue gave out.
    Best(Fallback),
}

/// The notes that have not been handed out yet.
#[derive(Default)]
struct Journal {
    notes: Vec<Vec<u8>>,
    /// Size in bytes of all notes since the last snapshot.
    note_bytes: usize,
    /// Size in bytes of the last snapshot.
    state_bytes: usize,
}

/// The start of a crawl, as a pilot needs to know it.
#[derive(Debug, Clone)]
pub struct Start<'a> {
    /// The recipe.
    pub recipe: &'a Recipe,
    /// Number of pages to fetch in the whole crawl.
    pub budget: u64,
    /// The random seed.
    pub seed: u64,
    /// P(relevant) of each score as far as it is known before the crawl.
    pub start_curve: Option<StartCurve>,
    /// The link model to begin with.
    pub link_model: Option<Arc<KeptModel>>,
}

impl<'a> Start<'a> {
    /// Returns the start of a crawl whose topic has no calibration.
    #[must_use]
    pub fn new(recipe: &'a Recipe, budget: u64, seed: u64) -> Self {
        Self { recipe, budget, seed, start_curve: None, link_model: None }
    }
}

impl Pilot {
    /// Returns a pilot at the start of a crawl. It keeps no notes, so the crawl cannot be resumed.
    #[must_use]
    pub fn new(start: &Start<'_>) -> Self {
        let directories = match &start.recipe.strategy {
            StrategyRecipe::NicheGenetic(settings) => settings.directories,
            _ => 0,
        };
        Self {
            recipe: start.recipe.clone(),
            directories,
            state: PilotState::new(start),
            journal: None,
            pending: Pending::Nothing,
            others_have_links: false,
        }
    }

    /// Resumes a pilot after `pages` pages from the notes that it handed out. The pilot keeps notes
    /// from now on. With empty notes it starts a new crawl that can be resumed.
    pub fn resume(start: &Start<'_>, pages: u64, notes: &Notes) -> Result<Self, DamagedNotes> {
        let mut pilot = Self::new(start);
        let mut journal = Journal::default();
        if let Some(state) = &notes.state {
            pilot.state = PilotState::read(state)?;
            journal.state_bytes = state.len();
        }
        for note in &notes.since {
            journal.note_bytes += note.len();
            pilot.apply(postcard::from_bytes(note)?);
        }
        pilot.journal = Some(journal);
        // Only pages of a web graph are noted one by one.
        if pilot.state.known.is_none() {
            pilot.state.pages = pages;
        }
        pilot.record(Note::Budget(start.budget));
        pilot.record(Note::Interrupted);
        Ok(pilot)
    }

    /// Returns true if P(l) is an estimate of the relevance of the page behind a link.
    #[must_use]
    pub fn predicts(&self) -> bool {
        self.recipe.priority.predicts() || matches!(self.recipe.strategy, StrategyRecipe::Shark(_))
    }

    /// Returns true if any random choice was made so far. If not, every random seed would have
    /// given the same crawl.
    #[must_use]
    pub fn is_random(&self, seed: u64) -> bool {
        self.state.random != Random::new(seed)
    }

    /// Judges a page that arrived. Its score counts in the calibration, unless the page was fetched
    /// only as a lookahead.
    pub fn judge<'a>(&mut self, page: &PageFacts<'a>, is_look: bool) -> Judgement<'a> {
        let observed = self.state.judge.observed(page, &self.recipe);
        if let Some(observed) = observed.filter(|_| !is_look) {
            self.note(&Note::Judged(observed));
            self.state.judge.observe(observed);
        }
        self.state.judge.judge(page, &self.recipe)
    }

    /// Returns the state of the calibration, if the recipe or the topic has one.
    #[must_use]
    pub fn calibration(&self) -> Option<CalibrationView> {
        self.state.judge.view()
    }

    /// Returns the notes since the last call, to be stored after the earlier ones. Once the notes
    /// have grown as large as a snapshot, or if `is_whole` is true, it returns a snapshot instead,
    /// which replaces everything stored before.
    pub fn take_notes(&mut self, is_whole: bool) -> Result<Notes, DamagedNotes> {
        let Some(journal) = &mut self.journal else { return Ok(Notes::default()) };
        let since = std::mem::take(&mut journal.notes);
        if !is_whole && journal.note_bytes < MIN_NOTE_BYTES.max(journal.state_bytes) {
            return Ok(Notes { state: None, since });
        }
        let state = postcard::to_stdvec(&self.state)?;
        (journal.note_bytes, journal.state_bytes) = (0, state.len());
        Ok(Notes { state: Some(state), since: Vec::new() })
    }

    fn note(&mut self, note: &Note) {
        if let Some(journal) = &mut self.journal {
            let bytes = postcard::to_stdvec(note).expect("notes always serialise");
            journal.note_bytes += bytes.len();
            journal.notes.push(bytes);
        }
    }

    /// Notes an event and applies it. Without a web graph, the pilot has nothing to remember.
    fn record(&mut self, note: Note) {
        if self.state.known.is_some() {
            self.note(&note);
            self.apply(note);
        }
    }

    /// Applies an event, either when it happens or when it is replayed after a crash.
    fn apply(&mut self, note: Note) {
        if let Note::Judged(observed) = note {
            self.state.judge.observe(observed);
        }
        let Some(known) = &mut self.state.known else { return };
        match note {
            Note::Judged(_) => {}
            Note::Budget(budget) => self.state.budget = budget,
            Note::Interrupted => known.interrupt(),
            Note::Gone(key) => known.finish(&key),
            Note::Returned(key) => known.give_back(&key),
            Note::Seed(id) => self.state.add_seed(id),
            Note::SurplusSeed(link, id) => self.state.discard_seed(*link, id),
            Note::Listed(id, is_urgent) => self.state.add_listed(id, is_urgent),
            Note::Moved(from, to) => self.state.redirect_link(&from, to),
            Note::Left(hosts) => self.state.leave(&hosts),
            Note::FoundWaiting(links) => self.state.add_waiting(&links),
            Note::Mixed(numbers) => self.state.mix(&numbers),
            Note::Shown(shown) => {
                let decisions = self.state.plan_shown(&shown, &self.recipe);
                self.state.conclude_shown(&shown, decisions);
            }
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
                // Only strategies without a graph use the origin of a page.
                let via = Link::seed(placeholder_url());
                let origin = PageOrigin { via: &via, pages: self.state.pages };
                let (page, decisions) = self.state.plan(&arrival, &self.recipe, origin);
                self.state.conclude(&arrival, page, decisions, &offers);
            }
        }
    }

    fn id_of(&self, url: &Url) -> LinkId {
        LinkId::of(url, self.directories)
    }

    /// Adds the seeds of a crawl. Returns the links to offer to the queue.
    pub fn seeds(&mut self, links: Vec<Link>) -> Vec<RankedLink> {
        let mut offers = Vec::with_capacity(links.len());
        for link in links {
            let id = self.id_of(&link.url);
            if self.state.is_surplus_seed(id.host) {
                self.record(Note::SurplusSeed(Box::new(link), id));
            } else {
                self.record(Note::Seed(id));
                offers.push(RankedLink { link, rank: SEED_PRIORITY });
            }
        }
        offers
    }

    /// Tells the pilot that a link was queued about which nothing is known except that its site
    /// lists it. An urgent link, such as the first sitemap of a site, is fetched before all others.
    pub fn listed(&mut self, link: &Link, is_urgent: bool) {
        self.record(Note::Listed(self.id_of(&link.url), is_urgent));
    }

    /// Chooses the next link among those that are ready.
    pub fn choose(&mut self, ready: &dyn Ready) -> Choice {
        if self.state.known.is_none() {
            return Choice::Best(self.state.strategy.part().plain_rule());
        }
        if !matches!(self.pending, Pending::Choice) {
            let wanted = self.wanted();
            if !wanted.is_empty() {
                let offer =
                    |it: &DiscardedLink| RankedLink { link: it.link.clone(), rank: it.priority };
                let offers = wanted.iter().map(offer).collect();
                self.pending = Pending::Restored(wanted);
                return Choice::Offer(offers);
            }
        }
        self.pending = Pending::Nothing;
        match self.state.choose(ready) {
            Next::Link(Pick { key, rule, is_look }, id) => {
                self.note(&Note::Asked(Some(id)));
                Choice::Link { key, host: id.host, rule, is_look }
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

    /// Returns the discarded links to offer now. Links of the reserve are offered only if no worker
    /// has better ones.
    fn wanted(&mut self) -> Vec<DiscardedLink> {
        if self.others_have_links && self.state.needs_reserve() {
            return Vec::new();
        }
        let before = self.state.discarded_count();
        let wanted = self.state.restore();
        if wanted.is_empty() && self.state.discarded_count() < before {
            // Some were dropped that need no fetch any more.
            self.note(&Note::Restored(Vec::new()));
        }
        wanted
    }

    /// After [`Choice::Offer`]: takes the queue's answers, in the order of the links.
    pub fn restored(&mut self, offers: &[Offer]) {
        if let Pending::Restored(wanted) = std::mem::replace(&mut self.pending, Pending::Choice) {
            self.note(&Note::Restored(offers.to_vec()));
            self.state.restored(&wanted, offers);
            if self.state.needs_reserve() {
                // The queue took none of them; the next ones may do.
                self.pending = Pending::Nothing;
            }
        }
    }

    /// After [`Choice::Best`]: takes the link that the queue gave out, if it had one.
    pub fn took(&mut self, link: Option<&Link>) {
        if let Pending::Best(fallback) = std::mem::replace(&mut self.pending, Pending::Nothing) {
            let id = link.map(|link| self.id_of(&link.url));
            self.note(&Note::Asked(id));
            self.state.took_free(fallback, id);
        }
    }

    /// Writes the current scores of a chosen link into the link, for the log.
    pub fn explain(&self, link: &mut Link) {
        self.state.explain(link, self.recipe.priority.predicts());
    }

    /// Returns what decided about a chosen link, if the recipe learns from links. It is to be asked
    /// right after the choice.
    #[must_use]
    pub fn why(&self, link: &Link) -> Option<Why> {
        self.state.why(link)
    }

    /// Returns what the crawl has learned about links, if its recipe learns from them.
    #[must_use]
    pub fn learned(&self) -> Option<Learned> {
        self.state.learned()
    }

    /// Returns what the crawl has learned about links, so that it can begin another crawl.
    #[must_use]
    pub fn kept_model(&self) -> Option<KeptModel> {
        self.state.appraiser.learner_view().map(LinkLearner::kept)
    }

    /// Returns the texts of a page that arrived whose hashes are not known yet.
    fn new_names(&self, page: &Judgement<'_>, via: &Link, id: LinkId) -> Vec<Named> {
        let Some(learner) = self.state.appraiser.learner_view() else { return Vec::new() };
        let own = names_of_url(&via.url, id.host).filter(|name| learner.lacks(name));
        let of_links = page.names.iter().filter(|name| learner.lacks(name)).cloned();
        own.chain(of_links).collect()
    }

    /// Handles an arriving page. Returns the links to offer to the queue; [`Pilot::offered`] must
    /// follow.
    pub fn arrived(
        &mut self,
        via: &Link,
        is_look: bool,
        page: &Judgement<'_>,
        candidates: Vec<Candidate>,
    ) -> Plan {
        // The links of a page that was reached through a tunnel are always followed.
        let is_in_tunnel = via.score(Score::Block).is_some();
        let passage = if is_in_tunnel { Passage::Open } else { page.passage };
        let keeps_links = self.state.keeps_discarded();
        let keeps_terms = self.recipe.needs_anchor_terms();
        let learns_links = self.recipe.learns_links();
        let probability = self.state.judge.lesson(page);
        let showing = ShowingPage { key: via.key(), relevance: page.relevance, probability };
        let mut links = Vec::with_capacity(candidates.len());
        let mut arrived = Vec::with_capacity(candidates.len());
        for Candidate { link, signals, terms, clues, is_elsewhere } in candidates {
            let kept = keeps_links.then(|| Box::new(link.clone()));
            let id = self.id_of(&link.url);
            let clue = learns_links
                .then(|| Box::new(Clue::new(&showing, &link.url, id.host, signals, &clues)));
            arrived.push(ArrivedLink {
                id,
                signals,
                terms: if keeps_terms { terms } else { Vec::new() },
                clue,
                link: kept,
                offer: None,
                is_elsewhere,
            });
            links.push(link);
        }
        let id = self.id_of(&via.url);
        let arrival = Arrival {
            names: self.new_names(page, via, id),
            page: id,
            relevance: page.relevance,
            probability,
            is_relevant: page.is_relevant == Some(true),
            novelty: page.novelty,
            passage,
            is_look,
            terms: page.terms.filter(|_| keeps_terms).cloned(),
            links: arrived,
        };
        let origin = PageOrigin { via, pages: self.state.pages + 1 };
        let (page, decisions) = self.state.plan(&arrival, &self.recipe, origin);
        let (mut offers, mut sent) = (Vec::new(), Vec::new());
        for (link, decision) in links.into_iter().zip(&decisions) {
            match decision {
                LinkDecision::Settled(_) => {}
                LinkDecision::Offered(offered) => offers.push(offered.ranked(link)),
                LinkDecision::Sent(sighting, verdict) => {
                    let (priority, sighting) = (verdict.priority.unwrap_or(0.0), sighting.clone());
                    sent.push(SentLink { link, priority, sighting });
                }
            }
        }
        Plan { offers, sent, arrival, page, decisions }
    }

    /// Handles links that other workers sent. Returns the links to offer to the queue;
    /// [`Pilot::shown_offered`] must follow.
    pub fn shown(&mut self, links: Vec<SentLink>) -> ShownPlan {
        let keeps_links = self.state.keeps_discarded();
        let (mut texts, mut shown) = (Vec::new(), Vec::new());
        for SentLink { link, sighting, .. } in links {
            let arrived = ArrivedLink {
                id: self.id_of(&link.url),
                signals: Signals::default(),
                terms: Vec::new(),
                clue: None,
                link: keeps_links.then(|| Box::new(link.clone())),
                offer: None,
                is_elsewhere: false,
            };
            shown.push(ShownLink { link: arrived, sighting });
            texts.push(link);
        }
        let decisions = self.state.plan_shown(&shown, &self.recipe);
        let offer = |(link, decision): (Link, &LinkDecision)| match decision {
            LinkDecision::Offered(offered) => Some(offered.ranked(link)),
            _ => None,
        };
        let offers = texts.into_iter().zip(&decisions).filter_map(offer).collect();
        ShownPlan { offers, shown, decisions }
    }

    /// Completes a plan with the queue's answers, in the order of the offers.
    pub fn shown_offered(&mut self, plan: ShownPlan, offers: &[Offer]) {
        let ShownPlan { mut shown, decisions, .. } = plan;
        let mut answers = offers.iter();
        for (shown, decision) in shown.iter_mut().zip(&decisions) {
            if matches!(decision, LinkDecision::Offered(_)) {
                shown.link.offer = answers.next().copied();
            }
        }
        self.state.conclude_shown(&shown, decisions);
        if self.state.known.is_some() && !shown.is_empty() {
            self.note(&Note::Shown(shown));
        }
    }

    /// Tells the pilot that other workers fetch from these hosts now.
    pub fn left(&mut self, hosts: Vec<HostKey>) {
        if !hosts.is_empty() {
            self.record(Note::Left(hosts));
        }
    }

    /// Tells the pilot that this worker has no part of the queue now.
    pub fn left_all(&mut self) {
        self.left(self.state.hosts());
    }

    /// Tells the pilot that these links wait in the queue, about which it knows nothing else.
    pub fn found_waiting(&mut self, links: Vec<WaitingLink>) {
        if !links.is_empty() {
            self.record(Note::FoundWaiting(links));
        }
    }

    /// Tells the pilot whether links wait for other workers. While they do, links that the recipe
    /// has refused are not fetched for want of others.
    pub fn set_company(&mut self, has_links: bool) {
        self.others_have_links = has_links;
    }

    /// Sets the number of pages to fetch: in the whole crawl, or this worker's share of them.
    pub fn set_budget(&mut self, budget: u64) {
        if budget != self.state.budget {
            self.record(Note::Budget(budget));
        }
    }

    /// Returns the number of links that the recipe has refused and keeps for the time when no
    /// others wait.
    #[must_use]
    pub fn reserve(&self) -> u64 {
        self.state.reserve() as u64
    }

    /// Returns the numbers that the recipe has learned and that workers share.
    #[must_use]
    pub fn learned_numbers(&self) -> Vec<LearnedNumber> {
        self.state.numbers()
    }

    /// Mixes the numbers that the recipe has learned with those of other workers.
    pub fn mix(&mut self, others: Vec<LearnedNumber>) {
        self.record(Note::Mixed(others));
    }

    /// Completes a plan with the queue's answers, in the order of the offers. Returns a verdict for
    /// each link.
    pub fn offered(&mut self, plan: Plan, offers: &[Offer]) -> Vec<LinkVerdict> {
        let Plan { mut arrival, page, decisions, .. } = plan;
        let mut answers = offers.iter();
        for (link, decision) in arrival.links.iter_mut().zip(&decisions) {
            if matches!(decision, LinkDecision::Offered(_)) {
                link.offer = answers.next().copied();
            }
        }
        let verdicts = self.state.conclude(&arrival, page, decisions, offers);
        if self.journal.is_some() && self.state.known.is_some() {
            self.note(&Note::Arrived(arrival));
        }
        verdicts
    }

    /// Tells the pilot that a link was finished without a page.
    pub fn gone(&mut self, link: &LinkKey) {
        self.record(Note::Gone(*link));
    }

    /// Tells the pilot that a link redirects to another URL, which waits in its place.
    pub fn moved(&mut self, from: &LinkKey, to: &Link) {
        self.record(Note::Moved(*from, self.id_of(&to.url)));
    }

    /// Tells the pilot that a chosen link went back to the queue.
    pub fn returned(&mut self, link: &LinkKey) {
        self.record(Note::Returned(*link));
    }
}

/// Returns a URL that no page has.
fn placeholder_url() -> Url {
    Url::parse("about:blank").expect("about:blank is a URL")
}

impl std::fmt::Debug for Pilot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pilot").field("recipe", &self.recipe.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes are replayed until the first snapshot; the pages in them must not count twice.
    #[test]
    fn a_resumed_pilot_counts_each_page_once() {
        for name in ["fcits-oh", "ontrail", "vsm"] {
            let recipe = Recipe::shipped(name).unwrap();
            let start = Start::new(&recipe, 100, 0);
            let mut pilot = Pilot::resume(&start, 0, &Notes::default()).unwrap();
            let seed = Link::seed("http://a.test/".parse().unwrap());
            pilot.seeds(vec![seed.clone()]);
            if let Choice::Best(_) = pilot.choose(&|_: &LinkKey, _: HostKey| true) {
                pilot.took(Some(&seed));
            }
            let facts = PageFacts { relevance: Some(0.5), ..PageFacts::default() };
            let page = pilot.judge(&facts, false);
            let plan = pilot.arrived(&seed, false, &page, Vec::new());
            pilot.offered(plan, &[]);
            let notes = pilot.take_notes(false).unwrap();
            let resumed = Pilot::resume(&start, 1, &notes).unwrap();
            assert_eq!((pilot.state.pages, resumed.state.pages), (1, 1), "{name}");
            assert_eq!(resumed.state.judge, pilot.state.judge, "{name}");
        }
    }
}
