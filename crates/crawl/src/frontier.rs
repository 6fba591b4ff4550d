//! The queue of links that wait, and the leases of those being fetched.
//!
//! A [`Frontier`] holds one queue per host, in the order of rank and age, and knows when each host may be
//! asked again. Only links of hosts that may be asked now can be taken, so whatever a strategy chooses,
//! politeness holds. A link that was taken is on *lease*: it comes back if the crawl dies before the link is
//! finished.
//!
//! The steps are whole and come in batches where that saves round trips, so that a frontier shared by
//! several machines can be made of the same steps: all links of a page are offered at once, and a host with
//! as many leases as it may have is busy for every worker.

use ontrail_pilot::{HostKey, Link, LinkKey, Offer, RankedLink};

use crate::settings::Settings;
use crate::store::StoreError;

/// The links that wait.
pub trait Frontier: Send {
    /// Adds links, each unless it was seen before; a waiting link that is found again with a better rank
    /// gets that. Returns what became of each, in order.
    fn offer_all(&mut self, links: Vec<RankedLink>) -> Result<Vec<Offer>, StoreError>;

    /// Adds a link in the place of one on lease: a redirect leads there.
    fn offer_in_place(&mut self, link: Link, of: &Lease) -> Result<Offer, StoreError>;

    /// Takes the best links whose hosts may be asked at the time `now`, at most so many.
    fn take_many(&mut self, now: u64, most: usize) -> Result<Vec<Lease>, StoreError>;

    /// Takes this link, if it waits and its host may be asked at the time `now`.
    fn take(&mut self, key: &LinkKey, now: u64) -> Result<Take, StoreError>;

    /// Ends the lease of a link that has been dealt with. Its host may be asked again at `rest_until`;
    /// `has_page` counts a page for it.
    fn finish(&mut self, lease: &Lease, rest_until: u64, has_page: bool) -> Result<(), StoreError>;

    /// Puts a link back in its place; its host may be asked again at `rest_until`.
    fn give_back(&mut self, lease: Lease, rest_until: u64) -> Result<(), StoreError>;

    /// Whether a host has links that may be taken at the time `now`.
    fn is_ready(&self, host: HostKey, now: u64) -> bool;

    /// Why no link was taken at the time `now`.
    fn idle(&mut self, now: u64) -> Idle;

    /// How full it is.
    fn counts(&self) -> FrontierCounts;

    /// The hosts with how many pages were fetched from each, the most first, at most so many.
    fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)>;
}

/// A link on lease.
#[derive(Debug, Clone, PartialEq)]
pub struct Lease {
    /// The link.
    pub link: Link,
    /// Its rank.
    pub rank: f64,
    /// Its age: the number of links that were found before it.
    pub age: u64,
    /// How many pages had been fetched from its host when it was taken.
    pub host_pages: u64,
}

/// What became of a link that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Take {
    /// It is on lease now.
    Taken(Box<Lease>),
    /// It waits, and its host must not be asked now.
    Resting,
    /// It does not wait.
    Gone,
}

/// Why no link can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Nothing may be fetched before this time, unless a fetch ends earlier.
    Until(u64),
    /// Nothing may be fetched before a fetch ends.
    Busy,
    /// Every link has been dealt with.
    Empty,
}

/// How full a frontier is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FrontierCounts {
    /// URLs that were ever taken up.
    pub known: u64,
    /// Links that wait.
    pub queued: u64,
    /// Links that are being fetched.
    pub leased: u64,
    /// Hosts of all URLs.
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
    /// URLs of one pattern.
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
