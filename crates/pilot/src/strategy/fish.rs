//! Fish-search (De Bra 1994).
//!
//! Links are like a school of fish: where there is food, a fish has more children, and they live
//! longer. Of the links of a relevant page, the first ⌊a · width⌋ have the potential 1, the next
//! ⌊width⌋ have .5 and the rest 0, and all may be followed for `depth` more steps. Of any other
//! page only the first ⌊width⌋ links are followed, with potential .5 and one step less. Links with
//! potential 1 go to the head of the queue, those with .5 behind them, those with 0 to its end.

use serde::{Deserialize, Serialize};

use super::{Decision, LinkOrigin, Strategy, StrategyContext, StrategyPriority, best_or_free};
use crate::link::Score;
use crate::priority::LinkFacts;

/// The advantage of a later page over an earlier one, so that of links with the same potential the
/// newest come first. It is small enough to keep potentials apart for up to a hundred million
/// pages.
const RECENCY: f64 = 1e-9;

/// Settings of fish-search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct FishSettings {
    /// Number of links of a page that are followed.
    pub width: f64,
    /// Number of steps that may be followed from a relevant page.
    pub depth: f64,
    /// a: the first a · `width` links of a relevant page have the greatest potential.
    pub share: f64,
}

impl Default for FishSettings {
    fn default() -> Self {
        Self { width: 5.0, depth: 3.0, share: 1.5 }
    }
}

/// The state of fish-search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fish {
    settings: FishSettings,
}

impl Fish {
    pub(crate) fn new(settings: FishSettings) -> Self {
        Self { settings }
    }

    /// Returns the potential of a link and the number of steps that may be followed from it; none
    /// if the link is not followed.
    fn potential(&self, page: f64, origin: &LinkOrigin<'_>) -> Option<(f64, f64)> {
        let FishSettings { width, depth, share } = self.settings;
        let (first, second) = ((share * width).floor(), width.floor());
        let position = origin.position as f64;
        if page > 0.0 {
            let potential = match position {
                _ if position < first => 1.0,
                _ if position < first + second => 0.5,
                _ => 0.0,
            };
            return Some((potential, depth));
        }
        let steps = origin.via.score(Score::Steps).unwrap_or(depth) - 1.0;
        (position < second && steps > 0.0).then_some((0.5, steps))
    }
}

impl Strategy for Fish {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        best_or_free(cx)
    }

    fn link_priority(
        &self,
        link: &LinkFacts<'_>,
        origin: &LinkOrigin<'_>,
    ) -> Option<StrategyPriority> {
        let Some((potential, steps)) = self.potential(link.page(), origin) else {
            return Some(StrategyPriority { priority: None, scores: Vec::new() });
        };
        let later = if potential > 0.0 { RECENCY * origin.pages as f64 } else { 0.0 };
        let scores = vec![(Score::Potential, potential), (Score::Steps, steps)];
        Some(StrategyPriority { priority: Some(potential + later), scores })
    }
}
