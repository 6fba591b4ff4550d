//! Uploads to a store in memory that fails and forgets as a test demands, and to folders.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path as ObjectPath;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use tempfile::TempDir;

use crate::transfer::Verification;
use crate::{
    Address, Candidate, Depot, DepotError, Fetched, Ledger, Mirror, UploadStatus, Uploader,
};

/// A store in memory that fails some of its writes, and counts those that succeed.
#[derive(Debug, Default)]
struct Flaky {
    inner: InMemory,
    /// Number of writes that are still to fail.
    failures: AtomicI64,
    writes: AtomicU64,
}

impl fmt::Display for Flaky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Flaky")
    }
}

impl Flaky {
    fn write(&self) -> Result<()> {
        if self.failures.load(Ordering::SeqCst) > 0 {
            self.failures.fetch_sub(1, Ordering::SeqCst);
            return Err(object_store::Error::Generic { store: "flaky", source: "no".into() });
        }
        self.writes.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

type Later<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl ObjectStore for Flaky {
    fn put_opts<'a, 'b, 'c>(
        &'a self,
        location: &'b ObjectPath,
        payload: PutPayload,
        options: PutOptions,
    ) -> Later<'c, Result<PutResult>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        Box::pin(async move {
            self.write()?;
            self.inner.put_opts(location, payload, options).await
        })
    }

    fn put_multipart_opts<'a, 'b, 'c>(
        &'a self,
        location: &'b ObjectPath,
        options: PutMultipartOptions,
    ) -> Later<'c, Result<Box<dyn MultipartUpload>>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        Box::pin(async move {
            self.write()?;
            self.inner.put_multipart_opts(location, options).await
        })
    }

    fn get_opts<'a, 'b, 'c>(
        &'a self,
        location: &'b ObjectPath,
        options: GetOptions,
    ) -> Later<'c, Result<GetResult>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        self.inner.get_opts(location, options)
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<ObjectPath>>,
    ) -> BoxStream<'static, Result<ObjectPath>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&ObjectPath>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    fn list_with_delimiter<'a, 'b, 'c>(
        &'a self,
        prefix: Option<&'b ObjectPath>,
    ) -> Later<'c, Result<ListResult>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        self.inner.list_with_delimiter(prefix)
    }

    fn copy_opts<'a, 'b, 'd, 'c>(
        &'a self,
        from: &'b ObjectPath,
        to: &'d ObjectPath,
        options: CopyOptions,
    ) -> Later<'c, Result<()>>
    where
        'a: 'c,
        'b: 'c,
        'd: 'c,
        Self: 'c,
    {
        self.inner.copy_opts(from, to, options)
    }
}

/// A folder with files, and a store.
struct Bench {
    folder: TempDir,
    store: Arc<Flaky>,
    address: Address,
}

impl Bench {
    fn new() -> Self {
        let bench = Self {
            folder: tempfile::tempdir().unwrap(),
            store: Arc::default(),
            address: "s3://bucket/crawls/rain".parse().unwrap(),
        };
        bench.file("run.json", b"{}");
        bench.file("pages/pages-00000.warc.gz", b"an archive");
        bench.file("empty", b"");
        bench
    }

    fn file(&self, name: &str, content: &[u8]) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn depot(&self) -> Depot {
        let prefix = ObjectPath::from("crawls/rain");
        let store: Arc<dyn ObjectStore> = Arc::clone(&self.store) as _;
        Depot::with(store, prefix, self.address.clone(), Verification::ReadBack).unwrap()
    }

    fn mirror(&self) -> Mirror {
        let ledger = Ledger::open(self.folder.path(), &self.address);
        Mirror::new(self.depot(), ledger, "run.json")
    }

    fn files(&self) -> Vec<Candidate> {
        let names = ["run.json", "pages/pages-00000.warc.gz", "empty"];
        names.map(|name| self.candidate(name)).to_vec()
    }

    fn candidate(&self, name: &str) -> Candidate {
        Candidate { name: name.to_owned(), path: self.folder.path().join(name) }
    }

    /// Uploads everything as another process would. Returns the names of the files that were sent.
    fn upload(&self) -> Vec<String> {
        self.upload_by(self.mirror())
    }

    fn upload_by(&self, mut mirror: Mirror) -> Vec<String> {
        let mut sent = Vec::new();
        for file in self.files() {
            if mirror.bring(&file).unwrap() {
                sent.push(file.name);
            }
        }
        mirror.write_ledger(&UploadStatus::default()).unwrap();
        sent
    }

    fn forget_ledger(&self) {
        fs::remove_file(self.folder.path().join(crate::LEDGER)).unwrap();
    }

    /// Replaces an object behind the back of the depot.
    fn tamper(&self, name: &str, bytes: &[u8]) {
        let path = ObjectPath::from(format!("crawls/rain/{name}"));
        let put = self.store.inner.put(&path, bytes.to_vec().into());
        futures_util::FutureExt::now_or_never(put).unwrap().unwrap();
    }

