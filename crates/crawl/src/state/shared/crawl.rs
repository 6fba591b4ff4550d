//! A crawl on a server: creates it, joins it, lists it, gives orders to its workers, removes it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use redis::{Cmd, cmd};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::address::{Credentials, ServerAddress};
use super::keys::{CRAWLS, CrawlKeys};
use super::members::{Worker, workers};
use super::server::{Server, ServerError, info_field};
use crate::state::Order;

/// The version of the layout on the server.
const LAYOUT: u32 = 1;
/// The number of partitions, unless the user gives another.
pub const PARTITIONS: u32 = 1_024;
/// The length of a lease, unless the user gives another.
pub const LEASE: Duration = Duration::from_secs(10);
/// The time for which a name is reserved while its crawl is being created, in milliseconds.
const CLAIM: u64 = 60_000;
/// The longest name of a crawl.
const LONGEST_NAME: usize = 64;

/// The place of a shared frontier: a server and the name of a crawl on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SharedPlace {
    /// The server.
    pub server: ServerAddress,
    /// The name of the crawl.
    pub name: String,
}

/// An error with a crawl on a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SharedError {
    /// The server cannot be used.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// There is a crawl of that name.
    #[error(
        "{server}: already has a crawl named {name}; join it with `ontrail crawl join {server} \
         {name} -o DIR`, or give another --name"
    )]
    Exists {
        /// The server.
        server: ServerAddress,
        /// The name.
        name: String,
    },
    /// There is no crawl of that name.
    #[error("{server}: has no crawl named {name}; it has: {others}")]
    Missing {
        /// The server.
        server: ServerAddress,
        /// The name.
        name: String,
        /// The names of its crawls.
        others: String,
    },
    /// Another version of Ontrail made the crawl.
    #[error(
        "{server}: crawl {name} was made by another version of Ontrail; go on with that version"
    )]
    OtherVersion {
        /// The server.
        server: ServerAddress,
        /// The name.
        name: String,
    },
    /// The name cannot be used.
    #[error(
        "{0:?} cannot be the name of a crawl: use up to 64 letters of the English alphabet, digits, \
         dots, hyphens and underscores"
    )]
    Name(String),
}

/// A file that every worker needs: its path in the crawl folder and its content.
pub type SharedFile = (String, Vec<u8>);

/// The figures of a crawl on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedStatus {
    /// Number of partitions.
    pub partitions: u32,
    /// The order that the workers obey.
    pub order: Order,
    /// The workers.
    pub workers: Vec<Worker>,
    /// Partitions that no living worker holds.
    pub free: u32,
    /// Links in all partitions that are not finished, as of their last commits.
    pub open: u64,
    /// Letters that wait to be read or delivered.
    pub letters: u64,
    /// Bytes of memory that the server uses.
    pub memory: u64,
    /// True if the server keeps a journal on disk.
    pub is_persistent: bool,
}

/// A crawl on a server.
#[derive(Debug, Clone)]
pub struct SharedCrawl {
    pub(super) server: Arc<Server>,
    pub(super) keys: CrawlKeys,
    pub(super) lease: Duration,
    /// Tells the crawl from another that has the same name later.
    pub(super) id: String,
    place: SharedPlace,
}

impl SharedPlace {
    /// Checks the name and returns the place of a crawl.
    pub fn new(server: ServerAddress, name: &str) -> Result<Self, SharedError> {
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let is_fine = name.bytes().all(is_fine) && !name.starts_with('-');
        if name.is_empty() || name.len() > LONGEST_NAME || !is_fine {
            return Err(SharedError::Name(name.to_owned()));
        }
        Ok(Self { server, name: name.to_owned() })
    }

