//! The state of a crawl on one machine, in memory or on disk, or of one partition of a shared
//! crawl.

use std::net::IpAddr;
use std::path::Path;

use ontrail_pilot::{HostKey, Link, LinkKey, Notes, Offer, Place, RankedLink, Target, host_of};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::hosts::{HostFacts, Hosts};
use super::overflow::WorstPlaces;
use super::postponed::Postponed;
use super::queue::{queue_key, queue_place};
use super::{Checkpoint, Company, ContentIndex, Journal, Seen, WebFacts, duplicates};
use crate::frontier::{Frontier, FrontierCounts, FrontierLimits, Idle, Lease, Take, Visit};
use crate::health::HostHealth;
use crate::store::{DiskStore, MemoryStore, Store, StoreError, Table};

const STATE: &[u8] = b"state";
const TOTALS: &[u8] = b"totals";
const PILOT: &[u8] = b"pilot";
const FORMAT: &[u8] = b"format";
const NAMES: &[u8] = b"names";
/// The start of the keys of templates, which end with a host.
const TEMPLATE: &[u8] = b"template ";
/// The beginning of the key of the last commit.
const COMMIT: &[u8] = b"commit-";

/// The version of the stored format. A state of another version is refused rather than misread.
const STATE_FORMAT: u32 = 5;

/// The state of a crawl on one machine.
pub struct LocalState {
    pub(super) store: Box<dyn Store>,
    pub(super) hosts: Hosts,
    pub(super) limits: FrontierLimits,
    pub(super) totals: Totals,
    pub(super) postponed: Postponed,
    /// The worst link of each host, once the queue has been full.
    pub(super) worst: Option<WorstPlaces>,
    now: u64,
    is_durable: bool,
}

/// Counters that are stored with the links.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    known: u64,
    pub(super) queued: u64,
    leased: u64,
    next_age: u64,
    /// Notes that were ever stored.
    notes: u64,
    pub(super) dropped: u64,
    commits: u64,
}

/// Returns the key of a commit. Each commit adds its own key and removes that of the one before. A
/// store that mixes the entries of several commits, because a number in its journal was damaged,
/// gives itself away by more than one such key, or by another one than its totals say.
fn commit_key(number: u64) -> Vec<u8> {
    [COMMIT, &number.to_be_bytes()].concat()
}

/// The state of a URL that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum LinkState {
    /// The link is not finished.
    Open { link: Box<Link>, priority: f64, age: u64, host: u32, status: OpenStatus },
    /// The link is finished.
    Done,
}

/// The status of a link that is not finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum OpenStatus {
    /// It is in the queue.
    Queued,
    /// It is on lease.
    Leased,
    /// It returns to the queue later.
    Postponed,
}

impl LocalState {
    /// Creates a state in memory.
    #[must_use]
    pub fn in_memory(limits: FrontierLimits) -> Self {
        Self::over(Box::<MemoryStore>::default(), limits, false)
    }

    /// Opens the state in a folder, or creates it. Links that were on lease when an earlier crawl
    /// died return to their queues.
    pub fn on_disk(folder: &Path, limits: FrontierLimits) -> Result<Self, StoreError> {
        let mut state = Self::over(Box::new(DiskStore::open(folder)?), limits, true);
        state.recover()?;
        Ok(state)
    }

    fn over(store: Box<dyn Store>, limits: FrontierLimits, is_durable: bool) -> Self {
        let (hosts, totals) = (Hosts::default(), Totals::default());
        let (postponed, worst) = (Postponed::default(), None);
        Self { store, hosts, limits, totals, postponed, worst, now: 0, is_durable }
    }

