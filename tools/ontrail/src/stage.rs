//! A stage: a command that a user could type, run within this process, with a note of what it was made from.
//!
//! What a command makes stands behind `-o`, and what it reads are the files that it names. A [`Ledger`] keeps a note of every
//! stage that was done: the command, the version, and the checksums of what went in and came out. A stage is up to date as
//! long as its note is true.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Parser;
use ontrail_artifact::{Format, Input, Output, Provenance, read_json, sidecar_path, write_json};
use ontrail_cli::{ExitStatus, Printer, quoted};
use serde::{Deserialize, Serialize};

/// A command that a user could type.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// What it is called in the ledger.
    pub(crate) name: String,
    /// What it does, for people.
    pub(crate) title: String,
    /// The words behind `ontrail`.
    pub(crate) command: Vec<String>,
    /// The files and folders that it reads; if nothing is said, all that its words name.
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

/// How a stage went.
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) seconds: f64,
    left_out: usize,
}

impl Ran {
    /// What is said below the part of its output that was shown.
    pub(crate) fn closing(&self) -> String {
        let rest = match self.left_out {
            0 => String::new(),
            lines => format!("… and {lines} more lines "),
        };
        format!("{rest}({:.1} s)", self.seconds)
    }
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

    /// What it makes: the words behind `-o`.
    pub(crate) fn outputs(&self) -> Vec<PathBuf> {
        let pairs = self.command.windows(2);
        pairs.filter(|pair| pair[0] == "-o").map(|pair| PathBuf::from(&pair[1])).collect()
    }

    fn inputs(&self) -> Vec<PathBuf> {
        let named = || {
            let outputs = self.outputs();
            // A tool and a verb name no files.
            let words = self.command.iter().skip(2).map(PathBuf::from);
            words.filter(|path| !outputs.contains(path)).collect()
        };
        let mut inputs: Vec<PathBuf> = self.reads.clone().unwrap_or_else(named);
        inputs.retain(|path| path.exists());
        inputs.dedup();
        inputs
    }

    /// The command as the parser understands it.
    pub(crate) fn parsed(&self) -> Result<crate::Args, clap::Error> {
        let words = std::iter::once("ontrail").chain(self.command.iter().map(String::as_str));
        crate::Args::try_parse_from(words)
    }

    /// Runs the command as if it had been typed, and shows at most so many lines of what it prints.
    pub(crate) fn run(&self, lines: usize, printer: &mut Printer) -> Result<Ran> {
        let args = self.parsed()?;
        // What is under way can be seen while it is.
        printer.flush()?;
        let started = Instant::now();
        let (status, left_out) = printer.excerpt(lines, |printer| {
            Provenance::as_if_given(&self.command, || crate::run(&args.tool, printer))
        });
        let status =
            status.with_context(|| format!("the stage `{}` failed", self.command_line()))?;
        Ok(Ran { status, seconds: started.elapsed().as_secs_f64(), left_out })
    }
}

/// Whether there is nothing at a path, or an empty folder.
pub(crate) fn is_free(path: &Path) -> bool {
    !path.exists() || std::fs::read_dir(path).is_ok_and(|mut files| files.next().is_none())
}

/// What is known of the stages that were done.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    format: Format,
    notes: BTreeMap<String, Note>,
}

/// What a stage was made from and what it made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    /// The version that did it; empty while it is under way.
    pub(crate) version: String,
    pub(crate) command: Vec<String>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) outputs: Vec<Input>,
}

fn read_all(paths: &[PathBuf]) -> Result<Vec<Input>> {
    let present = paths.iter().filter(|path| path.exists());
    present.map(|path| Ok(Input::read(path)?)).collect()
}

impl Note {
    /// Of what a stage would be done from now. It is taken before the stage is done: what changes meanwhile was not read.
    pub(crate) fn before(stage: &Stage) -> Result<Self> {
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: stage.command.clone(),
            inputs: read_all(&stage.inputs())?,
            outputs: Vec::new(),
        })
    }

    /// The note, with what came out.
    pub(crate) fn after(mut self, stage: &Stage) -> Result<Self> {
        self.outputs = read_all(&stage.outputs())?;
        Ok(self)
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
    /// Reads a ledger, which is empty if there is none. One that was edited could not be written again, so it is refused at once.
    pub(crate) fn open(path: &Path, format: Format) -> Result<Self> {
        let mut notes = BTreeMap::new();
        if path.exists() {
            let remedy = || format!("{}: remove it, and every stage is done anew", path.display());
            notes = read_json(path, &format).with_context(remedy)?.1;
            Output::json(path, &format).check([] as [&Path; 0]).with_context(remedy)?;
        }
        Ok(Self { path: path.to_owned(), format, notes })
    }

    pub(crate) fn note(&self, name: &str) -> Option<&Note> {
        self.notes.get(name)
    }

    /// Whether a stage has to be done. One that makes nothing always has.
    pub(crate) fn state(&self, stage: &Stage) -> Result<State> {
        let Some(note) = self.note(&stage.name).filter(|_| !stage.outputs().is_empty()) else {
            return Ok(State::Due("it has not been done yet".to_owned()));
        };
        let now = Note::before(stage)?.after(stage)?;
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
        let provenance = Provenance::of_this_process(self.format.rebuild);
        Ok(write_json(&self.path, &self.format, &provenance, &self.notes)?)
    }

    /// Notes that a stage is begun, so that what it leaves behind when it is broken off is known to be its own.
    pub(crate) fn begin(&mut self, stage: &Stage) -> Result<()> {
        let (command, version) = (stage.command.clone(), String::new());
        let note = Note { version, command, inputs: Vec::new(), outputs: Vec::new() };
        self.record(&stage.name, note)
    }

    /// Refuses a stage whose results are not as it left them: somebody has put work into them.
    pub(crate) fn check_untouched(&self, stage: &Stage) -> Result<()> {
        let Some(note) = self.note(&stage.name) else { return Ok(()) };
        for (path, noted) in stage.outputs().iter().zip(&note.outputs) {
            if path.exists() && Input::read(path)?.sha256 != noted.sha256 {
                bail!(
                    "{}: was changed since it was made; put it elsewhere, or take another folder",
                    path.display()
                );
            }
        }
        Ok(())
    }

    /// Removes what a stage made, if it is noted and untouched.
    pub(crate) fn remove(&mut self, stage: &Stage) -> Result<()> {
        self.check_untouched(stage)?;
        if self.notes.remove(&stage.name).is_none() {
            return Ok(());
        }
        for output in stage.outputs() {
            let sidecar = sidecar_path(&output);
            for path in [output, sidecar].iter().filter(|path| path.exists()) {
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
}
