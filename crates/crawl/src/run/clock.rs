//! What time it is for a crawl.

use crate::web::now;

/// A clock. Offline no one has to wait, so time jumps to whatever is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    Real,
    Offline(u64),
}

impl Clock {
    /// The time, in milliseconds since 1970; offline, since the crawl began.
    pub(crate) fn now(self) -> u64 {
        match self {
            Self::Real => now(),
            Self::Offline(time) => time,
        }
    }

    /// How long to wait until a time, in milliseconds. Offline it is that time at once.
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
