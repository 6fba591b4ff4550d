//! `ontrail run`: brings a project up to date, up to the crawl.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::write_atomically;
use ontrail_cli::{ExitStatus, Printer, use_threads};
use ontrail_crawl::End;
use ontrail_tool_crawl::end_of;
use serde::Serialize;

use super::config::{Asked, Config};
use super::kind::KINDS;
use super::{CONFIG, plan};
use crate::stage::{Ledger, Note, Stage, State};

/// How many lines of what a stage prints are shown.
const LINES_SHOWN: usize = 12;
const LEDGER: &str = "models/stages.json";

/// Bring a project up to date: do every stage that is not, up to the crawl and its report
///
/// A stage is done again if a file that it reads, its settings or the version of Ontrail have changed. What a person edited is
/// kept. A crawl that was broken off goes on; one whose models, seeds or settings have changed begins anew in a folder of its
/// own, and no crawl is ever removed.
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
    let missing = plan::missing(&stages, &config.project)?;
    if !missing.is_empty() {
        bail!("the project is not ready:\n  {}", missing.join("\n  "));
    }
    let mut work =
        Work { args, ledger: Ledger::open(Path::new(LEDGER))?, crawl: None, done: Vec::new() };
    let total = stages.len();
    for (number, asked) in (1..).zip(stages) {
        let place = format!("[{number}/{total}]");
        let outcome = work.step(asked, &place, printer)?;
        if matches!(outcome, Outcome::Failed | Outcome::Stopped) {
            break;
        }
    }
    work.end(printer)
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
    /// What the ledger will say, if that is known before.
    note: Option<Note>,
}

