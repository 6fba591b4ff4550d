//! No host memory: all hosts are treated alike.

use serde::{Deserialize, Serialize};

use super::{Hosts, NodeId, WebGraph};

/// No host memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoHosts {}

impl Hosts for NoHosts {
    fn allows(&self, _: &WebGraph, _: NodeId) -> bool {
        true
    }

    fn taken(&mut self, _: &mut WebGraph, _: NodeId) {}
}
