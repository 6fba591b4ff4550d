//! `ontrail demo`: the whole pipeline on the data that ships, stage by stage, ending in a report.
//!
//! Each stage is a command that a user could type, parsed and run as if it had been typed, so the
//! demo shows what the tools really do.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::Format;
use ontrail_cli::{ExitStatus, Printer};
use ontrail_crawl::{End, progress_of};

use crate::stage::{Ledger, Note, Stage, State, is_free};

/// Number of lines that are shown of a stage's output.
const LINES_SHOWN: usize = 22;
/// Name of the ledger. A folder with this file was made by a demo.
const LEDGER: &str = "demo.json";
const FORMAT: Format = Format { kind: "demo", version: 1, oldest: 1, rebuild: "ontrail demo" };

/// Run the whole pipeline on the datasets that ship with Ontrail, ending in a report
///
/// The demo builds an ontology and a topic from pages, a page classifier from news, and a
/// disambiguation graph from texts. Then it makes a web with known ground truth, crawls it by
/// several recipes, compares them with statistical tests, and writes a report that shows
/// everything. Every stage prints the command that runs it alone.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail demo
  ontrail demo --out /tmp/rain --open
  ontrail demo --keep              runs only the stages that are out of date")]
pub(crate) struct Demo {
    /// Folder for all results; results of an earlier demo are replaced
    #[arg(long, value_name = "DIR", default_value = "ontrail-demo")]
    out: PathBuf,
    /// Keep results of an earlier demo that are up to date
    #[arg(long)]
    keep: bool,
    /// Open the report in the browser
    #[arg(long)]
    open: bool,
    /// Folder of the datasets [default: the one of the checkout]
    #[arg(long, value_name = "DIR")]
    datasets: Option<PathBuf>,
}

pub(crate) fn run(args: &Demo, printer: &mut Printer) -> Result<ExitStatus> {
    if printer.is_json() {
        bail!("the demo has no JSON output; run single stages with --json");
    }
    if args.out.to_str().is_none() {
        bail!(
            "--out {}: the path is not valid UTF-8, so commands cannot name it",
            args.out.display()
        );
    }
    let files = files(args)?;
    let started = Instant::now();
    let stages = stages(&files);
    let mut ledger = folder(&args.out)?;
    if !args.keep {
        // Removes nothing unless everything may be removed.
        stages.iter().try_for_each(|stage| ledger.check_untouched(stage))?;
        stages.iter().try_for_each(|stage| ledger.remove(stage))?;
    }
    let total = stages.len();
    for (number, stage) in (1..).zip(&stages) {
        printer.heading(format_args!("[{number}/{total}] {}", stage.title))?;
        printer.command(stage.command_line())?;
        step(stage, &mut ledger, printer)?;
        printer.line("")?;
        printer.flush()?;
    }
    printer.line(format_args!(
        "All results are in {}; the demo took {:.1} s. The report:",
        args.out.display(),
        started.elapsed().as_secs_f64()
    ))?;
    let report = files.made(REPORT);
    printer.line(&report)?;
    if args.open {
        crate::report::open(Path::new(&report), printer);
    }
    Ok(ExitStatus::Done)
}

/// Finds the input files and checks that they exist.
fn files(args: &Demo) -> Result<Files> {
    let datasets = match &args.datasets {
        Some(path) => path.clone(),
        None => find_datasets()?,
    };
    let ontologies = datasets.with_file_name("ontologies");
    for needed in [datasets.join("news-mini"), ontologies.join("rainstorm")] {
        if !needed.is_dir() {
            bail!(
                "{}: no such folder; name the datasets folder of a checkout with --datasets",
                needed.display()
            );
        }
    }
    Ok(Files { datasets, ontologies, out: args.out.clone() })
}

/// Opens the folder of the demo. It must be new or made by a demo; nothing else is ever touched.
fn folder(out: &Path) -> Result<Ledger> {
    let path = out.join(LEDGER);
    if !is_free(out) && !path.is_file() {
        bail!(
            "{}: this folder exists and was not made by a demo; name a new folder with --out",
            out.display()
        );
    }
    std::fs::create_dir_all(out)
        .with_context(|| format!("{}: cannot create the folder", out.display()))?;
    Ledger::open(&path, FORMAT)
}

/// Runs a stage, unless it is up to date. Removes its old results first, because crawls and webs do
/// not replace anything themselves.
fn step(stage: &Stage, ledger: &mut Ledger, printer: &mut Printer) -> Result<()> {
    if let State::UpToDate { .. } = ledger.state(stage)? {
        return Ok(printer.line("up to date")?);
    }
    ledger.remove(stage)?;
    let note = Note::before(stage)?;
    ledger.begin(stage)?;
    let ran = stage.run(LINES_SHOWN, printer)?;
    for folder in stage.outputs() {
        if progress_of(&folder)?.is_some_and(|it| it.end == Some(End::Stopped)) {
            bail!("stopped; `ontrail demo --keep` runs the remaining stages");
        }
    }
    if ran.status != ExitStatus::Done {
        bail!("the stage `{}` found a problem", stage.command_line());
    }
    printer.line(ran.closing())?;
    ledger.record(&stage.name, note.after(stage)?)
}

