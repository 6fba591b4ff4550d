//! Which worker holds which partition.
//!
//! Each worker beats about once a second: it records that it lives, extends its leases, and takes
//! free partitions or gives some back until it holds its share, which is the number of partitions
//! divided by the number of living workers. Nobody coordinates this. A worker that cannot extend a
//! lease stops using the partition before the lease runs out, so two workers never ask one host at
//! the same time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Cmd, cmd};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::keys::CrawlKeys;
use super::letters::SETTLED;
use super::server::{Server, ServerError};
use crate::state::Order;

const TAKE: &str = include_str!("take.lua");
const RENEW: &str = include_str!("renew.lua");
const RELEASE: &str = include_str!("release.lua");
const REST: &str = include_str!("rest.lua");
const BEAT: &str = include_str!("beat.lua");

/// The time that a beat may wait for the server; the next one tries again.
const PATIENCE: Duration = Duration::from_secs(2);

/// A lease on a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    /// The number of this lease, greater than those before. The server refuses commits with a
    /// smaller one.
    epoch: u64,
    /// The time until which the partition may be used.
    safe_until: Instant,
    /// The number of the last commit that the server has applied.
    applied: u64,
}

/// The changes of a worker's leases since it last asked.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Partitions that were taken.
    pub(super) taken: Vec<Taken>,
    /// Partitions that were lost, with the epochs of their leases.
    pub(super) lost: Vec<(u32, u64)>,
    /// Partitions whose last commits the server has lost.
    pub(super) behind: Vec<u32>,
    /// Number of partitions above this worker's share.
    pub(super) surplus: usize,
}

/// A partition that was taken and is not in use yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) partition: u32,
    pub(super) epoch: u64,
    /// The number of its last commit.
    pub(super) commit: u64,
    /// True if requests of the holder before may be under way, because it vanished or because it
    /// gave the partition back in a hurry.
    pub(super) is_orphan: bool,
}

/// A partition that is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Released {
    pub(super) partition: u32,
    pub(super) epoch: u64,
    /// True if requests to its hosts are under way.
    pub(super) has_requests: bool,
}

/// The figures of a worker, as others see them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerFigures {
    /// Pages fetched.
    pub pages: u64,
    /// Partitions held.
    pub partitions: u32,
    /// Links that wait in these partitions.
    pub queued: u64,
    /// Links that are being fetched.
    pub leased: u64,
    /// Links that the recipe has refused and keeps for the time when no others wait.
    pub reserve: u64,
    /// Letters that were read and not committed yet, or wait to be sent.
    pub letters: u64,
    /// True if the worker has ended.
    pub has_left: bool,
}

/// What the other workers do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Others {
    /// Pages that they have fetched.
    pub(super) pages: u64,
    /// The order that all workers obey.
    pub(super) order: Order,
    /// The number of those that live.
    pub(super) living: u64,
    /// True if links wait for them.
    pub(super) has_links: bool,
    /// True if they keep links that their recipe has refused.
    pub(super) has_reserve: bool,
}

/// A worker of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// Its name.
    pub name: String,
    /// Milliseconds since its last beat, by the clock of the server.
    pub silent_for: u64,
    /// Its figures as of the last beat.
    pub figures: WorkerFigures,
}

impl Worker {
    /// Returns true if the worker has beaten within the length of a lease, in milliseconds.
    #[must_use]
    pub fn is_alive(&self, lease: u64) -> bool {
        self.silent_for < lease && !self.figures.has_left
    }
}

/// The membership of this worker, shared by the task that beats and the thread that decides.
pub(super) struct Membership {
    server: Arc<Server>,
    keys: CrawlKeys,
    worker: String,
    /// The length of a lease.
    lease: Duration,
    /// The identifier of the crawl.
    crawl: String,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    held: BTreeMap<u32, Held>,
    news: News,
    figures: WorkerFigures,
    others: Others,
    /// True while this worker has nothing to do.
    is_idle: bool,
    /// The time since which all partitions have been at rest, and the numbers of their commits.
    rest: Option<(Instant, Vec<u64>)>,
    is_at_rest: bool,
    is_over: bool,
    error: Option<ServerError>,
}

