//! Host memory: spreads the crawl over hosts.

mod memory;
mod none;

use serde::{Deserialize, Serialize};

pub use memory::HostMemory;
pub(crate) use memory::Memory;
pub use none::NoHosts;

use super::graph::{NodeId, WebGraph};

/// A way to spread the crawl over hosts.
pub(crate) trait Hosts {
    /// Returns true if the link's host is not tabu.
    fn allows(&self, graph: &WebGraph, link: NodeId) -> bool;

    /// Returns true if any host is tabu.
    fn has_tabu_hosts(&self) -> bool {
        false
    }

    /// Tells the part that a decision was made, and whether it skipped links of tabu hosts.
    fn decided(&mut self, _graph: &mut WebGraph, _has_skipped_tabu: bool) {}

    /// Shortens the terms of all tabu hosts, because no other host is left.
    fn shorten_terms(&mut self, _graph: &mut WebGraph) {}

    /// Tells the part that hosts were left to another worker.
    fn left(&mut self, _graph: &WebGraph) {}

    /// Tells the part that a link is about to be fetched.
    fn taken(&mut self, graph: &mut WebGraph, link: NodeId);
}

/// The kinds of host memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum HostsRecipe {
    /// Treats all hosts alike.
    None(NoHosts),
    /// Avoids a host for a while after many pages, or after too few relevant ones.
    Memory(HostMemory),
}

impl Default for HostsRecipe {
    fn default() -> Self {
        Self::None(NoHosts {})
    }
}

/// A running host memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum AnyHosts {
    None(NoHosts),
    Memory(Memory),
}

impl AnyHosts {
    pub(crate) fn new(recipe: &HostsRecipe) -> Self {
        match recipe {
            HostsRecipe::None(it) => Self::None(*it),
            HostsRecipe::Memory(it) => Self::Memory(Memory::new(*it)),
        }
    }

    pub(crate) fn part(&self) -> &dyn Hosts {
        match self {
            Self::None(it) => it,
            Self::Memory(it) => it,
        }
    }

    pub(crate) fn part_mut(&mut self) -> &mut dyn Hosts {
        match self {
            Self::None(it) => it,
            Self::Memory(it) => it,
        }
    }
}
