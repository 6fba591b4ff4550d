//! `ontrail report`: everything that was made for a topic, in one page to look at.
//!
//! The page needs nothing else, follows light and dark, and can be printed. Each part shows what one tool made, drawn as that
//! tool draws it; a part whose file is not named is left out.

mod crawls;
mod models;
mod ontology;
mod words;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Output, Provenance, write_with_sidecar};
use ontrail_cli::{ExitStatus, Printer};
use ontrail_report::{Chapter, Page, Part};

pub(crate) use words::Lang;
use words::Words;

const FORMAT: Format = Format { kind: "report", version: 1, oldest: 1, rebuild: "ontrail report" };
/// The flags that name files, which are called like the stages of a project that make them.
pub(crate) const FILES: [&str; 5] = ["ontology", "context", "topic", "evaluation", "sdg"];

/// Put everything that was made for a topic into one page to look at
///
/// The ontology as a tree and as a line diagram, the topic's terms, the classifier's confusion matrix, the disambiguation
/// graph, the curves of crawls beside each other, a comparison, and the pages that were crawled, each with its scores, its
/// class and the reason why it was fetched. The page needs no network.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail report --ontology rain.owl --context rain.cxt --topic rain.topic.json -o rain.html
  ontrail report --crawl bfs --crawl best --comparison compared -o crawls.html --open
  ontrail report --topic rain.topic.json --crawl crawls/1 --lang zh --title 暴雨灾害 -o report.html")]
pub(crate) struct ReportArgs {
    /// An ontology, as a tree to explore
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    /// A formal context, whose line diagram is drawn
    #[arg(long, value_name = "FILE")]
    context: Option<PathBuf>,
    /// A topic, with its terms by weight
    #[arg(long, value_name = "FILE")]
    topic: Option<PathBuf>,
    /// How good a classifier is (ontrail bcw eval -o FILE.json)
    #[arg(long, value_name = "FILE")]
    evaluation: Option<PathBuf>,
    /// A disambiguation graph
    #[arg(long, value_name = "FILE")]
    sdg: Option<PathBuf>,
    /// The folder of a crawl; several are shown beside each other
    #[arg(long = "crawl", value_name = "DIR")]
    crawls: Vec<PathBuf>,
    /// The folder of a comparison (ontrail lab compare)
    #[arg(long, value_name = "DIR")]
    comparison: Option<PathBuf>,
    /// The heading [default: the topic's name]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The language of the page, and of the first name of concepts
    #[arg(long, value_enum, default_value_t)]
    lang: Lang,
    /// Where to write it
    #[arg(short, long, value_name = "FILE.html", default_value = "report.html")]
    output: PathBuf,
    /// Open it in the browser
    #[arg(long)]
    open: bool,
}

pub(crate) fn run(args: &ReportArgs, printer: &mut Printer) -> Result<ExitStatus> {
    if args.output.extension().is_none_or(|ending| ending != "html") {
        bail!("{}: a report is written as .html", args.output.display());
    }
    Output::file(&args.output, &FORMAT).check(inputs(args))?;
    let html = page(args)?.html();
    let provenance = provenance(args)?;
    write_with_sidecar(&args.output, &FORMAT, &provenance, |out| out.write_all(html.as_bytes()))?;
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

/// Opens a page in the browser, or says why that cannot be done: the page is there either way.
pub(crate) fn open(path: &Path, printer: &mut Printer) {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Err(error) = open::that_detached(whole) {
        printer.warn(format_args!(
            "{}: no browser could be started ({error}); open it yourself",
            path.display()
        ));
    }
}

/// What the page was made from. Of the folders of crawls and comparisons, what says how they were done and what came.
fn provenance(args: &ReportArgs) -> Result<Provenance> {
    let mut provenance = Provenance::of_this_process("ontrail report");
    for path in inputs(args).cloned().flat_map(telling) {
        provenance = provenance.with_input(&path)?;
    }
    Ok(provenance)
}

/// What the page is made from.
fn inputs(args: &ReportArgs) -> impl Iterator<Item = &PathBuf> {
    let files = [&args.ontology, &args.context, &args.topic, &args.evaluation, &args.sdg];
    files.into_iter().flatten().chain(&args.crawls).chain(&args.comparison)
}

/// What of an input tells whether it has changed: a file itself; of the folder of a crawl or a comparison, what says how it was
/// made and what came.
pub(crate) fn telling(path: PathBuf) -> Vec<PathBuf> {
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
            "there is nothing to show; name what was made: --ontology, --context, --topic, --evaluation, --sdg, \
             --crawl or --comparison"
        );
    }
    let parts = vec![Part::Chapters(chapters), how_made(args, words)];
    Ok(Page { title, lead: words.lead.to_owned(), lang: args.lang.tag(), parts })
}

/// The parts that there is something to show for, and the title.
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
    let crawls = crawls::read(&args.crawls)?;
    if !crawls.is_empty() {
        add("crawls", words.crawls, crawls::curves(&crawls, words));
    }
    if let Some(folder) = &args.comparison {
        add("comparison", words.comparison, models::comparison(folder, words)?);
    }
    if !crawls.is_empty() {
        add("pages", words.pages, crawls::pages(&crawls, args.lang));
    }
    Ok((title, chapters))
}

/// The command that makes the page again.
fn how_made(args: &ReportArgs, words: &Words) -> Part {
    let mut command = "ontrail report".to_owned();
    let mut give = |flag: &str, value: String| {
        // What looks like a flag would be taken for one.
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

/// Figures in a row, each with its name below it.
fn facts<const N: usize>(facts: [(String, &str); N]) -> Part {
    Part::Facts(facts.into_iter().map(|(value, name)| (value, name.to_owned())).collect())
}
