//! `ontrail run`: runs the stages of a project that are not up to date.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Provenance, write_with_sidecar};
use ontrail_cli::{ExitStatus, Printer, use_threads};
use ontrail_crawl::{End, progress_of};
use serde::Serialize;

use super::config::{Config, Section};
use super::crawl::{NextCrawl, command_with, folder_of, next_crawl, next_folder};
use super::kind::KINDS;
use super::{CONFIG, LEDGER, plan};
use crate::stage::{Ledger, Note, Ran, Stage, State};

/// Number of lines that are shown of a stage's output.
const LINES_SHOWN: usize = 20;
const STAGES: Format = Format { kind: "stages", version: 1, oldest: 1, rebuild: "ontrail run" };
const SETTINGS: Format =
    Format { kind: "crawl settings", version: 1, oldest: 1, rebuild: "ontrail run" };

/// Bring a project up to date: run its stages, up to the crawl and the report
///
/// The stages are context, ontology, topic, classifier, evaluation, sdg, judge, crawl and report;
/// those with a table in ontrail.toml run. A stage runs again if a file that it reads, its settings
/// or the version of Ontrail have changed. Results that you have edited are kept.
///
/// An interrupted crawl is resumed, and so is a crawl whose budget has changed. If its models,
/// seeds or other settings have changed, a new crawl starts in a new folder. Crawls are never
/// removed.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail run                      in the folder of a project, or below it
  ontrail run rain --dry-run       shows what would run, and why
  ontrail run --until topic
  ontrail run --again classifier --open")]
pub(crate) struct Run {
    /// Folder of the project [default: the nearest folder, here or above, with an ontrail.toml]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Stop after this stage
    #[arg(long, value_name = "STAGE", value_parser = stage_name)]
    until: Option<String>,
    /// Run this stage even if it is up to date; may be repeated
    #[arg(long, value_name = "STAGE", value_parser = stage_name)]
    again: Vec<String>,
    /// Show what would run, and why, without running anything
    #[arg(long = "dry-run")]
    is_dry: bool,
    /// Show the whole output of each stage, instead of its first lines
    #[arg(short, long)]
    verbose: bool,
    /// Open the report in the browser
    #[arg(long)]
    open: bool,
}

fn stage_name(text: &str) -> Result<String, String> {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.table).collect();
    if names.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("the stages are {}", names.join(", ")))
}

/// The outcome of a stage, for JSON.
#[derive(Debug, Serialize)]
struct Done {
    stage: &'static str,
    #[serde(rename = "state")]
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    /// Paths of its results.
    #[serde(skip)]
    outputs: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    UpToDate,
    /// It has to run, but this is a dry run.
    Due,
    Done,
    /// It ran to its end, and the answer is "no".
    Failed,
    /// The user stopped it.
    Stopped,
}

pub(crate) fn run(args: &Run, printer: &mut Printer) -> Result<ExitStatus> {
    let folder = folder(args.folder.as_deref())?;
    let config = Config::read(&folder.join(CONFIG))?;
    // Paths in the file, and in the commands that are shown, are relative to the project.
    std::env::set_current_dir(&folder)
        .with_context(|| format!("{}: cannot enter the folder", folder.display()))?;
    if let Some(threads) = config.project.threads {
        use_threads(threads);
    }
    let stages = wanted(args, plan::wired(&config))?;
    let problems = plan::problems(&stages, &config.project);
    if !problems.is_empty() {
        bail!("the project is not ready:\n  {}", problems.join("\n  "));
    }
    let _lock = if args.is_dry { None } else { Some(lock()?) };
    let ledger = Ledger::open(Path::new(LEDGER), STAGES)?;
    let mut runner = Runner { args, ledger, crawl: None, done: Vec::new() };
    let total = stages.len();
    for (number, section) in (1..).zip(stages) {
        let place = format!("[{number}/{total}]");
        let outcome = runner.step(section, &place, printer)?;
        if matches!(outcome, Outcome::Failed | Outcome::Stopped) {
            break;
        }
    }
    runner.end(&folder, printer)
}

