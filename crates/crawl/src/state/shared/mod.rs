//! The state of a crawl that several workers share, on a Redis server or cluster.
//!
//! The web is cut into partitions by registrable domain. A worker holds a partition by a lease and
//! works on it with the same code as on a state of its own ([`LocalState`]), over tables that are
//! on the server ([`tables`]). Links to other partitions are *letters* ([`letters`]): they leave
//! with the commit of the page that has them, wait in the inbox of their partition, and are read by
//! whoever holds it.
//!
//! A commit is numbered for each partition. It is recorded in the worker's own store first, then
//! one script for each partition applies it, unless it was applied before or the partition has a
//! new holder. A worker that died between the two applies its last record again when it returns. If
//! it never returns, the links that were not applied still wait, and the next holder fetches them.
//! Letters are part of the commit that finishes their page, so a page that is finished has sent its
//! links; sending a letter twice does no harm. A partition that was taken is used only once nothing
//! waits to be committed: otherwise a link that was found for its holder before would belong to
//! nobody.
//!
//! `tests/shared_model.rs` searches all states of this protocol for small crawls.

mod address;
mod commit;
mod contents;
mod crawl;
mod frontier;
mod keys;
mod letters;
mod mail;
mod members;
mod partition;
mod server;
mod tables;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ontrail_pilot::{HostKey, LearnedNumber, Link, Notes, Offer, RankedLink, SentLink};
use redis::cmd;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

pub use address::{Credentials, InvalidAddress, ServerAddress};
pub use crawl::{
    LEASE, PARTITIONS, SharedCrawl, SharedError, SharedFile, SharedPlace, SharedStatus,
    shared_crawls,
};
pub use members::{Worker, WorkerFigures};
pub use server::ServerError;

use self::commit::{Recorded, apply_again};
use self::keys::CrawlKeys;
use self::letters::{Addressed, Batch, BatchName, Letter, Sent};
use self::members::{Membership, News, Others, Released, Taken, script};
use self::partition::Partition;
use self::server::Server;
use super::local::damaged;
use super::queue::MOST_IN_MEMORY;
use super::{Checkpoint, Company, Elsewhere, Heard, Journal, LocalState, Standing};
use crate::frontier::{Frontier, FrontierLimits};
use crate::settings::{CrawlSettings, milliseconds};
use crate::store::{StoreError, Table};

const NUMBERS: &str = include_str!("numbers.lua");
/// The interval between two looks into the inboxes.
const POLL: Duration = Duration::from_millis(200);
/// The longest time for which workers without anything to do wait for one that keeps refused links.
const LONGEST_REST: Duration = Duration::from_mins(1);
/// The time after which a worker without links looks for new ones, in milliseconds.
const IDLE_WAIT: u64 = 200;

/// Most links that a pilot is told of when a worker takes partitions.
const MOST_HEARD: usize = 1 << 19;

/// The key of the worker's name in its own store.
const WORKER: &[u8] = b"worker";
/// The key of the identifier of the crawl in the worker's own store.
const CRAWL: &[u8] = b"crawl";
/// The key of the last commits in the worker's own store.
const RECORD: &[u8] = b"shared commit";

/// A worker's part of the state of a shared crawl.
pub struct SharedState {
    server: Arc<Server>,
    keys: CrawlKeys,
    membership: Arc<Membership>,
    /// The counters and notes of this worker.
    own: LocalState,
    partitions: BTreeMap<u32, Partition>,
    /// The partition of each known host.
    hosts: HashMap<HostKey, u32>,
    limits: FrontierLimits,
    /// The milliseconds that a request may take, with the delay after it.
    longest_request: u64,
    /// Partitions that were taken and are not in use yet.
    taken: Vec<Taken>,
    /// The time of joining by the clock of this machine, in milliseconds.
    started: u64,
    next_age: u64,
    /// Letters that belong to no page of this worker's partitions, such as seeds.
    letters: Vec<Addressed>,
    /// Number of commits with such letters since joining.
    loose_batches: u64,
    polled: Instant,
    /// True if no worker has anything to do any more.
    is_over: bool,
    /// True if the pilot knows the links that wait.
    has_graph: bool,
    /// What the pilot has not been told yet.
    heard: Vec<Heard>,
}

