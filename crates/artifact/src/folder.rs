//! Folders of files for other programs, without a manifest.

use std::fs;
use std::path::{Path, PathBuf};

use crate::destination::{check_folder, resolve};
use crate::durable::rename;
use crate::error::{ArtifactError, WRITE_FOLDER};
use crate::write::parent;

/// A folder that is being written. It appears under its name only when [`finish`](Self::finish) is
/// called. If it is dropped before, it leaves nothing behind. It replaces nothing but an empty
/// folder.
#[derive(Debug)]
pub struct FolderWriter {
    target: PathBuf,
    directory: tempfile::TempDir,
}

impl FolderWriter {
    /// Returns an error if a new folder cannot be written at `target`.
    pub fn check(target: &Path) -> Result<(), ArtifactError> {
        check_folder(target)?;
        let files = fs::read_dir(target).into_iter().flatten();
        if files.count() > 0 {
            return Err(ArtifactError::NotEmpty { path: target.to_owned() });
        }
        Ok(())
    }

    /// Starts a folder at `target`.
    pub fn create(target: &Path) -> Result<Self, ArtifactError> {
        Self::check(target)?;
        let target = resolve(target)?;
        let directory = tempfile::Builder::new()
            .prefix(".ontrail-")
            .tempdir_in(parent(&target))
            .map_err(ArtifactError::io(&target, WRITE_FOLDER))?;
        Ok(Self { target, directory })
    }

    /// Returns the folder to write files to.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Moves the folder to its target.
    pub fn finish(self) -> Result<(), ArtifactError> {
        let target = self.target;
        let move_there = || {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(self.directory.path(), fs::Permissions::from_mode(0o755))?;
            }
            if target.exists() {
                fs::remove_dir(&target)?;
            }
            rename(self.directory.path(), &target)
        };
        move_there().map_err(ArtifactError::io(&target, WRITE_FOLDER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_appears_whole_and_replaces_only_an_empty_one() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("pages");
        drop(FolderWriter::create(&target).unwrap());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        fs::create_dir(&target).unwrap();
        let folder = FolderWriter::create(&target).unwrap();
        fs::write(folder.path().join("a.md"), "a").unwrap();
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
        folder.finish().unwrap();
        assert_eq!(fs::read_to_string(target.join("a.md")).unwrap(), "a");
        let error = FolderWriter::create(&target).unwrap_err();
        assert!(matches!(error, ArtifactError::NotEmpty { .. }), "{error}");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
