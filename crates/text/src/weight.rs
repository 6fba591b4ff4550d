//! The term weights of the papers, as printed: TF-IDF.
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

    /// Adds documents of which only the numbers are known: how many there are, and how many contain
    /// each of some terms.
    pub fn add_counted(
        &mut self,
        documents: u64,
        containing: impl IntoIterator<Item = (TermId, u32)>,
    ) {
        self.documents += documents;
        for (term, count) in containing {
            if self.containing.len() <= term.index() {
                self.containing.resize(term.index() + 1, 0);
            }
            self.containing[term.index()] += count;
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
    fn degenerate_counts_have_defined_values() {
        let empty = DocumentFrequency::new();
        assert!(tf_idf(&[], &empty, Tf::Share, Idf::Offset).is_empty());
        assert!(tf_idf(&[(TermId(0), 0)], &empty, Tf::Peak, Idf::Plain).is_empty());
        close(Idf::Offset.of(0, 0), 0.0);
        close(Idf::Offset.of(10, 0), 10.01_f64.ln());
        close(Idf::Plain.of(10, 99), 0.0);
    }
}