/// Locks the project, so that two processes cannot work on it at once.
fn lock() -> Result<File> {
    let path = Path::new(LEDGER).with_file_name("lock");
    let cannot = || format!("{}: cannot write the lock file", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).with_context(cannot)?;
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("another `ontrail run` is working on this project"),
        Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
    }
}

/// Finds the folder of the project.
fn folder(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = given {
        if !folder.join(CONFIG).is_file() {
            bail!(
                "{}: not a project, because it has no {CONFIG}; create one with `ontrail new`",
                folder.display()
            );
        }
        return Ok(folder.to_owned());
    }
    let here = std::env::current_dir().context("cannot read the current folder")?;
    let found = here.ancestors().find(|folder| folder.join(CONFIG).is_file());
    found.map(Path::to_owned).with_context(|| {
        format!(
            "found no {CONFIG} here or above; create a project with `ontrail new DIR --topic NAME`"
        )
    })
}

/// Returns the stages that the arguments select.
fn wanted(args: &Run, mut stages: Vec<Section>) -> Result<Vec<Section>> {
    let has = |name: &String| stages.iter().any(|it| it.kind.table == *name);
    if let Some(name) = args.until.iter().chain(&args.again).find(|name| !has(name)) {
        bail!("{CONFIG} has no [{name}] table");
    }
    if let Some(last) = &args.until {
        let at = stages.iter().position(|it| it.kind.table == *last);
        stages.truncate(at.map_or(stages.len(), |at| at + 1));
    }
    if stages.is_empty() {
        bail!("{CONFIG} has no stages; add the table of one, such as [context]");
    }
    Ok(stages)
}

/// Runs the stages one after the other.
struct Runner<'a> {
    args: &'a Run,
    ledger: Ledger,
    /// Folder of the crawl that the report shows.
    crawl: Option<PathBuf>,
    done: Vec<Done>,
}

/// A stage that has to run.
struct Due {
    stage: Stage,
    because: String,
    /// For a crawl: its note for the ledger, and true if it is resumed.
    crawl: Option<(Note, bool)>,
}

