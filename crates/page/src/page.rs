//! A page as one analyzer sees it.

use ontrail_text::{TermId, Vocabulary};

use crate::block::{BlockId, ContentBlock};
use crate::group::{LabelGroup, Tag};
use crate::link::LinkTerms;

/// A page as a model sees it: the terms that one analyzer finds, and where they occur.
///
/// Term numbers refer to the page's own [`vocabulary`](Self::vocabulary). A page therefore shares
/// no state with other pages: it can be read on any thread, and a crawl of several days does not
/// fill the memory with words. A model looks up each distinct term once.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The content blocks, in the order in which their divs start.
    pub blocks: Vec<ContentBlock>,
    /// The terms at each of [`Html::links`](crate::Html::links), in the same order.
    pub links: Vec<LinkTerms>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) occurrences: Vec<Occurrence>,
    /// The counts of each term by label group, indexed by term.
    pub(crate) counts: Vec<[u32; 5]>,
}

/// One occurrence of a term on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The term.
    pub term: TermId,
    /// The label group that the word belongs to.
    pub group: LabelGroup,
    /// The kind of tag that encloses the word.
    pub tag: Tag,
    /// The content block that holds the word; `None` for words in the head.
    pub block: Option<BlockId>,
}

impl Page {
    /// Returns the page's terms and their numbers. Terms that occur only in the `alt` text of an
    /// image are included, with a count of zero.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns every occurrence of a term, in page order.
    #[must_use]
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// Returns how often `term` occurs in `group`: f_{i,j} in eq. 2 of bcw-cc.
    #[must_use]
    pub fn count(&self, term: TermId, group: LabelGroup) -> u32 {
        self.counts.get(term.index()).map_or(0, |counts| counts[group.index()])
    }

    /// Returns the terms that occur on the page, each with its counts by label group.
    pub fn counts(&self) -> impl Iterator<Item = (TermId, &[u32; 5])> {
        let numbered = self.counts.iter().zip(0..);
        numbered
            .filter(|(by_group, _)| by_group.iter().any(|&n| n > 0))
            .map(|(c, n)| (TermId(n), c))
    }

    /// Returns the number of occurrences in each label group.
    #[must_use]
    pub fn group_totals(&self) -> [u32; 5] {
        let mut totals = [0; 5];
        for occurrence in &self.occurrences {
            totals[occurrence.group.index()] += 1;
        }
        totals
    }
}