    /// Creates a crawl. `run` describes it to workers that join later, and `files` are the models
    /// that they need.
    pub fn create(
        &self,
        credentials: &Credentials,
        partitions: u32,
        lease: Duration,
        run: &str,
        files: &[SharedFile],
    ) -> Result<SharedCrawl, SharedError> {
        let server = Server::connect(&self.server, credentials)?;
        let keys = CrawlKeys::new(&self.name, partitions);
        // Nobody else may write the files meanwhile. Whoever dies while it does loses the name
        // soon.
        let mut claim = cmd("SET");
        claim.arg(keys.claim()).arg("").arg("NX").arg("PX").arg(CLAIM);
        let claimed: Option<String> = server.call(&claim)?;
        let exists: bool = server.call(cmd("EXISTS").arg(keys.crawl()))?;
        if exists || claimed.is_none() {
            return Err(SharedError::Exists {
                server: self.server.clone(),
                name: self.name.clone(),
            });
        }
        server.call::<()>(cmd("UNLINK").arg(keys.files()))?;
        for (path, content) in files {
            server.call::<()>(cmd("HSET").arg(keys.files()).arg(path).arg(content))?;
        }
        let id = new_id(run);
        let mut describe = cmd("HSET");
        describe.arg(keys.crawl()).arg("partitions").arg(partitions).arg("layout").arg(LAYOUT);
        describe.arg("lease").arg(milliseconds(lease)).arg("run").arg(run).arg("id").arg(&id);
        server.call::<()>(&describe)?;
        server.call::<()>(cmd("SADD").arg(CRAWLS).arg(&self.name))?;
        server.call::<()>(cmd("UNLINK").arg(keys.claim()))?;
        Ok(SharedCrawl { server, keys, lease, id, place: self.clone() })
    }

    /// Opens a crawl that exists.
    pub fn open(&self, credentials: &Credentials) -> Result<SharedCrawl, SharedError> {
        let server = Server::connect(&self.server, credentials)?;
        let mut read = cmd("HMGET");
        read.arg(CrawlKeys::new(&self.name, 1).crawl()).arg("partitions").arg("layout");
        read.arg("lease").arg("id");
        let found: (Option<u32>, Option<u32>, Option<u64>, Option<String>) = server.call(&read)?;
        let (server_name, name) = (self.server.clone(), self.name.clone());
        match found {
            (Some(partitions), Some(LAYOUT), Some(lease), Some(id)) if partitions > 0 => {
                let keys = CrawlKeys::new(&self.name, partitions);
                let lease = Duration::from_millis(lease);
                Ok(SharedCrawl { server, keys, lease, id, place: self.clone() })
            }
            (None, None, None, None) => {
                let others = names(&server)?;
                let others = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
                Err(SharedError::Missing { server: server_name, name, others })
            }
            _ => Err(SharedError::OtherVersion { server: server_name, name }),
        }
    }
}

impl SharedCrawl {
    /// Returns the place of the crawl.
    #[must_use]
    pub fn place(&self) -> &SharedPlace {
        &self.place
    }

    /// Returns the description of the crawl.
    pub fn run(&self) -> Result<String, SharedError> {
        Ok(self.server.call(cmd("HGET").arg(self.keys.crawl()).arg("run"))?)
    }

    /// Returns the models of the crawl.
    pub fn files(&self) -> Result<Vec<SharedFile>, SharedError> {
        let files: BTreeMap<String, Vec<u8>> =
            self.server.call(cmd("HGETALL").arg(self.keys.files()))?;
        Ok(files.into_iter().collect())
    }

    /// Gives an order to all workers, which obey it within about a second.
    pub fn order(&self, order: Order) -> Result<(), SharedError> {
        let mut set = cmd("HSET");
        Ok(self.server.call(set.arg(self.keys.crawl()).arg("order").arg(order.name()))?)
    }

    /// Returns the order that all workers obey.
    pub fn current_order(&self) -> Result<Order, SharedError> {
        let order: Option<String> =
            self.server.call(cmd("HGET").arg(self.keys.crawl()).arg("order"))?;
        Ok(order.and_then(|order| Order::from_name(&order)).unwrap_or_default())
    }

