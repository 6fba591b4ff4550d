//! The names of the keys of a crawl on the server.
//!
//! All keys of a partition have its name in braces, so a cluster keeps them on one node and a
//! script can change them together. The keys of the crawl as a whole share the crawl's name.

use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::letters::BatchName;
use crate::scope::site;
use crate::store::Table;

/// The key of the set of all crawls on a server.
pub(super) const CRAWLS: &str = "ontrail:crawls";

/// The tables of a partition that are hashes, in the order in which `commit.lua` expects them.
pub(super) const HASHES: [Table; 8] = [
    Table::Links,
    Table::Patterns,
    Table::Robots,
    Table::Contents,
    Table::Hosts,
    Table::Leases,
    Table::Postponed,
    Table::State,
];

/// The keys of a crawl.
#[derive(Debug, Clone)]
pub(super) struct CrawlKeys {
    name: String,
    partitions: u32,
}

impl CrawlKeys {
    pub(super) fn new(name: &str, partitions: u32) -> Self {
        Self { name: name.to_owned(), partitions }
    }

    pub(super) fn partitions(&self) -> u32 {
        self.partitions
    }

    pub(super) fn crawl(&self) -> String {
        format!("ontrail:{{{}}}:crawl", self.name)
    }

    /// Returns the key that reserves the name of a crawl that is being created.
    pub(super) fn claim(&self) -> String {
        format!("ontrail:{{{}}}:claim", self.name)
    }

    pub(super) fn files(&self) -> String {
        format!("ontrail:{{{}}}:files", self.name)
    }

    pub(super) fn workers(&self) -> String {
        format!("ontrail:{{{}}}:workers", self.name)
    }

    /// Returns the key of the numbers that workers have learned.
    pub(super) fn numbers(&self) -> String {
        format!("ontrail:{{{}}}:numbers", self.name)
    }

    /// Returns the key by which a machine is reserved. It has no braces: machines are many.
    pub(super) fn machine(&self, address: std::net::IpAddr) -> String {
        format!("ontrail:{}:machine:{address}", self.name)
    }

    fn of(&self, partition: u32, what: &str) -> String {
        format!("ontrail:{{{}/{partition}}}:{what}", self.name)
    }

    pub(super) fn owner(&self, partition: u32) -> String {
        self.of(partition, "owner")
    }

    pub(super) fn inbox(&self, partition: u32) -> String {
        self.of(partition, "inbox")
    }

    /// Returns the key that marks that a batch of letters was put into the inbox of a partition.
    pub(super) fn mark(&self, partition: u32, batch: &BatchName) -> String {
        let BatchName { from, epoch, number } = batch;
        self.of(partition, &format!("got:{from}-{epoch}-{number}"))
    }

    pub(super) fn outbox(&self, partition: u32) -> String {
        self.of(partition, "outbox")
    }

    pub(super) fn queue(&self, partition: u32) -> String {
        self.of(partition, "queue")
    }

    pub(super) fn bodies(&self, partition: u32) -> String {
        self.of(partition, "bodies")
    }

    pub(super) fn texts(&self, partition: u32) -> String {
        self.of(partition, "texts")
    }

    pub(super) fn table(&self, partition: u32, table: Table) -> String {
        self.of(partition, table.name())
    }

    /// Returns all keys of a partition.
    pub(super) fn all_of(&self, partition: u32) -> Vec<String> {
        let tables = HASHES.into_iter().map(|table| self.table(partition, table));
        let others = ["owner", "inbox", "outbox", "queue", "bodies", "texts"];
        others.into_iter().map(|what| self.of(partition, what)).chain(tables).collect()
    }

    /// Returns the partition of a URL: that of its registrable domain, so that all hosts of a site
    /// are with one worker.
    pub(super) fn partition_of(&self, url: &Url) -> u32 {
        self.partition_of_bytes(site(url).unwrap_or_default().as_bytes())
    }

    /// Returns the partition of a value.
    pub(super) fn partition_of_bytes(&self, value: &[u8]) -> u32 {
        let partitions = u64::from(self.partitions);
        u32::try_from(xxh3_64(value) % partitions).expect("partitions are counted in 32 bits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_of_a_site_share_a_partition_and_its_keys_a_slot() {
        let keys = CrawlKeys::new("rain", 1_024);
        let of = |url: &str| keys.partition_of(&url.parse().unwrap());
        assert_eq!(of("http://a.example.org/x"), of("https://b.example.org:8443/y"));
        assert_ne!(of("http://a.example.org/x"), of("http://a.example.net/x"));
        for key in keys.all_of(7) {
            assert!(key.starts_with("ontrail:{rain/7}:"), "{key}");
        }
        let used: std::collections::BTreeSet<u32> =
            (0..100).map(|host| of(&format!("http://host{host}.test/"))).collect();
        assert!(used.len() > 80, "{} partitions for 100 sites", used.len());
    }
}