    /// Reads the hosts, the leases and the postponed links. The waiting links stay on disk until
    /// they are needed.
    fn recover(&mut self) -> Result<(), StoreError> {
        if let Some(totals) = self.store.get(Table::State, TOTALS)? {
            let format = self.store.get(Table::State, FORMAT)?;
            if format.as_deref() != Some(&STATE_FORMAT.to_be_bytes()[..]) {
                return Err(StoreError::OtherVersion);
            }
            self.totals = postcard::from_bytes(&totals)?;
            let commits = self.store.scan(Table::State, COMMIT, COMMIT, 2)?;
            let keys: Vec<Vec<u8>> = commits.into_iter().map(|(key, _)| key).collect();
            if keys != [commit_key(self.totals.commits)] {
                return Err(damaged("the last commit"));
            }
        }
        for (_, facts) in self.store.scan(Table::Hosts, &[], &[], usize::MAX)? {
            self.hosts.add(postcard::from_bytes::<HostFacts>(&facts)?);
        }
        for number in self.host_numbers() {
            self.hosts.reschedule(number, self.now, self.limits.connections);
        }
        for (key, _) in self.store.scan(Table::Postponed, &[], &[], usize::MAX)? {
            self.postponed.restore(&key).ok_or_else(|| damaged("a postponed link"))?;
        }
        for (key, _) in self.store.scan(Table::Leases, &[], &[], usize::MAX)? {
            self.release_lease(key.as_slice().try_into().map_err(|_| damaged("a lease"))?)?;
        }
        Ok(())
    }

