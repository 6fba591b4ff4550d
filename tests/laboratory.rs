//! The fault laboratory: hosts on loopback addresses that misbehave as a script says, and a record
//! of every request that reached them.
//!
//! A test gives each host a script (see [`crate::scenarios`]), runs the crawler, and then checks
//! the promises that hold whatever the hosts do (see [`crate::invariants`]). Scripts count requests
//! instead of reading the clock wherever they can, so that a slow machine changes nothing.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::invariants::memory_was_bounded;
use crate::web::{Asked, Reply, Server};
use crate::{Folder, Ran};

/// A request, as a script sees it.
#[derive(Debug)]
pub struct Request<'a> {
    /// The host that was asked, without its port.
    pub host: &'a str,
    /// The host with its port, as in a URL.
    pub authority: &'a str,
    /// The path and the query.
    pub path: &'a str,
    /// The number of requests for pages that reached this script before, on all of its hosts.
    pub before: usize,
}

/// A script: the reply to each request.
pub type Script = Box<dyn Fn(&Request<'_>) -> Reply + Send + Sync>;

/// A request that reached the laboratory.
#[derive(Debug, Clone)]
pub struct Visit {
    /// The host that was asked, with its port.
    pub host: String,
    /// The address at which it was asked.
    pub machine: IpAddr,
    /// The path and the query.
    pub path: String,
    /// When the request came.
    pub start: Instant,
    /// When it was answered.
    pub end: Instant,
}

/// The treatment of a connection before anything is read from it.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// It is reset.
    Reset,
    /// These bytes are sent, and then it is reset.
    ResetAfter(Vec<u8>),
}

/// Hosts with faults.
#[derive(Debug, Default)]
pub struct Laboratory {
    machines: Vec<Server>,
    /// Names, and the addresses that they stand for.
    names: Vec<(String, IpAddr)>,
}

impl Laboratory {
    /// Returns a laboratory without hosts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a host with an address of its own. Returns the URL of its home page.
    pub fn host(&mut self, script: Script) -> String {
        let ip = Self::free_address();
        self.machine(ip, script)
    }

    /// Adds hosts with these names, all on one address. Returns the URLs of their home pages.
    pub fn names(&mut self, names: &[String], script: Script) -> Vec<String> {
        let ip = Self::free_address();
        let port = self.machine_port(ip, script);
        let url = |name: &String| format!("http://{name}:{port}/");
        self.names.extend(names.iter().map(|name| (name.clone(), IpAddr::V4(ip))));
        names.iter().map(url).collect()
    }

