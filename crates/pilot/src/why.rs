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
