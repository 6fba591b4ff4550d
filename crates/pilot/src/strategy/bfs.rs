//! First found, first fetched.

use serde::{Deserialize, Serialize};

use super::{Decision, Helm, Strategy, free};
use crate::rule::Rule;

/// Breadth-first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreadthFirst {}

impl Strategy for BreadthFirst {
    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        // Every link has the same priority, and of equal ones the oldest comes first.
        match helm.take_best(&|_| false) {
            Some(id) => Decision::Fetch(id, Rule::First),
            None => free(helm),
        }
    }

    fn plain_rule(&self) -> Rule {
        Rule::First
    }
}
