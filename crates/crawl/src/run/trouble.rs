//! Trouble of our own: the network is down, the process has too many open files, or the disk is
//! nearly full.
//!
//! If most hosts fail at once, the fault is hardly theirs. The crawl then pauses, and tries one
//! request from time to time until one is answered. Failures meanwhile count against no host.

use std::collections::{BTreeMap, VecDeque};

use ontrail_pilot::HostKey;
use serde::{Deserialize, Serialize};

/// Results older than this do not count, in milliseconds.
const WINDOW: u64 = 60_000;
/// Maximum number of results that are remembered.
const MOST_RESULTS: usize = 1_000;
/// Number of hosts that must have failed, and how many of them there must be for each host that
/// answered.
const LEAST_FAILED: usize = 5;
const FAILED_PER_ANSWERED: usize = 4;
/// The first and the longest wait between two probes, in milliseconds.
const FIRST_WAIT: u64 = 2_000;
const LONGEST_WAIT: u64 = 60_000;
/// The wait between two looks at the disk.
const DISK_WAIT: u64 = 1_000;

/// The reason why a crawl pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TroubleKind {
    /// Most hosts fail: the network seems to be down.
    Network,
    /// The process lacks file descriptors, ports or memory for connections.
    Resources,
    /// Less than the set amount of disk is free.
    Disk,
}

impl TroubleKind {
    /// Returns an explanation for users.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Network => "most hosts do not answer, so the network seems to be down",
            Self::Resources => "the process has no file descriptors or ports left",
            Self::Disk => "the disk is nearly full",
        }
    }
}

/// Watches for trouble.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    /// Time, host, and true if it answered.
    results: VecDeque<(u64, HostKey, bool)>,
    pause: Option<Pause>,
    is_disk_full: bool,
}

#[derive(Debug, Clone, Copy)]
struct Pause {
    kind: TroubleKind,
    wait: u64,
    next_probe: u64,
}

impl Trouble {
    /// Returns the trouble that the crawl pauses for.
    pub(crate) fn kind(&self) -> Option<TroubleKind> {
        if self.is_disk_full {
            return Some(TroubleKind::Disk);
        }
        self.pause.map(|pause| pause.kind)
    }

    /// Takes note of a host that answered, whatever the answer. Ends a pause.
    pub(crate) fn answered(&mut self, host: HostKey, now: u64) {
        self.add(host, true, now);
        self.pause = None;
    }

    /// Takes note of a host that could not be reached.
    pub(crate) fn failed(&mut self, host: HostKey, now: u64) {
        self.add(host, false, now);
        let last: BTreeMap<HostKey, bool> =
            self.results.iter().map(|(_, host, is_answer)| (*host, *is_answer)).collect();
        let answered = last.values().filter(|is_answer| **is_answer).count();
        let failed = last.len() - answered;
        let is_ours = failed >= LEAST_FAILED && failed > FAILED_PER_ANSWERED * answered;
        if is_ours || self.pause.is_some() {
            self.pause_for(TroubleKind::Network, now);
        }
    }

    /// Takes note of a request that failed for want of descriptors or ports.
    pub(crate) fn lacks_resources(&mut self, now: u64) {
        self.pause_for(TroubleKind::Resources, now);
    }

    /// Takes note of whether enough disk is free.
    pub(crate) fn set_disk_full(&mut self, is_full: bool) {
        if is_full && !self.is_disk_full {
            tracing::warn!(reason = TroubleKind::Disk.meaning(), "the crawl pauses");
        }
        self.is_disk_full = is_full;
    }

    /// Returns true if the crawl pauses because too little of the disk is free.
    pub(crate) fn is_disk_full(&self) -> bool {
        self.is_disk_full
    }

    /// Returns the time before which no request may start, if there is one. While the crawl pauses,
    /// one request at a time may start, as a probe.
    pub(crate) fn not_before(&mut self, now: u64, in_flight: usize) -> Option<u64> {
        if self.is_disk_full {
            return Some(now + DISK_WAIT);
        }
        let pause = self.pause.as_mut()?;
        if now < pause.next_probe || in_flight > 0 {
            return Some(pause.next_probe.max(now + 1));
        }
        pause.next_probe = now + pause.wait;
        None
    }

    fn pause_for(&mut self, kind: TroubleKind, now: u64) {
        let wait = self.pause.map_or(FIRST_WAIT, |pause| (2 * pause.wait).min(LONGEST_WAIT));
        if self.pause.is_none_or(|pause| pause.kind != kind) {
            tracing::warn!(reason = kind.meaning(), "the crawl pauses");
        }
        self.pause = Some(Pause { kind, wait, next_probe: now + wait });
    }

    fn add(&mut self, host: HostKey, is_answer: bool, now: u64) {
        self.results.push_back((now, host, is_answer));
        while self.results.len() > MOST_RESULTS
            || self.results.front().is_some_and(|(time, ..)| time + WINDOW < now)
        {
            self.results.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crawl_pauses_if_most_hosts_fail_at_once() {
        let mut trouble = Trouble::default();
        trouble.answered(HostKey(0), 0);
        for host in 1..5 {
            trouble.failed(HostKey(host), 1_000);
            trouble.failed(HostKey(host), 1_500);
        }
        assert_eq!(trouble.kind(), None, "four hosts may well be down");
        trouble.failed(HostKey(5), 2_000);
        assert_eq!(trouble.kind(), Some(TroubleKind::Network));
        // One probe at a time, ever more rarely.
        assert_eq!(trouble.not_before(2_000, 0), Some(4_000));
        assert_eq!(trouble.not_before(4_000, 0), None);
        assert_eq!(trouble.not_before(4_000, 1), Some(6_000));
        trouble.failed(HostKey(9), 5_000);
        assert_eq!(trouble.not_before(6_000, 0), Some(9_000));
        trouble.answered(HostKey(9), 9_500);
        assert_eq!((trouble.kind(), trouble.not_before(9_500, 7)), (None, None));
    }

    #[test]
    fn hosts_that_fail_among_others_that_answer_are_their_own_fault() {
        let mut trouble = Trouble::default();
        for host in 0..100 {
            trouble.failed(HostKey(host), host);
            trouble.answered(HostKey(1_000 + host / 3), host);
        }
        assert_eq!(trouble.kind(), None);
        // Failures that are long past do not count.
        let mut trouble = Trouble::default();
        (0..20).for_each(|host| trouble.failed(HostKey(host), host * 20_000));
        assert_eq!(trouble.kind(), None);
    }

    #[test]
    fn a_full_disk_and_missing_descriptors_pause_too() {
        let mut trouble = Trouble::default();
        trouble.lacks_resources(0);
        assert_eq!(trouble.kind(), Some(TroubleKind::Resources));
        trouble.answered(HostKey(1), 3_000);
        trouble.set_disk_full(true);
        assert_eq!(trouble.kind(), Some(TroubleKind::Disk));
        assert_eq!(trouble.not_before(5_000, 0), Some(6_000));
        trouble.set_disk_full(false);
        assert_eq!(trouble.not_before(5_000, 0), None);
    }
}
