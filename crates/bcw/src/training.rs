//! Training: fit, validate on held-out documents, calibrate, and choose among candidates.
//!
//! Every choice is made on documents that were held out of training, never on test data. A corpus of
//! up to 20,000 documents is cut into five folds, each held out once; of a larger one, every tenth
//! document of a class is held out. The model that is returned has then learned from all documents.

use linfa::ParamGuard;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::calibrate::HeldOut;
use crate::counts::Counts;
use crate::data::TrainingData;
use crate::error::BcwError;
use crate::feature::FeatureSettings;
use crate::model::Bcw;
use crate::records::SparseRecords;
use crate::settings::{LARGEST, Mode, Params, SMALLEST, Settings, Smoothing, ValidParams};

/// What held-out documents said of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// How many documents were held out.
    pub documents: usize,
    /// In how many folds; 1 is a single split.
    pub folds: usize,
    /// The share that got the right class.
    pub accuracy: f64,
    /// Minus the mean logarithm of the probability given to the right class, once calibrated.
    pub log_loss: f64,
}

/// A model that was tried and how it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its features.
    pub features: FeatureSettings,
    /// Its settings.
    pub settings: Settings,
    /// How it did on held-out documents.
    pub validation: Validation,
    /// The temperature that they asked for.
    pub temperature: f64,
}

/// A model and how it came about.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The model, over the features and classes of `data`.
    pub model: Bcw,
    /// The settings it was trained with, learned label weights included.
    pub settings: Settings,
    /// The data it was trained from: all of it, or with the features that were chosen.
    pub data: TrainingData,
    /// How it did on held-out documents; absent where there were too few to hold any out, so that its
    /// posteriors are not calibrated.
    pub validation: Option<Validation>,
    /// What it was chosen from, best first; empty if there was no choice.
    pub candidates: Vec<Candidate>,
}

