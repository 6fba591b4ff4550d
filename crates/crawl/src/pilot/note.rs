//! What happens to a pilot, as it is kept: a state now and then, and a note of everything since. After a crash the
//! notes happen to the state once more, and the pilot is what it was.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::gate::Passage;
use super::helm::{Ready, Took};
use super::map::Address;
use crate::frontier::Offer;
use crate::link::{Link, LinkKey};
use crate::store::StoreError;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Note {
    /// A seed was given.
    Seed(Address),
    /// A seed was given whose host has another: it is put aside.
    SurplusSeed(Box<Link>, Address),
    /// How many pages are to be fetched in all, from now on.
    Budget(u64),
    /// A page that a site lists for crawlers, or a list of such.
    Listed(Address, bool),
    /// A link was asked for.
    Asked(Asked),
    /// A page came.
    Arrived(Arrival),
    /// A link was dealt with, and brought no page.
    Gone(LinkKey),
    /// A link leads to another address, which waits in its place.
    Moved(LinkKey, Address),
    /// A link waits again.
    Returned(LinkKey),
    /// The crawl broke off: what was being fetched waits again.
    Interrupted,
}

/// What came of asking for a link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The one that was chosen, if one was.
    pub(crate) chosen: Option<Address>,
    /// Links that did not wait any more.
    pub(crate) gone: Vec<LinkKey>,
    /// What became of links that were taken up again, in order.
    pub(crate) offers: VecDeque<Offer>,
}

/// A page that came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub(crate) page: Address,
    pub(crate) relevance: f64,
    pub(crate) is_relevant: bool,
    pub(crate) passage: Passage,
    /// Whether it was only looked at.
    pub(crate) is_look: bool,
    pub(crate) links: Vec<ArrivedLink>,
}

/// A link of a page that came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArrivedLink {
    pub(crate) address: Address,
    pub(crate) anchor: f64,
    pub(crate) context: f64,
    /// R(B) of the block that it stands in.
    pub(crate) block: f64,
    /// The link itself, if it may have to be taken up later.
    pub(crate) link: Option<Box<Link>>,
    /// What the frontier made of it, if it was offered.
    pub(crate) offer: Option<Offer>,
}

/// What was ready when a link was asked for: only the one that was chosen.
impl Ready for Asked {
    fn take(&mut self, key: &LinkKey) -> Result<Took, StoreError> {
        Ok(match &self.chosen {
            Some(chosen) if chosen.key == *key => Took::Taken,
            _ if self.gone.contains(key) => Took::Gone,
            _ => Took::Resting,
        })
    }

    fn take_best(&mut self) -> Result<Option<Address>, StoreError> {
        Ok(self.chosen)
    }

    fn offer(&mut self, _: Link, _: f64) -> Result<Offer, StoreError> {
        Ok(self.offers.pop_front().unwrap_or(Offer::Known))
    }
}
