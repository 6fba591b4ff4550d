//! The judge of pages: turns the score of a page into P(relevant) and decides whether the page is
//! relevant.
//!
//! With a threshold in numbers, R(p) is compared with it. With `auto`, the scores of the pages that
//! arrived so far decide, or a calibration from example pages, or both.

use ontrail_anchor::PageTerms;
use ontrail_calibration::{Basis, Calibrator, StartCurve};
use serde::{Deserialize, Serialize};

use crate::cut::Cut;
use crate::gate::{PageFacts, Passage};
use crate::recipe::Recipe;

/// The judgement on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement<'a> {
    /// R(p), if there is a topic.
    pub relevance: Option<f64>,
    /// P(relevant), if it can be computed.
    pub probability: Option<f64>,
    /// True if the page counts as relevant; none if there is no topic.
    pub is_relevant: Option<bool>,
    /// The treatment of the page's links.
    pub(crate) passage: Passage,
    /// The topic's terms on the page, for recipes that compare anchor texts by BM25.
    pub(crate) terms: Option<&'a PageTerms>,
}

/// The present state of a calibration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationView {
    /// R(p) above which a page counts as relevant.
    pub threshold: f64,
    /// The source of P(relevant).
    pub basis: Basis,
    /// Number of pages whose scores are known.
    pub pages: u64,
}

/// Judges pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageJudge {
    threshold: Cut,
    calibrator: Option<Calibrator>,
}

impl PageJudge {
    /// Returns a judge that has seen no page.
    pub(crate) fn new(recipe: &Recipe, start_curve: Option<StartCurve>) -> Self {
        let is_of_topic = start_curve.as_ref().is_some_and(|curve| curve.is_of_topic);
        let is_needed = recipe.has_auto() || is_of_topic;
        let calibrator = is_needed.then(|| Calibrator::new(start_curve));
        Self { threshold: recipe.threshold, calibrator }
    }

    /// Returns true if the judge changes with the pages that it sees.
    pub(crate) fn learns(&self) -> bool {
        self.calibrator.is_some()
    }

    /// Takes note of the R(p) of a page.
    pub(crate) fn observe(&mut self, relevance: f64) {
        if let Some(calibrator) = &mut self.calibrator {
            calibrator.observe(relevance);
        }
    }

    /// Judges a page.
    pub(crate) fn judge<'a>(&self, page: &PageFacts<'a>, recipe: &Recipe) -> Judgement<'a> {
        let calibrated = self.calibrator.as_ref().zip(page.relevance);
        let is_above = self.is_above(page);
        let gate = recipe.gate.part();
        Judgement {
            relevance: page.relevance,
            probability: calibrated.map(|(calibrator, score)| calibrator.probability(score)),
            is_relevant: page.relevance.map(|_| gate.is_relevant(page, is_above)),
            passage: gate.passage(page, is_above),
            terms: page.terms,
        }
    }

    /// Returns true if a page is above the threshold, strictly (reading F14, docs/papers.md).
    fn is_above(&self, page: &PageFacts<'_>) -> bool {
        page.relevance.is_some_and(|relevance| relevance > self.threshold())
    }

    /// Returns R(p) above which a page counts as relevant.
    pub(crate) fn threshold(&self) -> f64 {
        let auto = self.calibrator.as_ref().map_or(0.0, Calibrator::threshold);
        self.threshold.or(auto)
    }

    /// Returns the present state of the calibration.
    pub(crate) fn view(&self) -> Option<CalibrationView> {
        self.calibrator.as_ref().map(|calibrator| CalibrationView {
            threshold: self.threshold(),
            basis: calibrator.basis(),
            pages: calibrator.pages(),
        })
    }
}
