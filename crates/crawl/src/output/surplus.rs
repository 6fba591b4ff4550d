//! Bytes and files that the commit to resume from does not count.

use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::{OPEN, OutputError};

/// The treatment of bytes and files that the commit to resume from does not count.
#[derive(Debug, Clone)]
pub(crate) enum Surplus {
    /// They are removed: the process died before they were committed, nobody was told that they
    /// are stored, and their pages are fetched again.
    Remove,
    /// They are moved to a folder of this name beside their files, because they may have been
    /// committed.
    MoveTo(String),
}

impl Surplus {
    /// Returns a folder name `cut-N` that is not used yet in any of these folders.
    pub(crate) fn move_to_new(folders: &[PathBuf]) -> Self {
        let (mut number, mut name) = (1_u64, "cut-1".to_owned());
        while folders.iter().any(|folder| folder.join(&name).exists()) {
            number += 1;
            name = format!("cut-{number}");
        }
        Self::MoveTo(name)
    }

    /// Returns the folder in `folder` that surplus was moved to, if any was.
    pub(crate) fn moved_to(&self, folder: &Path) -> Option<PathBuf> {
        let Self::MoveTo(name) = self else { return None };
        Some(folder.join(name)).filter(|path| path.exists())
    }

    /// Discards a file.
    pub(crate) fn discard(&self, path: &Path) -> Result<(), OutputError> {
        let discard = || match self {
            Self::Remove => fs::remove_file(path),
            Self::MoveTo(name) => {
                let to = place_in(path, name);
                ontrail_artifact::create_folder(to.parent().unwrap_or(&to))?;
                ontrail_artifact::rename(path, &to)
            }
        };
        discard().map_err(OutputError::at(path))
    }

    /// Discards everything in a file after a length.
    pub(crate) fn cut(&self, path: &Path, length: u64) -> Result<(), OutputError> {
        self.try_cut(path, length).map_err(OutputError::at(path))
    }

    fn try_cut(&self, path: &Path, length: u64) -> io::Result<()> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        if file.metadata()?.len() <= length {
            return Ok(());
        }
        if let Self::MoveTo(name) = self {
            file.seek(SeekFrom::Start(length))?;
            let copied = ontrail_artifact::write_atomically(&place_in(path, name), |out| {
                io::copy(&mut file, out).map(|_| ())
            });
            copied.map_err(io::Error::other)?;
        }
        file.set_len(length)?;
        file.sync_all()
    }
}

/// Returns the place of a file in a folder beside it. The ending that says that the file is being
/// written is dropped.
fn place_in(path: &Path, folder: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(OPEN).unwrap_or(&name);
    path.with_file_name(folder).join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surplus_is_removed_or_moved_beside_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pages-00001.warc.gz.open");
        fs::create_dir(folder.path().join("cut-1")).unwrap();
        let aside = Surplus::move_to_new(&[folder.path().to_owned()]);
        fs::write(&file, "committed").unwrap();
        aside.cut(&file, 9).unwrap();
        assert_eq!(aside.moved_to(folder.path()), None);
        fs::write(&file, "committed and more").unwrap();
        aside.cut(&file, 9).unwrap();
        let cut = folder.path().join("cut-2");
        assert_eq!(aside.moved_to(folder.path()), Some(cut.clone()));
        assert_eq!(fs::read_to_string(&file).unwrap(), "committed");
        assert_eq!(fs::read_to_string(cut.join("pages-00001.warc.gz")).unwrap(), " and more");
        fs::write(folder.path().join("b"), "whole").unwrap();
        aside.discard(&folder.path().join("b")).unwrap();
        assert_eq!(fs::read_to_string(cut.join("b")).unwrap(), "whole");
        Surplus::Remove.cut(&file, 4).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "comm");
        Surplus::Remove.discard(&file).unwrap();
        assert!(!file.exists());
    }
}
