//! The sources of pages: the live web, web archives, and folders of files.
//!
//! All three implement [`Web`], so a crawl and an experiment run the same code. The live web can be
//! left out of the build (feature `live`).

mod archive;
#[cfg(feature = "live")]
mod cookies;
#[cfg(feature = "live")]
mod dns;
mod folder;
#[cfg(feature = "live")]
mod headers;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "live")]
mod pool;
#[cfg(feature = "live")]
mod resolver;

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::{SystemTime, UNIX_EPOCH};

use url::Url;

pub use archive::ArchiveWeb;
pub(crate) use archive::{milliseconds_of, stored_response};
pub use folder::{FolderError, FolderWeb};
#[cfg(feature = "live")]
pub use live::{LiveError, LiveWeb};

/// A source of pages.
pub trait Web: Send + Sync {
    /// Fetches a URL. The body is left out if `wants` rejects its media type, and truncated to
    /// `limit` bytes if it is longer.
    fn fetch<'a>(&'a self, url: &'a Url, wants: Wants<'a>, limit: usize) -> Fetching<'a>;

    /// Looks up the IP address of a URL's host, and refuses it if the host or the port is off
    /// limits, without connecting. Returns none if there is nothing to look up: on an offline web,
    /// or if a proxy looks up the name.
    fn locate<'a>(&'a self, _url: &'a Url) -> Locating<'a> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Returns the result of [`Web::locate`] if it is known without asking anyone, and none
    /// otherwise.
    fn located(&self, _url: &Url) -> Option<Result<Option<IpAddr>, Failure>> {
        Some(Ok(None))
    }

    /// Returns what a web knows and would have to ask for again after a restart: the IP addresses
    /// of hosts.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes over what [`Web::save`] returned in an earlier run. Bytes that cannot be read are
    /// ignored, since everything in them can be asked for again.
    fn restore(&self, _saved: &[u8]) {}

    /// Returns true for the live web. An offline web responds at once and always the same, and
    /// needs no politeness.
    fn is_live(&self) -> bool;
}

/// A pending look-up.
pub type Locating<'a> = Pin<Box<dyn Future<Output = Result<Option<IpAddr>, Failure>> + Send + 'a>>;

/// A pending response.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Response, Failure>> + Send + 'a>>;

/// A function that returns true for the media types to fetch.
pub type Wants<'a> = &'a (dyn Fn(Option<&str>) -> bool + Send + Sync);

/// An HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The headers, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The head of the request as it was sent; empty for an offline web.
    pub request: Vec<u8>,
    /// The head of the response, up to and including the empty line.
    pub head: Vec<u8>,
    /// The body as received: without chunked coding, but still compressed.
    pub body: Vec<u8>,
    /// True if the body was longer than allowed and its end is missing.
    pub is_cut: bool,
    /// True if the body was left out because its media type is not wanted.
    pub is_unwanted: bool,
    /// The IP address of the server.
    pub address: Option<IpAddr>,
    /// The time of the fetch, in milliseconds since 1970.
    pub time: u64,
    /// The duration of the fetch, in milliseconds.
    pub milliseconds: u64,
}

impl Response {
    /// Returns the value of a header, ignoring the case of its name; the first, if there are
    /// several.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.and_then(|(_, value)| std::str::from_utf8(value).ok())
    }

    /// Returns the values of all headers with a name, ignoring the case of the name.
    pub fn headers_named(&self, name: &str) -> impl Iterator<Item = &str> {
        let found = self.headers.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name));
        found.filter_map(|(_, value)| std::str::from_utf8(value).ok())
    }

    /// Returns the target of a redirect, as the server wrote it.
    #[must_use]
    pub fn location(&self) -> Option<String> {
        let is_redirect = matches!(self.status, 301 | 302 | 303 | 307 | 308);
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case("location"));
        found
            .filter(|_| is_redirect)
            .map(|(_, value)| String::from_utf8_lossy(value).trim().to_owned())
    }
}

/// The reason why there is no usable response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The details.
    pub detail: String,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// The host name could not be looked up: no name server answered, or it reported a failure, or
    /// the host has no IP address.
    Dns,
    /// The host name does not exist.
    NoSuchHost,
    /// The IP address or the port is off limits.
    OffLimits,
    /// The connection failed.
    Connect,
    /// The server's certificate is not trusted, or the server does not speak TLS.
    Tls,
    /// The fetch took too long.
    Timeout,
    /// The response is not valid HTTP, or incomplete.
    Broken,
    /// The body is too long.
    TooLarge,
    /// An offline web cannot be read.
    Unreadable,
    /// This machine has run out of something, such as file descriptors or local ports. The host is
    /// not at fault, and other hosts would fail alike.
    Local,
}

impl FailureKind {
    /// All kinds of failure.
    pub const ALL: [Self; 10] = [
        Self::Dns,
        Self::NoSuchHost,
        Self::OffLimits,
        Self::Connect,
        Self::Tls,
        Self::Timeout,
        Self::Broken,
        Self::TooLarge,
        Self::Unreadable,
        Self::Local,
    ];

    /// Returns the kind with a given name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name of the kind in logs and summaries.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::NoSuchHost => "no-such-host",
            Self::OffLimits => "off-limits",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Broken => "broken",
            Self::TooLarge => "too-large",
            Self::Unreadable => "unreadable",
            Self::Local => "local",
        }
    }

    /// Returns true if a retry may succeed. A name that does not exist now may exist in some days,
    /// but no retry within a crawl will find it.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Dns | Self::Connect | Self::Timeout | Self::Broken | Self::Local)
    }
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Failure {
    fn new(kind: FailureKind, detail: impl std::fmt::Display) -> Self {
        Self { kind, detail: detail.to_string() }
    }
}

/// Returns the current time, in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

/// Formats the head of a response.
fn format_head(status: u16, headers: &[(String, Vec<u8>)]) -> Vec<u8> {
    let reason = http::StatusCode::from_u16(status).ok();
    let reason = reason.and_then(|status| status.canonical_reason()).unwrap_or("Unknown");
    let mut head = format!("HTTP/1.1 {status} {reason}\r\n").into_bytes();
    for (name, value) in headers {
        head.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    head.extend(b"\r\n");
    head
}

/// A web without any pages.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWeb;

impl Web for NoWeb {
    fn fetch<'a>(&'a self, _: &'a Url, _: Wants<'a>, _: usize) -> Fetching<'a> {
        Box::pin(std::future::ready(Ok(not_found(0))))
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// Returns the response of an offline web to a URL that it does not have.
fn not_found(time: u64) -> Response {
    let headers = vec![("Content-Length".to_owned(), b"0".to_vec())];
    Response {
        status: 404,
        head: format_head(404, &headers),
        headers,
        request: Vec::new(),
        body: Vec::new(),
        is_cut: false,
        is_unwanted: false,
        address: None,
        time,
        milliseconds: 0,
    }
}
