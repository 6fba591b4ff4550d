//! `ontrail report`: puts everything that was made for a topic on one HTML page.
//!
//! The page is self-contained, follows the light or dark theme of the browser, and can be
//! printed. Each chapter shows the result of one tool, drawn as that tool draws it. Chapters
//! whose file is not given are left out.

mod crawls;
mod learned;
mod models;
mod ontology;
mod words;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Output, Provenance, write_with_sidecar};
use ontrail_cli::{ExitStatus, ForceArgs, Printer};
use ontrail_report::{Chapter, Page, Part};

pub(crate) use words::Lang;
use words::Words;

const FORMAT: Format = Format { kind: "report", version: 1, oldest: 1, rebuild: "ontrail report" };
/// Flags that name files. Each has the name of the project stage that makes the file.
pub(crate) const FILES: [&str; 5] = ["ontology", "context", "topic", "evaluation", "sdg"];

/// Write a report that shows everything made for a topic on one HTML page
///
/// The report shows the ontology as a tree, its concept lattice as a line diagram, the terms of the
/// topic, the evaluation of the classifier, the disambiguation graph, the curves of crawls, and a
/// comparison. It also lists the pages that were crawled, with their scores, their class and the
/// reason why each was fetched. Chapters appear for the files that are given. The page is
/// self-contained and needs no network.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail report --ontology rain.owl --context rain.cxt --topic rain.topic.json -o rain.html
  ontrail report --crawl bfs --crawl best --comparison compared -o crawls.html --open
  ontrail report --topic rain.topic.json --crawl crawls/1 --lang zh --title 暴雨灾害 -o report.html")]
pub(crate) struct ReportArgs {
    /// Ontology to show as a tree
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    /// Formal context to show as a line diagram of its concept lattice
    #[arg(long, value_name = "FILE")]
    context: Option<PathBuf>,
    /// Topic, whose terms are shown by weight
    #[arg(long, value_name = "FILE")]
    topic: Option<PathBuf>,
    /// Evaluation of a classifier (made by ontrail bcw eval -o FILE.json)
    #[arg(long, value_name = "FILE")]
    evaluation: Option<PathBuf>,
    /// Disambiguation graph (made by ontrail sdg build)
    #[arg(long, value_name = "FILE")]
    sdg: Option<PathBuf>,
    /// Folder of a crawl; repeat it to show several crawls together
    #[arg(long = "crawl", value_name = "DIR")]
    crawls: Vec<PathBuf>,
    /// Folder of a comparison (made by ontrail lab compare)
    #[arg(long, value_name = "DIR")]
    comparison: Option<PathBuf>,
    /// Title of the report [default: the name of the topic]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Language of the report, and of the names of concepts
    #[arg(long, value_enum, default_value_t)]
    lang: Lang,
    /// File to write
    #[arg(short, long, value_name = "FILE.html", default_value = "report.html")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Open the report in the browser
    #[arg(long)]
    open: bool,
}

pub(crate) fn run(args: &ReportArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let to = args.force.destination(&args.output, printer)?;
    if !to.is_stream() && args.output.extension().is_none_or(|ending| ending != "html") {
        bail!("{}: a report is an HTML page; name a .html file", args.output.display());
    }
    Output::file(to, &FORMAT).check(inputs(args))?;
    let html = page(args)?.html();
    let provenance = provenance(args)?;
    write_with_sidecar(to, &FORMAT, &provenance, |out| out.write_all(html.as_bytes()))?;
    if printer.is_json() {
        let report = args.output.to_string_lossy();
        printer.json(&serde_json::json!({ "report": report, "bytes": html.len() }))?;
    } else {
        printer.line(args.output.display())?;
    }
    if args.open {
        open(&args.output, printer);
    }
    Ok(ExitStatus::Done)
}

/// Opens a page in the browser. A failure is only a warning, because the page was written.
pub(crate) fn open(path: &Path, printer: &mut Printer) {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Err(error) = open::that_detached(absolute) {
        printer.warn(format_args!(
            "{}: cannot start a browser ({error}); open the file yourself",
            path.display()
        ));
    }
}

/// Returns the provenance of the report, with all its inputs.
fn provenance(args: &ReportArgs) -> Result<Provenance> {
    let mut provenance = Provenance::of_this_process("ontrail report");
    for path in inputs(args).cloned().flat_map(key_files) {
        provenance = provenance.with_input(&path)?;
    }
    Ok(provenance)
}

