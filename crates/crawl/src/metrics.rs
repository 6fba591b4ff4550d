//! The measures of the papers for the quality of a crawl.
//!
//! Each measure is computed twice: self-reported, by the crawler's own relevance, as the papers do,
//! and by the ground truth where there is one. The two are never mixed.

use serde::{Deserialize, Serialize};

/// Running sums over the pages that were downloaded, in order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// DP: the number of pages.
    pub pages: u64,
    /// LP or RP: the number of relevant pages.
    pub relevant: u64,
    /// The running mean of the relevance and the sum of squared deviations from it (Welford).
    mean: f64,
    squares: f64,
    /// The sum of the relevance of relevant pages.
    relevant_sum: f64,
    /// The sum of |R(p) − P(l)| over pages whose link had a priority, and the number of such pages.
    error_sum: f64,
    errors: u64,
}

/// A page that was downloaded and judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// True if the page is relevant.
    pub is_relevant: bool,
    /// R(p), by which the page is measured: the crawler's own, or 1 or 0 by the ground truth.
    pub relevance: f64,
    /// The crawler's own R(p), which counts for AS if the page is relevant.
    pub similarity: f64,
    /// P(l), the relevance that was predicted for the page, if any was.
    pub priority: Option<f64>,
}

impl Tally {
    /// Adds a page.
    pub fn add(&mut self, page: Judged) {
        self.pages += 1;
        let change = page.relevance - self.mean;
        self.mean += change / self.pages as f64;
        self.squares += change * (page.relevance - self.mean);
        if page.is_relevant {
            self.relevant += 1;
            self.relevant_sum += page.similarity;
        }
        if let Some(priority) = page.priority {
            self.error_sum += (page.relevance - priority).abs();
            self.errors += 1;
        }
    }

    /// Returns AC = LP / DP (eq. 10 of fcits-oh and bcw-cc), which is also the harvest rate HR of
    /// sdvsm (eq. 22).
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        share(self.relevant as f64, self.pages)
    }

    /// Returns AR = Σ R(p) / DP (eq. 11 of fcits-oh, 12 of bcw-cc).
    #[must_use]
    pub fn average_relevance(&self) -> f64 {
        self.mean
    }

    /// Returns SD = √(Σ (R(p) − AR)² / DP) (eq. 12 of fcits-oh, 13 of bcw-cc), the standard
    /// deviation of all pages, not of a sample.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        share(self.squares, self.pages).max(0.0).sqrt()
    }

    /// Returns AS, the mean relevance of relevant pages (eq. 22 of sdvsm).
    #[must_use]
    pub fn average_similarity(&self) -> f64 {
        share(self.relevant_sum, self.relevant)
    }

    /// Returns AE, the mean of |R(p) − P(l)| (eq. 22 of sdvsm); none if no page's link had a
    /// priority.
    #[must_use]
    pub fn average_error(&self) -> Option<f64> {
        (self.errors > 0).then(|| share(self.error_sum, self.errors))
    }
}

/// Returns the quotient, or 0 if the divisor is 0.
fn share(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// Computes the overlap of two crawls: |A ∩ B| / |A ∪ B| (gafc), and |A ∩ B| / min(|A|, |B|).
///
/// ```
/// # use ontrail_crawl::superposition;
/// let overlap = superposition(["a", "b", "c"], ["b", "c", "d", "e"]);
/// assert!((overlap.ratio - 2.0 / 5.0).abs() < 1e-12);
/// assert!((overlap.of_smaller - 2.0 / 3.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn superposition<T: Ord>(
    a: impl IntoIterator<Item = T>,
    b: impl IntoIterator<Item = T>,
) -> Superposition {
    let sorted = |mut items: Vec<T>| {
        items.sort_unstable();
        items.dedup();
        items
    };
    let (a, b) = (sorted(a.into_iter().collect()), sorted(b.into_iter().collect()));
    let mut others = b.iter().peekable();
    let mut is_common = |item: &&T| {
        while others.next_if(|other| *other < *item).is_some() {}
        others.peek() == Some(item)
    };
    let common = a.iter().filter(|item| is_common(item)).count();
    let union = a.len() + b.len() - common;
    Superposition {
        common: common as u64,
        ratio: share(common as f64, union as u64),
        of_smaller: share(common as f64, a.len().min(b.len()) as u64),
    }
}

