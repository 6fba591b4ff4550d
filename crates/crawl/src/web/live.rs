//! The live web.

use std::error::Error;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use reqwest::header::HeaderMap;
use reqwest::{Client, Proxy, redirect};
use tokio::time::timeout;
use url::Url;

use super::cookies::Cookies;
use super::dns::Dns;
use super::headers::Headers;
use super::pool::{IDLE, Pool};
use super::resolver::{Guard, Resolver};
use super::{Failure, FailureKind, Fetching, Locating, Response, Wants, Web, format_head, now};
use crate::local_trouble::is_local_trouble;
use crate::off_limits::{Exceptions, InvalidNetwork};
use crate::open_files::OpenFiles;
use crate::ports::Ports;
use crate::settings::{FetchSettings, seconds};

/// Limits on the headers of one response: their number, and their bytes in HTTP/2. In HTTP/1 the
/// client limits the bytes itself.
const MOST_HEADERS: usize = 200;
const MOST_HEADER_BYTES: u32 = 64 << 10;
/// The live web, over HTTP.
#[derive(Debug)]
pub struct LiveWeb {
    /// The client for fetches whose connections are kept, and the one for the others.
    client: Client,
    closing_client: Client,
    pool: Pool,
    resolver: Arc<Resolver>,
    ports: Ports,
    /// The host of the proxy.
    proxy: Option<String>,
    settings: FetchSettings,
    headers: Headers,
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
    /// Headers are for a host whose name is invalid.
    #[error(
        "headers for {0:?}: not a host; give one without scheme and port, such as www.example.org"
    )]
    HeaderHost(String),
    /// There are credentials for a proxy, but no proxy.
    #[error("header Proxy-Authorization: there is no proxy that could get it; give --proxy, too")]
    NoProxy,
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
    /// Names cannot be looked up.
    #[error("cannot set up the DNS client: {0}")]
    Dns(String),
    /// The HTTP client cannot be set up.
    #[error("cannot set up the HTTP client")]
    Client(#[from] reqwest::Error),
}

impl LiveError {
    fn dns(error: impl std::fmt::Display) -> Self {
        Self::Dns(error.to_string())
    }
}

impl LiveWeb {
    /// Sets up the HTTP client for a crawl from some seeds.
    pub fn new(settings: &FetchSettings, seeds: &[Url]) -> Result<Self, LiveError> {
        let contact = settings.contact.as_deref().map(str::trim);
        if contact.is_none_or(|contact| !is_contact(contact)) {
            return Err(LiveError::NoContact);
        }
        let exceptions = Exceptions::parse(settings.allow_private.iter().map(String::as_str))?;
        let dns = Dns::new(settings.dns, seconds(settings.head_timeout)).map_err(LiveError::dns)?;
        let resolver = Arc::new(Resolver::new(exceptions, settings.resolve.clone(), dns));
        let through = settings.proxy.as_deref().map(proxy_url).transpose()?;
        // Fails only if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let headers = Headers::new(settings, seeds)?;
        let certificates = settings.ca_file.as_ref().map(certificates).transpose()?;
        let cookies = settings.cookies.then(Arc::<Cookies>::default);
        let client = |kept_per_host: usize| {
            let guard = Guard { resolver: Arc::clone(&resolver), is_proxy: through.is_some() };
            let mut builder = Client::builder()
                .default_headers(headers.open.clone())
                .redirect(redirect::Policy::none())
                .referer(false)
                .retry(reqwest::retry::never())
                .connect_timeout(seconds(settings.connect_timeout))
                .http1_max_headers(MOST_HEADERS)
                .http2_max_header_list_size(MOST_HEADER_BYTES)
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(kept_per_host)
                .dns_resolver(guard);
            builder = match &through {
                None => builder.no_proxy(),
                Some(url) => builder.proxy(proxy(url, &headers)?),
            };
            if let Some(cookies) = &cookies {
                builder = builder.cookie_provider(Arc::clone(cookies));
            }
            if let Some(certificates) = &certificates {
                builder = builder.tls_certs_merge(certificates.iter().cloned());
            }
            Ok::<Client, LiveError>(builder.build()?)
        };
        let idle = OpenFiles::current().idle_connections(settings.parallel);
        Ok(Self {
            client: client(usize::MAX)?,
            closing_client: client(0)?,
            pool: Pool::new(idle),
            resolver,
            ports: Ports::new(&settings.allow_ports, seeds),
            proxy: through.and_then(|url| url.host_str().map(str::to_owned)),
            settings: settings.clone(),
            headers,
        })
    }

