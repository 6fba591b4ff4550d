//! The links of a worker's partitions as one frontier.

use std::net::IpAddr;

use ontrail_pilot::{HostKey, Link, LinkKey, Offer, RankedLink, host_of};
use redis::cmd;
use url::Url;

use super::letters::Letter;
use super::{IDLE_WAIT, SharedState};
use crate::frontier::{Frontier, FrontierCounts, Idle, Lease, Take, Visit};
use crate::health::HostHealth;
use crate::store::StoreError;

/// Most links in a row that are put back because their machine must be left alone.
const MOST_REFUSED: usize = 32;

impl Frontier for SharedState {
    fn offer_all(&mut self, links: Vec<RankedLink>) -> Result<Vec<Offer>, StoreError> {
        let from = links.first().and_then(|it| self.partition_of_page(&it.link));
        let letter = |it| Letter::of(it, None);
        self.offer_from(from, links.into_iter().map(letter).collect())
    }

    fn offer_in_place(&mut self, link: Link, of: &Lease) -> Result<Offer, StoreError> {
        let from = self.keys.partition_of(&of.link.url);
        let letter = Letter::of(RankedLink { link, rank: of.priority }, Some(of.age));
        let offers = self.offer_from(Some(from), vec![letter])?;
        Ok(offers.first().copied().unwrap_or(Offer::Known))
    }

    fn take_many(&mut self, now: u64, most: usize) -> Result<Vec<Lease>, StoreError> {
        let mut leases = Vec::new();
        while leases.len() < most
            && let Some(lease) = self.take_best(now)?
        {
            leases.push(lease);
        }
        Ok(leases)
    }

    fn take(&mut self, key: &LinkKey, host: HostKey, now: u64) -> Result<Take, StoreError> {
        let Some(partition) = self.hosts.get(&host).copied() else { return Ok(Take::Gone) };
        if !self.membership.is_safe(partition) {
            return Ok(Take::HostNotReady);
        }
        let Some(own) = self.partitions.get_mut(&partition) else { return Ok(Take::Gone) };
        own.is_changed = true;
        let epoch = own.epoch;
        let lease = match own.state.take(key, host, now) {
            Ok(Take::Taken(lease)) => Box::new(Lease { epoch, ..*lease }),
            Ok(other) => return Ok(other),
            Err(StoreError::Damaged(what)) => {
                return self.mend(partition, what).map(|()| Take::HostNotReady);
            }
            Err(error) => return Err(error),
        };
        match self.reserve(lease.machine, now)? {
            None => Ok(Take::Taken(lease)),
            Some(time) => self.give_back(*lease, time).map(|()| Take::HostNotReady),
        }
    }

    fn holds(&self, lease: &Lease) -> bool {
        let own = self.partitions.get(&self.keys.partition_of(&lease.link.url));
        own.is_some_and(|own| own.holds(lease))
    }

    fn may_ask(&self, url: &Url) -> bool {
        let partition = self.keys.partition_of(url);
        self.partitions.contains_key(&partition) && self.membership.is_safe(partition)
    }

    fn finish(&mut self, lease: &Lease, ready_at: u64, has_page: bool) -> Result<(), StoreError> {
        match self.partition_of(&lease.link.url) {
            Some((_, own)) if own.holds(lease) => own.state.finish(lease, ready_at, has_page),
            _ => Ok(()),
        }
    }

    fn give_back(&mut self, lease: Lease, ready_at: u64) -> Result<(), StoreError> {
        match self.partition_of(&lease.link.url) {
            Some((_, own)) if own.holds(&lease) => own.state.give_back(lease, ready_at),
            _ => Ok(()),
        }
    }

    fn postpone(&mut self, lease: Lease, due: u64, ready_at: u64) -> Result<(), StoreError> {
        match self.partition_of(&lease.link.url) {
            Some((_, own)) if own.holds(&lease) => own.state.postpone(lease, due, ready_at),
            _ => Ok(()),
        }
    }

