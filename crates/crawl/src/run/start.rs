//! Starts what a crawl does on other threads: fetches, and lookups of host names.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ontrail_pilot::{HostKey, host_of};
use url::Url;

use super::fetch::{FinishedFetch, Job};
use super::rules::RulesLookup;
use super::{Crawl, CrawlError};
use crate::frontier::Idle;
use crate::outcome::Outcome;
use crate::state::Order;
use crate::steer::{self, Course, Task};

/// Maximum number of links taken in a row before the crawl handles results and commits.
const MOST_LINKS_AT_ONCE: usize = 1_000;
/// Maximum number of simultaneous lookups.
const MOST_LOOKUPS: usize = 100;
/// A fetch that takes longer than this, in milliseconds, does not keep other links from being
/// fetched at the end of the budget.
const SLOW_FETCH: u64 = 5_000;

/// The time after which a crawl that was told to pause looks for a new order, in milliseconds.
const PAUSE_LOOK: u64 = 200;

/// Something that has ended on another thread.
pub(super) enum Message {
    /// A fetch.
    Fetched(Box<FinishedFetch>),
    /// The lookup of a URL's host. The web knows the result.
    LookedUp(Url, Duration),
}

/// A fetch in progress.
#[derive(Debug, Clone, Copy)]
pub(super) struct Started {
    /// The time of its start.
    pub(super) at: u64,
    /// True if it may return a page.
    pub(super) is_page: bool,
}

impl Crawl {
    /// Starts fetches while there are free slots and links for them. Returns the time at which the
    /// next link may be fetched, if one waits.
    pub(super) fn start_fetches(&mut self) -> Result<Option<u64>, CrawlError> {
        if let Some(time) = self.trouble.not_before(self.clock.now(), self.in_flight.len()) {
            return Ok(Some(time));
        }
        if self.elsewhere.order == Order::Pause {
            return Ok(Some(self.clock.now() + PAUSE_LOOK));
        }
        let redirect = self.start_redirects()?;
        let link = self.start_links()?;
        Ok(redirect.into_iter().chain(link).min())
    }

    fn start_links(&mut self) -> Result<Option<u64>, CrawlError> {
        let is_paused = self.trouble.kind().is_some();
        let slots = if self.is_live() && !is_paused { self.settings.fetch.parallel } else { 1 };
        // Many links may be refused in a row; the limit lets results and commits get their turn.
        for _ in 0..MOST_LINKS_AT_ONCE {
            if self.in_flight.len() >= slots || !self.has_room() {
                // Nothing can start before a fetch ends.
                return Ok(None);
            }
            let started = Instant::now();
            let course = steer::next_task(&mut self.pilot, self.state.as_mut(), self.clock.now());
            self.timings.decision.add(started.elapsed());
            match course? {
                Course::Fetch(mut task) => {
                    if self.sink.keeps_pages() {
                        task.why = self.pilot.why(task.link()).map(Box::new);
                    }
                    self.start_fetch(*task)?;
                }
                Course::Wait(Idle::Until(until)) => return Ok(Some(until)),
                Course::Wait(Idle::Busy | Idle::Empty) => return Ok(None),
            }
        }
        Ok(Some(self.clock.now()))
    }

    /// Returns true if the budget has room for another page. Slow fetches do not count: the last
    /// pages need not wait for a slow host while others are ready.
    fn has_room(&self) -> bool {
        let now = self.clock.now();
        let is_counted = |it: &&Started| it.is_page && it.at + SLOW_FETCH > now;
        let expected = self.in_flight.values().filter(is_counted).count() as u64;
        self.downloaded_by_all() + expected < self.settings.budget
    }