impl SharedState {
    /// Joins a crawl of the live web, or of an archive, as the worker whose own state is in a
    /// folder. `has_graph` is true if its pilot knows the links that wait. `now` is the time by the
    /// clock of the crawl.
    pub fn join(
        crawl: SharedCrawl,
        folder: &Path,
        settings: &CrawlSettings,
        is_live: bool,
        has_graph: bool,
        now: u64,
    ) -> Result<Self, StoreError> {
        let limits = FrontierLimits::from(settings);
        let SharedCrawl { server, keys, lease, id, .. } = crawl;
        let mut own = LocalState::on_disk(folder, limits)?;
        check_crawl(&mut own, &id, &server)?;
        let worker = worker_name(&mut own)?;
        let recorded = own.store.get(Table::State, RECORD)?;
        let recorded: Recorded =
            recorded.map(|bytes| postcard::from_bytes(&bytes)).transpose()?.unwrap_or_default();
        apply_again(&server, &keys, &worker, lease, recorded)?;
        let membership = Membership::join(Arc::clone(&server), keys.clone(), &worker, lease, id)?;
        let mut state = Self {
            server,
            keys,
            membership,
            own,
            partitions: BTreeMap::new(),
            hosts: HashMap::new(),
            limits,
            longest_request: if is_live { longest_request(settings) } else { 0 },
            taken: Vec::new(),
            started: epoch_milliseconds(),
            next_age: 0,
            letters: Vec::new(),
            loose_batches: 0,
            polled: Instant::now(),
            is_over: false,
            has_graph,
            heard: vec![Heard::LeftAll],
        };
        state.follow_leases(now)?;
        Ok(state)
    }

    /// Returns the name of this worker.
    #[must_use]
    pub fn worker(&self) -> &str {
        self.membership.worker()
    }

    /// Drops partitions that were lost, and begins to use those that were taken if nothing waits to
    /// be committed.
    fn follow_leases(&mut self, now: u64) -> Result<(), StoreError> {
        let News { taken, lost, behind, surplus } = self.membership.news()?;
        let mut taken_over = Vec::new();
        for (partition, epoch) in lost {
            self.taken.retain(|taken| (taken.partition, taken.epoch) != (partition, epoch));
            if self.partitions.get(&partition).is_some_and(|own| own.epoch == epoch) {
                taken_over.push((partition, epoch));
            }
        }
        if !taken_over.is_empty() {
            tracing::warn!("other workers have taken over {} partition(s)", taken_over.len());
            self.drop_partitions(&taken_over);
        }
        for partition in behind {
            // Its next commit finds out which commits are missing, and applies them again.
            if let Some(own) = self.partitions.get_mut(&partition) {
                own.is_changed = true;
            }
        }
        self.taken.extend(taken);
        if surplus > 0 {
            self.close(surplus);
        }
        if self.has_changes() { Ok(()) } else { self.adopt(now) }
    }

    /// Returns true if anything waits to be committed.
    fn has_changes(&self) -> bool {
        !self.letters.is_empty() || self.partitions.values().any(|own| own.is_changed)
    }