    fn reopen(&mut self, link: RankedLink) -> Result<bool, StoreError> {
        match self.partition_of(&link.link.url) {
            Some((_, own)) => own.state.reopen(link),
            None => Ok(false),
        }
    }

    fn visit_instead(&mut self, lease: Lease) -> Result<(), StoreError> {
        match self.partition_of(&lease.link.url) {
            Some((_, own)) if own.holds(&lease) => own.state.visit_instead(lease),
            _ => Ok(()),
        }
    }

    fn visit(&mut self, url: &Url, machine: Option<IpAddr>, now: u64) -> Result<Visit, StoreError> {
        let Some((partition, _)) = self.partition_of(url) else {
            // Only the worker that holds a host may ask it.
            return Ok(Visit::Refused);
        };
        if !self.membership.is_safe(partition) {
            return Ok(Visit::NotBefore(now + IDLE_WAIT));
        }
        let Some((_, own)) = self.partition_of(url) else { return Ok(Visit::Refused) };
        let visit = own.state.visit(url, machine, now)?;
        let host = HostKey::of(host_of(url));
        if visit == Visit::Begun {
            self.hosts.insert(host, partition);
            if let Some(time) = self.reserve(machine, now)? {
                self.end_visit(host, time);
                return Ok(Visit::NotBefore(time));
            }
        }
        Ok(visit)
    }

    fn end_visit(&mut self, host: HostKey, ready_at: u64) {
        if let Some(own) = self.partition_of_host(host) {
            own.state.end_visit(host, ready_at);
        }
    }

    fn sitemaps_of(&self, host: &str) -> Result<u32, StoreError> {
        self.view_of_host(HostKey::of(host)).map_or(Ok(0), |own| own.state.sitemaps_of(host))
    }

    fn hold(&mut self, host: HostKey) {
        if let Some(own) = self.partition_of_host(host) {
            own.state.hold(host);
        }
    }

    fn release(&mut self, host: HostKey) {
        if let Some(own) = self.partition_of_host(host) {
            own.state.release(host);
        }
    }

    fn set_health(&mut self, host: HostKey, health: HostHealth, ready_at: u64) {
        if let Some(own) = self.partition_of_host(host) {
            own.state.set_health(host, health, ready_at);
        }
    }

    fn health(&self, host: HostKey) -> HostHealth {
        self.view_of_host(host).map(|own| own.state.health(host)).unwrap_or_default()
    }

    fn set_machine(&mut self, host: HostKey, machine: IpAddr, now: u64) -> Option<u64> {
        let own = self.partition_of_host(host)?;
        if let Some(time) = own.state.set_machine(host, machine, now) {
            return Some(time);
        }
        // A server that does not answer now is reported by the next operation.
        self.reserve(Some(machine), now).unwrap_or(Some(now + IDLE_WAIT))
    }

    fn is_ready(&self, link: &LinkKey, host: HostKey, now: u64) -> bool {
        self.view_of_host(host)
            .is_some_and(|own| !own.is_closing && own.state.is_ready(link, host, now))
    }

    fn idle(&mut self, now: u64) -> Idle {
        let mut next = None;
        let mut is_busy = false;
        for own in self.partitions.values_mut() {
            match own.state.idle(now) {
                Idle::Until(time) => next = Some(next.map_or(time, |next: u64| next.min(time))),
                Idle::Busy => is_busy = true,
                Idle::Empty => {}
            }
        }
        match next {
            Some(time) => Idle::Until(time.max(now + 1)),
            None if is_busy => Idle::Busy,
            None if self.is_over => Idle::Empty,
            None => Idle::Until(now + IDLE_WAIT),
        }
    }

    fn counts(&self) -> FrontierCounts {
        let counts = self.partitions.values().map(|own| own.state.counts());
        counts.fold(FrontierCounts::default(), plus)
    }

    fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)> {
        let all = self.partitions.values().flat_map(|own| own.state.busiest_hosts(most));
        let mut all: Vec<(String, u64)> = all.collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        all.truncate(most);
        all
    }
}

impl SharedState {
    /// Reserves a machine for a request that starts now. Returns the time at which it may be asked
    /// if another worker has reserved it.
    fn reserve(&self, machine: Option<IpAddr>, now: u64) -> Result<Option<u64>, StoreError> {
        let Some(machine) = machine.filter(|_| self.limits.machine_delay > 0) else {
            return Ok(None);
        };
        let key = self.keys.machine(machine);
        let mut set = cmd("SET");
        set.arg(&key).arg(self.membership.worker()).arg("NX").arg("PX");
        let reserved: Option<String> = self.server.call(set.arg(self.limits.machine_delay))?;
        if reserved.is_some() {
            return Ok(None);
        }
        let left: i64 = self.server.call(cmd("PTTL").arg(&key))?;
        Ok(Some(now + u64::try_from(left).unwrap_or(0).max(1)))
    }

    /// Handles a state that contradicts itself. If the server has lost commits, the next one finds
    /// that out and applies them again.
    fn mend(&mut self, partition: u32, what: String) -> Result<(), StoreError> {
        let mut look = cmd("HGET");
        look.arg(self.keys.owner(partition)).arg("commit");
        let done: Option<u64> = self.server.call(&look)?;
        match self.partitions.get_mut(&partition) {
            Some(own) if done.unwrap_or(0) < own.last_commit() => {
                own.is_changed = true;
                Ok(())
            }
            _ => Err(StoreError::Damaged(what)),
        }
    }

    /// Takes the best link of all partitions that may be used.
    fn take_best(&mut self, now: u64) -> Result<Option<Lease>, StoreError> {
        for _ in 0..MOST_REFUSED {
            let mut best = None;
            let mut torn = None;
            for (partition, own) in &mut self.partitions {
                if own.is_closing {
                    continue;
                }
                let place = match own.state.best_place(now) {
                    Err(StoreError::Damaged(what)) => {
                        torn = Some((*partition, what));
                        break;
                    }
                    place => place?,
                };
                if let Some(place) = place
                    && best.is_none_or(|(other, _)| place < other)
                    && self.membership.is_safe(*partition)
                {
                    best = Some((place, *partition));
                }
            }
            if let Some((partition, what)) = torn {
                return self.mend(partition, what).map(|()| None);
            }
            let Some((_, partition)) = best else { return Ok(None) };
            let Some(own) = self.partitions.get_mut(&partition) else { return Ok(None) };
            own.is_changed = true;
            let taken = match own.state.take_many(now, 1) {
                Err(StoreError::Damaged(what)) => {
                    return self.mend(partition, what).map(|()| None);
                }
                taken => taken?.pop(),
            };
            let Some(lease) = taken else { return Ok(None) };
            let lease = Lease { epoch: own.epoch, ..lease };
            match self.reserve(lease.machine, now)? {
                None => return Ok(Some(lease)),
                Some(time) => self.give_back(lease, time)?,
            }
        }
        Ok(None)
    }
}

/// Adds up the numbers of two partitions.
fn plus(one: FrontierCounts, other: FrontierCounts) -> FrontierCounts {
    FrontierCounts {
        known: one.known + other.known,
        queued: one.queued + other.queued,
        leased: one.leased + other.leased,
        hosts: one.hosts + other.hosts,
        open_hosts: one.open_hosts + other.open_hosts,
        delayed_hosts: one.delayed_hosts + other.delayed_hosts,
        failing_hosts: one.failing_hosts + other.failing_hosts,
        failing_open_hosts: one.failing_open_hosts + other.failing_open_hosts,
        postponed: one.postponed + other.postponed,
        dropped: one.dropped + other.dropped,
    }
}