    fn remove(&self, name: &str) {
        let path = ObjectPath::from(format!("crawls/rain/{name}"));
        futures_util::FutureExt::now_or_never(self.store.inner.delete(&path)).unwrap().unwrap();
    }

    fn fetch(&self) -> std::result::Result<Fetched, DepotError> {
        Fetched::from(&self.depot(), |_| true, |_, _, _| {})
    }
}

/// A name with characters that stores do not take as they are.
const ODD: &str = "models/100% #1 *";
const ARCHIVE: &str = "pages/pages-00000.warc.gz";

#[test]
fn what_was_uploaded_is_fetched_again() {
    let bench = Bench::new();
    assert_eq!(bench.upload(), ["run.json", ARCHIVE, "empty"]);
    bench.file(ODD, b"odd");
    assert!(bench.mirror().bring(&bench.candidate(ODD)).unwrap());
    bench.forget_ledger();
    let mut mirror = bench.mirror();
    assert!(!mirror.bring(&bench.candidate("run.json")).unwrap());
    assert!(!mirror.bring(&bench.candidate(ODD)).unwrap());
    let fetched = bench.fetch().unwrap();
    for file in bench.files() {
        let copy = fs::read(fetched.path().join(&file.name)).unwrap();
        assert_eq!(copy, fs::read(&file.path).unwrap(), "{}", file.name);
    }
    assert_eq!(fs::read(fetched.path().join(ODD)).unwrap(), b"odd");
    let only = Fetched::from(&bench.depot(), |name| name == "run.json", |_, _, _| {}).unwrap();
    assert!(only.path().join("run.json").exists() && !only.path().join("pages").exists());
    let folder = only.path().to_owned();
    drop(only);
    assert!(!folder.exists());
}

#[test]
fn large_files_are_sent_in_parts() {
    let bench = Bench::new();
    let bytes: Vec<u8> =
        (0..20_000_001_u32).map(|it| it.to_le_bytes()[usize::from(it % 3 == 0)]).collect();
    bench.file(ARCHIVE, &bytes);
    bench.upload();
    let record = bench.depot().record(ARCHIVE).unwrap().unwrap();
    assert_eq!(record.bytes, bytes.len() as u64);
    assert_eq!(record.sha256, ontrail_artifact::Checksum::of(&bytes));
    let fetched = bench.fetch().unwrap();
    assert!(fs::read(fetched.path().join(ARCHIVE)).unwrap() == bytes);
}

#[test]
fn only_what_is_new_or_changed_is_uploaded_again() {
    let bench = Bench::new();
    bench.upload();
    assert!(bench.upload().is_empty());
    bench.file(ARCHIVE, b"a longer archive");
    assert_eq!(bench.upload(), [ARCHIVE]);
    // The same without the list of uploads: files are compared with the records.
    bench.forget_ledger();
    assert!(bench.upload().is_empty());
    bench.forget_ledger();
    bench.file(ARCHIVE, b"a changed archive");
    assert_eq!(bench.upload(), [ARCHIVE]);
    // Nor does it matter if the new list was written before the store could be asked.
    bench.forget_ledger();
    bench.mirror().write_ledger(&UploadStatus::default()).unwrap();
    assert!(bench.upload().is_empty());
}

#[test]
fn what_was_replaced_or_removed_in_the_store_is_uploaded_again() {
    let bench = Bench::new();
    bench.upload();
    bench.tamper(ARCHIVE, b"another one");
    bench.remove("empty");
    assert!(matches!(bench.fetch(), Err(DepotError::Gone { .. })));
    assert_eq!(bench.upload(), [ARCHIVE, "empty"]);
    bench.tamper(ARCHIVE, b"AN ARCHIVE");
    let error = bench.fetch().unwrap_err().to_string();
    assert!(error.starts_with("s3://bucket/crawls/rain/pages/pages-00000.warc.gz: "), "{error}");
    assert!(error.contains("its SHA-256 is "), "{error}");
    // Same size, but another tag.
    assert_eq!(bench.upload(), [ARCHIVE]);
    assert!(bench.fetch().is_ok());
}

#[test]
fn checking_reads_everything_back_once() {
    let bench = Bench::new();
    bench.upload();
    let mut mirror = bench.mirror().checking();
    for file in bench.files() {
        assert!(!mirror.is_settled(&file));
        assert!(!mirror.bring(&file).unwrap());
        assert!(mirror.is_settled(&file));
    }
}

#[test]
fn half_a_record_is_as_good_as_none() {
    let bench = Bench::new();
    bench.upload();
    let record = crate::record::record_name(ARCHIVE);
    bench.tamper(&record, b"{\"format\":1,\"byt");
    assert!(matches!(bench.fetch(), Err(DepotError::Record { .. })));
    bench.forget_ledger();
    assert_eq!(bench.upload(), [ARCHIVE]);
    // The uploader died after it had sent the object: nobody vouches for it.
    bench.remove(&record);
    let fetched = bench.fetch().unwrap();
    assert!(!fetched.path().join(ARCHIVE).exists() && fetched.path().join("run.json").exists());
    assert_eq!(bench.upload(), [ARCHIVE]);
}

