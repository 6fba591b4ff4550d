#![doc = include_str!("../README.md")]

mod files;
mod judge;
mod link_model;
mod panel;

use std::sync::Arc;

use ontrail_bcw::Classifier;
use ontrail_calibration::StartCurve;
use ontrail_crawl::{Focus, Reading};
use ontrail_page::{Content, HostTemplate, Html, Source};
use ontrail_pilot::{ContentChoice, KeptModel, NormChoice, Recipe, SimilarityRecipe, Weights};
use ontrail_sdg::Senses;
use ontrail_taxonomy::Measure;
use ontrail_text::Analyzer;
use ontrail_topic::{Model, Norm, Scorer, ScorerError, Scoring, Similarity, Topic, words_as_read};
use url::Url;

pub use files::{LoadedModels, ModelError, ModelFiles, ScoresUsed, TopicMismatch, made_from};
pub use judge::{
    CombinedJudge, EvidenceKind, EvidenceQuality, Example, FitError, FittedJudge, JUDGE_FORMAT,
    JudgeError, JudgedModels, Logistic, Weighed,
};
pub use ontrail_topic::{Estimate, Quality};
pub use panel::{ClassScores, JudgeSettings, Panel, PanelReading, Scores, TermsFound};

pub use link_model::{LINK_MODEL, read_link_model, write_link_model};
use panel::{Combined, Judge, Wanted, WantedClass, read};

/// The models that judge the pages of a crawl. Without a topic, pages are parsed but get no
/// relevance.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each names one thing that is read or not")]
pub struct Models {
    analyzer: Analyzer,
    topic: Option<Scorer>,
    /// True if the contexts of links are scored.
    reads_context: bool,
    /// True if content blocks are scored.
    reads_blocks: bool,
    /// True if the topic's terms in anchor texts are returned.
    reads_anchor_terms: bool,
    /// True if the words and places of links are returned.
    reads_clues: bool,
    /// The part of a page that is compared with the topic.
    content: Content,
    classifier: Option<(Classifier, Analyzer)>,
    /// The class of relevant pages, if the recipe's judge uses the classifier.
    class: Option<WantedClass>,
    senses: Option<Senses>,
    /// The judge that combines several models, if the recipe has one.
    combined: Option<Combined>,
    /// P(relevant) of each score as far as it is known before the crawl.
    start_curve: Option<StartCurve>,
    /// The link model that earlier crawls made.
    link_model: Option<Arc<KeptModel>>,
}

impl Default for Models {
    fn default() -> Self {
        Self {
            analyzer: Analyzer::new(),
            topic: None,
            reads_context: false,
            reads_blocks: false,
            reads_anchor_terms: false,
            reads_clues: false,
            content: Content::Page,
            classifier: None,
            class: None,
            senses: None,
            combined: None,
            start_curve: None,
            link_model: None,
        }
    }
}

impl Models {
    /// Returns an empty set of models.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a topic and the model to compare pages with it. SSRM and SVSM need a `measure` of the
    /// similarity of words.
    pub fn with_topic(
        mut self,
        topic: &Topic,
        model: Model,
        measure: Option<Box<dyn Measure>>,
    ) -> Result<Self, ScorerError> {
        self.analyzer = topic.analyzer().build();
        let words = measure.map(|measure| Arc::new(words_as_read(measure, &self.analyzer)));
        self.topic = Some(Scorer::new(topic, &self.analyzer, model, words)?);
        Ok(self)
    }

    /// Scores the contexts of links and content blocks too, and returns the terms of anchor texts,
    /// if the recipe needs them, and reads the part of pages that it names.
    #[must_use]
    pub fn reading_for(mut self, recipe: &Recipe) -> Self {
        self.reads_context = recipe.needs_context();
        self.reads_blocks = recipe.needs_blocks();
        self.reads_anchor_terms = recipe.needs_anchor_terms();
        self.reads_clues = recipe.learns_links();
        self.content = content_of(recipe.similarity);
        self
    }

    /// Adds a classifier.
    #[must_use]
    pub fn with_classifier(mut self, classifier: Classifier) -> Self {
        self.classifier = Some((classifier.compact(), Classifier::analyzer()));
        self
    }

    /// Adds a disambiguation graph.
    #[must_use]
    pub fn with_senses(mut self, senses: Senses) -> Self {
        self.senses = Some(senses);
        self
    }
}

/// Returns the part of a page that a recipe compares with the topic.
#[must_use]
pub fn content_of(similarity: SimilarityRecipe) -> Content {
    match similarity.settings().content {
        ContentChoice::Main => Content::Main,
        ContentChoice::Page => Content::Page,
        ContentChoice::Auto => Content::Auto,
    }
}

/// Returns the model of similarity that a recipe describes.
#[must_use]
pub fn model_of(similarity: &SimilarityRecipe) -> Model {
    let (kind, settings) = match similarity {
        SimilarityRecipe::Vsm(settings) => (Similarity::Vsm, settings),
        SimilarityRecipe::Ssrm(settings) => (Similarity::Ssrm, settings),
        SimilarityRecipe::Svsm(settings) => (Similarity::Svsm, settings),
    };
    let mut model = match settings.weights {
        Weights::Labels => Model::labels(),
        Weights::Tags => Model::tags(),
        Weights::TfIdf => Model::tf_idf(kind),
    };
    model.similarity = kind;
    model.norm = match settings.norm {
        Some(NormChoice::Topic) => Norm::Topic,
        Some(NormChoice::Text) => Norm::Text,
        Some(NormChoice::Pairs) => Norm::Pairs,
        None if kind == Similarity::Svsm => Norm::Pairs,
        None => model.norm,
    };
    model
}

/// Returns the way of scoring of a recipe that compares no meanings and uses no disambiguation
/// graph, by which a topic's calibration is found.
pub(crate) fn scoring_of(similarity: SimilarityRecipe) -> Scoring {
    Scoring::new(&model_of(&similarity), content_of(similarity))
}

impl Focus for Models {
    fn read(
        &self,
        bytes: &[u8],
        url: &Url,
        content_type: Option<&str>,
        template: &HostTemplate,
    ) -> Reading {
        let judge = self.topic.as_ref().map(|scorer| Judge {
            scorer,
            senses: self.senses.as_ref(),
            reads_context: self.reads_context,
            reads_blocks: self.reads_blocks,
            reads_anchor_terms: self.reads_anchor_terms,
            content: self.content,
        });
        let judges = judge.as_slice();
        let mut html = Html::parse(bytes, Source::at(url).with_content_type(content_type));
        // The template matters only where the main content is read.
        let fingerprints = match self.content {
            Content::Page => Vec::new(),
            Content::Main | Content::Auto => html.fingerprints(),
        };
        html.leave_out(template);
        let wanted = Wanted {
            classes: self.class.as_slice(),
            clues: self.reads_clues,
            combined: self.combined.as_ref(),
        };
        let read = read(&self.analyzer, self.classifier.as_ref(), wanted, judges, html);
        let PanelReading { mut page, scores, classes } = read;
        page.fingerprints = fingerprints;
        if let Some(scores) = scores.into_iter().next() {
            scores.put_into(&mut page, true, true);
        }
        if let Some(scores) = classes.first() {
            scores.put_into(&mut page);
        }
        page
    }

    fn start_curve(&self) -> Option<StartCurve> {
        self.start_curve.clone()
    }

    fn link_model(&self) -> Option<Arc<KeptModel>> {
        self.link_model.clone()
    }
}