/// The overlap of two crawls.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Superposition {
    /// Number of pages that both crawls have.
    pub common: u64,
    /// Their share of the pages that either crawl has.
    pub ratio: f64,
    /// Their share of the pages of the smaller crawl.
    pub of_smaller: f64,
}

/// Self-reported measures, by the crawler's own relevance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SelfJudged {
    /// LP or RP: the number of pages above the threshold.
    pub relevant: u64,
    /// AC: the harvest rate.
    pub accuracy: f64,
    /// AR: the mean relevance.
    pub average_relevance: f64,
    /// SD: the standard deviation of the relevance.
    pub sd: f64,
    /// AS: the mean relevance of relevant pages.
    pub average_similarity: f64,
    /// AE: the mean of |R(p) − P(l)|.
    pub average_error: Option<f64>,
}

impl SelfJudged {
    /// Computes the measures from a tally.
    #[must_use]
    pub fn of(tally: &Tally) -> Self {
        Self {
            relevant: tally.relevant,
            accuracy: tally.accuracy(),
            average_relevance: tally.average_relevance(),
            sd: tally.deviation(),
            average_similarity: tally.average_similarity(),
            average_error: tally.average_error(),
        }
    }
}

/// Measures by the ground truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrulyJudged {
    /// Number of pages fetched that have a relevant label.
    pub relevant: u64,
    /// AC: their share of all pages fetched.
    pub accuracy: f64,
    /// RC: their share of all pages with a relevant label in the ground truth (eq. 11 of bcw-cc).
    pub recall: f64,
    /// RC without the seeds, which were given and not found.
    pub recall_without_seeds: f64,
    /// Number of pages with a relevant label in the ground truth.
    pub relevant_pages: u64,
    /// Number of pages fetched that have a label at all.
    pub labelled: u64,
    /// SD: the standard deviation of r, which is 1 for relevant pages and 0 for others.
    pub sd: f64,
    /// The crawler's own R(p), averaged over the truly relevant pages. An honest AS would equal it.
    pub average_similarity: f64,
    /// The mean of |r − P(l)|, where r is 1 for relevant pages and 0 for others.
    pub average_error: Option<f64>,
}

/// The quality of a crawler's own judgement of the pages that it fetched, by the ground truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JudgementQuality {
    /// The share of truly relevant pages among those that the crawler calls relevant.
    pub precision: f64,
    /// The share that the crawler calls relevant among the truly relevant pages.
    pub recall: f64,
    /// The harmonic mean of the two.
    pub f1: f64,
}

impl JudgementQuality {
    /// Computes the quality from three numbers of pages: relevant by both the crawler and the
    /// ground truth, by the crawler, and by the ground truth.
    #[must_use]
    pub fn of(both: u64, own: u64, truth: u64) -> Self {
        Self {
            precision: share(both as f64, own),
            recall: share(both as f64, truth),
            f1: share(2.0 * both as f64, own + truth),
        }
    }
}

/// The counts that recall is computed from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    /// Number of pages fetched that have a label.
    pub labelled: u64,
    /// Number of seeds with a relevant label.
    pub relevant_seeds: u64,
    /// Number of those seeds that were fetched.
    pub relevant_seeds_found: u64,
}

