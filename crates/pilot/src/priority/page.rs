//! P(l) is the relevance of the page that contains the link; the greatest if several pages do. This
//! is the best-first baseline of gafc.

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
