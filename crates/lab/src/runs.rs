//! All runs of an experiment: made on all cores, saved as they finish, and never made twice.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use ontrail_artifact::{Checksum, write_atomically};
use ontrail_crawl::CrawlError;
use ontrail_focus::LoadedModels;
use ontrail_pilot::Recipe;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::block::Block;
use crate::comparison::Comparison;
use crate::experiment::{Contender, RunOutcome, Setting, run, run_in};
use crate::experiment_error::ExperimentError;
use crate::figures::Speed;
use crate::oracle::{ORACLE, Oracle};
use crate::shelf::{Shelf, ShelfReader};
use crate::web::LoadedWeb;

/// Version of the saved runs. Bump it to invalidate cached runs.
const FORMAT: u32 = 2;

/// A recipe and the name under which its figures are shown.
#[derive(Debug, Clone)]
pub struct NamedRecipe {
    /// The name; unique within an experiment.
    pub name: String,
    /// The recipe.
    pub recipe: Recipe,
}

/// An experiment: every recipe crawls every block.
#[derive(Debug)]
pub struct Experiment<'a> {
    /// The blocks.
    pub blocks: &'a [Block],
    /// The recipes.
    pub recipes: &'a [NamedRecipe],
    /// Number of pages that each crawl may fetch.
    pub budget: u64,
    /// Number of times that a crawl with random choices is repeated. The others need one run only.
    pub repeats: u64,
    /// Random seed of the first repeat; each further one adds 1.
    pub seed: u64,
    /// Folder for finished runs. An experiment with the same folder reuses them.
    pub folder: Option<PathBuf>,
    /// True to run the oracle, too.
    pub has_oracle: bool,
}

/// The state of an experiment, reported while it runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ExperimentProgress<'a> {
    /// The web of a block is being read.
    Reading {
        /// Name of the block.
        block: &'a str,
    },
    /// A run has finished.
    Ran {
        /// Name of the block.
        block: &'a str,
        /// Name of the recipe.
        recipe: &'a str,
        /// Number of the repeat, from 0.
        repeat: u64,
        /// Number of runs so far.
        runs: u64,
        /// Number of pages fetched so far, in all runs together.
        pages: u64,
        /// Seconds since the experiment began.
        seconds: f64,
    },
}

impl Experiment<'_> {
    /// Makes all runs that are not saved yet. Returns `None` if `stop` was set meanwhile.
    pub fn run(
        &self,
        stop: &AtomicBool,
        progress: &(dyn Fn(ExperimentProgress<'_>) + Sync),
    ) -> Result<Option<(Comparison, Speed)>, ExperimentError> {
        if let Some(folder) = &self.folder {
            fs::create_dir_all(folder)
                .map_err(|source| ExperimentError::Folder { path: folder.clone(), source })?;
        }
        let runs = Runs { experiment: self, stop, progress, counts: Counts::new() };
        let names = self.recipes.iter().map(|it| it.name.clone()).collect();
        let mut comparison = Comparison { names, budget: self.budget, ..Comparison::default() };
        for block in self.blocks {
            let Some(made) = runs.block(block)? else { return Ok(None) };
            comparison.blocks.push(block.name.clone());
            comparison.runs.push(made);
            if self.has_oracle {
                let Some(outcome) = runs.oracle(block)? else { return Ok(None) };
                comparison.oracle.push(outcome);
            }
        }
        Ok(Some((comparison, runs.counts.speed())))
    }

    /// Returns the key of a run of a recipe.
    fn key<'k>(&self, block: &'k Block, recipe: &'k NamedRecipe, repeat: u64) -> RunKey<'k> {
        let settings = toml::to_string(&recipe.recipe).unwrap_or_default();
        self.key_of(block, &recipe.name, &settings, repeat)
    }

    /// Returns the key of the run of the oracle.
    fn oracle_key<'k>(&self, block: &'k Block) -> RunKey<'k> {
        self.key_of(block, ORACLE, "the oracle", 0)
    }

    fn key_of<'k>(
        &self,
        block: &'k Block,
        crawler: &'k str,
        settings: &str,
        repeat: u64,
    ) -> RunKey<'k> {
        let version = env!("CARGO_PKG_VERSION");
        let text = format!(
            "{FORMAT} {version} {} {} {}\n{settings}",
            block.checksum,
            self.budget,
            self.seed.wrapping_add(repeat)
        );
        RunKey { block: &block.name, crawler, repeat, sum: Checksum::of(text.as_bytes()) }
    }

    /// Returns the file of a run: readable names, short enough for every file system, and the start
    /// of its key.
    fn path(&self, key: &RunKey<'_>) -> Option<PathBuf> {
        let plain = |name: &str| -> String {
            let is_plain = |letter: char| letter.is_alphanumeric() || "-_.=".contains(letter);
            name.chars()
                .take(30)
                .map(|letter| if is_plain(letter) { letter } else { '-' })
                .collect()
        };
        let RunKey { block, crawler, repeat, sum } = key;
        let (block, crawler, sum) = (plain(block), plain(crawler), sum.to_string());
        let name = format!("{block}--{crawler}--{repeat}--{}.json", &sum[..12]);
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    /// Returns the saved run with the same web, models, recipe and settings, if there is one.
    fn saved(&self, key: &RunKey<'_>) -> Option<RunOutcome> {
        let bytes = fs::read(self.path(key)?).ok()?;
        let saved: SavedRun = serde_json::from_slice(&bytes).ok()?;
        (saved.key == key.sum).then_some(saved.outcome)
    }

    fn save(&self, key: &RunKey<'_>, outcome: &RunOutcome) -> Result<(), ExperimentError> {
        let Some(path) = self.path(key) else { return Ok(()) };
        let saved = SavedRun { key: key.sum.clone(), outcome: outcome.clone() };
        Ok(write_atomically(&path, |out| Ok(serde_json::to_writer(out, &saved)?))?)
    }
}

