//! Trained classifiers, which predict the class of a text or a page and explain the prediction.

use ontrail_page::{Content, LabelGroup, Passages};
use ontrail_text::Analyzer;
use serde::{Deserialize, Serialize};

use crate::data::TrainingData;
use crate::feature::{self, FeatureReader, FeatureSettings, Found};
use crate::index::FeatureIndex;
use crate::model::{Bcw, Posteriors, largest};
use crate::records::counted;
use crate::settings::TrainSettings;
use crate::training::{Candidate, Trained, Validation};

/// The answer if no class is likely enough.
pub const OTHER: &str = "other";

/// The description of a classifier: everything except its features and weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The features that it uses.
    pub features: FeatureSettings,
    /// The settings that it was trained with.
    pub settings: TrainSettings,
    /// Its classes, each with its number of training documents.
    pub classes: Vec<ClassCard>,
    /// Number of features listed.
    pub feature_count: usize,
    /// Number of these features that are used; feature selection drops the others.
    pub features_used: usize,
    /// The number that scores are divided by before they become posteriors.
    pub temperature: f64,
    /// The posterior below which the answer is "other".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_below: Option<f64>,
    /// The part of pages that it was trained on, and that crawls classify. For a classifier that
    /// was trained on texts it is the whole page.
    #[serde(default, skip_serializing_if = "is_whole_page")]
    pub content: Content,
    /// Its results on held-out documents.
    pub validation: Option<Validation>,
    /// The candidates it was chosen from, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_whole_page(content: &Content) -> bool {
    *content == Content::Page
}

/// A class and its number of training documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCard {
    /// Its name.
    pub name: String,
    /// Number of training documents.
    pub documents: u64,
}

/// A trained classifier.
///
/// ```
/// use ontrail_bcw::{Bcw, Classifier, Labelled, Reader, passages_of_text, train};
///
/// let mut reader = Reader::new("words".parse()?, false);
/// reader.read(&[
///     Labelled::text("rain", None, "暴雨预警"),
///     Labelled::text("sports", None, "主队取胜"),
/// ])?;
/// let classifier = Classifier::from(train(reader.finish(), Bcw::params(), false)?);
/// let analyzer = Classifier::analyzer();
/// let prediction = classifier.predictor(&analyzer).predict(&passages_of_text(None, "暴雨来了"));
/// assert_eq!(classifier.class(prediction.class), "rain");
/// # Ok::<(), ontrail_bcw::BcwError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Classifier {
    pub(crate) card: Card,
    pub(crate) index: FeatureIndex,
    pub(crate) model: Bcw,
}

/// A classifier's answer for a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The most likely class; or the class with the name "other", if that is the answer.
    pub class: usize,
    /// Its probability.
    pub posterior: f64,
    /// True if the answer is "other", because the probability is below the classifier's threshold
    /// and no class has that name.
    pub is_other: bool,
    /// The probabilities of all classes.
    pub posteriors: Vec<f64>,
    /// Number of different features of the document that the classifier knows. If it is 0, the
    /// posteriors are the priors.
    pub known: usize,
}

/// A feature that speaks for the predicted class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The feature: a word, two words, or a run of characters between ellipses.
    pub feature: String,
    /// The amount by which it raises the class's score above that of the class it is compared with.
    pub weight: f64,
}

impl Trained {
    /// Returns the classifier, and its training data, with which it can be updated later.
    #[must_use]
    pub fn split(self) -> (Classifier, TrainingData) {
        let data = self.data;
        let classes = data.classes.iter().zip(data.counts.documents());
        let classes =
            classes.map(|(name, &documents)| ClassCard { name: name.clone(), documents }).collect();
        let card = Card {
            features: data.features.clone(),
            settings: self.settings,
            classes,
            feature_count: data.index.len(),
            features_used: self.model.weights.used(),
            temperature: self.model.temperature,
            other_below: None,
            content: Content::Page,
            validation: self.validation,
            candidates: self.candidates,
        };
        (Classifier { card, index: data.index.clone(), model: self.model }, data)
    }
}

impl From<Trained> for Classifier {
    fn from(trained: Trained) -> Self {
        trained.split().0
    }
}

impl Classifier {
    /// Returns the analyzer that texts must be read with.
    #[must_use]
    pub fn analyzer() -> Analyzer {
        feature::analyzer()
    }

    /// Returns the description of the classifier.
    #[must_use]
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Removes the features that the classifier does not use. Its predictions stay the same, but it
    /// cannot be updated any more.
    #[must_use]
    pub fn compact(mut self) -> Self {
        if !self.index.is_hashed() {
            let is_used: Vec<bool> =
                self.model.weights.factors.iter().map(|factor| *factor > 0.0).collect();
            self.index = self.index.restricted(&is_used);
            self.model.weights = self.model.weights.restricted(&is_used);
            self.card.feature_count = self.index.len();
        }
        self
    }

    /// Sets the threshold: the answer is "other" if all posteriors are below it. `None` leaves the
    /// threshold as it is.
    #[must_use]
    pub fn with_other_below(mut self, threshold: Option<f64>) -> Self {
        self.card.other_below = threshold.or(self.card.other_below);
        self
    }

    /// Sets the part of pages that it was trained on.
    #[must_use]
    pub fn with_content(mut self, content: Content) -> Self {
        self.card.content = content;
        self
    }

