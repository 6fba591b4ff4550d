//! The files that models are read from, and whether they suffice for a recipe.
//!
//! A crawl, an experiment and a project all ask the same question: which models does this recipe need, and
//! are they there? [`ModelFiles::read`] reads each file once, [`LoadedModels::fit`] answers, and
//! [`LoadedModels::for_recipe`] makes what reads the pages.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ontrail_artifact::Provenance;
use ontrail_bcw::Classifier;
use ontrail_ontology::OntologyError;
use ontrail_pilot::{DepMode, Recipe, TopicRecipe};
use ontrail_sdg::{Sdg, Senses};
use ontrail_taxonomy::{Measure, MeasureKind, Taxonomy, WordNet, WordNetError};
use ontrail_topic::{Origin, ScorerError, Topic};

use crate::{Judging, Models, Panel, model_of};

/// The files of the models that a user gave. Any may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelFiles {
    /// Topics; a recipe takes the first of the kind that it is meant for, or else the first.
    pub topics: Vec<PathBuf>,
    /// The folder of a classifier.
    pub classifier: Option<PathBuf>,
    /// A disambiguation graph.
    pub sdg: Option<PathBuf>,
    /// An ontology whose hierarchy has the meanings of words.
    pub ontology: Option<PathBuf>,
    /// The folder of WordNet, if there is no ontology; its usual places if none is given.
    pub wordnet: Option<PathBuf>,
}

/// Models, each read once. Meanings of words are read when a recipe first asks for them.
#[derive(Debug)]
pub struct LoadedModels {
    topics: Vec<LoadedTopic>,
    classifier: Option<(PathBuf, Classifier)>,
    sdg: Option<Sdg>,
    ontology: Option<PathBuf>,
    wordnet: Option<PathBuf>,
    taxonomy: OnceLock<Arc<Taxonomy>>,
}

#[derive(Debug)]
struct LoadedTopic {
    path: PathBuf,
    provenance: Provenance,
    topic: Topic,
}

