//! No priority: all links are equal. For breadth-first and for strategies that order links
//! themselves.

use serde::{Deserialize, Serialize};

use super::{LinkFacts, Priority};

/// No priority.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoPriority {}

impl Priority for NoPriority {
    fn of(&self, _: &LinkFacts<'_>) -> f64 {
        0.0
    }
}
