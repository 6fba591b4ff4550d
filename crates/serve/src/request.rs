//! A request as it comes over a connection.

use std::io::{self, Read};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The longest head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// How many headers a request may have.
const MOST_HEADERS: usize = 64;

/// The head of a request. Bodies are not read.
#[derive(Debug)]
pub struct Request<'a> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// What is asked for: a path with its query, or a whole address where this server is a proxy.
    pub target: &'a str,
    /// The address that the request came to.
    pub local: SocketAddr,
    /// When the head was complete.
    pub arrived: Instant,
    headers: &'a [httparse::Header<'a>],
    /// 0 or 1: of HTTP/1.0 or 1.1.
    version: u8,
}

impl Request<'_> {
    /// The value of a header, if it is there and is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |(own, _): &(&str, &[u8])| own.eq_ignore_ascii_case(name);
        let (_, value) = self.headers().find(named)?;
        std::str::from_utf8(value).ok().map(str::trim)
    }

    /// All headers, in order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers.iter().map(|header| (header.name, header.value))
    }

    /// Whether whoever asks is done after this.
    pub(crate) fn closes(&self) -> bool {
        match self.header("connection") {
            Some(value) if value.eq_ignore_ascii_case("close") => true,
            Some(value) if value.eq_ignore_ascii_case("keep-alive") => false,
            _ => self.version == 0,
        }
    }
}

/// What came instead of a request.
#[derive(Debug)]
pub(crate) enum NoRequest {
    /// The other side is done, or the connection broke.
    Gone,
    /// Something that is no request.
    Broken,
}

impl From<io::Error> for NoRequest {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Reads the next request of a connection and hands it over. What follows it stays in the buffer.
pub(crate) fn next<T>(
    stream: &mut impl Read,
    buffer: &mut Vec<u8>,
    local: SocketAddr,
    longest: Duration,
    answer: impl FnOnce(&Request<'_>) -> T,
) -> Result<T, NoRequest> {
    let begin = Instant::now();
    let mut piece = [0; 4_096];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        match head.parse(buffer).map_err(|_| NoRequest::Broken)? {
            httparse::Status::Complete(length) => {
                let request = Request {
                    method: head.method.unwrap_or_default(),
                    target: head.path.unwrap_or_default(),
                    local,
                    arrived: Instant::now(),
                    headers: head.headers,
                    version: head.version.unwrap_or(1),
                };
                let answered = answer(&request);
                buffer.drain(..length);
                return Ok(answered);
            }
            httparse::Status::Partial if buffer.len() >= LONGEST_HEAD => {
                return Err(NoRequest::Broken);
            }
            httparse::Status::Partial => {
                let read = stream.read(&mut piece)?;
                // Whoever sends a byte now and then would hold the connection for ever.
                if read == 0 || begin.elapsed() > longest {
                    return Err(NoRequest::Gone);
                }
                buffer.extend_from_slice(&piece[..read]);
            }
        }
    }
}
