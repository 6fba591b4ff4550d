//! Breadth-first: links in the order in which they were found.

use serde::{Deserialize, Serialize};

use super::{Decision, Strategy, StrategyContext, free};
use crate::rule::Rule;

/// Breadth-first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreadthFirst {}

impl Strategy for BreadthFirst {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        // All links have the same priority, and the oldest of them comes first.
        match cx.take_best(&|_| false) {
            Some(id) => Decision::Fetch(id, Rule::First),
            None => free(cx),
        }
    }

    fn plain_rule(&self) -> Rule {
        Rule::First
    }
}
