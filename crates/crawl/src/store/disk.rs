//! The store on disk: a log-structured store (fjall), because a crawl writes far more than it reads
//! back.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use fjall::config::{PartitioningPolicy, PinningPolicy};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::{Entry, Store, StoreError, Table, end_of};
use crate::open_files::OpenFiles;

/// The size of the block cache, in bytes.
const CACHE: u64 = 128 << 20;
/// The size of a table's buffer in memory before it is flushed to disk, in bytes.
const MEMTABLE: u64 = 12 << 20;

/// Tables on disk, and the writes since the last commit.
pub(crate) struct DiskStore {
    database: Database,
    tables: Vec<Keyspace>,
    /// The new value of each key; none if the key was removed.
    pending: [BTreeMap<Vec<u8>, Option<Vec<u8>>>; Table::ALL.len()],
}

impl DiskStore {
    /// Opens the tables in a folder, or creates them.
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let is_empty = std::fs::read_dir(folder).map_or(true, |mut files| files.next().is_none());
        if is_empty {
            Self::create(folder).map_err(fjall::Error::from)?;
        }
        Self::open_tables(folder)
    }

    /// Creates the tables under another name first, so that a process that dies meanwhile leaves no
    /// half-created store.
    fn create(folder: &Path) -> std::io::Result<()> {
        let making = folder.with_extension("making");
        if making.exists() {
            std::fs::remove_dir_all(&making)?;
        }
        let store = Self::open_tables(&making).map_err(std::io::Error::other)?;
        store.database.persist(PersistMode::SyncAll).map_err(std::io::Error::other)?;
        drop(store);
        if folder.exists() {
            std::fs::remove_dir(folder)?;
        }
        ontrail_artifact::rename(&making, folder)
    }

    fn open_tables(folder: &Path) -> Result<Self, StoreError> {
        // The store panics on some damaged files.
        contain_panics(|| Self::try_open_tables(folder)).unwrap_or_else(|reason| {
            Err(StoreError::Damaged(format!("{}: {reason}", folder.display())))
        })
    }

    fn try_open_tables(folder: &Path) -> Result<Self, StoreError> {
        let database = Database::builder(folder)
            .cache_size(CACHE)
            .max_cached_files(Some(OpenFiles::current().for_store()))
            .max_journaling_size(128 << 20)
            .worker_threads(1)
            .open()?;
        // Most links that are offered are new. The filters of the store answer that, if they are in
        // memory: ten bits for each link.
        let options = || {
            KeyspaceCreateOptions::default()
                .max_memtable_size(MEMTABLE)
                .filter_block_pinning_policy(PinningPolicy::all(true))
                .filter_block_partitioning_policy(PartitioningPolicy::all(false))
        };
        let open = |table: &Table| database.keyspace(table.name(), options);
        let tables = Table::ALL.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { database, tables, pending: Default::default() })
    }
}

/// Calls a function that may panic because of bad data. Returns the reason if it does, and keeps
/// the panic from being printed.
fn contain_panics<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    thread_local! {
        static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_CONTAINED.get() {
                print(panic);
            }
        }));
    });
    IS_CONTAINED.set(true);
    let called = catch_unwind(AssertUnwindSafe(call));
    IS_CONTAINED.set(false);
    called.map_err(|panic| match panic.downcast::<String>() {
        Ok(reason) => *reason,
        Err(_) => "a file cannot be read".to_owned(),
    })
}

impl Store for DiskStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(pending) = self.pending[table.index()].get(key) {
            return Ok(pending.clone());
        }
        Ok(self.tables[table.index()].get(key)?.map(|value| value.to_vec()))
    }

    fn put(&mut self, table: Table, key: Vec<u8>, value: Vec<u8>) {
        self.pending[table.index()].insert(key, Some(value));
    }

    fn delete(&mut self, table: Table, key: &[u8]) {
        self.pending[table.index()].insert(key.to_vec(), None);
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        prefix: &[u8],
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let from = from.max(prefix).to_vec();
        let mut pending = self.pending[table.index()]
            .range(from.clone()..)
            .take_while(|(key, _)| key.starts_with(prefix))
            .peekable();
        let mut stored = self.tables[table.index()].range(from..);
        let mut next_stored = || -> Result<Option<Entry>, StoreError> {
            let Some(guard) = stored.next() else { return Ok(None) };
            let (key, value) = guard.into_inner()?;
            Ok(key.starts_with(prefix).then(|| (key.to_vec(), value.to_vec())))
        };
        let mut waiting = next_stored()?;
        let mut found = Vec::new();
        while found.len() < most {
            // If a key has both a stored and a pending value, the pending one is newer.
            let is_pending = match (pending.peek(), &waiting) {
                (Some((key, _)), Some((stored, _))) => *key <= stored,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            if is_pending {
                let Some((key, value)) = pending.next() else { break };
                if waiting.as_ref().is_some_and(|(stored, _)| stored == key) {
                    waiting = next_stored()?;
                }
                found.extend(value.clone().map(|value| (key.clone(), value)));
            } else {
                found.extend(waiting.take());
                waiting = next_stored()?;
            }
        }
        Ok(found)
    }

    fn last(&self, table: Table, prefix: &[u8]) -> Result<Option<Entry>, StoreError> {
        let until = end_of(prefix);
        let is_within = |key: &[u8]| key.starts_with(prefix);
        let changes = &self.pending[table.index()];
        let mut pending = changes.range(..until.clone()).rev();
        let pending = pending.find(|(_, value)| value.is_some()).filter(|(key, _)| is_within(key));
        let pending = pending.and_then(|(key, value)| Some((key.clone(), value.clone()?)));
        for guard in self.tables[table.index()].range(..until).rev() {
            let (key, value) = guard.into_inner()?;
            if !is_within(&key) {
                break;
            }
            // A stored entry that was changed or removed since is not the newest.
            if !changes.contains_key(&*key) {
                return Ok(pending.max(Some((key.to_vec(), value.to_vec()))));
            }
        }
        Ok(pending)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncAll));
        for (table, pending) in self.tables.iter().zip(&mut self.pending) {
            for (key, value) in std::mem::take(pending) {
                match value {
                    Some(value) => batch.insert(table, key, value),
                    None => batch.remove(table, key),
                }
            }
        }
        Ok(batch.commit()?)
    }
}

impl std::fmt::Debug for DiskStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiskStore").finish_non_exhaustive()
    }
}
