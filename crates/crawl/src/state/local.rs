//! The state of a crawl on one machine, in memory or on disk.

use std::path::Path;

use fastbloom::BloomFilter;
use ontrail_pilot::{HostKey, Link, LinkKey, Notes, Offer, Place, RankedLink, host_of};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::hosts::{Facts, Hosts, queue_key, queue_place};
use super::{Checkpoint, ContentIndex, Journal, Seen, duplicates};
use crate::frontier::{Frontier, FrontierCounts, FrontierLimits, Idle, Lease, Take};
use crate::store::{DiskStore, MemoryStore, Store, StoreError, Table};

/// Number of links of a host that are read from disk at a time.
const REFILL: usize = 32;
/// Maximum number of a host's links in memory, and the number that stays when there are more.
const MOST_IN_HEAD: usize = 256;
const KEPT_IN_HEAD: usize = 128;

/// The size in bits of the Bloom filter that distinguishes most new URLs from known ones without
/// reading from disk. At ten million URLs it is wrong for one new URL in twenty-five, which costs a
/// read.
const FILTER_BITS: usize = 1 << 26;

const STATE: &[u8] = b"state";
const TOTALS: &[u8] = b"totals";
const PILOT: &[u8] = b"pilot";
const FORMAT: &[u8] = b"format";

/// The version of the stored format. A state of another version is refused rather than misread.
const STATE_FORMAT: u32 = 2;

/// The state of a crawl on one machine.
pub struct LocalState {
    store: Box<dyn Store>,
    /// The URLs that may have been seen; a URL that is not in the filter was not.
    seen: BloomFilter,
    hosts: Hosts,
    limits: FrontierLimits,
    totals: Totals,
    now: u64,
    is_durable: bool,
}

/// Counters that are stored with the links.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Totals {
    known: u64,
    queued: u64,
    leased: u64,
    next_age: u64,
    /// Notes that were ever stored.
    notes: u64,
}

/// The state of a URL that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum LinkState {
    /// The link waits, or is on lease.
    Open { link: Box<Link>, priority: f64, age: u64, host: u32, is_leased: bool },
    /// The link is finished.
    Done,
}

impl LocalState {
    /// Creates a state in memory.
    #[must_use]
    pub fn in_memory(limits: FrontierLimits) -> Self {
        let store = Box::<MemoryStore>::default();
        let (hosts, totals) = (Hosts::default(), Totals::default());
        Self { store, seen: filter(), hosts, limits, totals, now: 0, is_durable: false }
    }

    /// Opens the state in a folder, or creates it. Links that were on lease when an earlier crawl
    /// died return to their queues.
    pub fn on_disk(folder: &Path, limits: FrontierLimits) -> Result<Self, StoreError> {
        let mut frontier = Self {
            store: Box::new(DiskStore::open(folder)?),
            seen: filter(),
            hosts: Hosts::default(),
            limits,
            totals: Totals::default(),
            now: 0,
            is_durable: true,
        };
        frontier.recover()?;
        Ok(frontier)
    }

    fn recover(&mut self) -> Result<(), StoreError> {
        if let Some(totals) = self.store.get(Table::State, TOTALS)? {
            let format = self.store.get(Table::State, FORMAT)?;
            if format.as_deref() != Some(&STATE_FORMAT.to_be_bytes()[..]) {
                return Err(StoreError::OtherVersion);
            }
            self.totals = postcard::from_bytes(&totals)?;
        }
        let (mut from, most) = (Vec::new(), 10_000);
        loop {
            let known = self.store.scan(Table::Links, &from, &[], most)?;
            known.iter().for_each(|(key, _)| _ = self.seen.insert(key));
            match known.last() {
                Some((last, _)) if known.len() == most => from = [last.as_slice(), &[0]].concat(),
                _ => break,
            }
        }
        for (_, facts) in self.store.scan(Table::Hosts, &[], &[], usize::MAX)? {
            self.hosts.add(postcard::from_bytes::<Facts>(&facts)?);
        }
        self.hosts.changed.clear();
        for (key, _) in self.store.scan(Table::Leases, &[], &[], usize::MAX)? {
            self.release(key.as_slice().try_into().map_err(|_| damaged("a lease"))?)?;
        }
        for number in 0..u32::try_from(self.hosts.list.len()).unwrap_or(u32::MAX) {
            self.refill(number)?;
            self.hosts.reschedule(number, self.now, self.limits.connections);
        }
        Ok(())
    }

    /// Returns a link that was on lease to its place in the queue.
    fn release(&mut self, key: LinkKey) -> Result<(), StoreError> {
        self.store.delete(Table::Leases, &key);
        self.totals.leased = self.totals.leased.saturating_sub(1);
        if let Some(LinkState::Open { link, priority, age, host, .. }) = self.link_state(key)? {
            self.enqueue(*link, Place::new(priority, age), priority, host)?;
        }
        Ok(())
    }

