//! Shark-search (Hersovici 1998): fish-search with continuous scores.
//!
//! score(l) = γ inherited(l) + (1 − γ) neighbourhood(l), where
//!
//! - inherited(l) = δ sim(p) if sim(p) > 0, else δ inherited(p): relevance decays from page to
//!   page,
//! - neighbourhood(l) = β anchor(l) + (1 − β) context(l),
//! - context(l) = 1 if anchor(l) > 0, else the relevance of the link context.
//!
//! A link that is more than `depth` steps away from the last page with sim > 0 is not followed. A
//! waiting link that is found again keeps the greater score.

use serde::{Deserialize, Serialize};

use super::{Decision, LinkOrigin, Strategy, StrategyContext, StrategyPriority, best_or_free};
use crate::link::Score;
use crate::priority::LinkFacts;

/// Settings of shark-search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct SharkSettings {
    /// γ, the weight of the inherited relevance.
    pub inherited: f64,
    /// δ, the share of relevance that is left after one step.
    pub decay: f64,
    /// β, the weight of the anchor text against that of the link context.
    pub anchor: f64,
    /// Number of steps that may be followed from a relevant page.
    pub depth: f64,
}

impl Default for SharkSettings {
    fn default() -> Self {
        Self { inherited: 0.5, decay: 0.5, anchor: 0.8, depth: 3.0 }
    }
}

/// The state of shark-search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shark {
    settings: SharkSettings,
}

impl Shark {
    pub(crate) fn new(settings: SharkSettings) -> Self {
        Self { settings }
    }
}

impl Strategy for Shark {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        best_or_free(cx)
    }

    fn link_priority(
        &self,
        link: &LinkFacts<'_>,
        origin: &LinkOrigin<'_>,
    ) -> Option<StrategyPriority> {
        let SharkSettings { inherited: share, decay, anchor: weight, depth } = self.settings;
        let is_relevant = link.page() > 0.0;
        let parent = origin.via.score(Score::Inherited).unwrap_or(0.0);
        let inherited = decay * if is_relevant { link.page() } else { parent };
        let steps =
            if is_relevant { depth } else { origin.via.score(Score::Steps).unwrap_or(depth) - 1.0 };
        if steps <= 0.0 {
            return Some(StrategyPriority { priority: None, scores: Vec::new() });
        }
        let context = if link.anchor() > 0.0 { 1.0 } else { link.context() };
        let neighbourhood = weight * link.anchor() + (1.0 - weight) * context;
        let score = share * inherited + (1.0 - share) * neighbourhood;
        let scores = vec![
            (Score::Context, context),
            (Score::Inherited, inherited),
            (Score::Steps, steps),
            (Score::Priority, score),
        ];
        Some(StrategyPriority { priority: Some(score), scores })
    }
}
