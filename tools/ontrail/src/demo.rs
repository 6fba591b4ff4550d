//! `ontrail demo`: the pipeline on what ships, stage by stage.
//!
//! Each stage is a command that a user could type, parsed and run as if it had been typed: what the
//! demo shows is what the tools do.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser};
use ontrail_cli::{ExitStatus, Printer};

/// Run the whole pipeline on the datasets that ship with Ontrail
#[derive(Debug, Clone, Args)]
pub(crate) struct Demo {
    /// The folder for everything that the demo makes
    #[arg(long, value_name = "DIR", default_value = "ontrail-demo")]
    out: PathBuf,
    /// The folder of the datasets; found by itself within a checkout
    #[arg(long, value_name = "DIR")]
    datasets: Option<PathBuf>,
}

/// A stage: what it shows, and the command that does it.
struct Stage {
    title: &'static str,
    command: Vec<String>,
}

pub(crate) fn run(args: &Demo, printer: &mut Printer) -> Result<ExitStatus> {
    if printer.is_json() {
        bail!("the demo has no JSON form; run its stages by themselves with --json");
    }
    let datasets = match &args.datasets {
        Some(path) => path.clone(),
        None => find_datasets()?,
    };
    let ontologies = datasets.with_file_name("ontologies");
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("{}: cannot be made", args.out.display()))?;
    let stages = stages(&Files { datasets, ontologies, out: args.out.clone() });
    forget(&args.out)?;
    let total = stages.len();
    for (number, stage) in (1..).zip(&stages) {
        printer.heading(format_args!("[{number}/{total}] {}", stage.title))?;
        printer.command(format_args!("ontrail {}", stage.command.join(" ")))?;
        run_stage(&stage.command, printer)?;
        printer.line("")?;
    }
    printer.line(format_args!("Everything made lies in {}", args.out.display()))?;
    Ok(ExitStatus::Done)
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

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn stages(files: &Files) -> Vec<Stage> {
    let parts = [
        corpus_stages,
        ontology_stages,
        classifier_stages,
        disambiguation_stages,
        crawl_stages,
        lab_stages,
    ];
    let parts = parts.map(|stages| stages(files));
    parts.into_iter().flatten().collect()
}

/// What every tool stands on.
fn corpus_stages(files: &Files) -> Vec<Stage> {
    let (page, news, split) = (files.page(), files.data("news-mini"), files.made("news-split"));
    vec![
        Stage {
            title: "A page turned into features: what the crawler sees",
            command: words(&["inspect", &page, "--url", "http://rain.example.org/017.html"]),
        },
        Stage {
            title: "A labelled corpus, checked for duplicates and leaks",
            command: words(&["corpus", "check", &news]),
        },
        Stage {
            title: "The terms that set its classes apart",
            command: words(&["corpus", "terms", &news, "--top", "5"]),
        },
        Stage {
            title: "The corpus cut into training and test texts",
            command: words(&["corpus", "split", &news, "-o", &split, "--seed", "42"]),
        },
        Stage { title: "What was made says how it was made", command: words(&["inspect", &split]) },
    ]
}

/// From pages to an ontology, and from that to a topic.
fn ontology_stages(files: &Files) -> Vec<Stage> {
    let (page, pages) = (files.page(), files.data("rainstorm-pages"));
    let (terms, overrides) = (files.known("terms.txt"), files.known("overrides.toml"));
    let (context, ontology) = (files.made("rainstorm.cxt"), files.made("rainstorm.owl"));
    let (diagram, picture) = (files.made("rainstorm-lattice.html"), files.made("rainstorm.svg"));
    let topic = files.made("rainstorm.topic.json");
    vec![
        Stage {
            title: "Pages and the terms on them: a formal context",
            command: words(&[
                "lattice",
                "context",
                &pages,
                "--keywords",
                &terms,
                "--top",
                "0",
                "-o",
                &context,
            ]),
        },
        Stage { title: "Its concept lattice", command: words(&["lattice", "build", &context]) },
        Stage {
            title: "The upper part of the lattice as a page to explore",
            command: words(&[
                "lattice",
                "draw",
                &context,
                "--as",
                "iceberg",
                "--max-nodes",
                "60",
                "-o",
                &diagram,
            ]),
        },
        Stage {
            title: "An OWL ontology, with what a person decided about the terms",
            command: words(&[
                "lattice",
                "owl",
                &context,
                "--topic",
                "暴雨灾害",
                "--overrides",
                &overrides,
                "--tree",
                "--depth",
                "6",
                "-o",
                &ontology,
            ]),
        },
        Stage {
            title: "Checked: its figures, and whether anything is wrong with it",
            command: words(&["lattice", "check", &ontology]),
        },
        Stage {
            title: "Its picture",
            command: words(&["lattice", "draw", &ontology, "-o", &picture]),
        },
        Stage {
            title: "The topic: the ontology's terms, weighed by how near they are to it",
            command: words(&["topic", "weigh", &ontology, "--topic", "暴雨灾害", "-o", &topic]),
        },
        Stage {
            title: "How near a page is to the topic, and why",
            command: words(&["topic", "score", &topic, &page]),
        },
    ]
}

