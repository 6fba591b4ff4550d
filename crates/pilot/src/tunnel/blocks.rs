//! Tunnels through content blocks (CBS, algorithm 1 of bcw-cc, lines 19 to 31).
//!
//! A page that is not on the topic as a whole is cut into content blocks. The links of every block with R(B) > λ are
//! fetched before anything else, and counted like any other page (B5 of the readings). The links of the pages that
//! they bring are taken up if they promise enough, whatever those pages themselves are.

use serde::{Deserialize, Serialize};

use super::Tunnel;

/// Tunnels through content blocks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct BlockTunnel {
    /// λ, from which relevance on a block is on the topic.
    pub above: f64,
}

impl Default for BlockTunnel {
    fn default() -> Self {
        Self { above: 0.3 }
    }
}

impl Tunnel for BlockTunnel {
    fn begins_at(&self, block: f64) -> bool {
        block > self.above
    }
}
