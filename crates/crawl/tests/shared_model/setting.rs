//! What a search explores: a small web, what may go wrong, and the flaws that the protocol has.

/// Partitions and workers.
pub(crate) const PARTITIONS: usize = 2;
pub(crate) const WORKERS: usize = 2;

/// A web of at most eight pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Web {
    /// The partition of each page.
    pub(crate) partitions: &'static [u8],
    /// The links of each page.
    pub(crate) links: &'static [&'static [u8]],
    /// The pages that the crawl begins with.
    pub(crate) seeds: &'static [u8],
}

impl Web {
    /// Returns the partition of a page.
    pub(crate) fn partition(&self, page: u8) -> usize {
        usize::from(self.partitions[usize::from(page)])
    }

    /// Returns the links of a page.
    pub(crate) fn links(&self, page: u8) -> &'static [u8] {
        self.links[usize::from(page)]
    }

    /// Returns all pages that can be reached from the seeds, as bits.
    pub(crate) fn reachable(&self) -> u8 {
        let mut found = 0;
        let mut next = self.seeds.to_vec();
        while let Some(page) = next.pop() {
            if found & bit(page) == 0 {
                found |= bit(page);
                next.extend(self.links(page));
            }
        }
        found
    }
}

/// Returns the bit of a page in a set of pages.
pub(crate) fn bit(page: u8) -> u8 {
    1 << page
}

/// A way in which the protocol can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Commits are applied whoever holds the partition.
    NoFence,
    /// A commit is recorded after it was applied.
    LateRecord,
    /// A letter leaves the outbox before it is in the inbox.
    EarlyTrim,
    /// A worker begins to use a partition between offering links and committing them.
    AdoptsAtAnyTime,
    /// One look at the partitions is enough to end the crawl.
    SingleLook,
    /// A worker asks hosts although it could not extend its lease.
    OldLease,
    /// A request may take longer than the rest of a lease.
    LongRequest,
    /// Only the first worker offers the seeds.
    JoinersBringNoSeeds,
    /// Whoever drops a partition forgets its lease, even if it has taken the partition again.
    ForgetsNewLease,
    /// Letters that were read are removed from an inbox by their number and not by their names.
    TrimsByCount,
    /// Letters leave the outbox as soon as the server has acknowledged that they are in the inbox.
    TrustsAcknowledgement,
    /// A partition that is taken after its server has forgotten a lease gets the same epoch again.
    ReusesEpoch,
    /// A worker that has nothing to commit does not notice that the server has lost its commits.
    NeverLooksBack,
}

/// A configuration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) web: Web,
    /// True if each worker has a partition already, and the seeds are committed. The seeds must be
    /// in the first partition.
    pub(crate) is_running: bool,
    /// Number of times that a worker dies.
    pub(crate) crashes: u8,
    /// True if a worker that died may return. It need not.
    pub(crate) returns: bool,
    /// Number of times that a lease runs out while its holder lives.
    pub(crate) expiries: u8,
    /// Number of times that a worker gives a partition back while it crawls.
    pub(crate) releases: u8,
    /// Number of times that the node of a partition loses its last writes.
    pub(crate) rollbacks: u8,
    /// What is wrong.
    pub(crate) flaws: &'static [Flaw],
}

impl Setting {
    /// Returns true if the protocol has this flaw.
    pub(crate) fn has(&self, flaw: Flaw) -> bool {
        self.flaws.contains(&flaw)
    }
}
