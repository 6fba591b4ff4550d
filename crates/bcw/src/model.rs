//! The fitted model over numbered features, in linfa's shape.

use linfa::dataset::{DatasetBase, Records};
use linfa::traits::{Fit, FitWith, PredictInplace};
use ndarray::{Array1, Array2};

use crate::bayes;
use crate::counts::Counts;
use crate::error::BcwError;
use crate::linear;
use crate::params::{BcwParams, BcwValidParams};
use crate::records::{Entry, SparseRecords};
use crate::weights::Weights;

/// A fitted classifier over numbered features and numbered classes. It implements linfa's
/// `PredictInplace`, and so `Predict`.
///
/// ```
/// use linfa::dataset::DatasetBase;
/// use linfa::traits::{Fit, Predict};
/// use ndarray::{Array1, array};
/// use ontrail_bcw::{Bcw, Entry, SparseRecords};
///
/// let mut records = SparseRecords::new(2);
/// records.push([Entry { feature: 0, group: 3, count: 2 }]);
/// records.push([Entry { feature: 1, group: 3, count: 1 }]);
/// let dataset = DatasetBase::new(records, array![0, 1]);
/// let model = Bcw::params().fit(&dataset)?;
/// let predicted: Array1<usize> = model.predict(&dataset);
/// assert_eq!(predicted, array![0, 1]);
/// # Ok::<(), ontrail_bcw::BcwError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bcw {
    pub(crate) weights: Weights,
    /// The logarithms of the classes' priors.
    pub(crate) log_priors: Vec<f64>,
    /// True if the prior is part of the score, as in Bayes' rule. A linear model learns a bias
    /// instead, and uses the prior only for documents without a known feature.
    pub(crate) adds_prior: bool,
    /// The weights of the label groups in prediction.
    pub(crate) label_weights: [f64; 5],
    /// The number that scores are divided by before they become posteriors.
    pub(crate) temperature: f64,
}

/// A model's posteriors for a document.
pub(crate) struct Posteriors {
    pub(crate) posteriors: Vec<f64>,
    /// Number of the document's features that the model knows.
    pub(crate) known: usize,
}

impl Bcw {
    /// Returns the default hyperparameters, to be changed, checked and fitted.
    #[must_use]
    pub fn params() -> BcwParams {
        BcwParams::new()
    }

    /// Returns the number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.weights.biases.len()
    }

    /// Returns the score of a document for each class: Σ L·log P(U|C) without the terms that are
    /// the same for all classes, or the margins of a linear model.
    #[must_use]
    pub fn scores(&self, row: &[Entry]) -> Vec<f64> {
        self.weights.scores(&self.values(row))
    }

    /// Returns the values of a document's known features.
    pub(crate) fn values(&self, row: &[Entry]) -> Vec<(u32, f64)> {
        self.weights.values_of(row, &self.label_weights)
    }

    /// Returns the probabilities of the classes for a document: eq. 5, with the score divided by
    /// the temperature that was fitted to held-out documents. For a document without known
    /// features, these are the priors.
    #[must_use]
    pub fn posteriors(&self, row: &[Entry]) -> Vec<f64> {
        self.classify(row).posteriors
    }

    /// Returns the posteriors for a document and its number of known features.
    pub(crate) fn classify(&self, row: &[Entry]) -> Posteriors {
        let values = self.values(row);
        let known = values.len();
        if known == 0 {
            return Posteriors { posteriors: softmax(&self.log_priors), known };
        }
        let mut scores = self.weights.scores(&values);
        for (score, offset) in scores.iter_mut().zip(self.offsets()) {
            *score = *score / self.temperature + offset;
        }
        Posteriors { posteriors: softmax(&scores), known }
    }

    /// Returns the part of each class's score that does not depend on the document.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = f64> {
        self.log_priors.iter().map(|&prior| if self.adds_prior { prior } else { 0.0 })
    }

    /// Returns the posteriors of many documents, one row per document.
    #[must_use]
    pub fn predict_probabilities(&self, records: &SparseRecords) -> Array2<f64> {
        let mut all = Array2::zeros((records.len(), self.classes()));
        for (mut target, row) in all.rows_mut().into_iter().zip(records.rows()) {
            target
                .iter_mut()
                .zip(self.posteriors(row))
                .for_each(|(target, posterior)| *target = posterior);
        }
        all
    }
}