/// Returns the files and folders that the arguments name.
fn inputs(args: &ReportArgs) -> impl Iterator<Item = &PathBuf> {
    let files = [&args.ontology, &args.context, &args.topic, &args.evaluation, &args.sdg];
    files.into_iter().flatten().chain(&args.crawls).chain(&args.comparison)
}

/// Returns the files that show whether an input has changed: a file itself, or, in the folder of a
/// crawl or a comparison, the files that record its settings and results.
pub(crate) fn key_files(path: PathBuf) -> Vec<PathBuf> {
    let names = ["run.json", "progress.json", "comparison.json"];
    let within: Vec<PathBuf> =
        names.iter().map(|name| path.join(name)).filter(|path| path.is_file()).collect();
    if within.is_empty() { vec![path] } else { within }
}

fn page(args: &ReportArgs) -> Result<Page> {
    let words = args.lang.words();
    let (title, chapters) = chapters(args, words)?;
    if chapters.is_empty() {
        bail!(
            "nothing to show; give --ontology, --context, --topic, --evaluation, --sdg, --crawl or \
             --comparison"
        );
    }
    let parts = vec![Part::Chapters(chapters), how_made(args, words)];
    Ok(Page { title, lead: words.lead.to_owned(), lang: args.lang.tag(), parts })
}

/// Returns the title, and a chapter for each input.
fn chapters(args: &ReportArgs, words: &'static Words) -> Result<(String, Vec<Chapter>)> {
    let topic = args.topic.as_deref().map(ontrail_topic::Topic::read).transpose()?;
    let title = match (&args.title, &topic) {
        (Some(title), _) => title.clone(),
        (None, Some(topic)) => topic.name.clone(),
        (None, None) => "Ontrail".to_owned(),
    };
    let mut chapters = Vec::new();
    let mut add = |id, heading: &str, parts| {
        chapters.push(Chapter { id, heading: heading.to_owned(), parts });
    };
    if args.ontology.is_some() || args.context.is_some() {
        let (ontology, context) = (args.ontology.as_deref(), args.context.as_deref());
        let parts = ontology::chapter(ontology, context, topic.as_ref(), args.lang)?;
        add("ontology", words.ontology, parts);
    }
    if let Some(topic) = &topic {
        add("topic", words.topic, models::topic(topic, words));
    }
    if let Some(path) = &args.evaluation {
        add("classifier", words.classifier, models::classifier(path, words)?);
    }
    if let Some(path) = &args.sdg {
        add("senses", words.senses, models::senses(path, args.lang)?);
    }
    let mut crawls = crawls::read(&args.crawls)?;
    if !crawls.is_empty() {
        add("crawls", words.crawls, crawls::curves(&crawls, args.lang));
    }
    if let Some(folder) = &args.comparison {
        add("comparison", words.comparison, models::comparison(folder, words)?);
    }
    if !crawls.is_empty() {
        add("pages", words.pages, crawls::pages(&mut crawls, args.lang));
    }
    Ok((title, chapters))
}

/// Returns the command that makes the page again.
fn how_made(args: &ReportArgs, words: &Words) -> Part {
    let mut command = "ontrail report".to_owned();
    let mut give = |flag: &str, value: String| {
        // A value that starts with a dash would be taken for a flag.
        let between = if value.starts_with('-') { "=" } else { " " };
        command += &format!(" {flag}{between}{}", ontrail_cli::quoted(&value));
    };
    let files = [
        ("--ontology", &args.ontology),
        ("--context", &args.context),
        ("--topic", &args.topic),
        ("--evaluation", &args.evaluation),
        ("--sdg", &args.sdg),
        ("--comparison", &args.comparison),
    ];
    for (flag, path) in files {
        if let Some(path) = path {
            give(flag, path.display().to_string());
        }
    }
    args.crawls.iter().for_each(|path| give("--crawl", path.display().to_string()));
    args.title.iter().for_each(|title| give("--title", title.clone()));
    give("--lang", args.lang.tag().to_owned());
    give("--output", args.output.display().to_string());
    let version = format!("Ontrail {}", env!("CARGO_PKG_VERSION"));
    let parts = vec![Part::Preformatted(command), Part::Note(version)];
    Part::Folded { summary: words.made_by.to_owned(), parts }
}

/// Returns figures in a row, each with its name below it.
fn facts<const N: usize>(facts: [(String, &str); N]) -> Part {
    Part::Facts(facts.into_iter().map(|(value, name)| (value, name.to_owned())).collect())
}
