#![doc = include_str!("../README.md")]

use serde::{Deserialize, Serialize};

/// A term of the topic in an anchor text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AnchorTerm {
    /// The number of the term among the topic's features.
    pub feature: u32,
    /// The number of its occurrences, f. A name that counts for less than its feature makes it a
    /// fraction.
    pub count: f64,
    /// Its weight in the topic, divided by the length of the topic's vector.
    pub weight: f64,
}

/// The anchor text of a link on one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnchorText {
    /// The topic's terms in it, by ascending feature.
    pub terms: Vec<AnchorTerm>,
    /// Number of words of the page, `dl`.
    pub page_words: u64,
}

impl AnchorText {
    /// Adds the terms of another anchor text of the same link on the same page.
    pub fn add(&mut self, terms: &[AnchorTerm]) {
        for term in terms {
            match self.terms.binary_search_by_key(&term.feature, |own| own.feature) {
                Ok(at) => self.terms[at].count += term.count,
                Err(at) => self.terms.insert(at, *term),
            }
        }
    }
}

/// The facts about a fetched page that the rarity of terms depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageTerms {
    /// Number of words.
    pub words: u64,
    /// The topic's features on the page, each once.
    pub features: Vec<u32>,
}

/// Document frequencies of the topic's terms on the pages fetched so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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

    /// Creates counts from the number of pages, the number of words on all of them, and the number
    /// of pages with each feature.
    #[must_use]
    pub fn from_counts(pages: u64, words: u64, containing: Vec<u64>) -> Self {
        Self { pages, words, containing }
    }

    /// Adds a page.
    pub fn add(&mut self, page: &PageTerms) {
        self.pages += 1;
        self.words += page.words;
        for feature in &page.features {
            let place = *feature as usize;
            if self.containing.len() <= place {
                self.containing.resize(place + 1, 0);
            }
            self.containing[place] += 1;
        }
    }

    /// Returns the number of pages, `N`.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Returns R(A) of a link from its anchor texts, one for each page that has it: the cosine (eq.
    /// 6 of fcits-oh) of the topic's weights and of the weights by eq. 5. It is 0 if no anchor text
    /// has a term of the topic. As long as no page has been added, all terms are equally rare.
    #[must_use]
    pub fn relevance(&self, bm25: &Bm25, texts: &[AnchorText]) -> f64 {
        let mut found: Vec<(&AnchorTerm, f64)> = Vec::new();
        for text in texts {
            let length = text.page_words as f64;
            found.extend(text.terms.iter().map(|term| (term, length)));
        }
        found.sort_by_key(|(term, _)| term.feature);
        let (mut dot, mut square) = (0.0, 0.0);
        for same in found.chunk_by(|a, b| a.0.feature == b.0.feature) {
            let term = same[0].0;
            let texts = same.iter().map(|&(term, length)| (term.count, length));
            let weight = bm25.weight(self.idf(term.feature), texts, self.average_words());
            dot += weight * term.weight;
            square += weight * weight;
        }
        // Rounding may give a little more than 1, and tiny weights a square of 0.
        let cosine = dot / square.sqrt();
        if cosine.is_finite() { cosine.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Returns log(N / `N_i` + 0.01), the inverse document frequency of eq. 5. Without any page it
    /// would be 0, and so would every relevance.
    fn idf(&self, feature: u32) -> f64 {
        let pages = self.pages.max(1);
        let containing = self.containing.get(feature as usize).copied().unwrap_or(0);
        libm::log(pages as f64 / containing.clamp(1, pages) as f64 + 0.01)
    }

    /// Returns the mean number of words of a page, `avgdl`.
    fn average_words(&self) -> f64 {
        if self.pages == 0 { 0.0 } else { self.words as f64 / self.pages as f64 }
    }
}

/// BM25 with the constants of eq. 5 of fcits-oh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Saturation: the greater, the more a repetition adds. The paper has k = 2.
    pub k: f64,
    /// Penalty for long pages, from 0 to 1. The paper has b = 0.75.
    pub b: f64,
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k: 2.0, b: 0.75 }
    }
}

impl Bm25 {
    /// Returns the summand for one page: f (k + 1) / (f + k (1 − b + b · length / average)); 0 for
    /// f = 0.
    #[must_use]
    pub fn saturation(&self, count: f64, length: f64, average_length: f64) -> f64 {
        if count <= 0.0 {
            return 0.0;
        }
        let relative = if average_length > 0.0 { length / average_length } else { 1.0 };
        count * (self.k + 1.0) / (count + self.k * (1.0 - self.b + self.b * relative))
    }

