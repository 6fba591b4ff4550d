//! The hosts: which of them may be asked now, and which of those has the best link.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ontrail_pilot::{HostKey, LinkKey, Place, host_of};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::frontier::FrontierLimits;
use crate::scope::site;

/// Returns the key of a place in the queue of a host. The keys of one host sort in the order of
/// places.
pub(crate) fn queue_key(host: u32, place: Place) -> Vec<u8> {
    [&host.to_be_bytes()[..], &place.to_bytes()].concat()
}

/// Returns the place encoded in a key.
pub(crate) fn queue_place(key: &[u8]) -> Option<Place> {
    key.get(4..).and_then(|bytes| bytes.try_into().ok()).map(Place::from_bytes)
}

/// A host and its queue. The best links are in memory, the others only on disk: all places before
/// `floor` are in `head`. So the next link is found without scanning past the deletion marks of the
/// many links taken before it.
#[derive(Debug, Clone)]
pub(crate) struct HostQueue {
    pub(crate) facts: Facts,
    pub(crate) head: BTreeMap<Place, LinkKey>,
    pub(crate) floor: Place,
    /// Fetches in progress.
    pub(crate) active: u32,
    state: HostState,
}

/// The facts about a host that are stored on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) name: String,
    /// Links that wait.
    pub(crate) queued: u64,
    /// Pages fetched.
    pub(crate) pages: u64,
    /// The time at which the host may be asked again.
    pub(crate) ready_at: u64,
}

/// The state of a host: which of the sets in [`Hosts`] it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostState {
    /// In none: the host has no links, or has reached its limit of connections.
    Unavailable,
    /// In `ready`, by the place of its best link.
    Ready(Place),
    /// In `delayed`, until its crawl delay has passed.
    Delayed(u64),
}

/// All hosts.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    pub(crate) list: Vec<HostQueue>,
    numbers: HashMap<HostKey, u32>,
    /// Number of hosts of each site.
    sites: HashMap<String, u32>,
    ready: BTreeSet<(Place, u32)>,
    delayed: BTreeSet<(u64, u32)>,
    pub(crate) changed: BTreeSet<u32>,
}

impl Hosts {
    /// Returns the number of a URL's host, and assigns one if the host is new; none if there are
    /// too many hosts.
    pub(crate) fn number(&mut self, url: &Url, limits: &FrontierLimits) -> Option<u32> {
        let name = host_of(url);
        if let Some(number) = self.find(HostKey::of(name)) {
            return Some(number);
        }
        let of_site = self.sites.get(site(url).unwrap_or(name)).copied().unwrap_or(0);
        if self.list.len() >= limits.hosts as usize || of_site >= limits.hosts_of_site {
            return None;
        }
        Some(self.add(Facts { name: name.to_owned(), queued: 0, pages: 0, ready_at: 0 }))
    }

    pub(crate) fn add(&mut self, facts: Facts) -> u32 {
        let number = u32::try_from(self.list.len()).expect("hosts are fewer than their limit");
        let url = Url::parse(&format!("http://{}/", facts.name)).ok();
        let site = url.as_ref().and_then(site).unwrap_or(&facts.name);
        *self.sites.entry(site.to_owned()).or_default() += 1;
        self.numbers.insert(HostKey::of(&facts.name), number);
        let floor = if facts.queued == 0 { Place::LAST } else { Place::FIRST };
        let head = BTreeMap::new();
        self.list.push(HostQueue { facts, head, floor, active: 0, state: HostState::Unavailable });
        self.changed.insert(number);
        number
    }

    pub(crate) fn get(&self, number: u32) -> &HostQueue {
        &self.list[number as usize]
    }

    /// Returns a host for modification. [`Hosts::reschedule`] must be called afterwards.
    pub(crate) fn change(&mut self, number: u32) -> &mut HostQueue {
        self.changed.insert(number);
        &mut self.list[number as usize]
    }

    /// Makes hosts ready whose crawl delay has passed.
    pub(crate) fn wake(&mut self, now: u64, connections: u32) {
        while let Some(&(until, number)) = self.delayed.first()
            && until <= now
        {
            self.reschedule(number, now, connections);
        }
    }

    /// Moves a host to the set in which it belongs.
    pub(crate) fn reschedule(&mut self, number: u32, now: u64, connections: u32) {
        let host = &mut self.list[number as usize];
        match host.state {
            HostState::Unavailable => {}
            HostState::Ready(place) => {
                self.ready.remove(&(place, number));
            }
            HostState::Delayed(until) => {
                self.delayed.remove(&(until, number));
            }
        }
        host.state = match host.head.first_key_value() {
            _ if host.active >= connections => HostState::Unavailable,
            None => HostState::Unavailable,
            Some(_) if host.facts.ready_at > now => HostState::Delayed(host.facts.ready_at),
            Some((&place, _)) => HostState::Ready(place),
        };
        match host.state {
            HostState::Unavailable => {}
            HostState::Ready(place) => {
                self.ready.insert((place, number));
            }
            HostState::Delayed(until) => {
                self.delayed.insert((until, number));
            }
        }
    }

    /// Returns the host with the best link among those that may be asked.
    pub(crate) fn best(&self) -> Option<u32> {
        self.ready.first().map(|(_, number)| *number)
    }

    /// Returns the number of a host, if it is known.
    pub(crate) fn find(&self, host: HostKey) -> Option<u32> {
        self.numbers.get(&host).copied()
    }

    /// Returns true if a host may be asked at the time `now` and has links that wait.
    pub(crate) fn is_ready(&self, number: u32, now: u64) -> bool {
        match self.get(number).state {
            HostState::Ready(_) => true,
            HostState::Delayed(until) => until <= now,
            HostState::Unavailable => false,
        }
    }

    /// Returns the time at which the next crawl delay ends.
    pub(crate) fn next_wake(&self) -> Option<u64> {
        self.delayed.first().map(|(until, _)| *until)
    }

    /// Returns the number of hosts with links that wait and a free connection.
    pub(crate) fn open(&self) -> usize {
        self.ready.len() + self.delayed.len()
    }
}
