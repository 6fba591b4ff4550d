//! `ontrail lattice explore`: asks a person questions until the implications of a domain are known.

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use ontrail_artifact::{Destination, Format, Output, Provenance, read_json, write_json};
use ontrail_cli::{ExitStatus, Printer, count};
use ontrail_fca::implication::Implication;
use ontrail_fca::{BitSet, Context, ContextBuilder, Exploration, Names, format};
use serde::{Deserialize, Serialize};

use crate::shared::{listed, names_of};

const EXPLORATION: Format =
    Format { kind: "exploration", version: 1, oldest: 1, rebuild: "ontrail lattice explore" };

/// Explore the implications of a domain by answering questions (attribute exploration)
///
/// Each question is an implication that holds in all examples so far. Answer `yes` if it holds in
/// the whole domain. If not, name a counterexample and its attributes:
/// `no NAME: attribute, attribute`. Answer `stop` to stop for now: the answers are saved, and the
/// same command resumes from them. The exit code is 1 if questions are left.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice explore rain.cxt --answers rain.answers.json
  printf 'yes\\nstop\\n' | ontrail lattice explore rain.cxt --answers rain.answers.json")]
pub(crate) struct Explore {
    /// Formal context with the first examples
    #[arg(value_name = "CONTEXT")]
    path: PathBuf,
    /// File of the answers; it is created, or resumed from
    #[arg(long, value_name = "FILE")]
    answers: PathBuf,
}

/// The answers of all sessions so far.
#[derive(Serialize, Deserialize)]
struct Answers {
    attributes: Vec<String>,
    /// Examples with the numbers of their attributes.
    examples: Vec<(String, Vec<u32>)>,
    accepted: Vec<Accepted>,
}

#[derive(Serialize, Deserialize)]
struct Accepted {
    premise: Vec<usize>,
    conclusion: Vec<usize>,
}

/// An answer to a question.
enum Answer {
    Yes,
    No { name: String, attributes: BitSet },
    Stop,
}

pub(crate) fn run(args: &Explore, printer: &mut Printer) -> Result<ExitStatus> {
    if Destination::from(&args.answers).is_stream() {
        bail!(
            "{}: the answers must be in a file, because the next run reads them again",
            args.answers.display()
        );
    }
    Output::json(&args.answers, &EXPLORATION).check([&args.path])?;
    let context = format::read(&args.path)?;
    let mut exploration = resume(&args.answers, context)?;
    let mut lines = std::io::stdin().lock();
    let provenance =
        Provenance::of_this_process("ontrail lattice explore").with_input(&args.path)?;
    let mut asked = 0u64;
    let is_done = loop {
        let Some(question) = exploration.question() else { break true };
        let names = exploration.examples().attributes().clone();
        asked += 1;
        say(printer, question_text(&names, &question))?;
        let Some(answer) = ask(&mut lines, &names, printer)? else { break false };
        match answer {
            Answer::Stop => break false,
            Answer::Yes => exploration.accept(question),
            Answer::No { name, attributes } => {
                if let Err(error) = exploration.refute(&question, &name, &attributes) {
                    say(printer, format!("  {name}: {error}"))?;
                    continue;
                }
            }
        }
        write_json(&args.answers, &EXPLORATION, &provenance, &kept(&exploration))?;
    };
    let (accepted, examples) =
        (exploration.accepted().len() as u64, exploration.examples().objects().len() as u64);
    if printer.is_json() {
        let names = exploration.examples().attributes();
        let implications: Vec<_> = exploration
            .accepted()
            .iter()
            .map(|it| {
                serde_json::json!({
                    "premise": names_of(names, &it.premise),
                    "conclusion": names_of(names, &it.conclusion),
                })
            })
            .collect();
        printer.json(&serde_json::json!({
            "done": is_done, "asked": asked, "examples": examples, "implications": implications,
        }))?;
    } else {
        let state = if is_done { "done, all implications are known" } else { "stopped" };
        printer.line(format_args!(
            "{state}: {} implications, {} examples",
            count(accepted),
            count(examples)
        ))?;
        if args.answers.exists() {
            printer.line(format_args!("the answers are in {}", args.answers.display()))?;
        }
    }
    Ok(if is_done { ExitStatus::Done } else { ExitStatus::No })
}

/// Prints a line of the dialogue; with `--json`, standard output is for the result only.
fn say(printer: &mut Printer, text: String) -> Result<()> {
    if printer.is_json() {
        printer.note(text);
    } else {
        printer.line(text)?;
    }
    Ok(())
}

fn question_text(names: &Names, question: &Implication) -> String {
    let conclusion = listed(names, &question.conclusion);
    if question.premise.is_empty() {
        return format!("Does everything have {conclusion}?");
    }
    format!("Does everything with {} also have {conclusion}?", listed(names, &question.premise))
}

/// Asks until an answer is valid. Returns nothing at the end of the input.
fn ask(lines: &mut impl BufRead, names: &Names, printer: &mut Printer) -> Result<Option<Answer>> {
    loop {
        printer.flush()?;
        if std::io::stdin().is_terminal() {
            let mut prompt = std::io::stderr().lock();
            let _ = write!(prompt, "  yes, no NAME: attributes, stop > ");
            let _ = prompt.flush();
        }
        let mut line = String::new();
        if lines.read_line(&mut line).context("cannot read the answer from standard input")? == 0 {
            return Ok(None);
        }
        match parse_answer(line.trim(), names) {
            Ok(answer) => return Ok(Some(answer)),
            Err(reason) => say(printer, format!("  {reason}"))?,
        }
    }
}

