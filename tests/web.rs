//! A web to crawl: servers on loopback addresses whose responses, valid or not, a test defines.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ontrail_serve::{Answer, Limits, Request, Then};

/// Maximum time for which a connection is served.
const LONGEST: Duration = Duration::from_mins(1);

/// A request that the server received.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The path and the query.
    pub path: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The time when it arrived.
    pub start: Instant,
    /// The time when the response was about to be sent; of a response that is not plain HTTP, the
    /// time when the server had done with it.
    pub end: Instant,
}

impl Asked {
    fn of(request: &Request<'_>) -> Self {
        let text = |value: &[u8]| String::from_utf8_lossy(value).trim().to_owned();
        let headers = request.headers();
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), text(value)));
        let (start, path) = (request.arrived, request.target.to_owned());
        Self { path, headers: headers.collect(), start, end: start }
    }

    /// Returns the value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }
}

/// A response.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A status, headers and a body, with a Content-Length.
    Http(u16, Vec<(String, String)>, Vec<u8>),
    /// These bytes; then the connection is closed.
    Raw(Vec<u8>),
    /// These bytes, then single bytes for as long as the client listens.
    Drip(Vec<u8>, Duration),
    /// These bytes, then kilobytes without end.
    Endless(Vec<u8>),
    /// No response for this time.
    Silence(Duration),
}

impl Reply {
    /// Returns an HTML page.
    #[must_use]
    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::typed("text/html; charset=utf-8", body)
    }

    /// Returns a body with a content type.
    #[must_use]
    pub fn typed(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Http(200, vec![("Content-Type".into(), kind.into())], body.into())
    }

    /// Returns a redirect.
    #[must_use]
    pub fn to(location: &str) -> Self {
        Self::Http(302, vec![("Location".into(), location.into())], Vec::new())
    }

    /// Returns a status without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Http(status, Vec::new(), Vec::new())
    }
}

/// A server on a loopback address.
#[derive(Debug)]
pub struct Server {
    /// The address that it listens on.
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// The HTTP server; `None` if raw bytes are sent to every client.
    _serving: Option<ontrail_serve::Server>,
}

impl Server {
    /// Starts a server on an IP address such as 127.0.0.2, on a free port. `reply` makes the
    /// responses.
    ///
    /// # Panics
    ///
    /// If it cannot listen on that address.
    #[must_use]
    pub fn start(ip: &str, reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let ip = ip.parse().expect("an IP address");
        Self::start_at(SocketAddr::new(ip, 0), reply)
    }

    /// Starts one at an address with this port; 0 stands for any that is free.
    ///
    /// # Panics
    ///
    /// When nothing can listen there.
    #[must_use]
    pub fn start_at(
        address: SocketAddr,
        reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).expect("a loopback address can be listened at");
        let address = listener.local_addr().expect("a listener has an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, reply) = (Arc::clone(&asked), Arc::new(reply));
        let limits = Limits { connections: usize::MAX, idle: LONGEST };
        let answer = move |request: &Request<'_>| {
            let asked = Asked::of(request);
            let (log, reply) = (Arc::clone(&log), Arc::clone(&reply));
            ontrail_serve::Reply::Script(Box::new(move |out| answer(&*reply, asked, &log, out)))
        };
        let serving = ontrail_serve::Server::start(vec![listener], limits, answer);
        let serving = Some(serving.expect("threads can be started"));
        Self { address, asked, _serving: serving }
    }

    /// Starts a server that sends these bytes to every client without waiting for a request.
    ///
    /// # Panics
    ///
    /// If it cannot listen on that address.
    #[must_use]
    pub fn blurting(ip: &str, bytes: &'static [u8]) -> Self {
        let listener = TcpListener::bind((ip, 0)).expect("a loopback address can be listened at");
        let address = listener.local_addr().expect("a listener has an address");
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.write_all(bytes);
            }
        });
        Self { address, asked: Arc::default(), _serving: None }
    }

    /// Returns the URL of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests so far, in order.
    ///
    /// # Panics
    ///
    /// If making a response panicked.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("replies do not panic").clone()
    }

    /// Returns the paths requested so far, without robots.txt.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let paths = self.asked().into_iter().map(|asked| asked.path);
        paths.filter(|path| path != "/robots.txt").collect()
    }
}

/// Answers a request, records the time, and returns true if the connection stays open. The time is
/// taken before a response is sent. So the client, which waits after it has received the response,
/// cannot seem to have waited for too short a time because this thread was slow to look at the
/// clock.
fn answer(
    reply: &dyn Fn(&Asked) -> Reply,
    asked: Asked,
    log: &Mutex<Vec<Asked>>,
    out: &mut dyn Write,
) -> std::io::Result<Then> {
    let reply = reply(&asked);
    let is_http = matches!(reply, Reply::Http(..));
    let record = |mut asked: Asked| {
        asked.end = Instant::now();
        if let Ok(mut log) = log.lock() {
            log.push(asked);
        }
    };
    if is_http {
        record(asked);
        return send(reply, out);
    }
    let then = send(reply, out);
    record(asked);
    then
}

fn send(reply: Reply, out: &mut dyn Write) -> std::io::Result<Then> {
    let until = Instant::now() + LONGEST;
    match reply {
        Reply::Http(status, headers, body) => {
            let headers = headers.into_iter().map(|(name, value)| (name, value.into_bytes()));
            Answer { status, headers: headers.collect(), body }.write(out, false)?;
            return Ok(Then::GoOn);
        }
        Reply::Raw(bytes) => out.write_all(&bytes)?,
        Reply::Drip(bytes, every) => {
            out.write_all(&bytes)?;
            while Instant::now() < until {
                std::thread::sleep(every);
                out.write_all(b"x")?;
            }
        }
        Reply::Endless(bytes) => {
            out.write_all(&bytes)?;
            while Instant::now() < until {
                out.write_all(&[b'x'; 1_024])?;
            }
        }
        Reply::Silence(time) => std::thread::sleep(time),
    }
    Ok(Then::Close)
}
