//! The relevance of anchor texts by BM25 (eq. 5 and 6 of fcits-oh).
//!
//! Several pages may have the same link, each with another anchor text. The rarity of a term is
//! counted over the pages that a crawl has fetched so far, so it changes during the crawl.

use ontrail_page::LinkTerms;
use ontrail_text::weight::Bm25;

use crate::profile::quotient;
use crate::scorer::{Scorer, Unit};
use crate::topic::Topic;
use crate::view::PageView;

/// The anchor text of a link on one page: the topic's terms in it, and the length of the page. It
/// is valid only for the [`Scorer`] that created it.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorText {
    /// Number of occurrences of each feature in the anchor text.
    counts: Vec<(Unit, f64)>,
    /// Number of words of the page, `dl_j`.
    page_words: u64,
}

/// Document frequencies of the topic's terms on the pages fetched so far. Valid only for one
/// [`Scorer`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PagesMet {
    pages: u64,
    words: u64,
    /// Number of pages with each feature, `N_i`.
    containing: Vec<u64>,
}

impl PagesMet {
    /// Creates counts without pages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the counts of a topic's background, for scoring without a crawl.
    #[must_use]
    pub fn of_background(topic: &Topic, scorer: &Scorer) -> Self {
        let Some(background) = topic.rarities() else { return Self::default() };
        Self {
            pages: background.documents,
            words: background.words,
            containing: scorer.containing(background),
        }
    }

    /// Adds a page.
    pub fn add(&mut self, view: &PageView<'_>) {
        self.pages += 1;
        let occurrences = view.page().occurrences();
        self.words += occurrences.len() as u64;
        for (unit, _) in view.occurring(occurrences.iter().map(|it| it.term)) {
            let place = unit as usize;
            if self.containing.len() <= place {
                self.containing.resize(place + 1, 0);
            }
            self.containing[place] += 1;
        }
    }

    /// Returns the number of pages.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    fn average_words(&self) -> f64 {
        if self.pages == 0 { 0.0 } else { self.words as f64 / self.pages as f64 }
    }
}

impl PageView<'_> {
    /// Returns the anchor text of a link on this page.
    #[must_use]
    pub fn anchor_text(&self, link: &LinkTerms) -> AnchorText {
        AnchorText {
            counts: self.occurring(link.anchor.iter().copied()),
            page_words: self.page().occurrences().len() as u64,
        }
    }
}

impl Scorer {
    /// Returns R(A) of a link from its anchor texts on all pages that have it: the cosine (eq. 6 of
    /// fcits-oh) of the topic's weights and of `w_ai` = IDF(`N_i`) Σ f (k + 1) / (f + k (1 − b + b
    /// dl / avgdl)) (eq. 5). It is 0 if no anchor text has a term of the topic. As long as no page
    /// has been added, all terms are equally rare.
    #[must_use]
    pub fn anchor_relevance(&self, bm25: &Bm25, texts: &[AnchorText], met: &PagesMet) -> f64 {
        let mut counts: Vec<(Unit, f64, f64)> = Vec::new();
        for text in texts {
            let length = text.page_words as f64;
            counts.extend(text.counts.iter().map(|&(unit, count)| (unit, count, length)));
        }
        counts.sort_by_key(|&(unit, ..)| unit);
        let (mut dot, mut square) = (0.0, 0.0);
        for of_unit in counts.chunk_by(|a, b| a.0 == b.0) {
            let unit = of_unit[0].0;
            let containing = met.containing.get(unit as usize).copied().unwrap_or(0);
            let found = of_unit.iter().map(|&(_, count, length)| (count, length));
            // Without any page, IDF and therefore every relevance would be 0.
            let pages = met.pages.max(1);
            let weight = bm25.weight(pages, containing, found, met.average_words());
            dot += weight * self.share(unit).unwrap_or(0.0);
            square += weight * weight;
        }
        quotient(dot, self.length() * square.sqrt())
    }
}
