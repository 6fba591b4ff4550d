//! A parsed page, independent of any vocabulary.

use std::borrow::Cow;

use ontrail_text::{Analyzer, CharsetHints, CharsetSource, charset_of_content_type, decode};
use url::Url;

use crate::analysis::analyze;
use crate::collapse::push_collapsed;
use crate::content::Content;
use crate::declared::declared_charset;
use crate::limits::{Cuts, Limits};
use crate::link::PageLink;
use crate::media::{Media, text_of_pdf};
use crate::metadata::Metadata;
use crate::page::Page;
use crate::paragraph::Paragraph;
use crate::passage::{Passage, Passages};
use crate::render::{Form, render};
use crate::robots::{AgentRobots, RobotsMeta};
use crate::source::Source;
use crate::tags::bound_attributes;
use crate::tree;
use crate::walk::Walk;

/// Number of bytes of main content from which on a page has an article.
const ARTICLE_BYTES: usize = 300;

/// A parsed page: its text in passages, its links, and the metadata in its head.
///
/// A page is parsed once. Any number of analyzers can then find their terms in the result, and
/// code that needs no terms (a text classifier, an export) can use the text directly.
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
    /// The text of `<title>`, with white space collapsed.
    pub title: String,
    /// The language, from the `lang` attribute, a meta declaration, or a guess by script.
    pub language: Option<String>,
    /// The charset's name in the Encoding Standard.
    pub charset: &'static str,
    /// The evidence by which the charset was chosen.
    pub charset_source: CharsetSource,
    /// True if some bytes are invalid in that charset.
    pub damaged: bool,
    /// The page's canonical URL, if its head declares one.
    pub canonical: Option<Url>,
    /// The page's instructions to all crawlers.
    pub robots: RobotsMeta,
    /// The page's instructions to single crawlers.
    pub agent_robots: AgentRobots,
    /// The author, date, site and lead image that the page declares.
    pub metadata: Metadata,
    /// The links, in page order.
    pub links: Vec<PageLink>,
    /// The limits that the page exceeded.
    pub cuts: Cuts,
    /// All text in which terms are found, including that of the head.
    pub passages: Passages,
    /// The paragraphs of the body, in page order.
    pub(crate) paragraphs: Vec<Paragraph>,
    pub(crate) divs: Vec<Div>,
}

/// A `<div>`. The first one stands for the page outside every `<div>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Div {
    /// True if it contains another `<div>`.
    pub(crate) has_inner: bool,
    /// True if it contains a link that is in none of its inner ones.
    pub(crate) has_link: bool,
}

impl Html {
    /// Parses a page within the default [`Limits`]. Never fails: bytes that are not HTML give a
    /// page with little in it. Plain text, Markdown, feeds and PDF are read as pages too; see
    /// [`Media`].
    #[must_use]
    pub fn parse(bytes: &[u8], source: Source<'_>) -> Self {
        Self::parse_media(bytes, source, Media::of(bytes, source.content_type))
    }

    fn parse_media(bytes: &[u8], source: Source<'_>, media: Media) -> Self {
        let limits = Limits::default();
        let whole = bytes.len() <= limits.bytes;
        let bytes = &bytes[..bytes.len().min(limits.bytes)];
        if media == Media::Pdf {
            let text = text_of_pdf(bytes);
            let as_text = Source { content_type: Some("text/plain; charset=utf-8"), ..source };
            let html = Self::parse_media(text.as_bytes(), as_text, Media::Plain);
            return Self { cuts: Cuts { bytes: !whole || html.cuts.bytes, ..html.cuts }, ..html };
        }
        let hints = CharsetHints {
            header: source.content_type.and_then(charset_of_content_type),
            declared: declared_charset(bytes).filter(|_| media.declares_charset()),
        };
        let decoded = decode(bytes, hints);
        let as_html = media.html(&decoded.text);
        let (html, attributes_cut) = bound_attributes(&as_html, limits.attributes);
        let tree = tree::parse(&html, &limits);
        let cuts = Cuts { bytes: !whole, attributes: attributes_cut, ..tree.cuts };
        let walk = Walk::new(&tree, &limits, source.url, decoded.charset);
        let mut html = if media == Media::Html { walk } else { walk.all_main() }.html();
        html.cuts = Cuts { links: html.cuts.links, ..cuts };
        html.charset_source = decoded.source;
        // A page cut at the limit may end inside a character; that does not count as damage.
        let intact = decoded.text.trim_end_matches('\u{fffd}');
        html.damaged = decoded.damaged && (whole || intact.contains('\u{fffd}'));
        html
    }

    /// Finds the terms of `analyzer` on the page.
    #[must_use]
    pub fn analyze(&self, analyzer: &Analyzer) -> Page {
        self.analyze_content(analyzer, Content::Page)
    }

    /// Finds the terms of `analyzer` in the head and in the chosen part of the body. Links have
    /// their terms whatever part they are in.
    #[must_use]
    pub fn analyze_content(&self, analyzer: &Analyzer, content: Content) -> Page {
        analyze(self, analyzer, self.is_main_chosen(content))
    }

    /// Returns the readable text, one line per block-level element.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_of(Content::Page)
    }

    /// Returns the text of the chosen part of the body, one line per block-level element.
    #[must_use]
    pub fn text_of(&self, content: Content) -> String {
        let only_main = self.is_main_chosen(content);
        let mut text = String::new();
        for passage in self.passages.iter() {
            if if only_main { passage.is_main() } else { passage.is_in_body() } {
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

    /// Returns the main content as plain text: a blank line between paragraphs, one line per item
    /// of a list and per row of a table.
    ///
    /// ```
    /// # use ontrail_page::{Html, Source};
    /// let page = "<h2>Rain</h2><p>It rained all night, and the river rose.<ul><li>Stay in.</ul>";
    /// let html = Html::parse(page.as_bytes(), Source::default());
    /// let text = "It rained all night, and the river rose.\n\n";
    /// assert_eq!(html.main_text(), format!("Rain\n\n{text}- Stay in."));
    /// assert_eq!(html.main_markdown(), format!("## Rain\n\n{text}- Stay in."));
    /// ```
    #[must_use]
    pub fn main_text(&self) -> String {
        self.rendered(Content::Main, Form::Plain)
    }

    /// Returns the main content as Markdown (GFM), with headings, lists, quotations, code and
    /// tables. Text that looks like markup is escaped.
    #[must_use]
    pub fn main_markdown(&self) -> String {
        self.rendered(Content::Main, Form::Markdown)
    }

    /// Returns the chosen part of the body as a text that shows its structure.
    #[must_use]
    pub fn rendered(&self, content: Content, form: Form) -> String {
        render(self, self.is_main_chosen(content), form)
    }

    /// Returns the passages of the head and of the chosen part of the body.
    #[must_use]
    pub fn passages_of(&self, content: Content) -> Cow<'_, Passages> {
        if self.is_main_chosen(content) {
            Cow::Owned(self.passages.only(|passage| passage.is_main() || !passage.is_in_body()))
        } else {
            Cow::Borrowed(&self.passages)
        }
    }

    /// Returns true if only the main content is read. [`Content::Auto`] chooses it if it is long
    /// enough to be an article.
    fn is_main_chosen(&self, content: Content) -> bool {
        match content {
            Content::Main => true,
            Content::Page => false,
            Content::Auto => {
                let main = self.passages.iter().filter(Passage::is_main);
                main.map(|passage| passage.text().trim().len()).sum::<usize>() >= ARTICLE_BYTES
            }
        }
    }
}
