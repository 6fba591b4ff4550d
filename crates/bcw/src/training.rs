//! Training: fit, validate on held-out documents, calibrate, and choose among candidates.
//!
//! Every choice is made on documents that were held out of training, never on test data. A corpus
//! of up to 20,000 documents is split into five folds, each held out once; of a larger corpus,
//! every tenth document of a class is held out. The final model is then trained on all documents.

use linfa::ParamGuard;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::calibrate::HeldOut;
use crate::counts::Counts;
use crate::data::TrainingData;
use crate::error::BcwError;
use crate::feature::FeatureSettings;
use crate::model::Bcw;
use crate::params::{BcwParams, BcwValidParams};
use crate::records::SparseRecords;
use crate::settings::{LARGEST, Mode, SMALLEST, Smoothing, TrainSettings};

/// The results of a model on held-out documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// Number of documents held out.
    pub documents: usize,
    /// Number of folds; 1 is a single split.
    pub folds: usize,
    /// Share of these documents that got the right class.
    pub accuracy: f64,
    /// Minus the mean logarithm of the probability of the right class, after calibration.
    pub log_loss: f64,
}

/// A model that was tried, and its results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its features.
    pub features: FeatureSettings,
    /// Its settings.
    pub settings: TrainSettings,
    /// Its results on held-out documents.
    pub validation: Validation,
    /// The temperature that was fitted to them.
    pub temperature: f64,
}

/// A trained model, and how it was trained.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The model, over the features and classes of `data`.
    pub model: Bcw,
    /// The settings it was trained with, including learned label weights.
    pub settings: TrainSettings,
    /// The data it was trained on, restricted to the chosen features if features were chosen.
    pub data: TrainingData,
    /// Its results on held-out documents. Absent if there were too few documents to hold any out;
    /// the posteriors are not calibrated then.
    pub validation: Option<Validation>,
    /// The candidates it was chosen from, best first; empty if there was no choice.
    pub candidates: Vec<Candidate>,
}

/// Trains a model with the given hyperparameters, which are checked first: [`BcwParams`] or
/// [`TrainSettings`]. With `learns_labels`, the label weights are learned on the held-out
/// documents.
///
/// ```
/// use ontrail_bcw::{Bcw, Labelled, Mode, Reader, train};
///
/// let mut reader = Reader::new("words".parse()?, false);
/// reader.read(&[Labelled::text("rain", None, "暴雨"), Labelled::text("sports", None, "主队")])?;
/// let trained = train(reader.finish(), Bcw::params().mode(Mode::Complement), false)?;
/// assert_eq!(trained.settings.mode, Mode::Complement);
/// # Ok::<(), ontrail_bcw::BcwError>(())
/// ```
pub fn train(
    data: TrainingData,
    params: impl Into<BcwParams>,
    learns_labels: bool,
) -> Result<Trained, BcwError> {
    let params = params.into().check()?;
    let mut settings = params.settings().clone();
    if learns_labels && settings.mode != Mode::Exponent {
        return Err(BcwError::Setting {
            setting: "the mode",
            value: settings.mode.to_string(),
            allowed: "label weights can be learned only in mode `exponent`",
        });
    }
    if settings.mode == Mode::Linear && !data.is_complete {
        return Err(BcwError::Unlike(
            "a linear model needs all documents, but one of the models keeps only a sample"
                .to_owned(),
        ));
    }
    let (held_out, _) = hold_out(&data, std::slice::from_ref(&params), learns_labels);
    let held_out = held_out.into_iter().next().filter(|held_out| !held_out.is_empty());
    let mut temperature = 1.0;
    let mut validation = None;
    if let Some(held_out) = held_out {
        let exponents = if learns_labels {
            let (weights, found) = held_out.label_weights(&settings.label_weights);
            (settings.label_weights, temperature) = (weights, found);
            weights.map(|weight| weight / found).to_vec()
        } else {
            temperature = temperature_of(&held_out, settings.mode);
            vec![temperature.recip()]
        };
        validation = Some(validated(&held_out, &exponents));
    }
    fit_all(data, settings, temperature, validation)
}

