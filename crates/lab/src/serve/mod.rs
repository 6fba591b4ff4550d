//! Serves a web in memory: on loopback one address for each host, so that any crawler meets many
//! hosts and no request leaves this machine, or all hosts at one address by their names.
//!
//! Links and redirects to the hosts of the web are rewritten to the addresses that serve them. With
//! [`Naming::Names`] nothing is rewritten: one server answers for all hosts, by the host name in
//! the request, either as a proxy or by the `Host` header. [`Pace`] makes the hosts as slow as
//! those of the real web, and [`AccessLog`] records who asked what and when.

mod access_log;
mod pace;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ontrail_crawl::{OpenFiles, Response, canonical};
use ontrail_serve::{Answer, Limits, Request};
use url::Url;

pub use self::access_log::AccessLog;
pub use self::pace::Pace;

use self::access_log::Access;
use self::pace::Line;
use crate::web::LoadedWeb;

/// Number of hosts in each of the networks 127.0.1.0/24, 127.0.2.0/24 and so on.
const PER_NETWORK: usize = 250;
/// Greatest number of connections, each of which has a thread.
const MOST_CONNECTIONS: usize = 16_384;
/// File descriptors for everything but connections and listeners.
const OTHER_FILES: usize = 64;

/// The way in which clients reach the hosts of a web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Each host has its own loopback address; links are rewritten.
    Addresses,
    /// All hosts are at this address, which works as a proxy or looks at the `Host` header.
    Names(IpAddr),
}

/// How a web is served.
#[derive(Debug)]
pub struct Serving {
    /// The way in which clients reach the hosts.
    pub naming: Naming,
    /// The port of all hosts, or 0 for any free port.
    pub port: u16,
    /// The speed of the hosts.
    pub pace: Pace,
    /// The log of all requests.
    pub access_log: Option<AccessLog>,
}

/// A web that is being served. Dropping it stops the servers.
#[derive(Debug)]
pub struct Server {
    site: Arc<Site>,
    serving: ontrail_serve::Server,
    /// The address of each host, by host name.
    pub hosts: BTreeMap<String, SocketAddr>,
}

/// The web and the addresses of its hosts.
#[derive(Debug)]
struct Site {
    web: Arc<LoadedWeb>,
    /// The hosts by name.
    places: HashMap<String, Place>,
    names: HashMap<SocketAddr, String>,
    pace: Pace,
    access_log: Option<AccessLog>,
}

/// A host.
#[derive(Debug)]
struct Place {
    /// The address that links are rewritten to.
    address: Option<SocketAddr>,
    line: Line,
}

/// The target of a request.
struct Target {
    /// Host and path as in a URL, without the scheme.
    rest: String,
    host: String,
    path: String,
}

impl Server {
    /// Starts to serve a web.
    pub fn start(web: Arc<LoadedWeb>, serving: Serving) -> io::Result<Self> {
        let mut names: Vec<String> = web.hosts().into_iter().collect();
        names.sort();
        let Serving { naming, port, pace, access_log } = serving;
        let (listeners, hosts) = match naming {
            Naming::Names(ip) => listen_at(ip, port, names)?,
            Naming::Addresses => listen_everywhere(port, names)?,
        };
        let place = |address: &SocketAddr| Place {
            address: (naming == Naming::Addresses).then_some(*address),
            line: Line::default(),
        };
        let places = hosts.iter().map(|(name, at)| (name.clone(), place(at))).collect();
        let names = match naming {
            Naming::Names(_) => HashMap::new(),
            Naming::Addresses => hosts.iter().map(|(name, at)| (*at, name.clone())).collect(),
        };
        let limits = Limits { connections: connections(listeners.len()), ..Limits::default() };
        let site = Arc::new(Site { web, places, names, pace, access_log });
        let shared = Arc::clone(&site);
        let serving = ontrail_serve::Server::start(listeners, limits, move |request| {
            shared.answer(request).into()
        })?;
        Ok(Self { site, serving, hosts })
    }

    /// Returns the number of requests answered so far.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.serving.answered()
    }

    /// Returns the URL under which a URL of the web is served.
    #[must_use]
    pub fn served(&self, url: &str) -> String {
        String::from_utf8_lossy(&self.site.rewritten(url.as_bytes())).into_owned()
    }

    /// Returns the error that ended the access log, if there was one. Returns it only once.
    #[must_use]
    pub fn take_log_error(&self) -> Option<io::Error> {
        self.site.access_log.as_ref().and_then(AccessLog::take_error)
    }
}

/// The listeners, and the address of each host.
type Listening = (Vec<TcpListener>, BTreeMap<String, SocketAddr>);

/// Listens for all hosts at one address.
fn listen_at(ip: IpAddr, port: u16, names: Vec<String>) -> io::Result<Listening> {
    let listener = TcpListener::bind((ip, port))?;
    let address = listener.local_addr()?;
    Ok((vec![listener], names.into_iter().map(|name| (name, address)).collect()))
}

