//! The crawl itself: takes links from the frontier, starts fetches, and handles their results.
//!
//! One thread decides and counts. Fetches run on other threads and are independent of each other;
//! their results arrive through a channel, are logged and stored, and their links go to the
//! frontier. About once a second everything is made durable in this order: archives, journals, and
//! then the commit of frontier and counters, which includes the lengths of those files. So whenever
//! the process dies, the files are truncated to what was counted, links that were being fetched
//! return to their queues, and no page is lost or stored twice.

mod clock;
mod counts;
mod fetch;
mod links;
mod results;
mod rules;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ontrail_pilot::{Link, Pilot, Recipe};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use url::Url;

pub use counts::Summary;

use self::clock::Clock;
use self::counts::Counts;
use self::fetch::{Fetcher, FinishedFetch, Purpose};
use self::rules::{RulesCache, RulesLookup};
use crate::focus::Focus;
use crate::frontier::Idle;
use crate::labels::Labels;
use crate::outcome::Outcome;
use crate::output::{LogRow, OutputError, Sink};
use crate::scope::{Scope, ScopeError};
use crate::settings::{CrawlSettings, milliseconds, seconds};
use crate::state::CrawlState;
use crate::steer::{self, Course, Task};
use crate::store::StoreError;
use crate::web::Web;

/// The priority of sitemaps: ahead of all links found on pages.
const SITEMAP_PRIORITY: f64 = 1.0;
/// Number of log rows after which the crawl commits, even if the commit interval has not passed.
const COMMIT_ROWS: u64 = 1_000;
/// Maximum number of links taken in a row before the crawl handles results and commits.
const MOST_LINKS_AT_ONCE: usize = 1_000;
/// The longest sleep of the deciding thread.
const LONGEST_SLEEP: Duration = Duration::from_millis(200);

/// The parts that a crawl is assembled from.
pub struct CrawlParts {
    /// The source of the pages.
    pub web: Arc<dyn Web>,
    /// The models that read and score pages.
    pub focus: Arc<dyn Focus>,
    /// The recipe by which links are chosen.
    pub recipe: Recipe,
    /// The state: waiting links, pages seen, and the crawl's counters.
    pub state: Box<dyn CrawlState>,
    /// The settings.
    pub settings: CrawlSettings,
    /// The seeds, as canonical URLs.
    pub seeds: Vec<Url>,
    /// The ground truth, if known.
    pub labels: Option<Labels>,
    /// True if pages are scored against a topic.
    pub has_topic: bool,
    /// Number of threads that fetch and read pages.
    pub threads: usize,
}

/// A crawl, new or resumed.
pub struct Crawl {
    fetcher: Arc<Fetcher>,
    pilot: Pilot,
    /// Everything that is committed together: links, leases, pages seen, the pilot's notes,
    /// counters.
    state: Box<dyn CrawlState>,
    settings: CrawlSettings,
    scope: Scope,
    /// The sites of the seeds, if the crawl must stay on them.
    sites: Option<Scope>,
    labels: Option<Labels>,
    has_topic: bool,
    seeds: BTreeSet<String>,
    seed_list: Vec<Url>,
    rules: RulesCache,
    clock: Clock,
    counts: Counts,
    sink: Sink,
    runtime: Runtime,
    sender: Sender<FinishedFetch>,
    receiver: Receiver<FinishedFetch>,
    in_flight: usize,
    /// Fetches in progress that may return a page.
    pages_in_flight: u64,
    /// Duration of earlier runs of this crawl.
    earlier_seconds: f64,
    started: Instant,
    last_commit: Instant,
    /// Rows since the last commit.
    uncommitted: u64,
    /// Pages stored as of the last commit.
    durable: u64,
}

/// The error that stopped a crawl. Everything committed before is safe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The state cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The scope is invalid.
    #[error("scope: {0}")]
    Scope(#[from] ScopeError),
    /// The folder has pages, but not the state that counts them.
    #[error(
        "{folder}: has pages but no crawl state; restore its state folder, \
         or crawl into another folder",
        folder = .0.display()
    )]
    NoState(PathBuf),
    /// The threads cannot be started.
    #[error("cannot start the threads for fetching")]
    Threads(#[source] std::io::Error),
    /// The committed counters cannot be read.
    #[error("the crawl's counters are damaged: {0}")]
    State(String),
}

