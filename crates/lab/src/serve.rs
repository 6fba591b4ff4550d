//! A web in memory as servers on loopback addresses: one address for each host, so that any crawler meets many hosts, and nothing but
//! this machine is ever asked.
//!
//! Links and redirects to the hosts of the web are rewritten to where they are served. With [`Naming::Names`] nothing is rewritten: one
//! server answers for all hosts by the name that a request gives, as a proxy or by its `Host`.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use ontrail_crawl::{Answer, canonical};
use ontrail_serve::{Limits, Request};
use url::Url;

use crate::web::LoadedWeb;

/// How many hosts have an address in each of the networks 127.0.1.0/24 and on.
const PER_NETWORK: usize = 250;
/// How the hosts of a web are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Each at an address of its own; links are rewritten.
    Addresses,
    /// All at 127.0.0.1, by name: as a proxy, or by the `Host` of a request.
    Names,
}

/// A web that is served, until this is dropped.
#[derive(Debug)]
pub struct Server {
    site: Arc<Site>,
    serving: ontrail_serve::Server,
    /// Where each host is, by name.
    pub hosts: BTreeMap<String, SocketAddr>,
}

/// The web and where its hosts are.
#[derive(Debug)]
struct Site {
    web: Arc<LoadedWeb>,
    /// The hosts, with where they are served if links are rewritten.
    places: HashMap<String, Option<SocketAddr>>,
    names: HashMap<SocketAddr, String>,
}

impl Server {
    /// Starts to serve a web at a port, or at one that is free if that is 0.
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
                    // All hosts have the port of the first.
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

    /// How many requests were answered so far.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.serving.answered()
    }

    /// An address of the web as it is served.
    #[must_use]
    pub fn served(&self, url: &str) -> String {
        String::from_utf8_lossy(&self.site.rewritten(url.as_bytes())).into_owned()
    }
}

/// The loopback address of a host by its number.
fn address_of(number: usize) -> io::Result<IpAddr> {
    let network = number / PER_NETWORK + 1;
    let (Ok(network), Ok(host)) = (u8::try_from(network), u8::try_from(number % PER_NETWORK + 1))
    else {
        return Err(io::Error::other("a web of more than 63,750 hosts can only be served by name"));
    };
    Ok(IpAddr::V4(Ipv4Addr::new(127, 0, network, host)))
}

impl Site {
    /// The answer of the web, with the links and the redirect that are served.
    fn answer(&self, request: &Request<'_>) -> ontrail_serve::Answer {
        let found = self.find(request.local, request.target, request.header("host"));
        let Some(answer) = found else { return ontrail_serve::Answer::status(404) };
        let is_page = answer.header("content-type").is_some_and(|it| it.contains("html"));
        let body = if is_page { self.rewritten(&answer.body) } else { answer.body.clone() };
        // The server has a length and a connection of its own.
        let is_own = |name: &str| {
            name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("connection")
        };
        let headers = answer.headers.iter().filter(|(name, _)| !is_own(name));
        let headers = headers.map(|(name, value)| {
            let is_redirect = name.eq_ignore_ascii_case("location");
            (name.clone(), if is_redirect { self.rewritten(value) } else { value.clone() })
        });
        ontrail_serve::Answer { status: answer.status, headers: headers.collect(), body }
    }

    /// What the web has of what a request asks for, whether it was fetched over TLS or not.
    fn find(&self, local: SocketAddr, target: &str, host: Option<&str>) -> Option<&Answer> {
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

    /// Text with the hosts of the web replaced by where they are served.
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
                    // Whatever was fetched over TLS is served without.
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
