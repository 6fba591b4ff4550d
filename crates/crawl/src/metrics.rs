//! How good a crawl is, by the measures of the papers.
//!
//! Each is there twice: by the crawler's own opinion, as the papers have it, and by true labels where there are
//! some. The two are never mixed.

use serde::{Deserialize, Serialize};

/// What is summed up of the pages that were downloaded, in order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// DP: pages.
    pub pages: u64,
    /// LP or RP: those that are relevant.
    pub relevant: u64,
    /// The mean relevance and the sum of squared deviations from it, kept as they come (Welford).
    mean: f64,
    squares: f64,
    /// The relevance of relevant pages, summed.
    relevant_sum: f64,
    /// |R(p) − P(l)| of pages that a link with a priority led to, summed, and how many.
    error_sum: f64,
    errors: u64,
}

/// One page that was downloaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Whether it is relevant.
    pub is_relevant: bool,
    /// R(p), what it is measured by.
    pub relevance: f64,
    /// What counts for AS if it is relevant: the crawler's own R(p).
    pub similarity: f64,
    /// P(l), what was expected of it, if anything was.
    pub priority: Option<f64>,
}

impl Tally {
    /// Counts a page.
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

    /// AC = LP / DP (eq. 10 of fcits-oh and bcw-cc), which is also the harvest rate HR of sdvsm (eq. 22).
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        share(self.relevant as f64, self.pages)
    }

    /// AR = Σ R(p) / DP (eq. 11 of fcits-oh, 12 of bcw-cc).
    #[must_use]
    pub fn average_relevance(&self) -> f64 {
        self.mean
    }

    /// SD = √(Σ (R(p) − AR)² / DP) (eq. 12 of fcits-oh, 13 of bcw-cc): of all pages, not of a sample.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        share(self.squares, self.pages).max(0.0).sqrt()
    }

    /// AS, the mean relevance of relevant pages (eq. 22 of sdvsm).
    #[must_use]
    pub fn average_similarity(&self) -> f64 {
        share(self.relevant_sum, self.relevant)
    }

    /// AE, the mean of |R(p) − P(l)| (eq. 22 of sdvsm); none if no page was led to by a link with a priority.
    #[must_use]
    pub fn average_error(&self) -> Option<f64> {
        (self.errors > 0).then(|| share(self.error_sum, self.errors))
    }
}

/// A quotient, 0 of nothing.
fn share(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// How much two crawls have in common: |A ∩ B| / |A ∪ B| (gafc), and the same of the smaller one.
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
    let a: std::collections::BTreeSet<T> = a.into_iter().collect();
    let b: std::collections::BTreeSet<T> = b.into_iter().collect();
    let common = a.intersection(&b).count();
    let union = a.len() + b.len() - common;
    Superposition {
        common: common as u64,
        ratio: share(common as f64, union as u64),
        of_smaller: share(common as f64, a.len().min(b.len()) as u64),
    }
}

/// How much two crawls have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Superposition {
    /// Pages that both have.
    pub common: u64,
    /// Their share of the pages that either has.
    pub ratio: f64,
    /// Their share of the pages that the smaller has.
    pub of_smaller: f64,
}

/// By the crawler's own opinion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SelfJudged {
    /// LP or RP: pages above the threshold.
    pub relevant: u64,
    /// AC, the harvest rate.
    pub accuracy: f64,
    /// AR.
    pub average_relevance: f64,
    /// SD.
    pub sd: f64,
    /// AS.
    pub average_similarity: f64,
    /// AE.
    pub average_error: Option<f64>,
}

impl SelfJudged {
    /// What a tally says.
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

/// By true labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrulyJudged {
    /// Pages with a relevant label.
    pub relevant: u64,
    /// AC: their share of all pages that were downloaded.
    pub accuracy: f64,
    /// RC: their share of all pages with a relevant label that there are (eq. 11 of bcw-cc).
    pub recall: f64,
    /// RC without the seeds, which were given and not found.
    pub recall_without_seeds: f64,
    /// How many pages with a relevant label there are.
    pub relevant_pages: u64,
    /// Pages that were downloaded and have a label at all.
    pub labelled: u64,
    /// SD of being relevant or not.
    pub sd: f64,
    /// The crawler's own R(p), averaged over the pages that are truly relevant: what AS should be.
    pub average_similarity: f64,
    /// The mean of |r − P(l)|, where r is 1 for relevant pages and 0 for others.
    pub average_error: Option<f64>,
}

/// What is counted for recall.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    /// Pages that were downloaded and have a label.
    pub labelled: u64,
    /// Seeds with a relevant label.
    pub relevant_seeds: u64,
    /// Those of them that were downloaded.
    pub relevant_seeds_found: u64,
}

impl TrulyJudged {
    /// What a tally says, where there are so many relevant pages.
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
        // Five pages by hand: R = 0.9, 0.2, 0.6, 0, 0.8; relevant above 0.5; P of all but the first.
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
    fn nothing_is_no_nan() {
        let judged = SelfJudged::of(&Tally::default());
        assert!(close(judged.accuracy + judged.sd + judged.average_similarity, 0.0));
        assert_eq!(judged.average_error, None);
        assert!(close(superposition::<u8>([], []).ratio, 0.0));
    }
}
