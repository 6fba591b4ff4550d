//! Files whose names survive a power cut.
//!
//! Syncing a file makes its content durable, but not its name: a file that was just created or
//! renamed can be gone after a power cut, or have its old name, until its folder is synced as well.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::write::parent;

/// Creates an empty file, which replaces an older one, and makes its name durable.
pub fn create_file(path: &Path) -> io::Result<File> {
    let file = File::create(path)?;
    sync_folder(parent(path))?;
    Ok(file)
}

/// Creates a folder and the folders above it that are missing, and makes their names durable.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if parent(path) != path {
        create_folder(parent(path))?;
    }
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !path.is_dir() => Err(error),
        _ => sync_folder(parent(path)),
    }
}

/// Renames a file or folder and makes its new name durable.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder(parent(to))?;
    if parent(from) != parent(to) {
        sync_folder(parent(from))?;
    }
    Ok(())
}

/// Makes the names in a folder durable. Only Unix systems can do that, and only they need it.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(test)]
    tests::SYNCED.with_borrow_mut(|synced| synced.push(folder.to_owned()));
    #[cfg(unix)]
    match File::open(folder)?.sync_all() {
        // Some file systems, such as those over a network, do not sync folders.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
        result => result?,
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::path::PathBuf;

    use super::*;

    thread_local! {
        /// The folders that this thread has synced.
        pub(crate) static SYNCED: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
    }

    /// Returns the folders that were synced since the last call.
    pub(crate) fn synced() -> Vec<PathBuf> {
        SYNCED.take()
    }

    #[test]
    fn folders_are_synced_after_files_are_created_and_renamed() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a/b"), folder.path().join("c"));
        create_folder(&from).unwrap();
        assert_eq!(synced(), [folder.path().to_owned(), folder.path().join("a")]);
        create_folder(&from).unwrap();
        assert_eq!(synced(), [] as [PathBuf; 0]);
        create_file(&from.join("file")).unwrap();
        assert_eq!(synced(), [from.as_path()]);
        rename(&from.join("file"), &to).unwrap();
        assert_eq!(synced(), [folder.path(), from.as_path()]);
        rename(&to, &folder.path().join("d")).unwrap();
        assert_eq!(synced(), [folder.path()]);
        assert!(sync_folder(&folder.path().join("absent")).is_err());
    }
}