/// The files that stages read and write, as arguments of commands.
struct Files {
    datasets: PathBuf,
    ontologies: PathBuf,
    out: PathBuf,
}

impl Files {
    fn data(&self, name: &str) -> String {
        self.datasets.join(name).to_string_lossy().into_owned()
    }

    fn known(&self, name: &str) -> String {
        self.ontologies.join("rainstorm").join(name).to_string_lossy().into_owned()
    }

    fn made(&self, name: &str) -> String {
        self.out.join(name).to_string_lossy().into_owned()
    }

    fn page(&self) -> String {
        self.data("rainstorm-pages/pages/017.html")
    }
}

const CONTEXT: &str = "rainstorm.cxt";
const ONTOLOGY: &str = "rainstorm.owl";
const TOPIC: &str = "rainstorm.topic.json";
const SPLIT: &str = "news-split";
const CLASSIFIER: &str = "news-classifier";
const EVALUATION: &str = "news-classifier.json";
const LEARNED: &str = "暴雨.topic.json";
const GRAPH: &str = "暴雨.sdg.json";
const WEB: &str = "woven-web";
const COMPARED: &str = "compared";
const REPORT: &str = "report.html";

/// Number of pages that each crawler may fetch.
const BUDGET: &str = "800";
/// The recipes that are compared.
const CRAWLERS: [&str; 5] = ["bfs", "ops", "fcits-oh", "bcw-cc", "ontrail"];

fn stages(files: &Files) -> Vec<Stage> {
    let parts = [
        ontology_stages,
        classifier_stages,
        disambiguation_stages,
        web_stages,
        crawl_stages,
        report_stages,
    ];
    let parts = parts.map(|stages| stages(files));
    parts.into_iter().flatten().collect()
}

/// Returns the stages from pages to an ontology, and from there to a topic.
fn ontology_stages(files: &Files) -> Vec<Stage> {
    let (page, pages) = (files.page(), files.data("rainstorm-pages"));
    let (terms, overrides) = (files.known("terms.txt"), files.known("overrides.toml"));
    let (context, ontology) = (files.made(CONTEXT), files.made(ONTOLOGY));
    let (picture, topic) = (files.made("rainstorm.svg"), files.made(TOPIC));
    // The pages are short and have no menus, and the overrides were written for all of their text.
    let from = ["lattice", "context", &pages, "--content", "page"];
    let from = [&from[..], &["--keywords", &terms, "--top", "0", "-o", &context]].concat();
    let owl = ["lattice", "owl", &context, "--topic", "暴雨灾害", "--overrides", &overrides];
    let weigh = ["topic", "weigh", &ontology, "--topic", "暴雨灾害", "-o", &topic];
    vec![
        Stage::new("context", "Pages and the terms on them: a formal context", &from),
        Stage::new("lattice", "Its concept lattice", &["lattice", "build", &context]),
        Stage::new(
            "ontology",
            "An OWL ontology, with a person's decisions about the terms",
            &[&owl[..], &["--tree", "--depth", "6", "-o", &ontology]].concat(),
        ),
        Stage::new(
            "check",
            "A check: its figures, and any problems",
            &["lattice", "check", &ontology],
        ),
        Stage::new("picture", "Its picture", &["lattice", "draw", &ontology, "-o", &picture]),
        Stage::new("topic", "The topic: terms weighted by their similarity to it (Sem)", &weigh),
        Stage::new("score", "How relevant a page is, and why", &["topic", "score", &topic, &page]),
    ]
}

/// Returns the stages from labelled news to the class of a page.
fn classifier_stages(files: &Files) -> Vec<Stage> {
    let (page, news) = (files.page(), files.data("news-mini"));
    let (classifier, evaluation) = (files.made(CLASSIFIER), files.made(EVALUATION));
    let split = files.made(SPLIT);
    vec![
        Stage::new(
            "split",
            "Labelled news, split into training and test texts",
            &["corpus", "split", &news, "-o", &split, "--seed", "42"],
        ),
        Stage::new(
            "classifier",
            "A page classifier: mode and features chosen on held-out documents",
            &["bcw", "train", &news, "-o", &classifier, "--auto"],
        ),
        Stage::new(
            "evaluation",
            "How good it is on unseen news",
            &["bcw", "eval", &classifier, &news, "-o", &evaluation],
        ),
        Stage::new(
            "class",
            "The class of a page, and the words that decided",
            &["bcw", "predict", &classifier, &page],
        ),
    ]
}

