//! Learns a topic from texts about it: by TF-IDF (eq. 1 of bcw-cc), or page by page as sdvsm does
//! (eq. 9).

use std::collections::{BTreeMap, BTreeSet};

use ontrail_text::weight::{DocumentFrequency, Idf, Tf, tf_idf};
use ontrail_text::{SparseVector, TermId};

/// The terms of a text with their counts, by ascending term.
pub type Counts = [(TermId, u32)];

/// The method that weighs and selects the terms of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Treats all texts about the topic as one: f / Σf · log(N / `N_i` + 0.01) (eq. 1 of bcw-cc),
    /// and takes the terms with the greatest weights. Σf is the sum over all words of these texts;
    /// in the paper it is the sum over the selected words, which is just another common factor.
    TfIdf,
    /// Weighs page by page: f / max f · log(N / `N_i`) (eq. 9 of sdvsm). Takes the two best terms
    /// of each page, then the next two of each, until there are enough. The weight of a term is its
    /// mean over the pages.
    Pages,
}

/// The settings for learning a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learning {
    /// The method that weighs and selects terms.
    pub method: Method,
    /// The form of inverse document frequency.
    pub idf: Idf,
    /// Number of terms to take.
    pub terms: usize,
}

impl Method {
    /// Returns the form of inverse document frequency that the paper uses with this method.
    #[must_use]
    pub fn idf(self) -> Idf {
        match self {
            Self::TfIdf => Idf::Offset,
            Self::Pages => Idf::Plain,
        }
    }
}

impl Learning {
    /// Returns the best terms of texts about a topic with their weights, by descending weight.
    /// `frequency` has the document frequencies by which rarity is measured; `is_candidate` decides
    /// which terms may be taken. Terms of weight 0 are never taken.
    #[must_use]
    pub fn learn(
        &self,
        texts: &[&Counts],
        frequency: &DocumentFrequency,
        is_candidate: impl Fn(TermId) -> bool,
    ) -> Vec<(TermId, f64)> {
        match self.method {
            Method::TfIdf => {
                let weights = tf_idf(&summed(texts), frequency, Tf::Share, self.idf);
                let fit = |&(term, weight): &(TermId, f64)| weight > 0.0 && is_candidate(term);
                let fit: SparseVector = weights.iter().filter(fit).collect();
                fit.largest(self.terms)
            }
            Method::Pages => self.page_by_page(texts, frequency, is_candidate),
        }
    }

    fn page_by_page(
        &self,
        texts: &[&Counts],
        frequency: &DocumentFrequency,
        is_candidate: impl Fn(TermId) -> bool,
    ) -> Vec<(TermId, f64)> {
        let weights: Vec<SparseVector> =
            texts.iter().map(|counts| tf_idf(counts, frequency, Tf::Peak, self.idf)).collect();
        let rank = |weights: &SparseVector| {
            let ranked = weights.largest(weights.len()).into_iter();
            let fit = ranked.filter(|&(term, weight)| weight > 0.0 && is_candidate(term));
            fit.map(|(term, _)| term).collect::<Vec<_>>()
        };
        let ranked: Vec<Vec<TermId>> = weights.iter().map(rank).collect();
        let mut mean: BTreeMap<TermId, f64> = BTreeMap::new();
        for (term, weight) in weights.iter().flat_map(SparseVector::iter) {
            *mean.entry(term).or_default() += weight / texts.len() as f64;
        }
        let chosen = two_by_two(&ranked, &mean, self.terms);
        chosen.largest(self.terms)
    }
}

/// Returns the two best terms of each page, then the third and fourth, until there are `most`. If
/// the last round has too many terms, those with the greatest mean weight are taken, so that the
/// order of the pages does not matter.
fn two_by_two(ranked: &[Vec<TermId>], mean: &BTreeMap<TermId, f64>, most: usize) -> SparseVector {
    let mut chosen: BTreeSet<TermId> = BTreeSet::new();
    let longest = ranked.iter().map(Vec::len).max().unwrap_or(0);
    for start in (0..longest).step_by(2) {
        let round = ranked.iter().flat_map(|page| page.iter().skip(start).take(2));
        let round: BTreeSet<TermId> = round.copied().filter(|it| !chosen.contains(it)).collect();
        let round: SparseVector = round.into_iter().map(|term| (term, mean[&term])).collect();
        chosen.extend(round.largest(most - chosen.len()).into_iter().map(|(term, _)| term));
        if chosen.len() == most {
            break;
        }
    }
    chosen.into_iter().map(|term| (term, mean[&term])).collect()
}

