#![doc = include_str!("../README.md")]

pub mod enrich;
pub mod lda;
mod selection;

pub use selection::{Chosen, Selection, SelectionError, Threshold};
