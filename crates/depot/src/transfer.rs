//! The bytes of a file on their way to a store and back.
//!
//! A file is read once, in pieces, so memory is bounded; its checksum is computed on the way.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::SystemTime;

use futures_util::TryStreamExt;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload, WriteMultipart};
use ontrail_artifact::Checksum;
use sha2::{Digest, Sha256};

use crate::DepotError;
use crate::record::Record;

/// The size of a part of a large file, and of the largest file that is sent in one piece.
const PART: u64 = 8 << 20;
/// The number of parts that a store takes at most, with room to spare (S3: 10,000).
const PARTS: u64 = 9_000;
/// The number of parts that are on their way at a time.
const AT_A_TIME: usize = 3;

const SEND: &str = "upload the file";
const FETCH: &str = "fetch the object";

/// How an upload is verified, besides the size of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verification {
    /// The store compared a checksum of each part with what arrived.
    ByStore,
    /// The object is read back, which costs nothing.
    ReadBack,
    /// The object is read back if it was sent in one piece.
    SmallReadBack,
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) bytes: u64,
    pub(crate) sha256: Checksum,
}

/// The size of a file and the time of its last change.
pub(crate) type Look = (u64, Option<SystemTime>);

/// Looks at a file.
pub(crate) fn look(path: &Path) -> Result<Look, DepotError> {
    let meta = std::fs::metadata(path).map_err(DepotError::io(path, "read the file"))?;
    Ok((meta.len(), meta.modified().ok()))
}

/// Sends a file to a store.
pub(crate) async fn send(
    store: &dyn ObjectStore,
    path: &ObjectPath,
    local: &Path,
    object: &str,
) -> Result<Sent, DepotError> {
    let mut source = Source::open(local)?;
    let before = source.look()?;
    if before.0 <= PART {
        let bytes = source.next(PART + 1)?;
        let put = store.put(path, PutPayload::from(bytes)).await;
        put.map_err(DepotError::store(object.to_owned(), SEND))?;
    } else {
        send_parts(store, path, &mut source, before.0, object).await?;
    }
    let after = source.look()?;
    let sent = source.finish();
    if after != before || sent.bytes != before.0 {
        return Err(DepotError::Changed(local.to_owned()));
    }
    Ok(sent)
}

/// Sends a file in parts. After an error, the parts that the store already has are removed there.
async fn send_parts(
    store: &dyn ObjectStore,
    path: &ObjectPath,
    source: &mut Source<'_>,
    bytes: u64,
    object: &str,
) -> Result<(), DepotError> {
    let failed = || DepotError::store(object.to_owned(), SEND);
    let part = PART.max(bytes.div_ceil(PARTS));
    let upload = store.put_multipart(path).await.map_err(failed())?;
    let size = usize::try_from(part).unwrap_or(usize::MAX);
    let mut upload = WriteMultipart::new_with_chunk_size(upload, size);
    loop {
        let ready = upload.wait_for_capacity(AT_A_TIME).await.map_err(failed());
        match ready.and_then(|()| source.next(part)) {
            Ok(bytes) if bytes.is_empty() => break,
            Ok(bytes) => upload.put(bytes.into()),
            Err(error) => {
                // The error that matters is the first.
                let _ = upload.abort().await;
                return Err(error);
            }
        }
    }
    // This also removes the parts after an error.
    upload.finish().await.map(drop).map_err(failed())
}

/// Verifies an object that was just sent. Returns its entity tag.
pub(crate) async fn verify(
    store: &dyn ObjectStore,
    path: &ObjectPath,
    sent: &Sent,
    verification: Verification,
    object: &str,
) -> Result<Option<String>, DepotError> {
    let found = store.head(path).await;
    let found = found.map_err(DepotError::store(object.to_owned(), "verify the upload"))?;
    if found.size != sent.bytes {
        return Err(damaged(object, found.size, sent.bytes));
    }
    let reads_back = match verification {
        Verification::ByStore => false,
        Verification::ReadBack => true,
        Verification::SmallReadBack => sent.bytes <= PART,
    };
    if reads_back {
        let record = Record::new(sent.bytes, sent.sha256.clone(), None);
        fetch(store, path, &record, None, object).await?;
    }
    Ok(found.e_tag)
}