impl Work<'_> {
    fn step(&mut self, asked: Asked, place: &str, printer: &mut Printer) -> Result<Outcome> {
        let kind = asked.kind;
        let (command, due) = match kind.table {
            "crawl" => self.crawl(&asked)?,
            "report" => self.plain(self.report(asked), printer)?,
            _ => self.plain(plan::stage(&asked, &asked.output), printer)?,
        };
        let shows = !printer.is_json();
        if shows {
            let state = due.as_ref().map_or("up to date", |due| due.because.as_str());
            printer.heading(format_args!("{place} {}: {} ({state})", kind.table, kind.title))?;
        }
        let outcome = Outcome::UpToDate;
        let mut done = Done { stage: kind.table, outcome, because: None, command, seconds: None };
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

    /// A stage that is no more than a command: what has to be done for it, if anything.
    fn plain(&self, stage: Stage, printer: &mut Printer) -> Result<(String, Option<Due>)> {
        let command = stage.command_line();
        // What earlier stages would make is not there yet when nothing is done.
        let waits = self.done.iter().find(|it| it.outcome == Outcome::Due);
        let because = match (waits, self.ledger.state(&stage)?) {
            (Some(waits), _) => format!("it comes after {}, which is due", waits.stage),
            (None, State::Due(because)) => because,
            (None, State::UpToDate { .. }) if self.args.again.contains(&stage.name) => {
                "it was asked for again".to_owned()
            }
            (None, State::UpToDate { edited }) => {
                for path in edited {
                    let path = path.display();
                    printer.note(format_args!("{path}: was edited since it was made, and is kept"));
                }
                return Ok((command, None));
            }
        };
        Ok((command, Some(Due { stage, because, note: None })))
    }

    /// The report of the newest crawl.
    fn report(&self, mut asked: Asked) -> Stage {
        let crawl = self.crawl.as_ref().filter(|_| !asked.has("crawl")).cloned();
        if let Some(folder) = &crawl {
            asked.default_to("crawl", &folder.to_string_lossy());
        }
        let mut stage = plan::stage(&asked, &asked.output);
        let names = ["ontology", "context", "topic", "evaluation", "sdg"];
        let files = names.iter().flat_map(|name| asked.values(name)).map(PathBuf::from);
        let crawls = asked.values("crawl").into_iter().map(PathBuf::from);
        let crawls = crawls.flat_map(|it| ["run.json", "progress.json"].map(|name| it.join(name)));
        let compared = asked.values("comparison").into_iter();
        let compared = compared.map(|it| Path::new(it).join("comparison.json"));
        stage.reads = Some(files.chain(crawls).chain(compared).collect());
        stage
    }

    /// The crawl: a new one, or one that goes on.
    fn crawl(&mut self, asked: &Asked) -> Result<(String, Option<Due>)> {
        let settings = asked.settings.as_ref().map(toml::to_string).transpose()?;
        let mut stage = plan::stage(asked, &asked.output);
        stage.command.truncate(stage.command.len() - 2);
        let mut note = Note::of(&stage)?;
        // What the file of settings will hold is known by its text: it is written when the crawl begins.
        note.inputs.retain(|input| input.path != plan::CRAWL_SETTINGS);
        note.command.extend(settings.clone());
        let known = self.ledger.note("crawl").cloned();
        let next = next_folder(&asked.output);
        let (folder, because, resumed) = match known {
            _ if self.args.again.contains(&stage.name) => {
                (next, "it was asked for again".to_owned(), None)
            }
            None => (next, "it has not been done yet".to_owned(), None),
            Some(known) => match continuation(&known, &note, asked)? {
                Continuation::None => {
                    let folder = folder_of(&known);
                    self.crawl = folder;
                    return Ok((stage.command_line(), None));
                }
                Continuation::GoOn { folder, because, words } => (folder, because, Some(words)),
                Continuation::Anew(because) => (next, because, None),
            },
        };
        let shown = folder.to_string_lossy().into_owned();
        stage.command = match resumed {
            Some(words) => ["crawl".to_owned(), "resume".to_owned(), shown.clone()]
                .into_iter()
                .chain(words)
                .collect(),
            None => [stage.command, vec!["-o".to_owned(), shown.clone()]].concat(),
        };
        note.command.extend(["-o".to_owned(), shown]);
        self.crawl = Some(folder);
        if let Some(settings) = settings.filter(|_| !self.args.only_say) {
            write_atomically(Path::new(plan::CRAWL_SETTINGS), |out| {
                out.write_all(settings.as_bytes())
            })?;
        }
        let waits = self.done.iter().find(|it| it.outcome == Outcome::Due);
        let because =
            waits.map_or(because, |it| format!("it comes after {}, which is due", it.stage));
        Ok((stage.command_line(), Some(Due { stage, because, note: Some(note) })))
    }

    fn carry_out(&mut self, due: Due, printer: &mut Printer) -> Result<(Outcome, Option<f64>)> {
        if self.args.only_say {
            return Ok((Outcome::Due, None));
        }
        let Due { stage, note, .. } = due;
        let is_crawl = note.is_some();
        if let Some(note) = note {
            // A crawl that is broken off must be found again.
            self.ledger.record(&stage.name, note)?;
        }
        let lines = if printer.is_json() { 0 } else { LINES_SHOWN };
        let (status, left_out, seconds) = stage.run(lines, printer)?;
        if !printer.is_json() {
            let rest = if left_out > 0 {
                format!("… and {left_out} more lines ")
            } else {
                String::new()
            };
            printer.line(format_args!("{rest}({seconds:.1} s)"))?;
        }
        if is_crawl {
            let end = self.crawl.as_deref().map(end_of).transpose()?.flatten();
            if end == Some(End::Stopped) {
                return Ok((Outcome::Stopped, Some(seconds)));
            }
        } else if status == ExitStatus::Done {
            self.ledger.record(&stage.name, Note::of(&stage)?)?;
        }
        let outcome = if status == ExitStatus::Done { Outcome::Done } else { Outcome::Failed };
        Ok((outcome, Some(seconds)))
    }

    /// Says how it ended.
    fn end(self, printer: &mut Printer) -> Result<ExitStatus> {
        let report = self
            .done
            .last()
            .filter(|it| it.stage == "report" && !self.args.only_say)
            .and_then(|_| self.ledger.note("report"))
            .and_then(folder_of);
        if printer.is_json() {
            printer.json(&serde_json::json!({ "stages": self.done, "report": report }))?;
        } else if let Some(report) = &report {
            printer.line(report.display())?;
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

/// Whether a crawl that is known goes on, and how.
enum Continuation {
    /// There is nothing to do.
    None,
    /// It goes on, with these words behind the folder.
    GoOn { folder: PathBuf, because: String, words: Vec<String> },
    /// A new one begins.
    Anew(String),
}

fn continuation(known: &Note, now: &Note, asked: &Asked) -> Result<Continuation> {
    let Some(folder) = folder_of(known).filter(|folder| folder.join("run.json").is_file()) else {
        return Ok(Continuation::Anew("the crawl that was begun is gone".to_owned()));
    };
    let mut before = known.clone();
    before.command.truncate(before.command.len() - 2);
    if let Some(because) = before.outdated_by(now) {
        // More pages of the same crawl are no other crawl.
        let longer = ["budget", "max-time"];
        let unbounded =
            |note: &Note| Note { command: without(&note.command, &longer), ..note.clone() };
        let is_longer = unbounded(&before).outdated_by(&unbounded(now)).is_none();
        if !is_longer || asked.values("frontier") == ["memory"] {
            return Ok(Continuation::Anew(because));
        }
        let given = longer.iter().filter_map(|&flag| {
            let value = asked.values(flag).first().copied().map(str::to_owned)?;
            Some([format!("--{flag}"), value])
        });
        let words = given.flatten().collect();
        return Ok(Continuation::GoOn { folder, because, words });
    }
    match end_of(&folder)? {
        Some(End::Budget | End::Time | End::NothingLeft) => Ok(Continuation::None),
        Some(End::Stopped) | None => {
            let because = "it was broken off, and goes on".to_owned();
            Ok(Continuation::GoOn { folder, because, words: Vec::new() })
        }
    }
}

/// A command without some flags and their values.
fn without(command: &[String], flags: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = command.iter();
    while let Some(word) = words.next() {
        if word.strip_prefix("--").is_some_and(|flag| flags.contains(&flag)) {
            words.next();
        } else {
            kept.push(word.clone());
        }
    }
    kept
}

/// Where a noted stage put what it made.
fn folder_of(note: &Note) -> Option<PathBuf> {
    match &note.command[..] {
        [.., flag, folder] if flag == "-o" => Some(PathBuf::from(folder)),
        _ => None,
    }
}

/// A folder for the next crawl: they are numbered from 1, and a number is not given twice while a later crawl is there.
fn next_folder(crawls: &Path) -> PathBuf {
    let names = std::fs::read_dir(crawls).into_iter().flatten().flatten();
    let numbers = names.filter_map(|it| it.file_name().to_str()?.parse::<u64>().ok());
    crawls.join((numbers.max().unwrap_or(0) + 1).to_string())
}
