//! No gate: the links of every page may be followed, as in fcits-oh and sdvsm.

use serde::{Deserialize, Serialize};

use super::{Gate, PageFacts, Passage};

/// No gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoGate {}

impl Gate for NoGate {
    fn passage(&self, _: &PageFacts<'_>, _: bool) -> Passage {
        Passage::Open
    }
}