    /// Returns the name of a class.
    ///
    /// # Panics
    ///
    /// If there is no class with this number.
    #[must_use]
    pub fn class(&self, number: usize) -> &str {
        &self.card.classes[number].name
    }

    /// Returns the number of the class with this name, if there is one.
    #[must_use]
    pub fn class_number(&self, name: &str) -> Option<usize> {
        self.card.classes.iter().position(|class| class.name == name)
    }

    /// Returns a predictor. Each thread needs its own.
    #[must_use]
    pub fn predictor<'c>(&'c self, analyzer: &'c Analyzer) -> Predictor<'c> {
        let reader = FeatureReader::new(&self.card.features, analyzer);
        Predictor { classifier: self, reader, found: Vec::new() }
    }
}

/// Predicts classes of documents with a [`Classifier`], and caches the words that it has seen.
#[derive(Debug)]
pub struct Predictor<'c> {
    classifier: &'c Classifier,
    reader: FeatureReader<'c>,
    /// The features found in the current document.
    found: Vec<(u32, LabelGroup)>,
}

impl Predictor<'_> {
    /// Predicts the class of a document.
    #[must_use]
    pub fn predict(&mut self, passages: &Passages) -> Prediction {
        self.gather(passages, |_, _| {});
        self.decide()
    }

    /// Finds the known features of a document, and calls `named` with the number of each.
    fn gather(&mut self, passages: &Passages, mut named: impl FnMut(u32, &Found<'_>)) {
        let Self { classifier, reader, found } = self;
        found.clear();
        for passage in passages.iter() {
            reader.read(&passage, |feature| {
                if let Some(number) = classifier.index.get(feature.fingerprint) {
                    found.push((number, feature.group));
                    named(number, &feature);
                }
            });
        }
    }

    /// Predicts the class of a document that was segmented already by [`Classifier::analyzer`].
    /// Character runs cannot be derived from words, so a classifier that uses them needs the text.
    #[must_use]
    pub fn predict_words<'t>(
        &mut self,
        words: impl IntoIterator<Item = (&'t str, LabelGroup)>,
    ) -> Prediction {
        let Self { classifier, found, .. } = self;
        found.clear();
        FeatureReader::read_words_of(&classifier.card.features, words, |feature| {
            if let Some(number) = classifier.index.get(feature.fingerprint) {
                found.push((number, feature.group));
            }
        });
        self.decide()
    }

    /// Predicts the class from the features found.
    fn decide(&mut self) -> Prediction {
        let Classifier { card, model, .. } = self.classifier;
        let row: Vec<_> = counted(&mut self.found).collect();
        let Posteriors { posteriors, known } = model.classify(&row);
        let best = largest(&posteriors);
        let is_doubtful = card.other_below.is_some_and(|threshold| posteriors[best] < threshold);
        // A class with the name "other" is that answer.
        let other = self.classifier.class_number(OTHER).filter(|_| is_doubtful);
        let class = other.unwrap_or(best);
        let is_other = is_doubtful && other.is_none();
        Prediction { class, posterior: posteriors[class], is_other, posteriors, known }
    }

    /// Predicts the class of a document. Also returns the features that speak most for it against
    /// the second-best class, at most `most` of them.
    #[must_use]
    pub fn explain(&mut self, passages: &Passages, most: usize) -> (Prediction, Vec<Reason>) {
        self.explain_against(passages, None, most)
    }

    /// Predicts the class of a document. Also returns the features that speak most for it against
    /// the class `against`, or against the second-best class if that is none or the prediction
    /// itself.
    pub(crate) fn explain_against(
        &mut self,
        passages: &Passages,
        against: Option<usize>,
        most: usize,
    ) -> (Prediction, Vec<Reason>) {
        let mut names: Vec<(u32, String)> = Vec::new();
        self.gather(passages, |number, feature| names.push((number, feature.marked_name())));
        let prediction = self.decide();
        let against = against.filter(|&against| against != prediction.class);
        let reasons = self.reasons(names, &prediction, against, most);
        (prediction, reasons)
    }

    /// Returns the features found that speak for the predicted class.
    fn reasons(
        &mut self,
        mut names: Vec<(u32, String)>,
        prediction: &Prediction,
        against: Option<usize>,
        most: usize,
    ) -> Vec<Reason> {
        let second = || {
            let mut others = prediction.posteriors.clone();
            others[prediction.class] = f64::NEG_INFINITY;
            largest(&others)
        };
        let against = against.unwrap_or_else(second);
        let model = &self.classifier.model;
        let row: Vec<_> = counted(&mut self.found).collect();
        // If features are hashed, several can share a number; the first name is used.
        names.sort_by_key(|&(number, _)| number);
        let weights = &model.weights;
        let mut reasons = Vec::new();
        for (number, value) in model.values(&row) {
            let mut by_class = weights.defaults.clone();
            weights.row(number).for_each(|(class, weight)| by_class[class] += weight);
            let weight = value * (by_class[prediction.class] - by_class[against]);
            let at = names.partition_point(|&(named, _)| named < number);
            if weight > 0.0 {
                reasons.push(Reason { feature: for_people(&names[at].1), weight });
            }
        }
        reasons
            .sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.feature.cmp(&b.feature)));
        reasons.truncate(most);
        reasons
    }
}

/// Returns a feature's name without the mark of its kind.
fn for_people(marked_name: &str) -> String {
    let name = &marked_name[1..];
    match marked_name.as_bytes().first() {
        Some(b'c') => format!("…{name}…"),
        _ => name.to_owned(),
    }
}
