//! The state in memory: for experiments, which are repeated rather than resumed.

use std::collections::BTreeMap;

use super::{Entry, Store, StoreError, Table};

/// Tables in memory. Nothing outlives the process.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore {
    tables: [BTreeMap<Vec<u8>, Vec<u8>>; Table::ALL.len()],
}

impl Store for MemoryStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.tables[table.index()].get(key).cloned())
    }

    fn put(&mut self, table: Table, key: Vec<u8>, value: Vec<u8>) {
        self.tables[table.index()].insert(key, value);
    }

    fn delete(&mut self, table: Table, key: &[u8]) {
        self.tables[table.index()].remove(key);
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        prefix: &[u8],
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let from = from.max(prefix).to_vec();
        let entries = self.tables[table.index()].range(from..);
        let within = entries.take_while(|(key, _)| key.starts_with(prefix)).take(most);
        Ok(within.map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
