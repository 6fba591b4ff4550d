//! What to do with a page that is not on the topic?

mod blocks;
mod none;

use serde::{Deserialize, Serialize};

pub use blocks::BlockTunnel;
pub use none::NoTunnel;

/// A way through pages that are not on the topic.
pub(crate) trait Tunnel {
    /// Whether a tunnel begins at a link in a block with this R(B).
    fn begins_at(&self, block: f64) -> bool;
}

/// The tunnels that there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TunnelRecipe {
    /// Their links are not followed.
    None(NoTunnel),
    /// The links of content blocks that are on the topic are fetched at once.
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
