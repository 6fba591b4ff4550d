//! Decides what a path that a user names as an output stands for, and whether it may be written.
//! Every tool's `-o` comes here.
//!
//! - `-` and the names of open descriptors (`/dev/stdout`, `/dev/fd/3`) are streams.
//! - FIFOs and character devices (`/dev/null`) are streams too: they are written to, not replaced.
//! - A symbolic link stands for the file or folder that it points to.
//! - A regular file is replaced, and a new file is created; its folder must exist.
//! - Anything else (block devices, sockets, links that point nowhere) is refused.

use std::fs::{self, FileType, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{ArtifactError, WRITE};
use crate::write::{parent, write_atomically};

/// An output as the user named it.
#[derive(Debug, Clone, Copy)]
pub struct Destination<'a> {
    path: &'a Path,
    /// True if a file that Ontrail did not make is replaced; `None` if the user has no say in it.
    force: Option<bool>,
}

impl<'a> Destination<'a> {
    /// Creates the destination of a command with the option `--force`; `force` is true if the user
    /// gave it.
    #[must_use]
    pub fn new(path: &'a Path, force: bool) -> Self {
        Self { path, force: Some(force) }
    }

    /// Returns the path as the user gave it.
    #[must_use]
    pub fn path(self) -> &'a Path {
        self.path
    }

    /// Returns the destination of a file beside this one, under the same rule.
    #[must_use]
    pub fn beside(self, path: &Path) -> Destination<'_> {
        Destination { path, force: self.force }
    }

    /// Returns true for standard output.
    #[must_use]
    pub fn is_stdout(self) -> bool {
        ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
            .iter()
            .any(|it| self.path == Path::new(it))
    }

    /// Returns true if data is sent there and not stored under that name.
    #[must_use]
    pub fn is_stream(self) -> bool {
        let is_open = || self.path.starts_with("/dev/fd") || self.path.starts_with("/proc/self/fd");
        self.is_stdout()
            || self.path == Path::new("/dev/stderr")
            || fs::metadata(self.path).is_ok_and(|it| is_stream(it.file_type()) || is_open())
    }

    pub(crate) fn is_forced(self) -> bool {
        self.force == Some(true)
    }

    /// Returns advice for a file that is not replaced.
    pub(crate) fn message(self) -> &'static str {
        match self.force {
            Some(_) => "choose another name, or replace it with --force",
            None => "choose another name or remove it",
        }
    }

    /// Finds out where a file is written. Returns an error for a place that cannot hold one.
    pub(crate) fn place(self) -> Result<Place, ArtifactError> {
        if self.is_stdout() {
            return Ok(Place::Stdout);
        }
        if self.is_stream() {
            return Ok(Place::Stream(self.path.to_owned()));
        }
        let path = resolve(self.path)?;
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => Ok(Place::File(path)),
            Ok(found) if found.is_dir() => Err(ArtifactError::IsFolder { path }),
            Ok(_) => Err(ArtifactError::NoFile { path }),
            Err(_) => Ok(Place::File(path)),
        }
    }
}

impl<'a> From<&'a Path> for Destination<'a> {
    fn from(path: &'a Path) -> Self {
        Self { path, force: None }
    }
}

impl<'a> From<&'a PathBuf> for Destination<'a> {
    fn from(path: &'a PathBuf) -> Self {
        Self::from(path.as_path())
    }
}

/// A place where a file can be written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Stdout,
    /// A FIFO, a character device or an open descriptor.
    Stream(PathBuf),
    /// A regular file, which may not exist yet.
    File(PathBuf),
}

impl Place {
    /// Writes to a stream as the data comes, and to a file completely or not at all.
    pub(crate) fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ArtifactError> {
        match self {
            Self::Stdout => through(&mut io::stdout().lock(), write)
                .map_err(ArtifactError::io(Path::new("-"), WRITE)),
            Self::Stream(path) => {
                let opened = OpenOptions::new().write(true).open(path);
                opened
                    .and_then(|mut stream| through(&mut stream, write))
                    .map_err(ArtifactError::io(path, WRITE))
            }
            Self::File(path) => write_atomically(path, write),
        }
    }
}

fn through(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = BufWriter::new(out);
    write(&mut buffer)?;
    buffer.flush()
}

/// Returns an error if no folder can be written at `path`: because it is a file or a stream, or
/// because the folder above it does not exist.
pub fn check_folder(path: &Path) -> Result<(), ArtifactError> {
    let path = path.to_owned();
    if Destination::from(&path).is_stream() {
        return Err(ArtifactError::NeedsFolder { path });
    }
    match fs::metadata(resolve(&path)?) {
        Ok(found) if !found.is_dir() => Err(ArtifactError::NeedsFolder { path }),
        _ => Ok(()),
    }
}

/// Follows symbolic links, and checks that the folder of a new file exists.
pub(crate) fn resolve(path: &Path) -> Result<PathBuf, ArtifactError> {
    if path.is_symlink() {
        return path.canonicalize().map_err(|_| ArtifactError::Dangling { path: path.to_owned() });
    }
    let folder = parent(path);
    if !path.exists() && !folder.is_dir() {
        let (path, folder) = (path.to_owned(), folder.to_owned());
        return Err(ArtifactError::NoParent { path, folder });
    }
    Ok(path.to_owned())
}

#[cfg(unix)]
fn is_stream(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn is_stream(_: FileType) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place(path: &Path) -> Result<Place, ArtifactError> {
        Destination::from(path).place()
    }

    #[test]
    fn streams_are_written_through() {
        for name in ["-", "/dev/stdout"] {
            assert_eq!(place(Path::new(name)).unwrap(), Place::Stdout);
        }
        let null = Path::new("/dev/null");
        assert_eq!(place(null).unwrap(), Place::Stream(null.to_owned()));
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink(null, &link).unwrap();
        assert_eq!(place(&link).unwrap(), Place::Stream(link.clone()));
        place(&link).unwrap().write(|out| out.write_all(b"x")).unwrap();
        assert!(link.is_symlink());
    }

    #[test]
    fn a_link_stands_for_what_it_points_to() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let (file, link) = (folder.join("file"), folder.join("link"));
        symlink(&file, &link).unwrap();
        assert!(matches!(place(&link), Err(ArtifactError::Dangling { .. })));
        assert!(matches!(check_folder(&link), Err(ArtifactError::Dangling { .. })));
        fs::write(&file, "old").unwrap();
        assert_eq!(place(&link).unwrap(), Place::File(file.clone()));
        place(&link).unwrap().write(|out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }

    #[test]
    fn folders_sockets_and_files_without_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(place(folder.path()), Err(ArtifactError::IsFolder { .. })));
        let lost = folder.path().join("no/such/file");
        assert!(matches!(place(&lost), Err(ArtifactError::NoParent { .. })));
        assert!(matches!(check_folder(&lost), Err(ArtifactError::NoParent { .. })));
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(matches!(place(&socket), Err(ArtifactError::NoFile { .. })));
        for path in [&socket, Path::new("-"), Path::new("/dev/null")] {
            assert!(matches!(check_folder(path), Err(ArtifactError::NeedsFolder { .. })));
        }
        check_folder(&folder.path().join("new")).unwrap();
        check_folder(folder.path()).unwrap();
    }
}
