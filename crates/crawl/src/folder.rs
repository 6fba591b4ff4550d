//! The crawl folder: the crawl's settings, its models, and its progress.
//!
//! `run.json` holds the settings and names the models; `models/` has copies of the models, so the
//! crawl can be resumed even if the originals have moved. `secrets.json` holds the headers and
//! credentials that the crawl sends, and only its owner can read it. `progress.json` is rewritten
//! while the crawl runs.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use ontrail_artifact::{
    ArtifactError, Checksum, Format, Provenance, read_json, sha256_of_file, write_atomically,
    write_json, write_privately,
};
use ontrail_pilot::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::output::OutputError;
use crate::run::{End, Summary};
use crate::secrets::Secrets;
use crate::settings::CrawlSettings;

/// The format of `run.json`.
const FORMAT: Format =
    Format { kind: "crawl", version: 2, oldest: 2, rebuild: "ontrail crawl run" };

/// The name of the file of secrets.
const SECRETS: &str = "secrets.json";
/// The least size of a block of a file system, in bytes. A file has room up to the end of its last
/// block.
const BLOCK: u64 = 4_096;

/// The content of `run.json`: everything that defines a crawl.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// The source of the pages.
    pub web: WebPlace,
    /// The URLs that the crawl starts from.
    pub seeds: Vec<Url>,
    /// The recipe by which links are chosen.
    pub recipe: Recipe,
    /// The topic that pages are compared with.
    pub topic: Option<ModelFile>,
    /// The source of word meanings, if the recipe compares meanings.
    pub meanings: Option<MeaningsPlace>,
    /// The classifier.
    pub classifier: Option<ModelFile>,
    /// The disambiguation graph.
    pub sdg: Option<ModelFile>,
    /// The judge that combines topic, classifier and disambiguation graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<ModelFile>,
    /// The ground truth: the labels of pages.
    pub labels: Option<ModelFile>,
    /// The link model that the crawl begins with, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_model: Option<ModelFile>,
    /// The pattern of relevant labels.
    pub relevant: Option<String>,
    /// The place of the frontier: on disk or in memory.
    pub frontier: FrontierPlace,
    /// The folders of the workers whose pages were put together in this folder, if they were. Such
    /// a folder has no state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
    /// The settings.
    pub settings: CrawlSettings,
}

/// The source of a crawl's pages.
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

/// The source of word meanings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeaningsPlace {
    /// The folder with WordNet's files.
    Wordnet(PathBuf),
    /// A copy of an ontology.
    Ontology(ModelFile),
}

/// The place of a frontier.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Hash)]
#[serde(rename_all = "lowercase")]
pub enum FrontierPlace {
    /// On disk: the crawl can be resumed
    #[default]
    Disk,
    /// In memory: for experiments, which cannot be resumed
    Memory,
    /// On a server that several workers share
    #[cfg(feature = "shared")]
    Shared(crate::state::SharedPlace),
}

/// A copy of a model in the crawl folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFile {
    /// The path of the copy, relative to the crawl folder.
    pub file: PathBuf,
    /// The path of the original.
    pub from: PathBuf,
    /// The checksum of the file; for a bundle, the checksum of its manifest, which holds the
    /// checksums of the other files.
    pub sha256: Checksum,
}

/// An error with a crawl folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunFolderError {
    /// The folder already contains a crawl.
    #[error(
        "{path}: already contains a crawl; resume it with `ontrail crawl resume`, \
         or give another folder",
        path = .0.display()
    )]
    Exists(PathBuf),
    /// The folder contains other files.
    #[error(
        "{path}: the folder exists and is not empty; give the name of a new folder",
        path = .0.display()
    )]
    NotEmpty(PathBuf),
    /// The folder contains no crawl.
    #[error("{path}: is not a crawl folder (it has no run.json)", path = .0.display())]
    NoCrawl(PathBuf),
    /// Another process uses the folder.
    #[error("{path}: another process is crawling into this folder", path = .0.display())]
    Locked(PathBuf),
    /// The copy of a model has changed since the crawl began.
    #[error(
        "{path}: has changed since the crawl began; restore it (it was copied from {from})",
        path = .path.display(), from = .from.display()
    )]
    Changed {
        /// The copy.
        path: PathBuf,
        /// The path that it was copied from.
        from: PathBuf,
    },
    /// The file of secrets is missing.
    #[error(
        "{path}: the file with the crawl's secret headers or proxy password is missing; restore it, \
         or start a new crawl",
        path = .0.display()
    )]
    NoSecrets(PathBuf),
    /// The log is missing.
    #[error("{path}: the crawl's log is missing", path = .0.display())]
    NoLog(PathBuf),
    /// A file is not in the format that the crawler writes.
    #[error("{file}: is not in the format that `ontrail crawl run` writes", file = .file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// A file or folder cannot be read or written.
    #[error("{path}: cannot {action}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The action that failed, such as "read the file".
        action: &'static str,
        /// The cause.
        source: std::io::Error,
    },
    /// `run.json` cannot be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] OutputError),
}

