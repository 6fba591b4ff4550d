//! A stage: a command that a user could type, run within this process, with a note of what it was made from.
//!
//! What a command reads are the words of it that name files or folders, and what it makes stands behind `-o`; so a stage
//! follows from its command alone. A [`Ledger`] keeps a note of every stage that was done: the command, the version, and the
//! checksums of what went in and came out. A stage is up to date as long as its note is true.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use ontrail_artifact::{Format, Input, Provenance, read_json, write_json};
use ontrail_cli::{ExitStatus, Printer, quoted};
use serde::{Deserialize, Serialize};

const FORMAT: Format = Format { kind: "stages", version: 1, oldest: 1, rebuild: "ontrail run" };

/// A command that a user could type.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// What it is called in the ledger.
    pub(crate) name: String,
    /// What it does, for people.
    pub(crate) title: String,
    /// The words behind `ontrail`.
    pub(crate) command: Vec<String>,
    /// What it reads, if that is not what its words name.
    pub(crate) reads: Option<Vec<PathBuf>>,
}

/// Whether a stage has to be done, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Everything is as it was; what a person has edited since is named.
    UpToDate { edited: Vec<PathBuf> },
    /// It has to be done, and why.
    Due(String),
}

impl Stage {
    pub(crate) fn new(name: &str, title: &str, command: &[&str]) -> Self {
        let command = command.iter().map(|&word| word.to_owned()).collect();
        Self { name: name.to_owned(), title: title.to_owned(), command, reads: None }
    }

    /// The command as it is typed.
    pub(crate) fn command_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        format!("ontrail {}", words.join(" "))
    }

    /// What it makes.
    pub(crate) fn outputs(&self) -> Vec<PathBuf> {
        outputs(&self.command)
    }

    /// What it reads: the other words that name something.
    fn inputs(&self) -> Vec<PathBuf> {
        if let Some(reads) = &self.reads {
            return reads.clone();
        }
        let outputs = self.outputs();
        let mut inputs: Vec<PathBuf> = self.command.iter().map(PathBuf::from).collect();
        inputs.retain(|path| path.exists() && !outputs.contains(path));
        inputs.dedup();
        inputs
    }

    /// Runs the command as if it had been typed, and shows at most so many lines of what it prints. Returns how it ended, how
    /// many lines were left out, and the seconds that it took.
    pub(crate) fn run(
        &self,
        lines: usize,
        printer: &mut Printer,
    ) -> Result<(ExitStatus, usize, f64)> {
        let words = std::iter::once("ontrail").chain(self.command.iter().map(String::as_str));
        let args = crate::Args::try_parse_from(words)?;
        let started = Instant::now();
        let (status, left_out) = printer.excerpt(lines, |printer| {
            Provenance::as_if_given(&self.command, || crate::run(&args.tool, printer))
        });
        let status =
            status.with_context(|| format!("the stage `{}` failed", self.command_line()))?;
        Ok((status, left_out, started.elapsed().as_secs_f64()))
    }
}

/// What a command makes: the words behind `-o`.
fn outputs(command: &[String]) -> Vec<PathBuf> {
    let pairs = command.windows(2);
    pairs.filter(|pair| pair[0] == "-o").map(|pair| PathBuf::from(&pair[1])).collect()
}

/// What is known of the stages that were done.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    notes: BTreeMap<String, Note>,
}

/// What a stage was made from and what it made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    pub(crate) version: String,
    pub(crate) command: Vec<String>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) outputs: Vec<Input>,
}

impl Note {
    /// Of a stage that is begun: no version does it, so it is due until it is noted as done.
    fn begun(stage: &Stage) -> Self {
        let (command, version) = (stage.command.clone(), String::new());
        Self { version, command, inputs: Vec::new(), outputs: Vec::new() }
    }

