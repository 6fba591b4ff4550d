//! Gates: decide whether a page is relevant, and whether its links are followed.

mod bcw;
mod none;
mod threshold;

use ontrail_anchor::PageTerms;
use serde::{Deserialize, Serialize};

pub use bcw::BcwGate;
pub use none::NoGate;
pub use threshold::ThresholdGate;

/// The facts that a pilot needs about a page.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PageFacts<'a> {
    /// R(p), if there is a topic.
    pub relevance: Option<f64>,
    /// The class that a classifier assigns to the page.
    pub class: Option<&'a str>,
    /// The topic's terms on the page, for recipes that compare anchor texts by BM25.
    pub terms: Option<&'a PageTerms>,
}

impl PageFacts<'_> {
    /// Returns true if R(p) > α, strictly (reading F14, docs/papers.md).
    pub(crate) fn is_above(&self, threshold: f64) -> bool {
        self.relevance.is_some_and(|relevance| relevance > threshold)
    }
}

/// The treatment of a page's links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Passage {
    /// All links may be followed.
    Open,
    /// Only links that start a tunnel may be followed.
    Tunnel,
    /// No link may be followed.
    Closed,
}

/// A way to decide whether a page is relevant.
pub(crate) trait Gate {
    /// Returns the treatment of a page's links, given the recipe's threshold.
    fn passage(&self, page: &PageFacts<'_>, threshold: f64) -> Passage;

    /// Returns true if a page counts as relevant, and none if there is no topic.
    fn is_relevant(&self, page: &PageFacts<'_>, threshold: f64) -> Option<bool> {
        page.relevance.map(|_| page.is_above(threshold))
    }
}

/// The kinds of gates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GateRecipe {
    /// Follows the links of every page.
    None(NoGate),
    /// Follows the links of pages whose relevance is above the threshold.
    Threshold(ThresholdGate),
    /// Follows the links of pages of one class whose relevance is above the threshold.
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
