//! What a crawl must remember to be resumed, as small interfaces over one store that commits them together.
//!
//! The [`Frontier`] has the links, the [`ContentIndex`] the pages that were seen, the [`Journal`] what the
//! pilot learned, and the [`Checkpoint`] the run's own counters. A crash leaves all of them as the last
//! commit left them, so they always agree. [`LocalState`] keeps them in memory or on disk.

mod duplicates;
mod hosts;
mod local;

pub use duplicates::Seen;
pub use local::LocalState;

use ontrail_pilot::Notes;

use crate::frontier::Frontier;
use crate::store::StoreError;

/// Everything that a crawl remembers.
pub trait CrawlState: Frontier + ContentIndex + Journal + Checkpoint {}

impl<T: Frontier + ContentIndex + Journal + Checkpoint> CrawlState for T {}

/// The pages that were seen, by what is in them.
pub trait ContentIndex: Send {
    /// Returns the stored page with the same bytes, if there is one; otherwise records this page, if
    /// `is_kept`.
    fn same_bytes(
        &mut self,
        digest: &str,
        page: &Seen,
        is_kept: bool,
    ) -> Result<Option<Seen>, StoreError>;

    /// Returns the URL of a page with nearly the same text, if one was seen; otherwise records this page.
    fn near_text(&mut self, gist: u64, url: &str) -> Result<Option<String>, StoreError>;
}

/// The notes of a pilot.
pub trait Journal: Send {
    /// Stores notes behind those that there are; a whole state replaces them.
    fn record(&mut self, notes: Notes) -> Result<(), StoreError>;

    /// Returns the last whole state and the notes since then.
    fn recorded(&self) -> Result<Notes, StoreError>;
}

/// The point that a crawl resumes from.
pub trait Checkpoint: Send {
    /// Makes everything durable together with the run's own state, all or nothing.
    fn commit(&mut self, run: Vec<u8>) -> Result<(), StoreError>;

    /// Returns the run's own state as it was last committed.
    fn committed(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Whether what is committed outlives the process.
    fn is_durable(&self) -> bool;
}
