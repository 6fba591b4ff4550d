#![doc = include_str!("../README.md")]

mod calibrator;
mod curve;
mod histogram;
mod mixture;

pub use calibrator::{Basis, Calibrator, StartCurve};
pub use curve::ProbabilityCurve;
pub use histogram::{BINS, Histogram};
pub use mixture::Mixture;
