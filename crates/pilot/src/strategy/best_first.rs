//! The link with the highest priority first: OPS in fcits-oh and bcw-cc, best-first in gafc.

use serde::{Deserialize, Serialize};

use super::{Decision, Strategy, StrategyContext, best_or_free};

/// Best-first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestFirst {}

impl Strategy for BestFirst {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        best_or_free(cx)
    }
}
