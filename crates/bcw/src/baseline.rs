//! linfa-bayes on the same documents, as a baseline for small data.
//!
//! It takes dense records, so only the features that tell most of the classes are given to it. Its
//! Bernoulli form is used: the multinomial one of the published version prints its insides to standard
//! error while it is fitted, and serves as a cross-check in the tests only.

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
use crate::settings::{Ranking, Selection, Settings};

/// How many features it gets.
pub const FEATURES: usize = 1_000;
/// How many documents it is trained and tried on at most.
pub const MOST_DOCUMENTS: usize = 20_000;

/// How linfa-bayes does, trained on some documents and tried on others. It knows no "other", and documents of classes that are
/// not among `classes` are left out.
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

/// The answers of linfa-bayes, trained on `data`, for documents read with the same features: the
/// number of a class for each.
pub fn predict(data: &TrainingData, documents: &TrainingData) -> Result<Vec<usize>, BcwError> {
    let fits = |data: &TrainingData| data.is_complete && data.sample.len() <= MOST_DOCUMENTS;
    if !fits(data) || !fits(documents) {
        return Err(BcwError::Linfa(format!(
            "the baseline takes dense records, so {MOST_DOCUMENTS} documents at most to train on and to try"
        )));
    }
    let selection = Some(Selection { by: Ranking::Chi2, keep: FEATURES });
    let kept = select::kept(&data.counts, &Settings { selection, ..Settings::default() })?;
    let columns: Vec<u32> = (0..).zip(&kept).filter(|(_, kept)| **kept).map(|(n, _)| n).collect();
    let train = dense(&data.sample, &columns);
    let targets = Array1::from(data.sample_labels.clone());
    let model = BernoulliNb::params()
        .fit(&DatasetBase::new(train, targets))
        .map_err(|error| BcwError::Linfa(error.to_string()))?;
    // The features of the documents, by the numbers that they have in the training data.
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

/// Which of `columns` each document holds.
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
