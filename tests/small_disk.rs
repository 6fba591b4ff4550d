//! A small disk that a test can fill: a file system in memory, mounted in a namespace of its own.
//!
//! Other processes do not see the mount. They reach it through the root folder of the process that
//! holds it, and it is gone when that process ends.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ontrail_crawl::free_space;
use tempfile::TempDir;

/// A small disk.
#[derive(Debug)]
pub struct SmallDisk {
    /// The process that holds the mount.
    holder: Child,
    path: PathBuf,
    _mount_point: TempDir,
}

impl SmallDisk {
    /// Mounts a disk of this size. Where the machine does not permit that, says so on standard
    /// error, even if the output of tests is captured, and returns none.
    ///
    /// # Panics
    ///
    /// If a temporary folder cannot be created.
    #[must_use]
    pub fn mount(bytes: u64) -> Option<Self> {
        let mount_point = tempfile::tempdir().expect("cannot create a temporary folder");
        // First as the superuser, then as a user who may create namespaces.
        let mounted = ["-m", "-rm"].iter().find_map(|how| hold(how, bytes, mount_point.path()));
        let Some(holder) = mounted else {
            let why = "SKIPPED: this machine does not permit mounting (unshare -m, mount -t tmpfs)";
            let _ = writeln!(std::io::stderr(), "{why}");
            return None;
        };
        let root = PathBuf::from(format!("/proc/{}/root", holder.id()));
        let inside = mount_point.path().strip_prefix("/").unwrap_or(mount_point.path());
        Some(Self { path: root.join(inside), holder, _mount_point: mount_point })
    }

    /// Returns the path of a file on the disk.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Fills the disk with a file, except for this many bytes.
    ///
    /// # Panics
    ///
    /// If the file cannot be written.
    pub fn fill_except(&self, left: u64) {
        let free = free_space(&self.path).expect("the disk tells its free space");
        let size = usize::try_from(free.saturating_sub(left)).expect("a small disk");
        fs::write(self.path("ballast"), vec![0; size]).expect("the disk can be filled");
    }

    /// Removes the file that fills the disk.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn empty(&self) {
        fs::remove_file(self.path("ballast")).expect("the disk was filled");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// Starts a process that mounts a disk and holds it until its standard input is closed.
fn hold(how: &str, bytes: u64, at: &Path) -> Option<Child> {
    let script = "mount -t tmpfs -o size=\"$1\" tmpfs \"$2\" && echo mounted && read line";
    let mut holder = Command::new("unshare")
        .args([how, "sh", "-c", script, "sh", &bytes.to_string()])
        .arg(at)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut line = String::new();
    let read = holder.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
    if matches!(read, Some(Ok(_))) && line == "mounted\n" {
        return Some(holder);
    }
    let _ = holder.kill();
    let _ = holder.wait();
    None
}