    fn link_state(&self, key: LinkKey) -> Result<Option<LinkState>, StoreError> {
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
        let (link, age) = (Box::new(link), place.age);
        let state = LinkState::Open { link, priority, age, host: number, is_leased: false };
        self.set_link_state(key, &state)?;
        self.totals.queued += 1;
        let host = self.hosts.change(number);
        host.facts.queued += 1;
        if place < host.floor {
            host.head.insert(place, key);
            if host.head.len() > MOST_IN_HEAD
                && let Some((&floor, _)) = host.head.iter().nth(KEPT_IN_HEAD)
            {
                host.head.split_off(&floor);
                host.floor = floor;
            }
        }
        self.hosts.reschedule(number, self.now, self.limits.connections);
        Ok(())
    }

    /// Removes a place from a host's queue.
    fn dequeue(&mut self, number: u32, place: Place) -> Result<(), StoreError> {
        self.store.delete(Table::Queue, &queue_key(number, place));
        self.totals.queued = self.totals.queued.saturating_sub(1);
        let host = self.hosts.change(number);
        host.facts.queued = host.facts.queued.saturating_sub(1);
        host.head.remove(&place);
        self.refill(number)
    }

    /// Reads a host's next links into memory, if it has none there but some on disk.
    fn refill(&mut self, number: u32) -> Result<(), StoreError> {
        let host = self.hosts.get(number);
        if !host.head.is_empty() || host.floor == Place::LAST {
            return Ok(());
        }
        let prefix = number.to_be_bytes();
        let found =
            self.store.scan(Table::Queue, &queue_key(number, host.floor), &prefix, REFILL)?;
        let host = &mut self.hosts.list[number as usize];
        for (key, value) in &found {
            let place = queue_place(key).ok_or_else(|| damaged("a place in a queue"))?;
            let link = value.as_slice().try_into().map_err(|_| damaged("a queue"))?;
            host.head.insert(place, link);
        }
        let last = host.head.last_key_value().filter(|_| found.len() == REFILL);
        host.floor = last.map_or(Place::LAST, |(place, _)| place.behind());
        Ok(())
    }

