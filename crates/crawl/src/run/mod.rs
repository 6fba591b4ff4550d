//! The crawl itself: takes links from the frontier, sends visits out, and takes in what they bring.
//!
//! One thread decides and counts. Visits run on others and know nothing of each other; what they bring comes
//! through a channel, is logged and stored, and its links go to the frontier. About once a second everything is
//! made durable in this order: archives, journals, and then the commit of frontier and counters that says how long
//! those are. So whenever the process dies, the files are cut back to what was counted, links that were being
//! fetched wait again, and no page is lost or stored twice.

mod absorb;
mod clock;
mod counts;
mod links;
mod rules;
mod visit;

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
use self::rules::{Rules, RulesCache};
use self::visit::{Purpose, Visit, Visitor};
use crate::focus::Focus;
use crate::frontier::Idle;
use crate::labels::Labels;
use crate::outcome::Outcome;
use crate::output::{LogRow, OutputError, Sink};
use crate::scope::{Scope, ScopeError};
use crate::settings::{Settings, milliseconds, seconds};
use crate::state::CrawlState;
use crate::steer::{self, Course, Task};
use crate::store::StoreError;
use crate::web::Web;

/// The rank of sitemaps: before all links that are found.
const SITEMAP_RANK: f64 = 1.0;
/// After how many rows of the log everything is made durable, if not after a time.
const COMMIT_ROWS: u64 = 1_000;
/// How many links are taken before anything else is looked at.
const MOST_AT_ONCE: usize = 1_000;
/// The longest that the decider sleeps.
const LONGEST_SLEEP: Duration = Duration::from_millis(200);

/// What a crawl is made of.
pub struct CrawlParts {
    /// The web.
    pub web: Arc<dyn Web>,
    /// What reads pages.
    pub focus: Arc<dyn Focus>,
    /// What chooses links.
    pub recipe: Recipe,
    /// What it remembers: the links that wait, the pages that were seen, its own counters.
    pub state: Box<dyn CrawlState>,
    /// How it is to be done.
    pub settings: Settings,
    /// Where it begins, in canonical form.
    pub seeds: Vec<Url>,
    /// What pages truly are, if that is known.
    pub labels: Option<Labels>,
    /// Whether pages are judged by a topic.
    pub has_topic: bool,
    /// How many threads fetch and read pages.
    pub threads: usize,
}

/// A crawl, new or where it was left.
pub struct Crawl {
    visitor: Arc<Visitor>,
    pilot: Pilot,
    /// What is committed together: links, leases, pages seen, the pilot's notes, the counters.
    state: Box<dyn CrawlState>,
    settings: Settings,
    scope: Scope,
    /// The sites of the seeds, if the crawl is to stay there.
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
    sender: Sender<Visit>,
    receiver: Receiver<Visit>,
    in_flight: usize,
    /// Visits under way that may bring a page.
    pages_in_flight: u64,
    earlier_seconds: f64,
    started: Instant,
    last_commit: Instant,
    uncommitted: u64,
    /// Pages that are stored for good.
    durable: u64,
}

/// Why a crawl stopped with an error. What was committed before is safe.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The state cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A scope that makes no sense.
    #[error("scope: {0}")]
    Scope(#[from] ScopeError),
    /// Pages without the state that counts them.
    #[error(
        "{folder}: has pages but no state; put back its state folder, or crawl into another folder",
        folder = .0.display()
    )]
    NoState(PathBuf),
    /// Threads cannot be started.
    #[error("threads for fetching cannot be started")]
    Threads(#[source] std::io::Error),
    /// What was committed cannot be understood.
    #[error("the counters of the crawl are damaged: {0}")]
    State(String),
}

/// Why a crawl came to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// As many pages as were asked for.
    Budget,
    /// As long as was asked for.
    Time,
    /// Every link was dealt with.
    NothingLeft,
    /// Someone asked it to stop.
    Stopped,
}

