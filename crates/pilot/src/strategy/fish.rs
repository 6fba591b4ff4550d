//! Fish-search (De Bra 1994, part E.2 of the readings).
//!
//! A school of fish: where there is food, a fish has more children and they live longer. Of the links of a relevant page the
//! first ⌊a · width⌋ have the potential 1, the next ⌊width⌋ have .5 and the rest 0, and all may lead on for `depth` steps; of any
//! other page only the first ⌊width⌋ are followed, with .5 and one step less. Links with 1 go to the head of the queue, those with
//! .5 behind them, those with 0 to its end.

use serde::{Deserialize, Serialize};

use super::{Decision, Helm, Lead, Ranked, Strategy, best_or_free};
use crate::link::Score;
use crate::priority::LinkFacts;

/// How later links come before earlier ones of the same potential: so little that potentials stay apart up to a hundred
/// million pages.
const LATER: f64 = 1e-9;

/// Fish-search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FishSettings {
    /// How many links of a page are followed.
    pub width: f64,
    /// How many steps from a relevant page a link may lead.
    pub depth: f64,
    /// a, how many times the width has the greatest potential.
    pub share: f64,
}

impl Default for FishSettings {
    fn default() -> Self {
        Self { width: 5.0, depth: 3.0, share: 1.5 }
    }
}

/// Fish-search at work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fish {
    settings: FishSettings,
}

impl Fish {
    pub(crate) fn new(settings: FishSettings) -> Self {
        Self { settings }
    }

    /// The potential of a link and how many steps it may lead on; none if it is not followed.
    fn potential(&self, page: f64, lead: &Lead<'_>) -> Option<(f64, f64)> {
        let FishSettings { width, depth, share } = self.settings;
        let (first, second) = ((share * width).floor(), width.floor());
        let before = lead.before as f64;
        if page > 0.0 {
            let potential = match before {
                _ if before < first => 1.0,
                _ if before < first + second => 0.5,
                _ => 0.0,
            };
            return Some((potential, depth));
        }
        let steps = lead.led_here.score(Score::Steps).unwrap_or(depth) - 1.0;
        (before < second && steps > 0.0).then_some((0.5, steps))
    }
}

impl Strategy for Fish {
    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        best_or_free(helm)
    }

    fn rank(&self, link: &LinkFacts<'_>, lead: &Lead<'_>) -> Option<Ranked> {
        let Some((potential, steps)) = self.potential(link.page(), lead) else {
            return Some(Ranked { rank: None, scores: Vec::new() });
        };
        let later = if potential > 0.0 { LATER * lead.pages as f64 } else { 0.0 };
        let scores = vec![(Score::Potential, potential), (Score::Steps, steps)];
        Some(Ranked { rank: Some(potential + later), scores })
    }
}
