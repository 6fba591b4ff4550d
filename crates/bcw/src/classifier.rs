//! A trained classifier: from a text or a page to a class, and why.

use ontrail_page::{LabelGroup, Passages};
use ontrail_text::Analyzer;
use serde::{Deserialize, Serialize};

use crate::data::TrainingData;
use crate::feature::{self, FeatureReader, FeatureSettings, Found};
use crate::index::FeatureIndex;
use crate::model::{Bcw, Outcome, largest};
use crate::records::counted;
use crate::settings::Settings;
use crate::training::{Candidate, Trained, Validation};

/// The answer when no class is likely enough.
pub const OTHER: &str = "other";

/// What is known of a classifier besides its weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The features that it looks at.
    pub features: FeatureSettings,
    /// How it was trained.
    pub settings: Settings,
    /// Its classes, each with the number of documents it was trained on.
    pub classes: Vec<ClassCard>,
    /// How many features are listed.
    pub feature_count: usize,
    /// How many of them are used: selection leaves others out.
    pub features_used: usize,
    /// What scores are divided by before they become posteriors.
    pub temperature: f64,
    /// The posterior below which the answer is "other".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_below: Option<f64>,
    /// How it did on held-out documents.
    pub validation: Option<Validation>,
    /// What it was chosen from, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
}

/// A class and what it was trained on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCard {
    /// Its name.
    pub name: String,
    /// How many documents it was trained on.
    pub documents: u64,
}

/// A trained classifier.
///
/// ```
/// use ontrail_bcw::{Classifier, Labelled, Reader, Settings, passages_of_text, train};
///
/// let mut reader = Reader::new("words".parse()?, false);
/// reader.read(&[Labelled::text("rain", None, "暴雨预警"), Labelled::text("sports", None, "主队取胜")])?;
/// let classifier = Classifier::from(train(reader.finish(), Settings::default(), false)?);
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

/// What a classifier says of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The likeliest class.
    pub class: usize,
    /// Its probability.
    pub posterior: f64,
    /// Whether that is below the classifier's threshold, so that the answer is "other".
    pub is_other: bool,
    /// The probabilities of all classes.
    pub posteriors: Vec<f64>,
    /// How many different features of the document the classifier knows. With none, the posteriors
    /// are the priors.
    pub known: usize,
}

/// A feature that spoke for the class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The feature: a word, two words, or a run of characters with dots around it.
    pub feature: String,
    /// By how much it raised the class's score above that of the runner-up.
    pub weight: f64,
}

impl Trained {
    /// The classifier, and what it was trained from, by which it can be added to later.
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
    /// The analyzer that texts must be read with.
    #[must_use]
    pub fn analyzer() -> Analyzer {
        feature::analyzer()
    }

    /// What is known of it besides its weights.
    #[must_use]
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Without the features that it does not use. It says the same, and cannot be added to.
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

    /// With "other" as the answer when no class has a posterior as high as this; as it was, if none is
    /// given.
    #[must_use]
    pub fn with_other_below(mut self, threshold: Option<f64>) -> Self {
        self.card.other_below = threshold.or(self.card.other_below);
        self
    }

    /// The name of a class.
    ///
    /// # Panics
    ///
    /// When there is no class with this number.
    #[must_use]
    pub fn class(&self, number: usize) -> &str {
        &self.card.classes[number].name
    }

    /// The number of a class, if there is one of this name.
    #[must_use]
    pub fn class_number(&self, name: &str) -> Option<usize> {
        self.card.classes.iter().position(|class| class.name == name)
    }

    /// What predicts with it: one for each thread.
    #[must_use]
    pub fn predictor<'c>(&'c self, analyzer: &'c Analyzer) -> Predictor<'c> {
        let reader = FeatureReader::new(&self.card.features, analyzer);
        Predictor { classifier: self, reader, found: Vec::new() }
    }
}

/// Predicts classes of documents with a [`Classifier`], remembering the words that it has met.
#[derive(Debug)]
pub struct Predictor<'c> {
    classifier: &'c Classifier,
    reader: FeatureReader<'c>,
    /// The features found in the document at hand.
    found: Vec<(u32, LabelGroup)>,
}

impl Predictor<'_> {
    /// The class of a document.
    #[must_use]
    pub fn predict(&mut self, passages: &Passages) -> Prediction {
        self.gather(passages, |_, _| {});
        self.decide()
    }

    /// Finds the known features of a document; `named` hears of each with its number.
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

    /// The class of a document whose words are known already, as [`Classifier::analyzer`] gives them.
    /// Runs of characters cannot be told from words, so a classifier that looks at them should be given
    /// the text.
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

    /// What the features found say.
    fn decide(&mut self) -> Prediction {
        let Classifier { card, model, .. } = self.classifier;
        let row: Vec<_> = counted(&mut self.found).collect();
        let Outcome { posteriors, known } = model.outcome(&row);
        let best = largest(&posteriors);
        let is_doubtful = card.other_below.is_some_and(|threshold| posteriors[best] < threshold);
        // A class of that name means the same.
        let other = self.classifier.class_number(OTHER).filter(|_| is_doubtful);
        let class = other.unwrap_or(best);
        let is_other = is_doubtful && other.is_none();
        Prediction { class, posterior: posteriors[class], is_other, posteriors, known }
    }

    /// The class of a document, and the features that spoke most for it against the runner-up, at most
    /// `most`.
    #[must_use]
    pub fn explain(&mut self, passages: &Passages, most: usize) -> (Prediction, Vec<Reason>) {
        let mut names: Vec<(u32, String)> = Vec::new();
        self.gather(passages, |number, feature| names.push((number, feature.marked_name())));
        let prediction = self.decide();
        let reasons = self.reasons(names, &prediction, most);
        (prediction, reasons)
    }

    /// Which of the features found spoke for the class predicted.
    fn reasons(
        &mut self,
        mut names: Vec<(u32, String)>,
        prediction: &Prediction,
        most: usize,
    ) -> Vec<Reason> {
        let mut others = prediction.posteriors.clone();
        others[prediction.class] = f64::NEG_INFINITY;
        let second = largest(&others);
        let model = &self.classifier.model;
        let row: Vec<_> = counted(&mut self.found).collect();
        // The first name of a number: where features are hashed, several can share one.
        names.sort_by_key(|&(number, _)| number);
        let weights = &model.weights;
        let mut reasons = Vec::new();
        for (number, value) in model.values(&row) {
            let mut by_class = weights.defaults.clone();
            weights.row(number).for_each(|(class, weight)| by_class[class] += weight);
            let weight = value * (by_class[prediction.class] - by_class[second]);
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

/// A feature's name without the mark of its kind.
fn for_people(marked_name: &str) -> String {
    let name = &marked_name[1..];
    match marked_name.as_bytes().first() {
        Some(b'c') => format!("…{name}…"),
        _ => name.to_owned(),
    }
}