    pub(super) fn host_numbers(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.hosts.len()).unwrap_or(u32::MAX)
    }

    /// Puts everything into the store that is kept in memory between commits: hosts and counters.
    pub(super) fn write_facts(&mut self) -> Result<(), StoreError> {
        for (number, facts) in self.hosts.take_changed() {
            let facts = postcard::to_stdvec(&facts)?;
            self.store.put(Table::Hosts, number.to_be_bytes().to_vec(), facts);
        }
        self.store.delete(Table::State, &commit_key(self.totals.commits));
        self.totals.commits += 1;
        self.store.put(Table::State, commit_key(self.totals.commits), Vec::new());
        self.store.put(Table::State, FORMAT.to_vec(), STATE_FORMAT.to_be_bytes().to_vec());
        self.store.put(Table::State, TOTALS.to_vec(), postcard::to_stdvec(&self.totals)?);
        Ok(())
    }

    /// Returns a link that was on lease to its place in the queue.
    fn release_lease(&mut self, key: LinkKey) -> Result<(), StoreError> {
        self.store.delete(Table::Leases, &key);
        self.totals.leased = self.totals.leased.saturating_sub(1);
        if let Some(LinkState::Open { link, priority, age, host, .. }) = self.link_state(key)? {
            self.enqueue(*link, Place::new(priority, age), priority, host)?;
        }
        Ok(())
    }

    pub(super) fn link_state(&self, key: LinkKey) -> Result<Option<LinkState>, StoreError> {
        let found = self.store.get(Table::Links, &key)?;
        found.map(|bytes| Ok(postcard::from_bytes(&bytes)?)).transpose()
    }

    fn set_link_state(&mut self, key: LinkKey, state: &LinkState) -> Result<(), StoreError> {
        self.store.put(Table::Links, key.to_vec(), postcard::to_stdvec(state)?);
        Ok(())
    }

    /// Adds a link to its host's queue.
    fn enqueue(
        &mut self,
        link: Link,
        place: Place,
        priority: f64,
        number: u32,
    ) -> Result<(), StoreError> {
        let key = link.key();
        self.store.put(Table::Queue, queue_key(number, place), key.to_vec());
        let (link, age, status) = (Box::new(link), place.age, OpenStatus::Queued);
        self.set_link_state(key, &LinkState::Open { link, priority, age, host: number, status })?;
        self.totals.queued += 1;
        self.hosts.count_queued(number, true);
        let most = self.hosts.head_size();
        self.hosts.queue_mut(number).insert(place, key, most);
        if let Some(worst) = &mut self.worst {
            worst.added(number, place);
        }
        self.hosts.reschedule(number, self.now, self.limits.connections);
        Ok(())
    }

    /// Removes a place from a host's queue.
    pub(super) fn dequeue(&mut self, number: u32, place: Place) -> Result<(), StoreError> {
        self.store.delete(Table::Queue, &queue_key(number, place));
        self.totals.queued = self.totals.queued.saturating_sub(1);
        self.hosts.count_queued(number, false);
        self.hosts.queue_mut(number).remove(place);
        self.refill(number)?;
        self.hosts.reschedule(number, self.now, self.limits.connections);
        Ok(())
    }

    /// Reads a host's next links into memory, if it has none there but some on disk.
    fn refill(&mut self, number: u32) -> Result<(), StoreError> {
        let Some(from) = self.hosts.get(number).queue.refill_from() else { return Ok(()) };
        let most = self.hosts.head_size().div_ceil(8).max(4);
        let prefix = number.to_be_bytes();
        let found = self.store.scan(Table::Queue, &queue_key(number, from), &prefix, most)?;
        let link = |(key, value): (Vec<u8>, Vec<u8>)| {
            let place = queue_place(&key).ok_or_else(|| damaged("a place in a queue"))?;
            Ok((place, value.as_slice().try_into().map_err(|_| damaged("a queue"))?))
        };
        let found = found.into_iter().map(link).collect::<Result<_, StoreError>>()?;
        self.hosts.queue_mut(number).refill(found, most);
        Ok(())
    }

    /// Counts one more URL of its pattern; returns false if there are too many.
    fn count_pattern(&mut self, url: &Url) -> Result<bool, StoreError> {
        let Some(pattern) = pattern(url) else { return Ok(true) };
        let count = self.of_pattern(&pattern)?;
        if count >= self.limits.pattern {
            return Ok(false);
        }
        self.set_pattern(&pattern, count + 1);
        Ok(true)
    }

    /// Returns the number of URLs that were counted for a pattern.
    fn of_pattern(&self, pattern: &str) -> Result<u32, StoreError> {
        let found = self.store.get(Table::Patterns, &xxh3_64(pattern.as_bytes()).to_be_bytes())?;
        Ok(found.and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes))
    }

    fn set_pattern(&mut self, pattern: &str, count: u32) {
        let key = xxh3_64(pattern.as_bytes()).to_be_bytes();
        self.store.put(Table::Patterns, key.to_vec(), count.to_be_bytes().to_vec());
    }

    pub(super) fn add(
        &mut self,
        link: Link,
        priority: f64,
        age: Option<u64>,
    ) -> Result<Offer, StoreError> {
        let key = link.key();
        match self.link_state(key)? {
            None => {}
            Some(LinkState::Open {
                link: old,
                priority: before,
                age,
                host,
                status: OpenStatus::Queued,
            }) if priority > before => {
                self.dequeue(host, Place::new(before, age))?;
                // The link and its attempts stay as they are; only the reason for fetching it is
                // new.
                let depth = old.depth.min(link.depth);
                let (parent, anchor, scores) = (link.parent, link.anchor, link.scores);
                let link = Link { depth, parent, anchor, scores, ..*old };
                self.enqueue(link, Place::new(priority, age), priority, host)?;
                return Ok(Offer::Raised);
            }
            Some(LinkState::Done) => return Ok(Offer::Done),
            Some(_) => return Ok(Offer::Known),
        }
        if link.depth > 0 && !self.count_pattern(&link.url)? {
            return Ok(Offer::PatternFull);
        }
        let Some(number) = self.hosts.number(&link.url, &self.limits) else {
            return Ok(Offer::HostsFull);
        };
        let age = age.unwrap_or(self.totals.next_age);
        let place = Place::new(priority, age);
        if let Some(refusal) = self.make_room(number, place)? {
            return Ok(refusal);
        }
        if link.target == Target::Sitemap {
            let pattern = sitemaps_pattern(link.host());
            let count = self.of_pattern(&pattern)?;
            self.set_pattern(&pattern, count.saturating_add(1));
        }
        self.totals.next_age += 1;
        self.totals.known += 1;
        self.enqueue(link, place, priority, number)?;
        Ok(Offer::Queued)
    }

    /// Puts a waiting link on lease.
    fn lease(
        &mut self,
        link: Box<Link>,
        priority: f64,
        age: u64,
        host: u32,
    ) -> Result<Lease, StoreError> {
        let key = link.key();
        self.dequeue(host, Place::new(priority, age))?;
        let status = OpenStatus::Leased;
        let state = LinkState::Open { link, priority, age, host, status };
        self.set_link_state(key, &state)?;
        self.store.put(Table::Leases, key.to_vec(), Vec::new());
        self.totals.leased += 1;
        self.begin_request(host);
        let HostFacts { pages: host_pages, health, machine, .. } = self.hosts.get(host).facts;
        let LinkState::Open { link, .. } = state else { return Err(damaged("a waiting link")) };
        Ok(Lease { link: *link, priority, age, host_pages, health, machine, epoch: 0 })
    }

    /// Counts a request to a host that starts now, and reserves its machine.
    fn begin_request(&mut self, host: u32) {
        self.hosts.change(host).active += 1;
        self.hosts.delay_machine(host, self.now + self.limits.machine_delay, self.now);
        self.hosts.reschedule(host, self.now, self.limits.connections);
    }

    /// Counts a request to a host that has ended. The host may be asked again at `ready_at`.
    fn end_request(&mut self, host: u32, ready_at: u64) {
        let of = self.hosts.change(host);
        of.active = of.active.saturating_sub(1);
        of.facts.ready_at = of.facts.ready_at.max(ready_at);
        of.facts.delay = ready_at.saturating_sub(self.now);
        self.hosts.reschedule(host, self.now, self.limits.connections);
    }

    /// Ends the lease of a link, but not the request that it was taken for.
    fn end_lease(&mut self, lease: &Lease) -> Result<u32, StoreError> {
        self.store.delete(Table::Leases, &lease.link.key());
        self.totals.leased = self.totals.leased.saturating_sub(1);
        let host = self.host_of_lease(lease)?;
        if self.hosts.get(host).facts.health != lease.health {
            self.hosts.set_health(host, lease.health);
        }
        Ok(host)
    }

    /// Puts the best link of all hosts that may be asked now on lease.
    fn lease_best(&mut self) -> Result<Option<Lease>, StoreError> {
        let Some(number) = self.hosts.best() else { return Ok(None) };
        self.refill(number)?;
        let best = self.hosts.get(number).queue.best_in_memory();
        let (place, key) = best.ok_or_else(|| damaged("a ready host"))?;
        let Some(LinkState::Open { link, priority, age, host, .. }) = self.link_state(key)? else {
            return Err(damaged("a waiting link"));
        };
        if (Place::new(priority, age), host) != (place, number) {
            return Err(damaged("the place of a waiting link"));
        }
        self.lease(link, priority, age, host).map(Some)
    }

    /// Sets the time, returns postponed links to their queues, and lists hosts whose delay has
    /// passed.
    fn wake(&mut self, now: u64) -> Result<(), StoreError> {
        self.now = now;
        while let Some((due, key)) = self.postponed.next_due(now) {
            self.postponed.remove(due, key);
            self.store.delete(Table::Postponed, &Postponed::key(due, key));
            if let Some(LinkState::Open { link, priority, age, host, .. }) = self.link_state(key)? {
                self.enqueue(*link, Place::new(priority, age), priority, host)?;
            }
        }
        self.hosts.wake(now, self.limits.connections);
        Ok(())
    }

    /// Returns the number of a leased link's host.
    fn host_of_lease(&self, lease: &Lease) -> Result<u32, StoreError> {
        let number = self.hosts.find(HostKey::of(lease.link.host()));
        number.ok_or_else(|| damaged("the host of a lease"))
    }
}

