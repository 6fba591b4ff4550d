//! The one form in which the crawler knows an address.
//!
//! Two addresses of one page are two downloads, so everything that does not change what a server sends is taken
//! away: what RFC 3986 calls equivalent ([`normalise`] does that for every link of a page), credentials, and the
//! parameters by which sites follow people around. The order of the others is kept, since servers may care.

use ontrail_page::normalise;
use url::Url;

/// Parameters that say where a visitor came from or which visit this is, never what page is wanted.
const TRACKING: [&str; 27] = [
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "dclid",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "igshid",
    "jsessionid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "phpsessid",
    "pk_campaign",
    "pk_kwd",
    "spm",
    "srsltid",
    "ttclid",
    "twclid",
    "wbraid",
    "wickedid",
    "yclid",
];

/// Beginnings of such parameters.
const TRACKING_PREFIXES: [&str; 3] = ["aspsessionid", "mtm_", "utm_"];

/// The canonical form of an address of the web; none for other schemes and for hosts that cannot be.
///
/// ```
/// # use ontrail_crawl::canonical;
/// let url = "HTTP://user:pw@Example.ORG:80/a/../b%7e?utm_source=x&id=7&fbclid=y#top".parse()?;
/// assert_eq!(canonical(url).unwrap().as_str(), "http://example.org/b~?id=7");
/// assert!(canonical("ftp://example.org/".parse()?).is_none());
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn canonical(url: Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let mut url = normalise(url);
    // No name has an empty part between its dots.
    if url.host_str()?.split('.').any(str::is_empty) {
        return None;
    }
    // Addresses with a host can always be without credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if let Some(path) = without_session(url.path()) {
        url.set_path(&path);
    }
    if let Some(query) = url.query() {
        let kept = without_tracking(query);
        url.set_query((!kept.is_empty()).then_some(kept.as_str()));
    }
    Some(url)
}

/// A query without the parameters that only track.
fn without_tracking(query: &str) -> String {
    let is_kept =
        |part: &&str| !part.is_empty() && !is_tracking(part.split('=').next().unwrap_or(part));
    query.split('&').filter(is_kept).collect::<Vec<_>>().join("&")
}

fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TRACKING.contains(&name.as_str())
        || TRACKING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The path without the number of a visit that some servers put behind a semicolon.
fn without_session(path: &str) -> Option<String> {
    let start = path.to_ascii_lowercase().find(";jsessionid=")?;
    let end = path[start..].find('/').map_or(path.len(), |length| start + length);
    Some(format!("{}{}", &path[..start], &path[end..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form(url: &str) -> String {
        canonical(url.parse().unwrap()).unwrap().into()
    }

    #[test]
    fn equivalent_addresses_have_one_form() {
        for (url, expected) in [
            ("http://EXAMPLE.org", "http://example.org/"),
            ("http://example.org:80/", "http://example.org/"),
            ("https://example.org:443/a/./b/../c", "https://example.org/a/c"),
            ("http://example.org./%7Ea%2fb", "http://example.org/~a%2Fb"),
            ("http://例子.测试/暴雨", "http://xn--fsqu00a.xn--0zwm56d/%E6%9A%B4%E9%9B%A8"),
            ("http://example.org/?", "http://example.org/"),
            ("http://example.org/?b=2&a=1&&a=1", "http://example.org/?b=2&a=1&a=1"),
            ("http://example.org/#a", "http://example.org/"),
            ("http://u@example.org/", "http://example.org/"),
        ] {
            assert_eq!(form(url), expected);
        }
    }

    #[test]
    fn what_only_tracks_is_dropped() {
        for (url, expected) in [
            ("http://a.example/?UTM_Source=x", "http://a.example/"),
            ("http://a.example/?gclid=1&q=utm_source", "http://a.example/?q=utm_source"),
            ("http://a.example/?spm=1.2&id=3", "http://a.example/?id=3"),
            ("http://a.example/x;jsessionid=1F?a=1", "http://a.example/x?a=1"),
            ("http://a.example/x;JSESSIONID=1F/y", "http://a.example/x/y"),
            ("http://a.example/?ASPSESSIONIDQQ=1&x", "http://a.example/?x"),
            // Names that only look alike are someone's own.
            ("http://a.example/?spmx=1&utm=2&pk_id=3", "http://a.example/?spmx=1&utm=2&pk_id=3"),
        ] {
            assert_eq!(form(url), expected);
        }
    }

    #[test]
    fn other_schemes_have_none() {
        for url in [
            "file:///etc/passwd",
            "data:text/html,x",
            "mailto:a@b.example",
            "javascript:1",
            "ftp://a.example/",
            "http://a..example/",
            "http://../",
        ] {
            assert_eq!(canonical(url.parse().unwrap()), None, "{url}");
        }
    }

    proptest! {
        /// What is in its form already stays as it is.
        #[test]
        fn canonical_twice_is_canonical_once(url in "https?://[a-z.%0-9]{1,12}(:[0-9]{1,4})?/[ -~é暴]{0,40}") {
            if let Some(once) = Url::parse(&url).ok().and_then(canonical) {
                prop_assert_eq!(canonical(once.clone()), Some(once));
            }
        }
    }
}
