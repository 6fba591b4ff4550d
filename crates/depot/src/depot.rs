//! A folder in an object store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use futures_util::TryStreamExt;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt, PutMode};
use tokio::runtime::{Builder, Runtime};

use crate::address::{Address, Kind};
use crate::error::lacks_bucket;
use crate::record::{FOLDER, Record, record_name, recorded_name};
use crate::transfer::{self, Verification};
use crate::{DepotError, stores};

/// The object that says whose files are under an address.
const OWNER: &str = "owner";

/// A folder in an object store. All methods wait for the store; its requests run on a thread of
/// their own.
#[derive(Debug)]
pub struct Depot {
    store: Arc<dyn ObjectStore>,
    prefix: ObjectPath,
    address: Address,
    verification: Verification,
    runtime: Runtime,
}

/// An object as the store lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// Its size in bytes.
    pub bytes: u64,
    /// Its entity tag, as in [`Record::tag`].
    pub tag: Option<String>,
}

/// The objects in a depot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The objects, by name, without records.
    pub objects: BTreeMap<String, StoredObject>,
    /// The names of the files that have a record.
    pub recorded: BTreeSet<String>,
}

impl Listing {
    /// Returns true if an object is there as its record says, as far as a list can tell.
    #[must_use]
    pub fn has(&self, name: &str, record: &Record) -> bool {
        let object = self.objects.get(name).filter(|_| self.recorded.contains(name));
        object.is_some_and(|it| it.bytes == record.bytes && it.tag == record.tag)
    }

    /// Adds a file that was uploaded.
    pub(crate) fn add(&mut self, name: &str, record: &Record) {
        let object = StoredObject { bytes: record.bytes, tag: record.tag.clone() };
        self.objects.insert(name.to_owned(), object);
        self.recorded.insert(name.to_owned());
    }
}

impl Depot {
    /// Opens an address, with the credentials and settings in the environment (`AWS_…`, `GOOGLE_…`,
    /// `AZURE_…`). Sends no request yet.
    pub fn open(address: &Address) -> Result<Self, DepotError> {
        let failed = || DepotError::store(address.to_string(), "use the store");
        let store = stores::open(address).map_err(failed())?;
        let prefix = match address.folder() {
            Some(folder) => ObjectPath::from_absolute_path(folder),
            None => ObjectPath::from_url_path(address.url().path()),
        };
        let prefix = prefix.map_err(|error| failed()(error.into()))?;
        let verification = match address.kind {
            Kind::S3 => Verification::ByStore,
            Kind::Google | Kind::Azure => Verification::SmallReadBack,
            Kind::Folder => Verification::ReadBack,
        };
        Self::with(store, prefix, address.clone(), verification)
    }