/// Fetches an object and compares it with its record. Writes it to a file, if one is named, whole
/// or not at all.
pub(crate) async fn fetch(
    store: &dyn ObjectStore,
    path: &ObjectPath,
    record: &Record,
    local: Option<&Path>,
    object: &str,
) -> Result<(), DepotError> {
    let failed = |error: object_store::Error| match error {
        object_store::Error::NotFound { .. } => DepotError::Gone { object: object.to_owned() },
        error => DepotError::store(object.to_owned(), FETCH)(error),
    };
    let found = store.get(path).await.map_err(failed)?;
    if found.meta.size != record.bytes {
        return Err(damaged(object, found.meta.size, record.bytes));
    }
    let mut target = local.map(Target::create).transpose()?;
    let mut hasher = Sha256::new();
    let mut stream = found.into_stream();
    while let Some(bytes) = stream.try_next().await.map_err(failed)? {
        hasher.update(&bytes);
        if let Some(target) = &mut target {
            target.write(&bytes)?;
        }
    }
    let sha256 = finished(hasher);
    if sha256 != record.sha256 {
        return Err(DepotError::Damaged {
            object: object.to_owned(),
            found: format!("its SHA-256 is {sha256}"),
            recorded: record.sha256.to_string(),
        });
    }
    target.map_or(Ok(()), Target::finish)
}

fn damaged(object: &str, found: u64, recorded: u64) -> DepotError {
    DepotError::Damaged {
        object: object.to_owned(),
        found: format!("it has {found} bytes"),
        recorded: recorded.to_string(),
    }
}

fn finished(hasher: Sha256) -> Checksum {
    Checksum(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A file that is being read.
struct Source<'a> {
    path: &'a Path,
    file: File,
    hasher: Sha256,
    bytes: u64,
}

impl<'a> Source<'a> {
    fn open(path: &'a Path) -> Result<Self, DepotError> {
        let file = File::open(path).map_err(DepotError::io(path, "read the file"))?;
        Ok(Self { path, file, hasher: Sha256::new(), bytes: 0 })
    }

    /// Looks at the open file, which stays the same if its name is given to another one.
    fn look(&self) -> Result<Look, DepotError> {
        let meta = self.file.metadata().map_err(DepotError::io(self.path, "read the file"))?;
        Ok((meta.len(), meta.modified().ok()))
    }

    /// Reads the next bytes: as many as were asked for, or fewer at the end.
    fn next(&mut self, most: u64) -> Result<Vec<u8>, DepotError> {
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(most).read_to_end(&mut bytes);
        read.map_err(DepotError::io(self.path, "read the file"))?;
        self.hasher.update(&bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes)
    }

    fn finish(self) -> Sent {
        Sent { bytes: self.bytes, sha256: finished(self.hasher) }
    }
}

/// A file that is being written. It gets its name when it is complete.
struct Target<'a> {
    path: &'a Path,
    file: tempfile::NamedTempFile,
}

impl<'a> Target<'a> {
    fn create(path: &'a Path) -> Result<Self, DepotError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let created = std::fs::create_dir_all(folder)
            .and_then(|()| tempfile::Builder::new().prefix(".ontrail-").tempfile_in(folder));
        Ok(Self { path, file: created.map_err(DepotError::io(path, "write the file"))? })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DepotError> {
        self.file.write_all(bytes).map_err(DepotError::io(self.path, "write the file"))
    }

    fn finish(self) -> Result<(), DepotError> {
        let written = self.file.persist(self.path).map(drop).map_err(|error| error.error);
        written.map_err(DepotError::io(self.path, "write the file"))
    }
}