/// Returns the pattern of a URL: the host, the path with `#` in place of numbers, and the names of
/// the parameters. Returns none for a URL without numbers and parameters, because its pattern would
/// match only itself.
fn pattern(url: &Url) -> Option<String> {
    let path = url.path();
    if url.query().is_none() && !path.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut pattern = format!("{} ", host_of(url));
    for character in path.chars() {
        match character {
            '0'..='9' if pattern.ends_with('#') => {}
            '0'..='9' => pattern.push('#'),
            other => pattern.push(other),
        }
    }
    for parameter in url.query().unwrap_or_default().split('&') {
        pattern.push('&');
        pattern.push_str(parameter.split('=').next().unwrap_or_default());
    }
    Some(pattern)
}

/// Returns the pattern by which the sitemaps of a host are counted; no URL has it.
fn sitemaps_pattern(host: &str) -> String {
    format!("sitemaps of {host}")
}

pub(super) fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(format!("cannot read {what}"))
}

impl Frontier for LocalState {
    fn offer_all(&mut self, links: Vec<RankedLink>) -> Result<Vec<Offer>, StoreError> {
        links
            .into_iter()
            .map(|RankedLink { link, rank: priority }| self.add(link, priority, None))
            .collect()
    }

    fn offer_in_place(&mut self, link: Link, of: &Lease) -> Result<Offer, StoreError> {
        self.add(link, of.priority, Some(of.age))
    }

