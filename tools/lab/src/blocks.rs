//! The blocks of an experiment: what is crawled, from where, with which models, and what the truth is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use ontrail_artifact::{Checksum, Input};
use ontrail_cli::Printer;
use ontrail_crawl::{Labels, parse_seeds};
use ontrail_focus::{LoadedModels, ModelFiles, TopicMismatch, made_from};
use ontrail_intake::read_text;
use ontrail_lab::{Contender, LABELS, LoadedWeb, SEEDS, Setting, Shelf, ShelfReader, WEB};
use ontrail_pilot::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::plan::BlockFile;

/// What is crawled, from where, with which models.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is crawled, and with what")]
pub(crate) struct BlockArgs {
    /// A web: the folder of a woven one, or an archive. Each is a block of its own
    #[arg(long, value_name = "DIR|FILE", required_unless_present = "plan")]
    web: Vec<PathBuf>,
    /// The truth: rows of an address, a tab and a label [default: labels.tsv of a woven web]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Which labels are relevant, such as course or sport*
    #[arg(long, value_name = "PATTERN", required_unless_present = "plan")]
    relevant: Option<String>,
    /// Files of addresses to begin with; each is a block of its own [default: seeds.txt of a woven web]
    #[arg(long, alias = "seeds", value_name = "FILE")]
    seed_urls: Vec<PathBuf>,
    /// Divide the addresses to begin with into so many sets by chance; each is a block of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    seed_sets: usize,
    /// Topics (ontrail topic weigh, learn or keywords). Of several, a recipe takes the one of the kind that it is meant for, else the first
    #[arg(long, value_name = "TOPIC")]
    topic: Vec<PathBuf>,
    /// A classifier (ontrail bcw train), for recipes whose gate it keeps
    #[arg(long, value_name = "BUNDLE")]
    classifier: Option<PathBuf>,
    /// The class of the topic [default: the class that is called like --relevant]
    #[arg(long, value_name = "NAME", requires = "classifier")]
    class: Option<String>,
    /// A disambiguation graph (ontrail sdg build), for recipes that use one
    #[arg(long, value_name = "GRAPH")]
    sdg: Option<PathBuf>,
    /// Where recipes that compare meanings look them up: WordNet's folder [default: /usr/share/wordnet]
    #[arg(long, value_name = "DIR", conflicts_with = "ontology")]
    wordnet: Option<PathBuf>,
    /// An ontology instead of WordNet
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    /// A file that lists the blocks (TOML; docs/formats.md), instead of the flags above
    #[arg(long, value_name = "FILE", conflicts_with_all = ["web", "labels", "relevant", "seed_urls", "topic", "classifier", "sdg", "wordnet", "ontology"])]
    plan: Option<PathBuf>,
}

/// A block: topic × web × seed set.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Block {
    pub(crate) name: String,
    pub(crate) files: BlockFile,
    #[serde(skip)]
    pub(crate) seeds: Vec<Url>,
    /// What a run of it depends on, in one checksum.
    pub(crate) checksum: Checksum,
}

impl BlockArgs {
    /// The blocks that were asked for. Everything is looked at before anything is crawled.
    pub(crate) fn blocks(&self, seed: u64) -> Result<Vec<Block>> {
        let files = match &self.plan {
            Some(path) => crate::plan::read(path)?,
            None => self.given(),
        };
        let mut blocks = Vec::new();
        let mut sums = BTreeMap::new();
        for file in files {
            for block in seed_sets(&file, self.seed_sets, seed)? {
                blocks.push(block.summed(&mut sums)?);
            }
        }
        let mut names: Vec<&str> = blocks.iter().map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        if let Some([twice, _]) = names.array_windows().find(|[a, b]| a == b) {
            bail!("two blocks are called {twice}; give them different names in a plan");
        }
        Ok(blocks)
    }

    /// The same on other webs.
    pub(crate) fn with_webs(&self, webs: &[PathBuf]) -> Self {
        Self { web: webs.to_vec(), ..self.clone() }
    }

    /// The same with the blocks of another plan.
    pub(crate) fn with_plan(&self, plan: &Path) -> Self {
        Self { plan: Some(plan.to_owned()), ..self.clone() }
    }

    fn given(&self) -> Vec<BlockFile> {
        let sets: Vec<Option<PathBuf>> = match self.seed_urls.as_slice() {
            [] => vec![None],
            files => files.iter().cloned().map(Some).collect(),
        };
        let mut blocks = Vec::new();
        for web in &self.web {
            for set in &sets {
                let stem = |path: &Path| {
                    // The name of a folder may have dots in it.
                    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
                    let name = if whole.is_dir() { whole.file_name() } else { whole.file_stem() };
                    name.unwrap_or_default().to_string_lossy().into_owned()
                };
                let name = match set {
                    Some(set) if sets.len() > 1 => format!("{}/{}", stem(web), stem(set)),
                    _ => stem(web),
                };
                blocks.push(BlockFile {
                    name,
                    web: web.clone(),
                    labels: self.labels.clone(),
                    relevant: self.relevant.clone().unwrap_or_default(),
                    seed_urls: set.clone(),
                    topics: self.topic.clone(),
                    classifier: self.classifier.clone(),
                    class: self.class.clone(),
                    sdg: self.sdg.clone(),
                    wordnet: self.wordnet.clone(),
                    ontology: self.ontology.clone(),
                });
            }
        }
        blocks
    }
}

