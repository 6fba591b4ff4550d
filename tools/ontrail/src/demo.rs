//! `ontrail demo`: the whole pipeline on what ships, stage by stage, ending in a report.
//!
//! Each stage is a command that a user could type, parsed and run as if it had been typed: what the
//! demo shows is what the tools do.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::Format;
use ontrail_cli::{ExitStatus, Printer};
use ontrail_crawl::{End, progress_of};

use crate::stage::{Ledger, Note, Stage, State, is_free};

/// How many lines of what a stage prints are shown.
const LINES_SHOWN: usize = 20;
/// What the ledger is called, by which the folder of a demo is known.
const LEDGER: &str = "demo.json";
const FORMAT: Format = Format { kind: "demo", version: 1, oldest: 1, rebuild: "ontrail demo" };

/// Run the whole pipeline on the datasets that ship with Ontrail, ending in a report
///
/// From pages to an ontology and a topic, from news to a page classifier, from texts to a disambiguation graph; then a web whose
/// truth is known, crawls of it by several recipes, a comparison of them with tests, and one page that shows all of it. Every
/// stage prints the command that does it alone.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail demo
  ontrail demo --out /tmp/rain --open
  ontrail demo --keep              do only what is not there or not up to date")]
pub(crate) struct Demo {
    /// The folder for everything that the demo makes. What an earlier demo made there is made anew
    #[arg(long, value_name = "DIR", default_value = "ontrail-demo")]
    out: PathBuf,
    /// Keep what an earlier demo made as far as it is up to date
    #[arg(long)]
    keep: bool,
    /// Open the report in the browser
    #[arg(long)]
    open: bool,
    /// The folder of the datasets; found by itself within a checkout
    #[arg(long, value_name = "DIR")]
    datasets: Option<PathBuf>,
}

pub(crate) fn run(args: &Demo, printer: &mut Printer) -> Result<ExitStatus> {
    if printer.is_json() {
        bail!("the demo has no JSON form; run its stages by themselves with --json");
    }
    if args.out.to_str().is_none() {
        bail!("--out: {}: is no text that commands could name", args.out.display());
    }
    let files = files(args)?;
    let started = Instant::now();
    let stages = stages(&files);
    let mut ledger = folder(&args.out)?;
    if !args.keep {
        // Nothing is removed unless all of it may be.
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
        "Everything made lies in {}; it took {:.1} s. The report:",
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

/// What the demo works on and where to.
fn files(args: &Demo) -> Result<Files> {
    let datasets = match &args.datasets {
        Some(path) => path.clone(),
        None => find_datasets()?,
    };
    let ontologies = datasets.with_file_name("ontologies");
    for needed in [datasets.join("news-mini"), ontologies.join("rainstorm")] {
        if !needed.is_dir() {
            bail!("{}: is not there; --datasets names the folder of a checkout", needed.display());
        }
    }
    Ok(Files { datasets, ontologies, out: args.out.clone() })
}

/// The folder of the demo, which is new, or was made by a demo; nothing else is ever touched.
fn folder(out: &Path) -> Result<Ledger> {
    let path = out.join(LEDGER);
    if !is_free(out) && !path.is_file() {
        bail!(
            "{}: is there, and no demo made it; give the name of a new folder with --out",
            out.display()
        );
    }
    std::fs::create_dir_all(out).with_context(|| format!("{}: cannot be made", out.display()))?;
    Ledger::open(&path, FORMAT)
}

/// Does a stage, unless it is up to date. What it made before is removed first: crawls and webs replace nothing by themselves.
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
            bail!("stopped; `ontrail demo --keep` goes on with what is missing");
        }
    }
    if ran.status != ExitStatus::Done {
        bail!("the stage `{}` found a problem", stage.command_line());
    }
    printer.line(ran.closing())?;
    ledger.record(&stage.name, note.after(stage)?)
}

/// The files that stages read and write, as words of a command.
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

/// From what relevance on a page counts as relevant here; the papers' thresholds are of other webs, and would call hardly any
/// page of this one so.
const THRESHOLD: &str = "0.2";
/// How many pages each crawler may fetch.
const BUDGET: &str = "800";
/// The crawlers that are shown beside each other.
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

