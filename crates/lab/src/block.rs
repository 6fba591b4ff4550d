//! The blocks of an experiment: the web, the seeds, the models and the ground truth of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ontrail_artifact::{Checksum, Input};
use ontrail_crawl::{Labels, parse_seeds};
use ontrail_focus::{LoadedModels, ModelFiles};
use ontrail_intake::read_text;
use ontrail_pilot::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::experiment::Setting;
use crate::experiment_error::ExperimentError;
use crate::runs::NamedRecipe;
use crate::weave::{LABELS, SEEDS, WEB};
use crate::web::LoadedWeb;

/// The files of a block, as a plan lists them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BlockFiles {
    /// Name of the block.
    pub name: String,
    /// Folder of a woven web, or an archive.
    pub web: PathBuf,
    /// True labels of the pages; by default those of the woven web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<PathBuf>,
    /// Pattern of the labels that are relevant.
    pub relevant: String,
    /// Seed URLs; by default those of the woven web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed_urls: Option<PathBuf>,
    /// Topics. A recipe uses the first one of the kind it is designed for, or else the first one.
    #[serde(default)]
    pub topics: Vec<PathBuf>,
    /// Folder of a classifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classifier: Option<PathBuf>,
    /// The classifier's class of relevant pages; by default the pattern `relevant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// A disambiguation graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdg: Option<PathBuf>,
    /// A judge that combines topic, classifier and disambiguation graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<PathBuf>,
    /// Folder of WordNet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wordnet: Option<PathBuf>,
    /// An ontology, used instead of WordNet to compare the meanings of words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ontology: Option<PathBuf>,
    /// A link model to begin with, for recipes that learn from links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_model: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    block: Vec<BlockFiles>,
}

impl BlockFiles {
    /// Reads a plan: a TOML file with a `[[block]]` for each block. Its paths are relative to the
    /// plan.
    pub fn read_plan(path: &Path) -> Result<Vec<Self>, ExperimentError> {
        let text = read_text(path)?;
        let plan: PlanFile = toml::from_str(&text).map_err(|error| ExperimentError::Plan {
            path: path.to_owned(),
            reason: error.to_string().trim_end().to_owned(),
        })?;
        if plan.block.is_empty() {
            return Err(ExperimentError::EmptyPlan(path.to_owned()));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(plan.block.into_iter().map(|block| block.relative_to(folder)).collect())
    }

    fn relative_to(self, folder: &Path) -> Self {
        let from = |path: &Path| folder.join(path);
        Self {
            web: from(&self.web),
            labels: self.labels.as_deref().map(from),
            seed_urls: self.seed_urls.as_deref().map(from),
            topics: self.topics.iter().map(|path| from(path)).collect(),
            classifier: self.classifier.as_deref().map(from),
            sdg: self.sdg.as_deref().map(from),
            judge: self.judge.as_deref().map(from),
            wordnet: self.wordnet.as_deref().map(from),
            ontology: self.ontology.as_deref().map(from),
            link_model: self.link_model.as_deref().map(from),
            ..self
        }
    }

    /// Returns the path of the archive; a woven web has it in its folder.
    #[must_use]
    pub fn archive(&self) -> PathBuf {
        if self.web.is_dir() { self.web.join(WEB) } else { self.web.clone() }
    }

    /// Reads the models.
    pub fn read_models(&self) -> Result<LoadedModels, ExperimentError> {
        let files = ModelFiles {
            topics: self.topics.clone(),
            classifier: self.classifier.clone(),
            sdg: self.sdg.clone(),
            judge: self.judge.clone(),
            ontology: self.ontology.clone(),
            wordnet: self.wordnet.clone(),
            link_model: self.link_model.clone(),
        };
        files.read().map_err(|source| ExperimentError::Model { block: self.name.clone(), source })
    }

    /// Returns the recipe as it runs with these models, or an error if one is missing.
    pub fn fit(
        &self,
        models: &LoadedModels,
        recipe: &NamedRecipe,
    ) -> Result<Recipe, ExperimentError> {
        // A judge knows its class.
        let has_judge = self.judge.is_some() && recipe.recipe.judge.combines();
        let by_pattern = self.classifier.as_ref().filter(|_| !has_judge);
        let by_pattern = by_pattern.map(|_| self.relevant.as_str());
        let class = self.class.as_deref().or(by_pattern);
        models
            .fit(&recipe.recipe, &recipe.name, class)
            .map_err(|source| ExperimentError::Model { block: self.name.clone(), source })
    }

    fn labels_path(&self) -> Result<PathBuf, ExperimentError> {
        self.given_or_beside(self.labels.as_ref(), LABELS, "--labels")
    }

    fn seeds_path(&self) -> Result<PathBuf, ExperimentError> {
        self.given_or_beside(self.seed_urls.as_ref(), SEEDS, "--seed-urls")
    }

    fn given_or_beside(
        &self,
        given: Option<&PathBuf>,
        name: &str,
        option: &'static str,
    ) -> Result<PathBuf, ExperimentError> {
        match given {
            Some(path) => Ok(path.clone()),
            None if self.web.is_dir() => Ok(self.web.join(name)),
            None => Err(ExperimentError::NotNamed { web: self.web.clone(), option }),
        }
    }

    /// Reads the seeds and divides them into sets.
    fn seed_sets(&self, sets: usize, random_seed: u64) -> Result<Vec<Vec<Url>>, ExperimentError> {
        if !self.web.exists() {
            return Err(ExperimentError::NoWeb(self.web.clone()));
        }
        let path = self.seeds_path()?;
        let mut seeds = parse_seeds(&read_text(&path)?)
            .map_err(|error| ExperimentError::Seed { path: path.clone(), error })?;
        if seeds.is_empty() {
            return Err(ExperimentError::NoSeeds(path));
        }
        if seeds.len() < sets {
            return Err(ExperimentError::TooFewSeeds { path, seeds: seeds.len(), sets });
        }
        if sets > 1 {
            // Sorting by a hash gives the same sets whatever the order of the file.
            seeds.sort_by_key(|url| {
                Checksum::of(format!("{random_seed} {url}").as_bytes()).to_string()
            });
        }
        let set = |number: usize| seeds.iter().skip(number).step_by(sets).cloned().collect();
        Ok((0..sets).map(set).collect())
    }
}

/// One block of an experiment: a topic, a web and a set of seeds.
#[derive(Debug, Clone, Serialize)]
pub struct Block {
    /// Name of the block; unique within an experiment.
    pub name: String,
    /// Its files.
    pub files: BlockFiles,
    /// Its seeds.
    #[serde(skip)]
    pub seeds: Vec<Url>,
    /// Checksum of everything that a run of this block depends on.
    pub checksum: Checksum,
}

impl Block {
    /// Makes the blocks of an experiment. With more than one seed set, the seeds of each entry are
    /// divided at random into that many blocks. Checks all files before anything is crawled.
    pub fn prepare(
        files: Vec<BlockFiles>,
        seed_sets: usize,
        random_seed: u64,
    ) -> Result<Vec<Self>, ExperimentError> {
        let mut blocks = Vec::new();
        let mut sums = BTreeMap::new();
        for files in files {
            for (set, seeds) in files.seed_sets(seed_sets, random_seed)?.into_iter().enumerate() {
                let name = match seed_sets {
                    1 => files.name.clone(),
                    _ => format!("{}/set{}", files.name, set + 1),
                };
                let checksum = checksum(&files, &seeds, &mut sums)?;
                blocks.push(Self { name, files: files.clone(), seeds, checksum });
            }
        }
        let mut names: Vec<&str> = blocks.iter().map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        match names.array_windows().find(|[a, b]| a == b) {
            Some([twice, _]) => Err(ExperimentError::SameName((*twice).to_owned())),
            None => Ok(blocks),
        }
    }

