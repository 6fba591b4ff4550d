//! Names of hosts turned into addresses, and kept from those that are off limits.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Failure, FailureKind};
use crate::off_limits::Exceptions;

/// How long an address is believed, and that there is none.
const KEPT: Duration = Duration::from_mins(10);
const KEPT_FAILURE: Duration = Duration::from_mins(1);
/// How long the system may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// More hosts than this are not remembered.
const MOST_KEPT: usize = 50_000;

/// Asks the system for the addresses of hosts, remembers them, and lets through only those that are allowed. The
/// client connects to what came from here and to nothing else, so a name that changes its mind gains nothing.
#[derive(Debug)]
pub(crate) struct Resolver {
    exceptions: Exceptions,
    fixed: BTreeMap<String, IpAddr>,
    /// The host of the proxy, which may be anywhere: the user named it.
    proxy: Option<String>,
    known: Mutex<HashMap<String, Known>>,
}

#[derive(Debug, Clone)]
struct Known {
    until: Instant,
    addresses: Result<Vec<IpAddr>, Failure>,
}

impl Resolver {
    pub(crate) fn new(
        exceptions: Exceptions,
        fixed: BTreeMap<String, IpAddr>,
        proxy: Option<String>,
    ) -> Self {
        Self { exceptions, fixed, proxy, known: Mutex::default() }
    }

    /// The addresses of a host that may be asked. A literal address is one too.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Failure> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse() {
            return self.allowed(host, vec![address]);
        }
        if let Some(&address) = self.fixed.get(host) {
            return self.allowed(host, vec![address]);
        }
        if let Some(known) = self.known(host) {
            return known;
        }
        let addresses = match lookup(host).await {
            Ok(addresses) => self.allowed(host, addresses),
            Err(failure) => Err(failure),
        };
        self.remember(host, &addresses);
        addresses
    }

    fn allowed(&self, host: &str, addresses: Vec<IpAddr>) -> Result<Vec<IpAddr>, Failure> {
        let is_proxy = self.proxy.as_deref() == Some(host);
        let is_allowed = |address: &IpAddr| is_proxy || self.exceptions.allow(*address);
        if let Some(refused) = addresses.iter().find(|address| !is_allowed(address)) {
            // A name that points both ways is not to be trusted either.
            return Err(Failure::new(
                FailureKind::OffLimits,
                format_args!("{host} is at {refused}, which is not a public address"),
            ));
        }
        Ok(addresses)
    }

    /// The address of a host, if it is known without asking.
    pub(crate) fn known_address(&self, host: &str) -> Option<IpAddr> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let fixed = bare.parse().ok().or_else(|| self.fixed.get(host).copied());
        fixed.or_else(|| self.known(host)?.ok()?.first().copied())
    }

    fn known(&self, host: &str) -> Option<Result<Vec<IpAddr>, Failure>> {
        let known = self.known.lock().ok()?;
        let found = known.get(host)?;
        (found.until > Instant::now()).then(|| found.addresses.clone())
    }

    fn remember(&self, host: &str, addresses: &Result<Vec<IpAddr>, Failure>) {
        let Ok(mut known) = self.known.lock() else { return };
        let now = Instant::now();
        if known.len() >= MOST_KEPT {
            known.retain(|_, known| known.until > now);
        }
        if known.len() >= MOST_KEPT {
            known.clear();
        }
        let until = now + if addresses.is_ok() { KEPT } else { KEPT_FAILURE };
        known.insert(host.to_owned(), Known { until, addresses: addresses.clone() });
    }
}

async fn lookup(host: &str) -> Result<Vec<IpAddr>, Failure> {
    let asked = tokio::time::timeout(TIMEOUT, tokio::net::lookup_host((host, 0))).await;
    match asked {
        Err(_) => Err(Failure::new(FailureKind::Timeout, "the name service did not answer")),
        Ok(Err(error)) => Err(Failure::new(FailureKind::Dns, error)),
        Ok(Ok(found)) => {
            let mut addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            addresses.dedup();
            if addresses.is_empty() {
                return Err(Failure::new(FailureKind::Dns, "the host has no address"));
            }
            Ok(addresses)
        }
    }
}

/// The resolver as the client takes it.
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
