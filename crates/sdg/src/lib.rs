#![doc = include_str!("../README.md")]

mod ambiguity;
mod build;
mod disambiguate;
pub mod fuzzy;
mod graph;
mod picture;
mod sdg;
mod senses;
mod settings;

pub use ambiguity::{Ambiguity, Identification, Indicators, TermCounts};
pub use build::{BuildError, TopicTerm};
pub use disambiguate::{Disambiguator, Judgement, Present};
pub use graph::{Occurrences, Pair};
pub use picture::{EdgeChoice, Picture};
pub use sdg::{Edge, FORMAT, Node, ReadError, Sdg, SdgError, analyzer_for};
pub use senses::Senses;
pub use settings::{Bounds, INDICATORS, Importance, SdgSettings, SettingsError, Shape};