/// The content of `progress.json`, through which other processes see how far the crawl is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProgressFile {
    /// The figures so far.
    pub summary: Summary,
    /// The reason why the crawl ended, if it has.
    pub end: Option<End>,
    /// Number of pages that the crawl may fetch.
    pub budget: u64,
    /// The error that stopped the crawl, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A crawl folder that this process has locked.
#[derive(Debug)]
pub struct RunFolder {
    /// The path of the folder.
    pub path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Checks that a new crawl folder can be created at a path.
    pub fn check_new(path: &Path) -> Result<(), RunFolderError> {
        if path.join("run.json").exists() {
            return Err(RunFolderError::Exists(path.to_owned()));
        }
        ontrail_artifact::check_folder(path)?;
        let is_empty = !path.exists()
            || fs::read_dir(path).map_err(cannot(path, "read the folder"))?.next().is_none();
        if !is_empty {
            return Err(RunFolderError::NotEmpty(path.to_owned()));
        }
        Ok(())
    }

    /// Creates and locks a new folder.
    pub fn create(path: &Path) -> Result<Self, RunFolderError> {
        Self::check_new(path)?;
        ontrail_artifact::create_folder(path).map_err(cannot(path, "create the folder"))?;
        Self::lock(path)
    }

    /// Opens and locks the folder of a crawl to resume it.
    pub fn open(path: &Path) -> Result<Self, RunFolderError> {
        check_is_run(path)?;
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self, RunFolderError> {
        let file = path.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&file);
        let lock = lock.map_err(cannot(&file, "write the file"))?;
        // `is_running` also holds the lock for a moment, so one failure is not final.
        for _ in 0..5 {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { path: path.to_owned(), _lock: lock }),
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                Err(TryLockError::Error(error)) => {
                    return Err(cannot(&file, "lock the file")(error));
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
            .map_err(cannot(from, "copy the model"))?;
        let summed = if is_folder { target.join("manifest.json") } else { target };
        let (sha256, _) = sha256_of_file(&summed).map_err(cannot(&summed, "read the file"))?;
        Ok(ModelFile { file, from: from.to_owned(), sha256 })
    }

    /// Returns the path of a model's copy, after checking that the copy has not changed.
    pub fn model(&self, model: &ModelFile) -> Result<PathBuf, RunFolderError> {
        let path = self.path.join(&model.file);
        let summed = if path.is_dir() { path.join("manifest.json") } else { path.clone() };
        let (sha256, _) = sha256_of_file(&summed).map_err(cannot(&summed, "read the file"))?;
        if sha256 != model.sha256 {
            return Err(RunFolderError::Changed { path, from: model.from.clone() });
        }
        Ok(path)
    }

    /// Moves the crawl's state aside, to `state.damaged-1` or the next number that is free. Returns
    /// the new path; none if there is no state.
    pub fn set_state_aside(&self) -> Result<Option<PathBuf>, RunFolderError> {
        let state = self.path.join("state");
        if !state.exists() {
            return Ok(None);
        }
        let mut number = 1_u64;
        let mut aside = self.path.join("state.damaged-1");
        while aside.exists() {
            number += 1;
            aside = self.path.join(format!("state.damaged-{number}"));
        }
        ontrail_artifact::rename(&state, &aside).map_err(cannot(&state, "move the folder"))?;
        Ok(Some(aside))
    }

    /// Writes `run.json`, and the secrets in its settings to `secrets.json`.
    pub fn write_run(&self, run: &RunFile, provenance: &Provenance) -> Result<(), RunFolderError> {
        let mut run = run.clone();
        if let Some(secrets) = Secrets::take_from(&mut run.settings.fetch) {
            let path = self.path.join(SECRETS);
            let text = pretty(&path, &secrets)?;
            write_privately(&path, |out| out.write_all(text.as_bytes()))?;
        }
        Ok(write_json(&self.path.join("run.json"), &FORMAT, provenance, &run)?)
    }

    /// Puts the secrets of `secrets.json` into settings that were read from `run.json`.
    pub fn restore_secrets(&self, run: &mut RunFile) -> Result<(), RunFolderError> {
        if !Secrets::are_missing(&run.settings.fetch) {
            return Ok(());
        }
        let file = self.path.join(SECRETS);
        if !file.is_file() {
            return Err(RunFolderError::NoSecrets(file));
        }
        let text = fs::read(&file).map_err(cannot(&file, "read the file"))?;
        let secrets: Secrets = serde_json::from_slice(&text)
            .map_err(|source| RunFolderError::Json { file: file.clone(), source })?;
        secrets.put_into(&mut run.settings.fetch);
        Ok(())
    }

    /// Writes `progress.json`.
    pub fn write_progress(&self, progress: &ProgressFile) -> Result<(), RunFolderError> {
        write_plain(&self.path.join("progress.json"), progress)
    }

    /// Writes `progress.json` after an error. A full disk has no room for a second file, but it has
    /// room for the one that is there.
    pub fn write_last_progress(&self, progress: &ProgressFile) -> Result<(), RunFolderError> {
        let path = self.path.join("progress.json");
        let Err(error) = self.write_progress(progress) else { return Ok(()) };
        let text = pretty(&path, progress)?;
        let file = File::options().write(true).open(&path);
        let written = file.and_then(|mut file| {
            let room = file.metadata()?.len().next_multiple_of(BLOCK);
            if text.len() as u64 > room {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            file.write_all(text.as_bytes())?;
            file.set_len(text.len() as u64)?;
            file.sync_all()
        });
        written.map_err(|_| error)
    }

    /// Writes `summary.json`.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), RunFolderError> {
        write_plain(&self.path.join("summary.json"), summary)
    }
}

fn write_plain(path: &Path, value: &impl Serialize) -> Result<(), RunFolderError> {
    let text = pretty(path, value)?;
    Ok(write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}

fn pretty(path: &Path, value: &impl Serialize) -> Result<String, RunFolderError> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|source| RunFolderError::Json { file: path.to_owned(), source })?;
    Ok(text + "\n")
}

