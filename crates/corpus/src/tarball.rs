//! Reads folders of texts or pages in a tar archive.
//!
//! A separate thread reads the archive and passes the documents on as they are requested: the
//! entries of an archive borrow it, so one iterator cannot own both.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::document::Document;
use crate::error::CorpusError;
use crate::folder::{MAX_DOCUMENT_BYTES, document, is_document, too_large};
use crate::source::{Documents, open_unpacked};

pub(crate) fn documents(path: &Path) -> Result<Documents, CorpusError> {
    let root = common_root(path)?;
    let path = path.to_owned();
    let (sender, receiver) = sync_channel(64);
    thread::spawn(move || {
        let name = path.display().to_string();
        let result = for_each_entry(&path, |entry_path, entry| {
            let document = read(&root, &name, entry_path, entry);
            // Sending fails once the iterator is dropped.
            sender.send(document).is_ok()
        });
        if let Err(error) = result {
            let _ = sender.send(Err(error));
        }
    });
    Ok(Box::new(receiver.into_iter()))
}

/// Calls `visit` with each document of the archive until it returns false.
fn for_each_entry(
    path: &Path,
    mut visit: impl FnMut(&Path, &mut dyn Read) -> bool,
) -> Result<(), CorpusError> {
    let broken = |error: std::io::Error| {
        CorpusError::file(path, format!("not a complete tar archive: {error}"))
    };
    let mut archive = tar::Archive::new(open_unpacked(path)?);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let entry_path = entry.path().map_err(broken)?.into_owned();
        let is_file = entry.header().entry_type().is_file();
        let is_wanted = is_file && is_document(&entry_path) && !is_hidden(&entry_path);
        if is_wanted && !visit(&entry_path, &mut entry) {
            break;
        }
    }
    Ok(())
}

/// Returns the top folder of the archive if all documents are in one: archives usually have such a
/// folder, and it is not a label.
fn common_root(path: &Path) -> Result<PathBuf, CorpusError> {
    let mut tops = BTreeSet::new();
    for_each_entry(path, |entry_path, _| {
        let normal = normal_parts(entry_path);
        let mut parts = normal.components();
        let top = parts.next().filter(|_| parts.next().is_some());
        tops.insert(top.map(|top| PathBuf::from(top.as_os_str())));
        tops.len() < 2
    })?;
    let only = if tops.len() == 1 { tops.pop_first().flatten() } else { None };
    Ok(only.unwrap_or_default())
}

fn read(
    root: &Path,
    archive: &str,
    path: &Path,
    entry: &mut dyn Read,
) -> Result<Document, CorpusError> {
    let file = format!("{archive}: {}", path.display());
    let mut bytes = Vec::new();
    let read = entry.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| CorpusError::row(&file, None, error))?;
    if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(too_large(&file));
    }
    let normal = normal_parts(path);
    document(normal.strip_prefix(root).unwrap_or(&normal), &file, bytes)
}

fn is_hidden(path: &Path) -> bool {
    normal_parts(path).components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// Returns the path without `./`, `..` and a root.
fn normal_parts(path: &Path) -> PathBuf {
    use std::path::Component;
    path.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}
