//! Gates: decide whether a page is relevant, and whether its links are followed.

mod bcw;
mod none;
mod threshold;

use ontrail_anchor::PageTerms;
use ontrail_learner::Named;
use serde::{Deserialize, Serialize};

pub use bcw::BcwGate;
pub use none::NoGate;
pub use threshold::ThresholdGate;

/// The facts that a pilot needs about a page.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PageFacts<'a> {
    /// R(p), if there is a topic.
    pub relevance: Option<f64>,
    /// The score of a judge that uses a classifier, if the recipe has one.
    pub judged: Option<f64>,
    /// The class that a classifier assigns to the page.
    pub class: Option<&'a str>,
    /// The topic's terms on the page, for recipes that compare anchor texts by BM25.
    pub terms: Option<&'a PageTerms>,
    /// The texts behind the hashes of the words and places of the page's links, for recipes that
    /// learn from them.
    pub names: &'a [Named],
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
    /// Returns the treatment of a page's links, given whether the page is above the threshold.
    fn passage(&self, page: &PageFacts<'_>, is_above: bool) -> Passage;

    /// Returns true if a page counts as relevant.
    fn is_relevant(&self, _page: &PageFacts<'_>, is_above: bool) -> bool {
        is_above
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