    /// Starts the fetch of a link if its host is known and its site's robots.txt allows it;
    /// otherwise looks up the host or requests the robots.txt first.
    fn start_fetch(&mut self, task: Task) -> Result<(), CrawlError> {
        let now = self.clock.now();
        let url = &task.link().url;
        match self.fetcher.web.located(url) {
            None => return self.look_up_host(task),
            Some(Ok(Some(machine))) if task.lease.machine != Some(machine) => {
                let host = HostKey::of(task.link().host());
                if let Some(time) = self.state.set_machine(host, machine, now) {
                    return self.give_back(task, time);
                }
            }
            // The fetch itself reports a failure.
            Some(_) => {}
        }
        let url = &task.link().url;
        if self.is_live() {
            self.rules.restore(url, self.state.as_ref(), &self.settings.fetch.agent)?;
        }
        let is_allowed = match self.rules.get(url, now) {
            RulesLookup::NotCached if !self.state.may_ask(url) => return self.give_back(task, now),
            RulesLookup::NotCached => return self.request_robots_txt(task),
            RulesLookup::Unreachable(failure) => {
                let failure = failure.clone();
                return self.give_up(&task, &failure);
            }
            RulesLookup::Known(rules) => rules.allows(url),
        };
        if !is_allowed {
            return self.refuse(&task, Outcome::Robots);
        }
        if task.lease.host_pages >= self.settings.caps.pages_per_host {
            return self.refuse(&task, Outcome::HostFull);
        }
        if !self.state.may_ask(&task.link().url) {
            return self.give_back(task, now);
        }
        let template = self.templates.of(task.link().host());
        self.spawn(Job::Link(Box::new(task), template));
        Ok(())
    }

    /// Starts a fetch on another thread.
    pub(super) fn spawn(&mut self, job: Job) {
        self.counts.fetches += 1;
        let number = self.counts.fetches;
        let is_page = matches!(job, Job::Link(..));
        self.in_flight.insert(number, Started { at: self.clock.now(), is_page });
        let fetcher = Arc::clone(&self.fetcher);
        let (sender, copy) = (self.sender.clone(), job.clone());
        // Sending cannot fail: the receiver lives as long as the crawl.
        let send = move |fetch: FinishedFetch| _ = sender.send(Message::Fetched(Box::new(fetch)));
        if self.is_live() {
            self.runtime.spawn(async move {
                let fetch = tokio::spawn(fetcher.fetch(job, number)).await;
                send(fetch.unwrap_or_else(|_| FinishedFetch::panicked(copy, number)));
            });
        } else {
            // An offline web responds at once, so one thread does everything in order.
            let fetch = catch_unwind(AssertUnwindSafe(|| {
                self.runtime.block_on(fetcher.fetch(job, number))
            }));
            send(fetch.unwrap_or_else(|_| FinishedFetch::panicked(copy, number)));
        }
    }

    /// Looks up the host of a link. The link returns to its queue, and the links of its host wait
    /// for the result, without taking the place of a fetch.
    fn look_up_host(&mut self, task: Task) -> Result<(), CrawlError> {
        let url = task.link().url.clone();
        self.give_back(task, 0)?;
        self.look_up(url);
        Ok(())
    }

    /// Looks up the host of a URL, or lets it wait for its turn.
    pub(super) fn look_up(&mut self, url: Url) {
        let host = HostKey::of(host_of(&url));
        if !self.lookups.insert(host) {
            return;
        }
        self.state.hold(host);
        self.next_lookups.push_back(url);
        self.start_lookups();
    }

    fn start_lookups(&mut self) {
        while self.lookups.len() - self.next_lookups.len() < MOST_LOOKUPS
            && let Some(url) = self.next_lookups.pop_front()
        {
            let (fetcher, sender) = (Arc::clone(&self.fetcher), self.sender.clone());
            self.runtime.spawn(async move {
                let started = Instant::now();
                // The web keeps the result; whoever asks next gets it.
                let _ = fetcher.web.locate(&url).await;
                let _ = sender.send(Message::LookedUp(url, started.elapsed()));
            });
        }
    }

    /// Handles that the host of a URL was looked up.
    pub(super) fn handle_lookup(&mut self, url: &Url) {
        let host = HostKey::of(host_of(url));
        self.lookups.remove(&host);
        self.state.release(host);
        self.start_lookups();
    }
}
