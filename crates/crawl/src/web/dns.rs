//! Asks name servers for the IP addresses of hosts.
//!
//! The names are looked up by `hickory-resolver` and not by the system's `getaddrinfo`, which
//! blocks a thread for as long as a name server is silent, does not tell how long an answer is
//! valid, and reports a name that does not exist like a server that fails. The system's settings
//! are honoured all the same: `/etc/hosts`, and in `/etc/resolv.conf` the servers, time limits,
//! search domains and `ndots`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolverConfig, ResolverOpts,
};
use hickory_resolver::lookup_ip::LookupIp;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::rr::Name;

use super::{Failure, FailureKind};
use crate::local_trouble::is_local_trouble;

/// Limits on the time for which an answer is used, which is its TTL otherwise. A TTL of zero would
/// mean a look-up for every fetch.
const SHORTEST: Duration = Duration::from_mins(1);
pub(crate) const LONGEST: Duration = Duration::from_hours(24);
/// Limits on the time for which the answer that a name does not exist is cached.
const SHORTEST_DENIAL: Duration = Duration::from_secs(10);
const LONGEST_DENIAL: Duration = Duration::from_mins(5);
/// The time for which a failed look-up is cached: long enough for the other links of a page, but
/// shorter than the wait before a retry.
const FAILURE: Duration = Duration::from_secs(3);

/// The most queries that wait for answers on one TCP connection to a name server.
const MOST_AT_ONCE: usize = 1_024;

/// Asks name servers.
pub(crate) struct Dns {
    resolver: TokioResolver,
    /// Names with at least so many dots are looked up as they are before search domains are tried.
    ndots: usize,
    has_search: bool,
    /// The time limit of a look-up.
    timeout: Duration,
}

/// The result of a look-up, and the time for which it may be used.
pub(crate) type Answer = (Result<Vec<IpAddr>, Failure>, Duration);

impl Dns {
    /// Uses one name server, or those of the system if none is given.
    pub(crate) fn new(server: Option<SocketAddr>, timeout: Duration) -> Result<Self, NetError> {
        let (config, options) = match server {
            Some(server) => (config_of(server), ResolverOpts::default()),
            None => system_config(),
        };
        Self::with(config, options, timeout)
    }

    fn with(
        config: ResolverConfig,
        mut options: ResolverOpts,
        timeout: Duration,
    ) -> Result<Self, NetError> {
        // The cache is the crawler's own, which outlives the process.
        options.cache_size = 0;
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.timeout = options.timeout.min(timeout);
        options.max_active_requests = MOST_AT_ONCE;
        let (ndots, search) = (options.ndots, config.search().len());
        let has_search = search > 0 || config.domain().is_some();
        let provider = TokioRuntimeProvider::default();
        let builder = TokioResolver::builder_with_config(config, provider).with_options(options);
        Ok(Self { resolver: builder.build()?, ndots, has_search, timeout })
    }

    /// Looks up a host.
    pub(crate) async fn look_up(&self, host: &str) -> Answer {
        // A URL's host is in ASCII already. DNS allows any bytes in a name, but not any length.
        let Ok(name) = Name::from_labels(host.trim_end_matches('.').split('.').map(str::as_bytes))
        else {
            let failure = Failure::new(FailureKind::NoSuchHost, "DNS does not allow such a name");
            return (Err(failure), LONGEST_DENIAL);
        };
        match tokio::time::timeout(self.timeout, self.ask(name, host.ends_with('.'))).await {
            Err(_) => failed(FailureKind::Dns, "the DNS lookup timed out"),
            Ok(Err(error)) => failure(&error),
            Ok(Ok(found)) => {
                let mut addresses: Vec<IpAddr> = Vec::new();
                for address in found.iter() {
                    if !addresses.contains(&address) {
                        addresses.push(address);
                    }
                }
                if addresses.is_empty() {
                    return failed(FailureKind::Dns, NO_ADDRESS);
                }
                let ttl = found.as_lookup().answers().iter().map(|record| record.ttl).min();
                let ttl = Duration::from_secs(ttl.unwrap_or(0).into());
                (Ok(addresses), ttl.clamp(SHORTEST, LONGEST))
            }
        }
    }

    /// Looks up a name as it is and then below the search domains, or the other way round. The
    /// resolver does that, too, but reports the last error: if a name server fails, and the name
    /// does not exist below a search domain, it says that the name does not exist.
    async fn ask(&self, mut name: Name, is_absolute: bool) -> Result<LookupIp, NetError> {
        let is_absolute = is_absolute || !self.has_search;
        name.set_fqdn(true);
        if is_absolute || usize::from(name.num_labels()) > self.ndots {
            let answer = self.resolver.lookup_ip(name.clone()).await;
            let is_unknown = answer.as_ref().is_err_and(NetError::is_no_records_found);
            if is_absolute || !is_unknown {
                return answer;
            }
        }
        name.set_fqdn(false);
        self.resolver.lookup_ip(name).await
    }
}