    /// Returns the state of the crawl as of the last commits.
    pub fn status(&self) -> Result<SharedStatus, SharedError> {
        let partitions = self.keys.partitions();
        let mut look = Vec::new();
        for partition in 0..partitions {
            let mut owner = cmd("HMGET");
            owner.arg(self.keys.owner(partition)).arg("worker").arg("open");
            look.push(owner);
        }
        let owners: Vec<(Option<String>, Option<u64>)> = self.server.call_all(&look)?;
        let boxes = (0..partitions)
            .flat_map(|partition| [self.keys.inbox(partition), self.keys.outbox(partition)]);
        let lengths: Vec<Cmd> = boxes.map(|key| cmd("LLEN").arg(key).to_owned()).collect();
        let letters: Vec<u64> = self.server.call_all(&lengths)?;
        let workers = workers(&self.server, &self.keys)?;
        let is_free = |(owner, _): &&(Option<String>, Option<u64>)| {
            let owner = owner.as_deref().unwrap_or_default();
            !workers.iter().any(|worker| worker.name == owner && self.is_alive(worker))
        };
        let memory = self.server.info("memory")?;
        let memory: u64 = memory
            .lines()
            .filter_map(|line| info_field(line, "used_memory"))
            .filter_map(|bytes| bytes.trim().parse::<u64>().ok())
            .sum();
        Ok(SharedStatus {
            partitions,
            order: self.current_order()?,
            free: u32::try_from(owners.iter().filter(is_free).count()).unwrap_or(u32::MAX),
            open: owners.iter().filter_map(|(_, open)| *open).sum(),
            letters: letters.iter().sum(),
            workers,
            memory,
            is_persistent: self.server.is_persistent()?,
        })
    }

    /// Returns true if a worker has been heard of within the length of a lease.
    #[must_use]
    pub fn is_alive(&self, worker: &Worker) -> bool {
        worker.is_alive(milliseconds(self.lease))
    }

    /// Returns the number of workers that crawl now.
    pub fn living_workers(&self) -> Result<usize, SharedError> {
        let workers = workers(&self.server, &self.keys)?;
        Ok(workers.iter().filter(|worker| self.is_alive(worker)).count())
    }

    /// Removes the crawl from the server.
    pub fn remove(&self) -> Result<(), SharedError> {
        let of = |partition: u32| cmd("UNLINK").arg(self.keys.all_of(partition)).to_owned();
        let commands: Vec<Cmd> = (0..self.keys.partitions()).map(of).collect();
        self.server.call_all::<u64>(&commands)?;
        let keys = &self.keys;
        let own = [keys.crawl(), keys.files(), keys.workers(), keys.numbers()];
        self.server.call::<()>(cmd("UNLINK").arg(&own))?;
        Ok(self.server.call(cmd("SREM").arg(CRAWLS).arg(&self.place.name))?)
    }
}

/// Returns the names of all crawls on a server.
pub fn shared_crawls(
    server: &ServerAddress,
    credentials: &Credentials,
) -> Result<Vec<String>, SharedError> {
    Ok(names(&*Server::connect(server, credentials)?)?)
}

/// Returns an identifier for a new crawl.
fn new_id(run: &str) -> String {
    let unique = format!("{} {:?} {run}", std::process::id(), SystemTime::now());
    format!("{:016x}", xxh3_64(unique.as_bytes()))
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn names(server: &Server) -> Result<Vec<String>, ServerError> {
    let mut names: Vec<String> = server.call(cmd("SMEMBERS").arg(CRAWLS))?;
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_confuse_keys_are_refused() {
        let server: ServerAddress = "redis://127.0.0.1".parse().unwrap();
        for name in ["", "a b", "-a", "a{b}", "a/b", "a:b", "雨", &"x".repeat(65)] {
            assert!(SharedPlace::new(server.clone(), name).is_err(), "{name}");
        }
        assert!(SharedPlace::new(server, "rain-2026_11.a").is_ok());
    }
}