/// From labelled news to the class of a page.
fn classifier_stages(files: &Files) -> Vec<Stage> {
    let (page, news) = (files.page(), files.data("news-mini"));
    let (classifier, evaluation) =
        (files.made("news-classifier"), files.made("news-classifier.html"));
    vec![
        Stage {
            title: "A page classifier: mode and features chosen by documents held out",
            command: words(&["bcw", "train", &news, "-o", &classifier, "--auto"]),
        },
        Stage {
            title: "How good it is on news that it has not seen",
            command: words(&["bcw", "eval", &classifier, &news, "-o", &evaluation]),
        },
        Stage {
            title: "What class a page is of, and the words that decided",
            command: words(&["bcw", "predict", &classifier, &page]),
        },
    ]
}

/// From pages on a topic to what a page means by its words.
fn disambiguation_stages(files: &Files) -> Vec<Stage> {
    let (senses, page) = (files.data("senses-zh"), files.data("senses-zh/band.html"));
    let (topic, graph) = (files.made("暴雨.topic.json"), files.made("暴雨.sdg.json"));
    let (picture, label) = (files.made("暴雨.sdg.html"), "暴雨-灾害");
    let build = ["sdg", "build", &senses, "--label", label, "--topic", &topic];
    let against = ["--background", &senses, "--theta", "0.5", "-o", &graph];
    vec![
        Stage {
            title: "Another topic, learned from texts",
            command: words(&["topic", "learn", &senses, "--label", label, "-o", &topic]),
        },
        Stage {
            title: "Which of its words mean something else elsewhere, and what shows their meaning",
            command: words(&[&build[..], &against].concat()),
        },
        Stage {
            title: "The disambiguation graph as a picture",
            command: words(&["sdg", "show", &graph, "-o", &picture]),
        },
        Stage {
            title: "What a page of a band called 暴雨 loses",
            command: words(&["sdg", "apply", &graph, &page]),
        },
        Stage {
            title: "So it is less near the topic",
            command: words(&[
                "topic",
                "score",
                &topic,
                &page,
                "--sdg",
                &graph,
                "--weights",
                "tfidf",
            ]),
        },
    ]
}

/// All of these at work: a crawl of the rainstorm pages, which link to each other.
fn crawl_stages(files: &Files) -> Vec<Stage> {
    let (pages, topic) = (files.data("rainstorm-pages/pages"), files.made("rainstorm.topic.json"));
    let (classifier, crawl) = (files.made("news-classifier"), files.made(CRAWL));
    let what = ["crawl", "run", "--web", &pages, "--topic", &topic, "--classifier", &classifier];
    let how = ["--threshold", "0.6", "-o", &crawl, "http://localhost/001.html"];
    vec![
        Stage {
            title: "A focused crawl, the most promising links first",
            command: words(&[&what[..], &how].concat()),
        },
        Stage {
            title: "How it went, as a page to look at",
            command: words(&["crawl", "report", &crawl]),
        },
    ]
}

/// Crawlers compared on a web whose truth is known. It is woven from texts that no model has seen.
fn lab_stages(files: &Files) -> Vec<Stage> {
    let (texts, web, compared) =
        (files.made("news-split/test.tsv"), files.made(WEB), files.made(COMPARED));
    let (topic, classifier) = (files.made("rainstorm.topic.json"), files.made("news-classifier"));
    let what = ["lab", "compare", "--web", &web, "--relevant", "rainstorm", "--topic", &topic];
    let who = ["--classifier", &classifier, "--recipes", "bfs,ops,fcits-oh,bcw-cc,ontrail"];
    let how = ["--budget", "400", "--repeats", "3", "--seed-sets", "2", "-o", &compared];
    vec![
        Stage {
            title: "A web woven from texts that no model has seen",
            command: words(&["lab", "weave", "--from", &texts, "--pages", "2000", "-o", &web]),
        },
        Stage {
            title: "Crawlers compared on it, by the truth and by their own opinion",
            command: words(&[&what[..], &who, &how].concat()),
        },
    ]
}

/// The folders of the crawl, the woven web and the comparison.
const CRAWL: &str = "rainstorm-crawl";
const WEB: &str = "woven-web";
const COMPARED: &str = "compared";

/// Removes the crawl and the web of an earlier demo: neither replaces another by itself.
fn forget(out: &Path) -> Result<()> {
    for (name, sign) in [(CRAWL, "run.json"), (WEB, "weave.toml")] {
        let folder = out.join(name);
        if folder.join(sign).is_file() {
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("{}: cannot be removed", folder.display()))?;
        }
    }
    Ok(())
}

fn run_stage(command: &[String], printer: &mut Printer) -> Result<()> {
    let words = std::iter::once("ontrail").chain(command.iter().map(String::as_str));
    let args = crate::Args::try_parse_from(words)?;
    let status = crate::run(&args.tool, printer)
        .with_context(|| format!("the stage `ontrail {}` failed", command.join(" ")))?;
    if status != ExitStatus::Done {
        bail!("the stage `ontrail {}` found a problem", command.join(" "));
    }
    Ok(())
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