impl Crawl {
    /// Makes a crawl ready that writes into a folder. What the frontier and the folder hold of an earlier run is
    /// gone on with.
    pub fn open(parts: CrawlParts, folder: &Path) -> Result<Self, CrawlError> {
        let counts: Counts = match parts.state.committed()? {
            None => Counts::default(),
            Some(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| CrawlError::State(error.to_string()))?,
        };
        let is_old = |name: &str| {
            std::fs::read_dir(folder.join(name)).is_ok_and(|mut files| files.next().is_some())
        };
        if !counts.has_begun && (is_old("pages") || is_old("log")) {
            return Err(CrawlError::NoState(folder.to_owned()));
        }
        let (software, largest) =
            (parts.settings.fetch.full_agent(), parts.settings.output.archive_bytes);
        let sink = Sink::folder(folder, counts.positions, largest, &software)?;
        Self::begin_with(parts, counts, sink)
    }

    /// Makes a new crawl ready that stores nothing: `rows` is given each row of the log. For experiments.
    pub fn in_hand(
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
            // Names are looked up on such threads too, and some name servers never answer.
            .max_blocking_threads(threads + 2 + settings.fetch.parallel.min(64))
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
            visitor: Arc::new(Visitor {
                web: parts.web,
                focus: parts.focus,
                readers: Semaphore::new(threads),
                settings: settings.fetch.clone(),
                packs: sink.keeps_pages(),
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

    /// Crawls until the budget is spent, nothing is left, or `stop` is set. `watch` is told several times a second
    /// how it stands.
    pub fn run(
        &mut self,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&Summary),
    ) -> Result<End, CrawlError> {
        self.begin()?;
        let mut last_watch = Instant::now();
        let end = loop {
            let is_stopping = stop.load(Ordering::Relaxed);
            let over = self.is_over(is_stopping);
            let until = if over.is_none() { self.send_out()? } else { None };
            if self.in_flight == 0 {
                match over {
                    Some(end) => break end,
                    // Nothing is under way and nothing waits.
                    None if until.is_none() => break End::NothingLeft,
                    None => {}
                }
            }
            self.take_in(until)?;
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

    /// Puts the seeds into the frontier, once.
    fn begin(&mut self) -> Result<(), CrawlError> {
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

    /// Whether no more visits are to be sent out, and why.
    fn is_over(&self, is_stopping: bool) -> Option<End> {
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

    fn seconds(&self) -> f64 {
        self.earlier_seconds + self.started.elapsed().as_secs_f64()
    }

    /// Sends out visits while there are links for them. Returns when the next link may be fetched, if one waits.
    fn send_out(&mut self) -> Result<Option<u64>, CrawlError> {
        let slots = if self.visitor.web.is_live() { self.settings.fetch.parallel } else { 1 };
        // Many links may be refused one after the other, and other things must go on meanwhile.
        for _ in 0..MOST_AT_ONCE {
            let is_room = self.counts.downloaded + self.pages_in_flight < self.settings.budget;
            if self.in_flight >= slots || !is_room {
                // The next thing that happens is that a visit ends.
                return Ok(None);
            }
            match steer::next_task(&mut self.pilot, self.state.as_mut(), self.clock.now())? {
                Course::Fetch(task) => self.send(*task)?,
                Course::Wait(Idle::Until(until)) => return Ok(Some(until)),
                Course::Wait(Idle::Busy | Idle::Empty) => return Ok(None),
            }
        }
        Ok(Some(self.clock.now()))
    }

    /// Sends a visit out for a link, unless its site must be asked for its rules first or forbids it.
    fn send(&mut self, task: Task) -> Result<(), CrawlError> {
        let now = self.clock.now();
        let url = &task.link().url;
        let is_allowed = match self.rules.get(url, now) {
            Rules::Unknown => return self.send_visit(task, Purpose::Rules),
            Rules::Failing(until) => return self.give_back(task, until),
            Rules::Unreachable(failure) => {
                let failure = failure.clone();
                return self.give_up(&task, &failure);
            }
            Rules::Known(rules) => rules.allows(url),
        };
        if !is_allowed {
            return self.refuse(&task, Outcome::Robots);
        }
        if task.lease.host_pages >= self.settings.caps.pages_per_host {
            return self.refuse(&task, Outcome::HostFull);
        }
        self.send_visit(task, Purpose::Fetch)
    }

    /// Sends a visit out, unless the machine must be left alone a little longer.
    fn send_visit(&mut self, task: Task, purpose: Purpose) -> Result<(), CrawlError> {
        if let Some(ready) = self.visitor.web.claim(&task.link().url) {
            return self.give_back(task, ready);
        }
        self.counts.visits += 1;
        self.in_flight += 1;
        self.pages_in_flight += u64::from(purpose == Purpose::Fetch);
        let (visitor, number) = (Arc::clone(&self.visitor), self.counts.visits);
        let (sender, copy) = (self.sender.clone(), task.clone());
        if self.visitor.web.is_live() {
            self.runtime.spawn(async move {
                let visit = tokio::spawn(visitor.visit(task, number, purpose)).await;
                let visit = visit.unwrap_or_else(|_| Visit::lost(copy, number, purpose));
                // The receiver lives as long as the crawl.
                let _ = sender.send(visit);
            });
        } else {
            // Offline the answer is there at once, and one thread does everything in order.
            let visit = catch_unwind(AssertUnwindSafe(|| {
                self.runtime.block_on(visitor.visit(task, number, purpose))
            }));
            let _ = sender.send(visit.unwrap_or_else(|_| Visit::lost(copy, number, purpose)));
        }
        Ok(())
    }

    /// A link that was chosen is not fetched after all.
    fn refuse(&mut self, task: &Task, outcome: Outcome) -> Result<(), CrawlError> {
        tracing::debug!(url = task.link().url.as_str(), reason = %outcome, "not fetched");
        self.counts.count_refused(&outcome.name());
        let row = self.row(task, outcome);
        self.log_row(row)?;
        self.finish_link(task, 0)
    }

    /// A link that was chosen goes back to its place, and its host rests.
    fn give_back(&mut self, task: Task, rest_until: u64) -> Result<(), CrawlError> {
        self.pilot.returned(&task.link().key());
        Ok(self.state.give_back(task.lease, rest_until)?)
    }

    /// A link has been dealt with, and brought no page; its host rests.
    fn finish_link(&mut self, task: &Task, rest_until: u64) -> Result<(), CrawlError> {
        self.pilot.gone(&task.link().key());
        Ok(self.state.finish(&task.lease, rest_until, false)?)
    }

    /// Takes in what visits have brought, and waits for the first if there is none.
    fn take_in(&mut self, until: Option<u64>) -> Result<(), CrawlError> {
        let mut wait = LONGEST_SLEEP;
        if let Some(until) = until {
            wait = wait.min(Duration::from_millis(self.clock.wait(until)));
        }
        match self.receiver.recv_timeout(wait) {
            Ok(visit) => self.absorb(visit)?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        }
        // Whatever else has come meanwhile.
        for _ in 0..self.in_flight {
            let Ok(visit) = self.receiver.try_recv() else { break };
            self.absorb(visit)?;
        }
        Ok(())
    }

    /// Makes everything durable.
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

    /// Makes everything durable, and the tables and indexes that people read.
    fn finish(&mut self, end: End) -> Result<(), CrawlError> {
        self.counts.is_finished = end != End::Stopped;
        self.counts.positions = self.sink.finish()?;
        self.commit_state()
    }

    /// How it stands.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let relevant_pages = self.labels.as_ref().map(Labels::relevant_pages);
        let mut summary = self.counts.summary(self.has_topic, relevant_pages, self.state.counts());
        summary.seconds = self.seconds();
        // A page counts as stored only when nothing can lose it any more.
        summary.stored = self.durable;
        summary
    }

    /// Whether anything was left to chance: if not, a crawl with another seed goes the same way.
    #[must_use]
    pub fn has_drawn(&self) -> bool {
        self.pilot.has_drawn(self.settings.seed)
    }

    /// The hosts with the most pages.
    #[must_use]
    pub fn busiest_hosts(&self, most: usize) -> Vec<(String, u64)> {
        self.state.busiest_hosts(most)
    }

    /// How long a host rests after a fetch that took so long.
    fn rest(&self, url: &Url, took: u64) -> u64 {
        if !self.visitor.web.is_live() {
            return 0;
        }
        let polite = &self.settings.politeness;
        let slow = (took as f64 / 1_000.0 * polite.slow_factor).min(polite.slow_cap);
        let asked = match self.rules.get(url, self.clock.now()) {
            Rules::Known(rules) => rules.crawl_delay().map_or(0.0, |delay| delay.as_secs_f64()),
            _ => 0.0,
        };
        milliseconds(polite.delay.max(slow).max(asked.min(polite.crawl_delay_cap)))
    }
}

impl std::fmt::Debug for Crawl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crawl").field("counts", &self.counts).finish_non_exhaustive()
    }
}
