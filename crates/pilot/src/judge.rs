//! The judge of pages: turns the score of a page into P(relevant) and decides whether the page is
//! relevant.
//!
//! The score is R(p), or that of a classifier, or that of a model which combines both. The scores
//! of the pages that arrived so far, or a calibration from example pages, give P(relevant) and the
//! threshold. A threshold in numbers decides in its place.

use ontrail_anchor::PageTerms;
use ontrail_calibration::{Basis, Calibrator, StartCurve};
use ontrail_learner::Named;
use serde::{Deserialize, Serialize};

use crate::cut::Cut;
use crate::gate::{PageFacts, Passage};
use crate::recipe::Recipe;

/// The share of its relevance that a near copy is worth. Pages of one template are near copies by
/// their words and may still be wanted, each for itself.
const NEAR_COPY: f64 = 0.5;

/// The kinds of judges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum JudgeRecipe {
    /// R(p), the similarity of the page to the topic.
    Topic(TopicJudge),
    /// The probability of the topic's class by a classifier.
    Classifier(ClassJudge),
    /// A combination of R(p) and the probability of the topic's class, fitted on example pages.
    Both(ClassJudge),
}

/// A judge by R(p).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicJudge {}

/// A judge that uses a classifier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassJudge {
    /// The class of relevant pages.
    pub class: String,
}

impl Default for JudgeRecipe {
    fn default() -> Self {
        Self::Topic(TopicJudge {})
    }
}

impl JudgeRecipe {
    /// Returns true if R(p) alone decides.
    #[must_use]
    pub fn is_topic(&self) -> bool {
        matches!(self, Self::Topic(_))
    }

    /// Returns true if the judge uses a classifier.
    #[must_use]
    pub fn uses_classifier(&self) -> bool {
        !self.is_topic()
    }

    /// Returns true if the judge combines R(p) with the answer of a classifier, by a fitted model.
    #[must_use]
    pub fn combines(&self) -> bool {
        matches!(self, Self::Both(_))
    }

    /// Returns the class of relevant pages, if the judge uses a classifier.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        match self {
            Self::Topic(_) => None,
            Self::Classifier(judge) | Self::Both(judge) => Some(&judge.class),
        }
    }

    /// Sets the class of relevant pages, if the judge uses a classifier.
    pub(crate) fn set_class(&mut self, class: &str) {
        match self {
            Self::Topic(_) => {}
            Self::Classifier(judge) | Self::Both(judge) => class.clone_into(&mut judge.class),
        }
    }

    /// Returns the score of a page by which it is judged.
    pub(crate) fn score(&self, page: &PageFacts<'_>) -> Option<f64> {
        match self {
            Self::Topic(_) => page.relevance,
            Self::Classifier(_) | Self::Both(_) => page.judged,
        }
    }
}

/// The scores of a page that the judge takes note of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Observed {
    /// The score by which the page is judged.
    pub(crate) score: f64,
    /// R(p), if it is not that score.
    pub(crate) relevance: Option<f64>,
}

/// The judgement on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement<'a> {
    /// R(p), if there is a topic.
    pub relevance: Option<f64>,
    /// P(relevant), if it can be computed.
    pub probability: Option<f64>,
    /// True if the page counts as relevant; none if there is no topic.
    pub is_relevant: Option<bool>,
    /// The share of the page's relevance that it is worth: less for a copy of one that was fetched
    /// before.
    pub(crate) novelty: f64,
    /// The treatment of the page's links.
    pub(crate) passage: Passage,
    /// The topic's terms on the page, for recipes that compare anchor texts by BM25.
    pub(crate) terms: Option<&'a PageTerms>,
    /// The texts behind the hashes of the words and places of the page's links.
    pub(crate) names: &'a [Named],
}

impl<'a> Judgement<'a> {
    /// Returns the judgement on a page as an earlier crawl recorded it, with what is known of its
    /// links now. Its links are followed.
    #[must_use]
    pub fn recorded(
        page: &PageFacts<'a>,
        probability: Option<f64>,
        is_relevant: Option<bool>,
    ) -> Self {
        let PageFacts { relevance, terms, names, .. } = *page;
        let passage = Passage::Open;
        Self { relevance, probability, is_relevant, novelty: 1.0, passage, terms, names }
    }

