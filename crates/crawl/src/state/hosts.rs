//! The hosts: which may be asked now, and which of those has the best link.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ontrail_pilot::{HostKey, LinkKey, Place, host_of};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::frontier::FrontierLimits;
use crate::scope::site;

/// The key of a place in the queue of a host: keys of one host sort as places do.
pub(crate) fn queue_key(host: u32, place: Place) -> Vec<u8> {
    [&host.to_be_bytes()[..], &place.to_bytes()].concat()
}

/// The place that a key is of.
pub(crate) fn queue_place(key: &[u8]) -> Option<Place> {
    key.get(4..).and_then(|bytes| bytes.try_into().ok()).map(Place::from_bytes)
}

/// A host and its queue. The best links are in memory, the others only on disk: all places before `floor` are in
/// `head`. So the next link is found without passing over the many that were taken before it.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) facts: Facts,
    pub(crate) head: BTreeMap<Place, LinkKey>,
    pub(crate) floor: Place,
    /// Fetches that are under way.
    pub(crate) active: u32,
    standing: Standing,
}

/// What is kept of a host on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) name: String,
    /// Links that wait.
    pub(crate) queued: u64,
    /// Pages that were fetched.
    pub(crate) pages: u64,
    /// When it may be asked again.
    pub(crate) rest_until: u64,
}

/// Where a host stands in line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Nowhere: it has no links, or as many connections as it may.
    Out,
    /// Among those that may be asked, by its best link.
    Ready(Place),
    /// Among those that rest, until a time.
    Resting(u64),
}

/// All hosts.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    pub(crate) list: Vec<Host>,
    numbers: HashMap<HostKey, u32>,
    /// How many hosts each site has.
    sites: HashMap<String, u32>,
    ready: BTreeSet<(Place, u32)>,
    resting: BTreeSet<(u64, u32)>,
    pub(crate) changed: BTreeSet<u32>,
}

impl Hosts {
    /// The number of the host of an address, given one if it is new; none if there are too many.
    pub(crate) fn number(&mut self, url: &Url, limits: &FrontierLimits) -> Option<u32> {
        let name = host_of(url);
        if let Some(number) = self.find(HostKey::of(name)) {
            return Some(number);
        }
        let of_site = self.sites.get(site(url).unwrap_or(name)).copied().unwrap_or(0);
        if self.list.len() >= limits.hosts as usize || of_site >= limits.hosts_of_site {
            return None;
        }
        Some(self.add(Facts { name: name.to_owned(), queued: 0, pages: 0, rest_until: 0 }))
    }

    pub(crate) fn add(&mut self, facts: Facts) -> u32 {
        let number = u32::try_from(self.list.len()).expect("hosts are fewer than their limit");
        let url = Url::parse(&format!("http://{}/", facts.name)).ok();
        let site = url.as_ref().and_then(site).unwrap_or(&facts.name);
        *self.sites.entry(site.to_owned()).or_default() += 1;
        self.numbers.insert(HostKey::of(&facts.name), number);
        let floor = if facts.queued == 0 { Place::LAST } else { Place::FIRST };
        let head = BTreeMap::new();
        self.list.push(Host { facts, head, floor, active: 0, standing: Standing::Out });
        self.changed.insert(number);
        number
    }

    pub(crate) fn get(&self, number: u32) -> &Host {
        &self.list[number as usize]
    }

    /// A host, to change it. [`Hosts::line_up`] must follow.
    pub(crate) fn change(&mut self, number: u32) -> &mut Host {
        self.changed.insert(number);
        &mut self.list[number as usize]
    }

    /// Lets hosts that have rested enough be asked.
    pub(crate) fn wake(&mut self, now: u64, connections: u32) {
        while let Some(&(until, number)) = self.resting.first()
            && until <= now
        {
            self.line_up(number, now, connections);
        }
    }

    /// Puts a host where it belongs.
    pub(crate) fn line_up(&mut self, number: u32, now: u64, connections: u32) {
        let host = &mut self.list[number as usize];
        match host.standing {
            Standing::Out => {}
            Standing::Ready(place) => {
                self.ready.remove(&(place, number));
            }
            Standing::Resting(until) => {
                self.resting.remove(&(until, number));
            }
        }
        host.standing = match host.head.first_key_value() {
            _ if host.active >= connections => Standing::Out,
            None => Standing::Out,
            Some(_) if host.facts.rest_until > now => Standing::Resting(host.facts.rest_until),
            Some((&place, _)) => Standing::Ready(place),
        };
        match host.standing {
            Standing::Out => {}
            Standing::Ready(place) => {
                self.ready.insert((place, number));
            }
            Standing::Resting(until) => {
                self.resting.insert((until, number));
            }
        }
    }

    /// The host with the best link of those that may be asked.
    pub(crate) fn best(&self) -> Option<u32> {
        self.ready.first().map(|(_, number)| *number)
    }

    /// The number of a host that is known.
    pub(crate) fn find(&self, host: HostKey) -> Option<u32> {
        self.numbers.get(&host).copied()
    }

    /// Whether a host may be asked at the time `now`, and has links that wait.
    pub(crate) fn is_ready(&self, number: u32, now: u64) -> bool {
        match self.get(number).standing {
            Standing::Ready(_) => true,
            Standing::Resting(until) => until <= now,
            Standing::Out => false,
        }
    }

    /// When the next host has rested enough.
    pub(crate) fn next_wake(&self) -> Option<u64> {
        self.resting.first().map(|(until, _)| *until)
    }

    /// How many hosts have links that wait.
    pub(crate) fn open(&self) -> usize {
        self.ready.len() + self.resting.len()
    }
}
