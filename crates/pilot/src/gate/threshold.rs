//! A gate that a page passes if R(p) is above the threshold. Links of other pages can only be
//! followed through a tunnel.

use serde::{Deserialize, Serialize};

use super::{Gate, PageFacts, Passage};

/// A gate at the recipe's threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdGate {}

impl Gate for ThresholdGate {
    fn passage(&self, _: &PageFacts<'_>, is_above: bool) -> Passage {
        if is_above { Passage::Open } else { Passage::Tunnel }
    }
}