    /// Returns the weight of a term (eq. 5 of fcits-oh): its inverse document frequency times a sum
    /// over the pages, each given as the term's count in the anchor text and the page's length.
    fn weight(
        &self,
        idf: f64,
        texts: impl Iterator<Item = (f64, f64)>,
        average_length: f64,
    ) -> f64 {
        idf * texts.map(|(f, length)| self.saturation(f, length, average_length)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    fn text(page_words: u64, terms: &[(u32, f64, f64)]) -> AnchorText {
        let term =
            |&(feature, count, weight): &(u32, f64, f64)| AnchorTerm { feature, count, weight };
        AnchorText { terms: terms.iter().map(term).collect(), page_words }
    }

    /// The expected values were computed separately from the printed formula.
    #[test]
    fn eq_5_of_fcits_oh() {
        let bm25 = Bm25::default();
        close(bm25.saturation(1.0, 100.0, 100.0), 1.0);
        close(bm25.saturation(2.0, 50.0, 100.0), 1.846_153_846_153_846_3);
        close(bm25.saturation(0.0, 10.0, 0.0), 0.0);
        close(bm25.saturation(1.0, 10.0, 0.0), 1.0);
        // Of 1,000 pages with 100 words on average, 10 have the term.
        let met = PagesMet::from_counts(1_000, 100_000, vec![10]);
        let texts = [(1.0, 100.0), (2.0, 50.0)].into_iter();
        close(bm25.weight(met.idf(0), texts, met.average_words()), 13.107_307_438_197_825);
    }

    /// A topic of two terms with the weights .8 and .6 (its vector has length 1). 8 pages with 50
    /// words on average; 2 have the first term, 4 the second. One page of 50 words has the anchor
    /// text "first second", one of 100 words "second second". By hand: IDF = ln 4.01 and ln 2.01;
    /// the first term has weight ln 4.01 · 1, the second ln 2.01 · (1 + 2 · 3 / (2 + 2 · 1.75)) =
    /// ln 2.01 · 2.0909…; R(A) = (.8 · 1.388791 + .6 · 1.459736) / √(1.388791² + 1.459736²).
    #[test]
    fn eq_6_of_fcits_oh() {
        let met = PagesMet::from_counts(8, 400, vec![2, 4]);
        let texts = [text(50, &[(0, 1.0, 0.8), (1, 1.0, 0.6)]), text(100, &[(1, 2.0, 0.6)])];
        let (first, second) = (4.01_f64.ln(), 2.01_f64.ln() * (1.0 + 6.0 / 5.5));
        let expected = (0.8 * first + 0.6 * second) / first.hypot(second);
        close(met.relevance(&Bm25::default(), &texts), expected);
        assert!((expected - 0.986_121).abs() < 1e-6, "{expected}");
        // The order of the pages makes no difference, and other pages do.
        let turned = [texts[1].clone(), texts[0].clone()];
        close(met.relevance(&Bm25::default(), &turned), expected);
        assert!(met.relevance(&Bm25::default(), &texts[1..]) < 0.61);
    }

    #[test]
    fn texts_of_one_page_are_one_text() {
        let mut both = text(50, &[(1, 1.0, 0.6)]);
        both.add(&text(50, &[(0, 1.0, 0.8), (1, 1.0, 0.6)]).terms);
        assert_eq!(both, text(50, &[(0, 1.0, 0.8), (1, 2.0, 0.6)]));
    }

    #[test]
    fn without_pages_or_terms_it_has_a_value() {
        let none = PagesMet::new();
        close(none.relevance(&Bm25::default(), &[]), 0.0);
        close(none.relevance(&Bm25::default(), &[text(0, &[])]), 0.0);
        close(none.relevance(&Bm25::default(), &[text(0, &[(7, 1.0, 0.6)])]), 0.6);
        close(none.relevance(&Bm25::default(), &[text(0, &[(7, 0.0, 0.6)])]), 0.0);
        close(none.relevance(&Bm25::default(), &[text(9, &[(7, 1e-300, 0.6)])]), 0.0);
    }

    proptest! {
        /// R(A) is a share, whatever the counts.
        #[test]
        fn relevance_is_a_share(
            counts in (0_u64..9, 0_u64..99, prop::collection::vec(0_u64..9, 0..5)),
            texts in prop::collection::vec(
                (0_u64..99, prop::collection::vec((0_u32..6, 0.0..9.0_f64, 0.0..1.0_f64), 0..4)),
                0..4,
            ),
        ) {
            let met = PagesMet::from_counts(counts.0, counts.1, counts.2);
            let texts: Vec<_> = texts.iter().map(|(words, terms)| text(*words, terms)).collect();
            let found = met.relevance(&Bm25::default(), &texts);
            prop_assert!((0.0..=1.0).contains(&found), "{}", found);
        }
    }
}
