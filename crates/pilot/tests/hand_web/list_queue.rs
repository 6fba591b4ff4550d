//! A queue as a plain list that is searched from end to end: slow, but obviously correct.

use std::collections::{BTreeMap, BTreeSet};

use ontrail_pilot::{
    Candidate, Choice, HostKey, Judgement, Link, LinkKey, LinkVerdict, Offer, Pilot, Place,
    RankedLink, key_of,
};
use url::Url;

use super::{Engine, Next, Task};

/// Waiting links; each host has a time before which it must not be asked, and one fetch at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListQueue {
    waiting: Vec<Entry>,
    seen: BTreeSet<LinkKey>,
    hosts: BTreeMap<String, HostState>,
    offered: u64,
    /// The hosts of the worker, if there are several workers.
    pub(super) own_hosts: Option<BTreeSet<String>>,
    /// Links to hosts of other workers.
    pub(super) elsewhere: Vec<RankedLink>,
}

#[derive(Debug, Clone)]
struct Entry {
    link: Link,
    rank: f64,
    age: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct HostState {
    is_busy: bool,
    ready_at: u64,
}

/// The queue's record of a task: the priority and age of its link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    rank: f64,
    age: u64,
}

impl ListQueue {
    /// Returns true if the worker fetches from the host of a link.
    pub(super) fn is_own(&self, link: &Link) -> bool {
        self.own_hosts.as_ref().is_none_or(|hosts| hosts.contains(link.host()))
    }

    fn is_free(&self, host: &str, now: u64) -> bool {
        let host = self.hosts.get(host).copied().unwrap_or_default();
        !host.is_busy && host.ready_at <= now
    }

    fn is_ready(&self, host: HostKey, now: u64) -> bool {
        self.waiting.iter().any(|entry| {
            HostKey::of(entry.link.host()) == host && self.is_free(entry.link.host(), now)
        })
    }

    pub(super) fn offer(&mut self, link: Link, rank: f64, age: Option<u64>) -> Offer {
        if !self.is_own(&link) {
            self.elsewhere.push(RankedLink { link, rank });
            return Offer::Sent;
        }
        if let Some(entry) = self.waiting.iter_mut().find(|entry| entry.link.url == link.url) {
            if rank <= entry.rank {
                return Offer::Known;
            }
            entry.link.depth = entry.link.depth.min(link.depth);
            entry.link.parent = link.parent;
            (entry.link.anchor, entry.link.scores) = (link.anchor, link.scores);
            entry.rank = rank;
            return Offer::Raised;
        }
        if !self.seen.insert(link.key()) {
            return Offer::Done;
        }
        let age = age.unwrap_or(self.offered);
        self.offered += 1;
        self.waiting.push(Entry { link, rank, age });
        Offer::Queued
    }

    pub(super) fn offer_all(&mut self, links: Vec<RankedLink>) -> Vec<Offer> {
        links.into_iter().map(|it| self.offer(it.link, it.rank, None)).collect()
    }

    /// Returns all links that wait.
    pub(super) fn all_waiting(&self) -> impl Iterator<Item = (&Link, f64)> {
        self.waiting.iter().map(|entry| (&entry.link, entry.rank))
    }

    /// Moves the links of a host to another queue. Returns those that wait.
    pub(super) fn move_host(&mut self, host: &str, to: &mut Self) -> Vec<(Link, f64)> {
        to.seen.extend(&self.seen);
        let of_host = self.waiting.extract_if(.., |entry| entry.link.host() == host);
        let moved: Vec<Entry> = of_host.collect();
        let waiting = moved.iter().map(|entry| (entry.link.clone(), entry.rank)).collect();
        to.waiting.extend(moved);
        waiting
    }

    fn take(&mut self, at: usize) -> (Link, Held) {
        let Entry { link, rank, age } = self.waiting.remove(at);
        self.hosts.entry(link.host().to_owned()).or_default().is_busy = true;
        (link, Held { rank, age })
    }

    fn best(&self, now: u64) -> Option<usize> {
        let free =
            self.waiting.iter().enumerate().filter(|(_, it)| self.is_free(it.link.host(), now));
        free.min_by_key(|(_, it)| Place::new(it.rank, it.age)).map(|(at, _)| at)
    }

    fn idle(&self, now: u64) -> Next<Held> {
        let delays = self.waiting.iter().filter_map(|entry| {
            let host = self.hosts.get(entry.link.host())?;
            (!host.is_busy && host.ready_at > now).then_some(host.ready_at)
        });
        match delays.min() {
            Some(until) => Next::Wait(until),
            None if self.hosts.values().any(|host| host.is_busy) => Next::Busy,
            None => Next::Nothing,
        }
    }

    fn end(&mut self, url: &Url, ready_at: u64) {
        let host = self.hosts.entry(ontrail_pilot::host_of(url).to_owned()).or_default();
        host.is_busy = false;
        host.ready_at = host.ready_at.max(ready_at);
    }
}

impl Engine for ListQueue {
    type Held = Held;

    fn begin(&mut self, pilot: &mut Pilot, seeds: Vec<Link>) {
        let offers = pilot.seeds(seeds);
        self.offer_all(offers);
    }

    fn next(&mut self, pilot: &mut Pilot, now: u64) -> Next<Held> {
        loop {
            let choice = pilot.choose(&|_: &LinkKey, host| self.is_ready(host, now));
            let ((mut link, held), rule, is_look) = match choice {
                Choice::Offer(links) => {
                    let offers = self.offer_all(links);
                    pilot.restored(&offers);
                    continue;
                }
                Choice::Link { key, rule, is_look, .. } => {
                    let at = self.waiting.iter().position(|it| key_of(&it.link.url) == key);
                    let Some(at) = at else {
                        pilot.gone(&key);
                        continue;
                    };
                    (self.take(at), rule, is_look)
                }
                Choice::Best(rule) => {
                    let taken = self.best(now).map(|at| self.take(at));
                    pilot.took(taken.as_ref().map(|(link, _)| link));
                    let Some(taken) = taken else { return self.idle(now) };
                    (taken, rule, false)
                }
                Choice::Wait => return self.idle(now),
                Choice::Done => return Next::Nothing,
            };
            pilot.explain(&mut link);
            return Next::Fetch(Task { link, rule, is_look, held });
        }
    }

    fn take_up(
        &mut self,
        pilot: &mut Pilot,
        task: &Task<Held>,
        page: &Judgement<'_>,
        candidates: Vec<Candidate>,
    ) -> Vec<LinkVerdict> {
        let mut plan = pilot.arrived(&task.link, task.is_look, page, candidates);
        let offers = self.offer_all(std::mem::take(&mut plan.offers));
        pilot.offered(plan, &offers)
    }

    fn redirect(&mut self, task: &Task<Held>, to: Link) -> Offer {
        self.offer(to, task.held.rank, Some(task.held.age))
    }

    fn finish(&mut self, task: &Task<Held>, ready_at: u64) {
        self.end(&task.link.url, ready_at);
    }

    fn give_back(&mut self, task: Task<Held>, ready_at: u64) {
        self.end(&task.link.url, ready_at);
        let Held { rank, age } = task.held;
        self.waiting.push(Entry { link: task.link, rank, age });
    }
}
