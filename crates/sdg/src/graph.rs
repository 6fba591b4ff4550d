//! Co-occurrence of terms on relevant pages (eq. 10 of sdvsm).
//!
//! The paper asks a search engine for the number of pages that have either of two terms; here, a
//! background corpus answers. The pages of a term are a bit set, so a pair costs one pass over two
//! rows of bits, whatever is on the pages.

use ontrail_fca::BitSet;
use rayon::prelude::*;

use crate::ambiguity::TermCounts;

/// The pages of a background corpus on which the terms of a topic occur.
#[derive(Debug, Clone)]
pub struct Occurrences {
    terms: Vec<OfTerm>,
    /// Numbers of relevant pages and of other pages.
    relevant: u32,
    others: u32,
}

#[derive(Debug, Clone, Default)]
struct OfTerm {
    counts: TermCounts,
    /// The relevant pages and the other pages that have the term, each numbered from 0.
    relevant: Vec<u32>,
    others: Vec<u32>,
}

/// Two terms that occur together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The number of the first term.
    pub first: usize,
    /// The number of the second term, which is greater.
    pub second: usize,
    /// `N_rel-coo`: number of relevant pages that have both.
    pub together: u32,
    /// N: number of pages, relevant or not, that have either.
    pub either: u32,
}

impl Occurrences {
    /// Returns the occurrences of `terms` terms, without pages.
    #[must_use]
    pub fn new(terms: usize) -> Self {
        Self { terms: vec![OfTerm::default(); terms], relevant: 0, others: 0 }
    }

    /// Adds a page with the terms on it and the number of occurrences of each. A term must be given
    /// at most once.
    ///
    /// # Panics
    ///
    /// If a term does not exist, or there are 2³² pages.
    pub fn add(&mut self, is_relevant: bool, terms: impl IntoIterator<Item = (usize, u32)>) {
        let page = if is_relevant { self.relevant } else { self.others };
        for (term, count) in terms {
            let OfTerm { counts, relevant, others } = &mut self.terms[term];
            if is_relevant {
                counts.relevant_occurrences += u64::from(count);
                counts.relevant_pages += 1;
                relevant.push(page);
            } else {
                counts.other_occurrences += u64::from(count);
                counts.other_pages += 1;
                others.push(page);
            }
        }
        let pages = if is_relevant { &mut self.relevant } else { &mut self.others };
        *pages = pages.checked_add(1).expect("fewer than 2^32 pages");
    }

    /// Returns the number of pages.
    #[must_use]
    pub fn pages(&self) -> u64 {
        u64::from(self.relevant) + u64::from(self.others)
    }

    /// Returns the number of relevant pages.
    #[must_use]
    pub fn relevant_pages(&self) -> u64 {
        u64::from(self.relevant)
    }

    /// Returns the occurrences of a term.
    #[must_use]
    pub fn counts(&self, term: usize) -> TermCounts {
        self.terms[term].counts
    }

    /// Returns all pairs of terms that occur together on a relevant page, by their numbers.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        let rows = |pages: fn(&OfTerm) -> &Vec<u32>, bound: u32| -> Vec<BitSet> {
            let row =
                |of_term| BitSet::of(bound as usize, pages(of_term).iter().map(|&it| it as usize));
            self.terms.par_iter().map(row).collect()
        };
        let relevant = rows(|of_term| &of_term.relevant, self.relevant);
        let others = rows(|of_term| &of_term.others, self.others);
        let pages = |term: usize| self.terms[term].relevant.len() + self.terms[term].others.len();
        let pair = |first: usize, second: usize| {
            let together = relevant[first].common(&relevant[second]);
            if together == 0 {
                return None;
            }
            let both = together + others[first].common(&others[second]);
            let either = pages(first) + pages(second) - both;
            let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
            Some(Pair { first, second, together: number(together), either: number(either) })
        };
        let of_first = |first: usize| -> Vec<Pair> {
            (first + 1..self.terms.len()).filter_map(|second| pair(first, second)).collect()
        };
        (0..self.terms.len()).into_par_iter().flat_map_iter(of_first).collect()
    }
}

impl Pair {
    /// Returns the co-occurrence degree cd (eq. 10), from 0 to 1.
    #[must_use]
    pub fn degree(&self) -> f64 {
        if self.either == 0 { 0.0 } else { f64::from(self.together) / f64::from(self.either) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relevant pages {0, 1}, {0, 1, 2}, {1}; others {0, 1}, {0}, {2}. Terms 0 and 1 are together
    /// on 2 relevant pages, and either is on 5 pages: all but {2}. 0 and 2: 1 of 5. 1 and 2: 1 of
    /// 5.
    #[test]
    fn eq_10() {
        let mut found = Occurrences::new(4);
        found.add(true, [(0, 3), (1, 1)]);
        found.add(false, [(0, 2), (1, 5)]);
        found.add(true, [(0, 1), (1, 1), (2, 1)]);
        found.add(false, [(0, 1)]);
        found.add(true, [(1, 7)]);
        found.add(false, [(2, 1)]);
        let pair = |first, second, together, either| Pair { first, second, together, either };
        assert_eq!(found.pairs(), [pair(0, 1, 2, 5), pair(0, 2, 1, 5), pair(1, 2, 1, 5)]);
        assert!((found.pairs()[0].degree() - 0.4).abs() < 1e-15);
        assert_eq!((found.pages(), found.relevant_pages()), (6, 3));
        let counts = TermCounts {
            relevant_occurrences: 4,
            other_occurrences: 3,
            relevant_pages: 2,
            other_pages: 2,
            topic_occurrences: 0,
        };
        assert_eq!(found.counts(0), counts);
        assert!(!found.counts(3).is_met());
    }

    #[test]
    fn without_pages_there_are_no_pairs() {
        assert_eq!(Occurrences::new(3).pairs(), []);
        assert!(pair_of_nothing().degree().abs() < 1e-15);
    }

    fn pair_of_nothing() -> Pair {
        Pair { first: 0, second: 1, together: 0, either: 0 }
    }
}
