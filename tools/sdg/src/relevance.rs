//! The relevance of background pages.
//!
//! The paper asks a search engine and compares its results with the topic. Here, a background page
//! is relevant by its label or, without labels, by its cosine with the topic's terms (eq. 17). The
//! paper does not print the least cosine `T_tr`, and one that fits a topic fits no other: it is
//! chosen so that it separates the topic pages from the background ([`Separation`]).

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
use ontrail_topic::{Curve, Goal};

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
    /// Least cosine with the topic's terms of a relevant page; labels are then ignored [default, if
    /// no labels are used: the one that best separates the topic pages from the background]
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
    Chosen(Separation),
}

/// A threshold of the cosine that separates the topic pages from the background, and how well it
/// does that.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(crate) struct Separation {
    /// `T_tr`: a page is relevant if its cosine is greater.
    pub(crate) threshold: f64,
    /// The share of topic pages above it. Each is compared with terms that were learned without it.
    pub(crate) topic_pages: f64,
    /// The share of background pages above it.
    pub(crate) background: f64,
}

impl Separation {
    /// Chooses the threshold with the greatest F1, for as many topic pages as background pages. The
    /// background may have relevant pages of its own, so its pages must not count by their number:
    /// a few of them above the threshold are expected. Returns none if no topic page is similar to
    /// the others.
    pub(crate) fn of(mut topic_pages: Vec<f64>, mut background: Vec<f64>) -> Option<Self> {
        topic_pages.sort_by(f64::total_cmp);
        background.sort_by(f64::total_cmp);
        let best = Curve::of(&topic_pages, &background, 0.5).best(Goal::F1)?;
        Some(Self {
            threshold: best.threshold,
            topic_pages: best.recall,
            background: best.false_alarms,
        })
    }

    /// Returns true if hardly more topic pages than background pages are above the threshold.
    pub(crate) fn is_poor(&self) -> bool {
        self.topic_pages < 2.0 * self.background
    }
}

impl fmt::Display for RelevanceRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Labels(labels) => write!(f, "by label ({})", labels.join(", ")),
            Self::Threshold(threshold) => {
                write!(f, "by cosine with the topic (at least {threshold})")
            }
            Self::Chosen(Separation { threshold, topic_pages, background }) => write!(
                f,
                "by cosine with the topic (above {threshold:.3}, which {:.0} % of the topic pages \
                 exceed and {:.1} % of the background)",
                100.0 * topic_pages,
                100.0 * background
            ),
        }
    }
}

impl RelevanceArgs {
    /// Returns the rule: labels if there are any, unless a threshold is given; none if a threshold
    /// must be chosen.
    pub(crate) fn rule(
        &self,
        labels: &[String],
        background: &[Document],
    ) -> Result<Option<RelevanceRule>> {
        if let Some(threshold) = self.threshold {
            return Ok(Some(RelevanceRule::Threshold(threshold)));
        }
        if !self.relevant.is_empty() {
            return Ok(Some(RelevanceRule::Labels(self.relevant.clone())));
        }
        let has = |label: &String| background.iter().any(|it| it.label.as_ref() == Some(label));
        let found = labels.iter().filter(|label| has(label)).count();
        if !labels.is_empty() && found == labels.len() {
            return Ok(Some(RelevanceRule::Labels(labels.to_vec())));
        }
        if found > 0 {
            bail!(
                "{}: only some labels of --label occur here; name the labels of the relevant pages \
                 with --relevant",
                self.background.display()
            );
        }
        Ok(None)
    }
}

/// A term of the topic, and its number in the counts if any text has it.
pub(crate) type Found = (TopicTerm, Option<TermId>);

/// Compares pages with the topic: the cosine of eq. 17 over all terms of a page, weighted by eq. 9
/// with rarity counted in the background.
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
        let frequency = counts.frequency(first..counts.len());
        Self { counts, first, topic: vector(terms), frequency, idf }
    }

    /// Returns the cosine of each background page with the topic.
    pub(crate) fn cosines(&self) -> impl Iterator<Item = f64> {
        (self.first..self.counts.len()).map(|page| self.weights(page).cosine(&self.topic))
    }

    /// Returns the cosine of any page with other terms than those of the topic.
    pub(crate) fn cosine_with(&self, page: usize, terms: &[Found]) -> f64 {
        self.weights(page).cosine(&vector(terms))
    }

    fn weights(&self, page: usize) -> SparseVector {
        tf_idf(self.counts.of(page), &self.frequency, Tf::Peak, self.idf)
    }

    /// Returns the highest cosine of any page.
    pub(crate) fn nearest(&self) -> f64 {
        self.cosines().fold(0.0, f64::max)
    }
}

/// Returns the vector of some terms. Weights are divided by the greatest: the squares of weights
/// that people write may overflow.
fn vector(terms: &[Found]) -> SparseVector {
    let greatest = terms.iter().map(|(term, _)| term.weight).fold(f64::MIN_POSITIVE, f64::max);
    terms.iter().filter_map(|(term, id)| Some(((*id)?, term.weight / greatest))).collect()
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
            Self::Chosen(it) => {
                Ok(comparison.cosines().map(|cosine| cosine > it.threshold).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Above .095 are all topic pages and one of ten background pages, so the precision is 1 / (1 +
    /// .1) and F1 = .95. Above .05 it is 2 / (2 + .3) = .87, because of three background pages, and
    /// above .15, without one topic page, it is less.
    #[test]
    fn the_threshold_separates_topic_pages_from_the_background() {
        let background = [0.0, 0.0, 0.0, 0.0, 0.0, 0.01, 0.02, 0.08, 0.09, 0.3];
        let found = Separation::of(vec![0.4, 0.1, 0.3, 0.2], background.to_vec()).unwrap();
        assert!((found.threshold - 0.095).abs() < 1e-12, "{found:?}");
        assert!((found.topic_pages - 1.0).abs() < 1e-12);
        assert!((found.background - 0.1).abs() < 1e-12 && !found.is_poor());
        // Half of the background is about the topic too: it does not count as wrong.
        let alike = [vec![0.0; 5], vec![0.3; 5]].concat();
        let found = Separation::of(vec![0.2, 0.3, 0.4, 0.5], alike).unwrap();
        assert!(found.threshold < 0.2 && (found.background - 0.5).abs() < 1e-12, "{found:?}");
        let same = Separation::of(vec![0.1, 0.2], vec![0.1, 0.2]).unwrap();
        assert!(same.is_poor());
        assert_eq!(Separation::of(vec![0.0, 0.0], vec![0.0]), None);
    }
}
