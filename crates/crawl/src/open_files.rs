//! The number of files and connections that the process may have open, and how a crawl shares it
//! out.
//!
//! Every connection takes a file descriptor, and so does every file of the store. A process that
//! has none left can neither connect nor write, and then every fetch fails although no host is at
//! fault. So the limit is raised as far as the system allows, and what it allows is divided: a part
//! for the store, a part for other files, and the rest for connections.

use std::sync::OnceLock;

use crate::settings::FetchSettings;

/// The limit that is assumed if the system has none or does not tell.
const ASSUMED: u64 = 1 << 20;
/// File descriptors for archives, journals, models, standard streams and the metrics endpoint.
const OTHER_FILES: u64 = 64;
/// The most files that the store keeps open.
const MOST_STORE_FILES: u64 = 900;
/// The most connections that are kept open although no fetch uses them; each takes memory, too.
const MOST_IDLE: u64 = 4_096;
/// File descriptors that one fetch may need at a time: two connections, because IPv4 and IPv6 are
/// tried side by side, and two DNS queries.
const PER_FETCH: u64 = 4;

/// The number of file descriptors that this process may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFiles {
    /// The limit.
    pub limit: u64,
    /// The limit that the process was started with.
    pub before: u64,
}

impl OpenFiles {
    /// Returns the current limit.
    #[must_use]
    pub fn current() -> Self {
        static BEFORE: OnceLock<u64> = OnceLock::new();
        let limit = system::limits().0;
        Self { limit, before: *BEFORE.get_or_init(|| limit) }
    }

    /// Raises the limit as far as the system allows. If it does not, the limit stays as it is.
    #[must_use]
    pub fn raise() -> Self {
        let _ = Self::current();
        system::raise();
        Self::current()
    }

    /// Returns the number of files that the store may keep open.
    #[must_use]
    pub fn for_store(self) -> usize {
        number((self.limit / 4).min(MOST_STORE_FILES))
    }

    /// Reduces the number of simultaneous fetches to what the limit allows, and returns the number
    /// that was asked for if it was too great.
    pub fn bound(self, settings: &mut FetchSettings) -> Option<usize> {
        // Half of the connections are for fetches, the other half may be idle.
        let most = number(self.connections() / PER_FETCH / 2).max(1);
        let asked = settings.parallel;
        settings.parallel = asked.min(most);
        (asked > most).then_some(asked)
    }

    /// Returns the number of connections that may be kept open although no fetch uses them.
    #[must_use]
    pub fn idle_connections(self, parallel: usize) -> usize {
        number(self.connections().saturating_sub(PER_FETCH * parallel as u64).min(MOST_IDLE))
    }

    fn connections(self) -> u64 {
        self.limit.saturating_sub(self.for_store() as u64 + OTHER_FILES)
    }
}

fn number(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(unix)]
mod system {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::ASSUMED;

    /// Returns the soft and the hard limit.
    pub(super) fn limits() -> (u64, u64) {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        (current.unwrap_or(ASSUMED).min(ASSUMED), maximum.unwrap_or(ASSUMED).min(ASSUMED))
    }

    /// Raises the soft limit to the hard one.
    pub(super) fn raise() {
        let (current, maximum) = limits();
        if current < maximum {
            let hard = getrlimit(Resource::Nofile).maximum;
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(maximum), maximum: hard });
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::ASSUMED;

    pub(super) fn limits() -> (u64, u64) {
        (ASSUMED, ASSUMED)
    }

    pub(super) fn raise() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_together_stay_within_the_limit() {
        for limit in [0, 20, 100, 256, 1_024, 4_096, 20_000, ASSUMED] {
            for parallel in [1, 64, 10_000] {
                let files = OpenFiles { limit, before: limit };
                let mut settings = FetchSettings { parallel, ..FetchSettings::default() };
                let asked = files.bound(&mut settings);
                assert_eq!(asked, (settings.parallel < parallel).then_some(parallel));
                let idle = files.idle_connections(settings.parallel) as u64;
                let fetches = PER_FETCH * settings.parallel as u64;
                let sum = files.for_store() as u64 + OTHER_FILES + fetches + idle;
                assert!(sum <= limit.max(100), "{sum} of {limit}");
                assert!(settings.parallel >= 1);
            }
        }
        let files = OpenFiles { limit: 1_024, before: 1_024 };
        assert_eq!((files.for_store(), files.idle_connections(64)), (256, 448));
    }

    #[test]
    fn the_soft_limit_becomes_the_hard_one() {
        let raised = OpenFiles::raise();
        assert_eq!(raised.limit, system::limits().1);
        assert!(raised.before <= raised.limit);
        assert_eq!(OpenFiles::current().limit, raised.limit);
    }
}