/// The reason why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The budget is spent.
    Budget,
    /// The time limit was reached.
    Time,
    /// No links are left.
    NothingLeft,
    /// The user stopped it.
    Stopped,
}

impl Crawl {
    /// Prepares a crawl that writes into a folder. Resumes from whatever state an earlier run left
    /// behind.
    pub fn open(parts: CrawlParts, folder: &Path) -> Result<Self, CrawlError> {
        let counts: Counts = match parts.state.committed()? {
            None => Counts::default(),
            Some(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| CrawlError::State(error.to_string()))?,
        };
        let has_files = |name: &str| {
            std::fs::read_dir(folder.join(name)).is_ok_and(|mut files| files.next().is_some())
        };
        if !counts.has_begun && (has_files("pages") || has_files("log")) {
            return Err(CrawlError::NoState(folder.to_owned()));
        }
        let (software, largest) =
            (parts.settings.fetch.full_agent(), parts.settings.output.archive_bytes);
        let sink = Sink::folder(folder, counts.positions, largest, &software)?;
        Self::begin_with(parts, counts, sink)
    }

    /// Prepares a new crawl that stores nothing and passes each row of the log to `rows`.
    /// Experiments use it.
    pub fn without_output(
        parts: CrawlParts,
        rows: impl FnMut(LogRow) + Send + 'static,
    ) -> Result<Self, CrawlError> {
        Self::begin_with(parts, Counts::default(), Sink::Rows(Box::new(rows)))
    }

    fn begin_with(parts: CrawlParts, counts: Counts, sink: Sink) -> Result<Self, CrawlError> {
        let settings = parts.settings;
        let sites = settings.same_site.then(|| Scope::of_sites(&parts.seeds)).transpose()?;
        let is_live = parts.web.is_live();
        let threads = if is_live { parts.threads.max(1) } else { 1 };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            // Only reading pages blocks threads; DNS look-ups wait like other network traffic.
            .max_blocking_threads(threads + 2)
            .enable_all()
            .build()
            .map_err(CrawlError::Threads)?;
        let (sender, receiver) = channel();
        let (budget, seed, state) = (settings.budget, settings.seed, parts.state);
        let pilot = if state.is_durable() {
            let notes = state.recorded()?;
            Pilot::resume(&parts.recipe, budget, seed, counts.downloaded, &notes)
                .map_err(StoreError::from)?
        } else {
            Pilot::new(&parts.recipe, budget, seed)
        };
        Ok(Self {
            scope: Scope::new(settings.scope.clone())?,
            sites,
            pilot,
            state,
            labels: parts.labels,
            has_topic: parts.has_topic,
            seeds: parts.seeds.iter().map(Url::to_string).collect(),
            seed_list: parts.seeds,
            rules: RulesCache::default(),
            clock: if is_live { Clock::Real } else { Clock::Offline(0) },
            fetcher: Arc::new(Fetcher {
                web: parts.web,
                focus: parts.focus,
                readers: Semaphore::new(threads),
                settings: settings.fetch.clone(),
                keeps_pages: sink.keeps_pages(),
            }),
            sink,
            settings,
            runtime,
            sender,
            receiver,
            in_flight: 0,
            pages_in_flight: 0,
            earlier_seconds: counts.seconds,
            started: Instant::now(),
            last_commit: Instant::now(),
            uncommitted: 0,
            durable: counts.stored,
            counts,
        })
    }