    async fn response(
        &self,
        url: &Url,
        wants: Wants<'_>,
        limit: usize,
    ) -> Result<Response, Failure> {
        let address = self.find(url).await?;
        let (started, time) = (Instant::now(), now());
        let total = seconds(self.settings.total_timeout);
        let late = |what: &str| Failure::new(FailureKind::Timeout, what);
        let keeping = self.pool.keep(&url[..url::Position::AfterPort]);
        let client = if keeping.is_some() { &self.client } else { &self.closing_client };
        let sent = client.get(url.clone()).headers(self.headers.secrets(url)).send();
        let head_time = seconds(self.settings.head_timeout).min(total);
        let response = timeout(head_time, sent).await.map_err(|_| late("no response"))?;
        let mut response = response.map_err(|error| self.failed(&error, url))?;
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

    /// Refuses ports that are off limits, resolves the URL's host, and refuses IP addresses that
    /// are off limits.
    async fn find(&self, url: &Url) -> Result<Option<IpAddr>, Failure> {
        self.check_port(url)?;
        if self.is_left_to_proxy(url) {
            return Ok(None);
        }
        let addresses = self.resolver.addresses(url.host_str().unwrap_or_default()).await?;
        Ok(addresses.first().copied())
    }

    fn check_port(&self, url: &Url) -> Result<(), Failure> {
        let Some(port) = self.ports.refused(url) else { return Ok(()) };
        Err(Failure::new(
            FailureKind::OffLimits,
            format_args!("port {port} is not for web pages; allow it with --allow-port {port}"),
        ))
    }

    /// Returns true if the proxy looks up the URL's host. The crawler itself looks up and checks
    /// literal IP addresses and names of the machine that the proxy runs on, which mean another
    /// machine to the proxy than to the web.
    fn is_left_to_proxy(&self, url: &Url) -> bool {
        let Some(url::Host::Domain(name)) = url.host() else { return false };
        let name = name.trim_end_matches('.');
        let is_local = name == "localhost" || name.ends_with(".localhost");
        self.proxy.as_ref().is_some_and(|proxy| !is_local && proxy != name)
    }

    /// Classifies an error of the HTTP client. A machine without IPv6 has no address to connect
    /// from to an IPv6 address, which is the same error as that of having no local port left.
    fn failed(&self, error: &reqwest::Error, url: &Url) -> Failure {
        let failure = failure(error);
        let known = self.resolver.known(url.host_str().unwrap_or_default());
        let has_ipv6 = known.is_some_and(|it| it.is_ok_and(|it| it.iter().any(IpAddr::is_ipv6)));
        if failure.kind == FailureKind::Local && has_ipv6 && is_no_address(error) {
            return Failure { kind: FailureKind::Connect, ..failure };
        }
        failure
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

    /// Formats the request for the archive, without secrets.
    fn request(&self, url: &Url) -> Vec<u8> {
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let host = ontrail_pilot::host_of(url);
        let mut request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n").into_bytes();
        for (name, value) in &self.headers.open {
            let line = [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"];
            request.extend(line.concat());
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

/// Parses the URL of a proxy. The scheme is required; otherwise a bare word would pass as a proxy.
fn proxy_url(address: &str) -> Result<Url, LiveError> {
    let url = Url::parse(address).ok();
    let is_proxy = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    url.filter(is_proxy).ok_or_else(|| LiveError::Proxy(address.to_owned()))
}

/// Sets up a proxy. It gets the credentials in its URL or in the header for proxies.
fn proxy(url: &Url, headers: &Headers) -> Result<Proxy, LiveError> {
    let proxy = Proxy::all(url.clone())?;
    Ok(match &headers.proxy {
        Some(credentials) => proxy.custom_http_auth(credentials.clone()),
        None => proxy,
    })
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
        if let Some(failure) = inner.downcast_ref().and_then(io_failure) {
            return failure;
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

/// Returns the failure for an I/O error that is trouble of this machine.
fn io_failure(error: &std::io::Error) -> Option<Failure> {
    is_local_trouble(error).then(|| Failure::new(FailureKind::Local, error))
}

/// Returns true if there was no local address or port to connect from.
fn is_no_address(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let mut causes = causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|cause| cause.kind() == std::io::ErrorKind::AddrNotAvailable)
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
        Box::pin(self.find(url))
    }

    fn located(&self, url: &Url) -> Option<Result<Option<IpAddr>, Failure>> {
        if let Err(failure) = self.check_port(url) {
            return Some(Err(failure));
        }
        if self.is_left_to_proxy(url) {
            return Some(Ok(None));
        }
        let known = self.resolver.known(url.host_str().unwrap_or_default())?;
        Some(known.map(|addresses| addresses.first().copied()))
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.resolver.snapshot()).unwrap_or_default()
    }

    fn restore(&self, saved: &[u8]) {
        self.resolver.restore(postcard::from_bytes(saved).unwrap_or_default());
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
        let error = LiveWeb::new(&FetchSettings::default(), &[]).unwrap_err();
        assert!(matches!(error, LiveError::NoContact));
    }

    #[test]
    #[cfg(unix)]
    fn a_process_without_file_descriptors_blames_itself() {
        let error = std::io::Error::from_raw_os_error(rustix::io::Errno::MFILE.raw_os_error());
        let found = io_failure(&error).unwrap();
        assert_eq!((found.kind, found.kind.is_transient()), (FailureKind::Local, true));
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        assert_eq!(io_failure(&refused), None);
    }

    #[test]
    fn header_names_are_capitalised() {
        assert_eq!(title_case("content-type"), "Content-Type");
        assert_eq!(title_case("x--y"), "X--Y");
    }
}
