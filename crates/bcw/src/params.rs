//! Hyperparameters in linfa's shape: [`BcwParams`] are set and checked, [`BcwValidParams`] are
//! fitted.

use linfa::ParamGuard;

use crate::error::BcwError;
use crate::settings::{LARGEST, Mode, Priors, SMALLEST, Selection, Smoothing, TrainSettings};

/// Hyperparameters that were checked. Only [`BcwParams::check`](ParamGuard::check) returns them, so
/// everything that trains with them can rely on valid settings.
#[derive(Debug, Clone, PartialEq)]
pub struct BcwValidParams(TrainSettings);

impl BcwValidParams {
    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &TrainSettings {
        &self.0
    }
}

/// Hyperparameters that were not checked yet; [`Bcw::params`](crate::Bcw::params) returns the
/// defaults.
///
/// linfa's `Fit` and `FitWith` work on these as well as on [`BcwValidParams`]: they check first.
///
/// ```
/// use ontrail_bcw::{Bcw, Mode, ParamGuard};
///
/// let params = Bcw::params().mode(Mode::Linear).cost(2.0).check()?;
/// assert_eq!(params.settings().mode, Mode::Linear);
/// assert!(Bcw::params().cost(-1.0).check().is_err());
/// # Ok::<(), ontrail_bcw::BcwError>(())
/// ```
///
/// | setter | default | range |
/// |---|---|---|
/// | `mode` | `Mode::Exponent` | |
/// | `smoothing` | `Smoothing::Discount(0.5)` | Laplace 10⁻⁶ to 1000, discount 10⁻⁶ to below 1 |
/// | `idf` | `false` | |
/// | `information` | `true` | |
/// | `label_weights` | Table 1 of bcw-cc | each 0 to 1000, one at least 10⁻⁶ |
/// | `priors` | `Priors::Data` | `Priors::Data` in `Mode::Linear` |
/// | `cost` | 1 | 10⁻⁶ to 1000 |
/// | `blend` | 0.5 | 0 to 1 |
/// | `min_documents` | 1 | 0 counts as 1 |
/// | `selection` | all features | keep at least 1 |
/// | `seed` | 42 | |
#[derive(Debug, Clone, PartialEq)]
pub struct BcwParams(BcwValidParams);

impl BcwParams {
    /// Returns the default hyperparameters.
    #[must_use]
    pub fn new() -> Self {
        TrainSettings::default().into()
    }

    /// Returns the settings, unchecked.
    pub(crate) fn settings(&self) -> &TrainSettings {
        self.0.settings()
    }

    /// Sets the mode: the kind of model to learn.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.0.0.mode = mode;
        self
    }

    /// Sets the smoothing: the probability of words that a class has never seen.
    #[must_use]
    pub fn smoothing(mut self, smoothing: Smoothing) -> Self {
        self.0.0.smoothing = smoothing;
        self
    }

    /// Multiplies counts by the feature's idf if `idf` is true, as in eq. 8.
    #[must_use]
    pub fn idf(mut self, idf: bool) -> Self {
        self.0.0.idf = idf;
        self
    }

    /// Weights features by how much they tell about the class if `information` is true.
    #[must_use]
    pub fn information(mut self, information: bool) -> Self {
        self.0.0.information = information;
        self
    }

    /// Sets the weights of the five label groups.
    #[must_use]
    pub fn label_weights(mut self, label_weights: [f64; 5]) -> Self {
        self.0.0.label_weights = label_weights;
        self
    }

    /// Sets the prior probabilities of the classes.
    #[must_use]
    pub fn priors(mut self, priors: Priors) -> Self {
        self.0.0.priors = priors;
        self
    }

    /// Sets the cost of an error in the mode `linear`.
    #[must_use]
    pub fn cost(mut self, cost: f64) -> Self {
        self.0.0.cost = cost;
        self
    }

    /// Sets the share of the mode `linear` that is trained on features scaled by their log-odds.
    #[must_use]
    pub fn blend(mut self, blend: f64) -> Self {
        self.0.0.blend = blend;
        self
    }

    /// Sets the number of documents that a feature must occur in.
    #[must_use]
    pub fn min_documents(mut self, min_documents: u32) -> Self {
        self.0.0.min_documents = min_documents;
        self
    }

    /// Keeps only the best features.
    #[must_use]
    pub fn selection(mut self, selection: Selection) -> Self {
        self.0.0.selection = Some(selection);
        self
    }

    /// Sets the random seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.0.0.seed = seed;
        self
    }
}