    pub(crate) fn with(
        store: Arc<dyn ObjectStore>,
        prefix: ObjectPath,
        address: Address,
        verification: Verification,
    ) -> Result<Self, DepotError> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).thread_name("depot").enable_all().build();
        let runtime = runtime.map_err(DepotError::Thread)?;
        Ok(Self { store, prefix, address, verification, runtime })
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Uploads a file under a name, verifies it, and records its checksum. What is verified depends
    /// on the store; see the README.
    pub fn put(&self, local: &Path, name: &str) -> Result<Record, DepotError> {
        // As long as the object is replaced, no record vouches for it.
        self.remove(&record_name(name))?;
        let (object, path) = (self.address.of(name), self.path(name));
        let sent = self.wait(transfer::send(&*self.store, &path, local, &object))?;
        let verified = transfer::verify(&*self.store, &path, &sent, self.verification, &object);
        let tag = self.wait(verified)?;
        let record = Record::new(sent.bytes, sent.sha256, self.comparable(tag));
        self.write(&record_name(name), record.encode())?;
        Ok(record)
    }

    /// Reads the record of a file; none if it has not been uploaded.
    pub fn record(&self, name: &str) -> Result<Option<Record>, DepotError> {
        let name = record_name(name);
        let Some(bytes) = self.read(&name)? else { return Ok(None) };
        let record = Record::decode(&bytes);
        record.map(Some).ok_or_else(|| DepotError::Record { object: self.address.of(&name) })
    }

    /// Fetches a file and writes it to a path, whole or not at all. Returns an error if it is not
    /// the file that was uploaded.
    pub fn get(&self, name: &str, local: &Path) -> Result<Record, DepotError> {
        let Some(record) = self.record(name)? else {
            return Err(DepotError::Gone { object: self.address.of(name) });
        };
        let (object, path) = (self.address.of(name), self.path(name));
        self.wait(transfer::fetch(&*self.store, &path, &record, Some(local), &object))?;
        Ok(record)
    }

    /// Reads a file back and compares it with its record.
    pub fn check(&self, name: &str, record: &Record) -> Result<(), DepotError> {
        let object = self.address.of(name);
        self.wait(transfer::fetch(&*self.store, &self.path(name), record, None, &object))
    }

    /// Lists the objects.
    pub fn listing(&self) -> Result<Listing, DepotError> {
        let failed = DepotError::store(self.address.to_string(), "list the objects");
        let found = self.store.list(Some(&self.prefix)).try_collect::<Vec<_>>();
        let mut listing = Listing::default();
        for meta in self.wait(found).map_err(failed)? {
            let Some(parts) = meta.location.prefix_match(&self.prefix) else { continue };
            let name = parts.map(|part| plain(part.as_ref())).collect::<Vec<_>>().join("/");
            if let Some(name) = recorded_name(&name) {
                listing.recorded.insert(name.to_owned());
            } else if !name.starts_with(FOLDER) {
                let tag = self.comparable(meta.e_tag);
                listing.objects.insert(name, StoredObject { bytes: meta.size, tag });
            }
        }
        Ok(listing)
    }

    /// Removes what an uploader that was killed left in a folder: files that it was writing. A
    /// store of objects shows nothing before it is complete.
    pub(crate) fn tidy(&self) -> Result<(), DepotError> {
        let mut pending: Vec<_> = self.address.folder().into_iter().collect();
        while let Some(folder) = pending.pop() {
            let failed = || DepotError::io(&folder, "read the folder");
            for entry in std::fs::read_dir(&folder).map_err(failed())? {
                let entry = entry.map_err(failed())?;
                let (path, name) = (entry.path(), entry.file_name());
                if entry.file_type().is_ok_and(|it| it.is_dir()) {
                    pending.push(path);
                } else if is_half_written(&name.to_string_lossy()) {
                    let removed = std::fs::remove_file(&path);
                    removed.map_err(DepotError::io(&path, "remove the file"))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the mark of the crawl that was uploaded here, if any.
    pub fn owner(&self) -> Result<Option<String>, DepotError> {
        let bytes = self.read(&format!("{FOLDER}/{OWNER}"))?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()))
    }

    /// Sets the mark of the crawl that is uploaded here, unless another one has been quicker.
    pub fn set_owner(&self, mark: &str) -> Result<(), DepotError> {
        let name = format!("{FOLDER}/{OWNER}");
        let bytes = format!("{mark}\n").into_bytes();
        let path = self.path(&name);
        let create = self.store.put_opts(&path, bytes.clone().into(), PutMode::Create.into());
        match self.wait(create) {
            Ok(_) => Ok(()),
            Err(
                object_store::Error::AlreadyExists { .. }
                | object_store::Error::Precondition { .. },
            ) => Err(DepotError::Other(self.address.to_string())),
            // Some servers do not know this kind of request.
            Err(_) => self.write(&name, bytes),
        }
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, DepotError> {
        let path = self.path(name);
        let read = async { self.store.get(&path).await?.bytes().await };
        match self.wait(read) {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(error @ object_store::Error::NotFound { .. }) if !lacks_bucket(&error) => Ok(None),
            Err(error) => Err(DepotError::store(self.address.of(name), "read the object")(error)),
        }
    }

    fn write(&self, name: &str, bytes: Vec<u8>) -> Result<(), DepotError> {
        let failed = DepotError::store(self.address.of(name), "write the object");
        let path = self.path(name);
        self.wait(self.store.put(&path, bytes.into())).map(drop).map_err(failed)
    }

    fn remove(&self, name: &str) -> Result<(), DepotError> {
        let path = self.path(name);
        match self.wait(self.store.delete(&path)) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(DepotError::store(self.address.of(name), "remove the object")(error)),
        }
    }

    /// Returns a tag in the form in which it can be compared. Only of these stores is it known that
    /// a list shows the same tags as a single answer.
    fn comparable(&self, tag: Option<String>) -> Option<String> {
        let is_stable = matches!(self.address.kind, Kind::S3 | Kind::Folder);
        tag.filter(|_| is_stable).map(|tag| tag.trim_matches('"').to_owned())
    }

    fn path(&self, name: &str) -> ObjectPath {
        name.split('/').fold(self.prefix.clone(), ObjectPath::join)
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }
}

/// Returns true if the store's library gives this name to files that it is writing. It shows no
/// such file as an object.
fn is_half_written(name: &str) -> bool {
    let number = name.rsplit_once('#').map(|(_, number)| number);
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns a part of a name as it was before the store's library encoded characters such as `#`.
fn plain(part: &str) -> String {
    percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned()
}