    fn take_many(&mut self, now: u64, most: usize) -> Result<Vec<Lease>, StoreError> {
        self.wake(now)?;
        let mut leases = Vec::new();
        while leases.len() < most
            && let Some(lease) = self.lease_best()?
        {
            leases.push(lease);
        }
        Ok(leases)
    }

    fn take(&mut self, key: &LinkKey, _: HostKey, now: u64) -> Result<Take, StoreError> {
        self.wake(now)?;
        let Some(LinkState::Open { link, priority, age, host, status }) = self.link_state(*key)?
        else {
            return Ok(Take::Gone);
        };
        match status {
            OpenStatus::Leased => Ok(Take::Gone),
            OpenStatus::Queued if self.hosts.is_ready(host, now) => {
                Ok(Take::Taken(Box::new(self.lease(link, priority, age, host)?)))
            }
            OpenStatus::Queued | OpenStatus::Postponed => Ok(Take::HostNotReady),
        }
    }

    fn finish(&mut self, lease: &Lease, ready_at: u64, has_page: bool) -> Result<(), StoreError> {
        let host = self.end_lease(lease)?;
        self.set_link_state(lease.link.key(), &LinkState::Done)?;
        self.hosts.change(host).facts.pages += u64::from(has_page);
        self.end_request(host, ready_at);
        Ok(())
    }

    fn give_back(&mut self, lease: Lease, ready_at: u64) -> Result<(), StoreError> {
        let host = self.end_lease(&lease)?;
        self.end_request(host, ready_at);
        let place = Place::new(lease.priority, lease.age);
        self.enqueue(lease.link, place, lease.priority, host)
    }

    fn postpone(&mut self, lease: Lease, due: u64, ready_at: u64) -> Result<(), StoreError> {
        let host = self.end_lease(&lease)?;
        let Lease { link, priority, age, .. } = lease;
        let key = link.key();
        let (link, status) = (Box::new(link), OpenStatus::Postponed);
        self.set_link_state(key, &LinkState::Open { link, priority, age, host, status })?;
        self.postponed.add(due, key);
        self.store.put(Table::Postponed, Postponed::key(due, key), Vec::new());
        self.end_request(host, ready_at);
        Ok(())
    }

    fn reopen(&mut self, link: RankedLink) -> Result<bool, StoreError> {
        let RankedLink { link, rank } = link;
        if self.link_state(link.key())? != Some(LinkState::Done) {
            return Ok(false);
        }
        let Some(host) = self.hosts.number(&link.url, &self.limits) else { return Ok(false) };
        let place = Place::new(rank, self.totals.next_age);
        self.totals.next_age += 1;
        self.enqueue(link, place, rank, host)?;
        Ok(true)
    }

