//! The judge that combines a topic, a classifier and a disambiguation graph: a small model of its
//! own, fitted on example pages, which returns P(relevant).
//!
//! A judge reads the scores of certain models by a certain way of scoring. It knows their checksums
//! and refuses others, whose scores mean something else.

mod evidence;
mod fit;
mod logistic;
mod rebuild;

use std::path::Path;

use ontrail_artifact::{
    ArtifactError, Checksum, Destination, Format, Provenance, read_json, write_json,
};
use ontrail_calibration::{ProbabilityCurve, StartCurve};
use ontrail_topic::{Quality, Scoring};
use serde::{Deserialize, Serialize};

pub use evidence::EvidenceKind;
pub use fit::{Example, FitError, FittedJudge};
pub use logistic::{Logistic, Weighed};

pub(crate) use evidence::Evidence;

/// The artifact format of judges: a JSON file that people can read.
pub const JUDGE_FORMAT: Format =
    Format { kind: "page judge", version: 1, oldest: 1, rebuild: "ontrail crawl judge" };

/// Pages of each kind below which the intervals of a judge matter more than its values.
const FEW: u64 = 10;

/// A model that combines R(p), the posterior of a class, and R(p) with a disambiguation graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CombinedJudge {
    /// The models and the way of scoring that it was fitted for.
    pub models: JudgedModels,
    /// The combination, with the numbers in the order of `evidence`.
    pub combination: Logistic,
    /// The share of relevant pages for which P(relevant) holds: that among the examples.
    pub prior: f64,
    /// Number of on-topic and of off-topic example pages.
    pub pages: [u64; 2],
    /// The quality of the combination, on pages that no model has seen.
    pub quality: Quality,
    /// The evidence, each kind with the quality that it has alone, on such pages.
    pub evidence: Vec<EvidenceQuality>,
}

/// The models that a judge was fitted for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedModels {
    /// The name of the topic, for people.
    pub name: String,
    /// The checksum of the topic's terms and background.
    pub topic: Checksum,
    /// The way of scoring. The part of pages is the judge's own choice.
    pub scoring: Scoring,
    /// The checksum of the classifier.
    pub classifier: Checksum,
    /// The class of relevant pages.
    pub class: String,
    /// The checksum of the disambiguation graph, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdg: Option<Checksum>,
}

/// A kind of evidence, and its quality on its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceQuality {
    /// The kind.
    pub kind: EvidenceKind,
    /// The quality of a judgement by it alone.
    pub quality: Quality,
}

/// An error in reading a judge.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The file cannot be read, or is no judge.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The numbers in the file are impossible.
    #[error("{path}: the judge is damaged: {reason}; make it again with ontrail crawl judge")]
    Damaged {
        /// The file.
        path: String,
        /// The fault.
        reason: &'static str,
    },
}

impl CombinedJudge {
    /// Reads a judge.
    pub fn read(path: &Path) -> Result<Self, JudgeError> {
        let (_, judge): (_, Self) = read_json(path, &JUDGE_FORMAT)?;
        let damaged = |reason| {
            let path = path.display().to_string();
            Err(JudgeError::Damaged { path, reason })
        };
        let kinds: Vec<EvidenceKind> = judge.evidence.iter().map(|it| it.kind).collect();
        if kinds != EvidenceKind::used(judge.models.sdg.is_some())
            || judge.combination.numbers.len() != kinds.len()
        {
            return damaged("its evidence does not fit its models");
        }
        if !judge.combination.is_valid() {
            return damaged("its weights are not finite and at least 0, or a scale is not above 0");
        }
        if !(judge.prior > 0.0 && judge.prior < 1.0) {
            return damaged("the prior does not lie between 0 and 1");
        }
        Ok(judge)
    }

    /// Writes a judge.
    pub fn write<'a>(
        &self,
        to: impl Into<Destination<'a>>,
        provenance: &Provenance,
    ) -> Result<(), ArtifactError> {
        write_json(to, &JUDGE_FORMAT, provenance, self)
    }

    /// Returns P(relevant) of a page, for the share of relevant pages among the examples.
    pub(crate) fn probability(&self, page: &Evidence) -> f64 {
        self.combination.probability(&page.numbers())
    }

    /// Returns P(relevant) of each answer as far as it is known before a crawl: the answer itself.
    pub(crate) fn start_curve(&self) -> StartCurve {
        let curve = ProbabilityCurve::of(|score| score);
        StartCurve { curve, prior: self.prior, is_of_topic: true }
    }

    /// Returns false if the judge may be no better than chance.
    #[must_use]
    pub fn separates(&self) -> bool {
        self.quality.auc.low > 0.5
    }

    /// Returns true if there were so few examples that the intervals matter more than the values.
    #[must_use]
    pub fn is_from_few_pages(&self) -> bool {
        self.pages.iter().any(|&pages| pages < FEW)
    }
}

impl JudgedModels {
    /// Returns the difference from the models that are used, if there is one.
    pub(crate) fn difference(&self, used: &Self) -> Option<String> {
        if self.topic != used.topic {
            return Some(format!("the topic {} with other terms or another background", self.name));
        }
        if self.classifier != used.classifier {
            return Some("another classifier".to_owned());
        }
        if self.class != used.class {
            return Some(format!("the class {:?}, not {:?}", self.class, used.class));
        }
        let scoring = Scoring { content: self.scoring.content, ..used.scoring.clone() };
        if self.scoring != scoring {
            return Some(format!("scores by {}, not by {scoring}", self.scoring));
        }
        match (&self.sdg, &used.sdg) {
            (Some(own), Some(other)) if own != other => {
                Some("another disambiguation graph".to_owned())
            }
            (Some(_), None) => Some("a disambiguation graph, to be given with --sdg".to_owned()),
            _ => None,
        }
    }
}
