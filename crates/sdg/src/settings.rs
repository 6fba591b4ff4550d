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
    /// C of eq. 11, above 0.
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
    #[error("the constant C of eq. 11 is {0}; it must be above 0 and at most 1000000")]
    Constant(f64),
    /// a and b.
    #[error(
        "the bounds of the {indicator} are {low} and {high}; they must be numbers, the lower one first"
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
    #[error("the threshold of co-occurrence is {0}; it must be from 0 to 1")]
    DegreeThreshold(f64),
    /// `θ_k`.
    #[error("theta is {0}; it must be from 0 to 1")]
    Theta(f64),
}

impl Settings {
    /// Checks that everything is in its range.
    pub fn check(&self) -> Result<(), SettingsError> {
        if !(self.constant > 0.0 && self.constant <= 1e6) {
            return Err(SettingsError::Constant(self.constant));
        }
        for (bounds, indicator) in self.bounds.iter().zip(INDICATORS) {
            if let Some(Bounds { low, high }) = *bounds
                && !(low < high && (high - low).is_finite())
            {
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