    /// Returns the judgement on a page that is perhaps a copy, or nearly a copy, of one that was
    /// fetched before.
    #[must_use]
    pub fn among_copies(self, is_copy: bool, is_near_copy: bool) -> Self {
        let novelty = match (is_copy, is_near_copy) {
            (true, _) => 0.0,
            (false, true) => NEAR_COPY,
            (false, false) => 1.0,
        };
        Self { novelty, ..self }
    }
}

/// The present state of a calibration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationView {
    /// The score of the judge above which a page counts as relevant: R(p), unless the judge uses a
    /// classifier.
    pub threshold: f64,
    /// The source of P(relevant).
    pub basis: Basis,
    /// Number of pages whose scores are known.
    pub pages: u64,
    /// True if the threshold was given as a number; then only P(relevant) is computed.
    #[serde(default)]
    pub is_fixed: bool,
    /// The threshold that the scores suggest, which is `threshold` unless that was given.
    #[serde(default)]
    pub computed: f64,
    /// Number of pages with a score above `computed`.
    #[serde(default)]
    pub above_computed: u64,
}

/// Judges pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageJudge {
    threshold: Cut,
    calibrator: Calibrator,
    /// True if P(relevant) decides, and not only the threshold that was given.
    decides: bool,
    /// The calibration of R, if pages are judged by another score and links by R.
    of_links: Option<Calibrator>,
}

impl PageJudge {
    /// Returns a judge that has seen no page.
    pub(crate) fn new(recipe: &Recipe, start_curve: Option<StartCurve>) -> Self {
        let is_of_topic = start_curve.as_ref().is_some_and(|curve| curve.is_of_topic);
        let decides = recipe.has_auto() || is_of_topic;
        let calibrator = Calibrator::new(start_curve);
        let judges_links_by_topic = recipe.judge.uses_classifier() && !recipe.priority.uses_judge();
        let of_links = (recipe.has_auto() && judges_links_by_topic).then(|| Calibrator::new(None));
        Self { threshold: recipe.threshold, calibrator, decides, of_links }
    }

    /// Returns P(relevant) of a page as a strategy may learn from it. With a threshold in numbers
    /// and a topic without a calibration, it is only a guess for people, and R teaches in its
    /// place.
    pub(crate) fn lesson(&self, page: &Judgement<'_>) -> Option<f64> {
        page.probability.filter(|_| self.decides)
    }

    /// Returns the scores of a page that the judge takes note of.
    pub(crate) fn observed(&self, page: &PageFacts<'_>, recipe: &Recipe) -> Option<Observed> {
        let score = recipe.judge.score(page)?;
        Some(Observed { score, relevance: page.relevance.filter(|_| self.of_links.is_some()) })
    }

    /// Takes note of the scores of a page.
    pub(crate) fn observe(&mut self, page: Observed) {
        self.calibrator.observe(page.score);
        if let (Some(calibrator), Some(relevance)) = (&mut self.of_links, page.relevance) {
            calibrator.observe(relevance);
        }
    }

    /// Judges a page.
    pub(crate) fn judge<'a>(&self, page: &PageFacts<'a>, recipe: &Recipe) -> Judgement<'a> {
        let score = recipe.judge.score(page);
        // Strictly above (reading F14, docs/papers.md).
        let is_above = score.is_some_and(|score| score > self.threshold());
        let gate = recipe.gate.part();
        Judgement {
            relevance: page.relevance,
            probability: score.map(|score| self.calibrator.probability(score)),
            is_relevant: score.map(|_| gate.is_relevant(page, is_above)),
            novelty: 1.0,
            passage: gate.passage(page, is_above),
            terms: page.terms,
            names: page.names,
        }
    }

    /// Returns the score above which a page counts as relevant.
    pub(crate) fn threshold(&self) -> f64 {
        self.threshold.or(self.calibrator.threshold())
    }

    /// Returns the threshold of pages by the score that links are judged by, to which the computed
    /// thresholds of links are proportional.
    pub(crate) fn link_threshold(&self) -> f64 {
        self.of_links.as_ref().map_or_else(|| self.threshold(), Calibrator::threshold)
    }

    /// Returns the present state of the calibration; none before the first page with a score.
    pub(crate) fn view(&self) -> Option<CalibrationView> {
        let calibrator = &self.calibrator;
        let computed = calibrator.threshold();
        (calibrator.pages() > 0).then(|| CalibrationView {
            threshold: self.threshold(),
            basis: calibrator.basis(),
            pages: calibrator.pages(),
            is_fixed: !self.threshold.is_auto(),
            computed,
            above_computed: calibrator.pages_above(computed),
        })
    }
}
