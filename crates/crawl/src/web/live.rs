//! The live web.

use std::error::Error;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Proxy, redirect};
use tokio::time::timeout;
use url::Url;

use super::resolver::{Guard, Resolver};
use super::{Failure, FailureKind, Fetching, Locating, Response, Wants, Web, format_head, now};
use crate::off_limits::{Exceptions, InvalidNetwork};
use crate::settings::{FetchSettings, seconds};

/// Headers that are sent besides those that the user sets.
const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.5,*/*;q=0.1";
const ENCODINGS: &str = "gzip, deflate, br, zstd";
/// Limits on the headers of one response: their number, and their bytes in HTTP/2. In HTTP/1 the
/// client limits the bytes itself.
const MOST_HEADERS: usize = 200;
const MOST_HEADER_BYTES: u32 = 64 << 10;
/// Headers that are secrets of the user and must not be written to archives.
const SECRET: [&str; 3] = ["authorization", "proxy-authorization", "cookie"];

/// The live web, over HTTP.
#[derive(Debug)]
pub struct LiveWeb {
    client: Client,
    resolver: Arc<Resolver>,
    settings: FetchSettings,
    headers: HeaderMap,
}

/// A setting with which the live web cannot be crawled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// There is no way to reach the person who runs the crawler.
    #[error(
        "crawling the live web requires a way to reach you: give an e-mail address or a web page \
         with --contact"
    )]
    NoContact,
    /// An exception is not a network.
    #[error("allow-private: {0}")]
    Network(#[from] InvalidNetwork),
    /// A header is invalid.
    #[error("header {0:?}: HTTP does not allow this name or value")]
    Header(String),
    /// A proxy's URL is invalid.
    #[error("proxy {0:?}: not the URL of a proxy; give one such as http://127.0.0.1:3128")]
    Proxy(String),
    /// A file of certificates cannot be read.
    #[error(
        "{path}: cannot read the certificates; the file must be in PEM format",
        path = path.display()
    )]
    Certificates {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The HTTP client cannot be set up.
    #[error("cannot set up the HTTP client")]
    Client(#[from] reqwest::Error),
}

impl LiveWeb {
    /// Sets up the HTTP client.
    pub fn new(settings: &FetchSettings) -> Result<Self, LiveError> {
        let contact = settings.contact.as_deref().map(str::trim);
        if contact.is_none_or(|contact| !is_contact(contact)) {
            return Err(LiveError::NoContact);
        }
        let exceptions = Exceptions::parse(settings.allow_private.iter().map(String::as_str))?;
        let through = settings.proxy.as_deref().and_then(|proxy| Url::parse(proxy).ok());
        let through = through.and_then(|proxy| proxy.host_str().map(str::to_owned));
        let resolver = Arc::new(Resolver::new(exceptions, settings.resolve.clone(), through));
        // Fails only if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let headers = headers(settings)?;
        let mut builder = Client::builder()
            .default_headers(headers.clone())
            .redirect(redirect::Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .cookie_store(settings.cookies)
            .connect_timeout(seconds(settings.connect_timeout))
            .http1_max_headers(MOST_HEADERS)
            .http2_max_header_list_size(MOST_HEADER_BYTES)
            .pool_idle_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(settings.parallel.min(64))
            .dns_resolver(Guard(Arc::clone(&resolver)));
        builder = match &settings.proxy {
            None => builder.no_proxy(),
            Some(address) => builder.proxy(proxy(address)?),
        };
        if let Some(path) = &settings.ca_file {
            builder = builder.tls_certs_merge(certificates(path)?);
        }
        Ok(Self { client: builder.build()?, resolver, settings: settings.clone(), headers })
    }

    async fn response(
        &self,
        url: &Url,
        wants: Wants<'_>,
        limit: usize,
    ) -> Result<Response, Failure> {
        let address = self.admit(url).await?;
        let (started, time) = (Instant::now(), now());
        let total = seconds(self.settings.total_timeout);
        let late = |what: &str| Failure::new(FailureKind::Timeout, what);
        let sent = self.client.get(url.clone()).send();
        let head_time = seconds(self.settings.head_timeout).min(total);
        let response = timeout(head_time, sent).await.map_err(|_| late("no response"))?;
        let mut response = response.map_err(|error| failure(&error))?;
        let address = response.remote_addr().map(|it| it.ip()).or(address);
        let content_type = response.headers().get("content-type").and_then(|it| it.to_str().ok());
        let is_unwanted = response.status().is_success() && !wants(content_type);
        let remaining = total.saturating_sub(started.elapsed());
        let (body, is_cut) = if is_unwanted {
            (Vec::new(), false)
        } else {
            let read = timeout(remaining, self.body(&mut response, limit)).await;
            read.map_err(|_| late("the body took too long"))??
        };
        let status = response.status().as_u16();
        let headers = kept_headers(response.headers(), body.len());
        Ok(Response {
            status,
            head: format_head(status, &headers),
            headers,
            request: self.request(url),
            body,
            is_cut,
            is_unwanted,
            address,
            time,
            milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// Resolves the URL's host and refuses IP addresses that are off limits. A proxy resolves names
    /// itself, so with a proxy only literal IP addresses can be refused.
    async fn admit(&self, url: &Url) -> Result<Option<IpAddr>, Failure> {
        if self.has_no_machine(url) {
            return Ok(None);
        }
        let addresses = self.resolver.addresses(url.host_str().unwrap_or_default()).await?;
        Ok(addresses.first().copied())
    }

    /// Returns true if a proxy resolves the URL's host.
    fn has_no_machine(&self, url: &Url) -> bool {
        self.settings.proxy.is_some() && matches!(url.host(), Some(url::Host::Domain(_)))
    }

    /// Reads the body up to the limit; the flag is true if there was more.
    async fn body(
        &self,
        response: &mut reqwest::Response,
        limit: usize,
    ) -> Result<(Vec<u8>, bool), Failure> {
        let idle = seconds(self.settings.idle_timeout);
        let declared = response.content_length().and_then(|length| usize::try_from(length).ok());
        // A server may declare any length, so at most a megabyte is allocated in advance.
        let mut body = Vec::with_capacity(declared.unwrap_or(0).min(limit).min(1 << 20));
        loop {
            let chunk = timeout(idle, response.chunk()).await;
            let chunk =
                chunk.map_err(|_| Failure::new(FailureKind::Timeout, "the body stalled"))?;
            let Some(chunk) = chunk.map_err(|error| failure(&error))? else {
                return Ok((body, false));
            };
            if body.len() + chunk.len() > limit {
                body.extend_from_slice(&chunk[..limit - body.len()]);
                return Ok((body, true));
            }
            body.extend_from_slice(&chunk);
        }
    }

    /// Formats the request for the archive.
    fn request(&self, url: &Url) -> Vec<u8> {
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let host = ontrail_pilot::host_of(url);
        let mut request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n").into_bytes();
        for (name, value) in &self.headers {
            if !SECRET.contains(&name.as_str()) {
                let line = [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"];
                request.extend(line.concat());
            }
        }
        request.extend(b"\r\n");
        request
    }
}

/// Returns true if a webmaster can reach someone by this text: an e-mail address or a web page.
fn is_contact(contact: &str) -> bool {
    let mail = contact.strip_prefix("mailto:").unwrap_or(contact);
    let is_mail = mail.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !mail.contains(char::is_whitespace)
    });
    let is_page = Url::parse(contact).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    is_mail || is_page
}

fn headers(settings: &FetchSettings) -> Result<HeaderMap, LiveError> {
    let agent = settings.full_agent();
    let own = [("user-agent", agent.as_str()), ("accept", ACCEPT), ("accept-encoding", ENCODINGS)];
    let given = settings.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut headers = HeaderMap::new();
    for (name, value) in own.into_iter().chain(given) {
        let wrong = || LiveError::Header(name.to_owned());
        let key = HeaderName::try_from(name).map_err(|_| wrong())?;
        headers.insert(key, HeaderValue::try_from(value).map_err(|_| wrong())?);
    }
    Ok(headers)
}

/// Parses the URL of a proxy. The scheme is required; otherwise a bare word would pass as a proxy.
fn proxy(address: &str) -> Result<Proxy, LiveError> {
    let wrong = || LiveError::Proxy(address.to_owned());
    let url = Url::parse(address).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong());
    }
    Proxy::all(url).map_err(|_| wrong())
}

fn certificates(path: &PathBuf) -> Result<Vec<reqwest::Certificate>, LiveError> {
    let wrong = |source: Box<dyn Error + Send + Sync>| LiveError::Certificates {
        path: path.clone(),
        source,
    };
    let bytes = std::fs::read(path).map_err(|error| wrong(error.into()))?;
    reqwest::Certificate::from_pem_bundle(&bytes).map_err(|error| wrong(error.into()))
}

/// Returns the headers to store: without chunked coding, and with the length of the stored body.
fn kept_headers(headers: &HeaderMap, length: usize) -> Vec<(String, Vec<u8>)> {
    let is_kept = |name: &str| !matches!(name, "transfer-encoding" | "content-length");
    let mut kept: Vec<(String, Vec<u8>)> = headers
        .iter()
        .filter(|(name, _)| is_kept(name.as_str()))
        .map(|(name, value)| (title_case(name.as_str()), value.as_bytes().to_vec()))
        .collect();
    kept.push(("Content-Length".to_owned(), length.to_string().into_bytes()));
    kept
}

/// Capitalises a header's name as people write it.
fn title_case(name: &str) -> String {
    let part = |part: &str| {
        let (first, rest) = part.split_at(usize::from(!part.is_empty()));
        first.to_ascii_uppercase() + rest
    };
    name.split('-').map(part).collect::<Vec<_>>().join("-")
}

/// Classifies an error of the HTTP client by the deepest cause that is known.
fn failure(error: &reqwest::Error) -> Failure {
    let mut detail = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(failure) = inner.downcast_ref::<Failure>() {
            return failure.clone();
        }
        if is_tls(inner) {
            return Failure::new(FailureKind::Tls, inner);
        }
        detail = inner.to_string();
        cause = inner.source();
    }
    let kind = match () {
        () if error.is_timeout() => FailureKind::Timeout,
        () if error.is_connect() => FailureKind::Connect,
        () => FailureKind::Broken,
    };
    Failure::new(kind, detail)
}

/// Returns true for a TLS error, also if it is wrapped in I/O errors.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>() || wrapped.is_some_and(|inner| is_tls(inner))
}

impl Web for LiveWeb {
    fn fetch<'a>(&'a self, url: &'a Url, wants: Wants<'a>, limit: usize) -> Fetching<'a> {
        Box::pin(self.response(url, wants, limit))
    }

    fn locate<'a>(&'a self, url: &'a Url) -> Locating<'a> {
        Box::pin(self.admit(url))
    }

    fn located(&self, url: &Url) -> Option<Result<Option<IpAddr>, Failure>> {
        if self.has_no_machine(url) {
            return Some(Ok(None));
        }
        let known = self.resolver.known(url.host_str().unwrap_or_default())?;
        Some(known.map(|addresses| addresses.first().copied()))
    }

    fn is_live(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_an_email_address_or_a_web_page() {
        for contact in ["someone@example.org", "mailto:a@b.example", "https://example.org/bot"] {
            assert!(is_contact(contact), "{contact}");
        }
        for contact in ["", "me", "a@b", "@example.org", "a b@example.org", "ftp://example.org/"] {
            assert!(!is_contact(contact), "{contact}");
        }
        let error = LiveWeb::new(&FetchSettings::default()).unwrap_err();
        assert!(matches!(error, LiveError::NoContact));
    }

    #[test]
    fn header_names_are_capitalised() {
        assert_eq!(title_case("content-type"), "Content-Type");
        assert_eq!(title_case("x--y"), "X--Y");
    }
}
