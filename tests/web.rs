//! A web to crawl: servers on loopback addresses that answer as a test says, well or badly.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ontrail_serve::{Answer, Limits, Request, Then};

/// The longest that a connection is served.
const LONGEST: Duration = Duration::from_mins(1);

/// A request that came.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The path and the query.
    pub path: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// When it came.
    pub start: Instant,
    /// When the answer was sent.
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

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }
}

/// What to answer.
#[derive(Debug, Clone)]
pub enum Reply {
    /// An answer with a status, headers and a body; its length is said.
    Http(u16, Vec<(String, String)>, Vec<u8>),
    /// These bytes, and then the connection is closed.
    Raw(Vec<u8>),
    /// These bytes, and then one more each time, for as long as anyone listens.
    Drip(Vec<u8>, Duration),
    /// These bytes, and then a kilobyte again and again.
    Endless(Vec<u8>),
    /// Nothing, for so long.
    Silence(Duration),
}

impl Reply {
    /// A page of HTML.
    #[must_use]
    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::typed("text/html; charset=utf-8", body)
    }

    /// A body of some type.
    #[must_use]
    pub fn typed(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Http(200, vec![("Content-Type".into(), kind.into())], body.into())
    }

    /// A redirect.
    #[must_use]
    pub fn to(location: &str) -> Self {
        Self::Http(302, vec![("Location".into(), location.into())], Vec::new())
    }

    /// A status and nothing else.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Http(status, Vec::new(), Vec::new())
    }
}

/// A server on a loopback address.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Serves for as long as it is there; none if it only speaks.
    _serving: Option<ontrail_serve::Server>,
}

impl Server {
    /// Starts one at an address such as 127.0.0.2, on a port that is free. It answers each path
    /// as `reply` says.
    ///
    /// # Panics
    ///
    /// When nothing can listen there.
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

    /// Starts one that speaks before it is spoken to: whoever connects gets these bytes.
    ///
    /// # Panics
    ///
    /// When nothing can listen there.
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

    /// The address of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What was asked so far, in order.
    ///
    /// # Panics
    ///
    /// When a reply panicked.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("replies do not panic").clone()
    }

    /// The paths that were asked for so far, robots.txt aside.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let paths = self.asked().into_iter().map(|asked| asked.path);
        paths.filter(|path| path != "/robots.txt").collect()
    }
}

/// Answers a request, notes when that was done, and says whether the connection goes on.
fn answer(
    reply: &dyn Fn(&Asked) -> Reply,
    mut asked: Asked,
    log: &Mutex<Vec<Asked>>,
    out: &mut dyn Write,
) -> std::io::Result<Then> {
    let then = send(reply(&asked), out);
    asked.end = Instant::now();
    if let Ok(mut log) = log.lock() {
        log.push(asked);
    }
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