fn parse_answer(line: &str, names: &Names) -> Result<Answer, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_lowercase().as_str() {
        "yes" | "y" | "是" if rest.trim().is_empty() => Ok(Answer::Yes),
        "stop" | "quit" | "q" | "停" if rest.trim().is_empty() => Ok(Answer::Stop),
        "no" | "n" | "否" => {
            let (name, attributes) = rest
                .split_once([':', '：'])
                .ok_or("a counterexample needs a name and attributes, as in `no NAME: a, b`")?;
            if name.trim().is_empty() {
                return Err("a counterexample needs a name, as in `no NAME: a, b`".to_owned());
            }
            let attributes = attributes_of(attributes, names)?;
            Ok(Answer::No { name: name.trim().to_owned(), attributes })
        }
        _ => Err("answer `yes`, `no NAME: attributes` or `stop`".to_owned()),
    }
}

fn attributes_of(text: &str, names: &Names) -> Result<BitSet, String> {
    let mut set = BitSet::empty(names.len());
    for name in text.split([',', '，', '、']).map(str::trim).filter(|name| !name.is_empty()) {
        let place = names.iter().position(|known| known == name);
        let all = || names.iter().map(std::borrow::Cow::into_owned).collect::<Vec<_>>().join(", ");
        set.insert(
            place.ok_or_else(|| {
                format!("unknown attribute {name:?}; the attributes are {}", all())
            })?,
        );
    }
    Ok(set)
}

/// Resumes the exploration of earlier sessions, or starts a new one.
fn resume(path: &Path, context: Context) -> Result<Exploration> {
    if !path.exists() {
        return Ok(Exploration::new(context, Vec::new()));
    }
    let (_, answers): (Provenance, Answers) = read_json(path, &EXPLORATION)?;
    if !context.attributes().iter().eq(answers.attributes.iter().map(String::as_str)) {
        bail!(
            "{}: the answers are about other attributes; name another file with --answers",
            path.display()
        );
    }
    let bound = answers.attributes.len();
    let numbers = answers.examples.iter().flat_map(|(_, row)| row.iter().map(|&it| it as usize));
    let stated = answers.accepted.iter().flat_map(|it| it.premise.iter().chain(&it.conclusion));
    if let Some(wrong) = numbers.chain(stated.copied()).find(|&number| number >= bound) {
        bail!("{}: contains attribute number {wrong}, but there are only {bound}", path.display());
    }
    let examples = with_examples(&context, &answers.examples)
        .with_context(|| format!("{}: cannot resume the exploration", path.display()))?;
    let set = |members: &[usize]| BitSet::of(bound, members.iter().copied());
    let accepted: Vec<Implication> = answers
        .accepted
        .iter()
        .map(|it| {
            let (premise, conclusion) = (set(&it.premise), set(&it.conclusion));
            let support = examples.extent(&premise).len();
            Implication { premise, conclusion, support }
        })
        .collect();
    check_accepted(&examples, &accepted, path)?;
    Ok(Exploration::new(examples, accepted))
}

/// Returns the context with the counterexamples of earlier sessions.
fn with_examples(context: &Context, kept: &[(String, Vec<u32>)]) -> Result<Context> {
    let mut builder = ContextBuilder::new();
    let mut names: Vec<String> =
        context.objects().iter().map(std::borrow::Cow::into_owned).collect();
    (0..names.len()).for_each(|object| builder.row(context.row(object)));
    let known: BTreeSet<String> = names.iter().cloned().collect();
    for (name, row) in kept.iter().filter(|(name, _)| !known.contains(name)) {
        builder.row(row);
        names.push(name.clone());
    }
    Ok(builder.finish(Names::Given(names), context.attributes().clone())?)
}

/// Refuses to resume if an object of the context contradicts an answer; the context may have
/// changed since.
fn check_accepted(examples: &Context, accepted: &[Implication], path: &Path) -> Result<()> {
    for object in 0..examples.objects().len() {
        let row = examples.row_set(object);
        let broken =
            accepted.iter().find(|it| it.premise.is_subset(&row) && !it.conclusion.is_subset(&row));
        if let Some(broken) = broken {
            bail!(
                "{}: according to the answers {} implies {}, but object {:?} of the context contradicts \
                 this; name another file with --answers",
                path.display(),
                listed(examples.attributes(), &broken.premise),
                listed(examples.attributes(), &broken.conclusion),
                examples.objects().get(object)
            );
        }
    }
    Ok(())
}

fn kept(exploration: &Exploration) -> Answers {
    let examples = exploration.examples();
    let accepted = exploration.accepted().iter().map(|it| Accepted {
        premise: it.premise.iter().collect(),
        conclusion: it.conclusion.iter().collect(),
    });
    Answers {
        attributes: examples.attributes().iter().map(std::borrow::Cow::into_owned).collect(),
        examples: (0..examples.objects().len())
            .map(|object| {
                (examples.objects().get(object).into_owned(), examples.row(object).to_vec())
            })
            .collect(),
        accepted: accepted.collect(),
    }
}
