//! P(l) = λ Sim(f, t) + (1 − λ) Sim(a, t), where f is the page's full text, a the anchor text and t
//! the topic (eq. 21 of sdvsm); the greatest if several pages contain the link.

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};

/// The relevance of the page and of the anchor text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PageAnchorPriority {
    /// λ, the weight of the page.
    pub page: f64,
}

impl Default for PageAnchorPriority {
    fn default() -> Self {
        Self { page: 0.5 }
    }
}

impl Priority for PageAnchorPriority {
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        link.greatest(|it| self.page * it.relevance + (1.0 - self.page) * link.anchor_on(it))
    }
}
