//! The hosts: which may be asked now, and which of those has the best link.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use url::Url;

use super::FrontierLimits;
use crate::link::{LinkKey, host};
use crate::scope::site;

/// A place in a host's queue: better ranks first, then older links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The rank, mapped so that a greater rank gives a smaller number.
    order: u64,
    pub(crate) age: u64,
}

impl Place {
    pub(crate) const FIRST: Self = Self { order: 0, age: 0 };
    pub(crate) const LAST: Self = Self { order: u64::MAX, age: u64::MAX };

    pub(crate) fn new(rank: f64, age: u64) -> Self {
        // Adding 0 makes 0 of -0, and what is no number comes last.
        let bits = if rank.is_nan() { f64::NEG_INFINITY } else { rank + 0.0 }.to_bits();
        let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        Self { order: !ascending, age }
    }

    /// The key of a place in the queue of a host.
    pub(crate) fn key(self, host: u32) -> Vec<u8> {
        [&host.to_be_bytes()[..], &self.order.to_be_bytes(), &self.age.to_be_bytes()].concat()
    }

    /// The place that a key is of.
    pub(crate) fn of_key(key: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u64::from_be_bytes(key.get(at..at + 8)?.try_into().ok()?));
        Some(Self { order: number(4)?, age: number(12)? })
    }

    /// The place right behind this one.
    pub(crate) fn behind(self) -> Self {
        match self.age.checked_add(1) {
            Some(age) => Self { age, ..self },
            None => Self { order: self.order.saturating_add(1), age: 0 },
        }
    }
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
    numbers: HashMap<String, u32>,
    /// How many hosts each site has.
    sites: HashMap<String, u32>,
    ready: BTreeSet<(Place, u32)>,
    resting: BTreeSet<(u64, u32)>,
    pub(crate) changed: BTreeSet<u32>,
}

impl Hosts {
    /// The number of the host of an address, given one if it is new; none if there are too many.
    pub(crate) fn number(&mut self, url: &Url, limits: &FrontierLimits) -> Option<u32> {
        let name = host(url);
        if let Some(&number) = self.numbers.get(name) {
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
        self.numbers.insert(facts.name.clone(), number);
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

    /// Whether a host may be asked now, and has links that wait.
    pub(crate) fn is_ready(&self, number: u32) -> bool {
        matches!(self.get(number).standing, Standing::Ready(_))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Keys sort as ranks fall and ages rise.
        #[test]
        fn places_sort_by_rank_and_age(a: f64, b: f64, ages: (u64, u64)) {
            let (x, y) = (Place::new(a, ages.0), Place::new(b, ages.1));
            prop_assert_eq!(x.cmp(&y), x.key(1).cmp(&y.key(1)));
            if a > b { prop_assert!(x < y); }
            prop_assert_eq!(
                Place::new(a, ages.0).cmp(&Place::new(a, ages.1)),
                ages.0.cmp(&ages.1)
            );
            prop_assert_eq!(Place::of_key(&x.key(7)), Some(x));
        }
    }

    #[test]
    fn what_is_no_rank_comes_last() {
        assert!(Place::new(f64::NAN, 0) > Place::new(-1e300, 9));
        assert_eq!(Place::new(-0.0, 3), Place::new(0.0, 3));
        assert!(Place::new(0.5, 3) < Place::new(0.5, 3).behind());
    }
}
