//! The comprehensive priority of fcits-oh:
//!
//! P(l) = r₁ PR(p) + r₂ (1/m) Σ R(pᵢ) + r₃ R(A)   (eq. 9)
//!
//! PR is the mean PR of the pages that contain the link, as a share of the greatest PR (readings F9
//! and F11, docs/papers.md). With `prefetch`, links are fetched in order to judge them, and every
//! such fetch counts towards the budget. The relevance of the page behind the link then counts as
//! well, with separate weights, and the links of that page are followed only if P(l) is high
//! enough.

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};
use crate::cut::Cut;
use crate::pagerank::PageRankSettings;

/// The β of fcits-oh as a share of its α. A computed β keeps that share of the threshold of pages.
pub(crate) const BETA_SHARE: f64 = 0.15 / 0.62;

/// Priority by link structure and text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PageRankPriority {
    /// r₁, the weight of PR.
    pub rank: f64,
    /// r₂, the weight of the pages.
    pub page: f64,
    /// r₃, the weight of the anchor text.
    pub anchor: f64,
    /// β: a link with a lower priority is discarded.
    pub at_least: Cut,
    /// True if links are fetched in order to judge them.
    pub prefetch: bool,
    /// With `prefetch`: the weights of PR, the pages, the anchor text and the page behind the link.
    pub prefetch_weights: [f64; 4],
    /// Settings of the PR computation.
    pub pagerank: PageRankSettings,
}

impl Default for PageRankPriority {
    fn default() -> Self {
        Self {
            rank: 0.55,
            page: 0.25,
            anchor: 0.20,
            at_least: Cut::Auto,
            prefetch: false,
            prefetch_weights: [0.3, 0.2, 0.2, 0.3],
            pagerank: PageRankSettings::default(),
        }
    }
}

impl Priority for PageRankPriority {
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        self.rank * link.pagerank + self.page * link.page() + self.anchor * link.anchor()
    }

    /// Refuses a link unless P(l) ≥ β (reading F14, docs/papers.md).
    fn refuses(&self, priority: f64, threshold: f64) -> bool {
        !self.prefetch && priority < self.at_least.or(BETA_SHARE * threshold)
    }

    fn of_fetched(&self, link: &LinkFacts<'_>, target: f64, threshold: f64) -> Option<(f64, bool)> {
        let [rank, page, anchor, behind] = self.prefetch_weights;
        let priority =
            rank * link.pagerank + page * link.page() + anchor * link.anchor() + behind * target;
        let least = self.at_least.or(BETA_SHARE * threshold);
        self.prefetch.then_some((priority, priority >= least))
    }
}
