//! The comprehensive priority evaluation (CPE) of bcw-cc:
//!
//! E(l) = α R(G) + β R(AL) + γ R(CL)   (eq. 4)
//!
//! The paper defines G as the page that the link points to, which is unknown before it is fetched
//! (reading B3, docs/papers.md). By default G is therefore the page that contains the link, and
//! R(G) is the mean if several pages contain it. With `prefetch`, links are fetched in order to
//! judge them: every such fetch counts towards the budget, G is the fetched page, and its own links
//! are followed only if E(l) is then high enough.

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};
use crate::cut::Cut;

/// The λ of bcw-cc as a share of its τ. A computed λ keeps that share of the threshold of pages.
pub(crate) const LAMBDA_SHARE: f64 = 0.3 / 0.7;

/// Comprehensive priority evaluation (CPE).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ComprehensivePriority {
    /// α, the weight of the page.
    pub page: f64,
    /// β, the weight of the anchor text.
    pub anchor: f64,
    /// γ, the weight of the link context.
    pub context: f64,
    /// λ: a link is discarded unless its priority is greater. With a negative value, no link is.
    pub above: Cut,
    /// The score of page and anchor text that takes the place of R(G) and R(AL).
    pub by: ScoredBy,
    /// True if G is the page behind the link.
    pub prefetch: bool,
}

/// The score of a page and of an anchor text by which a link is judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoredBy {
    /// R, the similarity to the topic.
    #[default]
    Topic,
    /// The judge's P(relevant) of the page, and of the anchor text if the judge uses a classifier.
    Judge,
}

impl Default for ComprehensivePriority {
    fn default() -> Self {
        let by = ScoredBy::Topic;
        Self { page: 0.5, anchor: 0.3, context: 0.2, above: Cut::Auto, by, prefetch: false }
    }
}

impl Priority for ComprehensivePriority {
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        self.page * link.page() + self.anchor * link.anchor() + self.context * link.context()
    }

    /// Refuses a link unless E(l) > λ (line 34 of algorithm 1). With `prefetch` it refuses none,
    /// because R(G) is unknown until the link is fetched.
    fn refuses(&self, priority: f64, threshold: f64) -> bool {
        !self.prefetch && priority <= self.above.or(LAMBDA_SHARE * threshold)
    }

    fn of_fetched(&self, link: &LinkFacts<'_>, target: f64, threshold: f64) -> Option<(f64, bool)> {
        let rest = self.anchor * link.anchor() + self.context * link.context();
        let priority = self.page * target + rest;
        self.prefetch.then_some((priority, priority > self.above.or(LAMBDA_SHARE * threshold)))
    }
}