#[test]
fn another_folder_cannot_be_uploaded_to_the_same_address() {
    let bench = Bench::new();
    bench.upload();
    let other = Bench { store: Arc::clone(&bench.store), ..Bench::new() };
    other.file("run.json", b"{\"other\":1}");
    let mut mirror = other.mirror();
    let error = mirror.bring(&other.candidate("run.json")).unwrap_err();
    assert!(matches!(error, DepotError::Other(_)) && error.is_final());
    // Not even if both look at the same time and find nothing.
    assert!(matches!(bench.depot().set_owner("another"), Err(DepotError::Other(_))));
}

#[test]
fn names_that_lead_elsewhere_are_not_fetched() {
    let bench = Bench::new();
    bench.upload();
    let record = bench.depot().record("empty").unwrap().unwrap().encode();
    for name in ["a:b", "a\\b"] {
        bench.tamper(name, b"");
        bench.tamper(&crate::record::record_name(name), &record);
    }
    let fetched = bench.fetch().unwrap();
    assert_eq!(fs::read_dir(fetched.path()).unwrap().count(), 3);
}

fn start(bench: &Bench) -> Uploader {
    let files = bench.files();
    Uploader::start(bench.mirror(), Box::new(move |_| Ok(files.clone()))).unwrap()
}

#[test]
fn a_store_that_fails_a_few_times_is_asked_again() {
    let bench = Bench::new();
    bench.store.failures.store(2, Ordering::SeqCst);
    let uploader = start(&bench);
    let mut errors = 0;
    let status = uploader.finish(Duration::from_mins(1), |status| {
        errors += u64::from(status.error.is_some());
        true
    });
    assert_eq!(status, UploadStatus { uploaded: 3, waiting: 0, error: None });
    assert!(errors > 0);
    assert!(bench.fetch().is_ok());
    let (to, written) = Ledger::of_folder(bench.folder.path()).unwrap();
    assert_eq!((to.as_str(), written), ("s3://bucket/crawls/rain", status));
}

#[test]
fn a_store_that_keeps_failing_does_not_hold_up_the_end() {
    let bench = Bench::new();
    bench.store.failures.store(i64::MAX, Ordering::SeqCst);
    let status = start(&bench).finish(Duration::from_millis(200), |_| true);
    assert_eq!((status.uploaded, status.waiting), (0, 3));
    assert!(Ledger::of_folder(bench.folder.path()).is_some());
    assert!(status.error.is_some_and(|error| error.contains("s3://bucket/crawls/rain")));
    // Someone who presses Ctrl-C waits for nothing.
    let status = start(&bench).finish(Duration::from_hours(1), |_| false);
    assert_eq!(status.uploaded, 0);
    // Later the store works again.
    bench.store.failures.store(0, Ordering::SeqCst);
    let status = start(&bench).finish(Duration::from_mins(1), |_| true);
    assert_eq!((status.uploaded, status.error), (3, None));
    let writes = bench.store.writes.load(Ordering::SeqCst);
    let status = start(&bench).finish(Duration::from_mins(1), |_| true);
    assert_eq!((status.uploaded, status.waiting), (3, 0));
    assert_eq!(bench.store.writes.load(Ordering::SeqCst), writes);
}

#[test]
fn folders_of_this_machine_work_like_stores() {
    let bench = Bench::new();
    let place = tempfile::tempdir().unwrap();
    let target: PathBuf = place.path().join("my crawls/rain #1");
    let url = url::Url::from_directory_path(&target).unwrap();
    let address: Address = url.as_str().parse().unwrap();
    let mirror = || {
        let ledger = Ledger::open(bench.folder.path(), &address);
        Mirror::new(Depot::open(&address).unwrap(), ledger, "run.json")
    };
    let is_empty = Fetched::open(&address, |_| true, |_, _, _| {});
    assert!(matches!(is_empty, Err(DepotError::Empty(_))), "{is_empty:?}");
    assert_eq!(bench.upload_by(mirror()).len(), 3);
    assert_eq!(fs::read(target.join(ARCHIVE)).unwrap(), b"an archive");
    assert!(bench.upload_by(mirror()).is_empty());
    assert!(Fetched::open(&address, |_| true, |_, _, _| {}).is_ok());
    let half = target.join("pages/pages-00000.warc.gz#1");
    fs::write(&half, "AN ARC").unwrap();
    fs::write(target.join(ARCHIVE), "AN ARCHIVE").unwrap();
    let damaged = Fetched::open(&address, |_| true, |_, _, _| {});
    assert!(matches!(damaged, Err(DepotError::Damaged { .. })), "{damaged:?}");
    assert_eq!(bench.upload_by(mirror()), [ARCHIVE]);
    assert!(!half.exists());
}
