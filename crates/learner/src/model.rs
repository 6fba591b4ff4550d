//! The link model: P(the page behind a link is relevant) by logistic regression on dense and
//! hashed features, with AdaGrad steps.

use serde::{Deserialize, Serialize};

use crate::example::{DENSE, FIRST_GROUP, FORMULA, LinkExample};
use crate::number::LearnedNumber;
use crate::rates::Group;

/// Most links of one page that are learned from.
const MOST_LINKS: usize = 4;
/// Probabilities are kept this far away from 0 and 1.
const EDGE: f64 = 1e-6;

/// Settings of the link model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkModelSettings {
    /// The table of hashed features has 2 to the power of this many places.
    pub bits: u32,
    /// The first weight of the fixed formula.
    pub formula: f64,
    /// The first bias.
    pub bias: f64,
    /// The first weight of each success rate.
    pub rates: f64,
    /// The size of steps for dense features.
    pub dense_step: f64,
    /// The size of steps for hashed features.
    pub sparse_step: f64,
}

impl Default for LinkModelSettings {
    fn default() -> Self {
        Self { bits: 18, formula: 6.0, bias: -2.0, rates: 0.1, dense_step: 0.1, sparse_step: 0.1 }
    }
}

/// The place of the first dense feature among the numbers of a model.
const FIRST_DENSE: u32 = 1 << 31;

/// A weight, and the sum of its squared gradients.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Weight {
    value: f32,
    squares: f32,
}

impl Weight {
    fn number(self, place: u32) -> LearnedNumber {
        LearnedNumber { place, value: self.value, evidence: self.squares }
    }

    /// Moves against the gradient: Δ = −η g / √(1 + Σ g²).
    #[expect(clippy::cast_possible_truncation, reason = "weights need few digits")]
    fn step(&mut self, gradient: f64, size: f64) {
        let squares = f64::from(self.squares) + gradient * gradient;
        self.squares = squares as f32;
        self.value -= (size * gradient / (1.0 + squares).sqrt()) as f32;
    }
}

/// Estimates P(the page behind a link is relevant), and learns from every page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkModel {
    settings: LinkModelSettings,
    dense: Vec<Weight>,
    sparse: Vec<Weight>,
    /// Number of pages learned from.
    pages: u64,
}

impl LinkModel {
    /// Returns a model whose order of links is that of the fixed formula.
    #[must_use]
    pub fn new(settings: &LinkModelSettings) -> Self {
        let mut dense = vec![Weight::default(); DENSE];
        #[expect(clippy::cast_possible_truncation, reason = "weights need few digits")]
        let mut set = |place: usize, value: f64| dense[place].value = value as f32;
        set(0, settings.bias);
        set(FORMULA, settings.formula);
        (0..Group::COUNT).for_each(|group| set(FIRST_GROUP + group, settings.rates));
        let bits = settings.bits.clamp(1, 26);
        let sparse = vec![Weight::default(); 1 << bits];
        Self { settings: LinkModelSettings { bits, ..*settings }, dense, sparse, pages: 0 }
    }

    /// Returns z, the log-odds that the page behind a link is relevant.
    #[must_use]
    pub fn score(&self, link: &LinkExample) -> f64 {
        let weights = self.dense.iter().map(|it| f64::from(it.value));
        let mut z: f64 =
            weights.zip(link.dense.0).map(|(weight, value)| weight * f64::from(value)).sum();
        link.sparse.for_each(|feature, value| {
            z += f64::from(self.sparse[self.place(feature)].value) * value;
        });
        z
    }

    /// Learns from a page that is relevant with this probability, by the links to it. The first
    /// few links count, each with the weight 1/√n.
    pub fn learn(&mut self, links: &[LinkExample], target: f64) {
        let links = &links[..links.len().min(MOST_LINKS)];
        let weight = 1.0 / (links.len().max(1) as f64).sqrt();
        for link in links {
            let error = weight * (logistic(self.score(link)) - target);
            self.step(link, error);
        }
    }

    /// Learns from a page that arrived just now.
    pub fn learn_new(&mut self, links: &[LinkExample], target: f64) {
        self.pages += 1;
        self.learn(links, target);
    }