/// Returns e^score for each score, normalised to add up to 1.
pub(crate) fn softmax(scores: &[f64]) -> Vec<f64> {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// Returns the index of the largest score; the first if several are equal.
pub(crate) fn largest(scores: &[f64]) -> usize {
    let larger = |best: usize, at: usize| if scores[at] > scores[best] { at } else { best };
    (1..scores.len()).fold(0, larger)
}

impl BcwValidParams {
    /// Fits a Bayesian model to counts alone. `classes` are the names for errors and priors.
    pub fn fit_counts(&self, counts: &Counts, classes: &[String]) -> Result<Bcw, BcwError> {
        check_classes(counts, classes)?;
        let settings = self.settings();
        self.fitted(bayes::weights(counts, settings, classes)?, counts, classes)
    }

    /// Fits a model of any mode to documents; `counts` are the counts of these documents.
    pub(crate) fn fit_records(
        &self,
        records: &SparseRecords,
        labels: &[usize],
        counts: &Counts,
        classes: &[String],
    ) -> Result<Bcw, BcwError> {
        if self.settings().mode.is_bayesian() {
            return self.fit_counts(counts, classes);
        }
        check_classes(counts, classes)?;
        self.fitted(linear::weights(records, labels, counts, self.settings())?, counts, classes)
    }

    fn fitted(
        &self,
        weights: Weights,
        counts: &Counts,
        classes: &[String],
    ) -> Result<Bcw, BcwError> {
        let settings = self.settings();
        let priors = settings.priors.shares(classes, counts.documents())?;
        let label_weights = settings.prediction_weights();
        Ok(Bcw {
            weights,
            log_priors: priors.iter().map(|prior| prior.ln()).collect(),
            adds_prior: settings.mode.is_bayesian(),
            label_weights,
            temperature: 1.0,
        })
    }
}

fn check_classes(counts: &Counts, classes: &[String]) -> Result<(), BcwError> {
    if classes.len() < 2 {
        let found = match classes {
            [only] => format!("all documents are of the class `{only}`"),
            _ => "there are no documents".to_owned(),
        };
        return Err(BcwError::Classes { found });
    }
    let lacks = |class: Option<usize>, reason| match class.and_then(|class| classes.get(class)) {
        Some(label) => Err(BcwError::EmptyClass { label: label.clone(), reason }),
        None => Ok(()),
    };
    lacks(counts.documents().iter().position(|&documents| documents == 0), "has no documents")?;
    lacks(counts.have_features().iter().position(|has| !has), "has no usable words")
}

/// Returns names for classes that have only numbers.
fn numbered(counts: &Counts) -> Vec<String> {
    (0..counts.documents().len()).map(|class| class.to_string()).collect()
}

/// Adds the documents of a dataset to counts.
fn counted(
    dataset: &DatasetBase<SparseRecords, Array1<usize>>,
    mut counts: Counts,
) -> Result<Counts, BcwError> {
    let labels: Vec<usize> = dataset.targets().to_vec();
    let documents = dataset.records().nsamples();
    if documents != labels.len() {
        return Err(BcwError::Lengths { documents, labels: labels.len() });
    }
    let most = labels.iter().max().copied().unwrap_or(0);
    if most > usize::from(u16::MAX) {
        return Err(BcwError::TooManyClasses { most: usize::from(u16::MAX) + 1 });
    }
    counts.add(dataset.records(), &labels);
    Ok(counts)
}

impl Fit<SparseRecords, Array1<usize>, BcwError> for BcwValidParams {
    type Object = Bcw;

    fn fit(&self, dataset: &DatasetBase<SparseRecords, Array1<usize>>) -> Result<Bcw, BcwError> {
        let counts = counted(dataset, Counts::default())?;
        let labels = dataset.targets().to_vec();
        self.fit_records(dataset.records(), &labels, &counts, &numbered(&counts))
    }
}

/// Adds more documents to counts; [`BcwValidParams::fit_counts`] fits a model to them.
impl<'a> FitWith<'a, SparseRecords, Array1<usize>, BcwError> for BcwValidParams {
    type ObjectIn = Counts;
    type ObjectOut = Counts;

    fn fit_with(
        &self,
        counts: Counts,
        dataset: &'a DatasetBase<SparseRecords, Array1<usize>>,
    ) -> Result<Counts, BcwError> {
        counted(dataset, counts)
    }
}

impl PredictInplace<SparseRecords, Array1<usize>> for Bcw {
    fn predict_inplace(&self, records: &SparseRecords, targets: &mut Array1<usize>) {
        for (row, target) in records.rows().zip(targets) {
            *target = largest(&self.posteriors(row));
        }
    }

    fn default_target(&self, records: &SparseRecords) -> Array1<usize> {
        Array1::zeros(records.len())
    }
}
