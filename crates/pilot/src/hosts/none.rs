//! Hosts do not matter.

use serde::{Deserialize, Serialize};

use super::{Hosts, Map, NodeId};

/// Hosts do not matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoHosts {}

impl Hosts for NoHosts {
    fn allows(&self, _: &Map, _: NodeId) -> bool {
        true
    }

    fn taken(&mut self, _: &mut Map, _: NodeId) {}
}
