//! Which link next?
//!
//! A strategy sees links and scores, never the network. It ranks each link when it is found, and chooses among
//! those that may be fetched now: the [`Frontier`] keeps away what politeness forbids.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::focus::{FoundLink, Reading};
use crate::frontier::{Frontier, Next};
use crate::link::Score;
use crate::store::StoreError;

/// A way to choose the next link.
pub trait Strategy: Send {
    /// How promising a link of a page is. Links with greater ranks come first; of equal ones the one that was
    /// found first.
    fn rank(&self, link: &FoundLink, page: &Reading) -> f64;

    /// Whether the rank is a guess at the relevance of the page behind the link, P(l).
    fn predicts(&self) -> bool {
        true
    }

    /// The next link, of those that may be fetched at the time `now`.
    fn choose(&mut self, frontier: &mut dyn Frontier, now: u64) -> Result<Next, StoreError> {
        frontier.next(now)
    }
}

/// The strategies that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyName {
    /// In the order in which links are found.
    Bfs,
    /// The most promising first.
    BestFirst,
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bfs => "bfs",
            Self::BestFirst => "best-first",
        })
    }
}

/// First found, first fetched.
#[derive(Debug, Clone, Copy, Default)]
pub struct BreadthFirst;

impl Strategy for BreadthFirst {
    fn rank(&self, _: &FoundLink, _: &Reading) -> f64 {
        0.0
    }

    fn predicts(&self) -> bool {
        false
    }
}

/// The link with the greatest priority first: P(l) = λ R(p) + (1 − λ) R(A) (eq. 21 of sdvsm). With λ = 1 it is the
/// relevance of the page alone, as in gafc.
#[derive(Debug, Clone, Copy)]
pub struct BestFirst {
    /// λ, what the page counts for.
    pub page_share: f64,
}

impl Strategy for BestFirst {
    fn rank(&self, link: &FoundLink, _: &Reading) -> f64 {
        let share = self.page_share;
        share * link.score(Score::Page) + (1.0 - share) * link.score(Score::Anchor)
    }
}
