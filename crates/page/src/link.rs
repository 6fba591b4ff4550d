//! The links of a page, and the terms of their anchors and contexts.

use std::ops::Range;

use ontrail_text::TermId;
use url::Url;

use crate::block::BlockId;

/// A link on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// The absolute, canonical URL.
    pub url: Url,
    /// The kind of element that holds the link.
    pub kind: LinkKind,
    /// The anchor text; if the anchor has none, the `alt` or `title` of its image, or else its own
    /// `alt` or `title`.
    pub anchor: String,
    /// The relations named by the `rel` attribute.
    pub rel: Rel,
    /// The tags above the link with their classes, the nearest last: `div.content>ul.list>li`.
    pub path: String,
    /// True if the link is in the main content of the page.
    pub in_main: bool,
    pub(crate) place: LinkPlace,
}

/// The position of a link in the text of its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkPlace {
    /// The passages of the anchor.
    pub(crate) passages: Range<usize>,
    /// The passages of the block-level element around the link.
    pub(crate) paragraph: Range<usize>,
    /// The number of the innermost div around the link.
    pub(crate) div: u32,
    /// True if the anchor text is an `alt` or `title`, which is in none of the passages.
    pub(crate) is_captioned: bool,
}

impl LinkPlace {
    /// Returns true if any passage of the link is marked. A picture that is a link has no passages
    /// of its own: its paragraph decides.
    pub(crate) fn is_in(&self, marked: &[bool]) -> bool {
        let near = if self.passages.is_empty() { &self.paragraph } else { &self.passages };
        marked[near.clone()].contains(&true)
    }
}

/// The terms of a link's anchor and context, as one analyzer finds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTerms {
    /// The terms of the anchor, in order, with repetitions.
    pub anchor: Vec<TermId>,
    /// The terms around the link, without those of the anchor: the terms of the block-level element
    /// around it; if that holds nothing else or more than 200 words, the terms within 20 words of
    /// the link in the same content block.
    pub context: Vec<TermId>,
    /// The content block that holds the link.
    pub block: BlockId,
}

/// The kind of element that holds a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// `<a href>`.
    Anchor,
    /// `<area href>` in an image map.
    Area,
    /// `<frame src>` or `<iframe src>`.
    Frame,
    /// `<meta http-equiv=refresh>`.
    Refresh,
}

/// The values of a `rel` attribute that matter to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Rel {
    /// `nofollow`: the author does not vouch for the target.
    pub nofollow: bool,
    /// `ugc`: a user of the site wrote the link.
    pub ugc: bool,
    /// `sponsored`: the link is paid for.
    pub sponsored: bool,
}

impl Rel {
    pub(crate) fn parse(value: &str) -> Self {
        let has = |name: &str| value.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case(name));
        Self { nofollow: has("nofollow"), ugc: has("ugc"), sponsored: has("sponsored") }
    }
}