/// Why models do not suffice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A topic is missing.
    #[error("recipe {0} needs a topic to know what is promising; give one with --topic")]
    NeedsTopic(String),
    /// A disambiguation graph is missing.
    #[error(
        "recipe {0} leaves out words that do not mean the topic; give a disambiguation graph with --sdg, or do \
         without: --set similarity.sdg=false"
    )]
    NeedsGraph(String),
    /// A classifier is missing.
    #[error("recipe {0} has a gate that a classifier keeps; give one with --classifier")]
    NeedsClassifier(String),
    /// The classifier does not know the class.
    #[error(
        "recipe {recipe}: {class:?} is not a class of {classifier}; give one with --class: {classes}",
        classifier = .classifier.display()
    )]
    UnknownClass {
        /// The recipe.
        recipe: String,
        /// The class that it asks for.
        class: String,
        /// The classifier.
        classifier: PathBuf,
        /// The classes that there are.
        classes: String,
    },
    /// The topic and the way to compare with it do not fit together.
    #[error("{path}: {error}", path = .path.display())]
    Scorer {
        /// The topic.
        path: PathBuf,
        /// What does not fit.
        error: ScorerError,
    },
    /// A topic cannot be read.
    #[error(transparent)]
    Topic(#[from] ontrail_topic::ReadError),
    /// The classifier cannot be read.
    #[error(transparent)]
    Classifier(#[from] ontrail_bcw::BcwError),
    /// The graph cannot be read.
    #[error(transparent)]
    Graph(#[from] ontrail_sdg::ReadError),
    /// The graph cannot be used.
    #[error(transparent)]
    Senses(#[from] ontrail_sdg::SdgError),
    /// The ontology cannot be read.
    #[error(transparent)]
    Ontology(#[from] OntologyError),
    /// WordNet cannot be read.
    #[error(transparent)]
    WordNet(#[from] WordNetError),
}

impl ModelFiles {
    /// Reads the models.
    pub fn read(&self) -> Result<LoadedModels, ModelError> {
        let topic = |path: &PathBuf| -> Result<LoadedTopic, ModelError> {
            let (provenance, topic) = Topic::read_with_provenance(path)?;
            Ok(LoadedTopic { path: path.clone(), provenance, topic })
        };
        let classifier = |path: &PathBuf| -> Result<(PathBuf, Classifier), ModelError> {
            Ok((path.clone(), Classifier::open(path)?))
        };
        Ok(LoadedModels {
            topics: self.topics.iter().map(topic).collect::<Result<_, _>>()?,
            classifier: self.classifier.as_ref().map(classifier).transpose()?,
            sdg: self.sdg.as_deref().map(Sdg::read).transpose()?,
            ontology: self.ontology.clone(),
            wordnet: self.wordnet.clone(),
            taxonomy: OnceLock::new(),
        })
    }
}

impl LoadedModels {
    /// Returns the recipe as it can be run with these models: its gate knows the class, which is the recipe's
    /// own or else `class`. Errors name the recipe by `name`.
    pub fn fit(
        &self,
        recipe: &Recipe,
        name: &str,
        class: Option<&str>,
    ) -> Result<Recipe, ModelError> {
        let mut recipe = recipe.clone();
        if recipe.needs_topic() && self.topics.is_empty() {
            return Err(ModelError::NeedsTopic(name.to_owned()));
        }
        if recipe.similarity.settings().sdg && self.sdg.is_none() {
            return Err(ModelError::NeedsGraph(name.to_owned()));
        }
        if let Some(own) = recipe.class() {
            let class = Some(own).filter(|own| !own.is_empty()).or(class).unwrap_or_default();
            let class = class.to_owned();
            self.check_class(name, &class)?;
            recipe.set_class(&class);
        }
        if recipe.similarity.needs_meanings() {
            self.taxonomy()?;
        }
        Ok(recipe)
    }

    fn check_class(&self, name: &str, class: &str) -> Result<(), ModelError> {
        let Some((path, classifier)) = &self.classifier else {
            return Err(ModelError::NeedsClassifier(name.to_owned()));
        };
        if classifier.class_number(class).is_some() {
            return Ok(());
        }
        let classes: Vec<&str> =
            classifier.card().classes.iter().map(|it| it.name.as_str()).collect();
        Err(ModelError::UnknownClass {
            recipe: name.to_owned(),
            class: class.to_owned(),
            classifier: path.clone(),
            classes: classes.join(", "),
        })
    }

    /// Returns the number of the topic that a recipe takes: the first of the kind that it is meant for, or
    /// the first.
    #[must_use]
    pub fn topic_of(&self, recipe: &Recipe) -> Option<usize> {
        let wanted = wanted_origin(recipe);
        let fits = |it: &LoadedTopic| wanted.is_none_or(|wanted| it.topic.origin == wanted);
        self.topics.iter().position(fits).or((!self.topics.is_empty()).then_some(0))
    }

    /// Returns how many topics there are.
    #[must_use]
    pub fn topic_count(&self) -> usize {
        self.topics.len()
    }

    /// Returns how the topic of a recipe differs from what the recipe is meant for, if it does.
    #[must_use]
    pub fn mismatch(&self, recipe: &Recipe) -> Option<TopicMismatch> {
        let given = &self.topics[self.topic_of(recipe)?];
        let wanted = wanted_origin(recipe)?;
        if given.topic.origin != wanted {
            return Some(TopicMismatch::Origin { wanted, given: given.topic.origin });
        }
        let TopicRecipe::Sem { dep_mode: Some(mode) } = recipe.topic else { return None };
        let wanted = match mode {
            DepMode::Sum => "sum",
            DepMode::Diff => "diff",
        };
        let weighed = given.provenance.parameters.get("dep_mode")?.as_str()?;
        (weighed != wanted).then(|| TopicMismatch::DepMode { wanted, weighed: weighed.to_owned() })
    }

    /// Makes what reads pages for a recipe that [fits](Self::fit).
    pub fn for_recipe(mut self, recipe: &Recipe) -> Result<Models, ModelError> {
        let mut models = Models::new().reading_for(recipe);
        if let Some(at) = self.topic_of(recipe) {
            let LoadedTopic { path, topic, .. } = &self.topics[at];
            let measure = self.measure_for(recipe)?;
            models = models
                .with_topic(topic, model_of(&recipe.similarity), measure)
                .map_err(|error| ModelError::Scorer { path: path.clone(), error })?;
        }
        if let Some((_, classifier)) = self.classifier.take() {
            models = models.with_classifier(classifier);
        }
        if let Some(sdg) = &self.sdg {
            models = models.with_senses(Senses::new(sdg)?);
        }
        Ok(models)
    }

    /// Makes what reads pages for several recipes that take the same topic. Returns which of its judges each
    /// recipe asks.
    pub fn panel(
        &self,
        topic: Option<usize>,
        recipes: &[&Recipe],
    ) -> Result<(Panel, Vec<Option<usize>>), ModelError> {
        let mut panel = Panel::new(topic.map(|at| &self.topics[at].topic));
        let mut kinds: Vec<Vec<&Recipe>> = Vec::new();
        let mut judges = Vec::new();
        for recipe in recipes {
            let is_alike = |kind: &Vec<&Recipe>| kind[0].similarity == recipe.similarity;
            let at = kinds.iter().position(is_alike).unwrap_or_else(|| {
                kinds.push(Vec::new());
                kinds.len() - 1
            });
            kinds[at].push(recipe);
            judges.push(topic.map(|_| at));
        }
        for asking in &kinds {
            let similarity = &asking[0].similarity;
            let senses = match (&self.sdg, similarity.settings().sdg) {
                (Some(sdg), true) => Some(Senses::new(sdg)?),
                _ => None,
            };
            let judging = Judging {
                model: model_of(similarity),
                measure: self.measure_for(asking[0])?,
                senses,
                reads_context: asking.iter().any(|recipe| recipe.needs_context()),
                reads_blocks: asking.iter().any(|recipe| recipe.needs_blocks()),
            };
            let path = || topic.map_or_else(PathBuf::new, |at| self.topics[at].path.clone());
            panel.add(judging).map_err(|error| ModelError::Scorer { path: path(), error })?;
        }
        if let (true, Some((_, classifier))) =
            (recipes.iter().any(|it| it.class().is_some()), &self.classifier)
        {
            panel = panel.with_classifier(classifier.clone());
        }
        Ok((panel, judges))
    }

    /// The meanings of words by the measure of sdvsm (Lin), if a recipe compares them.
    fn measure_for(&self, recipe: &Recipe) -> Result<Option<Box<dyn Measure>>, ModelError> {
        if !recipe.similarity.needs_meanings() {
            return Ok(None);
        }
        Ok(Some(MeasureKind::Lin.over(self.taxonomy()?)))
    }

    fn taxonomy(&self) -> Result<Arc<Taxonomy>, ModelError> {
        if let Some(taxonomy) = self.taxonomy.get() {
            return Ok(Arc::clone(taxonomy));
        }
        let wordnet = |path: &Path| WordNet::read(path).map(|it| Arc::clone(it.taxonomy()));
        let taxonomy = match (&self.ontology, &self.wordnet) {
            (Some(path), _) => Arc::new(ontrail_ontology::read(path)?.taxonomy()?),
            (None, Some(path)) => wordnet(path)?,
            (None, None) => wordnet(&WordNet::place()?)?,
        };
        Ok(Arc::clone(self.taxonomy.get_or_init(|| taxonomy)))
    }
}

/// How a topic differs from what a recipe is meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicMismatch {
    /// It was made from something else.
    Origin {
        /// What the recipe is meant for.
        wanted: Origin,
        /// What the topic was made from.
        given: Origin,
    },
    /// It was weighed with another form of `IF_Dep`.
    DepMode {
        /// What the recipe names.
        wanted: &'static str,
        /// What the topic was weighed with.
        weighed: String,
    },
}

/// What the topic of a recipe is meant to be made from, if that matters.
fn wanted_origin(recipe: &Recipe) -> Option<Origin> {
    match recipe.topic {
        TopicRecipe::Any {} => None,
        TopicRecipe::Sem { .. } => Some(Origin::Ontology),
        TopicRecipe::Tfidf {} => Some(Origin::Texts),
        TopicRecipe::Keywords {} => Some(Origin::Keywords),
    }
}

/// What a topic was made from, in words, with the command that makes it.
#[must_use]
pub fn made_from(origin: Origin) -> &'static str {
    match origin {
        Origin::Ontology => "an ontology (ontrail topic weigh)",
        Origin::Texts => "texts (ontrail topic learn)",
        Origin::Keywords => "keywords (ontrail topic keywords)",
    }
}