    /// Adds a host that refuses connections at first. Returns the URL of its home page, and a
    /// switch that brings the host up.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn down_host(&mut self, script: Script) -> (String, DownHost) {
        let ip = Self::free_address();
        // The port is free again at once; nobody else uses this address.
        let listener = TcpListener::bind((ip, 0)).expect("a loopback address can be listened at");
        let address = listener.local_addr().expect("a listener has an address");
        (format!("http://{address}/"), DownHost { address, script })
    }

    /// Brings up a host that was down.
    pub fn bring_up(&mut self, down: DownHost) {
        let DownHost { address, script } = down;
        self.machines.push(Server::start_at(address, scripted(script)));
    }

    /// Adds a host whose first connections fail. Returns the URL of its home page.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn unsteady_host(&mut self, troubles: Vec<Trouble>, script: Script) -> String {
        let (front, back) = (Self::free_address(), Self::free_address());
        let port = self.machine_port(back, script);
        let listener = TcpListener::bind((front, 0)).expect("a loopback address can be used");
        let address = listener.local_addr().expect("a listener has an address");
        std::thread::spawn(move || {
            let mut troubles = troubles.into_iter();
            for stream in listener.incoming().flatten() {
                match troubles.next() {
                    Some(trouble) => fail(stream, &trouble),
                    None => forward(&stream, SocketAddr::from((back, port))),
                }
            }
        });
        format!("http://{address}/")
    }

    /// Adds a host that speaks no TLS where TLS is expected. Returns the URL of its home page.
    pub fn host_with_broken_tls(&mut self) -> String {
        let ip = Self::free_address().to_string();
        let server = Server::blurting(&ip, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let url = format!("https://{}/", server.address);
        self.machines.push(server);
        url
    }

    fn machine(&mut self, ip: Ipv4Addr, script: Script) -> String {
        let port = self.machine_port(ip, script);
        format!("http://{ip}:{port}/")
    }

    fn machine_port(&mut self, ip: Ipv4Addr, script: Script) -> u16 {
        let server = Server::start(&ip.to_string(), scripted(script));
        let port = server.address.port();
        self.machines.push(server);
        port
    }

    /// Returns a loopback address that no other host of any laboratory has.
    fn free_address() -> Ipv4Addr {
        static USED: AtomicUsize = AtomicUsize::new(0);
        let number = USED.fetch_add(1, Ordering::SeqCst) % 60_000;
        let byte = |number: usize| u8::try_from(number).unwrap_or(u8::MAX);
        Ipv4Addr::new(127, 17, byte(number / 250), byte(2 + number % 250))
    }

    /// Crawls from these URLs, without delay and retries unless `more` says otherwise.
    #[must_use]
    pub fn run(&self, folder: &Folder, seeds: &[String], more: &[&str]) -> Ran {
        let args = self.arguments("out", seeds, more);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (ran, peak) = folder.run_measured(&args);
        memory_was_bounded(peak);
        ran
    }

    /// Returns the arguments of a crawl from these URLs into a folder, as [`Self::run`] gives them.
    #[must_use]
    pub fn arguments(&self, out: &str, seeds: &[String], more: &[&str]) -> Vec<String> {
        let usual = [("--delay", "0"), ("--address-delay", "0"), ("--retries", "0")];
        let mut args = vec!["crawl", "run", "--contact", "test@example.org", "-o", out, "--json"];
        if !more.contains(&"--allow-private") {
            args.extend(["--allow-private", "127.17.0.0/16"]);
        }
        for (flag, value) in usual.iter().filter(|(flag, _)| !more.contains(flag)) {
            args.extend([*flag, *value]);
        }
        let resolve: Vec<String> =
            self.names.iter().map(|(name, ip)| format!("{name}={ip}")).collect();
        args.extend(resolve.iter().flat_map(|it| ["--resolve", it.as_str()]));
        args.extend(more);
        args.extend(seeds.iter().map(String::as_str));
        args.into_iter().map(str::to_owned).collect()
    }

    /// Crawls as [`Self::run`] does. Returns the summary.
    #[must_use]
    pub fn crawl(&self, folder: &Folder, seeds: &[String], more: &[&str]) -> Value {
        self.run(folder, seeds, more).json()
    }

    /// Returns all requests that came, in order.
    #[must_use]
    pub fn visits(&self) -> Vec<Visit> {
        let of = |server: &Server| {
            let machine = server.address.ip();
            let visit = move |asked: Asked| Visit {
                host: asked.header("host").to_owned(),
                machine,
                path: asked.path,
                start: asked.start,
                end: asked.end,
            };
            server.asked().into_iter().map(visit).collect::<Vec<_>>()
        };
        let mut visits: Vec<Visit> = self.machines.iter().flat_map(of).collect();
        visits.sort_by_key(|visit| visit.start);
        visits
    }

    /// Returns the requests to the host of a URL, in order.
    #[must_use]
    pub fn visits_to(&self, url: &str) -> Vec<Visit> {
        let host = url.split('/').nth(2).unwrap_or_default();
        self.visits().into_iter().filter(|visit| visit.host == host).collect()
    }
}

/// A host that refuses connections.
pub struct DownHost {
    address: SocketAddr,
    script: Script,
}

impl std::fmt::Debug for DownHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DownHost").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Returns the function by which a server answers.
fn scripted(script: Script) -> impl Fn(&Asked) -> Reply + Send + Sync + 'static {
    let asked_before = AtomicUsize::new(0);
    move |asked: &Asked| {
        let authority = asked.header("host");
        let host = authority.split(':').next().unwrap_or_default();
        let is_page = asked.path != "/robots.txt";
        let before = asked_before.fetch_add(usize::from(is_page), Ordering::SeqCst);
        script(&Request { host, authority, path: &asked.path, before })
    }
}

/// Makes a connection fail. The request stays unread, so closing it resets the connection.
fn fail(mut stream: TcpStream, trouble: &Trouble) {
    // A client that never speaks must not hold up the others.
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let _ = stream.peek(&mut [0]);
    if let Trouble::ResetAfter(bytes) = trouble {
        let _ = stream.write_all(bytes);
    }
}

/// Passes bytes on between a client and a server, in both directions.
fn forward(client: &TcpStream, to: SocketAddr) {
    let Ok(server) = TcpStream::connect(to) else { return };
    for (from, to) in [(client, &server), (&server, client)] {
        if let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) {
            std::thread::spawn(move || {
                let mut buffer = [0; 4_096];
                while let Ok(read @ 1..) = from.read(&mut buffer) {
                    if to.write_all(&buffer[..read]).is_err() {
                        break;
                    }
                }
                let _ = to.shutdown(std::net::Shutdown::Write);
            });
        }
    }
}