impl TrulyJudged {
    /// Computes the measures from a tally. `relevant_pages` is the number of relevant pages in the
    /// ground truth.
    #[must_use]
    pub fn of(tally: &Tally, recalled: Recalled, relevant_pages: u64) -> Self {
        let others = relevant_pages.saturating_sub(recalled.relevant_seeds);
        let found = tally.relevant.saturating_sub(recalled.relevant_seeds_found);
        Self {
            relevant: tally.relevant,
            accuracy: tally.accuracy(),
            recall: share(tally.relevant as f64, relevant_pages),
            recall_without_seeds: share(found as f64, others),
            relevant_pages,
            labelled: recalled.labelled,
            sd: tally.deviation(),
            average_similarity: tally.average_similarity(),
            average_error: tally.average_error(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn the_measures_of_the_papers() {
        // Five pages by hand: R = 0.9, 0.2, 0.6, 0, 0.8; relevant above 0.5; P of all but the
        // first.
        let mut tally = Tally::default();
        let pages =
            [(0.9, None), (0.2, Some(0.5)), (0.6, Some(0.6)), (0.0, Some(0.3)), (0.8, Some(0.4))];
        for (relevance, priority) in pages {
            let is_relevant = relevance > 0.5;
            tally.add(Judged { is_relevant, relevance, similarity: relevance, priority });
        }
        let judged = SelfJudged::of(&tally);
        assert_eq!(judged.relevant, 3);
        assert!(close(judged.accuracy, 0.6));
        // 2.5 / 5.
        assert!(close(judged.average_relevance, 0.5));
        // Deviations .4, -.3, .1, -.5, .3: squares .16 + .09 + .01 + .25 + .09 = .6; √(.6 / 5).
        assert!(close(judged.sd, 0.12_f64.sqrt()));
        // (.9 + .6 + .8) / 3.
        assert!(close(judged.average_similarity, 2.3 / 3.0));
        // (.3 + 0 + .3 + .4) / 4.
        assert!(close(judged.average_error.unwrap(), 0.25));
    }

    #[test]
    fn recall_is_of_the_labels() {
        let mut tally = Tally::default();
        for (is_relevant, similarity) in [(true, 0.4), (false, 0.9), (true, 0.2)] {
            let relevance = f64::from(u8::from(is_relevant));
            tally.add(Judged { is_relevant, relevance, similarity, priority: Some(0.5) });
        }
        let recalled = Recalled { labelled: 3, relevant_seeds: 2, relevant_seeds_found: 1 };
        let judged = TrulyJudged::of(&tally, recalled, 8);
        assert!(close(judged.accuracy, 2.0 / 3.0));
        assert!(close(judged.recall, 2.0 / 8.0));
        assert!(close(judged.recall_without_seeds, 1.0 / 6.0));
        assert!(close(judged.average_similarity, 0.3));
        assert!(close(judged.average_error.unwrap(), 0.5));
    }

    #[test]
    fn two_equal_counts_can_be_of_different_pages() {
        // 114 and 115 pages, of which 68 are the same: 68 / 114, 68 / 115, 136 / 229.
        let quality = JudgementQuality::of(68, 114, 115);
        assert!(close(quality.precision, 68.0 / 114.0) && close(quality.recall, 68.0 / 115.0));
        assert!(close(quality.f1, 136.0 / 229.0));
        assert!(close(JudgementQuality::of(0, 0, 0).f1, 0.0));
    }

    #[test]
    fn measures_of_no_pages_are_zero() {
        let judged = SelfJudged::of(&Tally::default());
        assert!(close(judged.accuracy + judged.sd + judged.average_similarity, 0.0));
        assert_eq!(judged.average_error, None);
        assert!(close(superposition::<u8>([], []).ratio, 0.0));
    }

    #[test]
    fn pages_that_a_crawl_has_twice_count_once() {
        let overlap = superposition([3, 1, 3, 9, 2, 1], [9, 9, 4, 3]);
        // 3 and 9 of 1, 2, 3, 4, 9.
        assert_eq!(overlap.common, 2);
        assert!(close(overlap.ratio, 0.4) && close(overlap.of_smaller, 2.0 / 3.0));
    }
}