impl std::fmt::Debug for Dns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dns").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

const NO_ADDRESS: &str = "the host has no IP address";

fn failed(kind: FailureKind, detail: impl std::fmt::Display) -> Answer {
    (Err(Failure::new(kind, detail)), FAILURE)
}

/// Classifies an error. Only the answer that a name does not exist counts as such; that it has no
/// IP address may be half of the truth, if the other half of the question was not answered.
fn failure(error: &NetError) -> Answer {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none)) if error.is_nx_domain() => {
            let ttl = Duration::from_secs(none.negative_ttl.unwrap_or(0).into());
            let failure = Failure::new(FailureKind::NoSuchHost, "the host name does not exist");
            (Err(failure), ttl.clamp(SHORTEST_DENIAL, LONGEST_DENIAL))
        }
        NetError::Dns(DnsError::NoRecordsFound(_)) => failed(FailureKind::Dns, NO_ADDRESS),
        NetError::Io(error) if is_local_trouble(error) => {
            (Err(Failure::new(FailureKind::Local, error)), Duration::ZERO)
        }
        NetError::Timeout => failed(FailureKind::Dns, "the DNS lookup timed out"),
        error => failed(FailureKind::Dns, error),
    }
}

/// Returns the settings of the system. Without a file of settings the name server is the one on
/// this machine, as resolv.conf(5) says.
fn system_config() -> (ResolverConfig, ResolverOpts) {
    let found = hickory_resolver::system_conf::read_system_conf();
    found.unwrap_or_else(|_| {
        (config_of(SocketAddr::from((Ipv4Addr::LOCALHOST, 53))), ResolverOpts::default())
    })
}

fn config_of(server: SocketAddr) -> ResolverConfig {
    let at_port = |mut connection: ConnectionConfig| {
        connection.port = server.port();
        connection
    };
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(at_port);
    let server = NameServerConfig::new(server.ip(), true, connections.into());
    ResolverConfig::from_parts(None, Vec::new(), vec![server])
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    /// Starts a name server that knows `host.inside.test`, fails for `fails.example`, and denies
    /// all other names.
    fn name_server() -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 1_500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer) {
                let query = &buffer[..length];
                let end = 12 + query[12..].iter().position(|&byte| byte == 0).unwrap() + 5;
                let is_known = query[12..end].starts_with(b"\x04host\x06inside\x04test\0");
                let is_failing = query[12..end].starts_with(b"\x05fails\x07example\0");
                let code = if is_failing { 2 } else { 3 * u8::from(!is_known) };
                let mut answer = query[..2].to_vec();
                answer.extend([0x81, 0x80 | code, 0, 1, 0, u8::from(is_known), 0, 0, 0, 0]);
                answer.extend(&query[12..end]);
                if is_known {
                    // An address of the type that was asked for, with a TTL of 99 seconds.
                    let is_ipv4 = query[end - 3] == 1;
                    let size: u8 = if is_ipv4 { 4 } else { 16 };
                    answer.extend([0xc0, 12, 0, query[end - 3], 0, 1, 0, 0, 0, 99, 0, size]);
                    answer.extend(vec![1; size.into()]);
                }
                let _ = socket.send_to(&answer, from);
            }
        });
        address
    }

    fn look_up(host: &str, ndots: usize) -> Answer {
        let search = vec![Name::from_ascii("inside.test.").unwrap()];
        let servers = config_of(name_server()).name_servers().to_vec();
        let config = ResolverConfig::from_parts(None, search, servers);
        let mut options = ResolverOpts::default();
        options.ndots = ndots;
        let dns = Dns::with(config, options, Duration::from_secs(5)).unwrap();
        tokio::runtime::Runtime::new().unwrap().block_on(dns.look_up(host))
    }

    #[test]
    fn search_domains_are_honoured() {
        // The IPv4 address comes before the IPv6 address.
        let expected = vec![IpAddr::from([1; 4]), IpAddr::from([1; 16])];
        for (host, ndots) in [("host", 1), ("host.inside", 2), ("host.inside.test", 1)] {
            let expected = if host == "host.inside" { None } else { Some(expected.clone()) };
            let (found, valid) = look_up(host, ndots);
            let is_found = found.is_ok();
            assert_eq!(found.ok(), expected, "{host}");
            assert!(!is_found || valid == Duration::from_secs(99), "{valid:?}");
        }
        // A name with a dot at its end is complete.
        assert_eq!(look_up("host.", 1).0.unwrap_err().kind, FailureKind::NoSuchHost);
    }

    #[test]
    fn a_failing_server_is_reported_even_if_the_search_domain_denies_the_name() {
        for ndots in [1, 5] {
            assert_eq!(look_up("fails.example", ndots).0.unwrap_err().kind, FailureKind::Dns);
            let denied = look_up("none.example", ndots).0.unwrap_err();
            assert_eq!(denied.kind, FailureKind::NoSuchHost);
        }
    }
}
