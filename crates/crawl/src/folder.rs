//! The folder of a crawl: how it is done, what it is done with, and how it stands.
//!
//! `run.json` says how the crawl is done and what with; `models/` has copies of that, so the crawl can be
//! resumed wherever the originals are by then. `progress.json` is written anew while it runs.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use ontrail_artifact::{
    ArtifactError, Checksum, Format, Provenance, check_json_replaceable, read_json, sha256_of_file,
    write_atomically, write_json,
};
use ontrail_pilot::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::output::{LogRow, OutputError, read_log};
use crate::run::{End, Summary};
use crate::settings::Settings;

/// The format of `run.json`.
const FORMAT: Format =
    Format { kind: "crawl", version: 2, oldest: 2, rebuild: "ontrail crawl run" };

/// How a crawl is done, and what with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// Where the pages come from.
    pub web: WebPlace,
    /// The URLs that it begins with.
    pub seeds: Vec<Url>,
    /// How links are chosen.
    pub recipe: Recipe,
    /// The topic that pages are compared with.
    pub topic: Option<ModelFile>,
    /// Where the meanings of words come from, if they are compared.
    pub meanings: Option<MeaningsPlace>,
    /// The classifier.
    pub classifier: Option<ModelFile>,
    /// The disambiguation graph.
    pub sdg: Option<ModelFile>,
    /// The true labels of pages.
    pub labels: Option<ModelFile>,
    /// Which labels are relevant.
    pub relevant: Option<String>,
    /// Where the links wait.
    pub frontier: FrontierPlace,
    /// The settings.
    pub settings: Settings,
}

/// Which web.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WebPlace {
    /// The live web.
    Live,
    /// Web archives.
    Archives(Vec<PathBuf>),
    /// A folder of pages.
    Folder(PathBuf),
}

/// Where the meanings of words come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeaningsPlace {
    /// The folder of WordNet.
    Wordnet(PathBuf),
    /// A copy of an ontology.
    Ontology(ModelFile),
}

/// Where the links wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Hash)]
#[serde(rename_all = "lowercase")]
pub enum FrontierPlace {
    /// On disk: the crawl can be resumed
    #[default]
    Disk,
    /// In memory: for experiments, which cannot be resumed
    Memory,
}

/// A copy of what a crawl uses, within its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFile {
    /// Its path in the folder.
    pub file: PathBuf,
    /// What it was copied from.
    pub from: PathBuf,
    /// Its checksum; of a folder, that of its manifest, which has those of the files.
    pub sha256: Checksum,
}

/// Why the folder of a crawl cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunFolderError {
    /// A new crawl was to be made where there is one.
    #[error(
        "{path}: there is a crawl already; go on with `ontrail crawl resume`, or give another folder",
        path = .0.display()
    )]
    Exists(PathBuf),
    /// A file has that name.
    #[error("{path}: is a file; give the name of a new folder", path = .0.display())]
    IsFile(PathBuf),
    /// The folder holds something else.
    #[error("{path}: is there and not empty; give the name of a new folder", path = .0.display())]
    NotEmpty(PathBuf),
    /// There is no crawl in it.
    #[error("{path}: is not the folder of a crawl (no run.json in it)", path = .0.display())]
    NoCrawl(PathBuf),
    /// Another process uses it.
    #[error("{path}: another process is crawling into this folder", path = .0.display())]
    Locked(PathBuf),
    /// A model is not what the crawl began with.
    #[error(
        "{path}: was changed since the crawl began; put back what was there ({from})",
        path = .path.display(), from = .from.display()
    )]
    Changed {
        /// The copy.
        path: PathBuf,
        /// What it was copied from.
        from: PathBuf,
    },
    /// The log is missing.
    #[error("{path}: the log of the crawl is gone", path = .0.display())]
    NoLog(PathBuf),
    /// A file is not as the crawler writes it.
    #[error("{file}: is not as `ontrail crawl run` writes it", file = .file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A file cannot be read or written.
    #[error("{path}: cannot {done}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What could not be done.
        done: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// `run.json` cannot be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] OutputError),
}

/// How a crawl stands, for others to read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProgressFile {
    /// The figures.
    pub summary: Summary,
    /// Why it ended, if it did.
    pub end: Option<End>,
    /// How many pages it is to fetch.
    pub budget: u64,
}

/// The folder of a crawl that this process holds.
#[derive(Debug)]
pub struct RunFolder {
    /// Where it is.
    pub path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Refuses a place that is not free for a new folder.
    pub fn check_new(path: &Path) -> Result<(), RunFolderError> {
        if path.join("run.json").exists() {
            return Err(RunFolderError::Exists(path.to_owned()));
        }
        if path.is_file() {
            return Err(RunFolderError::IsFile(path.to_owned()));
        }
        let is_empty =
            !path.exists() || fs::read_dir(path).map_err(cannot(path, "be read"))?.next().is_none();
        if !is_empty {
            return Err(RunFolderError::NotEmpty(path.to_owned()));
        }
        Ok(())
    }

    /// Makes a new folder.
    pub fn create(path: &Path) -> Result<Self, RunFolderError> {
        Self::check_new(path)?;
        fs::create_dir_all(path).map_err(cannot(path, "be made"))?;
        Self::lock(path)
    }

