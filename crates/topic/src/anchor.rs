//! The topic's terms in anchor texts and on pages, which BM25 compares with the topic (eq. 5 and 6
//! of fcits-oh; the crate `anchor` has the formulas).

use ontrail_anchor::{AnchorTerm, AnchorText, PageTerms, PagesMet};
use ontrail_page::LinkTerms;

use crate::scorer::{Scorer, Unit};
use crate::topic::Topic;
use crate::view::PageView;

impl PageView<'_> {
    /// Returns the anchor text of a link on this page. It is valid only with counts of the same
    /// [`Scorer`].
    #[must_use]
    pub fn anchor_text(&self, link: &LinkTerms) -> AnchorText {
        AnchorText { terms: self.anchor_terms(link), page_words: self.words() }
    }

    /// Returns the topic's terms in the anchor text of a link on this page.
    #[must_use]
    pub fn anchor_terms(&self, link: &LinkTerms) -> Vec<AnchorTerm> {
        let term = |(feature, count): (Unit, f64)| {
            let weight = self.scorer().direction(feature);
            AnchorTerm { feature, count, weight }
        };
        self.occurring(link.anchor.iter().copied()).into_iter().map(term).collect()
    }

    /// Returns the topic's terms on this page and the number of its words, to be counted among the
    /// pages of a crawl.
    #[must_use]
    pub fn page_terms(&self) -> PageTerms {
        let terms = self.page().occurrences().iter().map(|it| it.term);
        let features = self.occurring(terms).into_iter().map(|(unit, _)| unit).collect();
        PageTerms { words: self.words(), features }
    }

    fn words(&self) -> u64 {
        self.page().occurrences().len() as u64
    }
}

impl Scorer {
    /// Returns the counts of a topic's background, for scoring anchor texts without a crawl.
    #[must_use]
    pub fn pages_of_background(&self, topic: &Topic) -> PagesMet {
        let Some(background) = topic.rarities() else { return PagesMet::new() };
        let containing = self.containing(background);
        PagesMet::from_counts(background.documents, background.words, containing)
    }

    /// Returns the weight of a feature in the topic, divided by the length of the topic's vector.
    fn direction(&self, feature: Unit) -> f64 {
        self.share(feature).unwrap_or(0.0) / self.length()
    }
}
