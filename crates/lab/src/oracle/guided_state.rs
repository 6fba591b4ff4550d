//! The state of a crawl whose links are given out in the order of a guide. Everything else is left
//! to the state of an ordinary crawl, so that the oracle obeys the same rules as every crawler.

use std::net::IpAddr;

use ontrail_crawl::{
    Checkpoint, Company, ContentIndex, Frontier, FrontierCounts, HostHealth, Idle, Journal, Lease,
    LocalState, Seen, StoreError, Take, Visit, WebFacts,
};
use ontrail_pilot::{HostKey, Link, LinkKey, Notes, Offer, RankedLink};
use url::Url;

use super::guide::Guide;

/// An ordinary state and a guide.
pub(super) struct GuidedState {
    state: LocalState,
    guide: Guide,
}

impl GuidedState {
    pub(super) fn new(state: LocalState, guide: Guide) -> Self {
        Self { state, guide }
    }
}

impl Company for GuidedState {}

impl Frontier for GuidedState {
    fn offer_all(&mut self, links: Vec<RankedLink>) -> Result<Vec<Offer>, StoreError> {
        let offers = self.state.offer_all(links.clone())?;
        for (RankedLink { link, .. }, offer) in links.iter().zip(&offers) {
            if *offer == Offer::Queued {
                self.guide.waits(link);
            }
        }
        Ok(offers)
    }

    fn offer_in_place(&mut self, link: Link, of: &Lease) -> Result<Offer, StoreError> {
        let offer = self.state.offer_in_place(link.clone(), of)?;
        if offer == Offer::Queued {
            self.guide.waits(&link);
        }
        Ok(offer)
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
        let taken = self.state.take(key, host, now)?;
        match &taken {
            Take::Taken(_) => self.guide.left(key, true),
            Take::Gone => self.guide.left(key, false),
            Take::HostNotReady => (),
        }
        Ok(taken)
    }

    fn finish(&mut self, lease: &Lease, ready_at: u64, has_page: bool) -> Result<(), StoreError> {
        self.state.finish(lease, ready_at, has_page)
    }

    fn give_back(&mut self, lease: Lease, ready_at: u64) -> Result<(), StoreError> {
        self.guide.waits(&lease.link);
        self.state.give_back(lease, ready_at)
    }

    fn postpone(&mut self, lease: Lease, due: u64, ready_at: u64) -> Result<(), StoreError> {
        self.guide.waits(&lease.link);
        self.state.postpone(lease, due, ready_at)
    }

    fn reopen(&mut self, link: RankedLink) -> Result<bool, StoreError> {
        let is_open = self.state.reopen(link.clone())?;
        if is_open {
            self.guide.waits(&link.link);
        }
        Ok(is_open)
    }

    fn visit_instead(&mut self, lease: Lease) -> Result<(), StoreError> {
        self.guide.waits(&lease.link);
        self.state.visit_instead(lease)
    }

    fn visit(&mut self, url: &Url, machine: Option<IpAddr>, now: u64) -> Result<Visit, StoreError> {
        self.state.visit(url, machine, now)
    }

    fn end_visit(&mut self, host: HostKey, ready_at: u64) {
        self.state.end_visit(host, ready_at);
    }

    fn sitemaps_of(&self, host: &str) -> Result<u32, StoreError> {
        self.state.sitemaps_of(host)
    }

    fn hold(&mut self, host: HostKey) {
        self.state.hold(host);
    }

    fn release(&mut self, host: HostKey) {
        self.state.release(host);
    }

    fn set_health(&mut self, host: HostKey, health: HostHealth, ready_at: u64) {
        self.state.set_health(host, health, ready_at);
    }

    fn health(&self, host: HostKey) -> HostHealth {
        self.state.health(host)
    }

    fn set_machine(&mut self, host: HostKey, machine: IpAddr, now: u64) -> Option<u64> {
        self.state.set_machine(host, machine, now)
    }

    fn is_ready(&self, link: &LinkKey, host: HostKey, now: u64) -> bool {
        self.state.is_ready(link, host, now)
    }

    fn idle(&mut self, now: u64) -> Idle {
        self.state.idle(now)
    }

    fn counts(&self) -> FrontierCounts {
        self.state.counts()
    }

    fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)> {
        self.state.busiest_hosts(most)
    }
}

impl GuidedState {
    /// Takes the best link whose host may be asked now.
    fn take_best(&mut self, now: u64) -> Result<Option<Lease>, StoreError> {
        for (key, host) in self.guide.best() {
            if let Take::Taken(lease) = self.take(&key, host, now)? {
                return Ok(Some(*lease));
            }
        }
        // No relevant link can be taken now; another one may.
        let lease = self.state.take_many(now, 1)?.pop();
        if let Some(lease) = &lease {
            self.guide.left(&lease.link.key(), true);
        }
        Ok(lease)
    }
}

impl ContentIndex for GuidedState {
    fn same_bytes(
        &mut self,
        digest: &str,
        page: &Seen,
        is_kept: bool,
    ) -> Result<Option<Seen>, StoreError> {
        self.state.same_bytes(digest, page, is_kept)
    }

    fn record_page(&mut self, url: &str) {
        self.state.record_page(url);
    }

    fn has_page(&self, url: &str) -> Result<bool, StoreError> {
        self.state.has_page(url)
    }

    fn near_text(&mut self, simhash: u64, url: &str) -> Result<Option<String>, StoreError> {
        self.state.near_text(simhash, url)
    }
}

impl WebFacts for GuidedState {
    fn robots(&self, site: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.state.robots(site)
    }

    fn keep_robots(&mut self, site: &str, file: Vec<u8>) {
        self.state.keep_robots(site, file);
    }

    fn names(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.state.names()
    }

    fn keep_names(&mut self, names: Vec<u8>) {
        self.state.keep_names(names);
    }

    fn templates(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.state.templates()
    }

    fn keep_template(&mut self, host: &str, counts: Option<Vec<u8>>) {
        self.state.keep_template(host, counts);
    }
}

impl Journal for GuidedState {
    fn record(&mut self, notes: Notes) -> Result<(), StoreError> {
        self.state.record(notes)
    }

    fn recorded(&self) -> Result<Notes, StoreError> {
        self.state.recorded()
    }
}

impl Checkpoint for GuidedState {
    fn commit(&mut self, run: Vec<u8>) -> Result<(), StoreError> {
        self.state.commit(run)
    }

    fn committed(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.state.committed()
    }

    fn is_durable(&self) -> bool {
        self.state.is_durable()
    }
}