    fn step(&mut self, link: &LinkExample, error: f64) {
        for (weight, value) in self.dense.iter_mut().zip(link.dense.0) {
            if value != 0.0 {
                weight.step(error * f64::from(value), self.settings.dense_step);
            }
        }
        let mask = self.mask();
        let Self { sparse, settings, .. } = self;
        link.sparse.for_each(|feature, value| {
            sparse[feature as usize & mask].step(error * value, settings.sparse_step);
        });
    }

    fn mask(&self) -> usize {
        self.sparse.len() - 1
    }

    fn place(&self, feature: u32) -> usize {
        feature as usize & self.mask()
    }

    /// Returns the weight of a hashed feature.
    #[must_use]
    pub fn weight_of(&self, feature: u32) -> f64 {
        f64::from(self.sparse[self.place(feature)].value)
    }

    /// Returns the sum of the squared gradients of a hashed feature.
    #[must_use]
    pub fn evidence_of(&self, feature: u32) -> f64 {
        f64::from(self.sparse[self.place(feature)].squares)
    }

    /// Returns the number of pages learned from.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    pub(crate) fn bits(&self) -> u32 {
        self.settings.bits
    }

    pub(crate) fn dense_weights(&self) -> Vec<f64> {
        self.dense.iter().map(|weight| f64::from(weight.value)).collect()
    }

    /// Returns all dense weights, each with the sum of its squared gradients.
    pub(crate) fn kept_dense(&self) -> Vec<(f32, f32)> {
        self.dense.iter().map(|it| (it.value, it.squares)).collect()
    }

    /// Returns the places of the table that are in use, each with its weight and the sum of its
    /// squared gradients.
    pub(crate) fn kept_sparse(&self) -> Vec<(u32, f32, f32)> {
        let used = (0..).zip(&self.sparse).filter(|(_, it)| it.value != 0.0 || it.squares != 0.0);
        used.map(|(place, it)| (place, it.value, it.squares)).collect()
    }

    /// Returns all numbers of the model that have been learned: the weights of the table, and then
    /// those of dense features.
    #[must_use]
    pub fn numbers(&self) -> Vec<LearnedNumber> {
        let dense = (FIRST_DENSE..).zip(&self.dense);
        let all = (0..).zip(&self.sparse).chain(dense);
        all.filter(|(_, it)| it.squares > 0.0).map(|(place, it)| it.number(place)).collect()
    }

    /// Mixes the weights with those of another model of the same size, each by the sum of its
    /// squared gradients.
    pub fn mix(&mut self, others: &[LearnedNumber]) {
        for other in others {
            let weight = match other.place.checked_sub(FIRST_DENSE) {
                Some(place) => self.dense.get_mut(place as usize),
                None => self.sparse.get_mut(other.place as usize),
            };
            if let Some(weight) = weight {
                let LearnedNumber { value, evidence, .. } = weight.number(other.place).mixed(other);
                *weight = Weight { value, squares: evidence };
            }
        }
    }

    /// Returns the model with these weights. A place outside the table is left out.
    pub(crate) fn with_weights(
        mut self,
        dense: &[(f32, f32)],
        sparse: &[(u32, f32, f32)],
        pages: u64,
    ) -> Self {
        for (weight, (value, squares)) in self.dense.iter_mut().zip(dense) {
            *weight = Weight { value: *value, squares: *squares };
        }
        for (place, value, squares) in sparse {
            if let Some(weight) = self.sparse.get_mut(*place as usize) {
                *weight = Weight { value: *value, squares: *squares };
            }
        }
        self.pages = pages;
        self
    }
}

/// Returns 1 / (1 + e⁻ᶻ).
#[must_use]
pub fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-z))
}

