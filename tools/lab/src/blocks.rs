//! The arguments that all experiments share: blocks and runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use ontrail_artifact::check_folder;
use ontrail_cli::{Printer, count, stop_flag};
use ontrail_lab::{
    Block, BlockFiles, Comparison, Experiment, ExperimentProgress, NamedRecipe, Speed,
};

/// The arguments about webs, labels, seeds and models.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Webs and models")]
pub(crate) struct BlockArgs {
    /// Web to crawl: the folder of a woven web, or an archive. Each web is a separate block
    #[arg(long, value_name = "DIR|FILE", required_unless_present = "plan")]
    web: Vec<PathBuf>,
    /// File of true labels: a URL, a tab and a label per line [default: labels.tsv of a woven web]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Labels that count as relevant, such as course or sport*
    #[arg(long, value_name = "PATTERN", required_unless_present = "plan")]
    relevant: Option<String>,
    /// File of seed URLs, one per line. Each file is a separate block [default: seeds.txt of a
    /// woven web]
    #[arg(long, alias = "seeds", value_name = "FILE")]
    seed_urls: Vec<PathBuf>,
    /// Number of sets to divide the seed URLs into at random. Each set is a separate block
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    seed_sets: usize,
    /// Topic file (made by ontrail topic weigh, learn or keywords). If several are given, a recipe
    /// uses the one of the kind it is designed for, or else the first
    #[arg(long, value_name = "TOPIC")]
    topic: Vec<PathBuf>,
    /// Classifier (made by ontrail bcw train), for recipes that use one as their gate
    #[arg(long, value_name = "BUNDLE")]
    classifier: Option<PathBuf>,
    /// Class of the topic [default: the class with the name given by --relevant]
    #[arg(long, value_name = "NAME", requires = "classifier")]
    class: Option<String>,
    /// Disambiguation graph (made by ontrail sdg build), for recipes that use one
    #[arg(long, value_name = "GRAPH")]
    sdg: Option<PathBuf>,
    /// Judge (made by ontrail crawl judge), for recipes with judge.kind = "both"
    #[arg(long, value_name = "JUDGE", requires = "classifier")]
    judge: Option<PathBuf>,
    /// WordNet folder, for recipes that compare the meanings of words [default:
    /// /usr/share/wordnet]
    #[arg(long, value_name = "DIR", conflicts_with = "ontology")]
    wordnet: Option<PathBuf>,
    /// Ontology to use instead of WordNet
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    /// Plan: a TOML file that lists the blocks, instead of the flags above (see docs/formats.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["web", "labels", "relevant", "seed_urls", "topic", "classifier", "sdg", "judge", "wordnet", "ontology"])]
    plan: Option<PathBuf>,
}

impl BlockArgs {
    /// Returns the blocks, after checking all their files.
    pub(crate) fn blocks(&self, seed: u64) -> Result<Vec<Block>> {
        let files = match &self.plan {
            Some(path) => BlockFiles::read_plan(path)?,
            None => self.blocks_of_flags(),
        };
        Ok(Block::prepare(files, self.seed_sets, seed)?)
    }

    /// Returns these arguments with other webs.
    pub(crate) fn with_webs(&self, webs: &[PathBuf]) -> Self {
        Self { web: webs.to_vec(), ..self.clone() }
    }

    /// Returns these arguments with another plan.
    pub(crate) fn with_plan(&self, plan: &Path) -> Self {
        Self { plan: Some(plan.to_owned()), ..self.clone() }
    }

    fn blocks_of_flags(&self) -> Vec<BlockFiles> {
        let sets: Vec<Option<PathBuf>> = match self.seed_urls.as_slice() {
            [] => vec![None],
            files => files.iter().cloned().map(Some).collect(),
        };
        let mut blocks = Vec::new();
        for web in &self.web {
            for set in &sets {
                let stem = |path: &Path| {
                    // A dot in the name of a folder does not start an extension.
                    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
                    let name = if whole.is_dir() { whole.file_name() } else { whole.file_stem() };
                    name.unwrap_or_default().to_string_lossy().into_owned()
                };
                let name = match set {
                    Some(set) if sets.len() > 1 => format!("{}/{}", stem(web), stem(set)),
                    _ => stem(web),
                };
                blocks.push(BlockFiles {
                    name,
                    web: web.clone(),
                    labels: self.labels.clone(),
                    relevant: self.relevant.clone().unwrap_or_default(),
                    seed_urls: set.clone(),
                    topics: self.topic.clone(),
                    classifier: self.classifier.clone(),
                    class: self.class.clone(),
                    sdg: self.sdg.clone(),
                    judge: self.judge.clone(),
                    wordnet: self.wordnet.clone(),
                    ontology: self.ontology.clone(),
                    link_model: None,
                });
            }
        }
        blocks
    }
}

/// The arguments about runs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Runs")]
pub(crate) struct RunArgs {
    /// Number of pages that each crawl may fetch
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,
    /// Number of runs of each recipe that makes random choices; other recipes run once, since every
    /// run would be the same
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) repeats: u64,
    /// Random seed of the first run; each repeat adds one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Folder for reports, tables and finished runs. The same command resumes an interrupted
    /// experiment there
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

impl RunArgs {
    /// Refuses an output folder that holds anything but an experiment to resume.
    pub(crate) fn check_output(&self) -> Result<()> {
        let Some(output) = &self.output else { return Ok(()) };
        check_folder(output)?;
        if !names_in(output).is_empty() && !is_experiment(output) {
            bail!(
                "{}: the folder exists and holds no experiment; give the name of a new folder",
                output.display()
            );
        }
        Ok(())
    }

    /// Runs every recipe on every block. Returns `None` if the user stopped the experiment.
    pub(crate) fn run(
        &self,
        blocks: &[Block],
        recipes: &[NamedRecipe],
        has_oracle: bool,
        printer: &mut Printer,
    ) -> Result<Option<(Comparison, Speed)>> {
        let stop = stop_flag().context("cannot listen for signals")?;
        let experiment = Experiment {
            blocks,
            recipes,
            budget: self.budget,
            repeats: self.repeats,
            seed: self.seed,
            folder: self.output.as_ref().map(|output| output.join("runs")),
            has_oracle,
        };
        let line = printer.live_line();
        Ok(experiment.run(&stop, &|progress| line.set(progress_text(&progress)))?)
    }
}

/// Returns true if a folder holds an experiment: finished runs, or as yet nothing but a place for
/// them. Other programs call folders `runs` too.
fn is_experiment(folder: &Path) -> bool {
    let runs = folder.join("runs");
    let is_run = |name: &String| name.contains("--") && name.ends_with(".json");
    let finished = names_in(&runs);
    let is_begun = finished.is_empty() && names_in(folder) == ["runs"];
    runs.is_dir() && finished.iter().all(is_run) && (is_begun || !finished.is_empty())
}

/// Returns the names of the files and folders in a folder, if there is one.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn progress_text(progress: &ExperimentProgress<'_>) -> String {
    match progress {
        ExperimentProgress::Reading { block } => format!("{block}: reading the web"),
        ExperimentProgress::Ran { block, recipe, repeat, runs, pages, seconds } => format!(
            "{block}: {recipe}, run {} · {} runs done, {} pages, {:.0} pages/s",
            repeat + 1,
            count(*runs),
            count(*pages),
            *pages as f64 / seconds
        ),
    }
}
