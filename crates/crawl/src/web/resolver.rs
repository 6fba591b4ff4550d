//! Resolves host names to IP addresses and refuses those that are off limits.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Failure, FailureKind};
use crate::off_limits::Exceptions;

/// Times for which a successful and a failed lookup are cached.
const CACHED: Duration = Duration::from_mins(10);
const CACHED_FAILURE: Duration = Duration::from_mins(1);
/// The time limit of a lookup.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of hosts in the cache.
const MOST_CACHED: usize = 50_000;

/// Asks the system for the IP addresses of hosts, caches them, and returns only allowed ones. The
/// HTTP client connects only to the IP addresses returned here, so a name whose DNS entry changes
/// between check and connection (DNS rebinding) gains nothing.
#[derive(Debug)]
pub(crate) struct Resolver {
    exceptions: Exceptions,
    fixed: BTreeMap<String, IpAddr>,
    /// The host of the proxy, which may have a private IP address because the user named it.
    proxy: Option<String>,
    cache: Mutex<HashMap<String, CachedLookup>>,
}

#[derive(Debug, Clone)]
struct CachedLookup {
    until: Instant,
    addresses: Result<Vec<IpAddr>, Failure>,
}

impl Resolver {
    pub(crate) fn new(
        exceptions: Exceptions,
        fixed: BTreeMap<String, IpAddr>,
        proxy: Option<String>,
    ) -> Self {
        Self { exceptions, fixed, proxy, cache: Mutex::default() }
    }

    /// Returns the IP addresses of a host if all of them are allowed. The host may be a literal IP
    /// address.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Failure> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse() {
            return self.allowed(host, vec![address]);
        }
        if let Some(&address) = self.fixed.get(host) {
            return self.allowed(host, vec![address]);
        }
        if let Some(cached) = self.cached(host) {
            return cached;
        }
        let addresses = match lookup(host).await {
            Ok(addresses) => self.allowed(host, addresses),
            Err(failure) => Err(failure),
        };
        self.cache(host, &addresses);
        addresses
    }

    fn allowed(&self, host: &str, addresses: Vec<IpAddr>) -> Result<Vec<IpAddr>, Failure> {
        let is_proxy = self.proxy.as_deref() == Some(host);
        let is_allowed = |address: &IpAddr| is_proxy || self.exceptions.allow(*address);
        if let Some(refused) = addresses.iter().find(|address| !is_allowed(address)) {
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
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let fixed = bare.parse().ok().or_else(|| self.fixed.get(host).copied());
        fixed.or_else(|| self.cached(host)?.ok()?.first().copied())
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
pub(crate) struct Guard(pub(crate) Arc<Resolver>);

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = Arc::clone(&self.0);
        Box::pin(async move {
            let addresses = resolver.addresses(name.as_str()).await?;
            let sockets: Vec<SocketAddr> =
                addresses.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(Box::new(sockets.into_iter()) as Addrs)
        })
    }
}