/// Listens for each host at a loopback address of its own.
fn listen_everywhere(mut port: u16, names: Vec<String>) -> io::Result<Listening> {
    let (mut listeners, mut hosts) = (Vec::new(), BTreeMap::new());
    for (at, name) in names.into_iter().enumerate() {
        let listener = TcpListener::bind((address_of(at)?, port))?;
        let address = listener.local_addr()?;
        // All hosts use the port of the first one.
        port = address.port();
        hosts.insert(name, address);
        listeners.push(listener);
    }
    Ok((listeners, hosts))
}

/// Returns the number of connections that the limit on open files allows.
fn connections(listeners: usize) -> usize {
    let files = usize::try_from(OpenFiles::current().limit).unwrap_or(usize::MAX);
    files.saturating_sub(listeners + OTHER_FILES).clamp(1, MOST_CONNECTIONS)
}

/// Returns the loopback address of the host with this number.
fn address_of(number: usize) -> io::Result<IpAddr> {
    let network = number / PER_NETWORK + 1;
    let (Ok(network), Ok(host)) = (u8::try_from(network), u8::try_from(number % PER_NETWORK + 1))
    else {
        return Err(io::Error::other(
            "cannot serve more than 63,750 hosts on separate addresses; serve the web by name",
        ));
    };
    Ok(IpAddr::V4(Ipv4Addr::new(127, 0, network, host)))
}

impl Site {
    /// Returns the answer to a request, after as long as the pace of the web demands.
    fn answer(&self, request: &Request<'_>) -> Answer {
        let target = self.target(request);
        let found = target.as_ref().and_then(|target| self.find(&target.rest));
        let host = target.as_ref().map_or("", |target| &target.host);
        let answered = self.wait(host, request.arrived);
        if let Some(log) = &self.access_log {
            log.write(&Access {
                asked: request.arrived,
                answered,
                host,
                path: target.as_ref().map_or(request.target, |target| &target.path),
                client: request.peer,
                status: found.map_or(404, |found| found.status),
                agent: request.header("user-agent").unwrap_or_default(),
            });
        }
        // Made after the wait, so that requests that wait take no memory for their answers.
        found.map_or_else(|| Answer::status(404), |found| self.as_served(found))
    }

    /// Waits until a host may answer a request that came at a time. Returns the time.
    fn wait(&self, host: &str, arrived: Instant) -> Instant {
        let Pace { latency, interval } = self.pace;
        let ready = arrived + latency;
        match self.places.get(host) {
            Some(place) if interval > Duration::ZERO => place.line.wait(ready, interval),
            _ => {
                thread::sleep(ready.saturating_duration_since(Instant::now()));
                Instant::now()
            }
        }
    }

    /// Returns a response of the web with its links and redirects rewritten.
    fn as_served(&self, found: &Response) -> Answer {
        let is_page = found.header("content-type").is_some_and(|it| it.contains("html"));
        let body = if is_page { self.rewritten(&found.body) } else { found.body.clone() };
        // The server sets these headers itself.
        let is_replaced = |name: &str| {
            name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("connection")
        };
        let headers = found.headers.iter().filter(|(name, _)| !is_replaced(name));
        let headers = headers.map(|(name, value)| {
            let is_redirect = name.eq_ignore_ascii_case("location");
            (name.clone(), if is_redirect { self.rewritten(value) } else { value.clone() })
        });
        Answer { status: found.status, headers: headers.collect(), body }
    }

    /// Returns the host and path that a request asks for, if it names a host.
    fn target(&self, request: &Request<'_>) -> Option<Target> {
        let rest = if let Some(rest) = request.target.strip_prefix("http://") {
            rest.to_owned()
        } else if let Some(name) = self.names.get(&request.local) {
            format!("{name}{}", request.target)
        } else {
            let host = without_port(request.header("host")?);
            format!("{host}{}", request.target)
        };
        let at = rest.find('/').unwrap_or(rest.len());
        let (host, path) = (without_port(&rest[..at]).to_ascii_lowercase(), rest[at..].to_owned());
        Some(Target { rest, host, path })
    }

    /// Finds the response to a request, whether the page was originally fetched over http or https.
    fn find(&self, rest: &str) -> Option<&Response> {
        ["http", "https"].iter().find_map(|scheme| {
            let url = canonical(Url::parse(&format!("{scheme}://{rest}")).ok()?)?;
            self.web.get(url.as_str())
        })
    }

    /// Replaces the hosts of the web in a text by their addresses.
    fn rewritten(&self, text: &[u8]) -> Vec<u8> {
        const MIDDLE: &[u8] = b"://";
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.windows(MIDDLE.len()).position(|it| it == MIDDLE) {
            let (before, after) = (&rest[..at], &rest[at + MIDDLE.len()..]);
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
            let length = after.iter().position(|byte| !is_name(byte)).unwrap_or(after.len());
            let name = std::str::from_utf8(&after[..length]).unwrap_or_default();
            match self.places.get(name).and_then(|place| place.address) {
                Some(place) => {
                    // Pages that were fetched over https are served over http.
                    out.extend(
                        before
                            .strip_suffix(b"https")
                            .map_or(before.to_vec(), |it| [it, b"http"].concat()),
                    );
                    out.extend(format!("://{place}").into_bytes());
                }
                None => out.extend([before, MIDDLE, &after[..length]].concat()),
            }
            rest = &after[length..];
        }
        out.extend(rest);
        out
    }
}

fn without_port(authority: &str) -> &str {
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}
