//! Links as they stand on a page, and the terms at them.

use std::ops::Range;

use ontrail_text::TermId;
use url::Url;

use crate::block::BlockId;

/// A link of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The absolute, normalised address.
    pub url: Url,
    /// What kind of link it is.
    pub kind: LinkKind,
    /// The anchor text; where the anchor holds none, the `alt` or `title` of its image, or its own
    /// `title`.
    pub anchor: String,
    /// What the `rel` attribute says.
    pub rel: Rel,
    pub(crate) place: LinkPlace,
}

/// Where a link stands in the text of its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkPlace {
    /// The passages that the anchor consists of.
    pub(crate) passages: Range<usize>,
    /// The passages of the block-level element around it.
    pub(crate) paragraph: Range<usize>,
    /// The div that it stands in.
    pub(crate) div: u32,
    /// Whether the anchor text is a caption, which is in none of the passages.
    pub(crate) is_captioned: bool,
}

/// The terms at a link, as one analyzer finds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTerms {
    /// The terms of the anchor, in order, with repetitions.
    pub anchor: Vec<TermId>,
    /// The terms around the link, the anchor's own excluded: those of the block-level element that
    /// holds it; where that holds nothing else or is very long, those within 20 words of the link
    /// in the same content block.
    pub context: Vec<TermId>,
    /// The content block that the link stands in.
    pub block: BlockId,
}

/// Where an address was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// `<a href>`.
    Anchor,
    /// `<area href>` of an image map.
    Area,
    /// `<frame src>` or `<iframe src>`.
    Frame,
    /// `<meta http-equiv=refresh>`.
    Refresh,
}

/// The relations of a link that matter to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Rel {
    /// The author does not vouch for the target.
    pub nofollow: bool,
    /// The link was written by a user of the site.
    pub ugc: bool,
    /// The link is paid for.
    pub sponsored: bool,
}

impl Rel {
    pub(crate) fn parse(value: &str) -> Self {
        let has = |name: &str| value.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case(name));
        Self { nofollow: has("nofollow"), ugc: has("ugc"), sponsored: has("sponsored") }
    }
}
