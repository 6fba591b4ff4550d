//! The store in memory, for experiments, which are repeated rather than resumed.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use super::{Entry, Store, StoreError, Table, end_of};

/// A table whose entries are only looked up by key.
type Hashed = HashMap<Key, Vec<u8>, FixedState>;

/// Keys are stored inline, which makes comparisons fast: the longest frequent keys have 20 bytes.
type Key = SmallVec<[u8; 24]>;

/// Tables in memory. Nothing outlives the process.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore {
    /// Tables that are scanned in order.
    ordered: [BTreeMap<Key, Vec<u8>>; Table::ALL.len()],
    /// The largest table.
    links: Hashed,
    patterns: Hashed,
}

impl MemoryStore {
    fn hashed(&self, table: Table) -> Option<&Hashed> {
        match table {
            Table::Links => Some(&self.links),
            Table::Patterns => Some(&self.patterns),
            _ => None,
        }
    }

    fn hashed_mut(&mut self, table: Table) -> Option<&mut Hashed> {
        match table {
            Table::Links => Some(&mut self.links),
            Table::Patterns => Some(&mut self.patterns),
            _ => None,
        }
    }
}

impl Store for MemoryStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(match self.hashed(table) {
            Some(hashed) => hashed.get(key).cloned(),
            None => self.ordered[table.index()].get(key).cloned(),
        })
    }

    fn put(&mut self, table: Table, key: Vec<u8>, value: Vec<u8>) {
        let key = Key::from_slice(&key);
        match self.hashed_mut(table) {
            Some(hashed) => hashed.insert(key, value),
            None => self.ordered[table.index()].insert(key, value),
        };
    }

    fn delete(&mut self, table: Table, key: &[u8]) {
        match self.hashed_mut(table) {
            Some(hashed) => hashed.remove(key),
            None => self.ordered[table.index()].remove(key),
        };
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        prefix: &[u8],
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let from = Key::from_slice(from.max(prefix));
        let copy = |(key, value): (&Key, &Vec<u8>)| (key.to_vec(), value.clone());
        if let Some(hashed) = self.hashed(table) {
            let is_within = |key: &Key| *key >= from && key.starts_with(prefix);
            let mut entries: Vec<Entry> =
                hashed.iter().filter(|(key, _)| is_within(key)).map(copy).collect();
            entries.sort_unstable();
            entries.truncate(most);
            return Ok(entries);
        }
        let entries = self.ordered[table.index()].range(from..);
        Ok(entries.take_while(|(key, _)| key.starts_with(prefix)).take(most).map(copy).collect())
    }

    fn last(&self, table: Table, prefix: &[u8]) -> Result<Option<Entry>, StoreError> {
        let copy = |(key, value): (&Key, &Vec<u8>)| (key.to_vec(), value.clone());
        let is_within = |key: &Key| key.starts_with(prefix);
        if let Some(hashed) = self.hashed(table) {
            return Ok(hashed.iter().filter(|(key, _)| is_within(key)).max().map(copy));
        }
        let until = Key::from_vec(end_of(prefix));
        let mut entries = self.ordered[table.index()].range(..until);
        Ok(entries.next_back().filter(|(key, _)| is_within(key)).map(copy))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
