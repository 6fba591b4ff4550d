//! Model files, and the check that a recipe has the models it needs.
//!
//! A crawl, an experiment and a project all need to know which models a recipe requires and whether
//! they were given. [`ModelFiles::read`] reads each file once, [`LoadedModels::fit`] checks a
//! recipe, and [`LoadedModels::for_recipe`] combines the models that judge the pages.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ontrail_artifact::{ArtifactError, Provenance, sha256_of_file};
use ontrail_bcw::{Classifier, passages_of_text};
use ontrail_calibration::{ProbabilityCurve, StartCurve};
use ontrail_learner::UnusableModel;
use ontrail_ontology::OntologyError;
use ontrail_pilot::{DepMode, KeptModel, Recipe, TopicRecipe};
use ontrail_sdg::{Sdg, Senses};
use ontrail_taxonomy::{Measure, MeasureKind, Taxonomy, WordNet, WordNetError};
use ontrail_topic::{Calibration, CalibrationError, Origin, ScorerError, Scoring, Topic};

use crate::judge::{CombinedJudge, JudgeError};
use crate::link_model::read_link_model;
use crate::panel::{Combined, WantedClass};
use crate::{JudgeSettings, Models, Panel, content_of, model_of, scoring_of};

/// The share of relevant pages that a crawl is expected to find, before anything is known.
const USUAL_SHARE: f64 = 0.1;

/// The model files that a user gave. All are optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelFiles {
    /// Topics. A recipe uses the first one of the kind it is designed for, or else the first one.
    pub topics: Vec<PathBuf>,
    /// The folder of the classifier.
    pub classifier: Option<PathBuf>,
    /// The disambiguation graph.
    pub sdg: Option<PathBuf>,
    /// The judge that combines topic, classifier and disambiguation graph.
    pub judge: Option<PathBuf>,
    /// The ontology whose hierarchy is used to compare the meanings of words.
    pub ontology: Option<PathBuf>,
    /// The folder of WordNet, used if there is no ontology; if none is given, the usual places are
    /// searched.
    pub wordnet: Option<PathBuf>,
    /// The link model that earlier crawls made.
    pub link_model: Option<PathBuf>,
}

/// Models in memory, each read once. The taxonomy is read when the first recipe needs it.
#[derive(Debug)]
pub struct LoadedModels {
    files: ModelFiles,
    topics: Vec<LoadedTopic>,
    classifier: Option<Classifier>,
    sdg: Option<Sdg>,
    judge: Option<CombinedJudge>,
    taxonomy: OnceLock<Arc<Taxonomy>>,
    link_model: Option<Arc<KeptModel>>,
}

#[derive(Debug)]
struct LoadedTopic {
    provenance: Provenance,
    topic: Topic,
}

