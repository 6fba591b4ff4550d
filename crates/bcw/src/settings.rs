//! How a classifier is trained: linfa's parameters, unchecked and checked.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use linfa::ParamGuard;
use ontrail_page::LabelGroup;
use serde::{Deserialize, Serialize};

use crate::error::BcwError;

/// The bounds of what a user can set: beyond, sums and logarithms leave what numbers can hold.
pub(crate) const SMALLEST: f64 = 1e-6;
pub(crate) const LARGEST: f64 = 1000.0;

/// What is learned from the counts or the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Eq. 8 and 9 of bcw-cc as printed, for the record: label weights cancel, and a word that a class
    /// has seen counts less than one it has not.
    Literal,
    /// Label weights as exponents: log P(C) + Σ L·log P(U|C). The paper's classifier, working.
    Exponent,
    /// Label weights as counts: an occurrence counts L times in training and once in prediction.
    Counts,
    /// Complement Bayes (Rennie et al. 2003): a class is what the other classes are not.
    Complement,
    /// Linear support vectors (L2 loss, one class against the rest) over normalised tf-idf, half of
    /// them on features scaled by their Bayesian log-odds (Wang and Manning 2012).
    Linear,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 5] =
        [Self::Literal, Self::Exponent, Self::Counts, Self::Complement, Self::Linear];

    /// Whether counts are all that it learns from.
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

/// What a word gets that a class has not seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Smoothing {
    /// So much is added to every count: eq. 8 repaired, `(n·idf + α) / (Σ n·idf + α·M_a)`.
    Laplace(f64),
    /// So much is taken from every count and given to all words by the number of classes that they
    /// occur in (absolute discounting, as Kneser and Ney do). Better than Laplace in all our trials.
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

impl FromStr for Smoothing {
    type Err = BcwError;

    fn from_str(text: &str) -> Result<Self, BcwError> {
        let wrong = || BcwError::Setting {
            setting: "the smoothing",
            value: format!("`{text}`"),
            allowed: "it can be laplace:AMOUNT with an amount from 0.000001 to 1000, or discount:AMOUNT between 0 and 1",
        };
        let (name, amount) = text.split_once(':').ok_or_else(wrong)?;
        let amount: f64 = amount.parse().map_err(|_| wrong())?;
        match name {
            "laplace" if (SMALLEST..=LARGEST).contains(&amount) => Ok(Self::Laplace(amount)),
            "discount" if (SMALLEST..1.0).contains(&amount) => Ok(Self::Discount(amount)),
            _ => Err(wrong()),
        }
    }
}

/// What is held of a class before a document is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priors {
    /// Its share of the training documents (eq. 7).
    Data,
    /// All classes alike.
    Uniform,
    /// As given, by name. They need not add up to 1.
    Given(BTreeMap<String, f64>),
}

impl Priors {
    /// The share of each class; `documents` are those of each.
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
                    return Err(BcwError::Priors(format!("no class `{name}`; there are {known}")));
                }
                let of = |class: &String| {
                    let prior = given.get(class).copied().unwrap_or(0.0);
                    let wrong =
                        || format!("the class `{class}` needs one above 0 and at most 1000");
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

/// How features are ranked when only the best are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ranking {
    /// The largest χ² of the feature with any class.
    Chi2,
    /// The information gain of knowing whether a document holds the feature.
    Gain,
}

/// Which features are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// By what they are ranked.
    pub by: Ranking,
    /// How many are kept.
    pub keep: usize,
}

/// How a classifier is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// What is learned.
    pub mode: Mode,
    /// What a word gets that a class has not seen (not in `literal` and `linear`; `complement` adds the
    /// amount to every count in either form).
    pub smoothing: Smoothing,
    /// Whether counts are multiplied by the feature's idf, as eq. 8 has it.
    pub idf: bool,
    /// Whether a feature counts by what it tells of the class: the divergence of P(C|U) from P(C) (Lee,
    /// Gutierrez and Dou 2011). It is an exponent in `exponent` and `counts`, and its root a factor in
    /// `linear`; the other modes do not have it.
    pub information: bool,
    /// The weights of the label groups: Table 1 of bcw-cc, or others.
    pub label_weights: [f64; 5],
    /// What is held of a class before a document is read (not in `linear`).
    pub priors: Priors,
    /// What an error costs in `linear`: more follows the training documents more closely.
    pub cost: f64,
    /// The share of `linear` that is trained on features scaled by their log-odds.
    pub blend: f64,
    /// In how many documents a feature must occur.
    pub min_documents: u32,
    /// Which of those are kept; all if absent.
    pub selection: Option<Selection>,
    /// The seed of every random choice.
    pub seed: u64,
}