/// Trains the final model on all documents.
fn fit_all(
    data: TrainingData,
    settings: TrainSettings,
    temperature: f64,
    validation: Option<Validation>,
) -> Result<Trained, BcwError> {
    let params = BcwParams::from(settings.clone()).check()?;
    let mut model =
        params.fit_records(&data.sample, &data.sample_labels, &data.counts, &data.classes)?;
    model.temperature = temperature;
    Ok(Trained { model, settings, data, validation, candidates: Vec::new() })
}

/// The settings that [`train_best`] keeps fixed. It chooses those that are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fixed {
    /// The mode.
    pub mode: Option<Mode>,
    /// The smoothing.
    pub smoothing: Option<Smoothing>,
    /// True if features are weighted by how much they tell about the class.
    pub information: Option<bool>,
}

/// Tries several modes, features and settings, and trains the combination that is best on held-out
/// documents. `base` has the settings that are not varied. Calls `tried` with each candidate.
/// `data` must have the [`candidate_features`].
pub fn train_best(
    data: &TrainingData,
    base: impl Into<BcwParams>,
    fixed: Fixed,
    mut tried: impl FnMut(&Candidate),
) -> Result<Trained, BcwError> {
    let mut base = base.into();
    if let Some(smoothing) = fixed.smoothing {
        base = base.smoothing(smoothing);
    }
    if let Some(information) = fixed.information {
        base = base.information(information);
    }
    let base = base.settings();
    let mut candidates: Vec<Candidate> = Vec::new();
    for features in feature_lists(data) {
        let settings = first_settings(base, fixed);
        candidates.extend(try_candidates(data, &features, settings, &mut tried)?);
    }
    sort(&mut candidates);
    // Only the best linear model is varied, since each trial takes a while.
    let linear = candidates.iter().find(|candidate| candidate.settings.mode == Mode::Linear);
    if let Some(Candidate { features, settings, .. }) = linear.cloned() {
        let mut variations = vec![
            TrainSettings { cost: (base.cost / 2.0).max(SMALLEST), ..settings.clone() },
            TrainSettings { cost: (base.cost * 2.0).min(LARGEST), ..settings.clone() },
        ];
        if fixed.information.is_none() {
            variations.push(TrainSettings { information: !settings.information, ..settings });
        }
        candidates.extend(try_candidates(data, &features, variations, &mut tried)?);
        sort(&mut candidates);
    }
    let Some(best) = candidates.first().cloned() else {
        // Data on which no candidate can be trained is refused by `train` too, with a reason.
        return train(data.clone(), base.clone(), false);
    };
    let Candidate { features, settings, validation, temperature } = best;
    let trained = fit_all(data.restricted(&features), settings, temperature, Some(validation))?;
    Ok(Trained { candidates, ..trained })
}

/// Returns the features that candidates are made of. A reader must read them for [`train_best`].
#[must_use]
pub fn candidate_features() -> FeatureSettings {
    FeatureSettings { words: true, pairs: true, characters: vec![1, 2, 3], hash_bits: None }
}

/// Returns the lists of features to try. Hashed features cannot be distinguished by kind, so there
/// is only one list of them.
fn feature_lists(data: &TrainingData) -> Vec<FeatureSettings> {
    if data.index.is_hashed() {
        return vec![data.features.clone()];
    }
    let lists = ["words", "words,pairs", "words,c1,c2", "words,c2,c3", "words,c1,c2,c3"];
    lists.iter().map(|list| list.parse().expect("the lists are valid")).collect()
}

/// Returns the settings to try with each list of features.
fn first_settings(base: &TrainSettings, fixed: Fixed) -> Vec<TrainSettings> {
    let modes = match fixed.mode {
        Some(mode) => vec![mode],
        None => vec![Mode::Exponent, Mode::Complement, Mode::Linear],
    };
    let settings = |mode, smoothing| TrainSettings { mode, smoothing, ..base.clone() };
    let of_mode = |mode| match mode {
        Mode::Exponent | Mode::Counts if fixed.smoothing.is_none() => {
            [0.5, 0.8].map(|amount| settings(mode, Smoothing::Discount(amount))).to_vec()
        }
        mode => vec![settings(mode, base.smoothing)],
    };
    modes.into_iter().flat_map(of_mode).collect()
}

