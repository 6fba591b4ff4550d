//! Letters: links that are sent to other partitions, in batches.
//!
//! A letter is written into the outbox of its page's partition by the commit of the page, then put
//! into the inbox of the partition that it is for. It leaves the outbox only after a while, once it
//! is certain that the inbox has kept it: a server that fails may lose what it has acknowledged in
//! the last seconds, and the two partitions may be on different nodes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ontrail_pilot::{ForeignSighting, HostKey, Link, RankedLink, WaitingLink};
use redis::Cmd;
use serde::{Deserialize, Serialize};

use super::keys::CrawlKeys;
use super::members::script;
use crate::store::StoreError;

const PUSH: &str = include_str!("push.lua");
/// The time after which a server that fails does not lose what it has acknowledged: with
/// `appendfsync everysec` it is about a second.
pub(super) const SETTLED: Duration = Duration::from_secs(3);
/// The time for which the server remembers that a batch was put into an inbox, in milliseconds.
const MARK_KEPT: u64 = 600_000;
/// The length of the name of a batch in bytes.
const NAME: usize = 20;

/// A link that is offered to a partition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Letter {
    pub(super) link: Box<Link>,
    pub(super) rank: f64,
    /// The age, if the link takes the place of another.
    pub(super) age: Option<u64>,
    /// Everything that the page tells about the link, if the recipe needs it.
    pub(super) sighting: Option<Box<ForeignSighting>>,
}

impl Letter {
    /// Returns the letter of a link that its receiver queues as it is.
    pub(super) fn of(link: RankedLink, age: Option<u64>) -> Self {
        let RankedLink { link, rank } = link;
        Self { link: Box::new(link), rank, age, sighting: None }
    }

    /// Returns the link as it waits once it is queued.
    pub(super) fn waiting(&self) -> WaitingLink {
        let host = HostKey::of(self.link.host());
        WaitingLink { key: self.link.key(), host, priority: self.rank }
    }
}

/// A letter and the partition that it is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Addressed {
    pub(super) to: u32,
    pub(super) letter: Letter,
}

/// The name of all letters of one commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct BatchName {
    /// The partition that sends them.
    pub(super) from: u32,
    pub(super) epoch: u64,
    /// The number of the commit.
    pub(super) number: u64,
}

impl BatchName {
    /// Returns the name as it begins a batch in an inbox.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let Self { from, epoch, number } = self;
        [&from.to_be_bytes()[..], &epoch.to_be_bytes(), &number.to_be_bytes()].concat()
    }
}

/// A letter in an outbox, with the name of its batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Posted {
    pub(super) batch: BatchName,
    pub(super) addressed: Addressed,
}

/// The letters of one commit to one partition.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) name: BatchName,
    pub(super) to: u32,
    pub(super) letters: Vec<Letter>,
}

impl Batch {
    /// Sorts letters by the partitions that they are for.
    pub(super) fn sort(letters: impl IntoIterator<Item = Posted>) -> Vec<Self> {
        let mut batches: BTreeMap<(BatchName, u32), Vec<Letter>> = BTreeMap::new();
        for Posted { batch, addressed: Addressed { to, letter } } in letters {
            batches.entry((batch, to)).or_default().push(letter);
        }
        let batch = |((name, to), letters)| Self { name, to, letters };
        batches.into_iter().map(batch).collect()
    }

    /// Returns the command that puts the batch into its inbox.
    pub(super) fn command(&self, keys: &CrawlKeys) -> Result<Cmd, StoreError> {
        let content = [self.name.bytes(), postcard::to_stdvec(&self.letters)?].concat();
        let places = [keys.inbox(self.to), keys.mark(self.to, &self.name)];
        Ok(script(PUSH, &places, |it| {
            it.arg(content).arg(MARK_KEPT);
        }))
    }

    /// Splits a batch from an inbox into its name and its letters.
    pub(super) fn read(bytes: &[u8]) -> Result<(Vec<u8>, Vec<Letter>), StoreError> {
        let (name, letters) = bytes.split_at(NAME.min(bytes.len()));
        Ok((name.to_vec(), postcard::from_bytes(letters)?))
    }
}

/// The letters of a commit, which stay in the outbox until they are certain to have arrived.
#[derive(Debug)]
pub(super) struct Sent {
    /// The time of the last attempt.
    pub(super) at: Instant,
    /// Number of its letters in the outbox.
    pub(super) count: u64,
    /// Batches to partitions of other workers.
    pub(super) foreign: Vec<Batch>,
    /// Batches to partitions of this worker, with the epochs of their leases.
    pub(super) own: Vec<(u64, Batch)>,
}
