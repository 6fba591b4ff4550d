#![doc = include_str!("../README.md")]

mod anchor;
mod calibration;
mod learn;
mod model;
mod profile;
mod scorer;
mod topic;
mod view;
mod weigh;

pub use anchor::{AnchorText, PagesMet};
pub use calibration::{
    Calibration, CalibrationError, Confusion, Curve, Distribution, Estimate, Goal, Meanings,
    OperatingPoint, ProbabilityMap, Quality, Scoring,
};
pub use learn::{Counts, Learning, Method};
pub use model::{Model, Norm, Similarity, Weighting};
pub use scorer::{Feature, Scorer, ScorerError, words_as_read};
pub use topic::{Background, FORMAT, Origin, ReadError, Term, Topic, TopicError};
pub use view::{Nearest, PageView, Reason};
pub use weigh::{Names, weigh};