    /// Begins to use the partitions that were taken.
    fn adopt(&mut self, now: u64) -> Result<(), StoreError> {
        if self.taken.is_empty() {
            return Ok(());
        }
        let taken = std::mem::take(&mut self.taken);
        let partitions = self.keys.partitions();
        let limits = limits_of_partition(self.limits, partitions);
        let room = MOST_IN_MEMORY / partitions as usize;
        let read = Partition::read_all(&self.server, &self.keys, &taken, limits, room)?;
        let (mut room_to_tell, mut left) = (MOST_HEARD, taken.len());
        for (Taken { partition, is_orphan, .. }, (mut own, outbox)) in taken.into_iter().zip(read) {
            if is_orphan {
                own.state.leave_alone_until(now + self.longest_request);
                own.is_changed = true;
            }
            let count = outbox.len() as u64;
            if count > 0 {
                // The holder before may have died before it put them into their inboxes.
                let foreign = Batch::sort(outbox);
                self.push(&foreign)?;
                own.sent.push_back(Sent { at: Instant::now(), count, foreign, own: Vec::new() });
            }
            self.next_age = self.next_age.max(own.state.next_age());
            if self.has_graph {
                let waiting = own.state.waiting(room_to_tell / left.max(1))?;
                room_to_tell = room_to_tell.saturating_sub(waiting.len());
                left = left.saturating_sub(1);
                self.hear(Heard::Waiting(waiting));
            }
            self.hosts.extend(own.hosts().map(|host| (host, partition)));
            self.partitions.insert(partition, own);
        }
        Ok(())
    }

    /// Drops partitions, given with the epochs of their leases.
    fn drop_partitions(&mut self, dropped: &[(u32, u64)]) {
        for (partition, epoch) in dropped {
            self.membership.forget(*partition, *epoch);
            self.partitions.remove(partition);
        }
        if !dropped.is_empty() {
            let Self { hosts, partitions, .. } = self;
            let left = hosts.extract_if(|_, own| !partitions.contains_key(own));
            let left = Heard::Left(left.map(|(host, _)| host).collect());
            self.hear(left);
        }
    }

    /// Notes what the pilot is to be told.
    fn hear(&mut self, heard: Heard) {
        let is_nothing = match &heard {
            Heard::LeftAll => false,
            Heard::Left(hosts) => hosts.is_empty(),
            Heard::Waiting(links) => links.is_empty(),
            Heard::Sent(links) => links.is_empty(),
        };
        if self.has_graph && !is_nothing {
            self.heard.push(heard);
        }
    }

    /// Closes partitions above this worker's share, some with many links and some with few, so that
    /// whoever takes them gets a fair share of the work.
    fn close(&mut self, surplus: usize) {
        let closing = self.partitions.values().filter(|own| own.is_closing).count();
        let surplus = surplus.saturating_sub(closing);
        let mut open: Vec<(u64, u32)> = self
            .partitions
            .iter()
            .filter(|(_, own)| !own.is_closing)
            .map(|(partition, own)| (own.state.counts().queued, *partition))
            .collect();
        open.sort_unstable();
        let count = open.len();
        let is_chosen = |at: usize| (at + 1) * surplus / count > at * surplus / count;
        for (_, (_, partition)) in open.into_iter().enumerate().filter(|(at, _)| is_chosen(*at)) {
            if let Some(own) = self.partitions.get_mut(&partition) {
                own.is_closing = true;
            }
        }
    }

    /// Gives back the partitions that are closing and have nothing under way. Must follow a commit.
    fn give_back_closed(&mut self) -> Result<(), StoreError> {
        let is_done =
            |own: &Partition| own.is_closing && !own.is_changed && !own.state.has_requests();
        let done = self.partitions.iter().filter(|(_, own)| is_done(own));
        let done: Vec<Released> = done.map(|(partition, own)| own.release(*partition)).collect();
        if !done.is_empty() {
            self.membership.release(&done)?;
            let done: Vec<(u32, u64)> = done.iter().map(|it| (it.partition, it.epoch)).collect();
            self.drop_partitions(&done);
        }
        Ok(())
    }

    /// Returns the partition of the page that a link was found on.
    fn partition_of_page(&self, link: &Link) -> Option<u32> {
        let page = link.parent.as_deref()?.parse::<Url>().ok()?;
        Some(self.keys.partition_of(&page))
    }

