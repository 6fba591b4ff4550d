//! Bytes in, [`Page`] out.

use ontrail_text::{Analyzer, CharsetHints, charset_of_content_type, decode};
use url::Url;

use crate::declared::declared_charset;
use crate::limits::{Cuts, Limits};
use crate::page::Page;
use crate::tags::bound_attributes;
use crate::tree;
use crate::walk::Walk;

/// What is known of a page besides its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Source<'a> {
    /// The address it was fetched from. Without one, relative links cannot be resolved and are
    /// left out.
    pub url: Option<&'a Url>,
    /// The `Content-Type` header it came with.
    pub content_type: Option<&'a str>,
}

impl<'a> Source<'a> {
    /// A page fetched from `url`.
    #[must_use]
    pub fn at(url: &'a Url) -> Self {
        Self { url: Some(url), content_type: None }
    }

    /// With the `Content-Type` header it came with.
    #[must_use]
    pub fn with_content_type(mut self, content_type: Option<&'a str>) -> Self {
        self.content_type = content_type;
        self
    }
}

/// Reads pages. Cheap to make, and usable from any number of threads at once.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct PageReader<'a> {
    analyzer: &'a Analyzer,
    limits: Limits,
    keeps_text: bool,
    keeps_passages: bool,
}

impl<'a> PageReader<'a> {
    /// A reader that finds terms with `analyzer`.
    pub fn new(analyzer: &'a Analyzer) -> Self {
        Self { analyzer, limits: Limits::default(), keeps_text: false, keeps_passages: false }
    }

    /// With other bounds than the default ones.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether pages keep their readable text.
    pub fn keeping_text(mut self, keeps_text: bool) -> Self {
        self.keeps_text = keeps_text;
        self
    }

    /// Whether pages keep the passages that their terms were found in, for models that look at more
    /// than terms.
    pub fn keeping_passages(mut self, keeps_passages: bool) -> Self {
        self.keeps_passages = keeps_passages;
        self
    }

    /// Reads a page. Never fails: bytes that are no HTML are a page with little in it.
    #[must_use]
    pub fn read(&self, bytes: &[u8], source: Source<'_>) -> Page {
        let whole = bytes.len() <= self.limits.bytes;
        let bytes = &bytes[..bytes.len().min(self.limits.bytes)];
        let hints = CharsetHints {
            header: source.content_type.and_then(charset_of_content_type),
            declared: declared_charset(bytes),
        };
        let decoded = decode(bytes, hints);
        let (html, attributes_cut) = bound_attributes(&decoded.text, self.limits.attributes);
        let tree = tree::parse(&html, &self.limits);
        let cuts = Cuts { bytes: !whole, attributes: attributes_cut, ..tree.cuts };
        let mut page = Walk::new(&tree, self.analyzer, &self.limits, source.url, decoded.charset)
            .keeping_text(self.keeps_text)
            .keeping_passages(self.keeps_passages)
            .page();
        page.cuts = Cuts { links: page.cuts.links, ..cuts };
        (page.charset, page.charset_source) = (decoded.charset, decoded.source);
        // A page cut at the limit may end inside a character, which is no damage.
        let intact = decoded.text.trim_end_matches('\u{fffd}');
        page.damaged = decoded.damaged && (whole || intact.contains('\u{fffd}'));
        page
    }
}
