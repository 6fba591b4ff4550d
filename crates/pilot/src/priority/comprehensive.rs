//! The comprehensive priority evaluation (CPE) of bcw-cc:
//!
//! E(l) = α R(G) + β R(AL) + γ R(CL)   (eq. 4)
//!
//! G is printed as the page that the link points to, which is not known before it is fetched (B3 of the readings). So
//! it is the page that the link is on, of several the mean. With `prefetch` links are fetched to be judged: every
//! such fetch counts, G is the page that came, and its own links are taken up only if E(l) is then great enough.

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};

/// CPE.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ComprehensivePriority {
    /// α, what the page counts for.
    pub page: f64,
    /// β, what the link's text counts for.
    pub anchor: f64,
    /// γ, what stands around the link.
    pub context: f64,
    /// λ: a link that promises no more is put aside; below 0, none is.
    pub above: f64,
    /// Whether G is the page behind the link.
    pub prefetch: bool,
}

impl Default for ComprehensivePriority {
    fn default() -> Self {
        Self { page: 0.5, anchor: 0.3, context: 0.2, above: 0.3, prefetch: false }
    }
}

impl Priority for ComprehensivePriority {
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        self.page * link.page() + self.anchor * link.anchor() + self.context * link.context()
    }

    /// E(l) must be greater than λ (line 34 of algorithm 1). Until a link is fetched nothing is known of G with
    /// `prefetch`.
    fn refuses(&self, priority: f64) -> bool {
        !self.prefetch && priority <= self.above
    }

    fn of_fetched(&self, link: &LinkFacts<'_>, target: f64) -> Option<(f64, bool)> {
        let rest = self.anchor * link.anchor() + self.context * link.context();
        let priority = self.page * target + rest;
        self.prefetch.then_some((priority, priority > self.above))
    }
}
