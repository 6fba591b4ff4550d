//! Which of the papers' models compares a text with a topic.

use ontrail_page::LabelGroup;
use ontrail_text::weight::Idf;

/// How two weighted vectors are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Similarity {
    /// The cosine (eq. 4 of fcits-oh, eq. 3 of bcw-cc, eq. 17 of sdvsm, gafc).
    Vsm,
    /// The mean similarity of all pairs of terms (eq. 18 of sdvsm).
    Ssrm,
    /// The cosine of the vectors over all pairs of terms (eq. 19 of sdvsm).
    Svsm,
}

/// What a term weighs on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weighting {
    /// Σ over label groups of f / max f · `W_k` (eq. 3 of fcits-oh, eq. 2 of bcw-cc).
    Labels([f64; 5]),
    /// The frequency times the weight of the best tag that the term is in (gafc).
    Tags,
    /// f / max f · idf (eq. 9 of sdvsm).
    TfIdf,
}

/// Over which terms the length of a text's vector is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// Those of the topic, as fcits-oh, bcw-cc and gafc print it.
    Topic,
    /// All terms of the text: otherwise a text with a single word of the topic in it would be as near
    /// as can be (sdvsm leaves this open).
    Text,
    /// The pairs of terms that are alike, as eq. 19 of sdvsm prints it; for SVSM only.
    Pairs,
}

/// A model of how near a text is to a topic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// How vectors are compared.
    pub similarity: Similarity,
    /// What terms weigh on a page. In an anchor, a context or a content block they weigh f · idf.
    pub weighting: Weighting,
    /// The length of the text's vector.
    pub norm: Norm,
    /// How rarity is measured.
    pub idf: Idf,
    /// Pairs of terms less similar than this are left out of SSRM and SVSM: in a large taxonomy everything is
    /// a little like everything.
    pub least_similarity: f64,
}

impl Model {
    /// Table 1 of fcits-oh and bcw-cc.
    #[must_use]
    pub fn label_weights() -> Weighting {
        Weighting::Labels(LabelGroup::ALL.map(LabelGroup::weight))
    }

    /// The model of fcits-oh and bcw-cc: the cosine with label weights.
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

    /// The model of gafc: the cosine with the weights of tags.
    #[must_use]
    pub fn tags() -> Self {
        Self { weighting: Weighting::Tags, ..Self::labels() }
    }

    /// The models of sdvsm: TF-IDF over the whole text.
    #[must_use]
    pub fn tf_idf(similarity: Similarity) -> Self {
        let norm = if similarity == Similarity::Svsm { Norm::Pairs } else { Norm::Text };
        Self { similarity, weighting: Weighting::TfIdf, norm, idf: Idf::Plain, ..Self::labels() }
    }

    /// Whether words besides the topic's own count.
    pub(crate) fn needs_all_terms(&self) -> bool {
        self.norm == Norm::Text || self.similarity != Similarity::Vsm
    }
}
