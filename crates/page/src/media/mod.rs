//! Formats other than HTML: plain text, Markdown, feeds and PDF.
//!
//! All of them are turned into HTML, which is then parsed like any page. So a page of any format
//! has paragraphs, headings, links and a title, and nothing else has to know about formats.

mod feed;
mod markdown;
mod pdf;
mod plain;

use std::borrow::Cow;

/// Number of bytes at the start of a page in which its format is recognised.
const WINDOW: usize = 1_024;

/// The format of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// HTML or XHTML, and everything that is not recognised.
    Html,
    /// Plain text.
    Plain,
    /// Markdown (`CommonMark` with tables).
    Markdown,
    /// A feed: RSS or Atom.
    Feed,
    /// PDF.
    Pdf,
}

impl Media {
    /// Returns the format of a page by its `Content-Type`, or by its first bytes if that does not
    /// tell: servers send feeds as `text/xml`, and files come without a type.
    #[must_use]
    pub fn of(bytes: &[u8], content_type: Option<&str>) -> Self {
        let named = content_type.unwrap_or_default().split(';').next().unwrap_or_default();
        let start = bytes[..bytes.len().min(WINDOW)].trim_ascii_start();
        match named.trim().to_ascii_lowercase().as_str() {
            "application/pdf" | "application/x-pdf" => Self::Pdf,
            "text/markdown" | "text/x-markdown" => Self::Markdown,
            // Some servers call every file plain text.
            "text/plain" if !is_html(start) => Self::Plain,
            "application/rss+xml" | "application/atom+xml" => Self::Feed,
            "" | "text/xml" | "application/xml" | "application/rdf+xml" if is_feed(start) => {
                Self::Feed
            }
            "" | "application/octet-stream" if start.starts_with(b"%PDF-") => Self::Pdf,
            _ => Self::Html,
        }
    }

    /// Returns the media type that the name of a file stands for; none if it is that of an HTML
    /// page or unknown.
    ///
    /// ```
    /// use ontrail_page::Media;
    ///
    /// assert_eq!(Media::type_of_name("docs/guide.MD"), Some("text/markdown"));
    /// assert_eq!(Media::type_of_name("index.html"), None);
    /// ```
    #[must_use]
    pub fn type_of_name(name: &str) -> Option<&'static str> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some("text/markdown"),
            "rss" => Some("application/rss+xml"),
            "atom" => Some("application/atom+xml"),
            "pdf" => Some("application/pdf"),
            _ => None,
        }
    }

    /// Returns true if a page of this format may declare its charset.
    pub(crate) fn declares_charset(self) -> bool {
        matches!(self, Self::Html | Self::Feed)
    }

    /// Returns a decoded page as HTML. A PDF has no text to decode: see [`text_of_pdf`].
    pub(crate) fn html(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Html | Self::Pdf => Cow::Borrowed(text),
            Self::Plain => Cow::Owned(plain::html(text)),
            Self::Markdown => Cow::Owned(markdown::html(text)),
            Self::Feed => Cow::Owned(feed::html(text)),
        }
    }
}

/// Returns the text of a PDF; none if it cannot be read. A PDF that was cut can often be read,
/// since the reader looks for its objects itself.
pub(crate) fn text_of_pdf(bytes: &[u8]) -> String {
    pdf::text(bytes)
}

fn is_html(start: &[u8]) -> bool {
    let begins = |with: &str| {
        start.get(..with.len()).is_some_and(|own| own.eq_ignore_ascii_case(with.as_bytes()))
    };
    begins("<!doctype html") || begins("<html")
}

fn is_feed(start: &[u8]) -> bool {
    let has = |tag: &[u8]| memchr::memmem::find(start, tag).is_some();
    start.starts_with(b"<")
        && !is_html(start)
        && (has(b"<rss") || has(b"<feed") || has(b"<rdf:RDF"))
}

/// Appends a text to HTML, with its markup escaped.
fn push_escaped(html: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '"' => html.push_str("&quot;"),
            other => html.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised_by_type_and_by_content() {
        let of = |content_type: &str, bytes: &str| Media::of(bytes.as_bytes(), Some(content_type));
        assert_eq!(of("text/html; charset=utf-8", "%PDF-1.4"), Media::Html);
        assert_eq!(of("Application/PDF", ""), Media::Pdf);
        assert_eq!(of("text/markdown; charset=utf-8", "# x"), Media::Markdown);
        assert_eq!(of("text/plain", "a < b"), Media::Plain);
        assert_eq!(of("text/plain", "\n<!DOCTYPE HTML><p>x"), Media::Html);
        assert_eq!(of("application/xml", "<?xml version='1.0'?><rss>"), Media::Feed);
        assert_eq!(of("application/xml", "<svg>"), Media::Html);
        assert_eq!(of("application/atom+xml", ""), Media::Feed);
        assert_eq!(Media::of(b"%PDF-1.7", None), Media::Pdf);
        assert_eq!(Media::of(b"<feed xmlns='x'>", None), Media::Feed);
        assert_eq!(Media::of(b"<html><p>&lt;rss <rss>", None), Media::Html);
        assert_eq!(Media::of(b"", None), Media::Html);
    }
}
