//! P(l) = λ Sim(f, t) + (1 − λ) Sim(a, t), of the page's full text f and the link's text a (eq. 21 of sdvsm); of several
//! pages the greatest.

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};

/// The page and the link's text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PageAnchorPriority {
    /// λ, what the page counts for.
    pub page: f64,
}

impl Default for PageAnchorPriority {
    fn default() -> Self {
        Self { page: 0.5 }
    }
}

impl Priority for PageAnchorPriority {
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        link.greatest(|it| self.page * it.relevance + (1.0 - self.page) * it.anchor)
    }
}