/// Sums the counts of several texts.
fn summed(texts: &[&Counts]) -> Vec<(TermId, u32)> {
    let mut sums: BTreeMap<TermId, u32> = BTreeMap::new();
    for &(term, count) in texts.iter().copied().flatten() {
        let sum = sums.entry(term).or_default();
        *sum = sum.saturating_add(count);
    }
    sums.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(u32, u32)]) -> Vec<(TermId, u32)> {
        counts.iter().map(|&(term, count)| (TermId(term), count)).collect()
    }

    fn frequency<'a>(texts: impl IntoIterator<Item = &'a Vec<(TermId, u32)>>) -> DocumentFrequency {
        let mut frequency = DocumentFrequency::new();
        texts.into_iter().for_each(|text| frequency.add(text.iter().map(|&(term, _)| term)));
        frequency
    }

    /// Two texts about the topic and two others. In the topic's texts, term 0 occurs three times,
    /// term 1 once, and term 2 four times; of the 4 texts, 2, 1 and all contain them. By hand:
    /// 3/8 ln 2.01, 1/8 ln 4.01, 4/8 ln 1.01.
    #[test]
    fn eq_1_of_bcw_cc() {
        let texts = [
            counts(&[(0, 2), (2, 3)]),
            counts(&[(0, 1), (1, 1), (2, 1)]),
            counts(&[(2, 5)]),
            counts(&[(2, 1), (3, 9)]),
        ];
        let learning = Learning { method: Method::TfIdf, idf: Idf::Offset, terms: 2 };
        let found = learning.learn(&[&texts[0], &texts[1]], &frequency(&texts), |_| true);
        assert_eq!(found.iter().map(|it| it.0.0).collect::<Vec<_>>(), [0, 1]);
        assert!((found[0].1 - 0.261_800_520_776_619_1).abs() < 1e-12, "{}", found[0].1);
        assert!((found[1].1 - 0.173_598_905_164_809_72).abs() < 1e-12, "{}", found[1].1);
        let few = learning.learn(&[&texts[0]], &frequency(&texts), |term| term != TermId(0));
        assert_eq!(few.iter().map(|it| it.0.0).collect::<Vec<_>>(), [2]);
    }

    /// Pages {0: 4, 1: 2, 2: 1}, {3: 3, 0: 1} and {4: 1}. The first round takes terms 0 and 1, 3
    /// and 0, and 4; the second takes 2. Term 0 is on two of three pages, with the weights 1 · ln
    /// 1.5 and ⅓ · ln 1.5, of which the mean over three pages is taken.
    #[test]
    fn eq_9_of_sdvsm_page_by_page() {
        let texts =
            [counts(&[(0, 4), (1, 2), (2, 1)]), counts(&[(0, 1), (3, 3)]), counts(&[(4, 1)])];
        let all: Vec<&Counts> = texts.iter().map(Vec::as_slice).collect();
        let learning = Learning { method: Method::Pages, idf: Idf::Plain, terms: 4 };
        let found = learning.learn(&all, &frequency(&texts), |_| true);
        let terms: Vec<u32> = found.iter().map(|it| it.0.0).collect();
        assert_eq!(terms, [3, 4, 1, 0], "four terms need no second round, which has term 2");
        // Of a round with too many terms, the heaviest are taken, whatever the order of the pages.
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let turned: Vec<&Counts> = order.iter().map(|&page| all[page]).collect();
            let two = Learning { terms: 2, ..learning };
            let found = two.learn(&turned, &frequency(&texts), |_| true);
            assert_eq!(found.iter().map(|it| it.0.0).collect::<Vec<_>>(), [3, 4]);
        }
        assert!((found[3].1 - 0.180_206_714_714_739_7).abs() < 1e-12, "{}", found[3].1);
        let five = Learning { terms: 5, ..learning }.learn(&all, &frequency(&texts), |_| true);
        assert_eq!(five.len(), 5);
    }

    #[test]
    fn without_texts_there_are_no_terms() {
        for method in [Method::TfIdf, Method::Pages] {
            let learning = Learning { method, idf: method.idf(), terms: 5 };
            assert!(learning.learn(&[], &DocumentFrequency::new(), |_| true).is_empty());
        }
    }
}
