//! Decides which connections are kept open between fetches.
//!
//! A connection that is used again saves its host a handshake. But the HTTP client keeps one for
//! every host that it has asked within its time limit for idle connections, and a crawl may ask
//! thousands of hosts in that time. The client has no limit on all of them together, so there are
//! two clients, one that keeps connections and one that does not, and this table decides which one
//! fetches from a host.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The time limit of an idle connection.
pub(crate) const IDLE: Duration = Duration::from_secs(15);
/// The client looks for idle connections to close once per time limit, so some live twice as long.
const LONGEST_IDLE: Duration = Duration::from_secs(30);

/// The hosts whose connections are kept.
#[derive(Debug)]
pub(crate) struct Pool {
    kept: Mutex<Kept>,
    /// Maximum number of connections that are kept.
    most: usize,
}

#[derive(Debug, Default)]
struct Kept {
    hosts: HashMap<String, Connections>,
    /// The number of connections of all hosts.
    total: usize,
}

/// The connections to a host that are in use or in the pool.
#[derive(Debug)]
struct Connections {
    in_use: usize,
    /// The most that were in use at a time; so many may be in the pool.
    most: usize,
    last_use: Instant,
}

/// A fetch whose connection is kept. The connection counts as in use until this is dropped.
#[derive(Debug)]
pub(crate) struct Keeping<'a> {
    pool: &'a Pool,
    host: String,
}

impl Pool {
    /// Creates a table for a number of connections.
    pub(crate) fn new(connections: usize) -> Self {
        Self { kept: Mutex::default(), most: connections }
    }

    /// Starts a fetch from a host; returns none if its connection must not be kept.
    pub(crate) fn keep(&self, host: &str) -> Option<Keeping<'_>> {
        let is_kept = self.start(host, Instant::now());
        is_kept.then(|| Keeping { pool: self, host: host.to_owned() })
    }

    fn start(&self, host: &str, now: Instant) -> bool {
        let Ok(mut kept) = self.kept.lock() else { return false };
        let Kept { hosts, total } = &mut *kept;
        let is_idle = hosts.get(host).is_some_and(|own| own.in_use < own.most);
        if !is_idle && *total >= self.most {
            hosts.retain(|_, own| own.in_use > 0 || now < own.last_use + LONGEST_IDLE);
            *total = hosts.values().map(|own| own.most).sum();
        }
        if !is_idle && *total >= self.most {
            return false;
        }
        let unused = Connections { in_use: 0, most: 0, last_use: now };
        let own = hosts.entry(host.to_owned()).or_insert(unused);
        own.in_use += 1;
        if own.in_use > own.most {
            own.most = own.in_use;
            *total += 1;
        }
        true
    }

    fn end(&self, host: &str, now: Instant) {
        let Ok(mut kept) = self.kept.lock() else { return };
        if let Some(own) = kept.hosts.get_mut(host) {
            own.in_use = own.in_use.saturating_sub(1);
            own.last_use = now;
        }
    }
}

impl Drop for Keeping<'_> {
    fn drop(&mut self) {
        self.pool.end(&self.host, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_connections_are_kept_than_the_limit_allows() {
        let pool = Pool::new(5);
        let start = Instant::now();
        let fetch = |host: &str, at: Instant| {
            let is_kept = pool.start(host, at);
            if is_kept {
                pool.end(host, at);
            }
            is_kept
        };
        let kept = |at: Instant| (0..100).filter(|n| fetch(&format!("h{n}"), at)).count();
        assert_eq!(kept(start), 5);
        // The same hosts again: they keep theirs, and there is no room for others.
        assert_eq!(kept(start), 5);
        // There is room once the client has closed the idle connections.
        assert!(!fetch("new", start + LONGEST_IDLE / 2));
        assert!(pool.start("new", start + LONGEST_IDLE));
        // A connection that is in use stays, however long the fetch takes.
        assert_eq!(kept(start + 10 * LONGEST_IDLE), 4);
        assert!(Pool::new(0).keep("any").is_none());
    }

    #[test]
    fn simultaneous_connections_to_a_host_count_each() {
        let pool = Pool::new(3);
        let three: Vec<_> = (0..4).map(|_| pool.keep("a")).collect();
        assert_eq!(three.iter().flatten().count(), 3);
        drop(three);
        // Three are idle now, so another host has to wait, and the same host may use them again.
        assert!(pool.keep("b").is_none());
        assert!(pool.keep("a").is_some());
    }
}
