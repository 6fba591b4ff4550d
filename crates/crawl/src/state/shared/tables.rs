//! The tables of a partition on the server, as the store of a state.
//!
//! Changes stay in memory until they are committed. Leases, postponed links, hosts and single
//! values are read once, when the partition is taken; all others are read when they are needed, and
//! those that a batch of links needs are fetched together beforehand.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redis::{Cmd, cmd};
use serde::{Deserialize, Serialize};

use super::keys::{CrawlKeys, HASHES};
use super::server::Server;
use crate::store::{Entry, Store, StoreError, Table};

/// The tables that are read once.
pub(super) const READ_ONCE: [Table; 4] =
    [Table::Hosts, Table::Leases, Table::Postponed, Table::State];

/// The new value of each key of a table; none if the key was removed.
type Changed = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// The changes of a partition that are committed together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Changes {
    tables: Vec<Changed>,
}

impl Changes {
    /// Appends the changes as `commit.lua` reads them.
    pub(super) fn write(&self, command: &mut Cmd) {
        let of = |table: Table| self.tables.get(table.index());
        // A place in the queue may have had another link before, which has to go.
        let places: Vec<&[u8]> =
            of(Table::Queue).into_iter().flatten().map(|it| &it.0[..]).collect();
        write_keys(command, &places);
        let (added, _) = of(Table::Queue).map(sorted_out).unwrap_or_default();
        command.arg(added.len());
        for (key, value) in added {
            command.arg([key, value].concat());
        }
        for table in HASHES {
            let (set, removed) = of(table).map(sorted_out).unwrap_or_default();
            command.arg(set.len());
            for (key, value) in set {
                command.arg(key).arg(value);
            }
            write_keys(command, &removed);
        }
    }
}

fn write_keys(command: &mut Cmd, keys: &[&[u8]]) {
    command.arg(keys.len());
    for key in keys {
        command.arg(*key);
    }
}

/// Entries that were set, and keys that were removed.
type Sorted<'a> = (Vec<(&'a [u8], &'a [u8])>, Vec<&'a [u8]>);

/// Splits changes into values that were set and keys that were removed.
fn sorted_out(changed: &Changed) -> Sorted<'_> {
    let (mut set, mut removed) = Sorted::default();
    for (key, value) in changed {
        match value {
            Some(value) => set.push((key.as_slice(), value.as_slice())),
            None => removed.push(key.as_slice()),
        }
    }
    (set, removed)
}

/// The tables of a partition.
struct Tables {
    server: Arc<Server>,
    keys: CrawlKeys,
    partition: u32,
    read: [BTreeMap<Vec<u8>, Vec<u8>>; Table::ALL.len()],
    changed: [Changed; Table::ALL.len()],
    fetched: HashMap<(usize, Vec<u8>), Option<Vec<u8>>>,
}

/// A handle to the tables of a partition. The state of the partition has one, and whoever commits
/// it has another.
#[derive(Clone)]
pub(super) struct PartitionTables(Arc<Mutex<Tables>>);

impl PartitionTables {
    /// Returns the tables of a partition, with the entries of those that are read once.
    pub(super) fn new(
        server: Arc<Server>,
        keys: &CrawlKeys,
        partition: u32,
        read: Vec<Vec<Entry>>,
    ) -> Self {
        let mut tables = Tables {
            server,
            keys: keys.clone(),
            partition,
            read: Default::default(),
            changed: Default::default(),
            fetched: HashMap::new(),
        };
        for (table, entries) in READ_ONCE.into_iter().zip(read) {
            tables.read[table.index()] = entries.into_iter().collect();
        }
        Self(Arc::new(Mutex::new(tables)))
    }

    /// Hosts are in the memory of the state from now on.
    pub(super) fn forget_hosts(&self) {
        self.lock().read[Table::Hosts.index()] = BTreeMap::new();
    }

    /// Returns the command that fetches values which a batch of links is going to need.
    pub(super) fn fetching(&self, table: Table, keys: &[Vec<u8>]) -> Option<Cmd> {
        let tables = self.lock();
        (!keys.is_empty()).then(|| {
            let mut command = cmd("HMGET");
            command.arg(tables.keys.table(tables.partition, table)).arg(keys);
            command
        })
    }

    /// Takes the values that were fetched.
    pub(super) fn fetched(&self, table: Table, keys: Vec<Vec<u8>>, values: Vec<Option<Vec<u8>>>) {
        let found = keys.into_iter().map(|key| (table.index(), key)).zip(values);
        self.lock().fetched.extend(found);
    }