/// The key that tells a run from all others.
struct RunKey<'k> {
    block: &'k str,
    crawler: &'k str,
    repeat: u64,
    /// Checksum of everything that the run depends on.
    sum: Checksum,
}

/// A run in its file.
#[derive(Serialize, Deserialize)]
struct SavedRun {
    /// Checksum of everything that the run depends on.
    key: Checksum,
    outcome: RunOutcome,
}

/// Counters that all threads add to.
struct Counts {
    start: Instant,
    runs: AtomicU64,
    pages: AtomicU64,
    nanoseconds: AtomicU64,
    saved_runs: AtomicU64,
}

impl Counts {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            runs: AtomicU64::new(0),
            pages: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
            saved_runs: AtomicU64::new(0),
        }
    }

    /// Counts a run. Returns the numbers of runs and pages so far.
    fn add(&self, outcome: &RunOutcome) -> (u64, u64) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a run takes less than centuries"
        )]
        let nanoseconds = (outcome.seconds * 1e9) as u64;
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        let pages = self.pages.fetch_add(outcome.pages, Ordering::Relaxed) + outcome.pages;
        (self.runs.fetch_add(1, Ordering::Relaxed) + 1, pages)
    }

    fn speed(&self) -> Speed {
        let pages = self.pages.load(Ordering::Relaxed);
        let core_seconds = self.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9;
        Speed {
            pages,
            core_seconds,
            pages_per_core_second: pages as f64 / core_seconds.max(1e-9),
            seconds: self.start.elapsed().as_secs_f64(),
            kept_runs: self.saved_runs.load(Ordering::Relaxed),
        }
    }
}

/// The runs of an experiment while they are being made.
struct Runs<'a> {
    experiment: &'a Experiment<'a>,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(ExperimentProgress<'_>) + Sync),
    counts: Counts,
}

/// Everything needed to run a block; read only if a run is missing.
struct Ready {
    setting: Setting,
    contenders: Vec<Contender>,
}