/// Returns the stages from texts on a topic to the meaning of a page's words.
fn disambiguation_stages(files: &Files) -> Vec<Stage> {
    let (senses, page) = (files.data("senses-zh"), files.data("senses-zh/band.html"));
    let (topic, graph) = (files.made(LEARNED), files.made(GRAPH));
    let label = "暴雨-灾害";
    let build = ["sdg", "build", &senses, "--label", label, "--topic", &topic];
    let against = ["--background", &senses, "--theta", "0.5", "-o", &graph];
    vec![
        Stage::new(
            "learned",
            "The topic again, learned from texts",
            &["topic", "learn", &senses, "--label", label, "-o", &topic],
        ),
        Stage::new(
            "graph",
            "Its ambiguous words, and the words that show their meaning",
            &[&build[..], &against].concat(),
        ),
        Stage::new(
            "band",
            "Words that do not mean the topic, on a page about a band called 暴雨",
            &["sdg", "apply", &graph, &page],
        ),
    ]
}

/// Returns the stage that weaves a web from texts that no model has seen.
fn web_stages(files: &Files) -> Vec<Stage> {
    let (texts, web) = (files.made(&format!("{SPLIT}/test.tsv")), files.made(WEB));
    vec![Stage::new(
        "web",
        "A web woven from texts that no model has seen",
        &["lab", "weave", "--from", &texts, "--pages", "5000", "-o", &web],
    )]
}

/// Returns the folder of the crawl by a recipe.
fn crawl_folder(files: &Files, recipe: &str) -> String {
    files.made(&format!("crawl-{recipe}"))
}

/// Returns the stages that crawl the same web by several recipes and compare them.
fn crawl_stages(files: &Files) -> Vec<Stage> {
    let in_web = |name: &str| files.made(&format!("{WEB}/{name}"));
    let (web, seeds) = (in_web("web.warc.gz"), in_web("seeds/rainstorm.txt"));
    let (labels, classifier) = (in_web("labels.tsv"), files.made(CLASSIFIER));
    let mut stages: Vec<Stage> = CRAWLERS
        .iter()
        .map(|recipe| {
            let (topic, folder) = (files.made(topic_of(recipe)), crawl_folder(files, recipe));
            let what = ["crawl", "run", "--web", &web, "--seeds", &seeds, "--recipe", recipe];
            let by = ["--topic", &topic, "--classifier", &classifier];
            let class: &[&str] = if *recipe == "bcw-cc" { &["--class", "rainstorm"] } else { &[] };
            let measured = ["--labels", &labels, "--relevant", "rainstorm"];
            let how = ["--budget", BUDGET, "-o", &folder];
            Stage::new(
                &format!("crawl-{recipe}"),
                &format!("A crawl by the recipe {recipe}"),
                &[&what[..], &by, class, &measured, &how].concat(),
            )
        })
        .collect();
    stages.push(comparison(files));
    stages
}

/// Returns the topic that a recipe is meant for.
fn topic_of(recipe: &str) -> &'static str {
    if recipe == "bcw-cc" { LEARNED } else { TOPIC }
}

fn comparison(files: &Files) -> Stage {
    let (web, compared) = (files.made(WEB), files.made(COMPARED));
    let (topic, learned) = (files.made(TOPIC), files.made(LEARNED));
    let (classifier, recipes) = (files.made(CLASSIFIER), CRAWLERS.join(","));
    let what = ["lab", "compare", "--web", &web, "--relevant", "rainstorm", "--topic", &topic];
    let with = ["--topic", &learned, "--classifier", &classifier, "--recipes", &recipes];
    let seeds = files.made(&format!("{WEB}/seeds/rainstorm.txt"));
    let from = ["--seed-urls", &seeds, "--seed-sets", "3"];
    let how = ["--budget", BUDGET, "--repeats", "3", "-o", &compared];
    Stage::new(
        "comparison",
        "A comparison of the crawlers, each from three seed sets",
        &[&what[..], &with, &from, &how].concat(),
    )
}

/// Returns the stage that writes the report.
fn report_stages(files: &Files) -> Vec<Stage> {
    let made = [CONTEXT, ONTOLOGY, TOPIC, EVALUATION, GRAPH, COMPARED, REPORT];
    let [context, ontology, topic, evaluation, graph, compared, report] =
        made.map(|name| files.made(name));
    let crawls = CRAWLERS.map(|recipe| crawl_folder(files, recipe));
    let mut command = vec!["report", "--ontology", &ontology, "--context", &context];
    command.extend(["--topic", &topic, "--evaluation", &evaluation, "--sdg", &graph]);
    crawls.iter().for_each(|folder| command.extend(["--crawl", folder]));
    command.extend(["--comparison", &compared, "-o", &report]);
    vec![Stage::new("report", "Everything on one page", &command)]
}

/// Finds the datasets folder of the checkout that the demo runs in.
fn find_datasets() -> Result<PathBuf> {
    let here = std::env::current_dir().context("cannot read the current folder")?;
    let found = here.ancestors().map(|folder| folder.join("datasets"));
    let mut found = found.filter(|folder| folder.join("news-mini").is_dir());
    let path = found.next().context(
        "found no `datasets` folder here or above; run the demo in a checkout, or name the folder with --datasets",
    )?;
    // A short path, because commands show it.
    Ok(path.strip_prefix(&here).map(Path::to_owned).unwrap_or(path))
}