    /// Forgets the values that were fetched.
    pub(super) fn forget_fetched(&self) {
        self.lock().fetched.clear();
    }

    /// Returns the changes since the last call.
    pub(super) fn take_changes(&self) -> Changes {
        let mut tables = self.lock();
        let changed = std::mem::take(&mut tables.changed);
        for table in [Table::Leases, Table::Postponed, Table::State] {
            for (key, value) in &changed[table.index()] {
                match value {
                    Some(value) => {
                        tables.read[table.index()].insert(key.clone(), value.clone());
                    }
                    None => {
                        tables.read[table.index()].remove(key);
                    }
                }
            }
        }
        Changes { tables: changed.into() }
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn name(&self, table: Table) -> String {
        self.keys.table(self.partition, table)
    }

    /// Returns the stored entries of a table at or after `from` whose keys begin with `prefix`.
    fn stored(
        &self,
        table: Table,
        from: &[u8],
        prefix: &[u8],
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        if table != Table::Queue {
            let entries = self.read[table.index()].range(from.to_vec()..);
            let entries = entries.take_while(|(key, _)| key.starts_with(prefix)).take(most);
            return Ok(entries.map(|(key, value)| (key.clone(), value.clone())).collect());
        }
        let mut command = cmd("ZRANGEBYLEX");
        command.arg(self.keys.queue(self.partition)).arg([b"[", from].concat());
        command.arg([b"[", prefix, &[255; 40]].concat()).arg("LIMIT").arg(0).arg(most);
        Ok(split(self.server.call(&command)?))
    }
}

/// The length of a key in the queue: the number of a host, a priority and an age.
const QUEUE_KEY: usize = 20;

fn split(members: Vec<Vec<u8>>) -> Vec<Entry> {
    let halves = members.into_iter().filter(|member| member.len() >= QUEUE_KEY);
    halves.map(|mut member| (member.drain(..QUEUE_KEY).collect(), member)).collect()
}

impl Store for PartitionTables {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let tables = self.lock();
        if let Some(changed) = tables.changed[table.index()].get(key) {
            return Ok(changed.clone());
        }
        if READ_ONCE.contains(&table) {
            return Ok(tables.read[table.index()].get(key).cloned());
        }
        if let Some(value) = tables.fetched.get(&(table.index(), key.to_vec())) {
            return Ok(value.clone());
        }
        Ok(tables.server.call(cmd("HGET").arg(tables.name(table)).arg(key))?)
    }

    fn put(&mut self, table: Table, key: Vec<u8>, value: Vec<u8>) {
        self.lock().changed[table.index()].insert(key, Some(value));
    }

    fn delete(&mut self, table: Table, key: &[u8]) {
        self.lock().changed[table.index()].insert(key.to_vec(), None);
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        prefix: &[u8],
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let tables = self.lock();
        let from = from.max(prefix);
        let changed = tables.changed[table.index()].range(from.to_vec()..);
        let changed: Vec<_> = changed.take_while(|(key, _)| key.starts_with(prefix)).collect();
        // As many more as may have been removed, so that enough are left.
        let asked = most.saturating_add(changed.len()).min(isize::MAX as usize);
        let stored = tables.stored(table, from, prefix, asked)?;
        let mut found: BTreeMap<Vec<u8>, Vec<u8>> = stored.into_iter().collect();
        for (key, value) in changed {
            match value {
                Some(value) => found.insert(key.clone(), value.clone()),
                None => found.remove(key),
            };
        }
        Ok(found.into_iter().take(most).collect())
    }

    fn last(&self, table: Table, prefix: &[u8]) -> Result<Option<Entry>, StoreError> {
        let tables = self.lock();
        let changed = tables.changed[table.index()].range(prefix.to_vec()..);
        let changed: Vec<_> = changed.take_while(|(key, _)| key.starts_with(prefix)).collect();
        let mut command = cmd("ZREVRANGEBYLEX");
        command.arg(tables.keys.queue(tables.partition));
        command.arg([b"[", prefix, &[255; 40]].concat()).arg([b"[", prefix].concat());
        command.arg("LIMIT").arg(0).arg(changed.len() + 1);
        let stored = match table {
            Table::Queue => split(tables.server.call(&command)?),
            _ => tables.stored(table, prefix, prefix, usize::MAX)?,
        };
        let mut found: BTreeMap<Vec<u8>, Vec<u8>> = stored.into_iter().collect();
        for (key, value) in changed {
            match value {
                Some(value) => found.insert(key.clone(), value.clone()),
                None => found.remove(key),
            };
        }
        Ok(found.pop_last())
    }

    /// Partitions are committed together, by whoever holds them.
    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
