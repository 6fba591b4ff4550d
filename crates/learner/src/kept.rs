//! A link model in a form that can be kept and begin another crawl.

use serde::{Deserialize, Serialize};

use crate::example::DENSE;
use crate::model::{LinkModel, LinkModelSettings};
use crate::names::{Named, Names};
use crate::rates::{KeptRates, SuccessRates};

/// The model of a link learner. The pages that it learned from are not part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptModel {
    /// The table of hashed features has 2 to the power of this many places.
    pub bits: u32,
    /// Number of pages learned from.
    pub pages: u64,
    /// Sum of the worth of these pages.
    pub found: f64,
    /// The weights of the dense features, each with the sum of its squared gradients.
    pub dense: Vec<(f32, f32)>,
    /// The weights of the table that are not 0: place, weight, sum of squared gradients.
    pub sparse: Vec<(u32, f32, f32)>,
    /// The success rates.
    pub rates: KeptRates,
    /// The texts behind hashes.
    pub names: Vec<Named>,
}

/// The error for a model that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnusableModel {
    /// The table has another size than the recipe's.
    OtherSize {
        /// The size of the model, in bits.
        model: u32,
        /// The size that is needed.
        wanted: u32,
    },
    /// A value is out of range.
    Damaged(&'static str),
}

impl std::fmt::Display for UnusableModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OtherSize { model, wanted } => write!(
                f,
                "has a table of 2^{model} places, but the recipe needs 2^{wanted} \
                 (priority.bits); learn it again, or set priority.bits"
            ),
            Self::Damaged(what) => write!(f, "is damaged: {what}"),
        }
    }
}

impl std::error::Error for UnusableModel {}

impl KeptModel {
    /// Returns what was learned.
    #[must_use]
    pub fn of(model: &LinkModel, rates: &SuccessRates, names: &Names, found: f64) -> Self {
        // The texts of features that have no weight would only take room.
        let is_used = |(key, _, _): &(u64, _, &str)| match u32::try_from(*key) {
            Ok(feature) => model.weight_of(feature) != 0.0,
            Err(_) => rates.has(*key),
        };
        Self {
            bits: model.bits(),
            pages: model.pages(),
            found,
            dense: model.kept_dense(),
            sparse: model.kept_sparse(),
            rates: rates.kept(),
            names: names
                .iter()
                .filter(is_used)
                .map(|(key, cause, text)| Named::new(key, cause, text))
                .collect(),
        }
    }

    /// Checks that all values are within their ranges, and that a model with a table of 2 to the
    /// power of `bits` places can be made of them.
    pub fn check(&self, bits: u32) -> Result<(), UnusableModel> {
        if self.bits != bits {
            return Err(UnusableModel::OtherSize { model: self.bits, wanted: bits });
        }
        if self.dense.len() != DENSE {
            return Err(UnusableModel::Damaged("it has another number of dense weights"));
        }
        let is_weight = |value: f32, squares: f32| {
            value.is_finite() && value.abs() < 1e6 && squares.is_finite() && squares >= 0.0
        };
        let mut weights =
            self.dense.iter().copied().chain(self.sparse.iter().map(|(_, a, b)| (*a, *b)));
        if !weights.all(|(value, squares)| is_weight(value, squares)) {
            return Err(UnusableModel::Damaged("a weight is out of range"));
        }
        if self.sparse.iter().any(|(place, _, _)| u64::from(*place) >= 1 << self.bits.min(32)) {
            return Err(UnusableModel::Damaged("a weight is outside the table"));
        }
        if !(self.found.is_finite() && self.found >= 0.0 && self.rates.is_sound()) {
            return Err(UnusableModel::Damaged("a success rate is out of range"));
        }
        Ok(())
    }

    /// Returns the model, the success rates and the texts to begin with. Success rates count as few
    /// pages, so that what the new crawl finds soon counts for more.
    #[must_use]
    pub fn begin(&self, settings: &LinkModelSettings) -> (LinkModel, SuccessRates, Names) {
        let model = LinkModel::new(settings).with_weights(&self.dense, &self.sparse, self.pages);
        let mut names = Names::default();
        names.add(self.names.iter().cloned(), |key, _| {
            u32::try_from(key).map_or(1.0, |feature| model.weight_of(feature))
        });
        let rates = SuccessRates::begun_with(&self.rates);
        (model, rates, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clues::{NameSpace, feature_of};
    use crate::effects::Cause;
    use crate::example::{Dense, LinkExample, Sparse};

    fn learned() -> (LinkModel, SuccessRates, Names, LinkExample) {
        let word = feature_of(NameSpace::Anchor, "rain");
        let sparse = Sparse::of(&[(NameSpace::Anchor, &[word])]);
        let link = LinkExample { dense: Dense::default().with_formula(0.3), sparse };
        let mut model = LinkModel::new(&LinkModelSettings::default());
        let mut rates = SuccessRates::default();
        for _ in 0..30 {
            model.learn_new(std::slice::from_ref(&link), 0.9);
            rates.add(&[1 << 40], 0.9);
        }
        let mut names = Names::default();
        let unused = Named::new(9, Cause::AnchorWord, "unused");
        names.add([Named::new(u64::from(word), Cause::AnchorWord, "rain"), unused], |_, _| 1.0);
        (model, rates, names, link)
    }

    #[test]
    fn a_kept_model_scores_as_before() {
        let (model, rates, names, link) = learned();
        let kept = KeptModel::of(&model, &rates, &names, 27.0);
        assert_eq!(kept.check(18), Ok(()));
        let (again, of_hosts, texts) = kept.begin(&LinkModelSettings::default());
        assert_eq!(again, model);
        assert_eq!((again.pages(), texts.iter().count()), (30, 1));
        assert!((again.score(&link) - model.score(&link)).abs() < f64::EPSILON);
        assert!(of_hosts.has(1 << 40));
    }

    #[test]
    fn models_that_do_not_fit_are_refused() {
        let (model, rates, names, _) = learned();
        let kept = KeptModel::of(&model, &rates, &names, 27.0);
        assert_eq!(kept.check(20), Err(UnusableModel::OtherSize { model: 18, wanted: 20 }));
        let damaged = |change: &dyn Fn(&mut KeptModel)| {
            let mut model = kept.clone();
            change(&mut model);
            matches!(model.check(18), Err(UnusableModel::Damaged(_)))
        };
        assert!(damaged(&|it| it.dense.truncate(3)));
        assert!(damaged(&|it| it.dense[1].0 = f32::NAN));
        assert!(damaged(&|it| it.sparse[0].2 = -1.0));
        assert!(damaged(&|it| it.sparse.push((1 << 18, 0.5, 0.5))));
        assert!(damaged(&|it| it.found = f64::INFINITY));
        assert!(damaged(&|it| it.rates.groups[0].2 = -4.0));
    }
}
