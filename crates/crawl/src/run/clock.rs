//! The clock of a crawl.

use crate::web::now;

/// A clock. Offline there is no reason to wait, so the clock jumps to whatever time is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    Real,
    Offline(u64),
}

impl Clock {
    /// Returns the time, in milliseconds since 1970; offline, since the crawl began.
    pub(crate) fn now(self) -> u64 {
        match self {
            Self::Real => now(),
            Self::Offline(time) => time,
        }
    }

    /// Returns how long to wait until a time, in milliseconds. Offline sets the clock to that time
    /// and returns 0.
    pub(crate) fn wait(&mut self, until: u64) -> u64 {
        match self {
            Self::Real => until.saturating_sub(now()),
            Self::Offline(time) => {
                *time = until.max(*time);
                0
            }
        }
    }
}