    /// Returns the partition of a URL, if this worker holds it.
    fn partition_of(&mut self, url: &Url) -> Option<(u32, &mut Partition)> {
        let partition = self.keys.partition_of(url);
        let own = self.partitions.get_mut(&partition)?;
        own.is_changed = true;
        Some((partition, own))
    }

    fn partition_of_host(&mut self, host: HostKey) -> Option<&mut Partition> {
        let own = self.partitions.get_mut(self.hosts.get(&host)?)?;
        own.is_changed = true;
        Some(own)
    }

    fn view_of_host(&self, host: HostKey) -> Option<&Partition> {
        self.partitions.get(self.hosts.get(&host)?)
    }
}

/// Returns the limits of one of several partitions. Sites differ in size, so a partition may have
/// at least as much as one site.
fn limits_of_partition(limits: FrontierLimits, partitions: u32) -> FrontierLimits {
    FrontierLimits {
        queued: (limits.queued / u64::from(partitions)).max(limits.queued_of_site),
        hosts: (limits.hosts / partitions).max(limits.hosts_of_site).max(1),
        ..limits
    }
}

/// Returns the milliseconds that a request may take, with the delay after it.
fn longest_request(settings: &CrawlSettings) -> u64 {
    milliseconds(settings.fetch.total_timeout) + milliseconds(settings.politeness.delay)
}

fn epoch_milliseconds() -> u64 {
    let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(moment.as_millis()).unwrap_or(u64::MAX)
}

/// Checks that a worker's own state belongs to a crawl, and not to an earlier one of the same name.
fn check_crawl(own: &mut LocalState, id: &str, server: &Server) -> Result<(), StoreError> {
    match own.store.get(Table::State, CRAWL)? {
        Some(before) if before != id.as_bytes() => Err(server.dropped().into()),
        Some(_) => Ok(()),
        None => {
            own.store.put(Table::State, CRAWL.to_vec(), id.as_bytes().to_vec());
            own.store.commit()
        }
    }
}

/// Returns the name of the worker whose own state this is. It gets one when it first joins.
fn worker_name(own: &mut LocalState) -> Result<String, StoreError> {
    if let Some(name) = own.store.get(Table::State, WORKER)? {
        return String::from_utf8(name).map_err(|_| damaged("the name of the worker"));
    }
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let host: String =
        host.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect();
    let unique = format!("{host} {} {}", std::process::id(), epoch_milliseconds());
    let unique = xxh3_64(unique.as_bytes());
    let name = format!("{}-{:08x}", host.get(..24).unwrap_or(&host), unique & 0xffff_ffff);
    own.store.put(Table::State, WORKER.to_vec(), name.clone().into_bytes());
    own.store.commit()?;
    Ok(name)
}

impl Company for SharedState {
    fn exchange(&mut self, own: Standing, now: u64) -> Result<Elsewhere, StoreError> {
        self.follow_leases(now)?;
        let counts = self.counts();
        let is_idle = counts.queued + counts.leased == 0
            && !self.has_changes()
            && self.taken.is_empty()
            && self.partitions.values().all(|own| own.sent.is_empty());
        if is_idle {
            std::thread::sleep(POLL / 2);
        }
        if self.polled.elapsed() >= POLL {
            self.polled = Instant::now();
            self.read_inboxes()?;
            self.settle()?;
        }
        let figures = WorkerFigures {
            pages: own.pages,
            reserve: own.reserve,
            queued: counts.queued,
            leased: counts.leased,
            letters: self.partitions.values().map(Partition::letters).sum(),
            ..WorkerFigures::default()
        };
        let rest = self.membership.report(&figures, is_idle);
        let Others { pages, order, living, has_links, has_reserve } = self.membership.others();
        // Others may find links behind those that they keep in reserve.
        let may_go_on = has_reserve || has_links;
        self.is_over = rest.is_some_and(|rest| !may_go_on || rest >= LONGEST_REST);
        let is_busy = !self.is_over;
        Ok(Elsewhere { pages: Some(pages), workers: living, order, has_links, is_busy })
    }

