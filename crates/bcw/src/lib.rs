//! The label-weighted Bayesian classifier of bcw-cc, and what goes beyond it.
//!
//! A [`Reader`] turns labelled documents into [`TrainingData`]: counts of features by class and label
//! group, which add up over corpora and machines. [`train`] makes a model of them in one of five
//! [`Mode`]s, validated and calibrated on documents held out; [`train_best`] chooses mode and features
//! by such documents. A [`Classifier`] is a model with the names of its features and classes: it says
//! what class a text or a page is of, how sure that is, and which words decided.
//!
//! Underneath is linfa's shape: [`Params`] are checked, fitted to [`SparseRecords`] and give a [`Bcw`],
//! which predicts.
//!
//! The crate knows nothing of HTTP or of other tools' files.

pub mod baseline;
mod bayes;
mod bundle;
mod bytes;
mod calibrate;
mod classifier;
mod counts;
mod data;
mod error;
mod evaluate;
mod feature;
mod index;
mod linear;
mod measured;
mod model;
mod records;
mod select;
mod settings;
mod training;
mod weights;

pub use bundle::FORMAT;
pub use classifier::{Card, ClassCard, Classifier, OTHER, Prediction, Predictor, Reason};
pub use counts::Counts;
pub use data::{Labelled, Reader, TrainingData, check_label, passages_of_text};
pub use error::BcwError;
pub use evaluate::{Evaluation, Figures, cross_validate};
pub use feature::FeatureSettings;
pub use measured::{Confusion, EVALUATION, Evaluated, Measured};
pub use model::Bcw;
pub use records::{Entry, SparseRecords};
pub use settings::{Mode, Params, Priors, Ranking, Selection, Settings, Smoothing, ValidParams};
pub use training::{Candidate, Fixed, Trained, Validation, candidate_features, train, train_best};
