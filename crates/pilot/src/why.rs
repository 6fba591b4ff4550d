//! The link model for people: the reasons for a choice, and a summary of the model.

use ontrail_learner::Cause;
use serde::{Deserialize, Serialize};

use crate::rule::Rule;

/// The reasons for the choice of a link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Why {
    /// The parts of the link model's score, the greatest first.
    pub reasons: Vec<Reason>,
    /// Number of pages that have the link.
    pub in_links: u32,
    /// The sum of their P(relevant).
    pub relevant_in_links: f64,
    /// The orders that the strategy chose from; empty unless it hedges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<OrderFound>,
}

/// Something that the link model counted for or against a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The kind of thing.
    pub cause: Cause,
    /// The word, the part of the URL, the place on the page, the host or the directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its part of the log-odds.
    pub effect: f64,
    /// Number of pages that a success rate counts, faded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<f64>,
    /// The success rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

/// The worth of the links that were taken in one order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OrderFound {
    /// The rule of the order.
    pub order: Rule,
    /// The mean worth of the pages behind its links; old ones have faded.
    pub mean: f64,
    /// The number of choices that the mean counts.
    pub choices: f64,
}

/// A summary of the link model of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// Number of pages learned from.
    pub pages: u64,
    /// The mean log-loss of the model's predictions, each made before its page was fetched.
    pub log_loss: f64,
    /// The log-loss of predicting the mean of the pages so far instead.
    pub log_loss_of_mean: f64,
    /// The mean prediction.
    pub predicted: f64,
    /// The mean worth of the pages.
    pub found: f64,
    /// The orders of the strategy; empty unless it hedges.
    #[serde(default)]
    pub orders: Vec<OrderFound>,
    /// The features of each kind that speak most for links, and most against them.
    #[serde(default)]
    pub strongest: Vec<Strongest>,
}

/// Something that the link model counts much for or against links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strongest {
    /// The kind of thing.
    pub cause: Cause,
    /// The text.
    pub text: String,
    /// Its weight: of hosts and directories, the log-odds of their rate against the mean rate.
    pub weight: f64,
}

/// The features of one kind that speak most for links, and most against them.
#[derive(Debug, Clone, PartialEq)]
pub struct OfCause<'a> {
    /// The kind.
    pub cause: Cause,
    /// Those that speak for links, the strongest first.
    pub good: Vec<&'a Strongest>,
    /// Those that speak against links, the strongest first.
    pub bad: Vec<&'a Strongest>,
}

impl Learned {
    /// Returns the strongest features of each kind, at most `most` on each side.
    #[must_use]
    pub fn by_cause(&self, most: usize) -> Vec<OfCause<'_>> {
        let mut causes: Vec<Cause> = self.strongest.iter().map(|it| it.cause).collect();
        causes.dedup();
        let side = |cause: Cause, is_good: bool| {
            let own = self.strongest.iter();
            let own = own.filter(|it| it.cause == cause && (it.weight > 0.0) == is_good);
            let mut own: Vec<&Strongest> = own.take(most).collect();
            own.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
            own
        };
        let of = |cause| OfCause { cause, good: side(cause, true), bad: side(cause, false) };
        causes.into_iter().map(of).collect()
    }
}

impl Strongest {
    /// Returns the weight and the text. Of a place on a page, the last three elements say most.
    #[must_use]
    pub fn shown(&self) -> String {
        let text = if self.cause == Cause::Place { end_of_place(&self.text) } else { None };
        format!("{:+.2} {}", self.weight, text.as_deref().unwrap_or(&self.text))
    }
}

/// Returns the last three elements of a place on a page, if it has more.
#[must_use]
pub fn end_of_place(path: &str) -> Option<String> {
    let elements: Vec<&str> = path.split('>').collect();
    let dropped = elements.len().checked_sub(3).filter(|dropped| *dropped > 0)?;
    Some(format!("…>{}", elements[dropped..].join(">")))
}
