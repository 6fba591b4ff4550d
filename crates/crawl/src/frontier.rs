//! The queues of links waiting to be fetched, and the leases of links being fetched.
//!
//! A [`Frontier`] keeps one queue per host, ordered by priority and age, and knows when each host,
//! and the machine behind it, may be asked again. Only links of hosts that may be asked now can be
//! taken, so the crawl stays polite whatever a strategy chooses. A link that was taken is on
//! *lease*: if the crawl dies before the link is finished, the link returns to its queue. Requests
//! that belong to no link, such as those for a robots.txt, are *visits*: they keep the same delays.
//!
//! Each operation is complete in itself and takes a batch where that saves round trips, so that the
//! same operations can serve a frontier shared by several machines: all links of a page are offered
//! at once, and a host that has reached its limit of leases is busy for every worker.

use std::net::IpAddr;

use ontrail_pilot::{HostKey, Link, LinkKey, Offer, RankedLink};
use url::Url;

use crate::health::HostHealth;
use crate::settings::{CrawlSettings, milliseconds};
use crate::store::StoreError;

/// The links that wait to be fetched.
pub trait Frontier: Send {
    /// Adds each link that was not seen before. A waiting link that is found again with a higher
    /// priority gets that priority. Returns the result for each link, in order.
    fn offer_all(&mut self, links: Vec<RankedLink>) -> Result<Vec<Offer>, StoreError>;

    /// Adds the target of a redirect with the priority and age of the leased link that led there.
    fn offer_in_place(&mut self, link: Link, of: &Lease) -> Result<Offer, StoreError>;

    /// Takes up to `most` of the best links whose hosts may be asked at the time `now`.
    fn take_many(&mut self, now: u64, most: usize) -> Result<Vec<Lease>, StoreError>;

    /// Takes this link of a host, if it waits and the host may be asked at the time `now`.
    fn take(&mut self, key: &LinkKey, host: HostKey, now: u64) -> Result<Take, StoreError>;

    /// Returns true if a link is still on this lease: another worker may have taken it over.
    fn holds(&self, _lease: &Lease) -> bool {
        true
    }

    /// Returns true if the host of a URL may be asked by this worker at this moment. It is to be
    /// asked right before a request, because a lease may run out at any time.
    fn may_ask(&self, _url: &Url) -> bool {
        true
    }

    /// Ends the lease of a link and marks the link as done. Its host gets the health in the lease
    /// and may be asked again at `ready_at`; `has_page` counts a page for the host.
    fn finish(&mut self, lease: &Lease, ready_at: u64, has_page: bool) -> Result<(), StoreError>;

    /// Returns a leased link to its place in the queue. Its host gets the health in the lease and
    /// may be asked again at `ready_at`.
    fn give_back(&mut self, lease: Lease, ready_at: u64) -> Result<(), StoreError>;

    /// Returns a leased link to its place in the queue at the time `due`, and not before. Its host
    /// gets the health in the lease and may be asked again at `ready_at`, for other links.
    fn postpone(&mut self, lease: Lease, due: u64, ready_at: u64) -> Result<(), StoreError>;

    /// Adds a link again that is marked as done. Does nothing if it waits or was never seen.
    fn reopen(&mut self, link: RankedLink) -> Result<bool, StoreError>;

    /// Returns a leased link to its place in the queue, while the request that it was taken for
    /// becomes a visit to its host. The visit must be ended with [`Frontier::end_visit`].
    fn visit_instead(&mut self, lease: Lease) -> Result<(), StoreError>;

    /// Begins a visit to the host of a URL, if the host and its machine may be asked now. `machine`
    /// is the machine behind the host, if known.
    fn visit(&mut self, url: &Url, machine: Option<IpAddr>, now: u64) -> Result<Visit, StoreError>;

    /// Ends a visit to a host, which may be asked again at `ready_at`.
    fn end_visit(&mut self, host: HostKey, ready_at: u64);

    /// Returns the number of sitemaps of a host that were ever added.
    fn sitemaps_of(&self, host: &str) -> Result<u32, StoreError>;

    /// Keeps a host's links in the queue until [`Frontier::release`] is called as often as this.
    fn hold(&mut self, host: HostKey);

    /// Ends a hold.
    fn release(&mut self, host: HostKey);

    /// Sets the health of a host, which may be asked again at `ready_at`.
    fn set_health(&mut self, host: HostKey, health: HostHealth, ready_at: u64);

