//! The journal of a pilot: a snapshot of its state from time to time, and notes of all events
//! since.
//!
//! A pilot's state is a function of its events. After a crash the notes are replayed on the
//! snapshot, and the pilot is exactly where it was, including its random number generator.

use ontrail_anchor::{AnchorTerm, PageTerms};
use ontrail_learner::Named;
use serde::{Deserialize, Serialize};

use crate::arrive::Signals;
use crate::clue::Clue;
use crate::company::{LearnedNumber, ShownLink, WaitingLink};
use crate::gate::Passage;
use crate::judge::Observed;
use crate::link::{HostKey, Link, LinkId, LinkKey};
use crate::pilot::Ready;
use crate::verdict::Offer;

/// The stored form of a pilot: a snapshot and the notes that follow it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// The last snapshot. When a pilot hands one out, it replaces everything stored before.
    pub state: Option<Vec<u8>>,
    /// Notes of the events since the snapshot, in order.
    pub since: Vec<Vec<u8>>,
}

/// The error for notes that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the stored state of the crawl's strategy: {0}")]
pub struct DamagedNotes(#[from] postcard::Error);

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Note {
    /// A seed was given.
    Seed(LinkId),
    /// A seed was given and discarded, because its host already has one.
    SurplusSeed(Box<Link>, LinkId),
    /// The number of pages to fetch in the whole crawl was set.
    Budget(u64),
    /// A site lists a page or a sitemap. The flag is true if it is urgent.
    Listed(LinkId, bool),
    /// Discarded links were offered to the queue again, which gave these answers.
    Restored(Vec<Offer>),
    /// A link was requested, and this one was chosen.
    Asked(Option<LinkId>),
    /// The scores of a page became known.
    Judged(Observed),
    /// A page arrived.
    Arrived(Arrival),
    /// A link was finished without a page.
    Gone(LinkKey),
    /// A link redirects to another URL, which waits in its place.
    Moved(LinkKey, LinkId),
    /// A chosen link went back to the queue.
    Returned(LinkKey),
    /// The crawl was interrupted: all links that were being fetched went back to the queue.
    Interrupted,
    /// Other workers sent these links.
    Shown(Vec<ShownLink>),
    /// Another worker fetches from these hosts now.
    Left(Vec<HostKey>),
    /// These links wait in the queue, as another worker has left it.
    FoundWaiting(Vec<WaitingLink>),
    /// Numbers that were learned were mixed with those of other workers.
    Mixed(Vec<LearnedNumber>),
}

/// A page that arrived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub(crate) page: LinkId,
    /// R(p), if there is a topic.
    pub(crate) relevance: Option<f64>,
    /// P(relevant), if it can be computed.
    pub(crate) probability: Option<f64>,
    pub(crate) is_relevant: bool,
    /// The share of the page's relevance that it is worth.
    pub(crate) novelty: f64,
    pub(crate) passage: Passage,
    /// True if the page was fetched only as a lookahead.
    pub(crate) is_look: bool,
    /// The topic's terms on the page, if the recipe needs them and they are known.
    pub(crate) terms: Option<PageTerms>,
    /// Texts behind hashes that were not known before, if the recipe learns from links.
    pub(crate) names: Vec<Named>,
    pub(crate) links: Vec<ArrivedLink>,
}

impl Arrival {
    /// Returns P(relevant) of the page, or R(p) if that is not known; less for a copy.
    pub(crate) fn worth(&self) -> f64 {
        self.novelty * self.probability.or(self.relevance).unwrap_or(0.0)
    }
}

/// A link on a page that arrived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArrivedLink {
    pub(crate) id: LinkId,
    pub(crate) signals: Signals,
    /// The topic's terms in the anchor text, if the recipe needs them.
    pub(crate) terms: Vec<AnchorTerm>,
    /// The information for the link model, if the recipe has one.
    pub(crate) clue: Option<Box<Clue>>,
    /// The link itself, if it may have to be offered later.
    pub(crate) link: Option<Box<Link>>,
    /// The queue's answer, if the link was offered.
    pub(crate) offer: Option<Offer>,
    /// True if another worker fetches from the host of the link.
    pub(crate) is_elsewhere: bool,
}

/// The readiness of links during a replay: only the link that was chosen is ready.
pub(crate) struct Replayed(pub(crate) Option<LinkId>);

impl Ready for Replayed {
    fn is_ready(&self, link: &LinkKey, _: HostKey) -> bool {
        self.0.is_some_and(|chosen| chosen.key == *link)
    }
}
