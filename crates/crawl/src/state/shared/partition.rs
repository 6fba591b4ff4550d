//! A partition that this worker holds: its state, and the changes and letters that the next commit
//! applies on the server.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ontrail_pilot::HostKey;
use redis::{Cmd, cmd};
use serde::{Deserialize, Serialize};

use super::keys::{CrawlKeys, HASHES};
use super::letters::{Addressed, BatchName, Posted, Sent};
use super::members::{Released, Taken};
use super::server::Server;
use super::tables::{Changes, PartitionTables, READ_ONCE};
use crate::frontier::{FrontierLimits, Lease};
use crate::state::LocalState;
use crate::store::{Entry, StoreError};

const COMMIT: &str = include_str!("commit.lua");
/// The time for which applied commits are kept, so that they can be sent again if a server that
/// failed has lost them.
const KEPT: Duration = Duration::from_secs(30);

/// A commit of a partition, as it is recorded before it is applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) partition: u32,
    pub(super) epoch: u64,
    pub(super) number: u64,
    open: u64,
    /// The names of the batches of letters that were read.
    read: Vec<Vec<u8>>,
    /// Number of letters that leave the outbox.
    delivered: u64,
    pub(super) letters: Vec<Addressed>,
    changes: Changes,
}

impl Record {
    /// Returns the letters as they are in the outbox.
    pub(super) fn posted(&self) -> impl Iterator<Item = Posted> {
        let batch = BatchName { from: self.partition, epoch: self.epoch, number: self.number };
        self.letters.iter().map(move |it| Posted { batch, addressed: it.clone() })
    }

    /// Returns the command that applies the commit.
    pub(super) fn command(
        &self,
        keys: &CrawlKeys,
        worker: &str,
        lease: u64,
    ) -> Result<Cmd, StoreError> {
        let mut command = cmd("EVAL");
        command.arg(COMMIT).arg(4 + HASHES.len());
        let partition = self.partition;
        let places = [keys.owner(partition), keys.inbox(partition), keys.outbox(partition)];
        command.arg(&places).arg(keys.queue(partition));
        for table in HASHES {
            command.arg(keys.table(partition, table));
        }
        command.arg(worker).arg(self.epoch).arg(self.number).arg(lease).arg(self.open);
        command.arg(self.delivered).arg(self.read.len()).arg(&self.read);
        command.arg(self.letters.len());
        for letter in self.posted() {
            command.arg(postcard::to_stdvec(&letter)?);
        }
        self.changes.write(&mut command);
        Ok(command)
    }
}

/// A partition that this worker holds.
pub(super) struct Partition {
    pub(super) epoch: u64,
    pub(super) state: LocalState,
    tables: PartitionTables,
    /// The number of the last commit.
    commit: u64,
    /// Letters to send, for this and other partitions.
    pub(super) outgoing: Vec<Addressed>,
    /// The names of the batches in the inbox that were read since the last commit.
    pub(super) read: Vec<Vec<u8>>,
    /// The letters of earlier commits that are still in the outbox.
    pub(super) sent: VecDeque<Sent>,
    /// Number of letters in the outbox that were delivered since the last commit.
    pub(super) delivered: u64,
    /// True if anything has changed since the last commit.
    pub(super) is_changed: bool,
    /// True if the partition is to be given back as soon as nothing is under way.
    pub(super) is_closing: bool,
    applied: VecDeque<(Instant, Record)>,
}

