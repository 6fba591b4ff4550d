//! Resolves host names to IP addresses and refuses those that are off limits.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Failure, FailureKind};
use crate::off_limits::Exceptions;

/// How long a lookup is cached, and how long a failed lookup is.
const CACHED: Duration = Duration::from_mins(10);
const CACHED_FAILURE: Duration = Duration::from_mins(1);
/// The time limit of a lookup.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of hosts in the cache.
const MOST_CACHED: usize = 50_000;

/// Asks the system for the IP addresses of hosts, caches them, and returns only allowed ones. The
/// HTTP client connects only to the IP addresses returned here, so a name whose DNS entry changes
/// between check and connection (DNS rebinding) gains nothing. The cache holds what DNS said; the
/// check is made at every use.
#[derive(Debug)]
pub(crate) struct Resolver {
    exceptions: Exceptions,
    fixed: BTreeMap<String, IpAddr>,
    cache: Mutex<HashMap<String, CachedLookup>>,
}

#[derive(Debug, Clone)]
struct CachedLookup {
    until: Instant,
    addresses: Result<Vec<IpAddr>, Failure>,
}

impl Resolver {
    pub(crate) fn new(exceptions: Exceptions, fixed: BTreeMap<String, IpAddr>) -> Self {
        Self { exceptions, fixed, cache: Mutex::default() }
    }

    /// Returns the IP addresses of a host if all of them are allowed. The host may be a literal IP
    /// address.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Failure> {
        self.allowed(host, self.unchecked_addresses(host).await?)
    }

    /// Returns the IP addresses of a host, whether they are allowed or not. Only the proxy is
    /// looked up like that: the user named it, so it may have a private IP address.
    async fn unchecked_addresses(&self, host: &str) -> Result<Vec<IpAddr>, Failure> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let fixed = bare.parse().ok().or_else(|| self.fixed.get(host).copied());
        if let Some(address) = fixed {
            return Ok(vec![address]);
        }
        if let Some(cached) = self.cached(host) {
            return cached;
        }
        let addresses = lookup(host).await;
        self.cache(host, &addresses);
        addresses
    }

    fn allowed(&self, host: &str, addresses: Vec<IpAddr>) -> Result<Vec<IpAddr>, Failure> {
        let is_refused = |address: &&IpAddr| !self.exceptions.allow(**address);
        if let Some(refused) = addresses.iter().find(is_refused) {
            // A name with both public and private IP addresses is not trustworthy either.
            return Err(Failure::new(
                FailureKind::OffLimits,
                format_args!("{host} has the IP address {refused}, which is not public"),
            ));
        }
        Ok(addresses)
    }

    /// Returns the IP address of a host if it is known without a lookup.
    pub(crate) fn known_address(&self, host: &str) -> Option<IpAddr> {
        self.known_addresses(host).first().copied()
    }

    /// Returns the IP addresses of a host that are known without a lookup.
    pub(crate) fn known_addresses(&self, host: &str) -> Vec<IpAddr> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse().ok().or_else(|| self.fixed.get(host).copied()) {
            Some(address) => vec![address],
            None => self.cached(host).and_then(Result::ok).unwrap_or_default(),
        }
    }

    fn cached(&self, host: &str) -> Option<Result<Vec<IpAddr>, Failure>> {
        let cache = self.cache.lock().ok()?;
        let found = cache.get(host)?;
        (found.until > Instant::now()).then(|| found.addresses.clone())
    }

    fn cache(&self, host: &str, addresses: &Result<Vec<IpAddr>, Failure>) {
        let Ok(mut cache) = self.cache.lock() else { return };
        let now = Instant::now();
        if cache.len() >= MOST_CACHED {
            cache.retain(|_, lookup| lookup.until > now);
        }
        if cache.len() >= MOST_CACHED {
            cache.clear();
        }
        let until = now + if addresses.is_ok() { CACHED } else { CACHED_FAILURE };
        cache.insert(host.to_owned(), CachedLookup { until, addresses: addresses.clone() });
    }
}

async fn lookup(host: &str) -> Result<Vec<IpAddr>, Failure> {
    let asked = tokio::time::timeout(TIMEOUT, tokio::net::lookup_host((host, 0))).await;
    match asked {
        Err(_) => Err(Failure::new(FailureKind::Timeout, "the DNS lookup timed out")),
        Ok(Err(error)) => Err(Failure::new(FailureKind::Dns, error)),
        Ok(Ok(found)) => {
            let mut addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            addresses.dedup();
            if addresses.is_empty() {
                return Err(Failure::new(FailureKind::Dns, "the host has no IP address"));
            }
            Ok(addresses)
        }
    }
}

/// The resolver in the form that the HTTP client expects.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    pub(crate) resolver: Arc<Resolver>,
    /// True if the client connects to a proxy. It then looks up the name of the proxy and no other.
    pub(crate) is_proxy: bool,
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, is_proxy) = (Arc::clone(&self.resolver), self.is_proxy);
        Box::pin(async move {
            let addresses = match is_proxy {
                true => resolver.unchecked_addresses(name.as_str()).await?,
                false => resolver.addresses(name.as_str()).await?,
            };
            let sockets: Vec<SocketAddr> =
                addresses.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(Box::new(sockets.into_iter()) as Addrs)
        })
    }
}