/// An error in reading the models or in fitting a recipe to them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A topic is missing.
    #[error("recipe {0} needs a topic to compute relevance; give one with --topic")]
    NeedsTopic(String),
    /// A disambiguation graph is missing.
    #[error(
        "recipe {0} ignores words that do not mean the topic; give a disambiguation graph with --sdg, or \
         turn this off with --set similarity.sdg=false"
    )]
    NeedsGraph(String),
    /// A classifier is missing.
    #[error("recipe {0} uses a classifier; give one with --classifier")]
    NeedsClassifier(String),
    /// A judge is missing.
    #[error(
        "recipe {0} judges pages by several models together; give the judge that combines them with \
         --judge (made by ontrail crawl judge)"
    )]
    NeedsJudge(String),
    /// The judge was fitted for other models.
    #[error(
        "{path}: the judge was fitted for {difference}; make it again with ontrail crawl judge, or give \
         the models that it was fitted for",
        path = .path.display()
    )]
    OtherModels {
        /// The file of the judge.
        path: PathBuf,
        /// The difference.
        difference: String,
    },
    /// The classifier has no such class.
    #[error(
        "recipe {recipe}: {class:?} is not a class of {classifier}; give one with --class: {classes}",
        classifier = .classifier.display()
    )]
    UnknownClass {
        /// The recipe.
        recipe: String,
        /// The class that the recipe or the user asks for.
        class: String,
        /// The folder of the classifier.
        classifier: PathBuf,
        /// The classes of the classifier, separated by commas.
        classes: String,
    },
    /// The recipe's similarity cannot be used with the topic.
    #[error("{path}: {error}", path = .path.display())]
    Scorer {
        /// The topic file.
        path: PathBuf,
        /// The cause.
        error: ScorerError,
    },
    /// A topic cannot be read.
    #[error(transparent)]
    Topic(#[from] ontrail_topic::ReadError),
    /// The classifier cannot be read.
    #[error(transparent)]
    Classifier(#[from] ontrail_bcw::BcwError),
    /// The judge cannot be read.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// A file cannot be read.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
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
    /// The link model does not fit the recipe.
    #[error("{path}: {error}", path = .path.display())]
    UnusableLinkModel {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: UnusableModel,
    },
}

impl ModelFiles {
    /// Checks that every kind of model that a recipe needs was given. Reads no files.
    pub fn check(&self, recipe: &Recipe, name: &str) -> Result<(), ModelError> {
        if recipe.needs_topic() && self.topics.is_empty() {
            return Err(ModelError::NeedsTopic(name.to_owned()));
        }
        if recipe.similarity.settings().sdg && self.sdg.is_none() {
            return Err(ModelError::NeedsGraph(name.to_owned()));
        }
        if recipe.class().is_some() && self.classifier.is_none() {
            return Err(ModelError::NeedsClassifier(name.to_owned()));
        }
        if recipe.judge.combines() && self.topics.is_empty() {
            return Err(ModelError::NeedsTopic(name.to_owned()));
        }
        if recipe.judge.combines() && self.judge.is_none() {
            return Err(ModelError::NeedsJudge(name.to_owned()));
        }
        Ok(())
    }

    /// Reads all models, except the taxonomy.
    pub fn read(&self) -> Result<LoadedModels, ModelError> {
        let topic = |path: &PathBuf| -> Result<LoadedTopic, ModelError> {
            let (provenance, topic) = Topic::read_with_provenance(path)?;
            Ok(LoadedTopic { provenance, topic })
        };
        Ok(LoadedModels {
            topics: self.topics.iter().map(topic).collect::<Result<_, _>>()?,
            classifier: self.classifier.as_deref().map(Classifier::open).transpose()?,
            sdg: self.sdg.as_deref().map(Sdg::read).transpose()?,
            judge: self.judge.as_deref().map(CombinedJudge::read).transpose()?,
            files: self.clone(),
            taxonomy: OnceLock::new(),
            link_model: self.link_model.as_deref().map(read_link_model).transpose()?.map(Arc::new),
        })
    }
}

impl LoadedModels {
    /// Checks that a recipe can run with these models, and returns it with the class of its gate
    /// set: the recipe's own class, or else `class`. Error messages call the recipe `name`.
    pub fn fit(
        &self,
        recipe: &Recipe,
        name: &str,
        class: Option<&str>,
    ) -> Result<Recipe, ModelError> {
        self.files.check(recipe, name)?;
        let mut recipe = recipe.clone();
        if let Some(own) = recipe.class() {
            let of_judge = self.judge.as_ref().filter(|_| recipe.judge.combines());
            let of_judge = of_judge.map(|judge| judge.models.class.as_str());
            let class = Some(own).filter(|own| !own.is_empty()).or(class).or(of_judge);
            let class = class.unwrap_or_default();
            let class = class.to_owned();
            self.check_class(name, &class)?;
            recipe.set_class(&class);
        }
        if recipe.similarity.needs_meanings() {
            self.taxonomy()?;
        }
        self.check_judge(&recipe)?;
        self.check_link_model(&recipe)?;
        Ok(recipe)
    }

    /// Refuses a judge that was fitted for other models than a recipe uses.
    fn check_judge(&self, recipe: &Recipe) -> Result<(), ModelError> {
        let (Some(judge), Some(path), Some(class)) =
            (&self.judge, &self.files.judge, recipe.judge.class())
        else {
            return Ok(());
        };
        if !recipe.judge.combines() {
            return Ok(());
        }
        let used = self.judged_models(recipe, class)?;
        match judge.models.difference(&used) {
            Some(difference) => Err(ModelError::OtherModels { path: path.clone(), difference }),
            None => Ok(()),
        }
    }

    /// Returns the topic that a recipe uses, with its provenance.
    pub(crate) fn topic_for(&self, recipe: &Recipe) -> Result<(&Topic, &Provenance), ModelError> {
        let at = self.topic_of(recipe);
        let at = at.ok_or_else(|| ModelError::NeedsTopic(recipe.name.clone()))?;
        Ok((&self.topics[at].topic, &self.topics[at].provenance))
    }

    /// Returns the classifier.
    pub(crate) fn classifier_for(&self, recipe: &Recipe) -> Result<&Classifier, ModelError> {
        self.classifier.as_ref().ok_or_else(|| ModelError::NeedsClassifier(recipe.name.clone()))
    }

    /// Returns the classifier with its path, if there is one.
    pub(crate) fn classifier_with_path(&self) -> Option<(&Path, &Classifier)> {
        self.files.classifier.as_deref().zip(self.classifier.as_ref())
    }

    /// Returns the disambiguation graph, if there is one.
    pub(crate) fn graph(&self) -> Option<&Sdg> {
        self.sdg.as_ref()
    }

    /// Returns the path of the disambiguation graph, if there is one.
    pub(crate) fn sdg_path(&self) -> Option<&Path> {
        self.files.sdg.as_deref()
    }

    /// Adds the source of meanings to a way of scoring.
    pub(crate) fn with_meanings(&self, scoring: Scoring) -> Result<Scoring, ModelError> {
        let taxonomy = self.taxonomy()?;
        Ok(scoring.with_meanings(MeasureKind::Lin.name(), &taxonomy))
    }

    /// Returns the judge of a recipe that combines several models.
    fn combined_for(&self, recipe: &Recipe) -> Result<Option<Combined>, ModelError> {
        let Some(judge) = self.judge.clone().filter(|_| recipe.judge.combines()) else {
            return Ok(None);
        };
        let graph = self.sdg.as_ref().filter(|_| judge.models.sdg.is_some());
        Ok(Some(Combined { graph: graph.map(Senses::new).transpose()?, judge }))
    }

    fn check_link_model(&self, recipe: &Recipe) -> Result<(), ModelError> {
        let (Some(path), Some(model)) = (&self.files.link_model, &self.link_model) else {
            return Ok(());
        };
        let Some(bits) = recipe.link_model_bits() else { return Ok(()) };
        let unusable = |error| ModelError::UnusableLinkModel { path: path.clone(), error };
        model.check(bits).map_err(unusable)
    }

    /// Returns what earlier crawls learned about links, if the recipe learns from links and can
    /// use it.
    #[must_use]
    pub fn link_model_for(&self, recipe: &Recipe) -> Option<Arc<KeptModel>> {
        let model = self.link_model.as_ref()?;
        let bits = recipe.link_model_bits()?;
        model.check(bits).is_ok().then(|| Arc::clone(model))
    }

    fn check_class(&self, name: &str, class: &str) -> Result<(), ModelError> {
        let (Some(path), Some(classifier)) = (&self.files.classifier, &self.classifier) else {
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

    /// Returns the index of the topic that a recipe uses: the first one of the kind it is designed
    /// for, or else the first one.
    #[must_use]
    pub fn topic_of(&self, recipe: &Recipe) -> Option<usize> {
        let wanted = wanted_origin(recipe);
        let fits = |it: &LoadedTopic| wanted.is_none_or(|wanted| it.topic.origin == wanted);
        self.topics.iter().position(fits).or((!self.topics.is_empty()).then_some(0))
    }

    /// Returns the number of topics.
    #[must_use]
    pub fn topic_count(&self) -> usize {
        self.topics.len()
    }

    /// Returns the difference between a recipe's topic and the kind of topic that the recipe is
    /// designed for, if there is one.
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

    /// Returns P(relevant) of each score by the recipe's way of scoring, as far as it is known
    /// before a crawl: by the calibration of the recipe's topic or, if the topic has none, that of
    /// an average topic. Returns an error if the topic has calibrations, but only for other ways.
    pub fn start_curve_for(&self, recipe: &Recipe) -> Result<Option<StartCurve>, CalibrationError> {
        if recipe.judge.combines() {
            return Ok(self.judge.as_ref().map(CombinedJudge::start_curve));
        }
        if recipe.judge.uses_classifier() {
            return Ok(self.class_curve(recipe));
        }
        let Some(at) = self.topic_of(recipe) else { return Ok(None) };
        let mut scoring = scoring_of(recipe.similarity);
        if let (true, Ok(taxonomy)) = (recipe.similarity.needs_meanings(), self.taxonomy()) {
            scoring = scoring.with_meanings(MeasureKind::Lin.name(), &taxonomy);
        }
        if let (true, Some(sdg)) = (recipe.similarity.settings().sdg, &self.files.sdg)
            && let Ok((checksum, _)) = sha256_of_file(sdg)
        {
            scoring = scoring.with_senses(checksum);
        }
        let topic = &self.topics[at].topic;
        let own = topic.calibration(&scoring)?;
        let is_of_topic = own.is_some();
        let calibration =
            own.cloned().or_else(|| Calibration::general(topic, &scoring, USUAL_SHARE));
        Ok(calibration.map(|calibration| StartCurve {
            curve: ProbabilityCurve::of(|score| calibration.probability(score)),
            prior: calibration.prior,
            is_of_topic,
        }))
    }

    /// Returns P(relevant) for a judge by the classifier, whose posteriors are probabilities
    /// already. They hold for the share of the class that the classifier assumes, which is its
    /// answer for a page without any known word.
    fn class_curve(&self, recipe: &Recipe) -> Option<StartCurve> {
        let (classifier, class) = (self.classifier.as_ref()?, self.class_of(recipe)?);
        let analyzer = Classifier::analyzer();
        let empty = classifier.predictor(&analyzer).predict(&passages_of_text(None, ""));
        let curve = ProbabilityCurve::of(|score| score);
        Some(StartCurve { curve, prior: empty.posteriors[class], is_of_topic: true })
    }

    /// Returns the number of the class of relevant pages, if a recipe's judge uses the classifier.
    fn class_of(&self, recipe: &Recipe) -> Option<usize> {
        let class = recipe.judge.class()?;
        self.classifier.as_ref()?.class_number(class)
    }

    /// Combines the models for one recipe, which must have passed [`fit`](Self::fit).
    pub fn for_recipe(mut self, recipe: &Recipe) -> Result<Models, ModelError> {
        let mut models = Models::new().reading_for(recipe);
        models.start_curve = self.start_curve_for(recipe).ok().flatten();
        models.link_model = self.link_model_for(recipe);
        if let Some(at) = self.topic_of(recipe) {
            let (path, topic) = (&self.files.topics[at], &self.topics[at].topic);
            let measure = self.measure_for(recipe)?;
            models = models
                .with_topic(topic, model_of(&recipe.similarity), measure)
                .map_err(|error| ModelError::Scorer { path: path.clone(), error })?;
        }
        models.class = self.class_of(recipe).map(|class| wanted_class(recipe, class, 0));
        models.combined = self.combined_for(recipe)?;
        if let Some(classifier) = self.classifier.take() {
            models = models.with_classifier(classifier);
        }
        if let (true, Some(sdg)) = (recipe.similarity.settings().sdg, &self.sdg) {
            models = models.with_senses(Senses::new(sdg)?);
        }
        Ok(models)
    }

    /// Combines the models for several recipes that use the same topic. Also returns the scores
    /// that each recipe uses; recipes with equal similarity share one judge.
    pub fn panel(
        &self,
        topic: Option<usize>,
        recipes: &[&Recipe],
    ) -> Result<(Panel, Vec<ScoresUsed>), ModelError> {
        let mut panel = Panel::new(topic.map(|at| &self.topics[at].topic));
        let mut groups: Vec<Vec<&Recipe>> = Vec::new();
        let mut used = Vec::new();
        for recipe in recipes {
            let is_alike = |group: &Vec<&Recipe>| group[0].similarity == recipe.similarity;
            let at = groups.iter().position(is_alike).unwrap_or_else(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[at].push(recipe);
            let class = self.class_of(recipe);
            let class = class.map(|class| panel.want_class(wanted_class(recipe, class, at)));
            used.push(ScoresUsed { judge: topic.map(|_| at), class });
        }
        if let Some(recipe) = recipes.iter().find(|it| it.judge.combines()) {
            panel.combine(self.combined_for(recipe)?);
        }
        for group in &groups {
            let similarity = &group[0].similarity;
            let senses = match (&self.sdg, similarity.settings().sdg) {
                (Some(sdg), true) => Some(Senses::new(sdg)?),
                _ => None,
            };
            let settings = JudgeSettings {
                model: model_of(similarity),
                measure: self.measure_for(group[0])?,
                senses,
                reads_context: group.iter().any(|recipe| recipe.needs_context()),
                reads_blocks: group.iter().any(|recipe| recipe.needs_blocks()),
                reads_anchor_terms: group.iter().any(|recipe| recipe.needs_anchor_terms()),
                content: content_of(*similarity),
            };
            let path = || topic.map_or_else(PathBuf::new, |at| self.files.topics[at].clone());
            panel.add(settings).map_err(|error| ModelError::Scorer { path: path(), error })?;
        }
        if recipes.iter().any(|it| it.learns_links()) {
            panel.want_clues();
        }
        if let (true, Some(classifier)) =
            (recipes.iter().any(|it| it.class().is_some()), &self.classifier)
        {
            panel = panel.with_classifier(classifier.clone());
        }
        Ok((panel, used))
    }

    /// Returns Lin's measure over the taxonomy, which is the one of sdvsm, if a recipe compares the
    /// meanings of words.
    pub(crate) fn measure_for(
        &self,
        recipe: &Recipe,
    ) -> Result<Option<Box<dyn Measure>>, ModelError> {
        if !recipe.similarity.needs_meanings() {
            return Ok(None);
        }
        Ok(Some(MeasureKind::Lin.over(self.taxonomy()?)))
    }

    /// Returns the taxonomy, which is read on the first call.
    fn taxonomy(&self) -> Result<Arc<Taxonomy>, ModelError> {
        if let Some(taxonomy) = self.taxonomy.get() {
            return Ok(Arc::clone(taxonomy));
        }
        let wordnet = |path: &Path| WordNet::read(path).map(|it| Arc::clone(it.taxonomy()));
        let taxonomy = match (&self.files.ontology, &self.files.wordnet) {
            (Some(path), _) => Arc::new(ontrail_ontology::read(path)?.taxonomy()?),
            (None, Some(path)) => wordnet(path)?,
            (None, None) => wordnet(&WordNet::place()?)?,
        };
        Ok(Arc::clone(self.taxonomy.get_or_init(|| taxonomy)))
    }
}

/// Returns the probabilities that a recipe needs of a class. `judge` is the index of its judge by
/// similarity.
fn wanted_class(recipe: &Recipe, class: usize, judge: usize) -> WantedClass {
    let combined_with = recipe.judge.combines().then_some(judge);
    WantedClass { class, reads_anchors: recipe.needs_anchor_probability(), combined_with }
}

/// The scores of a panel that a recipe uses, by their indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoresUsed {
    /// Those of the judge by similarity; none if there is no topic.
    pub judge: Option<usize>,
    /// Those of the class of relevant pages, if the recipe's judge uses a classifier.
    pub class: Option<usize>,
}

/// A difference between a topic and the kind of topic that a recipe is designed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicMismatch {
    /// The topic was made from another kind of source.
    Origin {
        /// The source that the recipe is designed for.
        wanted: Origin,
        /// The source of the topic.
        given: Origin,
    },
    /// The topic was weighted with another form of `IF_Dep`.
    DepMode {
        /// The form that the recipe names.
        wanted: &'static str,
        /// The form that the topic was weighted with.
        weighed: String,
    },
}

/// Returns the source that a recipe's topic should be made from, if the recipe requires one.
fn wanted_origin(recipe: &Recipe) -> Option<Origin> {
    match recipe.topic {
        TopicRecipe::Any {} => None,
        TopicRecipe::Sem { .. } => Some(Origin::Ontology),
        TopicRecipe::Tfidf {} => Some(Origin::Texts),
        TopicRecipe::Keywords {} => Some(Origin::Keywords),
    }
}

/// Describes the source of a topic, with the command that makes such a topic.
#[must_use]
pub fn made_from(origin: Origin) -> &'static str {
    match origin {
        Origin::Ontology => "an ontology (ontrail topic weigh)",
        Origin::Texts => "texts (ontrail topic learn)",
        Origin::Keywords => "keywords (ontrail topic keywords)",
    }
}
