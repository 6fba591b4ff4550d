#![doc = include_str!("../README.md")]

mod bandit;
mod clues;
mod effects;
mod example;
mod kept;
mod model;
mod names;
mod noise;
mod number;
mod rates;

pub use bandit::{Bandit, BanditSettings};
pub use clues::{LinkClues, NameSpace, feature_of, host_path_feature, url_features, url_tokens};
pub use effects::{Cause, Effect};
pub use example::{DENSE, Dense, LinkExample, Sparse};
pub use kept::{KeptModel, UnusableModel};
pub use model::{LinkModel, LinkModelSettings, logistic, logit};
pub use names::{Named, Names};
pub use noise::noise;
pub use number::LearnedNumber;
pub use rates::{Group, KeptRates, SuccessRates};