    fn visit_instead(&mut self, lease: Lease) -> Result<(), StoreError> {
        let host = self.end_lease(&lease)?;
        let place = Place::new(lease.priority, lease.age);
        self.enqueue(lease.link, place, lease.priority, host)
    }

    fn visit(&mut self, url: &Url, machine: Option<IpAddr>, now: u64) -> Result<Visit, StoreError> {
        self.wake(now)?;
        let Some(number) = self.hosts.number(url, &self.limits) else {
            return Ok(Visit::Refused);
        };
        if let Some(machine) = machine.filter(|_| self.hosts.get(number).facts.machine != machine) {
            self.hosts.set_machine(number, machine, now, self.limits.connections);
        }
        let host = self.hosts.get(number);
        let ready_at = host.facts.ready_at.max(self.hosts.machine_ready_at(number));
        if ready_at > now {
            return Ok(Visit::NotBefore(ready_at));
        }
        if host.active >= self.limits.connections {
            return Ok(Visit::Busy);
        }
        self.begin_request(number);
        Ok(Visit::Begun)
    }

    fn end_visit(&mut self, host: HostKey, ready_at: u64) {
        if let Some(number) = self.hosts.find(host) {
            self.end_request(number, ready_at);
        }
    }

    fn sitemaps_of(&self, host: &str) -> Result<u32, StoreError> {
        self.of_pattern(&sitemaps_pattern(host))
    }

    fn hold(&mut self, host: HostKey) {
        if let Some(number) = self.hosts.find(host) {
            self.hosts.change(number).holds += 1;
            self.hosts.reschedule(number, self.now, self.limits.connections);
        }
    }

    fn release(&mut self, host: HostKey) {
        if let Some(number) = self.hosts.find(host) {
            let of = self.hosts.change(number);
            of.holds = of.holds.saturating_sub(1);
            self.hosts.reschedule(number, self.now, self.limits.connections);
        }
    }

    fn set_health(&mut self, host: HostKey, health: HostHealth, ready_at: u64) {
        if let Some(number) = self.hosts.find(host) {
            self.hosts.set_health(number, health);
            let facts = &mut self.hosts.change(number).facts;
            facts.ready_at = facts.ready_at.max(ready_at);
            self.hosts.reschedule(number, self.now, self.limits.connections);
        }
    }

    fn health(&self, host: HostKey) -> HostHealth {
        let number = self.hosts.find(host);
        number.map(|number| self.hosts.get(number).facts.health).unwrap_or_default()
    }

    fn set_machine(&mut self, host: HostKey, machine: IpAddr, now: u64) -> Option<u64> {
        let number = self.hosts.find(host)?;
        self.hosts.set_machine(number, machine, now, self.limits.connections);
        let ready_at = self.hosts.machine_ready_at(number);
        if ready_at > now {
            return Some(ready_at);
        }
        self.hosts.delay_machine(number, now + self.limits.machine_delay, now);
        None
    }

    fn is_ready(&self, link: &LinkKey, host: HostKey, now: u64) -> bool {
        !self.postponed.contains(link)
            && self.hosts.find(host).is_some_and(|number| self.hosts.is_ready(number, now))
    }

    fn idle(&mut self, now: u64) -> Idle {
        self.hosts.wake(now, self.limits.connections);
        let times = [self.hosts.next_wake(), self.postponed.first_due()];
        match times.into_iter().flatten().min() {
            Some(time) => Idle::Until(time),
            None if self.totals.leased > 0 => Idle::Busy,
            None => Idle::Empty,
        }
    }

