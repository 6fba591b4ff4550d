//! The cookies of a crawl: kept for each site apart, and bounded.
//!
//! `cookie_store` knows how a cookie is parsed, which paths it is for and when it expires. What it
//! lacks is added here: cookies for a public suffix such as `co.uk` are refused by the list that
//! the rest of the crawler uses (`psl`; the feature of `cookie_store` wants the list as a file at
//! run time), and there are limits, because a crawl visits any number of sites and each can send
//! any number of cookies. As no cookie is for two sites, each site has a jar of its own, and a
//! request looks only at that one.

use std::collections::HashMap;
use std::sync::Mutex;

use cookie_store::RawCookie;
use reqwest::header::HeaderValue;
use url::{Host, Url};

use crate::scope::site;

/// The longest cookie that is kept, in bytes of its header (RFC 6265, section 6.1).
const LONGEST: usize = 4_096;
/// Maximum number of cookies of a site.
const MOST_OF_SITE: usize = 50;
/// Maximum number of bytes of all cookies. The sites that were visited longest ago lose theirs.
const MOST_BYTES: usize = 64 << 20;

/// Cookies by site.
#[derive(Debug, Default)]
pub(crate) struct Cookies(Mutex<Jars>);

#[derive(Debug, Default)]
struct Jars {
    sites: HashMap<String, Jar>,
    bytes: usize,
    /// Counts uses, to tell which jar was used longest ago.
    uses: u64,
}

#[derive(Debug, Default)]
struct Jar {
    cookies: cookie_store::CookieStore,
    /// The bytes of all cookies that were put in, those included that were replaced since.
    bytes: usize,
    last_use: u64,
}

impl reqwest::cookie::CookieStore for Cookies {
    fn set_cookies(&self, headers: &mut dyn Iterator<Item = &HeaderValue>, url: &Url) {
        let Ok(mut jars) = self.0.lock() else { return };
        jars.put(headers, url, MOST_BYTES);
    }

    fn cookies(&self, url: &Url) -> Option<HeaderValue> {
        let mut jars = self.0.lock().ok()?;
        jars.uses += 1;
        let uses = jars.uses;
        let jar = jars.sites.get_mut(site(url)?)?;
        jar.last_use = uses;
        let pairs = jar.cookies.get_request_values(url);
        let mut pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
        // The jar is a hash table, and requests must not depend on its order.
        pairs.sort_unstable();
        let mut value = HeaderValue::try_from(pairs.join("; ")).ok()?;
        value.set_sensitive(true);
        (!pairs.is_empty()).then_some(value)
    }
}

impl Jars {
    /// Puts cookies into the jar of a URL's site, and empties other jars if there are too many.
    fn put(&mut self, headers: &mut dyn Iterator<Item = &HeaderValue>, url: &Url, most: usize) {
        let Some(site) = site(url) else { return };
        self.uses += 1;
        let jar = self.sites.entry(site.to_owned()).or_default();
        jar.last_use = self.uses;
        let before = jar.bytes;
        for header in headers.take(MOST_OF_SITE) {
            if let Some(cookie) = acceptable(header, url) {
                jar.put(&cookie, header.len(), url);
            }
        }
        self.bytes = self.bytes - before + jar.bytes;
        while self.bytes > most && self.sites.len() > 1 {
            self.empty_oldest();
        }
    }

    fn empty_oldest(&mut self) {
        let oldest = self.sites.iter().min_by_key(|(_, jar)| jar.last_use);
        let Some(oldest) = oldest.map(|(site, _)| site.clone()) else { return };
        let jar = self.sites.remove(&oldest);
        self.bytes -= jar.map_or(0, |jar| jar.bytes);
    }
}

impl Jar {
    /// Puts a cookie in. A full jar takes only new values of cookies that it has; a site that
    /// renews its cookies without end starts again with an empty jar.
    fn put(&mut self, cookie: &RawCookie<'_>, bytes: usize, url: &Url) {
        if self.bytes + bytes > 2 * MOST_OF_SITE * LONGEST {
            *self = Self { last_use: self.last_use, ..Self::default() };
        }
        let is_known = self.cookies.iter_any().any(|own| own.name() == cookie.name());
        let is_full = || self.cookies.iter_any().count() >= MOST_OF_SITE;
        if (is_known || !is_full()) && self.cookies.insert_raw(cookie, url).is_ok() {
            self.bytes += bytes;
        }
    }
}

