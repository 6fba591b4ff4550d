//! Tunnels: follow some links of pages that are not relevant.

mod blocks;
mod none;

use serde::{Deserialize, Serialize};

pub use blocks::BlockTunnel;
pub use none::NoTunnel;

/// A way through pages that are not relevant.
pub(crate) trait Tunnel {
    /// Returns true if a tunnel starts at a link in a block with this R(B), given the threshold of
    /// pages.
    fn begins_at(&self, block: f64, threshold: f64) -> bool;
}

/// The kinds of tunnels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TunnelRecipe {
    /// Does not follow links of pages that are not relevant.
    None(NoTunnel),
    /// Fetches the links of relevant content blocks before all others.
    ContentBlocks(BlockTunnel),
}

impl Default for TunnelRecipe {
    fn default() -> Self {
        Self::None(NoTunnel {})
    }
}

impl TunnelRecipe {
    pub(crate) fn part(&self) -> &dyn Tunnel {
        match self {
            Self::None(tunnel) => tunnel,
            Self::ContentBlocks(tunnel) => tunnel,
        }
    }
}
