//! What stands on a page, whatever vocabulary it will be read with.

use ontrail_text::{Analyzer, CharsetHints, CharsetSource, charset_of_content_type, decode};
use url::Url;

use crate::analysis::analyze;
use crate::collapse::push_collapsed;
use crate::declared::declared_charset;
use crate::limits::{Cuts, Limits};
use crate::link::Link;
use crate::page::Page;
use crate::passage::Passages;
use crate::robots::RobotsMeta;
use crate::source::Source;
use crate::tags::bound_attributes;
use crate::tree;
use crate::walk::Walk;

/// A parsed page: its text in passages, its links, and what its head says.
///
/// Parsing is done once. Any number of analyzers then find their terms in the result, and whoever needs
/// no terms (a classifier of texts, an export) takes the text as it is.
///
/// ```
/// use ontrail_page::{Html, Source};
/// use ontrail_text::Analyzer;
///
/// let html = Html::parse(b"<title>Storms</title><p>flash floods", Source::default());
/// let phrases = Analyzer::builder().terms(["flash flood"]).build();
/// assert!(html.analyze(&phrases).vocabulary().get("flash flood").is_some());
/// assert!(html.analyze(&Analyzer::new()).vocabulary().get("flood").is_some());
/// assert_eq!(html.text(), "flash floods");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Html {
    /// The text of `<title>`, white space collapsed.
    pub title: String,
    /// The language: the `lang` attribute, a meta declaration, or what the script tells.
    pub language: Option<String>,
    /// The charset's name in the Encoding Standard.
    pub charset: &'static str,
    /// How the charset was learnt.
    pub charset_source: CharsetSource,
    /// Whether some bytes were not of that charset.
    pub damaged: bool,
    /// The page's preferred address, if it names one.
    pub canonical: Option<Url>,
    /// What the page asks of crawlers.
    pub robots: RobotsMeta,
    /// The links, in order.
    pub links: Vec<Link>,
    /// What was left out for being too large.
    pub cuts: Cuts,
    /// All text that terms are found in, the head's included.
    pub passages: Passages,
    pub(crate) divs: Vec<Div>,
}

/// A `<div>`, or the page outside every div, which is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Div {
    /// Whether it holds another.
    pub(crate) has_inner: bool,
    /// Whether a link stands in it and in no inner one.
    pub(crate) has_link: bool,
}

impl Html {
    /// Parses a page, within the default [`Limits`]. Never fails: bytes that are no HTML are a page with
    /// little in it.
    #[must_use]
    pub fn parse(bytes: &[u8], source: Source<'_>) -> Self {
        let limits = Limits::default();
        let whole = bytes.len() <= limits.bytes;
        let bytes = &bytes[..bytes.len().min(limits.bytes)];
        let hints = CharsetHints {
            header: source.content_type.and_then(charset_of_content_type),
            declared: declared_charset(bytes),
        };
        let decoded = decode(bytes, hints);
        let (html, attributes_cut) = bound_attributes(&decoded.text, limits.attributes);
        let tree = tree::parse(&html, &limits);
        let cuts = Cuts { bytes: !whole, attributes: attributes_cut, ..tree.cuts };
        let mut html = Walk::new(&tree, &limits, source.url, decoded.charset).html();
        html.cuts = Cuts { links: html.cuts.links, ..cuts };
        html.charset_source = decoded.source;
        // A page cut at the limit may end inside a character, which is no damage.
        let intact = decoded.text.trim_end_matches('\u{fffd}');
        html.damaged = decoded.damaged && (whole || intact.contains('\u{fffd}'));
        html
    }

    /// Finds the terms of an analyzer on the page.
    #[must_use]
    pub fn analyze(&self, analyzer: &Analyzer) -> Page {
        analyze(self, analyzer)
    }

    /// The readable text, one line per block-level element.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for passage in self.passages.iter() {
            if passage.is_in_body() {
                push_collapsed(&mut text, passage.text(), usize::MAX);
            }
            if passage.ends_paragraph && !text.is_empty() && !text.ends_with('\n') {
                text.truncate(text.trim_end().len());
                text.push('\n');
            }
        }
        text.truncate(text.trim_end().len());
        text
    }
}
