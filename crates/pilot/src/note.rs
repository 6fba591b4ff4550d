//! The journal of a pilot: a state now and then, and a note of everything that happened since.
//!
//! A pilot is a function of what happened to it. After a crash the notes happen to the state once more, and
//! the pilot is what it was, its random number generator included.

use serde::{Deserialize, Serialize};

use crate::arrive::Signals;
use crate::gate::Passage;
use crate::link::{HostKey, Link, LinkId, LinkKey};
use crate::pilot::Ready;
use crate::verdict::Offer;

/// What a pilot remembers, as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// The last whole state. When a pilot hands one out, it replaces everything stored before.
    pub state: Option<Vec<u8>>,
    /// What happened since, in order.
    pub since: Vec<Vec<u8>>,
}

/// The notes of a pilot cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the notes of the crawl's strategy are damaged: {0}")]
pub struct DamagedNotes(#[from] postcard::Error);

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Note {
    /// A seed was given.
    Seed(LinkId),
    /// A seed was given whose host has another: it is put aside.
    SurplusSeed(Box<Link>, LinkId),
    /// The number of pages to fetch in all, from now on.
    Budget(u64),
    /// A site lists a page for crawlers, or a list of pages.
    Listed(LinkId, bool),
    /// Links that had been put aside were offered again.
    Restored(Vec<Offer>),
    /// A link was asked for, and this one was chosen.
    Asked(Option<LinkId>),
    /// A page came.
    Arrived(Arrival),
    /// A link was dealt with, and brought no page.
    Gone(LinkKey),
    /// A link leads to another URL, which waits in its place.
    Moved(LinkKey, LinkId),
    /// A link waits again.
    Returned(LinkKey),
    /// The crawl broke off: what was being fetched waits again.
    Interrupted,
}

/// A page that came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub(crate) page: LinkId,
    /// R(p), if there is a topic.
    pub(crate) relevance: Option<f64>,
    pub(crate) is_relevant: bool,
    pub(crate) passage: Passage,
    /// Whether it was only looked at.
    pub(crate) is_look: bool,
    pub(crate) links: Vec<ArrivedLink>,
}

/// A link of a page that came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArrivedLink {
    pub(crate) id: LinkId,
    pub(crate) signals: Signals,
    /// The link itself, if it may have to be offered later.
    pub(crate) link: Option<Box<Link>>,
    /// What the queue made of it, if it was offered.
    pub(crate) offer: Option<Offer>,
}

/// What was ready when a noted link was asked for: only the one that was chosen.
pub(crate) struct Replayed(pub(crate) Option<LinkId>);

impl Ready for Replayed {
    fn is_ready(&self, link: &LinkKey, _: HostKey) -> bool {
        self.0.is_some_and(|chosen| chosen.key == *link)
    }
}