impl Runs<'_> {
    /// Makes the first run of every recipe, then the repeats of those that make random choices.
    fn block(&self, block: &Block) -> Result<Option<Vec<Vec<RunOutcome>>>, ExperimentError> {
        let recipes = self.experiment.recipes.len();
        let ready = OnceLock::new();
        let first: Vec<(usize, u64)> = (0..recipes).map(|at| (at, 0)).collect();
        let Some(first) = self.all(&first, block, &ready)? else { return Ok(None) };
        let mut runs: Vec<Vec<RunOutcome>> =
            first.into_iter().map(|outcome| vec![outcome]).collect();
        let again: Vec<(usize, u64)> = (1..self.experiment.repeats)
            .flat_map(|repeat| (0..recipes).map(move |at| (at, repeat)))
            .filter(|(at, _)| runs[*at][0].is_random)
            .collect();
        let Some(made) = self.all(&again, block, &ready)? else { return Ok(None) };
        again.into_iter().zip(made).for_each(|((at, _), outcome)| runs[at].push(outcome));
        Ok(Some(runs))
    }

    fn all(
        &self,
        wanted: &[(usize, u64)],
        block: &Block,
        ready: &OnceLock<Ready>,
    ) -> Result<Option<Vec<RunOutcome>>, ExperimentError> {
        let recipes = self.experiment.recipes;
        let saved: Vec<Option<RunOutcome>> = wanted
            .iter()
            .map(|(at, repeat)| {
                self.experiment.saved(&self.experiment.key(block, &recipes[*at], *repeat))
            })
            .collect();
        self.counts.saved_runs.fetch_add(saved.iter().flatten().count() as u64, Ordering::Relaxed);
        if saved.iter().any(Option::is_none) && ready.get().is_none() {
            // Only this thread sets it.
            let _ = ready.set(self.prepare(block)?);
        }
        let made: Result<Vec<Option<RunOutcome>>, ExperimentError> = wanted
            .par_iter()
            .zip(saved)
            .map(|((at, repeat), saved)| match (saved, ready.get()) {
                (Some(outcome), _) => Ok(Some(outcome)),
                (None, Some(ready)) => self.run(block, *at, *repeat, ready),
                (None, None) => Ok(None),
            })
            .collect();
        Ok(made?.into_iter().collect())
    }

    fn prepare(&self, block: &Block) -> Result<Ready, ExperimentError> {
        (self.progress)(ExperimentProgress::Reading { block: &block.name });
        let web = block.load_web()?;
        let models = block.files.read_models()?;
        let contenders = contenders(block, &models, self.experiment.recipes, &web)?;
        let setting = block.setting(self.experiment.budget, self.experiment.seed, web)?;
        Ok(Ready { setting, contenders })
    }

    fn run(
        &self,
        block: &Block,
        at: usize,
        repeat: u64,
        ready: &Ready,
    ) -> Result<Option<RunOutcome>, ExperimentError> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let key = self.experiment.key(block, &self.experiment.recipes[at], repeat);
        let made = run(&ready.setting, &ready.contenders[at], repeat, self.stop);
        self.finished(&key, made)
    }

    /// Runs the oracle, unless its run is saved.
    fn oracle(&self, block: &Block) -> Result<Option<RunOutcome>, ExperimentError> {
        let key = self.experiment.oracle_key(block);
        if let Some(outcome) = self.experiment.saved(&key) {
            self.counts.saved_runs.fetch_add(1, Ordering::Relaxed);
            return Ok(Some(outcome));
        }
        (self.progress)(ExperimentProgress::Reading { block: &block.name });
        let web = block.load_web()?;
        let setting = block.setting(self.experiment.budget, self.experiment.seed, web)?;
        let oracle = Oracle::new(&setting);
        let state = |limits| oracle.state(limits);
        let made = run_in(&setting, oracle.contender(), 0, self.stop, &state);
        self.finished(&key, made)
    }

    /// Saves and counts a run, unless it was stopped.
    fn finished(
        &self,
        key: &RunKey<'_>,
        made: Result<Option<RunOutcome>, CrawlError>,
    ) -> Result<Option<RunOutcome>, ExperimentError> {
        let made = made.map_err(|source| ExperimentError::Crawl {
            block: key.block.to_owned(),
            recipe: key.crawler.to_owned(),
            source: Box::new(source),
        })?;
        let Some(outcome) = made else { return Ok(None) };
        self.experiment.save(key, &outcome)?;
        let (runs, pages) = self.counts.add(&outcome);
        (self.progress)(ExperimentProgress::Ran {
            block: key.block,
            recipe: key.crawler,
            repeat: key.repeat,
            runs,
            pages,
            seconds: self.counts.start.elapsed().as_secs_f64(),
        });
        Ok(Some(outcome))
    }
}

/// Gives each recipe the models of a block. Recipes with the same topic share what is read.
fn contenders(
    block: &Block,
    models: &LoadedModels,
    recipes: &[NamedRecipe],
    web: &Arc<LoadedWeb>,
) -> Result<Vec<Contender>, ExperimentError> {
    let fitted: Vec<(&str, Recipe)> = recipes
        .iter()
        .map(|it| Ok((it.name.as_str(), block.files.fit(models, it)?)))
        .collect::<Result<_, ExperimentError>>()?;
    let mut made: Vec<(usize, Contender)> = Vec::new();
    for topic in (0..models.topic_count()).map(Some).chain([None]) {
        let takes_it =
            |(_, (_, recipe)): &(usize, &(&str, Recipe))| models.topic_of(recipe) == topic;
        let own: Vec<(usize, &(&str, Recipe))> =
            fitted.iter().enumerate().filter(takes_it).collect();
        let recipes: Vec<&Recipe> = own.iter().map(|(_, (_, recipe))| recipe).collect();
        if recipes.is_empty() {
            continue;
        }
        let (panel, used) = models
            .panel(topic, &recipes)
            .map_err(|source| ExperimentError::Model { block: block.name.clone(), source })?;
        let shelf = Arc::new(Shelf::new(Arc::clone(web), panel));
        for ((at, (name, recipe)), used) in own.into_iter().zip(used) {
            let reader = ShelfReader {
                shelf: Arc::clone(&shelf),
                used,
                has_context: recipe.needs_context(),
                has_blocks: recipe.needs_blocks(),
                has_clues: recipe.learns_links(),
                has_class: recipe.class().is_some(),
                start_curve: models.start_curve_for(recipe).ok().flatten(),
                link_model: models.link_model_for(recipe),
            };
            let contender = Contender {
                name: (*name).to_owned(),
                recipe: recipe.clone(),
                focus: Arc::new(reader),
                has_topic: topic.is_some(),
            };
            made.push((at, contender));
        }
    }
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, contender)| contender).collect())
}
