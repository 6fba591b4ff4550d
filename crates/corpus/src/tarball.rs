//! Folders of texts or pages in a tar archive.
//!
//! An archive is read by a thread of its own that hands documents over as they are asked for: the
//! entries of an archive borrow it, so an iterator could not own both.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::document::Document;
use crate::error::CorpusError;
use crate::folder::{LARGEST, document, is_document, too_large};
use crate::source::{Documents, open_unpacked};

pub(crate) fn documents(path: &Path) -> Result<Documents, CorpusError> {
    let root = common_root(path)?;
    let path = path.to_owned();
    let (sender, receiver) = sync_channel(64);
    thread::spawn(move || {
        let name = path.display().to_string();
        let result = for_each_entry(&path, |entry_path, entry| {
            let document = read(&root, &name, entry_path, entry);
            // The receiver is gone when nobody wants more.
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

/// The folder that all documents lie in, if there is one: archives are usually packed with one, and
/// it is no label.
fn common_root(path: &Path) -> Result<PathBuf, CorpusError> {
    let mut tops = BTreeSet::new();
    for_each_entry(path, |entry_path, _| {
        let cleaned = clean(entry_path);
        let mut parts = cleaned.components();
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
    let read = entry.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| CorpusError::row(&file, None, error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(&file));
    }
    let cleaned = clean(path);
    document(cleaned.strip_prefix(root).unwrap_or(&cleaned), &file, bytes)
}

fn is_hidden(path: &Path) -> bool {
    clean(path).components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// The path without `./` and the like.
fn clean(path: &Path) -> PathBuf {
    use std::path::Component;
    path.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}