    fn counts(&self) -> FrontierCounts {
        let hosts = self.hosts.tally();
        let postponed = self.postponed.len() as u64;
        FrontierCounts {
            known: self.totals.known,
            queued: self.totals.queued + postponed,
            leased: self.totals.leased,
            hosts: self.hosts.len() as u64,
            open_hosts: hosts.with_links,
            delayed_hosts: hosts.waiting,
            failing_hosts: hosts.failing,
            failing_open_hosts: hosts.failing_with_links,
            postponed,
            dropped: self.totals.dropped,
        }
    }

    fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)> {
        let counted = self.hosts.iter().filter(|host| host.facts.pages > 0);
        let mut hosts: Vec<_> =
            counted.map(|it| (it.facts.name.to_string(), it.facts.pages)).collect();
        hosts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        hosts.truncate(most);
        hosts
    }
}

impl ContentIndex for LocalState {
    fn same_bytes(
        &mut self,
        digest: &str,
        page: &Seen,
        is_kept: bool,
    ) -> Result<Option<Seen>, StoreError> {
        duplicates::same_bytes(self.store.as_mut(), digest, page, is_kept)
    }

    fn record_page(&mut self, url: &str) {
        duplicates::record_page(self.store.as_mut(), url);
    }

    fn has_page(&self, url: &str) -> Result<bool, StoreError> {
        duplicates::has_page(self.store.as_ref(), url)
    }

    fn near_text(&mut self, simhash: u64, url: &str) -> Result<Option<String>, StoreError> {
        duplicates::near_text(self.store.as_mut(), simhash, url)
    }
}

impl WebFacts for LocalState {
    fn robots(&self, site: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(Table::Robots, site.as_bytes())
    }

    fn keep_robots(&mut self, site: &str, file: Vec<u8>) {
        self.store.put(Table::Robots, site.as_bytes().to_vec(), file);
    }

    fn names(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(Table::State, NAMES)
    }

    fn keep_names(&mut self, names: Vec<u8>) {
        self.store.put(Table::State, NAMES.to_vec(), names);
    }

    fn templates(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let stored = self.store.scan(Table::State, TEMPLATE, TEMPLATE, usize::MAX)?;
        let host = |key: &[u8]| String::from_utf8_lossy(&key[TEMPLATE.len()..]).into_owned();
        Ok(stored.into_iter().map(|(key, counts)| (host(&key), counts)).collect())
    }

    fn keep_template(&mut self, host: &str, counts: Option<Vec<u8>>) {
        let key = [TEMPLATE, host.as_bytes()].concat();
        match counts {
            Some(counts) => self.store.put(Table::State, key, counts),
            None => self.store.delete(Table::State, &key),
        }
    }
}

impl Journal for LocalState {
    fn record(&mut self, notes: Notes) -> Result<(), StoreError> {
        if let Some(state) = notes.state {
            for (key, _) in self.store.scan(Table::Notes, &[], &[], usize::MAX)? {
                self.store.delete(Table::Notes, &key);
            }
            self.store.put(Table::State, PILOT.to_vec(), state);
        }
        for note in notes.since {
            self.store.put(Table::Notes, self.totals.notes.to_be_bytes().to_vec(), note);
            self.totals.notes += 1;
        }
        Ok(())
    }

    fn recorded(&self) -> Result<Notes, StoreError> {
        let since = self.store.scan(Table::Notes, &[], &[], usize::MAX)?;
        let since = since.into_iter().map(|(_, note)| note).collect();
        Ok(Notes { state: self.store.get(Table::State, PILOT)?, since })
    }
}

impl Checkpoint for LocalState {
    fn commit(&mut self, run: Vec<u8>) -> Result<(), StoreError> {
        self.write_facts()?;
        self.store.put(Table::State, STATE.to_vec(), run);
        self.store.commit()
    }

    fn committed(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(Table::State, STATE)
    }

    fn is_durable(&self) -> bool {
        self.is_durable
    }
}

impl Company for LocalState {}

impl std::fmt::Debug for LocalState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalState").field("totals", &self.totals).finish_non_exhaustive()
    }
}

#[cfg(feature = "shared")]
mod partition;
#[cfg(test)]
mod tests;