    /// Returns the health of a host.
    fn health(&self, host: HostKey) -> HostHealth;

    /// Sets the machine behind a host. If the machine must be left alone for now, returns the time
    /// at which it may be asked; otherwise reserves it for a request that starts now.
    fn set_machine(&mut self, host: HostKey, machine: IpAddr, now: u64) -> Option<u64>;

    /// Returns true if this waiting link of a host may be taken at the time `now`.
    fn is_ready(&self, link: &LinkKey, host: HostKey, now: u64) -> bool;

    /// Returns the reason why no link can be taken at the time `now`.
    fn idle(&mut self, now: u64) -> Idle;

    /// Returns the numbers of links and hosts.
    fn counts(&self) -> FrontierCounts;

    /// Returns up to `most` hosts with the number of pages fetched from each, in descending order.
    fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)>;
}

/// A link on lease.
#[derive(Debug, Clone, PartialEq)]
pub struct Lease {
    /// The link.
    pub link: Link,
    /// Its priority in the queue.
    pub priority: f64,
    /// Its age: the number of links that were found before it.
    pub age: u64,
    /// Number of pages that had been fetched from its host when the link was taken.
    pub host_pages: u64,
    /// The health of its host: as it was when the link was taken, and as it is to be when the lease
    /// ends.
    pub health: HostHealth,
    /// The machine behind its host, if known.
    pub machine: Option<IpAddr>,
    /// The number of the lease on the partition that the link belongs to, if several workers share
    /// the crawl; otherwise 0.
    pub epoch: u64,
}

/// The result of [`Frontier::visit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// The visit has begun.
    Begun,
    /// The host or its machine may not be asked before this time.
    NotBefore(u64),
    /// The host has reached its limit of connections.
    Busy,
    /// The host is new, and there are too many hosts.
    Refused,
}

/// The result of [`Frontier::take`].
#[derive(Debug, Clone, PartialEq)]
pub enum Take {
    /// The link is on lease now.
    Taken(Box<Lease>),
    /// The link waits, but its host must not be asked now.
    HostNotReady,
    /// The link is not in the queue.
    Gone,
}

/// The reason why no link can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Nothing may be fetched before this time, unless a fetch ends earlier.
    Until(u64),
    /// Nothing may be fetched before a fetch ends.
    Busy,
    /// No links are left.
    Empty,
}

/// Numbers of links and hosts in a frontier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FrontierCounts {
    /// URLs that were ever added.
    pub known: u64,
    /// Links that wait.
    pub queued: u64,
    /// Links that are being fetched.
    pub leased: u64,
    /// Hosts of all known URLs.
    pub hosts: u64,
    /// Hosts with links that wait.
    pub open_hosts: u64,
    /// Hosts with links that wait for their crawl delay or their back-off.
    #[serde(default)]
    pub delayed_hosts: u64,
    /// Hosts that did not answer several times in a row.
    #[serde(default)]
    pub failing_hosts: u64,
    /// Hosts among these with links that wait.
    #[serde(default)]
    pub failing_open_hosts: u64,
    /// Waiting links that are retried later.
    #[serde(default)]
    pub postponed: u64,
    /// Links that were dropped from a full queue in favour of better ones.
    #[serde(default)]
    pub dropped: u64,
}

/// Upper limits of a frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrontierLimits {
    /// Simultaneous connections to one host.
    pub connections: u32,
    /// Links that wait.
    pub queued: u64,
    /// Links of one host that wait.
    pub queued_of_host: u64,
    /// Links of one site that wait.
    pub queued_of_site: u64,
    /// URLs of one pattern.
    pub pattern: u32,
    /// Hosts in total.
    pub hosts: u32,
    /// Hosts of one site.
    pub hosts_of_site: u32,
    /// Milliseconds between two requests to one machine.
    pub machine_delay: u64,
}

impl From<&CrawlSettings> for FrontierLimits {
    fn from(settings: &CrawlSettings) -> Self {
        Self {
            connections: settings.politeness.connections_per_host,
            queued: settings.caps.queued_links,
            pattern: settings.caps.links_per_pattern,
            hosts: settings.caps.hosts,
            hosts_of_site: settings.caps.hosts_per_site,
            queued_of_host: settings.caps.queued_of_host(),
            queued_of_site: settings.caps.queued_of_site(),
            machine_delay: milliseconds(settings.politeness.address_delay),
        }
    }
}

impl Default for FrontierLimits {
    fn default() -> Self {
        Self::from(&CrawlSettings::default())
    }
}
