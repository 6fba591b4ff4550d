//! Is this page on the topic at all? What becomes of its links depends on it.

mod bcw;
mod none;
mod threshold;

use serde::{Deserialize, Serialize};

pub use bcw::BcwGate;
pub use none::NoGate;
pub use threshold::ThresholdGate;

/// What is known of a page when it is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageFacts<'a> {
    /// R(p), if there is a topic.
    pub(crate) relevance: Option<f64>,
    /// The class that a classifier takes it for.
    pub(crate) class: Option<&'a str>,
    /// From which relevance on a page is on the topic.
    pub(crate) threshold: f64,
}

impl PageFacts<'_> {
    /// R(p) > α (F14 of the readings).
    pub(crate) fn is_above(&self) -> bool {
        self.relevance.is_some_and(|relevance| relevance > self.threshold)
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
    /// What becomes of the links of a page.
    fn passage(&self, page: &PageFacts<'_>) -> Passage;

    /// Whether a page counts as relevant; none if there is no topic.
    fn is_relevant(&self, page: &PageFacts<'_>) -> Option<bool> {
        page.relevance.map(|_| page.is_above())
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
