//! The links that return to their queues at a later time.

use std::collections::{BTreeSet, HashSet};

use ontrail_pilot::LinkKey;

/// Links by the time at which they return. They are few: a host that fails gets one more with each
/// attempt.
#[derive(Debug, Default)]
pub(crate) struct Postponed {
    by_time: BTreeSet<(u64, LinkKey)>,
    keys: HashSet<LinkKey>,
}

impl Postponed {
    /// Returns the key of a link in its table, which sorts by time.
    pub(crate) fn key(due: u64, link: LinkKey) -> Vec<u8> {
        [&due.to_be_bytes()[..], &link].concat()
    }

    /// Adds a link by its key in the table.
    pub(crate) fn restore(&mut self, key: &[u8]) -> Option<()> {
        let (due, link) = key.split_at_checked(8)?;
        self.add(u64::from_be_bytes(due.try_into().ok()?), link.try_into().ok()?);
        Some(())
    }

    pub(crate) fn add(&mut self, due: u64, link: LinkKey) {
        self.by_time.insert((due, link));
        self.keys.insert(link);
    }

    pub(crate) fn remove(&mut self, due: u64, link: LinkKey) {
        self.by_time.remove(&(due, link));
        self.keys.remove(&link);
    }

    /// Returns a link that is due at the time `now`.
    pub(crate) fn next_due(&self, now: u64) -> Option<(u64, LinkKey)> {
        self.by_time.first().copied().filter(|(due, _)| *due <= now)
    }

    /// Returns the time at which the first link is due.
    pub(crate) fn first_due(&self) -> Option<u64> {
        self.by_time.first().map(|(due, _)| *due)
    }

    pub(crate) fn contains(&self, link: &LinkKey) -> bool {
        self.keys.contains(link)
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }
}
