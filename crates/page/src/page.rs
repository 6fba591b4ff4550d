//! What an analyzer finds on a page.

use ontrail_text::{TermId, Vocabulary};

use crate::block::{Block, BlockId};
use crate::group::{LabelGroup, Tag};
use crate::link::LinkTerms;

/// A page as a model sees it: the terms of one analyzer, and where they stand.
///
/// Terms have numbers of the page's own [`vocabulary`](Self::vocabulary): a page stands alone, can
/// be read on any thread, and a crawl of days does not fill memory with words. A model looks up
/// each distinct term once.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The content blocks, in the order in which their divs start.
    pub blocks: Vec<Block>,
    /// The terms at each of [`Html::links`](crate::Html::links), in the same order.
    pub links: Vec<LinkTerms>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) occurrences: Vec<Occurrence>,
    /// The counts of each term, by label group.
    pub(crate) counts: Vec<[u32; 5]>,
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
