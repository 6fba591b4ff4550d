#![doc = include_str!("../README.md")]

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
mod params;
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
pub use linfa::ParamGuard;
pub use measured::{Confusion, EVALUATION, Evaluated, Measured};
pub use model::Bcw;
pub use params::{BcwParams, BcwValidParams};
pub use records::{Entry, SparseRecords};
pub use settings::{Mode, Priors, Ranking, Selection, Smoothing, TrainSettings};
pub use training::{Candidate, Fixed, Trained, Validation, candidate_features, train, train_best};
