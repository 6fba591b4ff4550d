//! Tunnels through content blocks (CBS, algorithm 1 of bcw-cc, lines 19 to 31).
//!
//! A page that is not relevant as a whole is divided into content blocks. The links of every block
//! with R(B) > λ are fetched before all others, and count towards the budget like any other page
//! (reading B5, docs/papers.md). The links of the pages behind them are followed if their priority
//! is high enough, whether those pages are relevant or not.

use serde::{Deserialize, Serialize};

use super::Tunnel;
use crate::cut::Cut;
use crate::priority::LAMBDA_SHARE;

/// Tunnels through content blocks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct BlockTunnel {
    /// λ: a block is relevant if its relevance is greater.
    pub above: Cut,
}

impl Default for BlockTunnel {
    fn default() -> Self {
        Self { above: Cut::Auto }
    }
}

impl Tunnel for BlockTunnel {
    fn begins_at(&self, block: f64, threshold: f64) -> bool {
        block > self.above.or(LAMBDA_SHARE * threshold)
    }
}
