//! The state as that of one partition of a shared crawl.

use ontrail_pilot::{HostKey, LinkKey, Place, WaitingLink};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::{LocalState, damaged, pattern};
use crate::frontier::FrontierLimits;
use crate::state::hosts::Hosts;
use crate::state::queue::queue_place;
use crate::store::{Entry, Store, StoreError, Table};

/// Least number of links of a host that a new holder of its partition knows, if it knows any.
const LEAST_OF_HOST: usize = 16;

impl LocalState {
    /// Reads the state of a partition. Links that were on lease return to their queues. `room` is
    /// the number of links that may be in memory.
    pub(in crate::state) fn of_partition(
        store: Box<dyn Store>,
        limits: FrontierLimits,
        room: usize,
    ) -> Result<Self, StoreError> {
        let mut state = Self::over(store, limits, true);
        state.hosts = Hosts::with_room(room);
        state.recover()?;
        Ok(state)
    }

    /// Returns the age of the next link.
    pub(in crate::state) fn next_age(&self) -> u64 {
        self.totals.next_age
    }

    /// Sets the age of the next link, unless it would be younger than that.
    pub(in crate::state) fn set_next_age(&mut self, age: u64) {
        self.totals.next_age = self.totals.next_age.max(age);
    }

    /// Returns the place of the best link that may be taken at the time `now`.
    pub(in crate::state) fn best_place(&mut self, now: u64) -> Result<Option<Place>, StoreError> {
        self.wake(now)?;
        Ok(self.hosts.best().and_then(|number| self.hosts.get(number).queue.best()))
    }

    /// Leaves all hosts alone until a time, and then each for as long as after its last request.
    pub(in crate::state) fn leave_alone_until(&mut self, time: u64) {
        for number in self.host_numbers() {
            let facts = &mut self.hosts.change(number).facts;
            facts.ready_at = facts.ready_at.max(time + facts.delay);
            self.hosts.reschedule(number, self.now, self.limits.connections);
        }
    }

    /// Returns true if a request to a host is in progress or about to begin.
    pub(in crate::state) fn has_requests(&self) -> bool {
        self.totals.leased > 0 || self.hosts.iter().any(|host| host.active > 0 || host.holds > 0)
    }

    /// Returns true if a link is on lease.
    pub(in crate::state) fn is_leased(&self, key: &LinkKey) -> bool {
        self.store.get(Table::Leases, key).is_ok_and(|found| found.is_some())
    }

    /// Returns links in the queues, at most `most`. If there are more, each host gives its best.
    pub(in crate::state) fn waiting(&self, most: usize) -> Result<Vec<WaitingLink>, StoreError> {
        let hosts: Vec<HostKey> = self.host_names().map(HostKey::of).collect();
        let mut queue = self.store.scan(Table::Queue, &[], &[], most.saturating_add(1))?;
        if queue.len() > most {
            queue = self.best_of_hosts(most)?;
        }
        let waiting = |(place, key): (Vec<u8>, Vec<u8>)| {
            let number = u32::from_be_bytes(*place.first_chunk()?);
            let (host, place) = (*hosts.get(number as usize)?, queue_place(&place)?);
            let key = key.as_slice().try_into().ok()?;
            Some(WaitingLink { key, host, priority: place.priority() })
        };
        queue.into_iter().map(|it| waiting(it).ok_or_else(|| damaged("a queue"))).collect()
    }

    /// Returns the best places in the queue of each host, at most `most` in all.
    fn best_of_hosts(&self, most: usize) -> Result<Vec<Entry>, StoreError> {
        let of_host = (most / self.hosts.len().max(1)).max(LEAST_OF_HOST);
        let mut best = Vec::new();
        for number in self.host_numbers() {
            let room = most - best.len();
            if room == 0 {
                break;
            }
            let prefix = number.to_be_bytes();
            best.extend(self.store.scan(Table::Queue, &prefix, &prefix, of_host.min(room))?);
        }
        Ok(best)
    }

    /// Returns the names of all hosts.
    pub(in crate::state) fn host_names(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(|host| &*host.facts.name)
    }

    /// Returns the key by which the URLs of a pattern are counted, if a URL has one.
    pub(in crate::state) fn pattern_key(url: &Url) -> Option<Vec<u8>> {
        pattern(url).map(|pattern| xxh3_64(pattern.as_bytes()).to_be_bytes().to_vec())
    }
}
