//! The space that the output of a crawl takes, and the space that is left for it.

use std::path::Path;

use serde::Serialize;

/// The use of the disk by a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DiskUse {
    /// Bytes in all files of the crawl folder.
    pub used: u64,
    /// Bytes that may still be written to its file system; none if the system does not tell.
    pub free: Option<u64>,
}

impl DiskUse {
    /// Measures a crawl folder.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        Self { used: folder_size(folder), free: free_space(folder) }
    }
}

/// Returns the number of bytes in all files below a folder. A crawl that is running may remove
/// files meanwhile; those count as empty.
fn folder_size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(it) if it.is_dir() => folder_size(&entry.path()),
        Ok(it) if it.is_file() => it.len(),
        _ => 0,
    };
    entries.map(size).sum()
}

/// Returns the number of bytes that this user may still write to the file system of a folder; none
/// if the system does not tell.
///
/// ```
/// # use ontrail_crawl::free_space;
/// assert!(free_space(std::path::Path::new(".")).is_some_and(|bytes| bytes > 0));
/// assert_eq!(free_space(std::path::Path::new("no such folder")), None);
/// ```
#[cfg(unix)]
#[must_use]
pub fn free_space(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    // Blocks that only the superuser may use do not count.
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Returns none: this system is not asked.
#[cfg(not(unix))]
#[must_use]
pub fn free_space(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn all_files_below_a_folder_count() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        std::fs::write(folder.path().join("a"), [0; 100]).unwrap();
        std::fs::write(folder.path().join("inner/b"), [0; 23]).unwrap();
        // A link could lead in a circle, or to files of others.
        std::os::unix::fs::symlink(folder.path(), folder.path().join("inner/c")).unwrap();
        let measured = DiskUse::of(folder.path());
        assert_eq!((measured.used, measured.free.is_some()), (123, true));
        assert_eq!(DiskUse::of(&folder.path().join("missing")), DiskUse { used: 0, free: None });
    }

    #[test]
    fn free_space_is_that_of_the_file_system_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let free = free_space(folder.path()).unwrap();
        let whole = rustix::fs::statvfs(folder.path()).unwrap();
        assert!(free > 0 && free <= whole.f_blocks * whole.f_frsize, "{free}");
        assert_eq!(free_space(&folder.path().join("missing")), None);
        // The proc file system of Linux is always full.
        #[cfg(target_os = "linux")]
        assert_eq!(free_space(Path::new("/proc")), Some(0));
    }
}
