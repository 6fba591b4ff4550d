//! Settings of a graph.

use serde::{Deserialize, Serialize};

/// The form of a term's importance on the topic pages (TI of eq. 11).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Importance {
    /// log(`N_others` / `N_k`), as printed: greater for rarer terms.
    #[default]
    Printed,
    /// log(1 + `N_k` / `N_others`), as the text around the formula describes it: greater for more
    /// frequent terms.
    Text,
}

/// The shape of the fuzzy sets "low" and "high" of an indicator with the bounds a and b.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A straight line from a to b, constant outside (eq. 12).
    #[default]
    Linear,
    /// Triangles: low falls from the least value of all terms to b, high rises from a to the
    /// greatest value.
    Triangular,
    /// Half bell curves: low falls from a on, high rises up to b; they meet in the middle at one
    /// half.
    Gaussian,
}

/// The parameters a and b of an indicator's sets (eq. 12).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// a: up to this number, an indicator is fully low and not high at all.
    pub low: f64,
    /// b: from this number on, an indicator is fully high and not low at all.
    pub high: f64,
}

impl Bounds {
    /// Returns true if the bounds are far enough apart for a slope in floating-point numbers.
    pub(crate) fn are_apart(&self) -> bool {
        let apart = self.high - self.low;
        let size = self.low.abs().max(self.high.abs()).max(1e-6);
        apart.is_finite() && apart > size * ROUNDING
    }
}

/// Relative difference below which numbers count as equal, because they may differ only by
/// rounding: the mean of three times 0.1 is a little more than 0.1.
const ROUNDING: f64 = 1e-9;

/// Returns true if a number reaches a threshold, up to rounding.
pub(crate) fn reaches(number: f64, threshold: f64) -> bool {
    number >= threshold - ROUNDING * threshold.abs()
}

/// The three indicators, in the order of the paper.
pub const INDICATORS: [&str; 3] = ["relevance", "popularity", "importance"];

/// The settings of a graph. The defaults are those of the paper; where it prints none, the crate's
/// README gives the reasons.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SdgSettings {
    /// The form of TI.
    pub importance: Importance,
    /// The shape of the fuzzy sets.
    pub shape: Shape,
    /// C of eq. 11, from 0.001 to 1,000.
    pub constant: f64,
    /// a and b of each indicator; if absent, the quartiles over the terms of the graph.
    pub bounds: [Option<Bounds>; 3],
    /// `T_cd` of eq. 16; if absent, each ambiguous term's mean degree with all other terms.
    pub degree_threshold: Option<f64>,
    /// `θ_k` of eq. 20 as a share of the mean degree of a term's disambiguation terms, from 0 to 1.
    /// The paper prints 1; with 0, a term is kept if any of its disambiguation terms is on the
    /// page.
    pub theta: f64,
}

impl Default for SdgSettings {
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
#[non_exhaustive]
pub enum SettingsError {
    /// C is out of range.
    #[error("the constant C of eq. 11 is {0:?}; it must be from 0.001 to 1000")]
    Constant(f64),
    /// a and b are not in order, or too close together.
    #[error(
        "the bounds of the {indicator} are {low:?} and {high:?}; they must be finite numbers that \
         are clearly apart, the lower one first"
    )]
    Bounds {
        /// The indicator.
        indicator: &'static str,
        /// a.
        low: f64,
        /// b.
        high: f64,
    },
    /// `T_cd` is out of range.
    #[error("the co-occurrence threshold is {0:?}; it must be from 0 to 1")]
    DegreeThreshold(f64),
    /// `θ_k` is out of range.
    #[error("theta is {0:?}; it must be from 0 to 1")]
    Theta(f64),
}

impl SdgSettings {
    /// Returns the settings after a change, such as `settings.with(|it| it.theta = 0.5)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Checks that all settings are in range.
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