    fn heard(&mut self) -> Vec<Heard> {
        std::mem::take(&mut self.heard)
    }

    fn is_elsewhere(&self, url: &Url) -> bool {
        !self.partitions.contains_key(&self.keys.partition_of(url))
    }

    fn send(&mut self, links: Vec<SentLink>) {
        let from = links.first().and_then(|it| self.partition_of_page(&it.link));
        for SentLink { link, priority, sighting } in links {
            let to = self.keys.partition_of(&link.url);
            let letter = Letter::of(RankedLink { link, rank: priority }, None);
            self.write(
                from,
                Addressed { to, letter: Letter { sighting: Some(sighting), ..letter } },
            );
        }
    }

    fn offer_sent(&mut self, links: Vec<RankedLink>) -> Result<Vec<Offer>, StoreError> {
        let letter = |it: RankedLink| (self.keys.partition_of(&it.link.url), Letter::of(it, None));
        let offers = links.into_iter().map(letter).collect();
        self.offer_to_each(offers)
    }

    fn numbers_of_others(&self) -> Result<Vec<LearnedNumber>, StoreError> {
        let told: Option<Vec<u8>> = self.server.call(cmd("GET").arg(self.keys.numbers()))?;
        let Some(told) = told else { return Ok(Vec::new()) };
        let (teller, numbers): (String, Vec<LearnedNumber>) = postcard::from_bytes(&told)?;
        Ok(if teller == self.worker() { Vec::new() } else { numbers })
    }

    fn tell_numbers(&mut self, numbers: &[LearnedNumber]) -> Result<(), StoreError> {
        let told = postcard::to_stdvec(&(self.worker(), numbers))?;
        let places = [self.keys.numbers(), self.keys.crawl()];
        let tell = script(NUMBERS, &places, |it| {
            it.arg(&told).arg(self.membership.crawl());
        });
        Ok(self.server.call::<()>(&tell)?)
    }

    fn leave(&mut self) -> Result<(), StoreError> {
        // The beat takes partitions until then.
        self.membership.close();
        self.taken.extend(self.membership.news()?.taken);
        let held = self.partitions.iter().map(|(partition, own)| own.release(*partition));
        let mut held: Vec<Released> = held.collect();
        held.extend(self.taken.drain(..).map(|it| Released {
            partition: it.partition,
            epoch: it.epoch,
            has_requests: it.is_orphan,
        }));
        self.membership.release(&held)?;
        self.partitions.clear();
        self.hosts.clear();
        // Everything was applied, so nothing has to be applied again.
        self.own.store.delete(Table::State, RECORD);
        self.own.store.commit()?;
        Ok(self.membership.leave()?)
    }
}

/// The notes of a pilot are about what this worker has seen.
impl Journal for SharedState {
    fn record(&mut self, notes: Notes) -> Result<(), StoreError> {
        self.own.record(notes)
    }

    fn recorded(&self) -> Result<Notes, StoreError> {
        self.own.recorded()
    }
}

impl Checkpoint for SharedState {
    fn commit(&mut self, run: Vec<u8>) -> Result<(), StoreError> {
        let mut records = Vec::new();
        for (partition, own) in &mut self.partitions {
            records.extend(own.next_commit(*partition)?);
        }
        self.loose_batches += u64::from(!self.letters.is_empty());
        let recorded = Recorded {
            records,
            letters: self.letters.clone(),
            name: BatchName { from: u32::MAX, epoch: self.started, number: self.loose_batches },
        };
        self.own.store.put(Table::State, RECORD.to_vec(), postcard::to_stdvec(&recorded)?);
        self.own.commit(run)?;
        let applied = self.apply(recorded.records)?;
        self.deliver(&applied, recorded.name)?;
        self.give_back_closed()
    }

    fn committed(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.own.committed()
    }

    fn is_durable(&self) -> bool {
        true
    }
}

impl std::fmt::Debug for SharedState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedState").field("worker", &self.worker()).finish_non_exhaustive()
    }
}
