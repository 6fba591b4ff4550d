//! Resolves host names to IP addresses and refuses those that are off limits.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::dns::{Dns, LONGEST};
use super::{Failure, FailureKind, now};
use crate::off_limits::Exceptions;

/// Maximum number of hosts in the cache, and in a snapshot of it.
const MOST_CACHED: usize = 50_000;

/// Looks up the IP addresses of hosts, caches them, and returns only allowed ones. The HTTP client
/// connects only to the IP addresses returned here, so a name whose DNS entry changes between check
/// and connection (DNS rebinding) gains nothing. The cache holds what DNS said; the check is made
/// at every use.
#[derive(Debug)]
pub(crate) struct Resolver {
    exceptions: Exceptions,
    fixed: BTreeMap<String, IpAddr>,
    dns: Dns,
    cache: Mutex<HashMap<String, CachedLookup>>,
}

/// A host, its IP addresses in order, and the time until which they are valid, in milliseconds
/// since 1970.
pub(crate) type KnownHost = (String, Vec<IpAddr>, u64);

#[derive(Debug, Clone)]
struct CachedLookup {
    /// The time until which the result is valid, in milliseconds since 1970.
    until: u64,
    addresses: Result<Vec<IpAddr>, Failure>,
}

impl Resolver {
    pub(crate) fn new(exceptions: Exceptions, fixed: BTreeMap<String, IpAddr>, dns: Dns) -> Self {
        Self { exceptions, fixed, dns, cache: Mutex::default() }
    }

    /// Returns the IP addresses of a host if all of them are allowed. The host may be a literal IP
    /// address.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Failure> {
        self.allowed(host, self.unchecked_addresses(host).await?)
    }

    /// Returns the IP addresses of a host like [`Resolver::addresses`] if they are known without a
    /// look-up.
    pub(crate) fn known(&self, host: &str) -> Option<Result<Vec<IpAddr>, Failure>> {
        let known = self.cached(host)?;
        Some(known.and_then(|addresses| self.allowed(host, addresses)))
    }

    /// Returns the IP addresses of a host, whether they are allowed or not. Only the proxy is
    /// looked up like that: the user named it, so it may have a private IP address.
    async fn unchecked_addresses(&self, host: &str) -> Result<Vec<IpAddr>, Failure> {
        if let Some(cached) = self.cached(host) {
            return cached;
        }
        let (addresses, valid) = self.dns.look_up(host).await;
        self.cache(host, &addresses, valid);
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

    /// Returns what is known about a host without a look-up: a literal IP address, one that the
    /// user gave, or the result of a look-up that is still valid.
    fn cached(&self, host: &str) -> Option<Result<Vec<IpAddr>, Failure>> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Some(address) = bare.parse().ok().or_else(|| self.fixed.get(host).copied()) {
            return Some(Ok(vec![address]));
        }
        let cache = self.cache.lock().ok()?;
        let found = cache.get(host)?;
        (found.until > now()).then(|| found.addresses.clone())
    }

    fn cache(&self, host: &str, addresses: &Result<Vec<IpAddr>, Failure>, valid: Duration) {
        let until = now() + milliseconds(valid);
        self.remember(host.to_owned(), CachedLookup { until, addresses: addresses.clone() });
    }

    fn remember(&self, host: String, lookup: CachedLookup) {
        let Ok(mut cache) = self.cache.lock() else { return };
        if cache.len() >= MOST_CACHED {
            make_room(&mut cache);
        }
        cache.insert(host, lookup);
    }

    /// Returns all hosts whose IP addresses are known, in alphabetical order.
    pub(crate) fn snapshot(&self) -> Vec<KnownHost> {
        let Ok(cache) = self.cache.lock() else { return Vec::new() };
        let now = now();
        let valid = cache.iter().filter(|(_, lookup)| lookup.until > now);
        let mut known: Vec<KnownHost> = valid
            .filter_map(|(host, lookup)| {
                Some((host.clone(), lookup.addresses.clone().ok()?, lookup.until))
            })
            .collect();
        known.sort_unstable();
        known
    }

    /// Takes over hosts from a snapshot, as far as they are still valid.
    pub(crate) fn restore(&self, known: Vec<KnownHost>) {
        let now = now();
        let latest = now + milliseconds(LONGEST);
        for (host, addresses, until) in known.into_iter().take(MOST_CACHED) {
            if until > now && !addresses.is_empty() {
                let until = until.min(latest);
                self.remember(host, CachedLookup { until, addresses: Ok(addresses) });
            }
        }
    }
}

/// Removes look-ups that are no longer valid, and then those that end first until half is left.
fn make_room(cache: &mut HashMap<String, CachedLookup>) {
    let now = now();
    cache.retain(|_, lookup| lookup.until > now);
    if cache.len() > MOST_CACHED / 2 {
        let mut ends: Vec<u64> = cache.values().map(|lookup| lookup.until).collect();
        let (_, &mut middle, _) = ends.select_nth_unstable(cache.len() / 2);
        cache.retain(|_, lookup| lookup.until > middle);
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
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
            let addresses = if is_proxy {
                resolver.unchecked_addresses(name.as_str()).await?
            } else {
                resolver.addresses(name.as_str()).await?
            };
            // The client tries the IP addresses in this order.
            let sockets: Vec<SocketAddr> =
                addresses.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(Box::new(sockets.into_iter()) as Addrs)
        })
    }
}
