//! Selects the terms of a domain and crosses them with the documents: from counts to a formal
//! context. This is the reconstruction of step 3 of fcits-oh, section 2.1 (see docs/papers.md).
//!
//! A term is a candidate if it occurs in enough documents, but not in nearly all of them.
//! Candidates are ranked by the sum of their TF-IDF weights. A document has a term in the context
//! if the term occurs in it with a weight of at least the threshold θ.

use ontrail_fca::{Context, ContextBuilder, ContextError, Names};
use ontrail_text::{Counts, TermId};

/// The least weight that a term needs in a document for the document to have it in the context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// A TF-IDF weight.
    Weight(f64),
    /// A percentile of the weights in the document, as a share from 0 to 1: with 0.25, a quarter of
    /// the document's terms weigh too little.
    Percentile(f64),
}

impl std::fmt::Display for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Weight(weight) => write!(f, "{weight}"),
            Self::Percentile(share) => write!(f, "p{}", share * 100.0),
        }
    }
}

impl std::str::FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is neither a weight such as 0.01 nor a percentile such as p25");
        let number = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite());
        if let Some(percent) = text.strip_prefix('p') {
            number(percent)
                .filter(|percent| (0.0..=100.0).contains(percent))
                .map(|percent| Self::Percentile(percent / 100.0))
                .ok_or_else(wrong)
        } else {
            let weight = number(text).filter(|&weight| weight >= 0.0);
            weight.map(Self::Weight).ok_or_else(wrong)
        }
    }
}

/// Settings for the selection of terms.
///
/// | setting | default | purpose |
/// |---|---|---|
/// | `min_documents` | 3 | least number of documents in which a candidate occurs |
/// | `min_share` | 0.02 | least share of the documents in which a candidate occurs |
/// | `max_share` | 0.8 | greatest share of the documents in which a candidate occurs |
/// | `top` | 60 | number of candidates to select, the heaviest first |
/// | `threshold` | 0 | least weight of a term in a document for a cross in the context |
/// | `keywords` | none | terms to select regardless of their weight and number of documents |
/// | `leave_out` | none | terms that are never candidates |
#[derive(Debug, Clone)]
pub struct Selection {
    min_documents: u64,
    min_share: f64,
    max_share: f64,
    top: usize,
    threshold: Threshold,
    keywords: Vec<String>,
    leave_out: Vec<String>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            min_documents: 3,
            min_share: 0.02,
            max_share: 0.8,
            top: 60,
            threshold: Threshold::Weight(0.0),
            keywords: Vec::new(),
            leave_out: Vec::new(),
        }
    }
}

/// The reason why no terms were selected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// A share is not between 0 and 1.
    #[error("{0} is not a share from 0 to 1")]
    Share(f64),
    /// No document contains these keywords.
    #[error(
        "no document contains these keywords: {}; remove them, or check their spelling",
        .0.join(", ")
    )]
    AbsentKeywords(Vec<String>),
    /// There are neither candidates nor keywords.
    #[error(
        "no term occurs in at least {min} and at most {max} of {documents} documents; widen the \
         range or give keywords"
    )]
    NoTerms {
        /// The least number of documents.
        min: u64,
        /// The greatest number of documents.
        max: u64,
        /// Number of all documents.
        documents: usize,
    },
    /// There are candidates, but `top` is 0 and there are no keywords.
    #[error("{candidates} candidate terms, but the number to select is 0 and no keyword was given")]
    NothingWanted {
        /// Number of candidates.
        candidates: usize,
    },
    /// No term reaches the threshold in any document.
    #[error("no term reaches the threshold {threshold} in any document; lower it")]
    TooHigh {
        /// The threshold.
        threshold: String,
    },
    /// The context cannot be built, for instance because two documents have the same name.
    #[error(transparent)]
    Context(#[from] ContextError),
}

/// The selected terms.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// Each term with the sum of its weights, heaviest first, in the order of the context's
    /// attributes.
    pub terms: Vec<(String, f64)>,
    /// The context of the documents and the selected terms.
    pub context: Context,
    /// Number of candidates, before the heaviest were selected.
    pub candidates: usize,
}

impl Selection {
    /// Returns the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the least number of documents in which a candidate must occur.
    #[must_use]
    pub fn min_documents(mut self, documents: u64) -> Self {
        self.min_documents = documents;
        self
    }

    /// Sets the least share of the documents in which a candidate must occur.
    #[must_use]
    pub fn min_share(mut self, share: f64) -> Self {
        self.min_share = share;
        self
    }

    /// Sets the greatest share of the documents in which a candidate may occur.
    #[must_use]
    pub fn max_share(mut self, share: f64) -> Self {
        self.max_share = share;
        self
    }

    /// Sets the number of candidates to select, the heaviest first.
    #[must_use]
    pub fn top(mut self, terms: usize) -> Self {
        self.top = terms;
        self
    }

    /// Sets the least weight that a term needs in a document for a cross in the context.
    #[must_use]
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets terms to select in any case. A document has them in the context if it contains them,
    /// regardless of their weight.
    #[must_use]
    pub fn keywords<T: Into<String>>(mut self, terms: impl IntoIterator<Item = T>) -> Self {
        self.keywords = terms.into_iter().map(Into::into).collect();
        self
    }

    /// Sets terms that are never candidates.
    #[must_use]
    pub fn leave_out<T: Into<String>>(mut self, terms: impl IntoIterator<Item = T>) -> Self {
        self.leave_out = terms.into_iter().map(Into::into).collect();
        self
    }