    /// Reads the archive.
    pub(crate) fn load_web(&self) -> Result<Arc<LoadedWeb>, ExperimentError> {
        let path = self.files.archive();
        let web = LoadedWeb::open(std::slice::from_ref(&path))?;
        if web.is_empty() {
            return Err(ExperimentError::EmptyWeb(path));
        }
        Ok(Arc::new(web))
    }

    /// Reads the labels and checks that the web has at least one of the seeds.
    pub(crate) fn setting(
        &self,
        budget: u64,
        seed: u64,
        web: Arc<LoadedWeb>,
    ) -> Result<Setting, ExperimentError> {
        if !self.seeds.iter().any(|url| web.place(url.as_str()).is_some()) {
            return Err(ExperimentError::SeedsElsewhere {
                block: self.name.clone(),
                seeds: self.seeds.len(),
                web: self.files.web.clone(),
            });
        }
        let labels = Labels::read(&self.files.labels_path()?, &self.files.relevant)?;
        Ok(Setting { web, labels, seeds: self.seeds.clone(), budget, seed })
    }
}

/// Returns the checksum of everything that a block depends on. Files that several blocks share are
/// read once.
fn checksum(
    files: &BlockFiles,
    seeds: &[Url],
    sums: &mut BTreeMap<PathBuf, String>,
) -> Result<Checksum, ExperimentError> {
    let mut paths = vec![files.archive(), files.labels_path()?];
    paths.extend(files.topics.iter().cloned());
    let models = [&files.classifier, &files.sdg, &files.judge, &files.ontology, &files.link_model];
    paths.extend(models.into_iter().flatten().cloned());
    let mut text = format!("{} {:?} {:?}\n", files.relevant, files.class, files.wordnet);
    for path in paths {
        if !sums.contains_key(&path) {
            sums.insert(path.clone(), Input::read(&path)?.sha256.to_string());
        }
        text += &format!("{}\n", sums[&path]);
    }
    seeds.iter().for_each(|url| text += &format!("{url}\n"));
    Ok(Checksum::of(text.as_bytes()))
}
