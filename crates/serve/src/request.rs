//! Requests, read from a connection.

use std::io::{self, Read};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Greatest length of the head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// Greatest number of headers in a request.
const MAX_HEADERS: usize = 64;

/// The head of a request. Bodies are not read.
#[derive(Debug)]
pub struct Request<'a> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// The request target: a path with its query, or a whole URL if this server is a proxy.
    pub target: &'a str,
    /// The local address that received the request.
    pub local: SocketAddr,
    /// The address of the client.
    pub peer: SocketAddr,
    /// The time at which the head was complete.
    pub arrived: Instant,
    headers: &'a [httparse::Header<'a>],
    /// The minor version of HTTP: 0 for HTTP/1.0, 1 for HTTP/1.1.
    version: u8,
}

impl Request<'_> {
    /// Returns the value of a header, if the header is present and is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |(own, _): &(&str, &[u8])| own.eq_ignore_ascii_case(name);
        let (_, value) = self.headers().find(named)?;
        std::str::from_utf8(value).ok().map(str::trim)
    }

    /// Returns all headers, in order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers.iter().map(|header| (header.name, header.value))
    }

    /// Returns true if the client wants the connection closed after this request.
    pub(crate) fn closes(&self) -> bool {
        match self.header("connection") {
            Some(value) if value.eq_ignore_ascii_case("close") => true,
            Some(value) if value.eq_ignore_ascii_case("keep-alive") => false,
            _ => self.version == 0,
        }
    }
}

/// The reason why there is no request.
#[derive(Debug)]
pub(crate) enum NoRequest {
    /// The client closed the connection, was too slow, or the connection broke.
    Gone,
    /// The bytes are not an HTTP request.
    Broken,
}

impl From<io::Error> for NoRequest {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
}

/// Reads the next request of a connection and passes it to `answer`. Bytes after the request stay
/// in the buffer.
pub(crate) fn next<T>(
    stream: &mut impl Read,
    buffer: &mut Vec<u8>,
    ends: Ends,
    longest: Duration,
    answer: impl FnOnce(&Request<'_>) -> T,
) -> Result<T, NoRequest> {
    let begin = Instant::now();
    let mut chunk = [0; 4_096];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        match head.parse(buffer).map_err(|_| NoRequest::Broken)? {
            httparse::Status::Complete(length) => {
                let request = Request {
                    method: head.method.unwrap_or_default(),
                    target: head.path.unwrap_or_default(),
                    local: ends.local,
                    peer: ends.peer,
                    arrived: Instant::now(),
                    headers: head.headers,
                    version: head.version.unwrap_or(1),
                };
                let answered = answer(&request);
                buffer.drain(..length);
                return Ok(answered);
            }
            httparse::Status::Partial if buffer.len() >= MAX_HEAD => {
                return Err(NoRequest::Broken);
            }
            httparse::Status::Partial => {
                let read = stream.read(&mut chunk)?;
                // Otherwise a client could hold the connection for ever with a byte now and then.
                if read == 0 || begin.elapsed() > longest {
                    return Err(NoRequest::Gone);
                }
                buffer.extend_from_slice(&chunk[..read]);
            }
        }
    }
}
