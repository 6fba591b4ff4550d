//! A gate that a page passes if R(p) is above the threshold. Links of other pages can only be
//! followed through a tunnel.

use serde::{Deserialize, Serialize};

use super::{Gate, PageFacts, Passage};

/// A gate at the recipe's threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdGate {}

impl Gate for ThresholdGate {
    fn passage(&self, page: &PageFacts<'_>, threshold: f64) -> Passage {
        if page.is_above(threshold) { Passage::Open } else { Passage::Tunnel }
    }
}
