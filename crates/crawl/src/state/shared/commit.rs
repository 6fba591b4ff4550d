//! Commits: recorded by the worker first, then applied on the server.

use std::sync::Arc;
use std::time::Duration;

use redis::Cmd;
use serde::{Deserialize, Serialize};

use super::SharedState;
use super::keys::CrawlKeys;
use super::letters::{Addressed, Batch, BatchName, Posted};
use super::members::Released;
use super::partition::Record;
use super::server::Server;
use crate::store::StoreError;

/// The last commit of a worker: that of each partition, and letters that belong to none.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Recorded {
    pub(super) records: Vec<Record>,
    pub(super) letters: Vec<Addressed>,
    /// The name of the batch of these letters.
    pub(super) name: BatchName,
}

impl SharedState {
    /// Applies commits on the server. Returns those that were applied.
    pub(super) fn apply(&mut self, records: Vec<Record>) -> Result<Vec<Record>, StoreError> {
        let (worker, lease) = (self.membership.worker(), self.membership.lease());
        let commands = records.iter().map(|record| record.command(&self.keys, worker, lease));
        let commands: Vec<Cmd> = commands.collect::<Result<_, _>>()?;
        let answers: Vec<(String, u64)> = self.server.call_all(&commands)?;
        let mut applied = Vec::with_capacity(records.len());
        for (record, (answer, done)) in records.into_iter().zip(answers) {
            let is_applied = match answer.as_str() {
                "applied" => true,
                "gap" => self.apply_lost(&record, done)?,
                _ => false,
            };
            let (partition, epoch) = (record.partition, record.epoch);
            match self.partitions.get_mut(&partition) {
                Some(own) if is_applied => {
                    self.membership.applied(partition, epoch, record.number);
                    own.keep(record.clone());
                    applied.push(record);
                }
                _ => {
                    let reason = if answer == "gap" {
                        "the server has lost more commits of a partition than this worker keeps; the \
                         pages of the last seconds are fetched again, and some links may be missing"
                    } else {
                        "a commit was refused, because the partition has a new holder; its pages \
                         are fetched again"
                    };
                    tracing::warn!(partition, done, number = record.number, "{reason}");
                    self.give_up_partition(partition, epoch)?;
                }
            }
        }
        Ok(applied)
    }

    /// Gives a partition back whose state here is of no use any more.
    pub(super) fn give_up_partition(
        &mut self,
        partition: u32,
        epoch: u64,
    ) -> Result<(), StoreError> {
        self.drop_partitions(&[(partition, epoch)]);
        let released = Released { partition, epoch, has_requests: true };
        Ok(self.membership.release(&[released])?)
    }

    /// Applies the commits again that a server has lost when it failed, and then this one.
    pub(super) fn apply_lost(&self, record: &Record, done: u64) -> Result<bool, StoreError> {
        let own = self.partitions.get(&record.partition);
        let Some(lost) = own.and_then(|own| own.lost_after(done)) else { return Ok(false) };
        tracing::warn!(
            partition = record.partition,
            "the server has lost {} commit(s); they are applied again",
            lost.len()
        );
        for record in lost.iter().chain([record]) {
            let (worker, lease) = (self.membership.worker(), self.membership.lease());
            let command = record.command(&self.keys, worker, lease)?;
            let (answer, _): (String, u64) = self.server.call(&command)?;
            if answer != "applied" {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Applies the last commits of a worker that has died, as far as they were not applied and nobody
/// has taken its partitions.
pub(super) fn apply_again(
    server: &Arc<Server>,
    keys: &CrawlKeys,
    worker: &str,
    lease: Duration,
    recorded: Recorded,
) -> Result<(), StoreError> {
    let lease = u64::try_from(lease.as_millis()).unwrap_or(u64::MAX);
    let commands = recorded.records.iter().map(|record| record.command(keys, worker, lease));
    let commands: Vec<Cmd> = commands.collect::<Result<_, _>>()?;
    let answers: Vec<(String, u64)> = server.call_all(&commands)?;
    let refused = answers.iter().filter(|(answer, _)| answer != "applied").count();
    if refused > 0 {
        tracing::warn!(
            "{refused} partition(s) have new holders; the last pages of this worker in them are \
             fetched again"
        );
    }
    // Nobody else knows letters that belong to no page.
    let batch = recorded.name;
    let loose = recorded.letters.into_iter().map(|addressed| Posted { batch, addressed });
    let commands = Batch::sort(loose).into_iter().map(|batch| batch.command(keys));
    let commands: Vec<Cmd> = commands.collect::<Result<_, StoreError>>()?;
    server.call_all::<u64>(&commands)?;
    Ok(())
}
