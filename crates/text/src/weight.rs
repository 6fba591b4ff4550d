//! The term weights of the papers, as printed: TF-IDF and BM25.
//!
//! The papers leave the base of the logarithm open (a > 1). It is a common factor that cancels in
//! every cosine; here it is e. A term that no document contains is treated as if one did, because
//! the printed quotients would divide by zero.

use crate::term::TermId;
use crate::vector::SparseVector;

/// The number of documents that contain each term.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentFrequency {
    documents: u64,
    containing: Vec<u32>,
}

impl DocumentFrequency {
    /// Creates frequencies over no documents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document, given its distinct terms.
    pub fn add(&mut self, distinct: impl IntoIterator<Item = TermId>) {
        self.documents += 1;
        for term in distinct {
            if self.containing.len() <= term.index() {
                self.containing.resize(term.index() + 1, 0);
            }
            self.containing[term.index()] += 1;
        }
    }

    /// Returns the number of documents added.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of documents that contain `term`.
    #[must_use]
    pub fn containing(&self, term: TermId) -> u64 {
        self.containing.get(term.index()).copied().map_or(0, u64::from)
    }
}

/// The forms of inverse document frequency in the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Idf {
    /// `log(N / N_i + 0.01)`: eq. 1 of bcw-cc and eq. 5 of fcits-oh.
    Offset,
    /// `log(N / N_i)`: eq. 9 of sdvsm. A term in every document has weight 0.
    Plain,
    /// `log((N + 1) / (N_i + 1)) + 1`: eq. 9 of sdvsm smoothed, so that no term has weight 0.
    Smooth,
}

impl Idf {
    /// Returns the value for a term in `containing` of `documents` documents; 0 if there are no
    /// documents.
    ///
    /// ```
    /// # use ontrail_text::weight::Idf;
    /// assert!((Idf::Offset.of(100, 5) - 20.01_f64.ln()).abs() < 1e-12);
    /// assert_eq!(Idf::Plain.of(20, 20), 0.0);
    /// ```
    #[must_use]
    pub fn of(self, documents: u64, containing: u64) -> f64 {
        if documents == 0 {
            return 0.0;
        }
        let all = documents as f64;
        let held = containing.clamp(1, documents) as f64;
        match self {
            Self::Offset => (all / held + 0.01).ln(),
            Self::Plain => (all / held).ln(),
            Self::Smooth => ((all + 1.0) / (containing.min(documents) as f64 + 1.0)).ln() + 1.0,
        }
    }
}

/// The forms of term frequency in the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tf {
    /// f / Σf over the text: eq. 1 of bcw-cc.
    Share,
    /// f / max f over the text: eq. 9 of sdvsm.
    Peak,
}

/// Returns the TF-IDF vector of a text, given its term counts.
///
/// `tf_idf(counts, df, Tf::Share, Idf::Offset)` is eq. 1 of bcw-cc, and `Tf::Peak` with
/// [`Idf::Plain`] is eq. 9 of sdvsm.
#[must_use]
pub fn tf_idf(
    counts: &[(TermId, u32)],
    frequency: &DocumentFrequency,
    tf: Tf,
    idf: Idf,
) -> SparseVector {
    let whole = match tf {
        Tf::Share => counts.iter().map(|&(_, count)| f64::from(count)).sum(),
        Tf::Peak => counts.iter().map(|&(_, count)| f64::from(count)).fold(0.0, f64::max),
    };
    if whole == 0.0 {
        return SparseVector::new();
    }
    let weigh = |&(term, count): &(TermId, u32)| {
        let rarity = idf.of(frequency.documents(), frequency.containing(term));
        (term, f64::from(count) / whole * rarity)
    };
    counts.iter().map(weigh).collect()
}

/// BM25 with the constants of eq. 5 of fcits-oh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Saturation: the greater, the more a repetition adds. The paper has k = 2.
    pub k: f64,
    /// Penalty for long texts, from 0 to 1. The paper has b = 0.75.
    pub b: f64,
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k: 2.0, b: 0.75 }
    }
}

impl Bm25 {
    /// Returns the summand for one text: f (k + 1) / (f + k (1 − b + b · length / average)); 0 for
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
    /// over the texts that contain it, each given as the term's count and the text's length in
    /// words.
    #[must_use]
    pub fn weight(
        &self,
        documents: u64,
        containing: u64,
        texts: impl IntoIterator<Item = (f64, f64)>,
        average_length: f64,
    ) -> f64 {
        let parts = texts.into_iter();
        let sum: f64 = parts.map(|(f, length)| self.saturation(f, length, average_length)).sum();
        Idf::Offset.of(documents, containing) * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the frequencies of twenty documents: term 0 is in five, term 1 in all, term 2 in
    /// one.
    fn frequencies() -> DocumentFrequency {
        let mut frequency = DocumentFrequency::new();
        for n in 0..20_u32 {
            let held = [(0, n < 5), (1, true), (2, n == 7)];
            frequency.add(held.iter().filter(|(_, in_it)| *in_it).map(|&(t, _)| TermId(t)));
        }
        frequency
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    // The expected values below were computed separately from the printed formulas.

    #[test]
    fn eq_1_of_bcw_cc() {
        let mut frequency = DocumentFrequency::new();
        for n in 0..100 {
            frequency.add((0..2).filter(|&t| t == 1 || n < 5).map(TermId));
        }
        let counts = [(TermId(0), 3), (TermId(1), 7)];
        let weights = tf_idf(&counts, &frequency, Tf::Share, Idf::Offset);
        close(weights.get(TermId(0)), 0.898_869_644_578_692_6);
        close(weights.get(TermId(1)), 0.006_965_231_597_217_664);
    }

    #[test]
    fn eq_9_of_sdvsm() {
        let counts = [(TermId(0), 2), (TermId(1), 4), (TermId(2), 1)];
        let weights = tf_idf(&counts, &frequencies(), Tf::Peak, Idf::Plain);
        close(weights.get(TermId(0)), 2.0 / 4.0 * 1.386_294_361_119_890_6);
        close(weights.get(TermId(1)), 0.0);
        close(weights.get(TermId(2)), 0.748_933_068_388_497_7);
    }

    #[test]
    fn eq_9_of_sdvsm_smoothed() {
        close(Idf::Smooth.of(20, 5), 2.252_762_968_495_368);
        close(Idf::Smooth.of(20, 20), 1.0);
    }

    #[test]
    fn eq_5_of_fcits_oh() {
        let bm25 = Bm25::default();
        close(bm25.saturation(1.0, 100.0, 100.0), 1.0);
        close(bm25.saturation(2.0, 50.0, 100.0), 1.846_153_846_153_846_3);
        let weight = bm25.weight(1000, 10, [(1.0, 100.0), (2.0, 50.0)], 100.0);
        close(weight, 13.107_307_438_197_825);
    }

    #[test]
    fn degenerate_counts_have_defined_values() {
        let empty = DocumentFrequency::new();
        assert!(tf_idf(&[], &empty, Tf::Share, Idf::Offset).is_empty());
        assert!(tf_idf(&[(TermId(0), 0)], &empty, Tf::Peak, Idf::Plain).is_empty());
        close(Idf::Offset.of(0, 0), 0.0);
        close(Idf::Offset.of(10, 0), 10.01_f64.ln());
        close(Idf::Plain.of(10, 99), 0.0);
        close(Bm25::default().saturation(0.0, 10.0, 0.0), 0.0);
        close(Bm25::default().saturation(1.0, 10.0, 0.0), 1.0);
    }
}