/// Validates one candidate for each of the settings.
fn try_candidates(
    data: &TrainingData,
    features: &FeatureSettings,
    settings: Vec<TrainSettings>,
    tried: &mut impl FnMut(&Candidate),
) -> Result<Vec<Candidate>, BcwError> {
    let restricted = data.restricted(features);
    let params: Vec<BcwValidParams> = settings
        .iter()
        .map(|settings| BcwParams::from(settings.clone()).check())
        .collect::<Result<_, _>>()?;
    let (held_out, folds) = hold_out(&restricted, &params, false);
    if folds == 0 {
        return Err(BcwError::TooFew);
    }
    let mut candidates = Vec::new();
    for (held_out, settings) in held_out.iter().zip(settings) {
        // A candidate that cannot be trained on every fold cannot be compared with the others.
        if held_out.folds < folds || held_out.is_empty() {
            continue;
        }
        let temperature = temperature_of(held_out, settings.mode);
        let validation = validated(held_out, &[temperature.recip()]);
        let candidate = Candidate { features: features.clone(), settings, validation, temperature };
        tried(&candidate);
        candidates.push(candidate);
    }
    Ok(candidates)
}

/// Sorts the most accurate candidate first; then the one with the lower log-loss, then the one that
/// was tried first.
fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| {
        let accuracy = b.validation.accuracy.total_cmp(&a.validation.accuracy);
        accuracy.then(a.validation.log_loss.total_cmp(&b.validation.log_loss))
    });
}

/// Scores held-out documents with models that were trained on the other documents. Returns the
/// scores for each of `all_params`, and the number of folds. If a model cannot be trained on a
/// fold, its scores lack that fold.
fn hold_out(
    data: &TrainingData,
    all_params: &[BcwValidParams],
    by_group: bool,
) -> (Vec<HeldOut>, usize) {
    let seed = all_params.first().map_or(0, |params| params.settings().seed);
    let folds = data.folds(seed);
    let mut all: Vec<HeldOut> = all_params.iter().map(|_| HeldOut::new()).collect();
    let mut counts = data.counts.clone();
    for fold in &folds {
        let fold = &leave_words(data, fold, &mut counts);
        let (records, labels) = data.chosen(fold);
        let is_linear = |params: &BcwValidParams| !params.settings().mode.is_bayesian();
        let (others, other_labels) = if all_params.iter().any(is_linear) {
            data.chosen(&complement(fold, data.sample.len()))
        } else {
            (SparseRecords::default(), Vec::new())
        };
        let fitted: Vec<Option<Bcw>> = all_params
            .par_iter()
            .map(|params| params.fit_records(&others, &other_labels, &counts, &data.classes).ok())
            .collect();
        for (held_out, model) in all.iter_mut().zip(fitted) {
            let Some(model) = model else { continue };
            held_out.folds += 1;
            if by_group {
                held_out.add_groups(&model, &records, &labels);
            } else {
                held_out.add_scores(&model, &records, &labels);
            }
        }
        counts.add(&records, &labels);
    }
    (all, folds.len())
}

/// Subtracts the documents of a fold from the counts, except those of classes that would have no
/// word left. Returns the documents that were subtracted.
fn leave_words(data: &TrainingData, fold: &[usize], counts: &mut Counts) -> Vec<usize> {
    let (records, labels) = data.chosen(fold);
    counts.subtract(&records, &labels);
    let have = counts.have_features();
    let (taken, given_back): (Vec<usize>, Vec<usize>) =
        fold.iter().copied().partition(|&document| have[data.sample_labels[document]]);
    let (records, labels) = data.chosen(&given_back);
    counts.add(&records, &labels);
    taken
}

/// Returns the numbers below `all` that are not in the sorted `chosen`.
fn complement(chosen: &[usize], all: usize) -> Vec<usize> {
    (0..all).filter(|number| chosen.binary_search(number).is_err()).collect()
}

/// Returns the temperature of a mode. The paper's formula stays as printed: its scores prefer the
/// wrong class, so calibration would only flatten its posteriors.
fn temperature_of(held_out: &HeldOut, mode: Mode) -> f64 {
    if mode == Mode::Literal { 1.0 } else { held_out.temperature() }
}

fn validated(held_out: &HeldOut, exponents: &[f64]) -> Validation {
    let (correct, log_loss) = held_out.figures(exponents);
    let documents = held_out.len();
    Validation {
        documents,
        folds: held_out.folds,
        accuracy: correct as f64 / documents as f64,
        log_loss,
    }
}