/// Returns ln(p / (1 − p)), with p kept away from 0 and 1.
#[must_use]
pub fn logit(p: f64) -> f64 {
    let p = p.clamp(EDGE, 1.0 - EDGE);
    libm::log(p / (1.0 - p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clues::{NameSpace, feature_of};
    use crate::example::{Dense, Sparse};

    fn link(formula: f64, words: &[&str]) -> LinkExample {
        let words: Vec<u32> = words.iter().map(|it| feature_of(NameSpace::Anchor, it)).collect();
        let sparse = Sparse::of(&[(NameSpace::Anchor, &words)]);
        LinkExample { dense: Dense::default().with_formula(formula), sparse }
    }

    fn large_steps() -> LinkModelSettings {
        LinkModelSettings { dense_step: 0.1, sparse_step: 0.3, ..LinkModelSettings::default() }
    }

    #[test]
    fn the_first_order_is_that_of_the_formula() {
        let model = LinkModel::new(&LinkModelSettings::default());
        // z = −2 + 6 · 0.5.
        assert!((model.score(&link(0.5, &["a", "b"])) - 1.0).abs() < 1e-6);
        assert!(model.score(&link(0.4, &["a"])) < model.score(&link(0.41, &["b"])));
    }

    /// A model that has learned nothing takes over what another has learned, and a model that has
    /// learned something is not changed by one that has not.
    #[test]
    fn models_share_what_they_have_learned() {
        let example = link(0.5, &["rain"]);
        let mut learned = LinkModel::new(&large_steps());
        for _ in 0..20 {
            learned.learn_new(std::slice::from_ref(&example), 0.9);
        }
        let before = learned.clone();
        let mut fresh = LinkModel::new(&large_steps());
        learned.mix(&fresh.numbers());
        learned.mix(&before.numbers());
        assert_eq!(learned, before);
        fresh.mix(&learned.numbers());
        assert!((fresh.score(&example) - learned.score(&example)).abs() < 1e-6);
        // A place outside the table, or that of no dense feature, is left out.
        let outside = [1 << 20, FIRST_DENSE + 1_000, u32::MAX];
        fresh.mix(&outside.map(|place| LearnedNumber::new(place, 1.0, 1.0)));
    }

    /// One step by hand: z = −2 + 6 · 0.5 = 1, q = 0.731059, target 0.2, so the error is 0.531059.
    /// The bias has the gradient 0.531059 and moves by −0.1 · 0.531059 / √(1 + 0.282023) =
    /// −0.046903. The formula has the gradient 0.265529 and moves by −0.1 · 0.265529 / √(1 +
    /// 0.070506) = −0.025664. Each of two words has the value 1/√2 and the gradient 0.375515, and
    /// moves by −0.3 · 0.375515 / √(1 + 0.141012) = −0.105464.
    #[test]
    fn a_step_is_as_worked_out_by_hand() {
        let mut model = LinkModel::new(&large_steps());
        model.learn(&[link(0.5, &["a", "b"])], 0.2);
        let close = |value: f32, expected: f64| (f64::from(value) - expected).abs() < 1e-5;
        assert!(close(model.dense[0].value, -2.046_903), "{:?}", model.dense[0]);
        assert!(close(model.dense[FORMULA].value, 5.974_336), "{:?}", model.dense[FORMULA]);
        let word = feature_of(NameSpace::Anchor, "a");
        assert!((model.weight_of(word) + 0.105_464).abs() < 1e-5, "{}", model.weight_of(word));
    }

    #[test]
    fn words_that_lead_to_relevant_pages_gain_weight() {
        let mut model = LinkModel::new(&large_steps());
        for _ in 0..50 {
            model.learn(&[link(0.1, &["storm"]), link(0.1, &["more"])], 0.95);
            model.learn(&[link(0.1, &["login"])], 0.02);
        }
        let of = |words: &[&str]| logistic(model.score(&link(0.1, words)));
        assert!(of(&["storm"]) > 0.8 && of(&["login"]) < 0.1, "{}", of(&["storm"]));
    }

    #[test]
    fn a_stored_model_goes_on_as_before() {
        let mut whole = LinkModel::new(&LinkModelSettings::default());
        let mut resumed = whole.clone();
        for step in 0..40_u32 {
            let word = format!("w{}", step % 7);
            let target = f64::from(step % 7) / 7.0;
            whole.learn_new(&[link(0.3, &[&word])], target);
            resumed.learn_new(&[link(0.3, &[&word])], target);
            if step % 9 == 0 {
                resumed = postcard::from_bytes(&postcard::to_stdvec(&resumed).unwrap()).unwrap();
            }
        }
        assert_eq!(whole, resumed);
        assert_eq!(whole.pages(), 40);
    }
}
