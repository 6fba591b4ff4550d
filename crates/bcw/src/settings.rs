//! The settings of a classifier's training. [`BcwParams`](crate::BcwParams) checks them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use ontrail_page::LabelGroup;
use serde::{Deserialize, Serialize};

use crate::error::BcwError;

/// Bounds of the settings. Beyond them, sums and logarithms overflow or underflow.
pub(crate) const SMALLEST: f64 = 1e-6;
pub(crate) const LARGEST: f64 = 1000.0;

/// The kind of model that is learned from counts or documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Eq. 8 and 9 of bcw-cc as printed, for the record: label weights cancel, and a word that a
    /// class has seen counts less than a word that it has not seen.
    Literal,
    /// Label weights as exponents: log P(C) + Σ L·log P(U|C). This is the paper's classifier,
    /// repaired.
    Exponent,
    /// Label weights as counts: an occurrence counts L times in training and once in prediction.
    Counts,
    /// Complement Bayes (Rennie et al. 2003): a class is modelled by the documents of all other
    /// classes.
    Complement,
    /// A linear support vector machine (L2 loss, one class against the rest) over normalised
    /// tf-idf, blended with a second one whose features are scaled by their Bayesian log-odds (Wang
    /// and Manning 2012).
    Linear,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 5] =
        [Self::Literal, Self::Exponent, Self::Counts, Self::Complement, Self::Linear];

    /// Returns true if the mode learns from counts alone.
    #[must_use]
    pub fn is_bayesian(self) -> bool {
        self != Self::Linear
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Literal => "literal",
            Self::Exponent => "exponent",
            Self::Counts => "counts",
            Self::Complement => "complement",
            Self::Linear => "linear",
        })
    }
}

/// The estimate for words that a class has never seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Smoothing {
    /// Adds this amount to every count: eq. 8 repaired, `(n·idf + α) / (Σ n·idf + α·M_a)`.
    Laplace(f64),
    /// Subtracts this amount from every count and distributes it over all words in proportion to
    /// the number of classes that they occur in (absolute discounting, after Kneser and Ney). It
    /// was better than Laplace in all our trials.
    Discount(f64),
}

impl fmt::Display for Smoothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Laplace(amount) => write!(f, "laplace:{amount}"),
            Self::Discount(amount) => write!(f, "discount:{amount}"),
        }
    }
}

impl Smoothing {
    /// Returns true if the amount can be used.
    pub(crate) fn is_in_range(self) -> bool {
        match self {
            Self::Laplace(amount) => (SMALLEST..=LARGEST).contains(&amount),
            Self::Discount(amount) => (SMALLEST..1.0).contains(&amount),
        }
    }

    /// Returns the error for a smoothing that cannot be used, as the user wrote it.
    pub(crate) fn invalid(text: &str) -> BcwError {
        BcwError::Setting {
            setting: "the smoothing",
            value: format!("`{text}`"),
            allowed: "use laplace:AMOUNT with an amount from 0.000001 to 1000, \
                      or discount:AMOUNT between 0 and 1",
        }
    }
}

impl FromStr for Smoothing {
    type Err = BcwError;

    fn from_str(text: &str) -> Result<Self, BcwError> {
        let invalid = || Self::invalid(text);
        let (name, amount) = text.split_once(':').ok_or_else(invalid)?;
        let amount: f64 = amount.parse().map_err(|_| invalid())?;
        let smoothing = match name {
            "laplace" => Self::Laplace(amount),
            "discount" => Self::Discount(amount),
            _ => return Err(invalid()),
        };
        // Checked here too, so that the command line refuses it as it parses its arguments.
        if smoothing.is_in_range() { Ok(smoothing) } else { Err(invalid()) }
    }
}

/// The prior probabilities of the classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priors {
    /// Each class's share of the training documents (eq. 7).
    Data,
    /// The same prior for all classes.
    Uniform,
    /// Given priors by class name. They need not add up to 1.
    Given(BTreeMap<String, f64>),
}

