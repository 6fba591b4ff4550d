//! A web to crawl: servers on loopback addresses that answer as a test says, well or badly.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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
}

impl Server {
    /// Starts one at an address such as 127.0.0.2, on a port that is free. It answers each path as `reply` says.
    ///
    /// # Panics
    ///
    /// When nothing can listen there.
    #[must_use]
    pub fn start(ip: &str, reply: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((ip, 0)).expect("a loopback address can be listened at");
        let address = listener.local_addr().expect("a listener has an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, reply) = (Arc::clone(&asked), Arc::new(reply));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, reply) = (Arc::clone(&log), Arc::clone(&reply));
                std::thread::spawn(move || {
                    // Whoever breaks off, a crawler that is killed among them, is gone.
                    let _ = converse(&stream, reply.as_ref(), &log);
                });
            }
        });
        Self { address, asked }
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
        Self { address, asked: Arc::default() }
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

fn converse(
    stream: &TcpStream,
    reply: &dyn Fn(&Asked) -> Reply,
    log: &Mutex<Vec<Asked>>,
) -> std::io::Result<()> {
    let until = Instant::now() + LONGEST;
    stream.set_read_timeout(Some(LONGEST))?;
    stream.set_write_timeout(Some(LONGEST))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while Instant::now() < until {
        let Some(mut asked) = request(&mut reader)? else { return Ok(()) };
        let goes_on = answer(stream, reply(&asked), until);
        asked.end = Instant::now();
        if let Ok(mut log) = log.lock() {
            log.push(asked);
        }
        if !goes_on? {
            return Ok(());
        }
    }
    Ok(())
}

fn request(reader: &mut impl BufRead) -> std::io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let start = Instant::now();
    let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
            None => return Ok(Some(Asked { path, headers, start, end: start })),
        }
    }
}

/// Answers, and says whether the connection goes on.
fn answer(mut stream: &TcpStream, reply: Reply, until: Instant) -> std::io::Result<bool> {
    match reply {
        Reply::Http(status, headers, body) => {
            let mut head =
                format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
            for (name, value) in headers {
                head += &format!("{name}: {value}\r\n");
            }
            stream.write_all(&[head.as_bytes(), b"\r\n", &body].concat())?;
            Ok(true)
        }
        Reply::Raw(bytes) => {
            stream.write_all(&bytes)?;
            Ok(false)
        }
        Reply::Drip(bytes, every) => {
            stream.write_all(&bytes)?;
            while Instant::now() < until {
                std::thread::sleep(every);
                stream.write_all(b"x")?;
            }
            Ok(false)
        }
        Reply::Endless(bytes) => {
            stream.write_all(&bytes)?;
            while Instant::now() < until {
                stream.write_all(&[b'x'; 1_024])?;
            }
            Ok(false)
        }
        Reply::Silence(time) => {
            std::thread::sleep(time);
            Ok(false)
        }
    }
}
