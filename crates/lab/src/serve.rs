//! A web in memory as servers on loopback addresses: one address for each host, so that any crawler meets many hosts, and nothing but
//! this machine is ever asked.
//!
//! Links and redirects to the hosts of the web are rewritten to where they are served. With [`Naming::Names`] nothing is rewritten: one
//! server answers for all hosts by the name that a request gives, as a proxy or by its `Host`.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufWriter, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use ontrail_crawl::{Answer, canonical};
use url::Url;

use crate::web::LoadedWeb;

/// The longest head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// How long a connection may say nothing.
const IDLE: Duration = Duration::from_secs(30);
/// How many connections are served at a time; whoever comes then is turned away.
const MOST_CONNECTIONS: usize = 512;
/// How many hosts have an address in each of the networks 127.0.1.0/24 and on.
const PER_NETWORK: usize = 250;
/// The stack of a thread that waits for connections, of which there is one for each host.
const STACK: usize = 128 << 10;

/// How the hosts of a web are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Each at an address of its own; links are rewritten.
    Addresses,
    /// All at 127.0.0.1, by name: as a proxy, or by the `Host` of a request.
    Names,
}

/// A web that is served.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    /// Where each host is, by name.
    pub hosts: BTreeMap<String, SocketAddr>,
}

#[derive(Debug)]
struct Shared {
    web: Arc<LoadedWeb>,
    /// The hosts, with where they are served if links are rewritten.
    places: HashMap<String, Option<SocketAddr>>,
    names: HashMap<SocketAddr, String>,
    answered: AtomicU64,
    connections: AtomicUsize,
}

impl Server {
    /// Starts to serve a web at a port, or at one that is free if that is 0. It goes on until the process ends.
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
        let (answered, connections) = (AtomicU64::new(0), AtomicUsize::new(0));
        let shared = Arc::new(Shared { web, places, names, answered, connections });
        for listener in listeners {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || shared.listen(&listener))?;
        }
        Ok(Self { shared, hosts })
    }

    /// How many requests were answered so far.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.shared.answered.load(Ordering::Relaxed)
    }

    /// An address of the web as it is served.
    #[must_use]
    pub fn served(&self, url: &str) -> String {
        String::from_utf8_lossy(&self.shared.rewritten(url.as_bytes())).into_owned()
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

impl Shared {
    fn listen(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming().flatten() {
            if self.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                self.connections.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let shared = Arc::clone(&self);
            let spawned = std::thread::Builder::new().stack_size(STACK * 2).spawn(move || {
                // Whoever breaks off is gone.
                let _ = shared.converse(&stream);
                shared.connections.fetch_sub(1, Ordering::Relaxed);
            });
            if spawned.is_err() {
                self.connections.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Answers the requests of a connection, one after the other.
    fn converse(&self, mut stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(IDLE))?;
        stream.set_write_timeout(Some(IDLE))?;
        stream.set_nodelay(true)?;
        let local = stream.local_addr()?;
        let mut buffer = Vec::new();
        loop {
            let Some(request) = read_request(&mut stream, &mut buffer)? else { return Ok(()) };
            let goes_on = self.answer(stream, local, request)?;
            self.answered.fetch_add(1, Ordering::Relaxed);
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Answers a request, and says whether the connection goes on.
    fn answer(&self, stream: &TcpStream, local: SocketAddr, request: Request) -> io::Result<bool> {
        let mut out = BufWriter::new(stream);
        let Request::Asked { method, target, host, closes } = request else {
            out.write_all(
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            )?;
            out.flush()?;
            return Ok(false);
        };
        if method != "GET" && method != "HEAD" {
            out.write_all(
                b"HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nContent-Length: 0\r\n\r\n",
            )?;
            out.flush()?;
            return Ok(!closes);
        }
        let found = self.find(local, &target, host.as_deref());
        let Some(answer) = found else {
            out.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
            out.flush()?;
            return Ok(!closes);
        };
        let is_page = answer.header("content-type").is_some_and(|it| it.contains("html"));
        let body = if is_page { self.rewritten(&answer.body) } else { answer.body.clone() };
        out.write_all(&self.head(answer, body.len()))?;
        if method == "GET" {
            out.write_all(&body)?;
        }
        out.flush()?;
        Ok(!closes)
    }

    /// The head of an answer without a reason, which nobody reads, with the length and the redirect that are served.
    fn head(&self, answer: &Answer, length: usize) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} \r\n", answer.status).into_bytes();
        for (name, value) in &answer.headers {
            if name.eq_ignore_ascii_case("content-length")
                || name.eq_ignore_ascii_case("connection")
            {
                continue;
            }
            let value = if name.eq_ignore_ascii_case("location") {
                self.rewritten(value)
            } else {
                value.clone()
            };
            head.extend([name.as_bytes(), b": ", &value, b"\r\n"].concat());
        }
        head.extend(format!("Content-Length: {length}\r\n\r\n").into_bytes());
        head
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

/// A request.
enum Request {
    Asked {
        method: String,
        target: String,
        host: Option<String>,
        closes: bool,
    },
    /// Something that is none.
    Broken,
}

/// Reads the head of a request. None if the other side is done.
fn read_request(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<Option<Request>> {
    let mut piece = [0; 4_096];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Request::new(&mut headers);
        match head.parse(buffer) {
            Ok(httparse::Status::Complete(length)) => {
                let value = |name: &str| {
                    let found = head.headers.iter().find(|it| it.name.eq_ignore_ascii_case(name));
                    found.map(|it| String::from_utf8_lossy(it.value).trim().to_owned())
                };
                let asked = Request::Asked {
                    method: head.method.unwrap_or_default().to_owned(),
                    target: head.path.unwrap_or_default().to_owned(),
                    host: value("host"),
                    closes: value("connection").is_some_and(|it| it.eq_ignore_ascii_case("close")),
                };
                buffer.drain(..length);
                return Ok(Some(asked));
            }
            Ok(httparse::Status::Partial) if buffer.len() < LONGEST_HEAD => {
                let read = stream.read(&mut piece)?;
                if read == 0 {
                    return Ok(None);
                }
                buffer.extend_from_slice(&piece[..read]);
            }
            Ok(httparse::Status::Partial) | Err(_) => return Ok(Some(Request::Broken)),
        }
    }
}
