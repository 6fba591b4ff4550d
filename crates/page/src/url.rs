//! Resolves and normalises URLs.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

/// Returns the absolute, canonical URL of a link `href` on a page at `base`.
///
/// `charset` is the charset of the page. Browsers encode the query of a link in it, and a server of
/// GBK pages understands no other. Returns `None` unless the URL is http or https.
///
/// ```
/// # use ontrail_page::resolve;
/// let base = "http://Example.org:80/a/b.html".parse()?;
/// let url = resolve(&base, " ../c%7ed#top ", "UTF-8").unwrap();
/// assert_eq!(url.as_str(), "http://example.org/c~d");
/// assert!(resolve(&base, "javascript:void(0)", "UTF-8").is_none());
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn resolve(base: &Url, href: &str, charset: &str) -> Option<Url> {
    let encoding = Encoding::for_label(charset.as_bytes()).unwrap_or(UTF_8);
    let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|text| encoding.encode(text).0;
    let url = Url::options()
        .base_url(Some(base))
        .encoding_override(Some(encode))
        .parse(href.trim())
        .ok()?;
    let usable = matches!(url.scheme(), "http" | "https") && url.host().is_some();
    usable.then(|| normalise(url))
}

/// Returns the canonical URL (RFC 3986, section 6): scheme and host in lower case, IDN in punycode;
/// without default port, dot segments and fragment; percent-encoded bytes in upper case, and
/// decoded where encoding is unnecessary. The order of the query is kept.
#[must_use]
pub fn normalise(mut url: Url) -> Url {
    // The parser has already handled case, port, punycode and dot segments.
    url.set_fragment(None);
    if let Some(path) = tidy_percent(url.path()) {
        url.set_path(&path);
    }
    if let Some(query) = url.query().and_then(tidy_percent) {
        url.set_query(Some(&query));
    }
    let undotted = url.host_str().and_then(|host| host.strip_suffix('.')).map(str::to_owned);
    if let Some(host) = undotted {
        // This fails only for an empty host, and then the URL stays as it is.
        let _ = url.set_host(Some(&host));
    }
    url
}

/// Returns `text` with its percent-encoding normalised, or `None` if nothing changes.
fn tidy_percent(text: &str) -> Option<String> {
    memchr::memchr(b'%', text.as_bytes())?;
    let bytes = text.as_bytes();
    let mut tidy = Vec::with_capacity(bytes.len());
    let mut position = 0;
    while position < bytes.len() {
        match encoded_byte(&bytes[position..]) {
            // Right after a stray `%`, a decoded byte would become part of another code.
            Some(byte) if is_unreserved(byte) && !tidy.iter().rev().take(2).any(|&b| b == b'%') => {
                tidy.push(byte);
            }
            Some(_) => {
                tidy.push(b'%');
                tidy.extend(bytes[position + 1..position + 3].to_ascii_uppercase());
            }
            None => {
                tidy.push(bytes[position]);
                position += 1;
                continue;
            }
        }
        position += 3;
    }
    let tidy = String::from_utf8(tidy).ok()?;
    (tidy != text).then_some(tidy)
}

fn encoded_byte(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    Some(digit(*high)? * 16 + digit(*low)?)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(href: &str, charset: &str) -> Option<String> {
        let base = "http://www.example.org/news/2021/a.html?x=1".parse().unwrap();
        resolve(&base, href, charset).map(String::from)
    }

    #[test]
    fn resolved_urls_are_absolute_and_canonical() {
        for (href, expected) in [
            ("b.html", Some("http://www.example.org/news/2021/b.html")),
            ("/", Some("http://www.example.org/")),
            ("?p=2", Some("http://www.example.org/news/2021/a.html?p=2")),
            ("//Other.Example.ORG:80/./x/../y", Some("http://other.example.org/y")),
            ("https://example.org:443", Some("https://example.org/")),
            ("/%e6%9a%b4?q=%7Ea%2f", Some("http://www.example.org/%E6%9A%B4?q=~a%2F")),
            ("http://例子.测试/", Some("http://xn--fsqu00a.xn--0zwm56d/")),
            ("http://example.org./x", Some("http://example.org/x")),
            ("#top", Some("http://www.example.org/news/2021/a.html?x=1")),
            ("100%", Some("http://www.example.org/news/2021/100%")),
            ("mailto:a@example.org", None),
            ("javascript:;", None),
            ("data:text/html,x", None),
            ("http://", None),
            ("http://[::1", None),
        ] {
            assert_eq!(resolved(href, "UTF-8").as_deref(), expected, "{href}");
        }
    }

    #[test]
    fn the_query_is_encoded_in_the_charset_of_the_page() {
        let utf8 = resolved("/s?wd=暴雨", "UTF-8").unwrap();
        assert_eq!(utf8, "http://www.example.org/s?wd=%E6%9A%B4%E9%9B%A8");
        let gbk = resolved("/s?wd=暴雨", "GBK").unwrap();
        assert_eq!(gbk, "http://www.example.org/s?wd=%B1%A9%D3%EA");
        // Paths are UTF-8, whatever the charset of the page.
        assert_eq!(resolved("/雨", "GBK").unwrap(), "http://www.example.org/%E9%9B%A8");
    }

    #[test]
    fn normalising_twice_changes_nothing() {
        for url in [
            "http://a.example/%7e%41%2f?%7e=%zz%",
            "http://a.example./%2e%2e/b#c",
            "http://a.example/%%34%31",
        ] {
            let once = normalise(url.parse().unwrap());
            assert_eq!(normalise(once.clone()), once);
        }
    }
}
