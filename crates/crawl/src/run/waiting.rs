//! The reason why a crawl fetches nothing at the moment.

use serde::{Deserialize, Serialize};

use super::Crawl;
use super::trouble::TroubleKind;

/// The reason why a crawl fetches nothing at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Waiting {
    /// The crawl pauses for trouble of its own.
    Paused {
        /// The trouble.
        trouble: TroubleKind,
    },
    /// Host names are being looked up.
    Lookups {
        /// Number of hosts.
        hosts: u64,
    },
    /// All hosts with links wait for their crawl delay or their back-off.
    Hosts {
        /// Number of hosts.
        hosts: u64,
        /// Number of these hosts that do not answer.
        failing: u64,
        /// The time at which the next may be asked, in milliseconds since 1970.
        until: u64,
    },
    /// Only links that failed are left, and none of them is due.
    Retries {
        /// Number of links.
        links: u64,
        /// The time at which the next is due, in milliseconds since 1970.
        until: u64,
    },
    /// The queue is empty.
    QueueEmpty,
}

impl Crawl {
    /// Returns the reason why nothing is being fetched; none if something is. `until` is the time
    /// at which the next fetch may start, if it is known.
    pub(super) fn waiting(&self, until: Option<u64>) -> Option<Waiting> {
        if let Some(trouble) = self.trouble.kind() {
            return Some(Waiting::Paused { trouble });
        }
        if !self.is_live() || !self.in_flight.is_empty() {
            return None;
        }
        if !self.lookups.is_empty() {
            return Some(Waiting::Lookups { hosts: self.lookups.len() as u64 });
        }
        let counts = self.state.counts();
        let until = until.unwrap_or_default();
        Some(match (counts.open_hosts, counts.postponed) {
            (0, 0) => Waiting::QueueEmpty,
            (0, links) => Waiting::Retries { links, until },
            (hosts, _) => Waiting::Hosts { hosts, failing: counts.failing_open_hosts, until },
        })
    }
}