impl Runner<'_> {
    fn step(&mut self, section: Section, place: &str, printer: &mut Printer) -> Result<Outcome> {
        let kind = section.kind;
        let (stage, due) = match kind.table {
            "crawl" => self.crawl(&section)?,
            "report" => self.check(self.report(section), printer)?,
            _ => self.check(plan::stage(&section, &section.output), printer)?,
        };
        let shows = !printer.is_json();
        if shows {
            let how = due.as_ref().map_or("up to date", |due| due.because.as_str());
            printer.heading(format_args!("{place} {}: {} ({how})", kind.table, kind.title))?;
        }
        let mut done = Done {
            stage: kind.table,
            outcome: Outcome::UpToDate,
            because: None,
            command: stage.command_line(),
            seconds: None,
            outputs: stage.outputs(),
        };
        if let Some(due) = due {
            done.because = Some(due.because.clone());
            if shows {
                printer.command(due.stage.command_line())?;
            }
            (done.outcome, done.seconds) = self.execute(due, printer)?;
            if shows {
                printer.line("")?;
            }
        }
        let outcome = done.outcome;
        self.done.push(done);
        Ok(outcome)
    }

    /// Returns a message if a stage that this one depends on is still due. That is only so in a dry
    /// run.
    fn waits_for(&self, stage: &Stage) -> Option<String> {
        let reads = stage.reads.iter().flatten();
        let is_read = |done: &&Done| {
            let mut reads = reads.clone();
            reads.any(|path| done.outputs.iter().any(|made| path.starts_with(made)))
        };
        let mut due = self.done.iter().filter(|it| it.outcome == Outcome::Due);
        due.find(is_read).map(|it| format!("it depends on {}, which is due", it.stage))
    }

    /// Returns a stage, and what has to run for it, if anything. Not for crawls, which may also be
    /// resumed.
    fn check(&self, stage: Stage, printer: &mut Printer) -> Result<(Stage, Option<Due>)> {
        let because = match (self.waits_for(&stage), self.ledger.state(&stage)?) {
            (Some(waits), _) => waits,
            (None, State::Due(because)) => because,
            (None, State::UpToDate { .. }) if self.args.again.contains(&stage.name) => {
                "--again was given".to_owned()
            }
            (None, State::UpToDate { edited }) => {
                for path in edited {
                    let path = path.display();
                    printer.note(format_args!(
                        "{path}: this file was edited since it was made, so it is kept"
                    ));
                }
                return Ok((stage, None));
            }
        };
        if !self.args.is_dry {
            self.ledger.check_untouched(&stage).with_context(|| {
                format!(
                    "stage {} has to run again ({because}), but its result was edited. Remove the result \
                     to have it made again; to keep it, remove [{}] from {CONFIG} and name the file in \
                     the stages that use it",
                    stage.name, stage.name
                )
            })?;
        }
        Ok((stage.clone(), Some(Due { stage, because, crawl: None })))
    }

    /// Returns the stage that reports the newest crawl.
    fn report(&self, mut section: Section) -> Stage {
        let crawl = self.crawl.as_ref().filter(|_| !section.has("crawl")).cloned();
        if let Some(folder) = &crawl {
            section.default_to("crawl", &folder.to_string_lossy());
        }
        let mut stage = plan::stage(&section, &section.output);
        // Of the folders of crawls and comparisons, only the files that describe them are inputs.
        let reads = stage.reads.take().unwrap_or_default();
        stage.reads = Some(reads.into_iter().flat_map(crate::report::key_files).collect());
        stage
    }

    /// Returns the stage that starts or resumes the crawl, and what has to run for it, if anything.
    fn crawl(&mut self, section: &Section) -> Result<(Stage, Option<Due>)> {
        let settings = section.settings.as_ref().map(toml::to_string).transpose()?;
        let new_folder = next_folder(&section.output)?;
        let mut stage = plan::stage(section, &new_folder);
        let mut note = Note::before(&stage)?;
        // The file of settings is written when the crawl starts, so the note holds its text.
        note.command.extend(settings.clone());
        let known = self.ledger.note("crawl");
        let before = known.and_then(folder_of);
        let next = match known {
            _ if self.args.again.contains(&stage.name) => {
                NextCrawl::New("--again was given".to_owned())
            }
            None => NextCrawl::New("it has not run yet".to_owned()),
            Some(known) => next_crawl(known, &note, section)?,
        };
        let waits = self.waits_for(&stage);
        let (folder, because, is_resumed) = match (next, waits) {
            (NextCrawl::UpToDate(folder), None) => {
                stage.command = command_with(&stage.command, &folder);
                self.crawl = Some(folder);
                return Ok((stage, None));
            }
            (NextCrawl::Resume { folder, because, args }, None) => {
                let shown = folder.to_string_lossy().into_owned();
                let resume = ["crawl".to_owned(), "resume".to_owned(), shown];
                stage.command = resume.into_iter().chain(args).collect();
                (folder, because, true)
            }
            (NextCrawl::New(because), None) => {
                let kept = before.filter(|it| it.exists());
                let kept = kept.map(|it| format!("; {} is kept", it.display()));
                (new_folder, because + &kept.unwrap_or_default(), false)
            }
            (_, Some(waits)) => (new_folder, waits, false),
        };
        note.command = command_with(&note.command, &folder);
        self.crawl = Some(folder);
        if let Some(settings) = settings.filter(|_| !self.args.is_dry && !is_resumed) {
            let provenance = Provenance::of_this_process("ontrail run");
            let path = Path::new(plan::CRAWL_SETTINGS);
            write_with_sidecar(path, &SETTINGS, &provenance, |out| {
                out.write_all(settings.as_bytes())
            })?;
        }
        Ok((stage.clone(), Some(Due { stage, because, crawl: Some((note, is_resumed)) })))
    }

    fn execute(&mut self, due: Due, printer: &mut Printer) -> Result<(Outcome, Option<f64>)> {
        if self.args.is_dry {
            return Ok((Outcome::Due, None));
        }
        let Due { stage, crawl, .. } = due;
        let lines = match (printer.is_json(), self.args.verbose) {
            (true, _) => 0,
            (false, true) => usize::MAX,
            (false, false) => LINES_SHOWN,
        };
        let (ran, is_stopped) = match crawl {
            Some((note, is_resumed)) => {
                let ran = self.run_crawl(&stage, &note, is_resumed, lines, printer)?;
                let progress = folder_of(&note).map(|folder| progress_of(&folder)).transpose()?;
                (ran, progress.flatten().is_some_and(|it| it.end == Some(End::Stopped)))
            }
            None => (self.run_stage(&stage, lines, printer)?, false),
        };
        if !printer.is_json() {
            printer.line(ran.closing())?;
        }
        let outcome = match ran.status {
            _ if is_stopped => Outcome::Stopped,
            ExitStatus::Done => Outcome::Done,
            ExitStatus::No => Outcome::Failed,
        };
        Ok((outcome, Some(ran.seconds)))
    }

    /// Runs a stage other than a crawl, and records it if it succeeds.
    fn run_stage(&mut self, stage: &Stage, lines: usize, printer: &mut Printer) -> Result<Ran> {
        let note = Note::before(stage)?;
        let ran = stage.run(lines, printer)?;
        if ran.status == ExitStatus::Done {
            self.ledger.record(&stage.name, note.after(stage)?)?;
        }
        Ok(ran)
    }

    /// Runs a crawl. A new crawl is recorded before it starts, so that it can be resumed after an
    /// interruption; if it fails to start, the note of the last crawl is restored. A resumed
    /// crawl is recorded afterwards.
    fn run_crawl(
        &mut self,
        stage: &Stage,
        note: &Note,
        is_resumed: bool,
        lines: usize,
        printer: &mut Printer,
    ) -> Result<Ran> {
        let known = self.ledger.note("crawl").cloned();
        if !is_resumed {
            self.ledger.record("crawl", note.clone())?;
        }
        let ran = stage.run(lines, printer);
        let has_started = folder_of(note).is_some_and(|folder| folder.join("run.json").is_file());
        match (&ran, known) {
            (Ok(_), _) if is_resumed => self.ledger.record("crawl", note.clone())?,
            (Err(_), Some(known)) if !is_resumed && !has_started => {
                self.ledger.record("crawl", known)?;
            }
            _ => {}
        }
        ran
    }

    /// Prints the path of the report and returns the exit status.
    fn end(self, folder: &Path, printer: &mut Printer) -> Result<ExitStatus> {
        let report = self
            .done
            .last()
            .filter(|it| it.stage == "report" && !self.args.is_dry)
            .and_then(|_| self.ledger.note("report"))
            .and_then(folder_of);
        // Relative to the folder in which the user called the command.
        let named = report.as_ref().map(|report| folder.join(report).display().to_string());
        if printer.is_json() {
            printer.json(&serde_json::json!({ "stages": self.done, "report": named }))?;
        } else if let Some(named) = named {
            printer.line(named)?;
        }
        if self.args.open
            && let Some(report) = &report
        {
            crate::report::open(report, printer);
        }
        let last = self.done.last().map(|it| it.outcome);
        if last == Some(Outcome::Stopped) {
            printer.note("stopped; `ontrail run` resumes the crawl");
        }
        let is_fine = !matches!(last, Some(Outcome::Stopped | Outcome::Failed));
        Ok(if is_fine { ExitStatus::Done } else { ExitStatus::No })
    }
}