impl Partition {
    /// Reads partitions that were taken. Returns them with the letters in their outboxes.
    pub(super) fn read_all(
        server: &Arc<Server>,
        keys: &CrawlKeys,
        taken: &[Taken],
        limits: FrontierLimits,
        room: usize,
    ) -> Result<Vec<(Self, Vec<Posted>)>, StoreError> {
        let table = |taken: &Taken| {
            READ_ONCE.map(|table| cmd("HGETALL").arg(keys.table(taken.partition, table)).to_owned())
        };
        let commands: Vec<Cmd> = taken.iter().flat_map(table).collect();
        let read: Vec<Vec<Entry>> = server.call_all(&commands)?;
        let outbox = |taken: &Taken| {
            cmd("LRANGE").arg(keys.outbox(taken.partition)).arg(0).arg(-1).to_owned()
        };
        let commands: Vec<Cmd> = taken.iter().map(outbox).collect();
        let outboxes: Vec<Vec<Vec<u8>>> = server.call_all(&commands)?;
        let mut read = read.into_iter();
        let mut partitions = Vec::with_capacity(taken.len());
        for (taken, outbox) in taken.iter().zip(outboxes) {
            let own = read.by_ref().take(READ_ONCE.len()).collect();
            let tables = PartitionTables::new(Arc::clone(server), keys, taken.partition, own);
            let state = LocalState::of_partition(Box::new(tables.clone()), limits, room)?;
            tables.forget_hosts();
            let letters = outbox.iter().map(|letter| postcard::from_bytes(letter));
            let letters = letters.collect::<Result<Vec<Posted>, _>>()?;
            let partition = Self {
                epoch: taken.epoch,
                commit: taken.commit,
                state,
                tables,
                outgoing: Vec::new(),
                read: Vec::new(),
                sent: VecDeque::new(),
                delivered: 0,
                is_changed: false,
                is_closing: false,
                applied: VecDeque::new(),
            };
            partitions.push((partition, letters));
        }
        Ok(partitions)
    }

    pub(super) fn tables(&self) -> &PartitionTables {
        &self.tables
    }

    /// Returns the hosts of the partition.
    pub(super) fn hosts(&self) -> impl Iterator<Item = HostKey> {
        self.state.host_names().map(HostKey::of)
    }

    /// Returns everything that has changed since the last call as the next commit; none if nothing
    /// has.
    pub(super) fn next_commit(&mut self, partition: u32) -> Result<Option<Record>, StoreError> {
        if !self.is_changed {
            return Ok(None);
        }
        self.state.write_facts()?;
        self.is_changed = false;
        self.commit += 1;
        let counts = crate::frontier::Frontier::counts(&self.state);
        Ok(Some(Record {
            partition,
            epoch: self.epoch,
            number: self.commit,
            open: counts.queued + counts.leased,
            read: std::mem::take(&mut self.read),
            delivered: std::mem::take(&mut self.delivered),
            letters: std::mem::take(&mut self.outgoing),
            changes: self.tables.take_changes(),
        }))
    }

    /// Keeps a commit that was applied for a while.
    pub(super) fn keep(&mut self, record: Record) {
        let now = Instant::now();
        while self.applied.front().is_some_and(|(at, _)| now.duration_since(*at) > KEPT) {
            self.applied.pop_front();
        }
        self.applied.push_back((now, record));
    }

    /// Returns true if a link is on this lease.
    pub(super) fn holds(&self, lease: &Lease) -> bool {
        self.epoch == lease.epoch && self.state.is_leased(&lease.link.key())
    }

    /// Returns the number of letters that were read and not committed, or are still in the outbox.
    pub(super) fn letters(&self) -> u64 {
        let sent: u64 = self.sent.iter().map(|sent| sent.count).sum();
        self.read.len() as u64 + self.outgoing.len() as u64 + sent
    }

    /// Returns the partition as it is given back.
    pub(super) fn release(&self, partition: u32) -> Released {
        Released { partition, epoch: self.epoch, has_requests: self.state.has_requests() }
    }

    /// Returns the number of the last commit.
    pub(super) fn last_commit(&self) -> u64 {
        self.commit
    }

    /// Returns the commits after number `done` that a server has lost; none if they are not all
    /// kept.
    pub(super) fn lost_after(&self, done: u64) -> Option<Vec<Record>> {
        let lost = self.applied.iter().map(|(_, record)| record);
        let lost: Vec<Record> = lost.filter(|record| record.number > done).cloned().collect();
        lost.first().is_some_and(|first| first.number == done + 1).then_some(lost)
    }
}
