//! The links that wait, and the memory of those that were seen.
//!
//! A [`Frontier`] holds one queue per host, in the order of rank and age, and knows when each host may be asked
//! again. [`Frontier::next`] takes the best link of all hosts that may be asked now, in O(log n), so whatever a
//! strategy chooses, politeness holds. A link that was taken is on *lease*: it comes back if the crawl dies before
//! it is finished.
//!
//! All that changes together commits together ([`Frontier::commit`]), the crawler's own counters included.
//! [`LocalFrontier`] keeps it in memory or on disk. The interface is made so that a third form could share it between
//! machines: a worker takes one link in one step and holds it by lease, hosts are never asked by two workers at
//! once because a host with a link on lease is busy, and ranks are computed before they get here.

mod hosts;
mod local;

pub(crate) use hosts::Place;
pub use local::LocalFrontier;

use crate::duplicates::Seen;
use crate::link::{Link, LinkKey};
use crate::settings::Settings;
use crate::store::StoreError;

/// The links that wait.
pub trait Frontier: Send {
    /// Adds a link, unless it was seen before; a waiting one that is found again with a better rank gets that.
    fn offer(&mut self, link: Link, rank: f64) -> Result<Offer, StoreError>;

    /// Adds a link in the place of one that was taken: a redirect leads there.
    fn offer_in_place(&mut self, link: Link, of: &Taken) -> Result<Offer, StoreError>;

    /// Takes the best link whose host may be asked at the time `now`.
    fn next(&mut self, now: u64) -> Result<Next, StoreError>;

    /// Takes this link, if it waits and its host may be asked at the time `now`.
    fn take(&mut self, key: &LinkKey, now: u64) -> Result<Take, StoreError>;

    /// What there is to do when no link was taken at the time `now`.
    fn idle(&mut self, now: u64) -> Next;

    /// A link has been dealt with. Its host may be asked again at `rest_until`.
    fn finish(&mut self, taken: &Taken, rest_until: u64) -> Result<(), StoreError>;

    /// A link goes back to its place, and its host rests until `rest_until`.
    fn give_back(&mut self, taken: Taken, rest_until: u64) -> Result<(), StoreError>;

    /// How many pages were fetched from the host of a link so far.
    fn pages_of_host(&self, taken: &Taken) -> u64;

    /// Counts a page of the host of a link.
    fn count_page(&mut self, taken: &Taken);

    /// The stored page with the same bytes, if there is one; this one is noted otherwise, if it is to be stored.
    fn same_bytes(
        &mut self,
        digest: &str,
        page: &Seen,
        is_kept: bool,
    ) -> Result<Option<Seen>, StoreError>;

    /// The address of a page with nearly the same text, if one was seen; this one is noted otherwise.
    fn near_text(&mut self, gist: u64, url: &str) -> Result<Option<String>, StoreError>;

    /// How full it is.
    fn counts(&self) -> FrontierCounts;

    /// The hosts with how many pages were fetched from each, the most first, at most so many.
    fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)>;

    /// What was committed last beside the links.
    fn state(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Makes everything durable together with `state`.
    fn commit(&mut self, state: Vec<u8>) -> Result<(), StoreError>;

    /// Whether what it holds outlives the process.
    fn is_durable(&self) -> bool;

    /// Keeps a note of what happened, behind those that there are.
    fn note(&mut self, note: Vec<u8>);

    /// Keeps one state in place of all notes so far.
    fn condense(&mut self, state: Vec<u8>) -> Result<(), StoreError>;

    /// The last state that was kept, and the notes since then.
    fn notes(&self) -> Result<Notes, StoreError>;
}

/// What a pilot remembers: a state, and what happened since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// The state, if one was kept.
    pub state: Option<Vec<u8>>,
    /// What happened since, in order.
    pub since: Vec<Vec<u8>>,
}

/// What became of a link that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Offer {
    /// It waits now.
    Queued,
    /// It waited already, and has a better rank now.
    Raised,
    /// It was seen before.
    Known,
    /// Too many addresses of its pattern were seen.
    PatternFull,
    /// Too many links wait.
    QueueFull,
    /// Too many hosts are known, or too many of its site.
    HostsFull,
}

impl Offer {
    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Raised => "raised",
            Self::Known => "known",
            Self::PatternFull => "pattern-full",
            Self::QueueFull => "queue-full",
            Self::HostsFull => "hosts-full",
        }
    }
}

/// What is next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// A link, now on lease.
    Link(Box<Taken>),
    /// Nothing before this time, unless a fetch ends earlier.
    Wait(u64),
    /// Nothing before a fetch ends.
    Busy,
    /// Nothing at all: every link has been dealt with.
    Nothing,
}

/// What became of a link that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Take {
    /// It is on lease now.
    Taken(Box<Taken>),
    /// It waits, and its host must not be asked now.
    Resting,
    /// It does not wait.
    Gone,
}

/// A link on lease.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// The link.
    pub link: Link,
    /// Its rank.
    pub rank: f64,
    /// Its age: the number of links that were found before it.
    pub age: u64,
    /// The rule that picked it, as the log has it.
    pub rule: &'static str,
    /// Whether it is only looked at: not counted, and it waits again.
    pub is_look: bool,
    pub(crate) host: u32,
}

/// How full a frontier is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FrontierCounts {
    /// Addresses that were ever taken up.
    pub known: u64,
    /// Links that wait.
    pub queued: u64,
    /// Links that are being fetched.
    pub leased: u64,
    /// Hosts of all addresses.
    pub hosts: u64,
    /// Hosts with links that wait.
    pub open_hosts: u64,
}

/// How much a frontier takes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrontierLimits {
    /// Connections to one host at a time.
    pub connections: u32,
    /// Links that wait.
    pub queued: u64,
    /// Addresses of one pattern.
    pub pattern: u32,
    /// Hosts in all.
    pub hosts: u32,
    /// Hosts of one site.
    pub hosts_of_site: u32,
}

impl From<&Settings> for FrontierLimits {
    fn from(settings: &Settings) -> Self {
        Self {
            connections: settings.politeness.connections_per_host,
            queued: settings.caps.queued_links,
            pattern: settings.caps.links_per_pattern,
            hosts: settings.caps.hosts,
            hosts_of_site: settings.caps.hosts_per_site,
        }
    }
}

impl Default for FrontierLimits {
    fn default() -> Self {
        Self::from(&Settings::default())
    }
}
