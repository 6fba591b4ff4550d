//! The kind of topic that a recipe expects, and its comparison of texts with the topic.

use serde::{Deserialize, Serialize};

/// The origin of a topic's weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TopicRecipe {
    /// Any topic, or none.
    Any {},
    /// An ontology: weights are similarities to the topic's concept (`ontrail topic weigh`).
    Sem {
        /// The form of `IF_Dep` in the similarity, if it matters.
        #[serde(default, rename = "dep-mode", skip_serializing_if = "Option::is_none")]
        dep_mode: Option<DepMode>,
    },
    /// Texts about the topic: weights are TF-IDF (`ontrail topic learn`).
    Tfidf {},
    /// Terms and weights given by a person (`ontrail topic keywords`).
    Keywords {},
}

/// The forms of `IF_Dep`, the depth factor of Sem (eq. 1 of fcits-oh), of two concepts at the
/// depths d₁ and d₂.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DepMode {
    /// Uses the sum d₁ + d₂.
    Sum,
    /// Uses the difference of the depths.
    Diff,
}

/// The ways to compare texts with the topic.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SimilarityRecipe {
    /// The cosine of the two vectors.
    Vsm(SimilaritySettings),
    /// The mean similarity of all pairs of terms.
    Ssrm(SimilaritySettings),
    /// The cosine of the vectors over all pairs of terms.
    Svsm(SimilaritySettings),
}

/// Settings of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct SimilaritySettings {
    /// The weights of terms on a page.
    pub weights: Weights,
    /// The terms over which the length of a text is computed; as in the paper, if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub norm: Option<NormChoice>,
    /// True if a disambiguation graph removes words that do not mean the topic.
    pub sdg: bool,
    /// The part of a page that is compared.
    #[serde(skip_serializing_if = "ContentChoice::is_page")]
    pub content: ContentChoice,
    /// The weights of terms in anchor texts.
    #[serde(skip_serializing_if = "AnchorChoice::is_tfidf")]
    pub anchor: AnchorChoice,
}

impl Default for SimilaritySettings {
    fn default() -> Self {
        Self {
            weights: Weights::Labels,
            norm: None,
            sdg: false,
            content: ContentChoice::Page,
            anchor: AnchorChoice::Tfidf,
        }
    }
}

/// The part of a page that is compared with the topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContentChoice {
    /// The main content.
    Main,
    /// The whole page, as in the papers.
    #[default]
    Page,
    /// The main content of articles, and the whole of other pages.
    Auto,
}

impl ContentChoice {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_page(&self) -> bool {
        *self == Self::Page
    }
}

/// The weights of terms in anchor texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnchorChoice {
    /// f · idf by the topic's background (section 2.3 of bcw-cc). Each anchor text is compared like
    /// any other text, and the best of several counts.
    #[default]
    Tfidf,
    /// BM25 over the pages fetched so far (eq. 5 and 6 of fcits-oh). The anchor texts of a link on
    /// all pages that have it are compared together.
    Bm25,
}

impl AnchorChoice {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_tfidf(&self) -> bool {
        *self == Self::Tfidf
    }
}

/// The weights of terms on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// By label groups (eq. 3 of fcits-oh, eq. 2 of bcw-cc).
    Labels,
    /// By the greatest tag weight (gafc).
    Tags,
    /// TF-IDF (eq. 9 of sdvsm).
    #[serde(alias = "tfidf")]
    TfIdf,
}

/// The terms over which the length of a text is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormChoice {
    /// The terms of the topic.
    Topic,
    /// All terms.
    Text,
    /// The pairs of similar terms; for svsm.
    Pairs,
}

impl SimilarityRecipe {
    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &SimilaritySettings {
        match self {
            Self::Vsm(it) | Self::Ssrm(it) | Self::Svsm(it) => it,
        }
    }

    /// Returns true if meanings are compared, which needs a taxonomy.
    #[must_use]
    pub fn needs_meanings(&self) -> bool {
        !matches!(self, Self::Vsm(_))
    }
}

impl Default for TopicRecipe {
    fn default() -> Self {
        Self::Any {}
    }
}

impl Default for SimilarityRecipe {
    fn default() -> Self {
        Self::Vsm(SimilaritySettings::default())
    }
}
