//! The headers of a request: every host gets the crawler's own, and only some hosts get secrets.

use std::collections::BTreeMap;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::{Host, Url};

use super::live::LiveError;
use crate::scope::site;
use crate::secrets::is_harmless_header;
use crate::settings::FetchSettings;

/// Headers that are sent besides those that the user sets.
const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.5,*/*;q=0.1";
const ENCODINGS: &str = "gzip, deflate, br, zstd";

/// The headers that the crawler sends.
#[derive(Debug)]
pub(crate) struct Headers {
    /// The headers that every host gets.
    pub(crate) open: HeaderMap,
    /// The credentials for the proxy, which no host gets.
    pub(crate) proxy: Option<HeaderValue>,
    /// The headers for the sites of the seeds.
    home: HeaderMap,
    /// The sites of the seeds. The value is true if a seed uses http, so that the user has agreed
    /// to send the secrets in the clear.
    sites: BTreeMap<String, bool>,
    /// The headers for single hosts and the hosts below them, the shortest name first, so that the
    /// most specific one counts.
    hosts: Vec<(Host<String>, HeaderMap)>,
}

impl Headers {
    pub(crate) fn new(settings: &FetchSettings, seeds: &[Url]) -> Result<Self, LiveError> {
        let (mut open, mut home, mut proxy) = (HeaderMap::new(), HeaderMap::new(), None);
        let agent = settings.full_agent();
        let own =
            [("user-agent", agent.as_str()), ("accept", ACCEPT), ("accept-encoding", ENCODINGS)];
        let given = settings.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in own.into_iter().chain(given) {
            let (name, value) = header(name, value)?;
            if name == "proxy-authorization" {
                proxy = Some(value);
            } else if is_harmless_header(name.as_str()) {
                open.insert(name, value);
            } else {
                home.insert(name, value);
            }
        }
        if proxy.is_some() && settings.proxy.is_none() {
            return Err(LiveError::NoProxy);
        }
        let mut sites = BTreeMap::new();
        for seed in seeds {
            let Some(site) = site(seed) else { continue };
            *sites.entry(site.to_owned()).or_default() |= seed.scheme() == "http";
        }
        Ok(Self { open, proxy, home, sites, hosts: hosts(settings)? })
    }

    /// Returns the secret headers that belong to a URL.
    pub(crate) fn secrets(&self, url: &Url) -> HeaderMap {
        let is_plain = url.scheme() != "https";
        let is_home = site(url).and_then(|site| self.sites.get(site));
        let is_home = is_home.is_some_and(|&may_be_plain| may_be_plain || !is_plain);
        let mut found = if is_home { self.home.clone() } else { HeaderMap::new() };
        for (_, headers) in self.hosts.iter().filter(|(host, _)| is_at(url, host)) {
            found.extend(headers.clone());
        }
        found
    }
}

/// Returns true if a URL's host is a host or below it.
fn is_at(url: &Url, host: &Host<String>) -> bool {
    match (url.host(), host) {
        (Some(Host::Domain(own)), Host::Domain(host)) => {
            let above = own.strip_suffix(host.as_str());
            above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
        }
        (Some(own), host) => own.to_owned() == *host,
        (None, _) => false,
    }
}

fn hosts(settings: &FetchSettings) -> Result<Vec<(Host<String>, HeaderMap)>, LiveError> {
    let mut hosts = Vec::new();
    for (host, given) in &settings.headers_for {
        let parsed = Host::parse(host).map_err(|_| LiveError::HeaderHost(host.clone()))?;
        let headers = given.iter().map(|(name, value)| header(name, value));
        hosts.push((parsed, headers.collect::<Result<HeaderMap, _>>()?));
    }
    hosts.sort_by_key(|(host, _)| host.to_string().len());
    Ok(hosts)
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), LiveError> {
    let wrong = || LiveError::Header(name.to_owned());
    let key = HeaderName::try_from(name).map_err(|_| wrong())?;
    let mut value = HeaderValue::try_from(value).map_err(|_| wrong())?;
    // Keeps the value out of debug output and out of the compression tables of HTTP/2.
    value.set_sensitive(!is_harmless_header(name));
    Ok((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> Headers {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let settings = FetchSettings {
            headers: [pair("Authorization", "home"), pair("Accept-Language", "zh")].into(),
            headers_for: [
                ("api.example".to_owned(), [pair("X-Api-Key", "outer")].into()),
                ("v1.api.example".to_owned(), [pair("X-Api-Key", "inner")].into()),
                ("127.0.0.9".to_owned(), [pair("Cookie", "id=1")].into()),
            ]
            .into(),
            ..FetchSettings::default()
        };
        let seeds = ["https://www.a.co.uk/", "http://b.example/"].map(|url| url.parse().unwrap());
        Headers::new(&settings, &seeds).unwrap()
    }

    #[test]
    fn secrets_go_to_the_sites_of_the_seeds_only() {
        let headers = headers();
        assert_eq!(headers.open.get("accept-language").unwrap(), "zh");
        assert!(!headers.open.contains_key("authorization"));
        for (url, expected) in [
            ("https://www.a.co.uk/x", true),
            ("https://a.co.uk:8443/", true),
            ("https://other.co.uk/", false),
            ("https://nota.co.uk/", false),
            // The seed uses https, so nothing is sent in the clear.
            ("http://www.a.co.uk/", false),
            ("http://b.example/", true),
            ("https://c.b.example/", true),
            ("http://b.example.evil.example/", false),
        ] {
            let found = headers.secrets(&url.parse().unwrap());
            assert_eq!(found.contains_key("authorization"), expected, "{url}");
        }
    }

    #[test]
    fn a_header_for_a_host_goes_to_it_and_to_the_hosts_below_it() {
        let headers = headers();
        let key = |url: &str| {
            let found = headers.secrets(&url.parse().unwrap());
            found.get("x-api-key").map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(key("http://api.example/").as_deref(), Some("outer"));
        assert_eq!(key("http://v2.api.example/").as_deref(), Some("outer"));
        assert_eq!(key("http://x.v1.api.example/").as_deref(), Some("inner"));
        assert_eq!(key("http://notapi.example/"), None);
        assert!(headers.secrets(&"http://127.0.0.9/".parse().unwrap()).contains_key("cookie"));
        assert!(headers.secrets(&"http://127.0.0.8/".parse().unwrap()).is_empty());
        assert_eq!(format!("{:?}", headers.home), "{\"authorization\": Sensitive}");
    }
}
