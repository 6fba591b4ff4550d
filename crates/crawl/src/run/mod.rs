//! The crawl itself: takes links from the frontier, starts fetches, and handles their results.
//!
//! One thread decides and counts. Fetches run on other threads and are independent of each other;
//! their results arrive through a channel, are logged and stored, and their links go to the
//! frontier. About once a second everything is made durable in this order: archives, journals, the
//! commit record with their lengths, and then the commit of frontier and counters, which includes
//! the same lengths. So whenever the process dies, the files are truncated to what was counted,
//! links that were being fetched return to their queues, and no page is lost or stored twice.

mod clock;
mod counts;
mod fetch;
mod links;
mod merge;
mod odd_threshold;
mod relearn;
mod replay;
mod results;
mod robots_txt;
mod rules;
mod sitemaps;
mod start;
mod templates;
mod timing;
mod trouble;
mod waiting;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ontrail_pilot::{
    HostKey, Learned, Link, Pilot, RankedLink, Recipe, SEED_PRIORITY, Score, Start,
};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use url::Url;

pub use counts::Summary;
pub use merge::{Merge, Merged};
pub use odd_threshold::OddThreshold;
pub use relearn::{Relearned, learn_from};
pub use replay::Repaired;
pub use timing::{BUCKETS, Histogram, Timings};
pub use trouble::TroubleKind;
pub use waiting::Waiting;

use self::clock::Clock;
use self::counts::Counts;
use self::fetch::Fetcher;
use self::robots_txt::WaitingRedirects;
use self::rules::RulesCache;
use self::start::{Message, Started};
use self::templates::LearnedTemplates;
use self::trouble::Trouble;
use crate::focus::Focus;
use crate::labels::Labels;
use crate::outcome::{FetchKind, Outcome};
use crate::output::{LogRow, OpeningNotice, OutputError, Sink, free_space};
use crate::robots::SiteRules;
use crate::scope::{Scope, ScopeError};
use crate::settings::{CrawlSettings, milliseconds, seconds};
use crate::state::{CrawlState, Elsewhere, Order, Standing};
use crate::steer::{self, Task};
use crate::store::StoreError;
use crate::web::Web;