/// The block of a file, or several that divide its seeds.
fn seed_sets(files: &BlockFile, sets: usize, seed: u64) -> Result<Vec<Block>> {
    if !files.web.exists() {
        bail!(
            "{}: no such file or folder; give the folder of a woven web, or an archive",
            files.web.display()
        );
    }
    let path = files.seeds_path()?;
    let mut seeds = parse_seeds(&read_text(&path)?)
        .map_err(|error| anyhow!("{}:{}: {error}", path.display(), error.line))?;
    if seeds.is_empty() {
        bail!("{}: no addresses in it", path.display());
    }
    if seeds.len() < sets {
        bail!("{}: {} addresses cannot be divided into {sets} sets", path.display(), seeds.len());
    }
    let block = |name: String, seeds: Vec<Url>| Block {
        name,
        files: files.clone(),
        seeds,
        checksum: Checksum::of(b""),
    };
    if sets == 1 {
        return Ok(vec![block(files.name.clone(), seeds)]);
    }
    // By a hash of each address: the same sets, whatever the order of the file.
    seeds.sort_by_key(|url| Checksum::of(format!("{seed} {url}").as_bytes()).to_string());
    let each = |set: usize| seeds.iter().skip(set).step_by(sets).cloned().collect();
    Ok((0..sets).map(|set| block(format!("{}/set{}", files.name, set + 1), each(set))).collect())
}

impl Block {
    /// With the checksum of everything that it depends on. Files that several blocks have are read once.
    fn summed(mut self, sums: &mut BTreeMap<PathBuf, String>) -> Result<Self> {
        let files = &self.files;
        let mut paths = vec![files.archive(), files.labels_path()?];
        paths.extend(files.topics.iter().cloned());
        paths.extend(
            [&files.classifier, &files.sdg, &files.ontology].into_iter().flatten().cloned(),
        );
        let mut text = format!("{} {:?} {:?}\n", files.relevant, files.class, files.wordnet);
        for path in paths {
            if !sums.contains_key(&path) {
                sums.insert(path.clone(), Input::read(&path)?.sha256.to_string());
            }
            text += &format!("{}\n", sums[&path]);
        }
        self.seeds.iter().for_each(|url| text += &format!("{url}\n"));
        self.checksum = Checksum::of(text.as_bytes());
        Ok(self)
    }

    /// Reads the web and the truth.
    pub(crate) fn setting(&self, budget: u64, seed: u64, web: Arc<LoadedWeb>) -> Result<Setting> {
        if !self.seeds.iter().any(|url| web.place(url.as_str()).is_some()) {
            bail!(
                "block {}: none of the {} addresses to begin with is in {}; give others with --seed-urls",
                self.name,
                self.seeds.len(),
                self.files.web.display()
            );
        }
        let labels = Labels::read(&self.files.labels_path()?, &self.files.relevant)?;
        Ok(Setting { web, labels, seeds: self.seeds.clone(), budget, seed })
    }

    /// Reads the archive.
    pub(crate) fn load(&self) -> Result<Arc<LoadedWeb>> {
        let path = self.files.archive();
        let web = LoadedWeb::open(std::slice::from_ref(&path))?;
        if web.is_empty() {
            bail!("{}: no pages in it", path.display());
        }
        Ok(Arc::new(web))
    }
}

impl BlockFile {
    /// The archive: of a woven web the one in its folder.
    pub(crate) fn archive(&self) -> PathBuf {
        if self.web.is_dir() { self.web.join(WEB) } else { self.web.clone() }
    }

    fn beside(&self, given: Option<&PathBuf>, name: &str, option: &str) -> Result<PathBuf> {
        match given {
            Some(path) => Ok(path.clone()),
            None if self.web.is_dir() => Ok(self.web.join(name)),
            None => bail!(
                "{}: is no woven web, so say with {option} which file to take",
                self.web.display()
            ),
        }
    }

    pub(crate) fn labels_path(&self) -> Result<PathBuf> {
        self.beside(self.labels.as_ref(), LABELS, "--labels")
    }

    fn seeds_path(&self) -> Result<PathBuf> {
        self.beside(self.seed_urls.as_ref(), SEEDS, "--seed-urls")
    }
}

/// A crawler that was asked for, by the name under which it is shown.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) recipe: Recipe,
}