impl Membership {
    /// Joins a crawl: takes a share of the partitions at once, and beats from then on.
    pub(super) fn join(
        server: Arc<Server>,
        keys: CrawlKeys,
        worker: &str,
        lease: Duration,
        crawl: String,
    ) -> Result<Arc<Self>, ServerError> {
        // Others go on counting the pages of a worker that returns.
        let before = workers(&server, &keys)?.into_iter().find(|it| it.name == worker);
        let figures = before.map(|it| WorkerFigures { has_left: false, ..it.figures });
        let inner = Inner { figures: figures.unwrap_or_default(), ..Inner::default() };
        let (worker, inner) = (worker.to_owned(), Mutex::new(inner));
        let own = Arc::new(Self { server, keys, worker, lease, crawl, inner });
        own.server.wait_for(own.beat())?;
        let task = Arc::downgrade(&own);
        own.server.spawn(async move {
            loop {
                let Some(own) = task.upgrade() else { return };
                let pause = (own.lease / 5).min(Duration::from_secs(1));
                drop(own);
                tokio::time::sleep(pause).await;
                let Some(own) = task.upgrade() else { return };
                if own.lock().is_over {
                    return;
                }
                match own.beat().await {
                    Ok(()) | Err(ServerError::Silent { .. }) => {}
                    Err(error) => own.lock().error = Some(error),
                }
            }
        });
        Ok(own)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the length of a lease in milliseconds, as scripts take it.
    pub(super) fn lease(&self) -> u64 {
        u64::try_from(self.lease.as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the identifier of the crawl.
    pub(super) fn crawl(&self) -> &str {
        &self.crawl
    }

    pub(super) fn worker(&self) -> &str {
        &self.worker
    }

    /// Returns the changes of this worker's leases since the last call.
    pub(super) fn news(&self) -> Result<News, ServerError> {
        let mut inner = self.lock();
        match inner.error.take() {
            Some(error) => Err(error),
            None => Ok(std::mem::take(&mut inner.news)),
        }
    }

    /// Returns what the other workers did as of the last beat.
    pub(super) fn others(&self) -> Others {
        self.lock().others
    }

    /// Sets the figures that others see, and whether this worker has nothing to do. Returns the
    /// time for which no worker has had anything to do, once that is certain.
    pub(super) fn report(&self, figures: &WorkerFigures, is_idle: bool) -> Option<Duration> {
        let mut inner = self.lock();
        inner.figures = WorkerFigures { partitions: inner.figures.partitions, ..figures.clone() };
        inner.is_idle = is_idle;
        if !is_idle {
            (inner.rest, inner.is_at_rest) = (None, false);
        }
        let since = inner.rest.as_ref().filter(|_| inner.is_at_rest);
        since.map(|(since, _)| since.elapsed())
    }

    /// Returns true if a partition may be used now.
    pub(super) fn is_safe(&self, partition: u32) -> bool {
        self.lock().held.get(&partition).is_some_and(|held| Instant::now() < held.safe_until)
    }

    /// Notes that a lease is over. A newer lease on the partition stays.
    pub(super) fn forget(&self, partition: u32, epoch: u64) {
        let mut inner = self.lock();
        if inner.held.get(&partition).is_some_and(|held| held.epoch == epoch) {
            inner.held.remove(&partition);
        }
    }

    /// Notes that the server has applied a commit.
    pub(super) fn applied(&self, partition: u32, epoch: u64, number: u64) {
        let mut inner = self.lock();
        if let Some(held) = inner.held.get_mut(&partition).filter(|held| held.epoch == epoch) {
            held.applied = number;
        }
    }

    /// Gives partitions back, so that others can take them at once. The next holder of a partition
    /// with requests under way waits for their end.
    pub(super) fn release(&self, partitions: &[Released]) -> Result<(), ServerError> {
        let of = |it: &Released| {
            self.forget(it.partition, it.epoch);
            script(RELEASE, &[self.keys.owner(it.partition)], |command| {
                command.arg(&self.worker).arg(it.epoch).arg(u8::from(it.has_requests));
            })
        };
        let commands: Vec<Cmd> = partitions.iter().map(of).collect();
        self.server.call_all::<u8>(&commands).map(|_| ())
    }

    /// Takes no more partitions.
    pub(super) fn close(&self) {
        self.lock().is_over = true;
    }

    /// Ends the membership. All partitions must have been given back.
    pub(super) fn leave(&self) -> Result<(), ServerError> {
        let inner = self.lock();
        let figures = WorkerFigures { partitions: 0, has_left: true, ..inner.figures.clone() };
        drop(inner);
        self.server.wait_for(self.tell(&figures)).map(|_| ())
    }

    /// Records that this worker lives. Returns all workers and the order to them.
    async fn tell(&self, figures: &WorkerFigures) -> Result<Told, ServerError> {
        let figures = serde_json::to_string(figures).expect("numbers always serialise");
        let keys = [self.keys.workers(), self.keys.crawl()];
        let command = script(BEAT, &keys, |it| {
            it.arg(&self.worker).arg(figures).arg(&self.crawl);
        });
        let answer = self.server.ask(&command, PATIENCE).await?;
        Ok(read_beat(answer))
    }

    async fn beat(&self) -> Result<(), ServerError> {
        self.renew().await?;
        let figures = {
            let mut inner = self.lock();
            inner.figures.partitions = u32::try_from(inner.held.len()).unwrap_or(u32::MAX);
            inner.figures.clone()
        };
        let (now, workers, order) = self.tell(&figures).await?;
        let alive = workers.iter().filter(|it| it.is_alive(self.lease())).count().max(1);
        let others = workers.iter().filter(|it| it.name != self.worker);
        let living = others.clone().filter(|it| it.is_alive(self.lease())).map(|it| &it.figures);
        let others = Others {
            pages: others.map(|it| it.figures.pages).sum(),
            order,
            living: living.clone().count() as u64,
            has_links: living.clone().any(|it| it.queued > 0),
            has_reserve: living.clone().any(|it| it.reserve > 0),
        };
        let share = (self.keys.partitions() as usize).div_ceil(alive);
        let missing = {
            let mut inner = self.lock();
            inner.others = others;
            inner.news.surplus = inner.held.len().saturating_sub(share);
            if inner.is_over { 0 } else { share.saturating_sub(inner.held.len()) }
        };
        if missing > 0 {
            self.take(missing, now).await?;
        }
        let is_idle = self.lock().is_idle;
        if is_idle {
            self.look_for_rest().await?;
        }
        Ok(())
    }

    /// Extends all leases.
    async fn renew(&self) -> Result<(), ServerError> {
        let held: Vec<(u32, Held)> =
            self.lock().held.iter().map(|(partition, held)| (*partition, *held)).collect();
        let safe_until = self.safe_from_now();
        let of = |(partition, held): &(u32, Held)| {
            script(RENEW, &[self.keys.owner(*partition)], |it| {
                it.arg(&self.worker).arg(held.epoch).arg(self.lease());
            })
        };
        let commands: Vec<Cmd> = held.iter().map(of).collect();
        let renewed: Vec<Result<i64, ServerError>> =
            self.server.ask_each(&commands, PATIENCE).await;
        let mut inner = self.lock();
        for ((partition, before), commit) in held.into_iter().zip(renewed) {
            // A lease that cannot be extended runs out, and the next beat tries again.
            let Ok(commit) = commit else { continue };
            let epoch = before.epoch;
            let Some(now) = inner.held.get_mut(&partition).filter(|it| it.epoch == epoch) else {
                continue;
            };
            let Ok(commit) = u64::try_from(commit) else {
                inner.held.remove(&partition);
                inner.news.taken.retain(|taken| taken.partition != partition);
                inner.news.lost.push((partition, epoch));
                continue;
            };
            now.safe_until = safe_until;
            // The number is as old as the request, so only what was known then can be compared.
            if commit < before.applied {
                inner.news.behind.push(partition);
            }
        }
        Ok(())
    }

    /// Returns the time until which a lease that begins now may be used: well before it runs out.
    fn safe_from_now(&self) -> Instant {
        Instant::now() + self.lease * 2 / 3
    }

    /// Takes up to `most` partitions that are free at the server's time `now`. Workers begin at
    /// different ones, so that they rarely want the same.
    async fn take(&self, most: usize, now: u64) -> Result<(), ServerError> {
        let all = self.keys.partitions();
        let first = u32::try_from(xxh3_64(self.worker.as_bytes()) % u64::from(all)).unwrap_or(0);
        let held: BTreeSet<u32> = self.lock().held.keys().copied().collect();
        let others = (0..all).map(|step| (first + step) % all).filter(|it| !held.contains(it));
        let others: Vec<u32> = others.collect();
        let look = |partition: &u32| {
            let mut look = cmd("HMGET");
            look.arg(self.keys.owner(*partition)).arg("worker").arg("until");
            look
        };
        let looks: Vec<Cmd> = others.iter().map(look).collect();
        let owners: Vec<(Option<String>, Option<u64>)> =
            self.server.ask_all(&looks, PATIENCE).await?;
        let is_free = |(owner, until): &(Option<String>, Option<u64>)| {
            let owner = owner.as_deref().unwrap_or_default();
            owner.is_empty() || owner == self.worker || until.is_none_or(|until| until <= now)
        };
        let free = others.iter().zip(owners).filter(|(_, owner)| is_free(owner));
        let free: Vec<u32> = free.map(|(partition, _)| *partition).take(most).collect();
        let of = |partition: &u32| {
            script(TAKE, &[self.keys.owner(*partition)], |it| {
                it.arg(&self.worker).arg(self.lease());
            })
        };
        let commands: Vec<Cmd> = free.iter().map(of).collect();
        let safe_until = self.safe_from_now();
        let taken: Vec<Result<Answer, ServerError>> =
            self.server.ask_each(&commands, PATIENCE).await;
        let mut inner = self.lock();
        for (partition, taken) in free.into_iter().zip(taken) {
            let Ok(Some((epoch, commit, is_orphan))) = taken else { continue };
            inner.held.insert(partition, Held { epoch, safe_until, applied: commit });
            let is_orphan = is_orphan == 1;
            inner.news.taken.push(Taken { partition, epoch, commit, is_orphan });
        }
        Ok(())
    }

    /// Looks whether all partitions are at rest: no link is open and no letter is under way. A
    /// letter can move while the partitions are looked at one after the other, and a server that
    /// fails may forget one, so only two looks some time apart prove it, if no partition has
    /// committed between them.
    async fn look_for_rest(&self) -> Result<(), ServerError> {
        let of = |partition: u32| {
            let keys = &self.keys;
            let keys = [keys.owner(partition), keys.inbox(partition), keys.outbox(partition)];
            script(REST, &keys, |_| ())
        };
        let commands: Vec<Cmd> = (0..self.keys.partitions()).map(of).collect();
        let seen: Vec<(u64, u64)> = self.server.ask_all(&commands, PATIENCE).await?;
        // A crawl whose seeds were not committed yet has not begun.
        let has_begun = seen.iter().any(|(commit, _)| *commit > 0);
        let is_empty = has_begun && seen.iter().all(|(_, open)| *open == 0);
        let commits: Vec<u64> = seen.into_iter().map(|(commit, _)| commit).collect();
        let mut inner = self.lock();
        let now = Instant::now();
        let since = match &inner.rest {
            Some((since, before)) if *before == commits => *since,
            _ => now,
        };
        let is_settled = now.duration_since(since) >= SETTLED;
        inner.is_at_rest = inner.is_idle && is_empty && is_settled;
        inner.rest = is_empty.then_some((since, commits));
        Ok(())
    }
}

/// Returns the command that runs a script.
pub(super) fn script(text: &str, keys: &[String], arguments: impl FnOnce(&mut Cmd)) -> Cmd {
    let mut command = cmd("EVAL");
    command.arg(text).arg(keys.len()).arg(keys);
    arguments(&mut command);
    command
}

/// The epoch, the number of the last commit, and 1 if requests may be under way; none if the
/// partition is not free.
type Answer = Option<(u64, u64, u8)>;
/// The time of the server, all workers, and the order to them.
type Told = (u64, Vec<Worker>, Order);

/// Reads the answer of `beat.lua`.
fn read_beat((now, order, workers): (u64, String, Vec<String>)) -> Told {
    let workers = workers.chunks_exact(2).filter_map(|pair| {
        let (at, figures) = pair[1].split_once(' ')?;
        let silent_for = now.saturating_sub(at.parse().ok()?);
        Some(Worker {
            name: pair[0].clone(),
            silent_for,
            figures: serde_json::from_str(figures).ok()?,
        })
    });
    (now, workers.collect(), Order::from_name(&order).unwrap_or_default())
}

/// Returns all workers of a crawl, in the order of their names.
pub(super) fn workers(server: &Server, keys: &CrawlKeys) -> Result<Vec<Worker>, ServerError> {
    let mut command = cmd("EVAL");
    command.arg(BEAT).arg(2).arg(keys.workers()).arg(keys.crawl());
    let (_, mut workers, _) = read_beat(server.call(&command)?);
    workers.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(workers)
}
