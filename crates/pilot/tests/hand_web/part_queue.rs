//! The queue of one of several workers: that of some hosts. Links to other hosts are sent.

use ontrail_pilot::{
    Candidate, HostKey, Judgement, Link, LinkVerdict, Offer, Pilot, RankedLink, SentLink,
    WaitingLink,
};

use super::list_queue::Held;
use super::{Engine, ListQueue, Next, Task};

/// The queue of the hosts of one worker.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartQueue {
    queue: ListQueue,
    /// Links to hosts of other workers, with what a page tells about them.
    sent: Vec<SentLink>,
}

impl PartQueue {
    /// Returns the queue of these hosts.
    pub(crate) fn of(hosts: &[&str]) -> Self {
        let mut queue = ListQueue::default();
        queue.own_hosts = Some(hosts.iter().map(ToString::to_string).collect());
        Self { queue, sent: Vec::new() }
    }

    /// Returns true if the worker fetches from the host of a link.
    pub(crate) fn is_own(&self, link: &Link) -> bool {
        self.queue.is_own(link)
    }

    /// Returns true if there are links for other workers.
    pub(crate) fn has_mail(&self) -> bool {
        !self.sent.is_empty() || !self.queue.elsewhere.is_empty()
    }

    /// Returns the links for other workers: those that a page tells of, and others.
    pub(crate) fn post(&mut self) -> (Vec<SentLink>, Vec<RankedLink>) {
        (std::mem::take(&mut self.sent), std::mem::take(&mut self.queue.elsewhere))
    }

    /// Receives links from other workers.
    pub(crate) fn receive(
        &mut self,
        pilot: &mut Pilot,
        sent: Vec<SentLink>,
        plain: Vec<RankedLink>,
    ) {
        for RankedLink { link, rank } in plain {
            let waiting = waiting(&link, rank);
            if self.queue.offer(link, rank, None).is_queued() {
                pilot.found_waiting(vec![waiting]);
            }
        }
        let mut decided = pilot.shown(sent);
        let answers = self.queue.offer_all(std::mem::take(&mut decided.offers));
        pilot.shown_offered(decided, &answers);
    }

    /// Returns all links that wait, as a worker finds them that takes the queue over.
    pub(crate) fn all_waiting(&self) -> Vec<WaitingLink> {
        self.queue.all_waiting().map(|(link, rank)| waiting(link, rank)).collect()
    }

    /// Leaves a host to another worker.
    pub(crate) fn leave(
        &mut self,
        host: &str,
        pilot: &mut Pilot,
        other: &mut Self,
        others: &mut Pilot,
    ) {
        let (Some(own), Some(new)) = (&mut self.queue.own_hosts, &mut other.queue.own_hosts) else {
            return;
        };
        if !own.remove(host) {
            return;
        }
        new.insert(host.to_owned());
        pilot.left(vec![HostKey::of(host)]);
        let moved = self.queue.move_host(host, &mut other.queue);
        others.found_waiting(moved.iter().map(|(link, rank)| waiting(link, *rank)).collect());
    }
}

fn waiting(link: &Link, priority: f64) -> WaitingLink {
    WaitingLink { key: link.key(), host: HostKey::of(link.host()), priority }
}

impl Engine for PartQueue {
    type Held = Held;

    fn begin(&mut self, pilot: &mut Pilot, seeds: Vec<Link>) {
        let own = seeds.into_iter().filter(|link| self.is_own(link)).collect();
        self.queue.begin(pilot, own);
    }

    fn next(&mut self, pilot: &mut Pilot, now: u64) -> Next<Held> {
        self.queue.next(pilot, now)
    }

    fn take_up(
        &mut self,
        pilot: &mut Pilot,
        task: &Task<Held>,
        page: &Judgement<'_>,
        mut candidates: Vec<Candidate>,
    ) -> Vec<LinkVerdict> {
        for candidate in &mut candidates {
            candidate.is_elsewhere = !self.is_own(&candidate.link);
        }
        let mut plan = pilot.arrived(&task.link, task.is_look, page, candidates);
        self.sent.append(&mut plan.sent);
        let offers = self.queue.offer_all(std::mem::take(&mut plan.offers));
        pilot.offered(plan, &offers)
    }

    fn redirect(&mut self, task: &Task<Held>, to: Link) -> Offer {
        self.queue.redirect(task, to)
    }

    fn finish(&mut self, task: &Task<Held>, ready_at: u64) {
        self.queue.finish(task, ready_at);
    }

    fn give_back(&mut self, task: Task<Held>, ready_at: u64) {
        self.queue.give_back(task, ready_at);
    }
}
