//! The models behind the one port that the crawler asks.
//!
//! [`Models`] reads a page with whatever was trained beforehand: a topic says how near the page is and each of its
//! links, a classifier what the page is, and a disambiguation graph takes words away that do not mean the topic
//! here. The crawler sees none of it, only the [`Reading`].
//!
//! ```
//! use ontrail_crawl::Focus;
//! use ontrail_focus::Models;
//! use ontrail_topic::{Model, Origin, Term, Topic};
//!
//! let topic = Topic::new("rain", Origin::Keywords, vec![Term::new("暴雨", 1.0)])?;
//! let models = Models::new().with_topic(&topic, Model::labels(), None)?;
//! let url = "http://example.org/".parse()?;
//! let reading = models.read("<p>暴雨 <a href=x>雨情</a>".as_bytes(), &url, None);
//! assert_eq!(reading.relevance, Some(1.0));
//! assert_eq!(reading.links[0].url.as_str(), "http://example.org/x");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate does not fetch and trains nothing.

mod files;
mod panel;

use std::sync::Arc;

use ontrail_bcw::Classifier;
use ontrail_crawl::{Focus, Reading};
use ontrail_pilot::{NormChoice, Recipe, SimilarityRecipe, Weights};
use ontrail_sdg::Senses;
use ontrail_taxonomy::Measure;
use ontrail_text::Analyzer;
use ontrail_topic::{Model, Norm, Scorer, ScorerError, Similarity, Topic, words_as_read};
use url::Url;

pub use files::{LoadedModels, ModelError, ModelFiles, TopicMismatch, made_from};
pub use panel::{Judging, Panel, PanelReading, Scores};

use panel::{Judge, read};

/// What pages are read with. Without a topic everything is read and nothing judged.
#[derive(Debug)]
pub struct Models {
    analyzer: Analyzer,
    topic: Option<Scorer>,
    /// Whether what stands around links is compared, and content blocks.
    reads_context: bool,
    reads_blocks: bool,
    classifier: Option<(Classifier, Analyzer)>,
    senses: Option<Senses>,
}

impl Default for Models {
    fn default() -> Self {
        Self {
            analyzer: Analyzer::new(),
            topic: None,
            reads_context: false,
            reads_blocks: false,
            classifier: None,
            senses: None,
        }
    }
}

impl Models {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a topic, compared by a model. SSRM and SVSM need the meanings of words.
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

    /// With what a recipe asks for besides: what stands around links, and content blocks.
    #[must_use]
    pub fn reading_for(mut self, recipe: &Recipe) -> Self {
        self.reads_context = recipe.needs_context();
        self.reads_blocks = recipe.needs_blocks();
        self
    }

    /// With a classifier.
    #[must_use]
    pub fn with_classifier(mut self, classifier: Classifier) -> Self {
        self.classifier = Some((classifier.compact(), Classifier::analyzer()));
        self
    }

    /// With a disambiguation graph.
    #[must_use]
    pub fn with_senses(mut self, senses: Senses) -> Self {
        self.senses = Some(senses);
        self
    }
}

/// The model that a recipe compares with.
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

impl Focus for Models {
    fn read(&self, bytes: &[u8], url: &Url, content_type: Option<&str>) -> Reading {
        let judge = self.topic.as_ref().map(|scorer| Judge {
            scorer,
            senses: self.senses.as_ref(),
            reads_context: self.reads_context,
            reads_blocks: self.reads_blocks,
        });
        let judges = judge.as_slice();
        let read = read(&self.analyzer, self.classifier.as_ref(), judges, bytes, url, content_type);
        let PanelReading { mut page, scores } = read;
        if let Some(scores) = scores.first() {
            scores.put_into(&mut page, true, true);
        }
        page
    }
}
