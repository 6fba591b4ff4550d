//! How to spread over hosts?

mod memory;
mod none;

use serde::{Deserialize, Serialize};

pub use memory::HostMemory;
pub(crate) use memory::Memory;
pub use none::NoHosts;

use super::map::{Map, NodeId};

/// A way to spread over hosts.
pub(crate) trait Hosts {
    /// Whether a link may be taken as far as its host goes.
    fn allows(&self, map: &Map, link: NodeId) -> bool;

    /// Whether any host is left alone.
    fn forbids_some(&self) -> bool {
        false
    }

    /// A decision was made; whether a link was passed over for its host on the way.
    fn decided(&mut self, _map: &mut Map, _has_passed_over: bool) {}

    /// Nothing else is left: hosts that are left alone come closer to being asked again.
    fn relent(&mut self, _map: &mut Map) {}

    /// A link is about to be fetched.
    fn taken(&mut self, map: &mut Map, link: NodeId);
}

/// The ways that there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum HostsRecipe {
    /// Hosts do not matter.
    None(NoHosts),
    /// A host that gave much, or little that is relevant, is left alone for a while.
    Memory(HostMemory),
}

impl Default for HostsRecipe {
    fn default() -> Self {
        Self::None(NoHosts {})
    }
}

/// A way at work.
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