    /// Of a stage that was done, or of what it would be done from now.
    pub(crate) fn of(stage: &Stage) -> Result<Self> {
        let read = |paths: Vec<PathBuf>| -> Result<Vec<Input>> {
            let present = paths.iter().filter(|path| path.exists());
            present.map(|path| Ok(Input::read(path)?)).collect()
        };
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: stage.command.clone(),
            inputs: read(stage.inputs())?,
            outputs: read(stage.outputs())?,
        })
    }

    /// Why this note is no longer true of what a stage would read now, if it is not.
    pub(crate) fn outdated_by(&self, now: &Self) -> Option<String> {
        if self.version.is_empty() {
            return Some("it was broken off".to_owned());
        }
        if self.version != now.version {
            return Some(format!("it was done by Ontrail {}", self.version));
        }
        if self.command != now.command {
            return Some(format!("its settings have changed{}", changed_words(self, now)));
        }
        let changed = now.inputs.iter().find(|input| !self.inputs.contains(input));
        let changed = changed.map(|input| format!("{} has changed", input.path));
        let gone = || {
            let is_gone = |input: &&Input| now.inputs.iter().all(|it| it.path != input.path);
            self.inputs.iter().find(is_gone).map(|input| format!("{} is gone", input.path))
        };
        changed.or_else(gone)
    }
}

/// The words of a command that were not there before.
fn changed_words(before: &Note, now: &Note) -> String {
    let new: Vec<&str> = now
        .command
        .iter()
        .filter(|word| !before.command.contains(word))
        .map(String::as_str)
        .collect();
    if new.is_empty() { String::new() } else { format!(": {}", new.join(" ")) }
}

impl Ledger {
    /// Reads a ledger, which is empty if there is none.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let notes = if path.exists() { read_json(path, &FORMAT)?.1 } else { BTreeMap::new() };
        Ok(Self { path: path.to_owned(), notes })
    }

    pub(crate) fn note(&self, name: &str) -> Option<&Note> {
        self.notes.get(name)
    }

    /// Whether a stage has to be done. One that makes nothing always has.
    pub(crate) fn state(&self, stage: &Stage) -> Result<State> {
        let Some(note) = self.note(&stage.name).filter(|_| !stage.outputs().is_empty()) else {
            return Ok(State::Due("it has not been done yet".to_owned()));
        };
        let now = Note::of(stage)?;
        if let Some(reason) = note.outdated_by(&now) {
            return Ok(State::Due(reason));
        }
        if let Some(gone) = stage.outputs().iter().find(|path| !path.exists()) {
            return Ok(State::Due(format!("{} is gone", gone.display())));
        }
        let edited = now.outputs.iter().filter(|output| !note.outputs.contains(output));
        let edited = edited.map(|output| PathBuf::from(&output.path)).collect();
        Ok(State::UpToDate { edited })
    }

    /// Notes that a stage was done, or is begun.
    pub(crate) fn record(&mut self, name: &str, note: Note) -> Result<()> {
        self.notes.insert(name.to_owned(), note);
        let provenance = Provenance::of_this_process("ontrail run");
        Ok(write_json(&self.path, &FORMAT, &provenance, &self.notes)?)
    }

    /// Notes that a stage is begun, so that what it leaves behind when it is broken off is known to be its own.
    pub(crate) fn begin(&mut self, stage: &Stage) -> Result<()> {
        self.record(&stage.name, Note::begun(stage))
    }

    /// Forgets a stage and removes what it made; only what the ledger knows to be made by a stage is ever removed.
    pub(crate) fn remove(&mut self, name: &str) -> Result<()> {
        let Some(note) = self.notes.remove(name) else { return Ok(()) };
        for path in outputs(&note.command) {
            let sidecar = ontrail_artifact::sidecar_path(&path);
            for path in [path.as_path(), sidecar.as_path()].into_iter().filter(|path| path.exists())
            {
                if path.is_dir() {
                    std::fs::remove_dir_all(path)
                } else {
                    std::fs::remove_file(path)
                }
                .with_context(|| format!("{}: cannot be removed", path.display()))?;
            }
        }
        Ok(())
    }

    /// The names of the stages that are known.
    pub(crate) fn names(&self) -> Vec<String> {
        self.notes.keys().cloned().collect()
    }
}
