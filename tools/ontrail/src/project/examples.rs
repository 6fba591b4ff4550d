//! Example pages, from which a project makes all its models.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ontrail_artifact::create_folder;
use ontrail_corpus::is_document;

/// Folder of a project's example pages about the topic.
pub(super) const ON_TOPIC: &str = "pages/on-topic";
/// Folder of a project's example pages that are not about the topic.
pub(super) const OFF_TOPIC: &str = "pages/off-topic";

/// Fewest pages of each kind. Models are also made without one of them, to see how well they judge
/// it.
const FEWEST: usize = 2;

/// The pages in a folder.
#[derive(Debug)]
pub(super) struct Pages {
    folder: PathBuf,
    /// Paths of the pages, relative to the folder.
    files: Vec<PathBuf>,
}

impl Pages {
    /// Finds the pages in a folder and below it. `option` is the flag that names the folder.
    pub(super) fn find(folder: &Path, option: &str) -> Result<Self> {
        if !folder.is_dir() {
            bail!("{option}: {}: not a folder; give a folder of pages", folder.display());
        }
        let mut files = Vec::new();
        let mut pending = vec![PathBuf::new()];
        while let Some(inner) = pending.pop() {
            let path = folder.join(&inner);
            let cannot = || format!("{option}: {}: cannot read the folder", path.display());
            for entry in fs::read_dir(&path).with_context(cannot)? {
                let entry = entry.with_context(cannot)?;
                let name = inner.join(entry.file_name());
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                if entry.file_type().with_context(cannot)?.is_dir() && !is_hidden {
                    pending.push(name);
                } else if !is_hidden && is_document(&name) && folder.join(&name).is_file() {
                    files.push(name);
                }
            }
        }
        files.sort();
        if files.len() < FEWEST {
            bail!(
                "{option}: {}: {} pages found (.html, .txt, .md, .pdf and the like); give at least \
                 {FEWEST}, or better a dozen",
                folder.display(),
                files.len()
            );
        }
        Ok(Self { folder: folder.to_owned(), files })
    }

    /// Returns the number of pages.
    pub(super) fn count(&self) -> usize {
        self.files.len()
    }

    /// Copies the pages to another folder.
    pub(super) fn copy(&self, to: &Path) -> Result<()> {
        for file in &self.files {
            let (from, to) = (self.folder.join(file), to.join(file));
            to.parent().map(create_folder).transpose()?;
            fs::copy(&from, &to).with_context(|| {
                format!("{}: cannot copy it to {}", from.display(), to.display())
            })?;
        }
        Ok(())
    }
}
