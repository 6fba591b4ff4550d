//! P(l) is the relevance of the page that the link is on; of several pages the greatest (best-first of gafc, part E.1 of
//! the readings).

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};

/// The relevance of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PagePriority {}

impl Priority for PagePriority {
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        link.greatest(|it| it.relevance)
    }
}
