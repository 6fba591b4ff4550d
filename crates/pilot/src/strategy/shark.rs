//! Shark-search (Hersovici 1998, part E.3 of the readings): fish-search with grades.
//!
//! score(l) = γ inherited(l) + (1 − γ) neighbourhood(l), where
//!
//! - inherited(l) = δ sim(p) if sim(p) > 0, else δ inherited(p): relevance fades from page to page,
//! - neighbourhood(l) = β anchor(l) + (1 − β) context(l),
//! - context(l) = 1 if anchor(l) > 0, else the relevance of what stands around the link.
//!
//! A link that leads further than `depth` steps from the last page with sim > 0 is not followed. A waiting link that is
//! found again keeps the greater score.

use serde::{Deserialize, Serialize};

use super::{Decision, Helm, Lead, Ranked, Strategy, best_or_free};
use crate::link::Score;
use crate::priority::LinkFacts;

/// Shark-search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SharkSettings {
    /// γ, what is inherited counts for.
    pub inherited: f64,
    /// δ, what is left of relevance after one step.
    pub decay: f64,
    /// β, what the link's text counts for, against what stands around it.
    pub anchor: f64,
    /// How many steps from a relevant page a link may lead.
    pub depth: f64,
}

impl Default for SharkSettings {
    fn default() -> Self {
        Self { inherited: 0.5, decay: 0.5, anchor: 0.8, depth: 3.0 }
    }
}

/// Shark-search at work.
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
    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        best_or_free(helm)
    }

    fn rank(&self, link: &LinkFacts<'_>, lead: &Lead<'_>) -> Option<Ranked> {
        let SharkSettings { inherited: share, decay, anchor: weight, depth } = self.settings;
        let is_relevant = link.page() > 0.0;
        let parent = lead.led_here.score(Score::Inherited).unwrap_or(0.0);
        let inherited = decay * if is_relevant { link.page() } else { parent };
        let steps = if is_relevant {
            depth
        } else {
            lead.led_here.score(Score::Steps).unwrap_or(depth) - 1.0
        };
        if steps <= 0.0 {
            return Some(Ranked { rank: None, scores: Vec::new() });
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
        Some(Ranked { rank: Some(score), scores })
    }
}
