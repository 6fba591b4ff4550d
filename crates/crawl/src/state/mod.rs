//! The state that a crawl is resumed from, as small interfaces over one store that commits them
//! together.
//!
//! The [`Frontier`] holds the links, the [`ContentIndex`] the pages that were seen, the
//! [`WebFacts`] robots.txt files, IP addresses and templates of sites, the [`Journal`] the pilot's notes, and the
//! [`Checkpoint`] the run's own counters. After a crash all of them are as of the last commit, so
//! they always agree. [`LocalState`] keeps them in memory or on disk.

mod duplicates;
mod hosts;
mod local;
mod overflow;
mod postponed;
mod queue;

pub use duplicates::Seen;
pub use local::LocalState;

use ontrail_pilot::Notes;

use crate::frontier::Frontier;
use crate::store::StoreError;

/// The whole state of a crawl.
pub trait CrawlState: Frontier + ContentIndex + WebFacts + Journal + Checkpoint {}

impl<T: Frontier + ContentIndex + WebFacts + Journal + Checkpoint> CrawlState for T {}

/// The pages that were seen, by content.
pub trait ContentIndex: Send {
    /// Returns the stored page with the same bytes, if there is one; otherwise records this page,
    /// if `is_kept`.
    fn same_bytes(
        &mut self,
        digest: &str,
        page: &Seen,
        is_kept: bool,
    ) -> Result<Option<Seen>, StoreError>;

    /// Records that the page at a URL is stored, or that another stored page stands for it.
    fn record_page(&mut self, url: &str);

    /// Returns true if the page at a URL was recorded.
    fn has_page(&self, url: &str) -> Result<bool, StoreError>;

    /// Returns the URL of a page with nearly the same text, if one was seen; otherwise records this
    /// page.
    fn near_text(&mut self, simhash: u64, url: &str) -> Result<Option<String>, StoreError>;
}

/// Facts about the web besides pages: robots.txt files, IP addresses and templates of sites.
pub trait WebFacts: Send {
    /// Returns the stored file of a site.
    fn robots(&self, site: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores the file of a site.
    fn keep_robots(&mut self, site: &str, file: Vec<u8>);

    /// Returns the stored IP addresses of hosts.
    fn names(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores the IP addresses of hosts.
    fn keep_names(&mut self, names: Vec<u8>);

    /// Returns what is stored of the template of each host.
    fn templates(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Stores what is known of the template of a host, or removes it.
    fn keep_template(&mut self, host: &str, counts: Option<Vec<u8>>);
}

/// The notes of a pilot.
pub trait Journal: Send {
    /// Appends notes to those already stored; a whole state replaces them.
    fn record(&mut self, notes: Notes) -> Result<(), StoreError>;

    /// Returns the last whole state and the notes since then.
    fn recorded(&self) -> Result<Notes, StoreError>;
}

/// The point that a crawl resumes from.
pub trait Checkpoint: Send {
    /// Makes everything durable together with the run's own state, atomically.
    fn commit(&mut self, run: Vec<u8>) -> Result<(), StoreError>;

    /// Returns the run's own state as it was last committed.
    fn committed(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns true if commits outlive the process.
    fn is_durable(&self) -> bool;
}
