//! The comprehensive priority of fcits-oh:
//!
//! P(l) = r₁ PR(p) + r₂ (1/m) Σ R(pᵢ) + r₃ R(A)   (eq. 9)
//!
//! PR is that of the pages that the link is on, as a share of the greatest PR (F9 and F11 of the readings).
//! With `prefetch` links are fetched to be judged, and every such fetch counts: then the relevance of the page behind the link
//! counts too, with weights of its own (part B of the readings), and the links of a page are taken up only if P(l) is great
//! enough.

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};
use crate::pagerank::PageRankSettings;

/// Link structure and text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PageRankPriority {
    /// r₁, what PR counts for.
    pub rank: f64,
    /// r₂, what the pages count for.
    pub page: f64,
    /// r₃, what the link's text counts for.
    pub anchor: f64,
    /// β: a link that promises less is put aside.
    pub at_least: f64,
    /// Whether links are fetched to be judged.
    pub prefetch: bool,
    /// What PR, the pages, the link's text and the page behind it count for then.
    pub prefetch_weights: [f64; 4],
    /// How PR is computed.
    pub pagerank: PageRankSettings,
}

impl Default for PageRankPriority {
    fn default() -> Self {
        Self {
            rank: 0.55,
            page: 0.25,
            anchor: 0.20,
            at_least: 0.15,
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

    /// P(l) must be at least β (F14 of the readings).
    fn refuses(&self, priority: f64) -> bool {
        !self.prefetch && priority < self.at_least
    }

    fn of_fetched(&self, link: &LinkFacts<'_>, target: f64) -> Option<(f64, bool)> {
        let [rank, page, anchor, behind] = self.prefetch_weights;
        let priority =
            rank * link.pagerank + page * link.page() + anchor * link.anchor() + behind * target;
        self.prefetch.then_some((priority, priority >= self.at_least))
    }
}