    /// Selects terms and builds the context.
    pub fn choose(&self, counts: &Counts<'_>) -> Result<Chosen, SelectionError> {
        for share in [self.min_share, self.max_share] {
            if !(0.0..=1.0).contains(&share) {
                return Err(SelectionError::Share(share));
            }
        }
        let totals = counts.total_weights();
        let keywords = self.find_keywords(counts)?;
        let (min, max) = self.range(counts.len());
        let left_out: Vec<Option<TermId>> =
            self.leave_out.iter().map(|term| counts.find(term)).collect();
        let is_candidate = |term: &TermId| {
            (min..=max).contains(&counts.documents_with(*term))
                && !keywords.iter().any(|(_, keyword)| keyword == term)
                && !left_out.contains(&Some(*term))
        };
        let mut candidates: Vec<TermId> =
            counts.vocabulary().iter().map(|(term, _)| term).filter(is_candidate).collect();
        let name = |term: TermId| counts.name(term);
        let heaviest_first = |a: &TermId, b: &TermId| {
            totals[b.index()].total_cmp(&totals[a.index()]).then_with(|| name(*a).cmp(name(*b)))
        };
        candidates.sort_by(heaviest_first);
        let found = candidates.len();
        candidates.truncate(self.top);
        // A keyword keeps the spelling of the user.
        let mut chosen: Vec<(String, TermId, bool)> =
            keywords.into_iter().map(|(word, term)| (word, term, true)).collect();
        chosen.extend(candidates.into_iter().map(|term| (name(term).to_owned(), term, false)));
        chosen.sort_by(|a, b| heaviest_first(&a.1, &b.1));
        if chosen.is_empty() && found > 0 {
            return Err(SelectionError::NothingWanted { candidates: found });
        }
        if chosen.is_empty() {
            return Err(SelectionError::NoTerms { min, max, documents: counts.len() });
        }
        let crossed = self.cross(counts, &chosen)?;
        // Drops terms that reach the threshold in no document.
        let columns = crossed.columns();
        let kept: Vec<usize> = (0..columns.len()).filter(|&it| !columns[it].is_empty()).collect();
        if kept.is_empty() {
            return Err(SelectionError::TooHigh { threshold: self.threshold.to_string() });
        }
        let documents: Vec<usize> = (0..counts.len()).collect();
        let context = crossed.restricted(&documents, &kept);
        let terms =
            kept.iter().map(|&it| (chosen[it].0.clone(), totals[chosen[it].1.index()])).collect();
        Ok(Chosen { terms, context, candidates: found })
    }

    fn find_keywords(&self, counts: &Counts<'_>) -> Result<Vec<(String, TermId)>, SelectionError> {
        let mut found: Vec<(String, TermId)> = Vec::new();
        let mut absent = Vec::new();
        for word in &self.keywords {
            let term = counts.find(word).filter(|&term| counts.documents_with(term) > 0);
            let Some(term) = term else {
                absent.push(word.clone());
                continue;
            };
            if !found.iter().any(|(_, known)| *known == term) {
                found.push((word.clone(), term));
            }
        }
        if !absent.is_empty() {
            return Err(SelectionError::AbsentKeywords(absent));
        }
        Ok(found)
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shares of a count")]
    fn range(&self, documents: usize) -> (u64, u64) {
        // The bounds are rounded inwards, with tolerance for the rounding error of the product.
        let part = |share: f64| share * documents as f64;
        let min = (part(self.min_share) - 1e-9).ceil() as u64;
        let max = (part(self.max_share) + 1e-9).floor() as u64;
        (min.max(self.min_documents).max(1), max)
    }

    fn cross(
        &self,
        counts: &Counts<'_>,
        chosen: &[(String, TermId, bool)],
    ) -> Result<Context, SelectionError> {
        let mut place = vec![None; counts.vocabulary().len()];
        for (number, &(_, term, is_keyword)) in (0..).zip(chosen) {
            place[term.index()] = Some((number, is_keyword));
        }
        let mut builder = ContextBuilder::new();
        for document in 0..counts.len() {
            let weights = counts.weights(document);
            let least = match self.threshold {
                Threshold::Weight(weight) => weight,
                Threshold::Percentile(share) => percentile(weights.iter().map(|it| it.1), share),
            };
            let row: Vec<u32> = counts
                .of(document)
                .iter()
                .filter_map(|&(term, _)| {
                    let (number, is_keyword) = place[term.index()]?;
                    (is_keyword || weights.get(term) >= least).then_some(number)
                })
                .collect();
            builder.row(&row);
        }
        let terms = chosen.iter().map(|(word, ..)| word.clone()).collect();
        Ok(builder.finish(Names::Given(counts.names()), Names::Given(terms))?)
    }
}

/// Returns the percentile of the values, as one of them (nearest rank).
fn percentile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count"
    )]
    let rank = (share * sorted.len() as f64).floor() as usize;
    sorted.get(rank.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "a percentile is one of the values")]
    fn a_percentile_is_one_of_the_values() {
        let values = [4.0, 1.0, 3.0, 2.0];
        let of = |share| percentile(values.into_iter(), share);
        assert_eq!([of(0.0), of(0.25), of(0.5), of(1.0)], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(percentile(std::iter::empty(), 0.5), 0.0);
    }

    #[test]
    fn thresholds_are_weights_or_percentiles() {
        assert_eq!("p25".parse(), Ok(Threshold::Percentile(0.25)));
        assert_eq!("0.1".parse(), Ok(Threshold::Weight(0.1)));
        for wrong in ["", "p", "p101", "pNaN", "x", "inf"] {
            assert!(wrong.parse::<Threshold>().is_err(), "{wrong}");
        }
    }
}
