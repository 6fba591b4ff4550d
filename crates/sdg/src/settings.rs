//! What can be chosen about a graph.

use serde::{Deserialize, Serialize};

/// How important a term is on the topic pages (TI of eq. 11).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Importance {
    /// log(`N_others` / `N_k`), as printed: the rarer a term, the greater.
    #[default]
    Printed,
    /// log(1 + `N_k` / `N_others`), as the text around the formula says: the more often, the greater.
    Text,
}

/// The form of the fuzzy sets "low" and "high" of an indicator between its bounds a and b.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A straight line from a to b, level outside (eq. 12).
    #[default]
    Linear,
    /// Triangles: low falls from the least value of all terms to b, high rises from a to the greatest.
    Triangular,
    /// Half bells: low falls from a on, high rises up to b; they meet half-way at one half.
    Gaussian,
}

/// The parameters a and b of an indicator's sets (eq. 12).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Up to here an indicator is low, and not high at all.
    pub low: f64,
    /// From here on it is high, and not low at all.
    pub high: f64,
}

impl Bounds {
    /// Whether there is room for a slope between them, as numbers go.
    pub(crate) fn are_apart(&self) -> bool {
        let apart = self.high - self.low;
        let size = self.low.abs().max(self.high.abs()).max(1e-6);
        apart.is_finite() && apart > size * ROUNDING
    }
}

/// Numbers that differ by less than this part of themselves are the same, computed differently: the mean of
/// three times 0.1 is a little more than 0.1.
const ROUNDING: f64 = 1e-9;

/// Whether a number reaches a threshold.
pub(crate) fn reaches(number: f64, threshold: f64) -> bool {
    number >= threshold - ROUNDING * threshold.abs()
}

/// The three indicators, in the order of the paper.
pub const INDICATORS: [&str; 3] = ["relevance", "popularity", "importance"];

/// What can be chosen about a graph. The defaults are the paper's, or where it is silent those that
/// ARCHITECTURE.md gives reasons for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Which form of TI.
    pub importance: Importance,
    /// Which form of fuzzy sets.
    pub shape: Shape,
    /// C of eq. 11, from 0.001 to 1,000.
    pub constant: f64,
    /// a and b for each indicator; without, the quartiles over the terms of the graph.
    pub bounds: [Option<Bounds>; 3],
    /// `T_cd` of eq. 16; without, each ambiguous term's mean degree to all other terms.
    pub degree_threshold: Option<f64>,
    /// `θ_k` of eq. 20 as a share of the mean degree of a term's disambiguation terms, from 0 to 1. 1 is printed;
    /// with 0 a term stays wherever any of those is on the page.
    pub theta: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            importance: Importance::Printed,
            shape: Shape::Linear,
            constant: 1.0,
            bounds: [None; 3],
            degree_threshold: None,
            theta: 1.0,
        }
    }
}

/// A setting that is out of range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// C.
    #[error("the constant C of eq. 11 is {0:?}; it must be from 0.001 to 1000")]
    Constant(f64),
    /// a and b.
    #[error(
        "the bounds of the {indicator} are {low:?} and {high:?}; they must be numbers with something between \
         them, the lower one first"
    )]
    Bounds {
        /// Which indicator.
        indicator: &'static str,
        /// a.
        low: f64,
        /// b.
        high: f64,
    },
    /// `T_cd`.
    #[error("the threshold of co-occurrence is {0:?}; it must be from 0 to 1")]
    DegreeThreshold(f64),
    /// `θ_k`.
    #[error("theta is {0:?}; it must be from 0 to 1")]
    Theta(f64),
}

impl Settings {
    /// Checks that everything is in its range.
    pub fn check(&self) -> Result<(), SettingsError> {
        if !(0.001..=1e3).contains(&self.constant) {
            return Err(SettingsError::Constant(self.constant));
        }
        for (bounds, indicator) in self.bounds.iter().zip(INDICATORS) {
            if let Some(bounds) = bounds
                && !bounds.are_apart()
            {
                let Bounds { low, high } = *bounds;
                return Err(SettingsError::Bounds { indicator, low, high });
            }
        }
        if !(0.0..=1.0).contains(&self.theta) {
            return Err(SettingsError::Theta(self.theta));
        }
        match self.degree_threshold {
            Some(threshold) if !(0.0..=1.0).contains(&threshold) => {
                Err(SettingsError::DegreeThreshold(threshold))
            }
            _ => Ok(()),
        }
    }
}
