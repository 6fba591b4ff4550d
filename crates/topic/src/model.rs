//! The models of the papers that compare a text with a topic.

use ontrail_page::LabelGroup;
use ontrail_text::weight::Idf;
use serde::{Deserialize, Serialize};

/// The comparison of two weighted vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Similarity {
    /// The cosine (eq. 4 of fcits-oh, eq. 3 of bcw-cc, eq. 17 of sdvsm, gafc).
    Vsm,
    /// The mean similarity of all pairs of terms (eq. 18 of sdvsm).
    Ssrm,
    /// The cosine of the vectors over all pairs of terms (eq. 19 of sdvsm).
    Svsm,
}

/// The weight of a term on a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weighting {
    /// Σ over label groups of f / max f · `W_k` (eq. 3 of fcits-oh, eq. 2 of bcw-cc).
    Labels([f64; 5]),
    /// The frequency times the weight of the heaviest tag around the term (gafc).
    Tags,
    /// f / max f · idf (eq. 9 of sdvsm).
    TfIdf,
}

/// The terms over which the length of a text's vector is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// The terms of the topic, as fcits-oh, bcw-cc and gafc print it.
    Topic,
    /// All terms of the text. Otherwise a text with a single word of the topic would have relevance
    /// 1 (sdvsm leaves this open).
    Text,
    /// The pairs of similar terms, as eq. 19 of sdvsm prints it; for SVSM only.
    Pairs,
}

/// A model that computes the relevance of a text to a topic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// The comparison of vectors.
    pub similarity: Similarity,
    /// The weight of a term on a page. In an anchor text, a link context or a content block the
    /// weight is always f · idf.
    pub weighting: Weighting,
    /// The terms that count for the length of the text's vector.
    pub norm: Norm,
    /// The form of inverse document frequency.
    pub idf: Idf,
    /// Least similarity of a pair of terms that counts in SSRM and SVSM. In a large taxonomy, any
    /// two words are a little similar.
    pub least_similarity: f64,
}

impl Model {
    /// Returns the label weights of Table 1 of fcits-oh and bcw-cc.
    #[must_use]
    pub fn label_weights() -> Weighting {
        Weighting::Labels(LabelGroup::ALL.map(LabelGroup::weight))
    }

    /// Returns the model of fcits-oh and bcw-cc: the cosine with label weights.
    #[must_use]
    pub fn labels() -> Self {
        Self {
            similarity: Similarity::Vsm,
            weighting: Self::label_weights(),
            norm: Norm::Topic,
            idf: Idf::Offset,
            least_similarity: 0.1,
        }
    }

    /// Returns the model of gafc: the cosine with tag weights.
    #[must_use]
    pub fn tags() -> Self {
        Self { weighting: Weighting::Tags, ..Self::labels() }
    }

    /// Returns a model of sdvsm: TF-IDF over the whole text.
    #[must_use]
    pub fn tf_idf(similarity: Similarity) -> Self {
        let norm = if similarity == Similarity::Svsm { Norm::Pairs } else { Norm::Text };
        Self { similarity, weighting: Weighting::TfIdf, norm, idf: Idf::Plain, ..Self::labels() }
    }

    /// Returns true if words that are not in the topic count too.
    pub(crate) fn needs_all_terms(&self) -> bool {
        self.norm == Norm::Text || self.similarity != Similarity::Vsm
    }
}