impl Default for Settings {
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

impl Settings {
    /// Refuses values that they cannot have.
    pub fn check(&self) -> Result<(), BcwError> {
        let wrong =
            |setting, value: String, allowed| Err(BcwError::Setting { setting, value, allowed });
        self.smoothing.to_string().parse::<Smoothing>()?;
        let weights = &self.label_weights;
        let is_fine = |weight: &f64| (0.0..=LARGEST).contains(weight);
        if !weights.iter().all(is_fine) || !weights.iter().any(|weight| *weight >= SMALLEST) {
            let list = weights.map(|weight| format!("{weight:?}")).join(",");
            return wrong(
                "the list of label weights",
                list,
                "each can be 0 to 1000, and one must be above 0",
            );
        }
        if !(SMALLEST..=LARGEST).contains(&self.cost) {
            return wrong("the cost", format!("{:?}", self.cost), "it can be 0.000001 to 1000");
        }
        if !(0.0..=1.0).contains(&self.blend) {
            return wrong("the blend", format!("{:?}", self.blend), "it must be between 0 and 1");
        }
        if self.mode == Mode::Linear && self.priors != Priors::Data {
            let value = "given".to_owned();
            return wrong("the prior of a linear model", value, "only Bayesian modes have priors");
        }
        if self.selection.is_some_and(|selection| selection.keep == 0) {
            return wrong("the number of features to keep", "0".to_owned(), "keep one at least");
        }
        Ok(())
    }

    /// The weights of the label groups in prediction.
    pub(crate) fn prediction_weights(&self) -> [f64; 5] {
        match self.mode {
            // In literal mode a label weight multiplies every class's score alike (the defect of eq. 9),
            // and in counts mode it has done its work in training.
            Mode::Literal | Mode::Counts => [1.0; 5],
            Mode::Exponent | Mode::Complement | Mode::Linear => self.label_weights,
        }
    }
}

/// Settings not checked yet: linfa's parameters.
///
/// ```
/// use linfa::ParamGuard;
/// use ontrail_bcw::{Params, Settings};
///
/// assert!(Params::new(Settings { cost: -1.0, ..Settings::default() }).check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Params(ValidParams);

/// Settings that were checked and can be trained with.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidParams(pub(crate) Settings);

impl Params {
    /// Parameters to be checked.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self(ValidParams(settings))
    }
}

impl ValidParams {
    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.0
    }
}

impl ParamGuard for Params {
    type Checked = ValidParams;
    type Error = BcwError;

    fn check_ref(&self) -> Result<&ValidParams, BcwError> {
        self.0.0.check()?;
        Ok(&self.0)
    }

    fn check(self) -> Result<ValidParams, BcwError> {
        self.check_ref()?;
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_settings_are_named() {
        let refusal = |settings| Params::new(settings).check().unwrap_err().to_string();
        let ok = Settings::default();
        assert!(Params::new(ok.clone()).check().is_ok());
        let zero = Settings { label_weights: [0.0; 5], ..ok.clone() };
        assert!(refusal(zero).contains("label weights is 0.0,0.0,0.0,0.0,0.0"));
        let nan = Settings { label_weights: [f64::NAN, 1.0, 1.0, 1.0, 1.0], ..ok.clone() };
        assert!(refusal(nan).contains("NaN"));
        assert!(refusal(Settings { cost: 0.0, ..ok.clone() }).contains("the cost is 0.0"));
        assert!(refusal(Settings { blend: 1.5, ..ok.clone() }).contains("the blend is 1.5"));
        let smoothing = Smoothing::Discount(1.0);
        assert!(refusal(Settings { smoothing, ..ok.clone() }).contains("discount:1"));
        let linear = Settings { mode: Mode::Linear, priors: Priors::Uniform, ..ok.clone() };
        assert!(refusal(linear).contains("only Bayesian modes"));
        let none = Some(Selection { by: Ranking::Chi2, keep: 0 });
        assert!(refusal(Settings { selection: none, ..ok }).contains("keep one"));
    }

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
        assert!(given(&[("a", 1.0)]).unwrap_err().to_string().contains("`b` needs one"));
        assert!(given(&[("c", 1.0)]).unwrap_err().to_string().contains("no class `c`"));
    }
}
