//! `ontrail run`: brings a project up to date, up to the crawl.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Provenance, write_with_sidecar};
use ontrail_cli::{ExitStatus, Printer, use_threads};
use ontrail_crawl::{End, progress_of};
use serde::Serialize;

use super::config::{Asked, Config};
use super::crawl::{Continuation, command_with, continuation, folder_of, next_folder};
use super::kind::KINDS;
use super::{CONFIG, LEDGER, plan};
use crate::stage::{Ledger, Note, Ran, Stage, State};

/// How many lines of what a stage prints are shown.
const LINES_SHOWN: usize = 20;
const STAGES: Format = Format { kind: "stages", version: 1, oldest: 1, rebuild: "ontrail run" };
const SETTINGS: Format =
    Format { kind: "crawl settings", version: 1, oldest: 1, rebuild: "ontrail run" };

/// Bring a project up to date: do every stage that is not, up to the crawl and its report
///
/// The stages are context, ontology, topic, classifier, evaluation, sdg, crawl and report. One is done again if a file that it
/// reads, its settings or the version of Ontrail have changed. What a person edited is kept. A crawl that was broken off goes
/// on, and so does one whose budget has changed; one whose models, seeds or other settings have changed begins anew in a
/// folder of its own, and no crawl is ever removed.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail run                      in the folder of a project, or below it
  ontrail run rain --dry-run       what would be done, and why
  ontrail run --until topic
  ontrail run --again classifier --open")]
pub(crate) struct Run {
    /// The folder of the project [default: the nearest above that has an ontrail.toml]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Stop after this stage
    #[arg(long, value_name = "STAGE", value_parser = stage_name)]
    until: Option<String>,
    /// Do this stage although it is up to date; may be repeated
    #[arg(long, value_name = "STAGE", value_parser = stage_name)]
    again: Vec<String>,
    /// Say what would be done, and do nothing
    #[arg(long = "dry-run")]
    only_say: bool,
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

/// What became of a stage.
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
    /// What it makes.
    #[serde(skip)]
    outputs: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    UpToDate,
    /// It would have to be done.
    Due,
    Done,
    /// It came to a well-formed "no".
    Failed,
    /// Someone asked it to stop.
    Stopped,
}

pub(crate) fn run(args: &Run, printer: &mut Printer) -> Result<ExitStatus> {
    let folder = folder(args.folder.as_deref())?;
    let config = Config::read(&folder.join(CONFIG))?;
    // Paths in the file are relative to it, and so are those in the commands that are shown.
    std::env::set_current_dir(&folder)
        .with_context(|| format!("{}: cannot be entered", folder.display()))?;
    if let Some(threads) = config.project.threads {
        use_threads(threads);
    }
    let stages = wanted(args, plan::wired(&config))?;
    let problems = plan::problems(&stages, &config.project);
    if !problems.is_empty() {
        bail!("the project is not ready:\n  {}", problems.join("\n  "));
    }
    let _lock = if args.only_say { None } else { Some(lock()?) };
    let ledger = Ledger::open(Path::new(LEDGER), STAGES)?;
    let mut work = Work { args, ledger, crawl: None, done: Vec::new() };
    let total = stages.len();
    for (number, asked) in (1..).zip(stages) {
        let place = format!("[{number}/{total}]");
        let outcome = work.step(asked, &place, printer)?;
        if matches!(outcome, Outcome::Failed | Outcome::Stopped) {
            break;
        }
    }
    work.end(&folder, printer)
}

/// Holds the project, so that two do not work on it at once.
fn lock() -> Result<File> {
    let path = Path::new(LEDGER).with_file_name("lock");
    let cannot = || format!("{}: cannot be written", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).with_context(cannot)?;
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("another `ontrail run` is at work on this project"),
        Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
    }
}

/// The folder of the project.
fn folder(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = given {
        if !folder.join(CONFIG).is_file() {
            bail!(
                "{}: is no project (no {CONFIG} in it); make one with `ontrail new`",
                folder.display()
            );
        }
        return Ok(folder.to_owned());
    }
    let here = std::env::current_dir().context("the current folder cannot be read")?;
    let found = here.ancestors().find(|folder| folder.join(CONFIG).is_file());
    found.map(Path::to_owned).with_context(|| {
        format!("no {CONFIG} here or above; make a project with `ontrail new DIR --topic NAME`")
    })
}

