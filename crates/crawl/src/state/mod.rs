//! The state that a crawl is resumed from, as small interfaces over one store that commits them
//! together.
//!
//! The [`Frontier`] holds the links, the [`ContentIndex`] the pages that were seen, the
//! [`WebFacts`] robots.txt files, IP addresses and the templates of hosts, the [`Journal`] the
//! pilot's notes, and the [`Checkpoint`] the run's own counters; the [`Company`] is the other
//! workers of a crawl that several machines share. After a crash all of them are as of the last
//! commit, so they always agree. [`LocalState`] keeps them in memory or on disk.

mod duplicates;
mod hosts;
mod local;
mod overflow;
mod postponed;
mod queue;
#[cfg(feature = "shared")]
mod shared;

pub use duplicates::Seen;
pub use local::LocalState;
#[cfg(feature = "shared")]
pub use shared::{
    Credentials, InvalidAddress, LEASE, PARTITIONS, ServerAddress, ServerError, SharedCrawl,
    SharedError, SharedFile, SharedPlace, SharedState, SharedStatus, Worker, WorkerFigures,
    shared_crawls,
};

use ontrail_pilot::{HostKey, LearnedNumber, Notes, Offer, RankedLink, SentLink, WaitingLink};
use url::Url;

use crate::frontier::Frontier;
use crate::store::StoreError;

/// The whole state of a crawl.
pub trait CrawlState: Frontier + ContentIndex + WebFacts + Journal + Checkpoint + Company {}

impl<T: Frontier + ContentIndex + WebFacts + Journal + Checkpoint + Company> CrawlState for T {}

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

/// Facts about the web besides pages: robots.txt files, IP addresses and templates of hosts.
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

/// The other workers of a crawl. A crawl on one machine has none, which is the default.
pub trait Company: Send {
    /// Tells the others how this worker stands, receives the links that they have found for it, and
    /// returns what they do. It is called all the time.
    fn exchange(&mut self, _own: Standing, _now: u64) -> Result<Elsewhere, StoreError> {
        Ok(Elsewhere::default())
    }

    /// Returns what the others have done since the last call, in order. It is to be handled before
    /// the next commit.
    fn heard(&mut self) -> Vec<Heard> {
        Vec::new()
    }

    /// Returns true if another worker fetches from the host of a URL.
    fn is_elsewhere(&self, _url: &Url) -> bool {
        false
    }

    /// Sends links that were found on one page to the workers that fetch from their hosts.
    fn send(&mut self, _links: Vec<SentLink>) {}

    /// Offers links that other workers have sent. Returns the result for each link, in order.
    fn offer_sent(&mut self, links: Vec<RankedLink>) -> Result<Vec<Offer>, StoreError> {
        Ok(vec![Offer::Known; links.len()])
    }

    /// Returns the numbers that the others have learned; none if there is nothing new.
    fn numbers_of_others(&self) -> Result<Vec<LearnedNumber>, StoreError> {
        Ok(Vec::new())
    }

    /// Tells the others the numbers that this worker has learned.
    fn tell_numbers(&mut self, _numbers: &[LearnedNumber]) -> Result<(), StoreError> {
        Ok(())
    }

    /// Leaves the crawl after the last commit: others go on with this worker's links.
    fn leave(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Something that other workers of a shared crawl have done, as a pilot must know it.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// This worker holds no partition now.
    LeftAll,
    /// Others fetch from these hosts now.
    Left(Vec<HostKey>),
    /// These links wait, and nothing else is known about them.
    Waiting(Vec<WaitingLink>),
    /// Others have sent these links.
    Sent(Vec<SentLink>),
}

/// What a worker of a shared crawl tells the others about itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Pages that it has fetched.
    pub pages: u64,
    /// Links that its recipe has refused and keeps for the time when no others wait.
    pub reserve: u64,
}

/// What the other workers of a shared crawl do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Elsewhere {
    /// Pages that they have fetched; none if the crawl has only one worker.
    pub pages: Option<u64>,
    /// The number of those that crawl now.
    pub workers: u64,
    /// The order that all workers obey.
    pub order: Order,
    /// True if links wait for them.
    pub has_links: bool,
    /// True if they may still find links for this worker.
    pub is_busy: bool,
}

/// An order that all workers of a crawl obey.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// Crawl.
    #[default]
    Go,
    /// Fetch nothing for now.
    Pause,
    /// Stop; the crawl can be resumed.
    Stop,
}

impl Order {
    /// Returns the name of the order.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::Pause => "pause",
            Self::Stop => "stop",
        }
    }

    /// Returns the order of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Go, Self::Pause, Self::Stop].into_iter().find(|order| order.name() == name)
    }
}
