//! The store of a crawl's state: ordered tables of bytes, in memory or on disk.
//!
//! Writes can be read back at once, and become durable all together with [`Store::commit`]: after a
//! crash the store is as of the last commit. So the frontier, the set of seen URLs, the leases and
//! the counters always agree.

mod disk;
mod memory;

pub(crate) use disk::DiskStore;
pub(crate) use memory::MemoryStore;

/// A table of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// The state of every URL that was seen, by the key of its link.
    Links,
    /// The waiting links, ordered by host, priority and age.
    Queue,
    /// The links that are being fetched.
    Leases,
    /// The links that are retried later, ordered by time.
    Postponed,
    /// The hosts.
    Hosts,
    /// The robots.txt files of sites.
    Robots,
    /// The number of URLs that were seen of each pattern.
    Patterns,
    /// The digests of bodies, and the simhashes of texts.
    Contents,
    /// Single values: the counters, the pilot's last whole state, the version of the format.
    State,
    /// The pilot's notes since its last whole state, in order.
    Notes,
}

impl Table {
    pub(crate) const ALL: [Self; 10] = [
        Self::Links,
        Self::Queue,
        Self::Leases,
        Self::Postponed,
        Self::Hosts,
        Self::Robots,
        Self::Patterns,
        Self::Contents,
        Self::State,
        Self::Notes,
    ];

    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// Returns the name of the table in a store.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Queue => "queue",
            Self::Leases => "leases",
            Self::Postponed => "postponed",
            Self::Hosts => "hosts",
            Self::Robots => "robots",
            Self::Patterns => "patterns",
            Self::Contents => "contents",
            Self::State => "state",
            Self::Notes => "notes",
        }
    }
}

/// An entry of a table.
pub(crate) type Entry = (Vec<u8>, Vec<u8>);

/// Ordered tables that commit together.
pub(crate) trait Store: Send {
    /// Returns the value of a key.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;
    /// Sets the value of a key.
    fn put(&mut self, table: Table, key: Vec<u8>, value: Vec<u8>);
    /// Removes a key.
    fn delete(&mut self, table: Table, key: &[u8]);
    /// Returns the first `most` entries at or after `from` whose keys begin with `prefix`.
    fn scan(
        &self,
        table: Table,
        from: &[u8],
        prefix: &[u8],
        most: usize,
    ) -> Result<Vec<Entry>, StoreError>;
    /// Returns the last entry whose key begins with `prefix`.
    fn last(&self, table: Table, prefix: &[u8]) -> Result<Option<Entry>, StoreError>;
    /// Makes all writes durable, atomically.
    fn commit(&mut self) -> Result<(), StoreError>;
}

/// Returns a key behind all keys that begin with `prefix`, which must not be empty and must not
/// consist of the greatest byte alone.
fn end_of(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            break;
        }
    }
    end
}

/// An error in reading or writing the state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store on disk cannot be read or written.
    #[error("cannot read or write the crawl's state on disk")]
    Disk(#[source] fjall::Error),
    /// Another version of Ontrail wrote the state.
    #[error(
        "the crawl's state was written by another version of Ontrail; finish the crawl with that \
         version, or crawl into another folder"
    )]
    OtherVersion,
    /// The server of a shared frontier cannot be used.
    #[cfg(feature = "shared")]
    #[error(transparent)]
    Server(#[from] crate::state::ServerError),
    /// The state is damaged.
    #[error("the crawl's state is damaged ({0}); rebuild it with `ontrail crawl repair`")]
    Damaged(String),
}

impl From<fjall::Error> for StoreError {
    fn from(error: fjall::Error) -> Self {
        use std::io::ErrorKind;
        let mut cause: Option<&dyn std::error::Error> = Some(&error);
        while let Some(own) = cause {
            cause = own.source();
            match own.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
                // Files are missing or end early.
                Some(ErrorKind::NotFound | ErrorKind::UnexpectedEof | ErrorKind::InvalidData) => {
                    return Self::Damaged(error.to_string());
                }
                Some(_) => return Self::Disk(error),
                None => {}
            }
        }
        match error {
            // Not the fault of the data.
            fjall::Error::Locked | fjall::Error::Poisoned => Self::Disk(error),
            error => Self::Damaged(error.to_string()),
        }
    }
}

