//! Serves a web in memory on loopback addresses: one address for each host, so that any crawler
//! meets many hosts, and no request leaves this machine.
//!
//! Links and redirects to the hosts of the web are rewritten to the addresses that serve them. With
//! [`Naming::Names`] nothing is rewritten: one server answers for all hosts, by the host name in
//! the request, either as a proxy or by the `Host` header.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use ontrail_crawl::{Response, canonical};
use ontrail_serve::{Limits, Request};
use url::Url;

use crate::web::LoadedWeb;

/// Number of hosts in each of the networks 127.0.1.0/24, 127.0.2.0/24 and so on.
const PER_NETWORK: usize = 250;

/// The way in which clients reach the hosts of a web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Each host has its own address; links are rewritten.
    Addresses,
    /// All hosts are at 127.0.0.1, which works as a proxy or looks at the `Host` header.
    Names,
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
    /// The hosts by name, with their addresses if links are rewritten.
    places: HashMap<String, Option<SocketAddr>>,
    names: HashMap<SocketAddr, String>,
}

impl Server {
    /// Starts to serve a web on a port, or on any free port if it is 0.
    pub fn start(web: Arc<LoadedWeb>, naming: Naming, port: u16) -> io::Result<Self> {
        let mut names: Vec<String> = web.hosts().into_iter().collect();
        names.sort();
        let mut listeners = Vec::new();
        let mut port = port;
        let (mut hosts, mut places) = (BTreeMap::new(), HashMap::new());
        match naming {
            Naming::Names => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
                let address = listener.local_addr()?;
                for name in names {
                    hosts.insert(name.clone(), address);
                    places.insert(name, None);
                }
                listeners.push(listener);
            }
            Naming::Addresses => {
                for (at, name) in names.into_iter().enumerate() {
                    let listener = TcpListener::bind((address_of(at)?, port))?;
                    let address = listener.local_addr()?;
                    // All hosts use the port of the first one.
                    port = address.port();
                    hosts.insert(name.clone(), address);
                    places.insert(name, Some(address));
                    listeners.push(listener);
                }
            }
        }
        let names = match naming {
            Naming::Names => HashMap::new(),
            Naming::Addresses => hosts.iter().map(|(name, at)| (*at, name.clone())).collect(),
        };
        let site = Arc::new(Site { web, places, names });
        let shared = Arc::clone(&site);
        let serving = ontrail_serve::Server::start(listeners, Limits::default(), move |request| {
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
    /// Returns the response of the web, with links and redirects rewritten.
    fn answer(&self, request: &Request<'_>) -> ontrail_serve::Answer {
        let found = self.find(request.local, request.target, request.header("host"));
        let Some(answer) = found else { return ontrail_serve::Answer::status(404) };
        let is_page = answer.header("content-type").is_some_and(|it| it.contains("html"));
        let body = if is_page { self.rewritten(&answer.body) } else { answer.body.clone() };
        // The server sets these headers itself.
        let is_replaced = |name: &str| {
            name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("connection")
        };
        let headers = answer.headers.iter().filter(|(name, _)| !is_replaced(name));
        let headers = headers.map(|(name, value)| {
            let is_redirect = name.eq_ignore_ascii_case("location");
            (name.clone(), if is_redirect { self.rewritten(value) } else { value.clone() })
        });
        ontrail_serve::Answer { status: answer.status, headers: headers.collect(), body }
    }

    /// Finds the response to a request, whether the page was originally fetched over http or https.
    fn find(&self, local: SocketAddr, target: &str, host: Option<&str>) -> Option<&Response> {
        let rest = if let Some(rest) = target.strip_prefix("http://") {
            rest.to_owned()
        } else if let Some(name) = self.names.get(&local) {
            format!("{name}{target}")
        } else {
            let host = host?;
            format!("{}{target}", host.rsplit_once(':').map_or(host, |(name, _)| name))
        };
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
            match self.places.get(name) {
                Some(Some(place)) => {
                    // Pages that were fetched over https are served over http.
                    out.extend(
                        before
                            .strip_suffix(b"https")
                            .map_or(before.to_vec(), |it| [it, b"http"].concat()),
                    );
                    out.extend(format!("://{place}").into_bytes());
                }
                _ => out.extend([before, MIDDLE, &after[..length]].concat()),
            }
            rest = &after[length..];
        }
        out.extend(rest);
        out
    }
}
