//! The comprehensive priority of fcits-oh:
//!
//! P(l) = r₁ PR(p) + r₂ (1/m) Σ R(pᵢ) + r₃ R(A)   (eq. 9)
//!
//! PR is that of the pages that the link is on, as a share of the greatest PR (F9 and F11 of the readings).
//! With `target` the relevance of the page behind the link counts too, as in FCSA: links are fetched to be judged, and every
//! such fetch counts.

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};
use crate::pilot::pagerank::PageRankSettings;

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
    /// What the page behind the link counts for, if links are fetched to be judged.
    pub target: f64,
    /// β: a link that promises less is put aside.
    pub at_least: f64,
    /// Whether links are fetched to be judged.
    pub prefetch: bool,
    /// How PR is computed.
    pub pagerank: PageRankSettings,
}

impl Default for PageRankPriority {
    fn default() -> Self {
        Self {
            rank: 0.55,
            page: 0.25,
            anchor: 0.20,
            target: 0.0,
            at_least: 0.15,
            prefetch: false,
            pagerank: PageRankSettings::default(),
        }
    }
}

impl Priority for PageRankPriority {
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        self.rank * link.pagerank() + self.page * link.page() + self.anchor * link.anchor()
    }

    fn least(&self) -> Option<f64> {
        (!self.prefetch).then_some(self.at_least)
    }

    fn of_fetched(&self, link: &LinkFacts<'_>, target: f64) -> Option<f64> {
        self.prefetch.then(|| self.of(link) + self.target * target)
    }
}