/// From pages to an ontology, and from that to a topic.
fn ontology_stages(files: &Files) -> Vec<Stage> {
    let (page, pages) = (files.page(), files.data("rainstorm-pages"));
    let (terms, overrides) = (files.known("terms.txt"), files.known("overrides.toml"));
    let (context, ontology) = (files.made(CONTEXT), files.made(ONTOLOGY));
    let (picture, topic) = (files.made("rainstorm.svg"), files.made(TOPIC));
    let from = ["lattice", "context", &pages, "--keywords", &terms, "--top", "0", "-o", &context];
    let owl = ["lattice", "owl", &context, "--topic", "暴雨灾害", "--overrides", &overrides];
    let weigh = ["topic", "weigh", &ontology, "--topic", "暴雨灾害", "-o", &topic];
    vec![
        Stage::new("context", "Pages and the terms on them: a formal context", &from),
        Stage::new("lattice", "Its concept lattice", &["lattice", "build", &context]),
        Stage::new(
            "ontology",
            "An OWL ontology, with what a person decided about the terms",
            &[&owl[..], &["--tree", "--depth", "6", "-o", &ontology]].concat(),
        ),
        Stage::new(
            "check",
            "Checked: its figures, and whether anything is wrong with it",
            &["lattice", "check", &ontology],
        ),
        Stage::new("picture", "Its picture", &["lattice", "draw", &ontology, "-o", &picture]),
        Stage::new(
            "topic",
            "The topic: its terms, weighed by how near they are to it (Sem)",
            &weigh,
        ),
        Stage::new(
            "score",
            "How near a page is to the topic, and why",
            &["topic", "score", &topic, &page],
        ),
    ]
}

/// From labelled news to the class of a page.
fn classifier_stages(files: &Files) -> Vec<Stage> {
    let (page, news) = (files.page(), files.data("news-mini"));
    let (classifier, evaluation) = (files.made(CLASSIFIER), files.made(EVALUATION));
    let split = files.made(SPLIT);
    vec![
        Stage::new(
            "split",
            "Labelled news, cut into texts to learn from and texts to be tried on",
            &["corpus", "split", &news, "-o", &split, "--seed", "42"],
        ),
        Stage::new(
            "classifier",
            "A page classifier: mode and features chosen by documents held out",
            &["bcw", "train", &news, "-o", &classifier, "--auto"],
        ),
        Stage::new(
            "evaluation",
            "How good it is on news that it has not seen",
            &["bcw", "eval", &classifier, &news, "-o", &evaluation],
        ),
        Stage::new(
            "class",
            "What class a page is of, and the words that decided",
            &["bcw", "predict", &classifier, &page],
        ),
    ]
}

/// From texts on a topic to what a page means by its words.
fn disambiguation_stages(files: &Files) -> Vec<Stage> {
    let (senses, page) = (files.data("senses-zh"), files.data("senses-zh/band.html"));
    let (topic, graph) = (files.made(LEARNED), files.made(GRAPH));
    let label = "暴雨-灾害";
    let build = ["sdg", "build", &senses, "--label", label, "--topic", &topic];
    let against = ["--background", &senses, "--theta", "0.5", "-o", &graph];
    vec![
        Stage::new(
            "learned",
            "The topic once more, learned from texts on it",
            &["topic", "learn", &senses, "--label", label, "-o", &topic],
        ),
        Stage::new(
            "graph",
            "Which of its words mean something else elsewhere, and what shows their meaning",
            &[&build[..], &against].concat(),
        ),
        Stage::new(
            "band",
            "What a page of a band called 暴雨 loses",
            &["sdg", "apply", &graph, &page],
        ),
    ]
}

/// A web whose truth is known, woven from texts that no model has seen.
fn web_stages(files: &Files) -> Vec<Stage> {
    let (texts, web) = (files.made(&format!("{SPLIT}/test.tsv")), files.made(WEB));
    vec![Stage::new(
        "web",
        "A web woven from texts that no model has seen",
        &["lab", "weave", "--from", &texts, "--pages", "5000", "-o", &web],
    )]
}