impl Priors {
    /// Returns the prior of each class; `documents` has the number of documents of each class.
    pub(crate) fn shares(
        &self,
        classes: &[String],
        documents: &[u64],
    ) -> Result<Vec<f64>, BcwError> {
        let weights: Vec<f64> = match self {
            Self::Data => documents.iter().map(|&documents| documents as f64).collect(),
            Self::Uniform => vec![1.0; classes.len()],
            Self::Given(given) => {
                if let Some(name) = given.keys().find(|name| !classes.contains(name)) {
                    let known = classes.join(", ");
                    return Err(BcwError::Priors(format!(
                        "there is no class `{name}`; the classes are {known}"
                    )));
                }
                let of = |class: &String| {
                    let prior = given.get(class).copied().unwrap_or(0.0);
                    let wrong =
                        || format!("the class `{class}` needs a prior above 0 and at most 1000");
                    let is_fine = (SMALLEST..=LARGEST).contains(&prior);
                    is_fine.then_some(prior).ok_or_else(|| BcwError::Priors(wrong()))
                };
                classes.iter().map(of).collect::<Result<_, _>>()?
            }
        };
        let sum: f64 = weights.iter().sum();
        Ok(weights.into_iter().map(|weight| weight / sum).collect())
    }
}

/// The measure by which features are ranked if only the best are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ranking {
    /// The largest χ² of the feature with any class.
    Chi2,
    /// The information gain from knowing if a document has the feature.
    Gain,
}

/// The features that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The measure by which features are ranked.
    pub by: Ranking,
    /// Number of features to keep.
    pub keep: usize,
}

/// The settings of a classifier's training, as its bundle stores them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrainSettings {
    /// The kind of model to learn.
    pub mode: Mode,
    /// The estimate for words that a class has never seen. `literal` and `linear` do not use it;
    /// `complement` adds the amount to every count in either form.
    pub smoothing: Smoothing,
    /// True if counts are multiplied by the feature's idf, as in eq. 8.
    pub idf: bool,
    /// True if features are weighted by how much they tell about the class: the divergence of
    /// P(C|U) from P(C) (Lee, Gutierrez and Dou 2011). The weight is an exponent in `exponent` and
    /// `counts`, and its square root is a factor in `linear`; the other modes do not use it.
    pub information: bool,
    /// The weights of the label groups: Table 1 of bcw-cc by default.
    pub label_weights: [f64; 5],
    /// The prior probabilities of the classes. `linear` does not use them.
    pub priors: Priors,
    /// The cost of an error in `linear`. With a higher cost, the model follows the training
    /// documents more closely.
    pub cost: f64,
    /// The share of `linear` that is trained on features scaled by their log-odds.
    pub blend: f64,
    /// Number of documents that a feature must occur in.
    pub min_documents: u32,
    /// If present, only the best of these features are kept.
    pub selection: Option<Selection>,
    /// The random seed.
    pub seed: u64,
}

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            mode: Mode::Exponent,
            smoothing: Smoothing::Discount(0.5),
            idf: false,
            information: true,
            label_weights: LabelGroup::ALL.map(LabelGroup::weight),
            priors: Priors::Data,
            cost: 1.0,
            blend: 0.5,
            min_documents: 1,
            selection: None,
            seed: 42,
        }
    }
}

impl TrainSettings {
    /// Returns the settings after a change, such as `settings.with(|it| it.cost = 2.0)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Returns the weights of the label groups in prediction.
    pub(crate) fn prediction_weights(&self) -> [f64; 5] {
        match self.mode {
            // In literal mode, a label weight multiplies the scores of all classes alike and
            // changes nothing (the defect of eq. 9). In counts mode, it is already part of the
            // counts.
            Mode::Literal | Mode::Counts => [1.0; 5],
            Mode::Exponent | Mode::Complement | Mode::Linear => self.label_weights,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_are_shares() {
        let classes = ["a".to_owned(), "b".to_owned()];
        assert_eq!(Priors::Data.shares(&classes, &[3, 1]).unwrap(), [0.75, 0.25]);
        assert_eq!(Priors::Uniform.shares(&classes, &[3, 1]).unwrap(), [0.5, 0.5]);
        let given = |list: &[(&str, f64)]| {
            let given = list.iter().map(|&(name, prior)| (name.to_owned(), prior)).collect();
            Priors::Given(given).shares(&classes, &[3, 1])
        };
        assert_eq!(given(&[("a", 1.0), ("b", 4.0)]).unwrap(), [0.2, 0.8]);
        assert!(given(&[("a", 1.0)]).unwrap_err().to_string().contains("`b` needs a prior"));
        assert!(given(&[("c", 1.0)]).unwrap_err().to_string().contains("no class `c`"));
    }
}
