//! The space that is left for the output of a crawl.

use std::path::Path;

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