    /// Counts one more URL of its pattern; returns false if there are too many.
    fn count_pattern(&mut self, url: &Url) -> Result<bool, StoreError> {
        let Some(pattern) = pattern(url) else { return Ok(true) };
        let key = xxh3_64(pattern.as_bytes()).to_be_bytes();
        let found = self.store.get(Table::Patterns, &key)?;
        let count = found.and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes);
        if count >= self.limits.pattern {
            return Ok(false);
        }
        self.store.put(Table::Patterns, key.to_vec(), (count + 1).to_be_bytes().to_vec());
        Ok(true)
    }

    fn add(&mut self, link: Link, priority: f64, age: Option<u64>) -> Result<Offer, StoreError> {
        let key = link.key();
        let known = if self.seen.contains(&key[..]) { self.link_state(key)? } else { None };
        match known {
            None => {}
            Some(LinkState::Open { link: old, priority: before, age, host, is_leased: false })
                if priority > before =>
            {
                self.dequeue(host, Place::new(before, age))?;
                // The link and its attempts stay as they are; only the reason for fetching it is
                // new.
                let depth = old.depth.min(link.depth);
                let (parent, anchor, scores) = (link.parent, link.anchor, link.scores);
                let link = Link { depth, parent, anchor, scores, ..*old };
                self.enqueue(link, Place::new(priority, age), priority, host)?;
                return Ok(Offer::Raised);
            }
            Some(_) => return Ok(Offer::Known),
        }
        if self.totals.queued >= self.limits.queued {
            return Ok(Offer::QueueFull);
        }
        if link.depth > 0 && !self.count_pattern(&link.url)? {
            return Ok(Offer::PatternFull);
        }
        let Some(number) = self.hosts.number(&link.url, &self.limits) else {
            return Ok(Offer::HostsFull);
        };
        let age = age.unwrap_or(self.totals.next_age);
        self.totals.next_age += 1;
        self.totals.known += 1;
        self.seen.insert(&key[..]);
        self.enqueue(link, Place::new(priority, age), priority, number)?;
        Ok(Offer::Queued)
    }

    /// Puts a waiting link on lease.
    fn lease(
        &mut self,
        link: Link,
        priority: f64,
        age: u64,
        host: u32,
    ) -> Result<Lease, StoreError> {
        let key = link.key();
        self.dequeue(host, Place::new(priority, age))?;
        let state = LinkState::Open { link: Box::new(link), priority, age, host, is_leased: true };
        self.set_link_state(key, &state)?;
        self.store.put(Table::Leases, key.to_vec(), Vec::new());
        self.totals.leased += 1;
        let of = self.hosts.change(host);
        of.active += 1;
        let host_pages = of.facts.pages;
        self.hosts.reschedule(host, self.now, self.limits.connections);
        let LinkState::Open { link, .. } = state else { return Err(damaged("a waiting link")) };
        Ok(Lease { link: *link, priority, age, host_pages })
    }

    /// Ends the lease of a link. Its host may be asked again at `ready_at`.
    fn end_lease(&mut self, lease: &Lease, host: u32, ready_at: u64) {
        self.store.delete(Table::Leases, &lease.link.key());
        self.totals.leased = self.totals.leased.saturating_sub(1);
        let of = self.hosts.change(host);
        of.active = of.active.saturating_sub(1);
        of.facts.ready_at = of.facts.ready_at.max(ready_at);
        self.hosts.reschedule(host, self.now, self.limits.connections);
    }

    /// Puts the best link of all hosts that may be asked now on lease.
    fn lease_best(&mut self) -> Result<Option<Lease>, StoreError> {
        let Some(number) = self.hosts.best() else { return Ok(None) };
        let host = self.hosts.get(number);
        let (&place, &key) = host.head.first_key_value().ok_or_else(|| damaged("a ready host"))?;
        let Some(LinkState::Open { link, priority, age, host, .. }) = self.link_state(key)? else {
            return Err(damaged("a waiting link"));
        };
        debug_assert_eq!((Place::new(priority, age), host), (place, number));
        self.lease(*link, priority, age, host).map(Some)
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

fn filter() -> BloomFilter {
    BloomFilter::with_num_bits(FILTER_BITS).seed(&0).hashes(4)
}

fn damaged(what: &str) -> StoreError {
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
        self.now = now;
        self.hosts.wake(now, self.limits.connections);
        let mut leases = Vec::new();
        while leases.len() < most
            && let Some(lease) = self.lease_best()?
        {
            leases.push(lease);
        }
        Ok(leases)
    }

    fn take(&mut self, key: &LinkKey, now: u64) -> Result<Take, StoreError> {
        self.now = now;
        self.hosts.wake(now, self.limits.connections);
        let Some(LinkState::Open { link, priority, age, host, is_leased: false }) =
            self.link_state(*key)?
        else {
            return Ok(Take::Gone);
        };
        if !self.hosts.is_ready(host, now) {
            return Ok(Take::HostNotReady);
        }
        Ok(Take::Taken(Box::new(self.lease(*link, priority, age, host)?)))
    }

    fn finish(&mut self, lease: &Lease, ready_at: u64, has_page: bool) -> Result<(), StoreError> {
        let host = self.host_of_lease(lease)?;
        self.set_link_state(lease.link.key(), &LinkState::Done)?;
        self.hosts.change(host).facts.pages += u64::from(has_page);
        self.end_lease(lease, host, ready_at);
        Ok(())
    }

    fn give_back(&mut self, lease: Lease, ready_at: u64) -> Result<(), StoreError> {
        let host = self.host_of_lease(&lease)?;
        self.end_lease(&lease, host, ready_at);
        let place = Place::new(lease.priority, lease.age);
        self.enqueue(lease.link, place, lease.priority, host)
    }

    fn is_ready(&self, host: HostKey, now: u64) -> bool {
        self.hosts.find(host).is_some_and(|number| self.hosts.is_ready(number, now))
    }

    fn idle(&mut self, now: u64) -> Idle {
        self.hosts.wake(now, self.limits.connections);
        match self.hosts.next_wake() {
            Some(time) => Idle::Until(time),
            None if self.totals.leased > 0 => Idle::Busy,
            None => Idle::Empty,
        }
    }

    fn counts(&self) -> FrontierCounts {
        FrontierCounts {
            known: self.totals.known,
            queued: self.totals.queued,
            leased: self.totals.leased,
            hosts: self.hosts.list.len() as u64,
            open_hosts: self.hosts.open() as u64,
        }
    }

    fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)> {
        let counted = self.hosts.list.iter().filter(|host| host.facts.pages > 0);
        let mut hosts: Vec<_> = counted.map(|it| (it.facts.name.clone(), it.facts.pages)).collect();
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
        for number in std::mem::take(&mut self.hosts.changed) {
            let facts = postcard::to_stdvec(&self.hosts.get(number).facts)?;
            self.store.put(Table::Hosts, number.to_be_bytes().to_vec(), facts);
        }
        self.store.put(Table::State, FORMAT.to_vec(), STATE_FORMAT.to_be_bytes().to_vec());
        self.store.put(Table::State, TOTALS.to_vec(), postcard::to_stdvec(&self.totals)?);
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

impl std::fmt::Debug for LocalState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalState").field("totals", &self.totals).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
