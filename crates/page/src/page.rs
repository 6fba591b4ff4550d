//! What is known of a page once it has been read.

use ontrail_text::{CharsetSource, TermId, Vocabulary};
use url::Url;

use crate::block::{Block, BlockId};
use crate::group::{LabelGroup, Tag};
use crate::limits::Cuts;
use crate::link::Link;

/// A page as the crawler sees it.
///
/// Terms have numbers of the page's own [`vocabulary`](Self::vocabulary): a page stands alone, can
/// be read on any thread, and a crawl of days does not fill memory with words. A model looks up
/// each distinct term once.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
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
    /// The content blocks, in the order in which their divs start.
    pub blocks: Vec<Block>,
    /// The links, in order.
    pub links: Vec<Link>,
    /// What was left out for being too large.
    pub cuts: Cuts,
    /// The readable text, one line per block-level element, if it was asked for.
    pub text: Option<String>,
    /// All text that is read into terms, the head's included, if it was asked for.
    pub passages: Vec<Passage>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) occurrences: Vec<Occurrence>,
    /// The counts of each term, by label group.
    pub(crate) counts: Vec<[u32; 5]>,
}

/// A stretch of text that words do not cross: up to the next block-level element, line break or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The text as it stands on the page.
    pub text: String,
    /// From which byte on it stands under which label. The first entry is for byte 0.
    pub groups: Vec<(usize, LabelGroup)>,
}

/// One word on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// Which term.
    pub term: TermId,
    /// Under which label.
    pub group: LabelGroup,
    /// In which tag.
    pub tag: Tag,
    /// In which content block; words of the head are in none.
    pub block: Option<BlockId>,
}

/// What `<meta name="robots">` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct RobotsMeta {
    /// Do not keep this page.
    pub noindex: bool,
    /// Do not follow its links.
    pub nofollow: bool,
}

impl RobotsMeta {
    /// Adds what one more meta element says.
    pub fn merge(&mut self, content: &str) {
        for directive in content.split(',').map(str::trim) {
            let is = |name: &str| directive.eq_ignore_ascii_case(name);
            self.noindex |= is("noindex") || is("none");
            self.nofollow |= is("nofollow") || is("none");
        }
    }
}

impl Page {
    /// The page's terms and their numbers. Terms that occur only in an image's `alt` text are in it
    /// with a count of zero.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Every word of the page that counts, in order.
    #[must_use]
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// How often `term` stands under a label of `group`: f_{i,j} of eq. 2 of bcw-cc.
    #[must_use]
    pub fn count(&self, term: TermId, group: LabelGroup) -> u32 {
        self.counts.get(term.index()).map_or(0, |counts| counts[group.index()])
    }

    /// The terms that occur on the page, each with its counts by label group.
    pub fn counts(&self) -> impl Iterator<Item = (TermId, &[u32; 5])> {
        let numbered = self.counts.iter().zip(0..);
        numbered
            .filter(|(by_group, _)| by_group.iter().any(|&n| n > 0))
            .map(|(c, n)| (TermId(n), c))
    }

    /// How many words stand in each label group.
    #[must_use]
    pub fn group_totals(&self) -> [u32; 5] {
        let mut totals = [0; 5];
        for occurrence in &self.occurrences {
            totals[occurrence.group.index()] += 1;
        }
        totals
    }
}
