//! Stages: commands that a user could type, run within this process, with a record of their inputs.
//!
//! The results of a command are the paths behind `-o`; its inputs are the other files that it
//! names. A [`Ledger`] keeps a note of every finished stage: the command, the version, and the
//! checksums of inputs and results. A stage is up to date as long as its note is true.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Parser;
use ontrail_artifact::{
    Format, Input, Output, Provenance, create_folder, read_json, sidecar_path, write_json,
};
use ontrail_cli::{ExitStatus, Printer, quoted};
use serde::{Deserialize, Serialize};

/// A command that a user could type.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// Name in the ledger.
    pub(crate) name: String,
    /// Heading for people.
    pub(crate) title: String,
    /// The arguments behind `ontrail`.
    pub(crate) command: Vec<String>,
    /// Files and folders that it reads; by default all that its arguments name.
    pub(crate) reads: Option<Vec<PathBuf>>,
}

/// The state of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing has changed, except that a person has edited these results.
    UpToDate { edited: Vec<PathBuf> },
    /// It has to run, for this reason.
    Due(String),
}

/// The result of running a stage.
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) seconds: f64,
    left_out: usize,
}

impl Ran {
    /// Returns the line below the shown part of the output.
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

    /// Returns the command as a user would type it.
    pub(crate) fn command_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        format!("ontrail {}", words.join(" "))
    }

    /// Returns the paths of its results: the arguments behind `-o`.
    pub(crate) fn outputs(&self) -> Vec<PathBuf> {
        let pairs = self.command.windows(2);
        pairs.filter(|pair| pair[0] == "-o").map(|pair| PathBuf::from(&pair[1])).collect()
    }

    fn inputs(&self) -> Vec<PathBuf> {
        let named = || {
            let outputs = self.outputs();
            // The first two words name the tool and the verb, not files.
            let words = self.command.iter().skip(2).map(PathBuf::from);
            words.filter(|path| !outputs.contains(path)).collect()
        };
        let mut inputs: Vec<PathBuf> = self.reads.clone().unwrap_or_else(named);
        inputs.retain(|path| path.exists());
        inputs.dedup();
        inputs
    }

    /// Parses the command.
    pub(crate) fn parsed(&self) -> Result<crate::Args, clap::Error> {
        let words = std::iter::once("ontrail").chain(self.command.iter().map(String::as_str));
        crate::Args::try_parse_from(words)
    }

    /// Runs the command as if it had been typed, and shows at most `lines` lines of its output.
    pub(crate) fn run(&self, lines: usize, printer: &mut Printer) -> Result<Ran> {
        let args = self.parsed()?;
        for output in self.outputs() {
            let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
            folder.map(create_folder).transpose().with_context(|| {
                format!("{}: cannot create the folder of this file", output.display())
            })?;
        }
        // The heading of the stage must be visible while it runs.
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

/// Returns true if a path does not exist or is an empty folder.
pub(crate) fn is_free(path: &Path) -> bool {
    !path.exists() || std::fs::read_dir(path).is_ok_and(|mut files| files.next().is_none())
}

/// The notes of finished stages.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    format: Format,
    notes: BTreeMap<String, Note>,
}

/// The inputs and results of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    /// Version that ran it; empty while it runs.
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
    /// Records the current inputs of a stage. Call it before the stage runs: an input that changes
    /// meanwhile must count as changed.
    pub(crate) fn before(stage: &Stage) -> Result<Self> {
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: stage.command.clone(),
            inputs: read_all(&stage.inputs())?,
            outputs: Vec::new(),
        })
    }

    /// Adds the results.
    pub(crate) fn after(mut self, stage: &Stage) -> Result<Self> {
        self.outputs = read_all(&stage.outputs())?;
        Ok(self)
    }

    /// Returns the reason why this note is out of date, if it is.
    pub(crate) fn outdated_by(&self, now: &Self) -> Option<String> {
        if self.version.is_empty() {
            return Some("it was interrupted".to_owned());
        }
        if self.version != now.version {
            return Some(format!("it was run by Ontrail {}", self.version));
        }
        if self.command != now.command {
            return Some(format!("its settings have changed{}", changed_words(self, now)));
        }
        let changed = now.inputs.iter().find(|input| !self.inputs.contains(input));
        let changed = changed.map(|input| format!("{} has changed", input.path));
        let gone = || {
            let is_gone = |input: &&Input| now.inputs.iter().all(|it| it.path != input.path);
            self.inputs.iter().find(is_gone).map(|input| format!("{} is missing", input.path))
        };
        changed.or_else(gone)
    }
}

/// Returns the arguments that are new in a command.
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
    /// Reads a ledger; without a file it is empty. Refuses an edited ledger at once, because it
    /// could not be written again later.
    pub(crate) fn open(path: &Path, format: Format) -> Result<Self> {
        let mut notes = BTreeMap::new();
        if path.exists() {
            let remedy =
                || format!("{}: remove this file to run every stage again", path.display());
            notes = read_json(path, &format).with_context(remedy)?.1;
            Output::json(path, &format).check([] as [&Path; 0]).with_context(remedy)?;
        }
        Ok(Self { path: path.to_owned(), format, notes })
    }

    pub(crate) fn note(&self, name: &str) -> Option<&Note> {
        self.notes.get(name)
    }

    /// Returns the state of a stage. A stage without results is always due.
    pub(crate) fn state(&self, stage: &Stage) -> Result<State> {
        let Some(note) = self.note(&stage.name).filter(|_| !stage.outputs().is_empty()) else {
            return Ok(State::Due("it has not run yet".to_owned()));
        };
        let now = Note::before(stage)?.after(stage)?;
        if let Some(reason) = note.outdated_by(&now) {
            return Ok(State::Due(reason));
        }
        if let Some(gone) = stage.outputs().iter().find(|path| !path.exists()) {
            return Ok(State::Due(format!("{} is missing", gone.display())));
        }
        let edited = now.outputs.iter().filter(|output| !note.outputs.contains(output));
        let edited = edited.map(|output| PathBuf::from(&output.path)).collect();
        Ok(State::UpToDate { edited })
    }

    /// Writes the note of a stage.
    pub(crate) fn record(&mut self, name: &str, note: Note) -> Result<()> {
        self.notes.insert(name.to_owned(), note);
        let provenance = Provenance::of_this_process(self.format.rebuild);
        Ok(write_json(&self.path, &self.format, &provenance, &self.notes)?)
    }

    /// Records that a stage has started, so that results of an interrupted run are known to be
    /// its own.
    pub(crate) fn begin(&mut self, stage: &Stage) -> Result<()> {
        let (command, version) = (stage.command.clone(), String::new());
        let note = Note { version, command, inputs: Vec::new(), outputs: Vec::new() };
        self.record(&stage.name, note)
    }

    /// Refuses a stage whose results were changed since: somebody has put work into them.
    pub(crate) fn check_untouched(&self, stage: &Stage) -> Result<()> {
        let Some(note) = self.note(&stage.name) else { return Ok(()) };
        for (path, noted) in stage.outputs().iter().zip(&note.outputs) {
            if path.exists() && Input::read(path)?.sha256 != noted.sha256 {
                bail!(
                    "{}: it was changed since it was made; move it, or choose another folder",
                    path.display()
                );
            }
        }
        Ok(())
    }

    /// Removes the results of a stage, if they are recorded and unchanged.
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
                .with_context(|| format!("{}: cannot remove it", path.display()))?;
            }
        }
        Ok(())
    }
}
