//! Sitemaps: lists of URLs that a site publishes for crawlers (sitemaps.org), plain or compressed.

use std::borrow::Cow;

use ontrail_archive::unpack;
use quick_xml::Reader;
use quick_xml::events::Event;
use url::Url;

/// The limits of a sitemap, by the sitemap protocol.
const MOST_BYTES: usize = 50 << 20;
const MOST_URLS: usize = 50_000;

/// The URLs in a sitemap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sitemap {
    /// URLs of pages.
    pub(crate) pages: Vec<Url>,
    /// URLs of further sitemaps.
    pub(crate) sitemaps: Vec<Url>,
}

impl Sitemap {
    /// Parses a sitemap: XML, or one URL per line. At a syntax error, returns the URLs before it.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let bytes: Cow<'_, [u8]> = if bytes.starts_with(&[0x1f, 0x8b]) {
            Cow::Owned(unpack("gzip", bytes.to_vec(), MOST_BYTES).bytes)
        } else {
            Cow::Borrowed(bytes)
        };
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('<') { Self::parse_xml(text) } else { Self::parse_lines(text) }
    }

    fn parse_lines(text: &str) -> Self {
        let pages = text.lines().filter_map(|line| Url::parse(line.trim()).ok());
        Self { pages: pages.take(MOST_URLS).collect(), sitemaps: Vec::new() }
    }

    fn parse_xml(text: &str) -> Self {
        let mut reader = Reader::from_str(text);
        let mut found = Self::default();
        let (mut is_index, mut location) = (false, None::<String>);
        while found.pages.len() + found.sitemaps.len() < MOST_URLS {
            match reader.read_event() {
                Ok(Event::Start(tag)) => match tag.local_name().as_ref() {
                    b"sitemap" => is_index = true,
                    b"url" => is_index = false,
                    b"loc" => location = Some(String::new()),
                    _ => {}
                },
                Ok(Event::Text(text)) => {
                    if let (Some(location), Ok(text)) = (&mut location, text.unescape()) {
                        location.push_str(&text);
                    }
                }
                Ok(Event::CData(text)) => {
                    if let Some(location) = &mut location {
                        location.push_str(&String::from_utf8_lossy(&text));
                    }
                }
                Ok(Event::End(tag)) if tag.local_name().as_ref() == b"loc" => {
                    let url = location.take().and_then(|it| Url::parse(it.trim()).ok());
                    let list = if is_index { &mut found.sitemaps } else { &mut found.pages };
                    list.extend(url);
                }
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(sitemap: &Sitemap) -> (Vec<&str>, Vec<&str>) {
        let pages = sitemap.pages.iter().map(Url::as_str).collect();
        (pages, sitemap.sitemaps.iter().map(Url::as_str).collect())
    }

    #[test]
    fn pages_and_further_sitemaps_are_distinguished() {
        let pages = Sitemap::parse(
            "\u{feff}<?xml version='1.0'?><urlset xmlns='x'><url><loc> http://a.example/1?a=1&amp;b=2 </loc>\
             <lastmod>2024</lastmod></url><url><loc><![CDATA[http://a.example/暴雨]]></loc></url>\
             <url><loc>nonsense</loc></url></urlset>"
                .as_bytes(),
        );
        let expected = vec!["http://a.example/1?a=1&b=2", "http://a.example/%E6%9A%B4%E9%9B%A8"];
        assert_eq!(shown(&pages), (expected, vec![]));
        let index = Sitemap::parse(
            b"<sitemapindex><sitemap><loc>http://a.example/s.xml.gz</loc></sitemap></sitemapindex>",
        );
        assert_eq!(shown(&index), (vec![], vec!["http://a.example/s.xml.gz"]));
        let lines = Sitemap::parse(b"http://a.example/\r\nhttp://b.example/\n\nnothing\n");
        assert_eq!(shown(&lines).0.len(), 2);
    }

    #[test]
    fn a_broken_sitemap_yields_the_urls_before_the_error() {
        let broken = Sitemap::parse(b"<urlset><url><loc>http://a.example/</loc></url><url><lo");
        assert_eq!(shown(&broken), (vec!["http://a.example/"], vec![]));
        assert_eq!(Sitemap::parse(b""), Sitemap::default());
        assert_eq!(Sitemap::parse(b"\x1f\x8bxx"), Sitemap::default());
        assert_eq!(Sitemap::parse(b"<a><b></a>"), Sitemap::default());
    }

    #[test]
    fn entities_that_a_sitemap_declares_are_never_expanded() {
        let levels = (1..9).map(|level| {
            format!("<!ENTITY e{level} \"{}\">", format!("&e{};", level - 1).repeat(10))
        });
        let bomb = format!(
            "<!DOCTYPE urlset [<!ENTITY e0 \"http://a.example/\">{}]><urlset>\
             <url><loc>&e8;</loc></url><url><loc>http://a.example/1?a=1&amp;b=2</loc></url></urlset>",
            levels.collect::<String>()
        );
        let sitemap = Sitemap::parse(bomb.as_bytes());
        assert_eq!(shown(&sitemap), (vec!["http://a.example/1?a=1&b=2"], vec![]));
    }
}
