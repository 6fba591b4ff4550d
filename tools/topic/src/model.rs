//! The arguments that choose the way of scoring, and the models behind them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ontrail_artifact::sha256_of_file;
use ontrail_cli::{Printer, share};
use ontrail_page::Content;
use ontrail_sdg::Senses;
use ontrail_taxonomy::{MeasureKind, Taxonomy};
use ontrail_text::Analyzer;
use ontrail_text::weight::Idf;
use ontrail_topic::{Model, Norm, Scorer, Scoring, Similarity, Topic, Weighting, words_as_read};
use serde::Serialize;

use crate::five::Five;
use crate::idf::IdfName;
use crate::meanings::{MeaningArgs, Meanings};
use crate::senses;

/// The arguments that choose the way of scoring.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelArgs {
    /// Model that compares a page with the topic
    #[arg(long, value_name = "MODEL", value_enum, default_value_t)]
    pub(crate) model: ModelName,
    /// Weights of terms on a page [default: labels for vsm, tfidf for ssrm and svsm]
    #[arg(long, value_name = "WEIGHTS", value_enum)]
    weights: Option<WeightName>,
    /// Weights of the five label groups (title, heading, emphasis, body, other)
    /// [default: 2,1.5,1.2,1,0.2]
    #[arg(long, value_name = "W1,…,W5", allow_hyphen_values = true)]
    label_weights: Option<Five>,
    /// Terms that count for the length of the page's vector [default: topic for labels and tags,
    /// text for tfidf, pairs for svsm]
    #[arg(long, value_name = "TERMS", value_enum)]
    norm: Option<NormName>,
    /// Form of the inverse document frequency, for tfidf and for links and blocks [default: plain
    /// for tfidf, offset otherwise]
    #[arg(long, value_name = "FORM", value_enum)]
    idf: Option<IdfName>,
    /// Disambiguation graph (see ontrail sdg build). Ambiguous terms that do not mean the topic on
    /// a page are removed before it is scored. With --model svsm this is the model SDVSM; add
    /// --norm text, because svsm as printed hardly distinguishes pages
    #[arg(long, value_name = "GRAPH")]
    pub(crate) sdg: Option<PathBuf>,
    /// Measure of the similarity of meanings, for ssrm and svsm: path, lch, lin, resnik, jcn,
    /// features or sem [default: lin]
    #[arg(long, value_name = "MEASURE")]
    measure: Option<MeasureKind>,
    /// Least similarity of a pair of words that counts, for ssrm and svsm [default: 0.1]
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = share)]
    min_similarity: Option<f64>,
    #[command(flatten)]
    meanings: MeaningArgs,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModelName {
    /// Cosine of the two vectors
    #[default]
    Vsm,
    /// Mean similarity of all pairs of terms (eq. 18 of sdvsm)
    Ssrm,
    /// Cosine over all pairs of similar terms (eq. 19 of sdvsm)
    Svsm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WeightName {
    /// By the label groups that a term occurs in, not by its frequency (eq. 3 of fcits-oh, eq. 2 of
    /// bcw-cc)
    Labels,
    /// By frequency and the heaviest tag around a term (gafc)
    Tags,
    /// By frequency and inverse document frequency (eq. 9 of sdvsm)
    Tfidf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NormName {
    /// The terms of the topic
    Topic,
    /// All terms of the page
    Text,
    /// The pairs of similar terms, as svsm is printed
    Pairs,
}

/// A topic prepared for one way of scoring.
pub(crate) struct Prepared {
    pub(crate) analyzer: Analyzer,
    pub(crate) scorer: Scorer,
    pub(crate) senses: Option<Senses>,
    pub(crate) scoring: Scoring,
}

impl ModelArgs {
    /// Returns true if no option was given.
    pub(crate) fn is_default(&self) -> bool {
        let given = self.weights.is_some()
            || self.label_weights.is_some()
            || self.norm.is_some()
            || self.idf.is_some()
            || self.sdg.is_some();
        self.model == ModelName::Vsm && !given
    }

    /// Returns the weights of terms on a page.
    pub(crate) fn weights(&self) -> WeightName {
        self.weights.unwrap_or(match self.model {
            ModelName::Vsm => WeightName::Labels,
            ModelName::Ssrm | ModelName::Svsm => WeightName::Tfidf,
        })
    }

    /// Returns the model that the options describe. `scores_parts` is true if links or content
    /// blocks are scored, too.
    pub(crate) fn model(&self, scores_parts: bool) -> Result<Model> {
        self.check_options(scores_parts)?;
        let similarity = match self.model {
            ModelName::Vsm => Similarity::Vsm,
            ModelName::Ssrm => Similarity::Ssrm,
            ModelName::Svsm => Similarity::Svsm,
        };
        let mut model = match self.weights() {
            WeightName::Labels => Model::labels(),
            WeightName::Tags => Model::tags(),
            WeightName::Tfidf => Model::tf_idf(similarity),
        };
        model.similarity = similarity;
        if let Some(Five(given)) = self.label_weights {
            if let Some(wrong) = given.iter().find(|weight| !(0.0..=1e6).contains(*weight)) {
                bail!("--label-weights: {wrong} is not a weight from 0 to 1000000");
            }
            model.weighting = Weighting::Labels(given);
        }
        match (self.norm, self.model) {
            (Some(NormName::Topic), _) => model.norm = Norm::Topic,
            (Some(NormName::Text), _) => model.norm = Norm::Text,
            (Some(NormName::Pairs), _) | (None, ModelName::Svsm) => model.norm = Norm::Pairs,
            (None, _) => {}
        }
        if let Some(least) = self.min_similarity {
            model.least_similarity = least;
        }
        if let Some(idf) = self.idf {
            model.idf = Idf::from(idf);
        }
        if similarity != Similarity::Vsm {
            self.meanings.check(&[self.measure()])?;
        }
        Ok(model)
    }

    /// Refuses options without effect, because a user who gives them expects one.
    fn check_options(&self, scores_parts: bool) -> Result<()> {
        if self.model == ModelName::Vsm {
            let measure = self.measure.map(|_| "--measure");
            let least = self.min_similarity.map(|_| "--min-similarity");
            if let Some(option) = self.meanings.option().or(measure).or(least) {
                bail!(
                    "{option} has no effect with --model vsm, which does not compare meanings; choose \
                         --model ssrm or svsm"
                );
            }
        }
        match (self.model, self.norm) {
            (ModelName::Ssrm, Some(_)) => {
                bail!("--norm has no effect with --model ssrm; leave it out")
            }
            (ModelName::Svsm, Some(NormName::Topic)) => {
                bail!("--norm topic cannot be used with --model svsm; choose --norm text or pairs");
            }
            (ModelName::Vsm, Some(NormName::Pairs)) => {
                bail!("--norm pairs cannot be used with --model vsm; choose --norm topic or text");
            }
            _ => {}
        }
        if self.idf.is_some() && !self.needs_idf(scores_parts) {
            bail!(
                "--idf has no effect with --weights labels or tags, unless --links or --blocks is given"
            );
        }
        if self.label_weights.is_some() && self.weights() != WeightName::Labels {
            bail!("--label-weights has no effect without --weights labels");
        }
        Ok(())
    }

    /// Returns true if any of the scores needs inverse document frequencies.
    fn needs_idf(&self, scores_parts: bool) -> bool {
        self.weights() == WeightName::Tfidf || scores_parts
    }

    /// Returns the measure of the similarity of meanings.
    fn measure(&self) -> MeasureKind {
        self.measure.unwrap_or(MeasureKind::Lin)
    }

    /// Reads the models behind the options and prepares a topic. Warns about terms that cannot
    /// match and about models that do not fit the topic.
    pub(crate) fn prepare(
        &self,
        topic: &Topic,
        path: &Path,
        model: Model,
        scores_parts: bool,
        content: Content,
        printer: &mut Printer,
    ) -> Result<Prepared> {
        let meanings = match model.similarity {
            Similarity::Vsm => None,
            _ => Some(self.meanings.read().context("cannot compare meanings by ssrm or svsm")?),
        };
        let senses =
            self.sdg.as_deref().map(|graph| senses::read(graph, topic, printer)).transpose()?;
        let analyzer = analyzer(topic, meanings.as_ref());
        let words = match &meanings {
            None => None,
            Some(meanings) => {
                let measure = self.meanings.measure(self.measure(), &meanings.taxonomy)?;
                Some(Arc::new(words_as_read(measure, &analyzer)))
            }
        };
        let scorer = Scorer::new(topic, &analyzer, model, words)
            .map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let needs_idf = self.needs_idf(scores_parts);
        warn(path, topic, &scorer, meanings.as_ref(), needs_idf, printer);
        let mut scoring = Scoring::new(&model, content);
        if let Some(meanings) = &meanings {
            scoring = scoring.with_meanings(self.measure().name(), &meanings.taxonomy);
        }
        if let Some(graph) = &self.sdg {
            scoring = scoring.with_senses(sha256_of_file(graph)?.0);
        }
        Ok(Prepared { analyzer, scorer, senses, scoring })
    }
}

/// Returns an analyzer that finds the topic's terms and the names of an ontology's classes: names
/// of several words would not be found otherwise. WordNet has too many of them.
fn analyzer(topic: &Topic, meanings: Option<&Meanings>) -> Analyzer {
    let ontology = meanings.filter(|meanings| meanings.wordnet.is_none());
    ontology.map_or_else(
        || topic.analyzer().build(),
        |meanings| analyzer_of_classes(topic, &meanings.taxonomy),
    )
}

/// Returns an analyzer that finds the topic's terms and the names of all classes.
pub(crate) fn analyzer_of_classes(topic: &Topic, taxonomy: &Taxonomy) -> Analyzer {
    let names = taxonomy.ids().flat_map(|id| taxonomy.names(id));
    topic.analyzer().terms(names.map(|(name, _)| name.into_owned())).build()
}

fn warn(
    path: &Path,
    topic: &Topic,
    scorer: &Scorer,
    meanings: Option<&Meanings>,
    needs_idf: bool,
    printer: &mut Printer,
) {
    let path = path.display();
    if !scorer.unread().is_empty() {
        printer.warn(format_args!(
            "{path}: terms without any word never match: {}",
            scorer.unread().join(", ")
        ));
    }
    if needs_idf && topic.rarities().is_none() {
        printer.warn(format_args!(
            "{path}: the topic has no document frequencies, so all words count as equally rare; \
             make the topic with --background to change this"
        ));
    }
    if let Some(meanings) = meanings
        && scorer.meant() == 0
    {
        printer.warn(format_args!(
            "{path}: no term of the topic is in {}, so only equal words count; give an ontology \
             that has them with --ontology",
            meanings.source
        ));
    }
}
