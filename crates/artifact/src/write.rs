//! Atomic writing of files.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::durable::{create_folder, sync_folder};
use crate::error::{ArtifactError, WRITE};

/// Writes a file under a temporary name and renames it when it is complete and on disk, so that a
/// reader sees either the old file or the new one. Missing directories are created.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ArtifactError> {
    try_write(path, 0o644, write).map_err(ArtifactError::io(path, WRITE))
}

/// Writes a file like [`write_atomically`], but so that only its owner can read it.
pub fn write_privately(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ArtifactError> {
    try_write(path, 0o600, write).map_err(ArtifactError::io(path, WRITE))
}

#[cfg_attr(not(unix), allow(unused_variables, reason = "only Unix has such permissions"))]
fn try_write(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let directory = parent(path);
    create_folder(directory)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    let mut temporary = builder.prefix(".ontrail-").tempfile_in(directory)?;
    let mut buffer = BufWriter::new(&mut temporary);
    write(&mut buffer)?;
    buffer.flush()?;
    drop(buffer);
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    sync_folder(directory)
}

/// Returns the directory that contains a path.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::tests::synced;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/file.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        assert_eq!(synced(), [directory.path(), path.parent().unwrap()]);
        let failed = write_atomically(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        let error = failed.unwrap_err();
        assert!(error.to_string().ends_with("file.txt: cannot write this file"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