/// The stages that were asked for.
fn wanted(args: &Run, mut stages: Vec<Asked>) -> Result<Vec<Asked>> {
    let has = |name: &String| stages.iter().any(|it| it.kind.table == *name);
    if let Some(name) = args.until.iter().chain(&args.again).find(|name| !has(name)) {
        bail!("{CONFIG} has no [{name}]");
    }
    if let Some(last) = &args.until {
        let at = stages.iter().position(|it| it.kind.table == *last);
        stages.truncate(at.map_or(stages.len(), |at| at + 1));
    }
    if stages.is_empty() {
        bail!("{CONFIG}: there is no stage in it; `ontrail new` writes one with all of them");
    }
    Ok(stages)
}

/// The stages, while they are done.
struct Work<'a> {
    args: &'a Run,
    ledger: Ledger,
    /// The folder of the crawl that the report is of.
    crawl: Option<PathBuf>,
    done: Vec<Done>,
}

/// What has to be done for a stage.
struct Due {
    stage: Stage,
    because: String,
    /// What the ledger will say of a crawl, and whether it goes on.
    crawl: Option<(Note, bool)>,
}

impl Work<'_> {
    fn step(&mut self, asked: Asked, place: &str, printer: &mut Printer) -> Result<Outcome> {
        let kind = asked.kind;
        let (stage, due) = match kind.table {
            "crawl" => self.crawl(&asked)?,
            "report" => self.plain(self.report(asked), printer)?,
            _ => self.plain(plan::stage(&asked, &asked.output), printer)?,
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
            (done.outcome, done.seconds) = self.carry_out(due, printer)?;
            if shows {
                printer.line("")?;
            }
        }
        let outcome = done.outcome;
        self.done.push(done);
        Ok(outcome)
    }

    /// The stage that has to be done before what this one reads is known; only when nothing is done, so that it is still due.
    fn waits_for(&self, stage: &Stage) -> Option<String> {
        let reads = stage.reads.iter().flatten();
        let is_read = |done: &&Done| {
            let mut reads = reads.clone();
            reads.any(|path| done.outputs.iter().any(|made| path.starts_with(made)))
        };
        let mut due = self.done.iter().filter(|it| it.outcome == Outcome::Due);
        due.find(is_read).map(|it| format!("it comes after {}, which is due", it.stage))
    }

    /// A stage that is no more than a command: what has to be done for it, if anything.
    fn plain(&self, stage: Stage, printer: &mut Printer) -> Result<(Stage, Option<Due>)> {
        let because = match (self.waits_for(&stage), self.ledger.state(&stage)?) {
            (Some(waits), _) => waits,
            (None, State::Due(because)) => because,
            (None, State::UpToDate { .. }) if self.args.again.contains(&stage.name) => {
                "it was asked for again".to_owned()
            }
            (None, State::UpToDate { edited }) => {
                for path in edited {
                    let path = path.display();
                    printer.note(format_args!("{path}: was edited since it was made, and is kept"));
                }
                return Ok((stage, None));
            }
        };
        if !self.args.only_say {
            self.ledger.check_untouched(&stage).with_context(|| {
                format!(
                    "{} has to be done again: {because}. To have its result made anew, remove it; to keep it as it is, take \
                     [{}] out of {CONFIG} and name the file where it is used",
                    stage.name, stage.name
                )
            })?;
        }
        Ok((stage.clone(), Some(Due { stage, because, crawl: None })))
    }

    /// The report of the newest crawl.
    fn report(&self, mut asked: Asked) -> Stage {
        let crawl = self.crawl.as_ref().filter(|_| !asked.has("crawl")).cloned();
        if let Some(folder) = &crawl {
            asked.default_to("crawl", &folder.to_string_lossy());
        }
        let mut stage = plan::stage(&asked, &asked.output);
        // Of folders, what says how they were made and what came.
        let reads = stage.reads.take().unwrap_or_default();
        stage.reads = Some(reads.into_iter().flat_map(crate::report::telling).collect());
        stage
    }

    /// The crawl: a new one, or one that goes on.
    fn crawl(&mut self, asked: &Asked) -> Result<(Stage, Option<Due>)> {
        let settings = asked.settings.as_ref().map(toml::to_string).transpose()?;
        let next = next_folder(&asked.output)?;
        let mut stage = plan::stage(asked, &next);
        let mut note = Note::before(&stage)?;
        // What the file of settings will hold: it is written when the crawl begins.
        note.command.extend(settings.clone());
        let known = self.ledger.note("crawl");
        let before = known.and_then(folder_of);
        let going = match known {
            _ if self.args.again.contains(&stage.name) => {
                Continuation::Anew("it was asked for again".to_owned())
            }
            None => Continuation::Anew("it has not been done yet".to_owned()),
            Some(known) => continuation(known, &note, asked)?,
        };
        let waits = self.waits_for(&stage);
        let (folder, because, goes_on) = match (going, waits) {
            (Continuation::None(folder), None) => {
                stage.command = command_with(&stage.command, &folder);
                self.crawl = Some(folder);
                return Ok((stage, None));
            }
            (Continuation::GoOn { folder, because, words }, None) => {
                let shown = folder.to_string_lossy().into_owned();
                let resume = ["crawl".to_owned(), "resume".to_owned(), shown];
                stage.command = resume.into_iter().chain(words).collect();
                (folder, because, true)
            }
            (Continuation::Anew(because), None) => {
                let stays = before.filter(|it| it.exists());
                let stays = stays.map(|it| format!("; {} stays as it is", it.display()));
                (next, because + &stays.unwrap_or_default(), false)
            }
            (_, Some(waits)) => (next, waits, false),
        };
        note.command = command_with(&note.command, &folder);
        self.crawl = Some(folder);
        if let Some(settings) = settings.filter(|_| !self.args.only_say && !goes_on) {
            let provenance = Provenance::of_this_process("ontrail run");
            let path = Path::new(plan::CRAWL_SETTINGS);
            write_with_sidecar(path, &SETTINGS, &provenance, |out| {
                out.write_all(settings.as_bytes())
            })?;
        }
        Ok((stage.clone(), Some(Due { stage, because, crawl: Some((note, goes_on)) })))
    }

    fn carry_out(&mut self, due: Due, printer: &mut Printer) -> Result<(Outcome, Option<f64>)> {
        if self.args.only_say {
            return Ok((Outcome::Due, None));
        }
        let Due { stage, crawl, .. } = due;
        let lines = if printer.is_json() { 0 } else { LINES_SHOWN };
        let (ran, is_stopped) = match crawl {
            Some((note, goes_on)) => {
                let ran = self.run_crawl(&stage, &note, goes_on, lines, printer)?;
                let stands = folder_of(&note).map(|folder| progress_of(&folder)).transpose()?;
                (ran, stands.flatten().is_some_and(|it| it.end == Some(End::Stopped)))
            }
            None => (self.run_plain(&stage, lines, printer)?, false),
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

    /// Runs a stage that is no more than a command, and notes it if it was done.
    fn run_plain(&mut self, stage: &Stage, lines: usize, printer: &mut Printer) -> Result<Ran> {
        let note = Note::before(stage)?;
        let ran = stage.run(lines, printer)?;
        if ran.status == ExitStatus::Done {
            self.ledger.record(&stage.name, note.after(stage)?)?;
        }
        Ok(ran)
    }

    /// Crawls. A crawl that begins is noted before, so that it is found again when it is broken off; if it does not even begin,
    /// what was known before still holds. One that goes on is noted when it has.
    fn run_crawl(
        &mut self,
        stage: &Stage,
        note: &Note,
        goes_on: bool,
        lines: usize,
        printer: &mut Printer,
    ) -> Result<Ran> {
        let known = self.ledger.note("crawl").cloned();
        if !goes_on {
            self.ledger.record("crawl", note.clone())?;
        }
        let ran = stage.run(lines, printer);
        let has_begun = folder_of(note).is_some_and(|folder| folder.join("run.json").is_file());
        match (&ran, known) {
            (Ok(_), _) if goes_on => self.ledger.record("crawl", note.clone())?,
            (Err(_), Some(known)) if !goes_on && !has_begun => {
                self.ledger.record("crawl", known)?;
            }
            _ => {}
        }
        ran
    }

    /// Says how it ended.
    fn end(self, folder: &Path, printer: &mut Printer) -> Result<ExitStatus> {
        let report = self
            .done
            .last()
            .filter(|it| it.stage == "report" && !self.args.only_say)
            .and_then(|_| self.ledger.note("report"))
            .and_then(folder_of);
        // As it is called where the user stands.
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
            printer.note("stopped; `ontrail run` goes on");
        }
        let is_fine = !matches!(last, Some(Outcome::Stopped | Outcome::Failed));
        Ok(if is_fine { ExitStatus::Done } else { ExitStatus::No })
    }
}
