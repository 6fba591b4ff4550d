//! No tunnel.

use serde::{Deserialize, Serialize};

use super::Tunnel;

/// No tunnel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoTunnel {}

impl Tunnel for NoTunnel {
    fn begins_at(&self, _: f64, _: f64) -> bool {
        false
    }
}