/// Where the crawl by a recipe lies.
fn crawl_folder(files: &Files, recipe: &str) -> String {
    files.made(&format!("crawl-{recipe}"))
}

/// All of these at work: the same web crawled by several recipes, and their comparison.
fn crawl_stages(files: &Files) -> Vec<Stage> {
    let in_web = |name: &str| files.made(&format!("{WEB}/{name}"));
    let (web, seeds) = (in_web("web.warc.gz"), in_web("seeds/rainstorm.txt"));
    let (labels, classifier) = (in_web("labels.tsv"), files.made(CLASSIFIER));
    let mut stages: Vec<Stage> = CRAWLERS
        .iter()
        .map(|recipe| {
            let (topic, folder) = (files.made(topic_of(recipe)), crawl_folder(files, recipe));
            let what = ["crawl", "run", "--web", &web, "--seeds", &seeds, "--recipe", recipe];
            let by = ["--topic", &topic, "--threshold", THRESHOLD, "--classifier", &classifier];
            let class: &[&str] = if *recipe == "bcw-cc" { &["--class", "rainstorm"] } else { &[] };
            let measured = ["--labels", &labels, "--relevant", "rainstorm"];
            let how = ["--budget", BUDGET, "-o", &folder];
            Stage::new(
                &format!("crawl-{recipe}"),
                &format!("A crawl of it by the recipe {recipe}"),
                &[&what[..], &by, class, &measured, &how].concat(),
            )
        })
        .collect();
    stages.push(comparison(files));
    stages
}

/// The topic that a recipe is meant for.
fn topic_of(recipe: &str) -> &'static str {
    if recipe == "bcw-cc" { LEARNED } else { TOPIC }
}

fn comparison(files: &Files) -> Stage {
    let (web, compared) = (files.made(WEB), files.made(COMPARED));
    let (topic, learned) = (files.made(TOPIC), files.made(LEARNED));
    let (classifier, recipes) = (files.made(CLASSIFIER), CRAWLERS.join(","));
    let what = ["lab", "compare", "--web", &web, "--relevant", "rainstorm", "--topic", &topic];
    let with = ["--topic", &learned, "--classifier", &classifier, "--recipes", &recipes];
    let (seeds, threshold) =
        (files.made(&format!("{WEB}/seeds/rainstorm.txt")), format!("threshold={THRESHOLD}"));
    let from = ["--seed-urls", &seeds, "--seed-sets", "3", "--set", &threshold];
    let how = ["--budget", BUDGET, "--repeats", "3", "-o", &compared];
    Stage::new(
        "comparison",
        "The crawlers compared, each from three sets of seeds, by the truth and by their own opinion",
        &[&what[..], &with, &from, &how].concat(),
    )
}

/// One page that shows all of it.
fn report_stages(files: &Files) -> Vec<Stage> {
    let made = [CONTEXT, ONTOLOGY, TOPIC, EVALUATION, GRAPH, COMPARED, REPORT];
    let [context, ontology, topic, evaluation, graph, compared, report] =
        made.map(|name| files.made(name));
    let crawls = CRAWLERS.map(|recipe| crawl_folder(files, recipe));
    let mut command = vec!["report", "--ontology", &ontology, "--context", &context];
    command.extend(["--topic", &topic, "--evaluation", &evaluation, "--sdg", &graph]);
    crawls.iter().for_each(|folder| command.extend(["--crawl", folder]));
    command.extend(["--comparison", &compared, "-o", &report]);
    vec![Stage::new("report", "All of it as one page to look at", &command)]
}

/// The datasets folder of the checkout that this is run in.
fn find_datasets() -> Result<PathBuf> {
    let here = std::env::current_dir().context("the current folder cannot be read")?;
    let found = here.ancestors().map(|folder| folder.join("datasets"));
    let mut found = found.filter(|folder| folder.join("news-mini").is_dir());
    let path = found.next().context(
        "no `datasets` folder here or above; run the demo in a checkout, or name it with --datasets",
    )?;
    // Shown in commands, so as short as it can be.
    Ok(path.strip_prefix(&here).map(Path::to_owned).unwrap_or(path))
}
