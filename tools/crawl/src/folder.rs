//! The folder of a crawl: what is in it besides the pages.
//!
//! `run.json` says how the crawl is done and what it is done with, `models/` has copies of that, so a crawl can be
//! gone on with wherever the originals are by then. `progress.json` is written anew while it runs.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ontrail_artifact::{
    Checksum, Format, Provenance, check_json_replaceable, read_json, sha256_of_file,
    write_atomically, write_json,
};
use ontrail_crawl::{End, Recipe, Settings, Summary};
use serde::{Deserialize, Serialize};
use url::Url;

/// What says how a crawl is done.
pub(crate) const FORMAT: Format =
    Format { kind: "crawl", version: 2, oldest: 2, rebuild: "ontrail crawl run" };

/// How a crawl is done, and what with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFile {
    pub(crate) web: WebPlace,
    pub(crate) seeds: Vec<Url>,
    /// How links are chosen.
    pub(crate) recipe: Recipe,
    pub(crate) topic: Option<ModelFile>,
    /// Where the meanings of words come from, if they are compared.
    pub(crate) meanings: Option<MeaningsPlace>,
    pub(crate) classifier: Option<ModelFile>,
    pub(crate) sdg: Option<ModelFile>,
    pub(crate) labels: Option<ModelFile>,
    /// Which labels are relevant.
    pub(crate) relevant: Option<String>,
    pub(crate) frontier: FrontierPlace,
    pub(crate) settings: Settings,
}

/// Which web.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WebPlace {
    Live,
    Archives(Vec<PathBuf>),
    Folder(PathBuf),
}

/// Where the meanings of words come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MeaningsPlace {
    Wordnet(PathBuf),
    Ontology(ModelFile),
}

/// Where the links wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FrontierPlace {
    /// On disk: the crawl can be resumed
    #[default]
    Disk,
    /// In memory: for experiments, which cannot be resumed
    Memory,
}

/// A copy of what a crawl uses, within its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelFile {
    /// Its path in the folder.
    pub(crate) file: PathBuf,
    /// What it was copied from.
    pub(crate) from: PathBuf,
    /// Its checksum; of a folder, that of its manifest, which has those of the files.
    pub(crate) sha256: Checksum,
}

/// How a crawl stands, for others to read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ProgressFile {
    pub(crate) summary: Summary,
    /// Why it ended, if it did.
    pub(crate) end: Option<End>,
    pub(crate) budget: u64,
}

/// The folder of a crawl that this process holds.
#[derive(Debug)]
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Refuses a place that is not free for a new folder.
    pub(crate) fn check_new(path: &Path) -> Result<()> {
        if path.join("run.json").exists() {
            bail!(
                "{}: there is a crawl already; go on with `ontrail crawl resume`, or give another folder",
                path.display()
            );
        }
        if path.is_file() {
            bail!("{}: is a file; give the name of a new folder", path.display());
        }
        let is_empty = !path.exists()
            || fs::read_dir(path).with_context(|| cannot(path, "be read"))?.next().is_none();
        if !is_empty {
            bail!("{}: is there and not empty; give the name of a new folder", path.display());
        }
        Ok(())
    }

    /// Makes a new folder.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        Self::check_new(path)?;
        fs::create_dir_all(path).with_context(|| cannot(path, "be made"))?;
        Self::lock(path)
    }

    /// Opens the folder of a crawl to go on with it.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        check_is_run(path)?;
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self> {
        let file = path.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&file);
        let lock = lock.with_context(|| cannot(&file, "be written"))?;
        // Whoever only asks whether it is held holds it for a moment.
        for _ in 0..5 {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { path: path.to_owned(), _lock: lock }),
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| cannot(&file, "be locked"));
                }
            }
        }
        bail!("{}: another process is crawling into this folder", path.display())
    }

    /// Copies a model into the folder.
    pub(crate) fn copy(&self, from: &Path, name: &str) -> Result<ModelFile> {
        let file = Path::new("models").join(name);
        let target = self.path.join(&file);
        let is_folder = from.is_dir();
        if is_folder { copy_folder(from, &target) } else { copy_file(from, &target) }
            .with_context(|| cannot(from, "be copied"))?;
        let summed = if is_folder { target.join("manifest.json") } else { target };
        let (sha256, _) = sha256_of_file(&summed).with_context(|| cannot(&summed, "be read"))?;
        Ok(ModelFile { file, from: from.to_owned(), sha256 })
    }

    /// Where a model lies, if it is still as it was copied.
    pub(crate) fn model(&self, model: &ModelFile) -> Result<PathBuf> {
        let path = self.path.join(&model.file);
        let summed = if path.is_dir() { path.join("manifest.json") } else { path.clone() };
        let (sha256, _) = sha256_of_file(&summed).with_context(|| cannot(&summed, "be read"))?;
        if sha256 != model.sha256 {
            bail!(
                "{}: was changed since the crawl began; put back what was there ({})",
                path.display(),
                model.from.display()
            );
        }
        Ok(path)
    }

    pub(crate) fn write_run(&self, run: &RunFile, provenance: &Provenance) -> Result<()> {
        let path = self.path.join("run.json");
        check_json_replaceable(&path, &FORMAT)?;
        Ok(write_json(&path, &FORMAT, provenance, run)?)
    }

    /// Writes how the crawl stands.
    pub(crate) fn write_progress(&self, progress: &ProgressFile) -> Result<()> {
        write_plain(&self.path.join("progress.json"), progress)
    }

    /// Writes how the crawl ended.
    pub(crate) fn write_summary(&self, summary: &Summary) -> Result<()> {
        write_plain(&self.path.join("summary.json"), summary)
    }
}

fn write_plain(path: &Path, value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}

fn cannot(path: &Path, what: &str) -> String {
    format!("{}: cannot {what}", path.display())
}

/// Refuses what is no folder of a crawl.
pub(crate) fn check_is_run(path: &Path) -> Result<()> {
    if !path.join("run.json").is_file() {
        bail!("{}: is not the folder of a crawl (no run.json in it)", path.display());
    }
    Ok(())
}

/// How the crawl in a folder is done, and what it was begun with.
pub(crate) fn read_run(path: &Path) -> Result<(Provenance, RunFile)> {
    check_is_run(path)?;
    Ok(read_json(&path.join("run.json"), &FORMAT)?)
}

/// How the crawl in a folder stands, if it has got that far.
pub(crate) fn read_progress(path: &Path) -> Result<Option<ProgressFile>> {
    let file = path.join("progress.json");
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read(&file).with_context(|| cannot(&file, "be read"))?;
    let progress = serde_json::from_slice(&text)
        .with_context(|| format!("{}: is not as `ontrail crawl run` writes it", file.display()))?;
    Ok(Some(progress))
}

/// Whether a process is crawling into a folder.
pub(crate) fn is_running(path: &Path) -> bool {
    let lock = File::options().read(true).open(path.join("lock"));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::copy(from, to).map(|_| ())
}

/// Copies the files of a folder; a bundle has no folders in it.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