    /// Crawls until the budget or the time is spent, no links are left, or `stop` is set. Calls
    /// `watch` with the figures so far several times a second.
    pub fn run(
        &mut self,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&Summary),
    ) -> Result<End, CrawlError> {
        self.offer_seeds()?;
        let mut last_watch = Instant::now();
        let end = loop {
            let is_stopping = stop.load(Ordering::Relaxed);
            let end = self.reason_to_end(is_stopping);
            let until = if end.is_none() { self.start_fetches()? } else { None };
            if self.in_flight == 0 {
                match end {
                    Some(end) => break end,
                    None if until.is_none() => break End::NothingLeft,
                    None => {}
                }
            }
            self.receive_results(until)?;
            let is_time =
                self.last_commit.elapsed() >= seconds(self.settings.output.commit_seconds);
            if self.uncommitted >= COMMIT_ROWS || is_time {
                self.commit()?;
            }
            if last_watch.elapsed() >= Duration::from_millis(100) {
                last_watch = Instant::now();
                watch(&self.summary());
            }
        };
        self.finish(end)?;
        watch(&self.summary());
        Ok(end)
    }

    /// Adds the seeds to the frontier, unless an earlier run has.
    fn offer_seeds(&mut self) -> Result<(), CrawlError> {
        self.counts.is_finished = false;
        if self.counts.has_begun {
            return Ok(());
        }
        let seeds = std::mem::take(&mut self.seed_list);
        for url in &seeds {
            let label = self.labels.as_ref().and_then(|labels| {
                labels.label(url.as_str()).map(|label| labels.is_relevant(label))
            });
            self.counts.recalled.relevant_seeds += u64::from(label == Some(true));
        }
        let seeds = seeds.into_iter().map(Link::seed).collect();
        steer::begin(&mut self.pilot, self.state.as_mut(), seeds)?;
        self.counts.has_begun = true;
        self.commit()
    }

    /// Returns the reason why no more fetches may start, if there is one.
    fn reason_to_end(&self, is_stopping: bool) -> Option<End> {
        let seconds = self.settings.max_seconds;
        if is_stopping {
            Some(End::Stopped)
        } else if self.counts.downloaded >= self.settings.budget {
            Some(End::Budget)
        } else if seconds.is_some_and(|most| self.seconds() >= most) {
            Some(End::Time)
        } else {
            None
        }
    }

    /// Returns the duration of the crawl, earlier runs included.
    fn seconds(&self) -> f64 {
        self.earlier_seconds + self.started.elapsed().as_secs_f64()
    }

    /// Starts fetches while there are free slots and links for them. Returns the time at which the
    /// next link may be fetched, if one waits.
    fn start_fetches(&mut self) -> Result<Option<u64>, CrawlError> {
        let slots = if self.fetcher.web.is_live() { self.settings.fetch.parallel } else { 1 };
        // Many links may be refused in a row; the limit lets results and commits get their turn.
        for _ in 0..MOST_LINKS_AT_ONCE {
            let is_room = self.counts.downloaded + self.pages_in_flight < self.settings.budget;
            if self.in_flight >= slots || !is_room {
                // Nothing can start before a fetch ends.
                return Ok(None);
            }
            match steer::next_task(&mut self.pilot, self.state.as_mut(), self.clock.now())? {
                Course::Fetch(task) => self.start_fetch(*task)?,
                Course::Wait(Idle::Until(until)) => return Ok(Some(until)),
                Course::Wait(Idle::Busy | Idle::Empty) => return Ok(None),
            }
        }
        Ok(Some(self.clock.now()))
    }

    /// Starts the fetch of a link if the site's robots.txt allows it; fetches the robots.txt first
    /// if its rules are not cached.
    fn start_fetch(&mut self, task: Task) -> Result<(), CrawlError> {
        let now = self.clock.now();
        let url = &task.link().url;
        let is_allowed = match self.rules.get(url, now) {
            RulesLookup::NotCached => return self.spawn_fetch(task, Purpose::RobotsTxt),
            RulesLookup::RetryAt(until) => return self.give_back(task, until),
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
        self.spawn_fetch(task, Purpose::Link)
    }

    /// Starts a fetch on another thread, unless the machine must be left alone a little longer.
    fn spawn_fetch(&mut self, task: Task, purpose: Purpose) -> Result<(), CrawlError> {
        if let Some(ready_at) = self.fetcher.web.claim(&task.link().url) {
            return self.give_back(task, ready_at);
        }
        self.counts.fetches += 1;
        self.in_flight += 1;
        self.pages_in_flight += u64::from(purpose == Purpose::Link);
        let (fetcher, number) = (Arc::clone(&self.fetcher), self.counts.fetches);
        let (sender, copy) = (self.sender.clone(), task.clone());
        if self.fetcher.web.is_live() {
            self.runtime.spawn(async move {
                let fetch = tokio::spawn(fetcher.fetch(task, number, purpose)).await;
                let fetch =
                    fetch.unwrap_or_else(|_| FinishedFetch::panicked(copy, number, purpose));
                // Sending cannot fail: the receiver lives as long as the crawl.
                let _ = sender.send(fetch);
            });
        } else {
            // An offline web responds at once, so one thread does everything in order.
            let fetch = catch_unwind(AssertUnwindSafe(|| {
                self.runtime.block_on(fetcher.fetch(task, number, purpose))
            }));
            let _ = sender
                .send(fetch.unwrap_or_else(|_| FinishedFetch::panicked(copy, number, purpose)));
        }
        Ok(())
    }

    /// Logs that a chosen link is not fetched, and finishes it.
    fn refuse(&mut self, task: &Task, outcome: Outcome) -> Result<(), CrawlError> {
        tracing::debug!(url = task.link().url.as_str(), reason = %outcome, "not fetched");
        self.counts.count_refused(&outcome.name());
        let row = self.row(task, outcome);
        self.log_row(row)?;
        self.finish_link(task, 0)
    }

    /// Returns a chosen link to its place in the queue. Its host may be asked again at `ready_at`.
    fn give_back(&mut self, task: Task, ready_at: u64) -> Result<(), CrawlError> {
        self.pilot.returned(&task.link().key());
        Ok(self.state.give_back(task.lease, ready_at)?)
    }

    /// Finishes a link that led to no page. Its host may be asked again at `ready_at`.
    fn finish_link(&mut self, task: &Task, ready_at: u64) -> Result<(), CrawlError> {
        self.pilot.gone(&task.link().key());
        Ok(self.state.finish(&task.lease, ready_at, false)?)
    }

    /// Handles the results of finished fetches. If there are none yet, waits for the first, but not
    /// beyond the time `until`.
    fn receive_results(&mut self, until: Option<u64>) -> Result<(), CrawlError> {
        let mut wait = LONGEST_SLEEP;
        if let Some(until) = until {
            wait = wait.min(Duration::from_millis(self.clock.wait(until)));
        }
        match self.receiver.recv_timeout(wait) {
            Ok(fetch) => self.handle_fetch(fetch)?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        }
        // Other fetches may have finished meanwhile.
        for _ in 0..self.in_flight {
            let Ok(fetch) = self.receiver.try_recv() else { break };
            self.handle_fetch(fetch)?;
        }
        Ok(())
    }

    /// Syncs the output files to disk, then commits the state.
    fn commit(&mut self) -> Result<(), CrawlError> {
        self.counts.positions = self.sink.sync()?;
        self.commit_state()
    }

    fn commit_state(&mut self) -> Result<(), CrawlError> {
        self.counts.seconds = self.seconds();
        self.state.record(self.pilot.take_notes(false).map_err(StoreError::from)?)?;
        let counts = serde_json::to_vec(&self.counts)
            .map_err(|error| CrawlError::State(error.to_string()))?;
        self.state.commit(counts)?;
        self.sink.committed()?;
        self.last_commit = Instant::now();
        self.uncommitted = 0;
        self.durable = self.counts.stored;
        Ok(())
    }

    /// Writes the final tables and indexes, then commits the state.
    fn finish(&mut self, end: End) -> Result<(), CrawlError> {
        self.counts.is_finished = end != End::Stopped;
        self.counts.positions = self.sink.finish()?;
        self.commit_state()
    }

    /// Returns the figures so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let relevant_pages = self.labels.as_ref().map(Labels::relevant_pages);
        let mut summary = self.counts.summary(self.has_topic, relevant_pages, self.state.counts());
        summary.seconds = self.seconds();
        // A page counts as stored only once a commit has made it durable.
        summary.stored = self.durable;
        summary
    }

    /// Returns true if the random number generator was used. If not, a crawl with another random
    /// seed is the same.
    #[must_use]
    pub fn is_random(&self) -> bool {
        self.pilot.is_random(self.settings.seed)
    }

    /// Returns up to `most` hosts with the number of pages fetched from each, in descending order.
    #[must_use]
    pub fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)> {
        self.state.busiest_hosts(most)
    }

    /// Returns the crawl delay of a host after a fetch that took `took` milliseconds.
    fn crawl_delay(&self, url: &Url, took: u64) -> u64 {
        if !self.fetcher.web.is_live() {
            return 0;
        }
        let polite = &self.settings.politeness;
        let slow = (took as f64 / 1_000.0 * polite.slow_factor).min(polite.slow_cap);
        let requested = match self.rules.get(url, self.clock.now()) {
            RulesLookup::Known(rules) => {
                rules.crawl_delay().map_or(0.0, |delay| delay.as_secs_f64())
            }
            _ => 0.0,
        };
        milliseconds(polite.delay.max(slow).max(requested.min(polite.crawl_delay_cap)))
    }
}

impl std::fmt::Debug for Crawl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crawl").field("counts", &self.counts).finish_non_exhaustive()
    }
}
