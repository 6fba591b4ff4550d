//! The canonical form of a URL, by which the crawler compares URLs.
//!
//! Two URLs of one page would be two downloads, so everything that does not change the server's
//! response is removed: differences that RFC 3986 calls equivalent ([`normalise`] removes those
//! from every link of a page), credentials, session identifiers and tracking parameters. The order
//! of the other parameters is kept, since it may matter to the server.

use ontrail_page::normalise;
use url::Url;

/// Parameters that say where a visitor came from or identify a session, but never select the page.
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

/// Prefixes of such parameters.
const TRACKING_PREFIXES: [&str; 3] = ["aspsessionid", "mtm_", "utm_"];

/// Returns the canonical form of an http or https URL; none for other schemes and invalid hosts.
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
    // A host name has no empty label between its dots.
    if url.host_str()?.split('.').any(str::is_empty) {
        return None;
    }
    // These calls fail only for URLs without a host.
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

/// Returns the canonical URL that a `Link` header declares (RFC 8288 and RFC 6596), resolved
/// against the URL of the page.
///
/// ```text
/// Link: </a>; rel="canonical", </b>; rel=next
/// ```
pub(crate) fn canonical_target(header: &str, page: &Url) -> Option<Url> {
    let mut rest = header;
    while let Some((target, after)) =
        rest.split_once('<').and_then(|(_, after)| after.split_once('>'))
    {
        let parameters = until_comma(after);
        rest = &after[parameters.len()..];
        if parameters.split(';').any(is_canonical_relation) {
            return page.join(target.trim()).ok();
        }
    }
    None
}

/// Returns the text before the first comma that is not in quotes.
fn until_comma(text: &str) -> &str {
    let mut is_quoted = false;
    let end = text.find(|c| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    });
    &text[..end.unwrap_or(text.len())]
}

/// Returns true for a parameter such as `rel="canonical"`, which may list several relations.
fn is_canonical_relation(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, value)| {
        let relations = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("rel")
            && relations.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case("canonical"))
    })
}

/// Removes tracking parameters from a query.
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

/// Removes the session identifier that some servers put after a semicolon; none if there is none.
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
    fn a_link_header_can_declare_the_canonical_url() {
        let page = "http://a.example/x/y".parse().unwrap();
        for (header, expected) in [
            ("</b>; rel=\"canonical\"", Some("http://a.example/b")),
            ("<http://c.example/>;REL=Canonical", Some("http://c.example/")),
            ("</a,b>; rel=next, <z>; title=\"a, b\"; rel=canonical", Some("http://a.example/x/z")),
            ("</b>; rel=\"next canonical\"", Some("http://a.example/b")),
            ("</b>; rel=next", None),
            ("</b>; title=\"rel=canonical, <c>\"", None),
            ("</b; rel=canonical", None),
            ("", None),
        ] {
            let found = canonical_target(header, &page);
            assert_eq!(found.as_ref().map(Url::as_str), expected, "{header}");
        }
    }

    #[test]
    fn equivalent_urls_have_one_form() {
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
    fn tracking_and_session_parameters_are_removed() {
        for (url, expected) in [
            ("http://a.example/?UTM_Source=x", "http://a.example/"),
            ("http://a.example/?gclid=1&q=utm_source", "http://a.example/?q=utm_source"),
            ("http://a.example/?spm=1.2&id=3", "http://a.example/?id=3"),
            ("http://a.example/x;jsessionid=1F?a=1", "http://a.example/x?a=1"),
            ("http://a.example/x;JSESSIONID=1F/y", "http://a.example/x/y"),
            ("http://a.example/?ASPSESSIONIDQQ=1&x", "http://a.example/?x"),
            // Similar names may select the page.
            ("http://a.example/?spmx=1&utm=2&pk_id=3", "http://a.example/?spmx=1&utm=2&pk_id=3"),
        ] {
            assert_eq!(form(url), expected);
        }
    }

    #[test]
    fn other_schemes_and_invalid_hosts_have_no_canonical_form() {
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
        #[test]
        fn canonical_twice_is_canonical_once(url in "https?://[a-z.%0-9]{1,12}(:[0-9]{1,4})?/[ -~é暴]{0,40}") {
            if let Some(once) = Url::parse(&url).ok().and_then(canonical) {
                prop_assert_eq!(canonical(once.clone()), Some(once));
            }
        }
    }
}
