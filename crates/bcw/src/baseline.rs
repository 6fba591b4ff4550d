//! linfa-bayes on the same documents, as a baseline for small data.
//!
//! linfa-bayes needs dense records, so it gets only the features that tell most about the class.
//! The Bernoulli model is used: the multinomial model of the published version prints debugging
//! output to standard error while it is fitted, so it serves only as a cross-check in the tests.

use linfa::dataset::DatasetBase;
use linfa::traits::{Fit, Predict};
use linfa_bayes::BernoulliNb;
use ndarray::{Array1, Array2};

use crate::data::{Labelled, Reader, TrainingData};
use crate::error::BcwError;
use crate::evaluate::Evaluation;
use crate::feature::FeatureSettings;
use crate::records::SparseRecords;
use crate::select;
use crate::settings::{Ranking, Selection, TrainSettings};

/// Number of features that the baseline gets.
pub const FEATURES: usize = 1_000;
/// Largest number of documents that the baseline is trained on, and evaluated on.
pub const MAX_DOCUMENTS: usize = 20_000;

/// Trains linfa-bayes on some documents and evaluates it on others. It never answers "other", and
/// documents whose class is not among `classes` are left out.
pub fn evaluate(
    training: &[Labelled],
    test: &[Labelled],
    classes: &[String],
) -> Result<Evaluation, BcwError> {
    let number = |label: &str| classes.iter().position(|class| class == label);
    let known = |documents: &[Labelled]| -> Vec<Labelled> {
        documents.iter().filter(|document| number(&document.label).is_some()).cloned().collect()
    };
    let read = |documents: &[Labelled]| -> Result<TrainingData, BcwError> {
        let mut reader = Reader::new(FeatureSettings::default(), true);
        reader.read(documents)?;
        Ok(reader.finish())
    };
    let (training, test) = (known(training), known(test));
    let data = read(&training)?;
    let answers = predict(&data, &read(&test)?)?;
    let mut evaluation = Evaluation::new(classes.len());
    for (document, answer) in test.iter().zip(answers) {
        if let (Some(truth), Some(answer)) =
            (number(&document.label), number(&data.classes()[answer]))
        {
            evaluation.add_answer(truth, answer);
        }
    }
    Ok(evaluation)
}

/// Trains linfa-bayes on `data` and returns the number of the predicted class for each of
/// `documents`, which must have been read with the same features.
pub fn predict(data: &TrainingData, documents: &TrainingData) -> Result<Vec<usize>, BcwError> {
    let fits = |data: &TrainingData| data.is_complete && data.sample.len() <= MAX_DOCUMENTS;
    if !fits(data) || !fits(documents) {
        return Err(BcwError::Linfa(format!(
            "the baseline needs dense records, so it takes at most {MAX_DOCUMENTS} training \
             documents and as many test documents"
        )));
    }
    let selection = Some(Selection { by: Ranking::Chi2, keep: FEATURES });
    let kept =
        select::kept(&data.counts, &TrainSettings { selection, ..TrainSettings::default() })?;
    let columns: Vec<u32> = (0..).zip(&kept).filter(|(_, kept)| **kept).map(|(n, _)| n).collect();
    let train = dense(&data.sample, &columns);
    let targets = Array1::from(data.sample_labels.clone());
    let model = BernoulliNb::params()
        .fit(&DatasetBase::new(train, targets))
        .map_err(|error| BcwError::Linfa(error.to_string()))?;
    // The numbers that the features of the documents have in the training data.
    let mut numbers = vec![u32::MAX; documents.index.len()];
    for (number, slot) in (0..).zip(&mut numbers) {
        *slot = if documents.index.is_hashed() {
            number
        } else {
            data.index.number_of(documents.index.marked_name(number)).unwrap_or(u32::MAX)
        };
    }
    let mut records = documents.sample.clone();
    records.renumber(&numbers);
    let answers: Array1<usize> = model.predict(&dense(&records, &columns));
    Ok(answers.to_vec())
}

/// Returns a table with 1 for each of `columns` that a document has.
fn dense(records: &SparseRecords, columns: &[u32]) -> Array2<f64> {
    let mut table = Array2::zeros((records.len(), columns.len()));
    for (document, row) in records.rows().enumerate() {
        for entry in row {
            if let Ok(column) = columns.binary_search(&entry.feature) {
                table[[document, column]] = 1.0;
            }
        }
    }
    table
}