/// Number of log rows after which the crawl commits, even if the commit interval has not passed.
const COMMIT_ROWS: u64 = 1_000;
/// The wait of a host that failed while the crawl pauses for trouble of its own, in milliseconds.
const PAUSE_DELAY: u64 = 5_000;
/// The interval between two looks at the disk.
const DISK_INTERVAL: Duration = Duration::from_secs(1);
/// The interval between two times that the IP addresses of hosts are stored.
const NAMES_INTERVAL: Duration = Duration::from_mins(1);
/// The longest wait at the end of a crawl for fetches in progress. Links that are still being
/// fetched then return to their queues.
const LAST_FETCHES: Duration = Duration::from_secs(5);
/// The interval between two times that workers share what their recipe has learned.
const SHARE_INTERVAL: Duration = Duration::from_secs(5);
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
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    /// Fetches in progress, by number.
    in_flight: BTreeMap<u64, Started>,
    /// Hosts whose names are being looked up, and URLs whose hosts are to be looked up next.
    lookups: HashSet<HostKey>,
    next_lookups: VecDeque<Url>,
    redirects: WaitingRedirects,
    templates: LearnedTemplates,
    trouble: Trouble,
    timings: Timings,
    waiting: Option<Waiting>,
    /// The time since which only hosts that fail and links to retry are left.
    stuck_since: Option<u64>,
    /// Duration of earlier runs of this crawl.
    earlier_seconds: f64,
    started: Instant,
    last_commit: Instant,
    /// The folder whose disk must not become full, and the time of the last look at it.
    disk: Option<(PathBuf, Instant)>,
    /// The time at which the IP addresses of hosts were last stored.
    names_kept: Instant,
    /// Rows since the last commit.
    uncommitted: u64,
    /// Pages stored as of the last commit.
    durable: u64,
    notices: Vec<OpeningNotice>,
    /// A summary of the link model at the last commit.
    learned: Option<Learned>,
    /// What the other workers of a shared crawl do.
    elsewhere: Elsewhere,
    /// The time of the last sharing of what was learned.
    shared: Instant,
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
        "{folder}: has pages but no crawl state; restore the folder `state`, or rebuild it with \
         `ontrail crawl repair {folder}`",
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
    /// Only links of hosts that do not answer, and links to retry, are left.
    Unreachable,
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
        let (sink, notices) = Sink::folder(folder, &counts.as_commit(), largest, &software)?;
        let long_ago = Instant::now().checked_sub(DISK_INTERVAL).unwrap_or_else(Instant::now);
        let disk = Some((folder.to_owned(), long_ago));
        Ok(Self { disk, notices, ..Self::begin_with(parts, counts, sink)? })
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
        let (budget, seed, mut state) = (settings.budget, settings.seed, parts.state);
        let start = Start {
            recipe: &parts.recipe,
            budget,
            seed,
            start_curve: parts.focus.start_curve(),
            link_model: parts.focus.link_model(),
        };
        let mut pilot = if state.is_durable() {
            let notes = state.recorded()?;
            Pilot::resume(&start, counts.downloaded, &notes).map_err(StoreError::from)?
        } else {
            Pilot::new(&start)
        };
        // The pilot must know what it has left before anything is added.
        let heard = state.heard();
        steer::hear(&mut pilot, state.as_mut(), heard)?;
        let templates = LearnedTemplates::restored(state.as_ref())?;
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
            in_flight: BTreeMap::new(),
            lookups: HashSet::new(),
            next_lookups: VecDeque::new(),
            redirects: WaitingRedirects::default(),
            templates,
            trouble: Trouble::default(),
            timings: Timings::default(),
            waiting: None,
            stuck_since: None,
            earlier_seconds: counts.seconds,
            started: Instant::now(),
            last_commit: Instant::now(),
            disk: None,
            names_kept: Instant::now(),
            uncommitted: 0,
            durable: counts.stored,
            notices: Vec::new(),
            learned: None,
            elsewhere: Elsewhere::default(),
            shared: Instant::now(),
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
        if let Some(names) = self.state.names()? {
            self.fetcher.web.restore(&names);
        }
        let mut last_watch = Instant::now();
        let mut ending = None;
        let end = loop {
            self.watch_disk();
            self.exchange()?;
            let is_stopping = stop.load(Ordering::Relaxed) || self.elsewhere.order == Order::Stop;
            let end = self.reason_to_end(is_stopping);
            let until = if end.is_none() { self.start_fetches()? } else { None };
            self.waiting = if end.is_none() { self.waiting(until) } else { None };
            if let Some(end) = end {
                let since = ending.get_or_insert_with(Instant::now);
                if self.in_flight.is_empty() || since.elapsed() >= LAST_FETCHES {
                    break end;
                }
            } else if self.is_idle() && until.is_none() {
                break End::NothingLeft;
            } else if self.is_stuck_for_too_long() {
                break End::Unreachable;
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

    /// Hears what the other workers of a shared crawl do, and shares with them what was learned.
    fn exchange(&mut self) -> Result<(), CrawlError> {
        let own = Standing { pages: self.counts.downloaded, reserve: self.pilot.reserve() };
        self.elsewhere = self.state.exchange(own, self.clock.now())?;
        // Links that the pilot does not know may wait here, too.
        let has_links = self.elsewhere.has_links || self.state.counts().queued > 0;
        self.pilot.set_company(self.elsewhere.pages.is_some() && has_links);
        self.pilot.set_budget(self.settings.budget / (self.elsewhere.workers + 1));
        let heard = self.state.heard();
        steer::hear(&mut self.pilot, self.state.as_mut(), heard)?;
        if self.elsewhere.pages.is_some() && self.shared.elapsed() >= SHARE_INTERVAL {
            self.shared = Instant::now();
            self.share_numbers()?;
        }
        Ok(())
    }

    fn share_numbers(&mut self) -> Result<(), CrawlError> {
        let others = self.state.numbers_of_others()?;
        if !others.is_empty() {
            self.pilot.mix(others);
        }
        let own = self.pilot.learned_numbers();
        if own.is_empty() {
            return Ok(());
        }
        Ok(self.state.tell_numbers(&own)?)
    }

    /// Adds the seeds to the frontier, unless an earlier run has.
    fn offer_seeds(&mut self) -> Result<(), CrawlError> {
        self.counts.is_finished = false;
        if self.counts.has_begun {
            return Ok(());
        }
        let seeds = std::mem::take(&mut self.seed_list);
        if let Some(labels) = &self.labels {
            self.counts.count_seeds(&seeds, labels);
        }
        let seeds = seeds.into_iter().map(Link::seed);
        let (others, own) = seeds.partition(|link| self.state.is_elsewhere(&link.url));
        steer::begin(&mut self.pilot, self.state.as_mut(), own)?;
        let others: Vec<Link> = others;
        let others = others.into_iter().map(|link| RankedLink { link, rank: SEED_PRIORITY });
        self.state.offer_all(others.collect())?;
        self.counts.has_begun = true;
        self.commit()
    }

    /// Adds the links again that were given up because their host did not answer or failed, and
    /// returns their number. `rows` are the rows of the log.
    pub fn retry_failed(
        &mut self,
        rows: impl IntoIterator<Item = Result<LogRow, OutputError>>,
    ) -> Result<u64, CrawlError> {
        let mut added = 0;
        for row in rows {
            let row = row?;
            if row.kind == FetchKind::Robots || !row.outcome.is_temporary() {
                continue;
            }
            let Ok(url) = row.final_url.parse() else { continue };
            let target = row.kind.target();
            let link = Link {
                target,
                depth: row.depth,
                parent: row.parent.clone(),
                anchor: row.anchor.clone(),
                scores: row.scores.clone(),
                ..Link::seed(url)
            };
            let rank = row.score(Score::Priority).unwrap_or(0.0);
            if self.state.reopen(RankedLink { link: link.clone(), rank })? {
                self.pilot.listed(&link, false);
                added += 1;
            }
        }
        Ok(added)
    }

    /// Returns the reason why no more fetches may start, if there is one.
    fn reason_to_end(&self, is_stopping: bool) -> Option<End> {
        let seconds = self.settings.max_seconds;
        if is_stopping {
            Some(End::Stopped)
        } else if self.downloaded_by_all() >= self.settings.budget {
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

    /// Pauses the crawl while less than the set amount of disk is free.
    fn watch_disk(&mut self) {
        let Some((folder, looked)) = &mut self.disk else { return };
        if looked.elapsed() < DISK_INTERVAL {
            return;
        }
        *looked = Instant::now();
        let is_full = free_space(folder).is_some_and(|it| it < self.settings.output.least_free);
        self.trouble.set_disk_full(is_full);
    }

    /// Stores the IP addresses of hosts with the state, from time to time and at the end.
    fn keep_names(&mut self, is_last: bool) {
        let is_wanted = self.is_live() && self.state.is_durable();
        if is_wanted && (is_last || self.names_kept.elapsed() >= NAMES_INTERVAL) {
            self.names_kept = Instant::now();
            self.state.keep_names(self.fetcher.web.save());
        }
    }

    fn is_live(&self) -> bool {
        self.fetcher.web.is_live()
    }

    /// Returns true if no request is in progress or about to start.
    fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && self.lookups.is_empty() && self.redirects.is_empty()
    }

    /// Returns true if only hosts that fail and links to retry have been left for longer than the
    /// settings allow. A crawl that pauses because the network is down waits as long as a host may
    /// fail, if it has had any page.
    fn is_stuck_for_too_long(&mut self) -> bool {
        if !self.is_idle() || self.trouble.is_disk_full() {
            return false;
        }
        let counts = self.state.counts();
        let waits_for_others = self.elsewhere.is_busy && counts.queued == 0;
        if counts.open_hosts > counts.failing_open_hosts || waits_for_others {
            self.stuck_since = None;
            return false;
        }
        let now = self.clock.now();
        let since = *self.stuck_since.get_or_insert(now);
        let polite = &self.settings.politeness;
        let is_ours = self.trouble.kind().is_some() && self.counts.downloaded > 0;
        let most = if is_ours { polite.give_up_after } else { polite.end_wait };
        now >= since.saturating_add(milliseconds(most))
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
        // Offline the clock would jump, but space is freed in real time.
        if let Some(until) = until.filter(|_| !self.trouble.is_disk_full()) {
            wait = wait.min(Duration::from_millis(self.clock.wait(until)));
        }
        match self.receiver.recv_timeout(wait) {
            Ok(message) => self.handle(message)?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        }
        // Other fetches may have finished meanwhile.
        for _ in 0..self.in_flight.len() + self.lookups.len() {
            let Ok(message) = self.receiver.try_recv() else { break };
            self.handle(message)?;
        }
        Ok(())
    }

    fn handle(&mut self, message: Message) -> Result<(), CrawlError> {
        match message {
            Message::Fetched(fetch) => self.handle_fetch(*fetch),
            Message::LookedUp(url, took) => {
                self.timings.lookup.add(took);
                self.handle_lookup(&url);
                Ok(())
            }
        }
    }

    /// Syncs the output files to disk, then commits the state.
    fn commit(&mut self) -> Result<(), CrawlError> {
        self.counts.positions = self.sink.sync()?;
        self.commit_state()
    }

    fn commit_state(&mut self) -> Result<(), CrawlError> {
        self.counts.seconds = self.seconds();
        self.keep_names(false);
        self.templates.keep(self.state.as_mut())?;
        self.state.record(self.pilot.take_notes(false).map_err(StoreError::from)?)?;
        let mut counts = self.counts.clone();
        if self.sink.keeps_pages() {
            counts.commit += 1;
            self.sink.record(&counts.as_commit())?;
        }
        let bytes =
            serde_json::to_vec(&counts).map_err(|error| CrawlError::State(error.to_string()))?;
        let started = Instant::now();
        self.state.commit(bytes)?;
        self.timings.commit.add(started.elapsed());
        // If the state cannot be committed, the next attempt has the same number.
        self.counts.commit = counts.commit;
        self.sink.committed()?;
        self.last_commit = Instant::now();
        self.uncommitted = 0;
        self.durable = self.counts.stored;
        self.learned = self.pilot.learned();
        Ok(())
    }

    /// Writes the final tables and indexes, then commits the state.
    fn finish(&mut self, end: End) -> Result<(), CrawlError> {
        self.counts.is_finished = end != End::Stopped;
        self.waiting = None;
        self.keep_names(true);
        self.counts.positions = self.sink.finish()?;
        self.commit_state()?;
        Ok(self.state.leave()?)
    }

    /// Returns the number of pages that all workers have fetched.
    fn downloaded_by_all(&self) -> u64 {
        self.counts.downloaded + self.elsewhere.pages.unwrap_or(0)
    }

    /// Returns the figures so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let relevant_pages = self.labels.as_ref().map(Labels::relevant_pages);
        let mut summary = self.counts.summary(self.has_topic, relevant_pages, self.state.counts());
        summary.seconds = self.seconds();
        // A page counts as stored only once a commit has made it durable.
        summary.stored = self.durable;
        summary.elsewhere = self.elsewhere.pages;
        summary.waiting = self.waiting;
        summary.timings = self.timings;
        summary.learned.clone_from(&self.learned);
        summary.calibration = self.pilot.calibration();
        summary.odd_threshold = OddThreshold::of(&summary);
        summary.expected_relevant = summary.calibration.map(|_| self.counts.expected_relevant);
        summary
    }

    /// Returns what a person should know about the files that the crawl was resumed from.
    #[must_use]
    pub fn notices(&self) -> &[OpeningNotice] {
        &self.notices
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
        let requested = self.rules.peek(url).and_then(SiteRules::crawl_delay);
        let requested = requested.map_or(0.0, |delay| delay.as_secs_f64());
        milliseconds(polite.delay.max(slow).max(requested.min(polite.crawl_delay_cap)))
    }
}

impl std::fmt::Debug for Crawl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crawl").field("counts", &self.counts).finish_non_exhaustive()
    }
}
