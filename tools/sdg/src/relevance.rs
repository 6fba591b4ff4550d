//! Which pages of the background are on the topic.
//!
//! The paper's authors ask a search engine and compare what comes with the topic. Here a label says so,
//! where there are labels, or the cosine with the topic's terms does (eq. 17).

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

/// The paper does not print `T_tr`; the mean similarities in its tables must exceed it.
const THRESHOLD: f64 = 0.35;

/// What tells that a page of the background is on the topic.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "The background")]
pub(crate) struct RelevanceArgs {
    /// Pages on all kinds of subjects, in which to count: a dataset, a folder or tarball of pages, a web
    /// archive
    #[arg(long, value_name = "DATA")]
    pub(crate) background: PathBuf,
    /// The label of the background's pages on the topic; may be repeated [default: those of --label, if
    /// the background has them]
    #[arg(long, value_name = "LABEL")]
    relevant: Vec<String>,
    /// Call a page on the topic if its cosine with the topic's terms is at least this, whatever its label
    /// [default: 0.35, where no label says it]
    #[arg(
        long,
        value_name = "T",
        conflicts_with = "relevant",
        allow_hyphen_values = true,
        value_parser = share_above_zero
    )]
    threshold: Option<f64>,
}

/// How relevance was told.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Told {
    Labels(Vec<String>),
    Threshold(f64),
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Labels(labels) => write!(f, "by their label ({})", labels.join(", ")),
            Self::Threshold(threshold) => {
                write!(f, "by their cosine with the topic (at least {threshold})")
            }
        }
    }
}

impl RelevanceArgs {
    /// How relevance is to be told: by labels where there are any, unless a threshold is given.
    pub(crate) fn told(&self, labels: &[String], background: &[Document]) -> Result<Told> {
        if let Some(threshold) = self.threshold {
            return Ok(Told::Threshold(threshold));
        }
        if !self.relevant.is_empty() {
            return Ok(Told::Labels(self.relevant.clone()));
        }
        let has = |label: &String| background.iter().any(|it| it.label.as_ref() == Some(label));
        let found = labels.iter().filter(|label| has(label)).count();
        if !labels.is_empty() && found == labels.len() {
            return Ok(Told::Labels(labels.to_vec()));
        }
        if found > 0 {
            bail!(
                "{}: has pages of some labels of --label only; say with --relevant which are on the topic",
                self.background.display()
            );
        }
        Ok(Told::Threshold(THRESHOLD))
    }
}

/// A term of the topic with its number in the counts, if it is in any text.
pub(crate) type Found = (TopicTerm, Option<TermId>);

/// How near the pages of the background are to the topic: the cosine of eq. 17, over all terms of a page, weighed
/// by eq. 9 with rarity counted in the background.
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
        // As shares of the greatest: squares of what people write can leave the range of numbers.
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

    /// The greatest cosine of any page.
    pub(crate) fn nearest(&self) -> f64 {
        self.cosines().fold(0.0, f64::max)
    }
}

impl Told {
    /// Whether each page of the background is on the topic.
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
                // A page that is the topic itself has a cosine of 1 but for rounding.
                let least = threshold * (1.0 - 1e-9);
                Ok(comparison.cosines().map(|cosine| cosine >= least).collect())
            }
        }
    }
}