/// Trains a model as told. With `learns_labels`, the label weights are learned on the held-out
/// documents.
pub fn train(
    data: TrainingData,
    settings: Settings,
    learns_labels: bool,
) -> Result<Trained, BcwError> {
    let params = Params::new(settings).check()?;
    let mut settings = params.settings().clone();
    if learns_labels && settings.mode != Mode::Exponent {
        return Err(BcwError::Setting {
            setting: "the list of label weights",
            value: "to be learned".to_owned(),
            allowed: "only the mode `exponent` can learn them",
        });
    }
    if settings.mode == Mode::Linear && !data.is_complete {
        return Err(BcwError::Unlike(
            "a linear model needs all documents, and one of these keeps only a sample of its own"
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

/// A model that has learned from all documents.
fn fit_all(
    data: TrainingData,
    settings: Settings,
    temperature: f64,
    validation: Option<Validation>,
) -> Result<Trained, BcwError> {
    let params = Params::new(settings.clone()).check()?;
    let mut model =
        params.fit_records(&data.sample, &data.sample_labels, &data.counts, &data.classes)?;
    model.temperature = temperature;
    Ok(Trained { model, settings, data, validation, candidates: Vec::new() })
}

/// What is not to be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fixed {
    /// The mode.
    pub mode: Option<Mode>,
    /// The smoothing.
    pub smoothing: Option<Smoothing>,
    /// Whether features count by what they tell of the class.
    pub information: Option<bool>,
}

/// Tries several modes, features and settings and trains what does best on held-out documents; `tried`
/// hears of each candidate. `data` must hold the [`candidate_features`].
pub fn train_best(
    data: &TrainingData,
    base: &Settings,
    fixed: Fixed,
    mut tried: impl FnMut(&Candidate),
) -> Result<Trained, BcwError> {
    let base = &Settings {
        smoothing: fixed.smoothing.unwrap_or(base.smoothing),
        information: fixed.information.unwrap_or(base.information),
        ..base.clone()
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    for features in feature_lists(data) {
        let settings = first_settings(base, fixed);
        candidates.extend(try_candidates(data, &features, settings, &mut tried)?);
    }
    sort(&mut candidates);
    // Variations of the best linear model only: each trial takes a while.
    let linear = candidates.iter().find(|candidate| candidate.settings.mode == Mode::Linear);
    if let Some(Candidate { features, settings, .. }) = linear.cloned() {
        let mut variations = vec![
            Settings { cost: (base.cost / 2.0).max(SMALLEST), ..settings.clone() },
            Settings { cost: (base.cost * 2.0).min(LARGEST), ..settings.clone() },
        ];
        if fixed.information.is_none() {
            variations.push(Settings { information: !settings.information, ..settings });
        }
        candidates.extend(try_candidates(data, &features, variations, &mut tried)?);
        sort(&mut candidates);
    }
    let Some(best) = candidates.first().cloned() else {
        // What none of them can be trained on is refused in training as well, with the reason.
        return train(data.clone(), base.clone(), false);
    };
    let Candidate { features, settings, validation, temperature } = best;
    let trained = fit_all(data.restricted(&features), settings, temperature, Some(validation))?;
    Ok(Trained { candidates, ..trained })
}

/// The features that candidates are made of: what a reader must read before [`train_best`].
#[must_use]
pub fn candidate_features() -> FeatureSettings {
    FeatureSettings { words: true, pairs: true, characters: vec![1, 2, 3], hash_bits: None }
}

/// The features that are tried: all that can be told apart.
fn feature_lists(data: &TrainingData) -> Vec<FeatureSettings> {
    if data.index.is_hashed() {
        return vec![data.features.clone()];
    }
    let lists = ["words", "words,pairs", "words,c1,c2", "words,c2,c3", "words,c1,c2,c3"];
    lists.iter().map(|list| list.parse().expect("these are features")).collect()
}

/// The settings that are tried with each list of features.
fn first_settings(base: &Settings, fixed: Fixed) -> Vec<Settings> {
    let modes = match fixed.mode {
        Some(mode) => vec![mode],
        None => vec![Mode::Exponent, Mode::Complement, Mode::Linear],
    };
    let settings = |mode, smoothing| Settings { mode, smoothing, ..base.clone() };
    let of_mode = |mode| match mode {
        Mode::Exponent | Mode::Counts if fixed.smoothing.is_none() => {
            [0.5, 0.8].map(|amount| settings(mode, Smoothing::Discount(amount))).to_vec()
        }
        mode => vec![settings(mode, base.smoothing)],
    };
    modes.into_iter().flat_map(of_mode).collect()
}

fn try_candidates(
    data: &TrainingData,
    features: &FeatureSettings,
    settings: Vec<Settings>,
    tried: &mut impl FnMut(&Candidate),
) -> Result<Vec<Candidate>, BcwError> {
    let restricted = data.restricted(features);
    let params: Vec<ValidParams> = settings
        .iter()
        .map(|settings| Params::new(settings.clone()).check())
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

/// The most accurate first; of equals the one with the better probabilities, then the one tried first.
fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| {
        let accuracy = b.validation.accuracy.total_cmp(&a.validation.accuracy);
        accuracy.then(a.validation.log_loss.total_cmp(&b.validation.log_loss))
    });
}

/// What models with these settings, trained on the other documents, say of those held out; and the number
/// of folds. A fold that a model cannot be trained on is left out of what is said of it.
fn hold_out(
    data: &TrainingData,
    all_params: &[ValidParams],
    by_group: bool,
) -> (Vec<HeldOut>, usize) {
    let seed = all_params.first().map_or(0, |params| params.settings().seed);
    let folds = data.folds(seed);
    let mut all: Vec<HeldOut> = all_params.iter().map(|_| HeldOut::new()).collect();
    let mut counts = data.counts.clone();
    for fold in &folds {
        let fold = &leave_words(data, fold, &mut counts);
        let (records, labels) = data.chosen(fold);
        let is_linear = |params: &ValidParams| !params.settings().mode.is_bayesian();
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

/// Takes the documents of a fold out of the counts, but for those of classes that would have no word
/// left; returns the documents taken.
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

/// The numbers below `all` that are not in the sorted `chosen`.
fn complement(chosen: &[usize], all: usize) -> Vec<usize> {
    (0..all).filter(|number| chosen.binary_search(number).is_err()).collect()
}

/// The temperature of a mode. What is printed in the paper stays as printed: calibrated, scores that mean
/// the opposite of what they say would be silenced.
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
