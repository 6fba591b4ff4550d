//! The web, whichever: the live one, one that lies in archives, or one that lies in a folder.
//!
//! All three answer the same question, so a crawl and an experiment run the same code. The live one may be left
//! out (feature `live`).

mod archive;
mod folder;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "live")]
mod resolver;

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::{SystemTime, UNIX_EPOCH};

use url::Url;

pub use archive::ArchiveWeb;
pub use folder::{FolderError, FolderWeb};
#[cfg(feature = "live")]
pub use live::{LiveError, LiveWeb};

/// A place where addresses can be asked for.
pub trait Web: Send + Sync {
    /// Asks for an address. A body of a type that is not wanted is left out, one that is longer than the limit cut.
    fn fetch<'a>(&'a self, url: &'a Url, wants: Wants<'a>, limit: usize) -> Fetching<'a>;

    /// Takes the next time at which the machine behind an address may be asked, if that is now; otherwise says when,
    /// in milliseconds since 1970. A machine that is not known yet waits in [`Web::fetch`].
    fn claim(&self, _url: &Url) -> Option<u64> {
        None
    }

    /// Whether time passes there: an offline web answers at once, always the same, and is never annoyed.
    fn is_live(&self) -> bool;
}

/// An answer on its way.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + 'a>>;

/// Whether a media type is wanted.
pub type Wants<'a> = &'a (dyn Fn(Option<&str>) -> bool + Send + Sync);

/// What a server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The head of the request as it was sent; empty if none was.
    pub request: Vec<u8>,
    /// The head of the answer, up to and with the empty line.
    pub head: Vec<u8>,
    /// The body as it came, freed of chunks but packed as it was.
    pub body: Vec<u8>,
    /// Whether the body was longer than allowed and its end is missing.
    pub is_cut: bool,
    /// Whether the body was left out because its type is not wanted.
    pub is_unwanted: bool,
    /// The machine that answered.
    pub address: Option<IpAddr>,
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

impl Answer {
    /// The value of a header, whatever the case of its name; the first, if there are several.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.and_then(|(_, value)| std::str::from_utf8(value).ok())
    }

    /// Where a redirect leads, as the server writes it.
    #[must_use]
    pub fn location(&self) -> Option<String> {
        let is_redirect = matches!(self.status, 301 | 302 | 303 | 307 | 308);
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case("location"));
        found
            .filter(|_| is_redirect)
            .map(|(_, value)| String::from_utf8_lossy(value).trim().to_owned())
    }
}

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct Failure {
    /// What went wrong, in one word.
    pub kind: FailureKind,
    /// What exactly.
    pub detail: String,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// The host has no address.
    Dns,
    /// The machine is off limits.
    OffLimits,
    /// No connection came about.
    Connect,
    /// The server cannot be trusted, or speaks no TLS.
    Tls,
    /// It took too long.
    Timeout,
    /// The answer is no HTTP, or ends too soon.
    Broken,
    /// The body is too long.
    TooLarge,
    /// An offline web could not be read.
    Unreadable,
}

impl FailureKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Dns,
        Self::OffLimits,
        Self::Connect,
        Self::Tls,
        Self::Timeout,
        Self::Broken,
        Self::TooLarge,
        Self::Unreadable,
    ];

    /// The kind of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in logs and summaries.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::OffLimits => "off-limits",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Broken => "broken",
            Self::TooLarge => "too-large",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether it may go better another time.
    #[must_use]
    pub fn is_passing(self) -> bool {
        matches!(self, Self::Dns | Self::Connect | Self::Timeout | Self::Broken)
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

/// The time, in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

/// The head of an answer in writing.
fn written_head(status: u16, headers: &[(String, Vec<u8>)]) -> Vec<u8> {
    let reason = http::StatusCode::from_u16(status).ok();
    let reason = reason.and_then(|status| status.canonical_reason()).unwrap_or("Unknown");
    let mut head = format!("HTTP/1.1 {status} {reason}\r\n").into_bytes();
    for (name, value) in headers {
        head.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    head.extend(b"\r\n");
    head
}

/// The answer of an offline web that does not hold an address.
fn not_there(time: u64) -> Answer {
    let headers = vec![("Content-Length".to_owned(), b"0".to_vec())];
    Answer {
        status: 404,
        head: written_head(404, &headers),
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