impl Default for BcwParams {
    fn default() -> Self {
        Self::new()
    }
}

impl From<TrainSettings> for BcwParams {
    fn from(settings: TrainSettings) -> Self {
        Self(BcwValidParams(settings))
    }
}

impl From<BcwValidParams> for BcwParams {
    fn from(params: BcwValidParams) -> Self {
        Self(params)
    }
}

/// The only place that validates settings. Priors that name classes are checked when a model is
/// fitted, since the classes are not known before.
impl ParamGuard for BcwParams {
    type Checked = BcwValidParams;
    type Error = BcwError;

    fn check_ref(&self) -> Result<&BcwValidParams, BcwError> {
        let settings = self.0.settings();
        let wrong =
            |setting, value: String, allowed| Err(BcwError::Setting { setting, value, allowed });
        if !settings.smoothing.is_in_range() {
            return Err(Smoothing::invalid(&settings.smoothing.to_string()));
        }
        let weights = &settings.label_weights;
        let is_fine = |weight: &f64| (0.0..=LARGEST).contains(weight);
        if !weights.iter().all(is_fine) || !weights.iter().any(|weight| *weight >= SMALLEST) {
            let list = weights.map(|weight| format!("{weight:?}")).join(",");
            return wrong(
                "the list of label weights",
                list,
                "each must be from 0 to 1000, and at least one above 0",
            );
        }
        if !(SMALLEST..=LARGEST).contains(&settings.cost) {
            let value = format!("{:?}", settings.cost);
            return wrong("the cost", value, "it must be from 0.000001 to 1000");
        }
        if !(0.0..=1.0).contains(&settings.blend) {
            return wrong("the blend", format!("{:?}", settings.blend), "it must be from 0 to 1");
        }
        if settings.mode == Mode::Linear && settings.priors != Priors::Data {
            let value = "given".to_owned();
            return wrong("the prior of a linear model", value, "only Bayesian modes have priors");
        }
        if settings.selection.is_some_and(|selection| selection.keep == 0) {
            return wrong("the number of features to keep", "0".to_owned(), "keep at least one");
        }
        Ok(&self.0)
    }

    fn check(self) -> Result<BcwValidParams, BcwError> {
        self.check_ref()?;
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Ranking;

    #[test]
    fn invalid_settings_are_named() {
        let refusal = |params: BcwParams| params.check().unwrap_err().to_string();
        let params = BcwParams::new;
        assert!(params().check().is_ok());
        let zero = params().label_weights([0.0; 5]);
        assert!(refusal(zero).contains("label weights is 0.0,0.0,0.0,0.0,0.0"));
        let nan = params().label_weights([f64::NAN, 1.0, 1.0, 1.0, 1.0]);
        assert!(refusal(nan).contains("NaN"));
        assert!(refusal(params().cost(0.0)).contains("the cost is 0.0"));
        assert!(refusal(params().blend(1.5)).contains("the blend is 1.5"));
        assert!(refusal(params().smoothing(Smoothing::Discount(1.0))).contains("discount:1"));
        assert!(refusal(params().smoothing(Smoothing::Laplace(f64::NAN))).contains("laplace:NaN"));
        let linear = params().mode(Mode::Linear).priors(Priors::Uniform);
        assert!(refusal(linear).contains("only Bayesian modes"));
        let none = params().selection(Selection { by: Ranking::Chi2, keep: 0 });
        assert!(refusal(none).contains("keep at least one"));
    }

    #[test]
    fn setters_set_every_setting() {
        let wanted = TrainSettings {
            mode: Mode::Counts,
            smoothing: Smoothing::Laplace(2.0),
            idf: true,
            information: false,
            label_weights: [1.0; 5],
            priors: Priors::Uniform,
            cost: 2.0,
            blend: 0.25,
            min_documents: 3,
            selection: Some(Selection { by: Ranking::Gain, keep: 7 }),
            seed: 1,
        };
        let params = BcwParams::new()
            .mode(Mode::Counts)
            .smoothing(Smoothing::Laplace(2.0))
            .idf(true)
            .information(false)
            .label_weights([1.0; 5])
            .priors(Priors::Uniform)
            .cost(2.0)
            .blend(0.25)
            .min_documents(3)
            .selection(Selection { by: Ranking::Gain, keep: 7 })
            .seed(1);
        assert_eq!(*params.check().unwrap().settings(), wanted);
    }
}