/// Parses a cookie and returns it if the URL's host may set it.
fn acceptable(header: &HeaderValue, url: &Url) -> Option<RawCookie<'static>> {
    let text = std::str::from_utf8(header.as_bytes()).ok().filter(|it| it.len() <= LONGEST)?;
    let mut cookie = RawCookie::parse(text.to_owned()).ok()?;
    let domain = cookie.domain().map(|it| it.trim_start_matches('.').to_ascii_lowercase());
    let Some(domain) = domain else { return Some(cookie) };
    let is_name = matches!(url.host(), Some(Host::Domain(_)));
    let is_suffix = || psl::suffix_str(&domain).is_none_or(|suffix| suffix == domain);
    if !is_name || is_suffix() {
        // A host may set cookies for itself even if it is a public suffix or an IP address.
        if url.host_str() != Some(&domain) {
            return None;
        }
        cookie.unset_domain();
    }
    Some(cookie)
}

#[cfg(test)]
mod tests {
    use reqwest::cookie::CookieStore;

    use super::*;

    fn set(cookies: &Cookies, url: &str, header: &str) {
        let header = HeaderValue::try_from(header).unwrap();
        cookies.set_cookies(&mut [&header].into_iter(), &url.parse().unwrap());
    }

    fn sent(cookies: &Cookies, url: &str) -> String {
        let value = cookies.cookies(&url.parse().unwrap());
        value.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_cookie_for_a_public_suffix_is_refused() {
        let cookies = Cookies::default();
        for domain in ["co.uk", ".co.uk", "uk", "CO.UK", "other.co.uk", "github.io", "test"] {
            set(&cookies, "http://a.co.uk/", &format!("bad=1; Domain={domain}"));
            set(&cookies, "http://me.github.io/", &format!("bad=1; Domain={domain}"));
            set(&cookies, "http://a.test/", &format!("bad=1; Domain={domain}"));
        }
        set(&cookies, "http://127.0.0.2/", "bad=1; Domain=0.0.2");
        for host in ["a.co.uk", "b.co.uk", "me.github.io", "you.github.io", "a.test", "127.0.0.2"] {
            assert_eq!(sent(&cookies, &format!("http://{host}/")), "", "{host}");
        }
        set(&cookies, "http://www.a.co.uk/", "good=1; Domain=a.co.uk");
        set(&cookies, "http://github.io/", "own=1; Domain=github.io");
        set(&cookies, "http://127.0.0.2/", "own=1; Domain=127.0.0.2");
        assert_eq!(sent(&cookies, "http://b.a.co.uk/"), "good=1");
        assert_eq!(sent(&cookies, "http://b.co.uk/"), "");
        assert_eq!(sent(&cookies, "http://github.io/"), "own=1");
        assert_eq!(sent(&cookies, "http://me.github.io/"), "");
        assert_eq!(sent(&cookies, "http://127.0.0.2/"), "own=1");
    }

    #[test]
    fn paths_expiry_and_secure_are_obeyed() {
        let cookies = Cookies::default();
        set(&cookies, "https://a.example/x/y", "p=1; Path=/x");
        set(&cookies, "https://a.example/", "s=2; Secure");
        set(&cookies, "https://a.example/", "h=3");
        assert_eq!(sent(&cookies, "https://a.example/x/z"), "h=3; p=1; s=2");
        assert_eq!(sent(&cookies, "http://a.example/"), "h=3");
        assert_eq!(sent(&cookies, "http://b.a.example/"), "");
        set(&cookies, "https://a.example/", "h=; Max-Age=0");
        assert_eq!(sent(&cookies, "http://a.example/"), "");
    }

    #[test]
    fn a_site_has_a_bounded_number_of_cookies() {
        let cookies = Cookies::default();
        for number in 0..1_000 {
            set(&cookies, "http://a.example/", &format!("c{number:03}=1"));
        }
        set(&cookies, "http://a.example/", &format!("long={}", "x".repeat(LONGEST)));
        set(&cookies, "http://a.example/", "c007=new");
        let found = sent(&cookies, "http://a.example/");
        assert_eq!(found.split("; ").count(), MOST_OF_SITE);
        assert!(found.contains("c007=new") && !found.contains("long="), "{found}");
        // One cookie that is set again and again does not grow either.
        for number in 0..1_000 {
            set(&cookies, "http://a.example/", &format!("c001={}{number}", "x".repeat(4_000)));
        }
        assert!(cookies.0.lock().unwrap().bytes <= 2 * MOST_OF_SITE * LONGEST);
    }

    #[test]
    fn the_cookies_of_the_site_visited_longest_ago_are_dropped_first() {
        let mut jars = Jars::default();
        let header = HeaderValue::from_static("id=12345");
        for number in 0..100 {
            let url = format!("http://site{number}.example/").parse().unwrap();
            jars.put(&mut [&header].into_iter(), &url, 10 * header.len());
        }
        assert_eq!((jars.sites.len(), jars.bytes), (10, 10 * header.len()));
        assert!(jars.sites.contains_key("site99.example"));
        assert!(!jars.sites.contains_key("site89.example"));
    }
}
