//! The relevance of background pages.
//!
//! The paper asks a search engine and compares its results with the topic. Here, a background page
//! is relevant by its label or, without labels, by its cosine with the topic's terms (eq. 17).

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_cli::share_above_zero;
use ontrail_corpus::Document;
use ontrail_sdg::TopicTerm;
use ontrail_text::weight::{DocumentFrequency, Idf, Tf, tf_idf};
use ontrail_text::{Counts, SparseVector, TermId};
use ontrail_tool_input::with_labels;

/// Default of `T_tr`. The paper does not print it, but the mean similarities in its tables must
/// exceed it.
const THRESHOLD: f64 = 0.35;

/// The options of the background and of its relevant pages.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Background")]
pub(crate) struct RelevanceArgs {
    /// Pages on all kinds of subjects, on which the terms are counted: a dataset, a folder or
    /// tarball of pages, or a web archive
    #[arg(long, value_name = "DATA")]
    pub(crate) background: PathBuf,
    /// Label of the relevant background pages; may be repeated [default: the labels of --label, if
    /// the background has them]
    #[arg(long, value_name = "LABEL")]
    relevant: Vec<String>,
    /// Least cosine with the topic's terms of a relevant page; labels are then ignored
    /// [default: 0.35, if no labels are used]
    #[arg(
        long,
        value_name = "T",
        conflicts_with = "relevant",
        allow_hyphen_values = true,
        value_parser = share_above_zero
    )]
    threshold: Option<f64>,
}

/// The rule by which background pages are relevant.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RelevanceRule {
    Labels(Vec<String>),
    Threshold(f64),
}

impl fmt::Display for RelevanceRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Labels(labels) => write!(f, "by label ({})", labels.join(", ")),
            Self::Threshold(threshold) => {
                write!(f, "by cosine with the topic (at least {threshold})")
            }
        }
    }
}

impl RelevanceArgs {
    /// Returns the rule: labels if there are any, unless a threshold is given.
    pub(crate) fn rule(&self, labels: &[String], background: &[Document]) -> Result<RelevanceRule> {
        if let Some(threshold) = self.threshold {
            return Ok(RelevanceRule::Threshold(threshold));
        }
        if !self.relevant.is_empty() {
            return Ok(RelevanceRule::Labels(self.relevant.clone()));
        }
        let has = |label: &String| background.iter().any(|it| it.label.as_ref() == Some(label));
        let found = labels.iter().filter(|label| has(label)).count();
        if !labels.is_empty() && found == labels.len() {
            return Ok(RelevanceRule::Labels(labels.to_vec()));
        }
        if found > 0 {
            bail!(
                "{}: only some labels of --label occur here; name the labels of the relevant pages \
                 with --relevant",
                self.background.display()
            );
        }
        Ok(RelevanceRule::Threshold(THRESHOLD))
    }
}

/// A term of the topic, and its number in the counts if any text has it.
pub(crate) type Found = (TopicTerm, Option<TermId>);

/// Compares background pages with the topic: the cosine of eq. 17 over all terms of a page,
/// weighted by eq. 9 with rarity counted in the background.
pub(crate) struct Comparison<'a> {
    counts: &'a Counts<'a>,
    /// The number of the background's first page in the counts.
    first: usize,
    topic: SparseVector,
    frequency: DocumentFrequency,
    idf: Idf,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(counts: &'a Counts<'a>, first: usize, terms: &[Found], idf: Idf) -> Self {
        // Weights are divided by the greatest: the squares of weights that people write may
        // overflow.
        let greatest = terms.iter().map(|(term, _)| term.weight).fold(f64::MIN_POSITIVE, f64::max);
        let shares = terms.iter().filter_map(|(term, id)| Some(((*id)?, term.weight / greatest)));
        let frequency = counts.frequency(first..counts.len());
        Self { counts, first, topic: shares.collect(), frequency, idf }
    }

    fn cosines(&self) -> impl Iterator<Item = f64> {
        (self.first..self.counts.len()).map(|page| {
            let weights = tf_idf(self.counts.of(page), &self.frequency, Tf::Peak, self.idf);
            weights.cosine(&self.topic)
        })
    }

    /// Returns the highest cosine of any page.
    pub(crate) fn nearest(&self) -> f64 {
        self.cosines().fold(0.0, f64::max)
    }
}

impl RelevanceRule {
    /// Returns for each background page whether it is relevant.
    pub(crate) fn flags(
        &self,
        background: &[Document],
        path: &Path,
        comparison: &Comparison<'_>,
    ) -> Result<Vec<bool>> {
        match self {
            Self::Labels(labels) => {
                let mut flags = vec![false; background.len()];
                let relevant = with_labels(background, labels, path, "--relevant")?;
                relevant.into_iter().for_each(|place| flags[place] = true);
                Ok(flags)
            }
            Self::Threshold(threshold) => {
                // Rounding must not exclude a page that equals the topic from a threshold of 1.
                let least = threshold * (1.0 - 1e-9);
                Ok(comparison.cosines().map(|cosine| cosine >= least).collect())
            }
        }
    }
}
