//! Is this page on the topic at all? What becomes of its links depends on it.

mod bcw;
mod none;
mod threshold;

use serde::{Deserialize, Serialize};

pub use bcw::BcwGate;
pub use none::NoGate;
pub use threshold::ThresholdGate;

/// What a pilot needs to know of a page that arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PageFacts<'a> {
    /// R(p), if there is a topic.
    pub relevance: Option<f64>,
    /// The class that a classifier takes it for.
    pub class: Option<&'a str>,
}

impl PageFacts<'_> {
    /// R(p) > α (F14 of the readings).
    pub(crate) fn is_above(&self, threshold: f64) -> bool {
        self.relevance.is_some_and(|relevance| relevance > threshold)
    }
}

/// What becomes of the links of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Passage {
    /// They are taken up.
    Open,
    /// Only those that a tunnel leads to.
    Tunnel,
    /// None is.
    Closed,
}

/// A way to tell whether a page is on the topic.
pub(crate) trait Gate {
    /// What becomes of the links of a page, given the recipe's threshold.
    fn passage(&self, page: &PageFacts<'_>, threshold: f64) -> Passage;

    /// Whether a page counts as relevant; none if there is no topic.
    fn is_relevant(&self, page: &PageFacts<'_>, threshold: f64) -> Option<bool> {
        page.relevance.map(|_| page.is_above(threshold))
    }
}

/// The gates that there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GateRecipe {
    /// Every page's links are taken up.
    None(NoGate),
    /// Those of pages that are near enough to the topic.
    Threshold(ThresholdGate),
    /// Those of pages of one class that are near enough to the topic.
    Bcw(BcwGate),
}

impl Default for GateRecipe {
    fn default() -> Self {
        Self::None(NoGate {})
    }
}

impl GateRecipe {
    pub(crate) fn part(&self) -> &dyn Gate {
        match self {
            Self::None(gate) => gate,
            Self::Threshold(gate) => gate,
            Self::Bcw(gate) => gate,
        }
    }
}