/// The models of a block, read.
pub(crate) struct Models {
    loaded: LoadedModels,
    /// The class of pages that are relevant, for gates that a classifier keeps.
    class: Option<String>,
}

impl Models {
    /// Reads the models of a block.
    pub(crate) fn read(files: &BlockFile) -> Result<Self> {
        let loaded = ModelFiles {
            topics: files.topics.clone(),
            classifier: files.classifier.clone(),
            sdg: files.sdg.clone(),
            ontology: files.ontology.clone(),
            wordnet: files.wordnet.clone(),
        };
        let class = files
            .class
            .clone()
            .or_else(|| files.classifier.as_ref().map(|_| files.relevant.clone()));
        Ok(Self { loaded: loaded.read()?, class })
    }

    /// The recipe as it is run here: its gate knows the class.
    fn fitted(&self, asked: &Asked) -> Result<Recipe> {
        Ok(self.loaded.fit(&asked.recipe, &asked.name, self.class.as_deref())?)
    }

    /// Refuses recipes for which a model is missing, before anything is crawled.
    pub(crate) fn check(&self, asked: &[Asked]) -> Result<()> {
        asked.iter().try_for_each(|asked| self.fitted(asked).map(|_| ()))
    }

    /// Whether a recipe can be run with what there is.
    pub(crate) fn suffice_for(&self, asked: &Asked) -> bool {
        self.fitted(asked).is_ok()
    }

    /// Makes crawlers ready: those that take the same topic share what is read.
    pub(crate) fn contenders(
        &self,
        asked: &[Asked],
        web: &Arc<LoadedWeb>,
    ) -> Result<Vec<Contender>> {
        let fitted: Vec<(Recipe, Option<usize>)> = asked
            .iter()
            .map(|asked| {
                let recipe = self.fitted(asked)?;
                let topic = self.loaded.topic_of(&recipe);
                Ok((recipe, topic))
            })
            .collect::<Result<_>>()?;
        let mut readers: Vec<Option<ShelfReader>> = vec![None; asked.len()];
        for topic in (0..self.loaded.topic_count()).map(Some).chain([None]) {
            let own: Vec<usize> = (0..asked.len()).filter(|at| fitted[*at].1 == topic).collect();
            if own.is_empty() {
                continue;
            }
            let recipes: Vec<&Recipe> = own.iter().map(|at| &fitted[*at].0).collect();
            let (panel, judges) = self.loaded.panel(topic, &recipes)?;
            let read_once = Arc::new(Shelf::new(Arc::clone(web), panel));
            for ((at, recipe), judge) in own.into_iter().zip(recipes).zip(judges) {
                readers[at] = Some(ShelfReader {
                    shelf: Arc::clone(&read_once),
                    judge,
                    has_context: recipe.needs_context(),
                    has_blocks: recipe.needs_blocks(),
                    has_class: recipe.class().is_some(),
                });
            }
        }
        let made =
            asked.iter().zip(fitted).zip(readers).map(|((asked, (recipe, topic)), reader)| {
                let reader = reader.context("every recipe has a reader")?;
                let (name, has_topic) = (asked.name.clone(), topic.is_some());
                Ok(Contender { name, recipe, focus: Arc::new(reader), has_topic })
            });
        made.collect()
    }

    /// Says of each recipe that is meant for another kind of topic which one it gets.
    pub(crate) fn note_topics(&self, asked: &[Asked], printer: &mut Printer) {
        let mut without: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
        for asked in asked {
            if let Some(TopicMismatch::Origin { wanted, .. }) = self.loaded.mismatch(&asked.recipe)
            {
                without.entry(made_from(wanted)).or_default().push(&asked.name);
            }
        }
        for (made, names) in without {
            printer.note(format_args!(
                "meant for a topic made from {made}, and given another: {}",
                names.join(", ")
            ));
        }
    }
}

/// How the crawlers of an experiment are asked for.
#[derive(Debug, Clone, Args, Deserialize)]
#[command(next_help_heading = "How it is done")]
pub(crate) struct RunArgs {
    /// How many pages each crawl may fetch
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,
    /// How often each crawl that leaves anything to chance is repeated; the others go the same way each time
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) repeats: u64,
    /// What fixes every random choice; each repeat adds one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// A folder for everything that comes: reports, tables, and the runs, so that the same command goes on where it was broken off
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

impl RunArgs {
    /// Refuses a folder that holds anything but an experiment to go on with.
    pub(crate) fn check_output(&self) -> Result<()> {
        let Some(output) = &self.output else { return Ok(()) };
        let is_taken = std::fs::read_dir(output).is_ok_and(|mut files| files.next().is_some());
        if is_taken && !output.join("runs").is_dir() {
            bail!(
                "{}: is there and holds no experiment; give the name of a new folder",
                output.display()
            );
        }
        Ok(())
    }
}