impl From<ontrail_pilot::DamagedNotes> for StoreError {
    fn from(error: ontrail_pilot::DamagedNotes) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<postcard::Error> for StoreError {
    fn from(error: postcard::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a store behaves the same before and after a commit.
    fn check(store: &mut dyn Store) {
        for (key, value) in [("ab", "1"), ("aa", "2"), ("b", "3"), ("ac", "4")] {
            store.put(Table::Queue, key.into(), value.into());
        }
        store.put(Table::Links, "aa".into(), "other".into());
        for round in 0..3 {
            let found = store.scan(Table::Queue, b"aa", b"a", 2).unwrap();
            assert_eq!(found[0], (b"aa".to_vec(), b"2".to_vec()), "round {round}");
            assert_eq!(found[1], (b"ab".to_vec(), b"1".to_vec()));
            assert_eq!(found.len(), 2);
            assert_eq!(store.scan(Table::Queue, b"ab", b"a", 9).unwrap().len(), 2);
            assert_eq!(store.scan(Table::Queue, b"c", b"c", 9).unwrap().len(), 0);
            assert_eq!(store.get(Table::Links, b"aa").unwrap().unwrap(), b"other");
            let last = store.last(Table::Queue, b"a").unwrap();
            assert_eq!(last, Some((b"ac".to_vec(), b"4".to_vec())));
            assert_eq!(store.last(Table::Queue, b"c").unwrap(), None);
            store.commit().unwrap();
        }
        // Changes and removals since the commit are visible.
        store.delete(Table::Queue, b"aa");
        store.put(Table::Queue, b"ab".to_vec(), b"5".to_vec());
        let found = store.scan(Table::Queue, b"", b"a", 1).unwrap();
        assert_eq!(found, [(b"ab".to_vec(), b"5".to_vec())]);
        assert_eq!(store.get(Table::Queue, b"aa").unwrap(), None);
        store.delete(Table::Queue, b"ac");
        let last = store.last(Table::Queue, b"a").unwrap();
        assert_eq!(last, Some((b"ab".to_vec(), b"5".to_vec())));
        store.put(Table::Queue, b"ad".to_vec(), b"6".to_vec());
        let last = store.last(Table::Queue, b"a").unwrap();
        assert_eq!(last, Some((b"ad".to_vec(), b"6".to_vec())));
    }

    /// A process that died while creating the store left files, but not under the store's name.
    #[test]
    fn a_half_created_store_is_created_again() {
        let folder = tempfile::tempdir().unwrap();
        let (state, making) = (folder.path().join("state"), folder.path().join("state.making"));
        std::fs::create_dir(&making).unwrap();
        std::fs::write(making.join("0.jnl"), "half").unwrap();
        let mut disk = DiskStore::open(&state).unwrap();
        disk.put(Table::State, b"a".to_vec(), b"1".to_vec());
        disk.commit().unwrap();
        drop(disk);
        assert!(!making.exists());
        let disk = DiskStore::open(&state).unwrap();
        assert_eq!(disk.get(Table::State, b"a").unwrap().unwrap(), b"1");
    }

    #[test]
    fn memory_and_disk_agree() {
        check(&mut MemoryStore::default());
        let folder = tempfile::tempdir().unwrap();
        let mut disk = DiskStore::open(folder.path()).unwrap();
        check(&mut disk);
        // Uncommitted writes are gone.
        drop(disk);
        let disk = DiskStore::open(folder.path()).unwrap();
        assert_eq!(disk.get(Table::Queue, b"aa").unwrap().unwrap(), b"2");
        assert_eq!(disk.get(Table::Queue, b"ab").unwrap().unwrap(), b"1");
    }
}