    /// Opens the folder of a crawl to go on with it.
    pub fn open(path: &Path) -> Result<Self, RunFolderError> {
        check_is_run(path)?;
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self, RunFolderError> {
        let file = path.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&file);
        let lock = lock.map_err(cannot(&file, "be written"))?;
        // Whoever only asks whether it is held holds it for a moment.
        for _ in 0..5 {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { path: path.to_owned(), _lock: lock }),
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                Err(TryLockError::Error(error)) => {
                    return Err(cannot(&file, "be locked")(error));
                }
            }
        }
        Err(RunFolderError::Locked(path.to_owned()))
    }

    /// Copies a model into the folder.
    pub fn copy(&self, from: &Path, name: &str) -> Result<ModelFile, RunFolderError> {
        let file = Path::new("models").join(name);
        let target = self.path.join(&file);
        let is_folder = from.is_dir();
        if is_folder { copy_folder(from, &target) } else { copy_file(from, &target) }
            .map_err(cannot(from, "be copied"))?;
        let summed = if is_folder { target.join("manifest.json") } else { target };
        let (sha256, _) = sha256_of_file(&summed).map_err(cannot(&summed, "be read"))?;
        Ok(ModelFile { file, from: from.to_owned(), sha256 })
    }

    /// Where a model lies, if it is still as it was copied.
    pub fn model(&self, model: &ModelFile) -> Result<PathBuf, RunFolderError> {
        let path = self.path.join(&model.file);
        let summed = if path.is_dir() { path.join("manifest.json") } else { path.clone() };
        let (sha256, _) = sha256_of_file(&summed).map_err(cannot(&summed, "be read"))?;
        if sha256 != model.sha256 {
            return Err(RunFolderError::Changed { path, from: model.from.clone() });
        }
        Ok(path)
    }

    /// Writes how the crawl is done.
    pub fn write_run(&self, run: &RunFile, provenance: &Provenance) -> Result<(), RunFolderError> {
        let path = self.path.join("run.json");
        check_json_replaceable(&path, &FORMAT)?;
        Ok(write_json(&path, &FORMAT, provenance, run)?)
    }

    /// Writes how the crawl stands.
    pub fn write_progress(&self, progress: &ProgressFile) -> Result<(), RunFolderError> {
        write_plain(&self.path.join("progress.json"), progress)
    }

    /// Writes how the crawl ended.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), RunFolderError> {
        write_plain(&self.path.join("summary.json"), summary)
    }
}

fn write_plain(path: &Path, value: &impl Serialize) -> Result<(), RunFolderError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|source| RunFolderError::Json { file: path.to_owned(), source })?;
    text.push('\n');
    Ok(write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}

/// Says what could not be done with a file.
fn cannot(path: &Path, done: &'static str) -> impl Fn(std::io::Error) -> RunFolderError {
    let path = path.to_owned();
    move |source| RunFolderError::Io { path: path.clone(), done, source }
}

/// Refuses what is no folder of a crawl.
pub fn check_is_run(path: &Path) -> Result<(), RunFolderError> {
    if !path.join("run.json").is_file() {
        return Err(RunFolderError::NoCrawl(path.to_owned()));
    }
    Ok(())
}

/// How the crawl in a folder is done, and what it was begun with.
pub fn read_run(path: &Path) -> Result<(Provenance, RunFile), RunFolderError> {
    check_is_run(path)?;
    Ok(read_json(&path.join("run.json"), &FORMAT)?)
}

/// How the crawl in a folder stands, if it has got that far.
pub fn read_progress(path: &Path) -> Result<Option<ProgressFile>, RunFolderError> {
    let file = path.join("progress.json");
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read(&file).map_err(cannot(&file, "be read"))?;
    let progress = serde_json::from_slice(&text);
    progress.map(Some).map_err(|source| RunFolderError::Json { file, source })
}

/// Whether a process is crawling into a folder.
#[must_use]
pub fn is_running(path: &Path) -> bool {
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

/// A crawl as its folder shows it, to be looked at beside others.
#[derive(Debug, Clone)]
pub struct Crawled {
    /// The crawler.
    pub recipe: Recipe,
    /// The figures, if it has got that far.
    pub summary: Option<Summary>,
    rows: Vec<LogRow>,
}

impl Crawled {
    /// Reads the folder of a crawl.
    pub fn read(folder: &Path) -> Result<Self, RunFolderError> {
        let (_, run) = read_run(folder)?;
        let log = folder.join("log");
        if !log.is_dir() {
            return Err(RunFolderError::NoLog(log));
        }
        Ok(Self {
            recipe: run.recipe,
            summary: read_progress(folder)?.map(|it| it.summary),
            rows: read_log(&log)?,
        })
    }

    /// The pages that it brought, in order.
    #[must_use]
    pub fn pages(&self) -> Vec<&LogRow> {
        self.rows.iter().filter(|row| row.is_page()).collect()
    }
}

/// How far a crawl has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Why it ended, if it did.
    pub end: Option<End>,
    /// How many pages came.
    pub downloaded: u64,
}

/// How far the crawl in a folder has got, if there is one; one that could not say so yet has not ended.
pub fn progress_of(folder: &Path) -> Result<Option<Progress>, RunFolderError> {
    if !folder.join("run.json").is_file() {
        return Ok(None);
    }
    let progress = read_progress(folder)?;
    let none = Progress { end: None, downloaded: 0 };
    Ok(Some(
        progress.map_or(none, |it| Progress { end: it.end, downloaded: it.summary.downloaded }),
    ))
}