fn cannot(path: &Path, action: &'static str) -> impl Fn(std::io::Error) -> RunFolderError {
    let path = path.to_owned();
    move |source| RunFolderError::Io { path: path.clone(), action, source }
}

/// Checks that a path is a crawl folder.
pub fn check_is_run(path: &Path) -> Result<(), RunFolderError> {
    if !path.join("run.json").is_file() {
        return Err(RunFolderError::NoCrawl(path.to_owned()));
    }
    Ok(())
}

/// Reads `run.json` of a crawl folder. Secrets in the settings are hidden.
pub fn read_run(path: &Path) -> Result<(Provenance, RunFile), RunFolderError> {
    check_is_run(path)?;
    Ok(read_json(&path.join("run.json"), &FORMAT)?)
}

/// Reads `progress.json` of a crawl folder; none if the crawl has not written it yet.
pub fn read_progress(path: &Path) -> Result<Option<ProgressFile>, RunFolderError> {
    let file = path.join("progress.json");
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read(&file).map_err(cannot(&file, "read the file"))?;
    let progress = serde_json::from_slice(&text);
    progress.map(Some).map_err(|source| RunFolderError::Json { file, source })
}

/// Returns true if a process is crawling into a folder.
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

/// Copies the files of a folder, but not its subfolders: a bundle has none.
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

/// The progress of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The reason why the crawl ended, if it has.
    pub end: Option<End>,
    /// Number of pages fetched.
    pub downloaded: u64,
}

/// Returns the progress of the crawl in a folder; none if the folder has no crawl. A crawl that has
/// not written its progress yet counts as not ended.
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
