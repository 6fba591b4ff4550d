//! Calibration on held-out documents: the temperature of the posteriors, and the weights of the
//! label groups.
//!
//! Both are exponents. A document's score is a sum of parts (one for each label group), and the
//! best exponents of the parts maximise the likelihood of the held-out documents: a small convex
//! problem, solved with Newton steps for one exponent at a time.

use crate::model::{Bcw, largest, softmax};
use crate::records::{Entry, SparseRecords};

/// Index of body text among the label groups. Its weight is 1.
const BODY: usize = 3;
const MAX_SWEEPS: usize = 100;
const MAX_STEPS: usize = 100;
/// A label weight below this becomes 0.
const NEGLIGIBLE: f64 = 1e-3;
/// If the exponent of another group is more than this many times that of body text, that group gets
/// the weight 1 instead.
const LARGEST_RATIO: f64 = 500.0;
/// Largest exponent; the smallest is its reciprocal. The bound keeps a model that is always right
/// from being certain of everything.
const MAX_EXPONENT: f64 = 1e6;

/// Held-out documents as the parts of their scores.
pub(crate) struct HeldOut {
    /// The parts of each document's score, each with a number for every class.
    parts: Vec<Vec<Vec<f64>>>,
    /// The part of each document's scores that does not depend on the exponents.
    offsets: Vec<Vec<f64>>,
    labels: Vec<usize>,
    /// Number of folds that the documents come from.
    pub(crate) folds: usize,
}

impl HeldOut {
    pub(crate) fn new() -> Self {
        Self { parts: Vec::new(), offsets: Vec::new(), labels: Vec::new(), folds: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Adds documents with their whole score as the only part.
    pub(crate) fn add_scores(&mut self, model: &Bcw, records: &SparseRecords, labels: &[usize]) {
        for (row, &label) in records.rows().zip(labels) {
            let values = model.values(row);
            // As in prediction, a document without known features has the prior and no score.
            let is_known = !values.is_empty();
            let scores =
                if is_known { model.weights.scores(&values) } else { vec![0.0; model.classes()] };
            self.parts.push(vec![scores]);
            self.offsets.push(if is_known {
                model.offsets().collect()
            } else {
                model.log_priors.clone()
            });
            self.labels.push(label);
        }
    }

    /// Adds documents with a part for every label group.
    pub(crate) fn add_groups(&mut self, model: &Bcw, records: &SparseRecords, labels: &[usize]) {
        let of_group = |row: &[Entry], group: usize| {
            let own: Vec<Entry> =
                row.iter().copied().filter(|entry| usize::from(entry.group) == group).collect();
            model.weights.scores(&model.weights.values_of(&own, &[1.0; 5]))
        };
        let parts = records.rows().map(|row| (0..5).map(|group| of_group(row, group)).collect());
        self.parts.extend(parts);
        self.offsets.extend(labels.iter().map(|_| model.offsets().collect::<Vec<_>>()));
        self.labels.extend(labels);
    }

    /// Returns the parts, offset and label of each document.
    fn documents(&self) -> impl Iterator<Item = (&[Vec<f64>], &[f64], usize)> {
        let scored =
            self.parts.iter().map(Vec::as_slice).zip(self.offsets.iter().map(Vec::as_slice));
        scored.zip(&self.labels).map(|((parts, offset), &label)| (parts, offset, label))
    }

    /// Returns the number of documents.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// Returns the number of documents that get the right class with these exponents, and minus the
    /// mean logarithm of its probability.
    pub(crate) fn figures(&self, exponents: &[f64]) -> (usize, f64) {
        let mut correct = 0;
        let mut loss = 0.0;
        for (parts, offset, label) in self.documents() {
            let scores = joined(offset, parts, exponents);
            correct += usize::from(largest(&scores) == label);
            // No probability is 0, but it may be rounded to 0.
            loss -= softmax(&scores)[label].max(f64::MIN_POSITIVE).ln();
        }
        (correct, loss / self.len().max(1) as f64)
    }

    /// Returns the temperature that maximises the likelihood of the documents.
    pub(crate) fn temperature(&self) -> f64 {
        let mut exponents = Exponents::new(self, vec![1.0], None);
        exponents.solve();
        exponents.values[0].clamp(MAX_EXPONENT.recip(), MAX_EXPONENT).recip()
    }

    /// Returns the label weights and the temperature that maximise the likelihood of the documents.
    /// Body text has the weight 1, unless it tells next to nothing; then the group that tells most
    /// has it. The search starts from `weights`, and a group without text in the documents keeps
    /// its weight there.
    pub(crate) fn label_weights(&self, weights: &[f64; 5]) -> ([f64; 5], f64) {
        let whole = HeldOut {
            parts: self
                .parts
                .iter()
                .map(|parts| vec![joined(&vec![0.0; parts[0].len()], parts, weights)])
                .collect(),
            offsets: self.offsets.clone(),
            labels: self.labels.clone(),
            folds: self.folds,
        };
        let sharpness = whole.temperature().recip();
        let start: Vec<f64> = weights.iter().map(|weight| weight * sharpness).collect();
        let strengths: Vec<f64> = (0..5).map(|group| self.strength(group)).collect();
        let penalty = Penalty { targets: start.clone(), strengths: strengths.clone() };
        let mut exponents = Exponents::new(self, start, Some(penalty));
        exponents.solve();
        let found =
            |group: usize| if strengths[group] > 0.0 { exponents.values[group] } else { 0.0 };
        let most = (0..5).map(found).fold(0.0, f64::max);
        if most <= 0.0 {
            return (*weights, sharpness.recip());
        }
        let unit = if found(BODY) * LARGEST_RATIO > most { found(BODY) } else { most };
        let mut learned = *weights;
        for (group, learned) in learned.iter_mut().enumerate() {
            if strengths[group] > 0.0 {
                let weight = found(group) / unit;
                *learned = if weight < NEGLIGIBLE { 0.0 } else { weight };
            }
        }
        (learned, unit.clamp(MAX_EXPONENT.recip(), MAX_EXPONENT).recip())
    }

    /// Returns the variance of a part's scores over the classes, averaged over the documents that
    /// have the part; 0 if none has it.
    fn strength(&self, part: usize) -> f64 {
        let variance = |scores: &[f64]| {
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / scores.len() as f64
        };
        let variances = self.parts.iter().map(|parts| variance(&parts[part]));
        let met: Vec<f64> = variances.filter(|variance| *variance > 0.0).collect();
        if met.is_empty() { 0.0 } else { met.iter().sum::<f64>() / met.len() as f64 }
    }
}

/// A penalty that draws exponents towards their start values with the strength of one document, so
/// that a group that hardly occurs does not get a random weight.
struct Penalty {
    targets: Vec<f64>,
    strengths: Vec<f64>,
}

/// Returns the offset plus the sum of the parts, each times its exponent.
fn joined(offset: &[f64], parts: &[Vec<f64>], exponents: &[f64]) -> Vec<f64> {
    let mut sum = offset.to_vec();
    for (part, exponent) in parts.iter().zip(exponents) {
        sum.iter_mut().zip(part).for_each(|(sum, score)| *sum += exponent * score);
    }
    sum
}

struct Exponents<'h> {
    held_out: &'h HeldOut,
    values: Vec<f64>,
    penalty: Option<Penalty>,
}

impl<'h> Exponents<'h> {
    fn new(held_out: &'h HeldOut, values: Vec<f64>, penalty: Option<Penalty>) -> Self {
        Self { held_out, values, penalty }
    }

    fn solve(&mut self) {
        let mut loss = self.loss(&self.values);
        for _ in 0..MAX_SWEEPS {
            let before = loss;
            (0..self.values.len()).for_each(|part| self.improve(part));
            loss = self.loss(&self.values);
            if before - loss < 1e-9 * (1.0 + before.abs()) {
                break;
            }
        }
    }

    /// Finds the best value of one exponent while the others stay fixed. The loss is convex, so its
    /// slope increases; its zero is found by Newton steps, or by halving the interval if a step
    /// leads out of it, as happens when scores are so large that the slope is flat.
    fn improve(&mut self, part: usize) {
        let (mut low, mut high) = (0.0, MAX_EXPONENT);
        let mut value = self.values[part].clamp(MAX_EXPONENT.recip(), MAX_EXPONENT);
        for _ in 0..MAX_STEPS {
            self.values[part] = value;
            let (slope, curvature) = self.derivatives(part);
            if slope > 0.0 {
                high = value;
            } else if slope < 0.0 {
                low = value;
            } else {
                return;
            }
            let newton = value - slope / curvature;
            let halfway = (f64::max(low, MAX_EXPONENT.recip()) * high).sqrt();
            let next = if newton > low && newton < high { newton } else { halfway };
            // Below the smallest exponent, the part gets no weight at all.
            if high <= MAX_EXPONENT.recip() {
                self.values[part] = 0.0;
                return;
            }
            if (next - value).abs() <= 1e-9 * value {
                return;
            }
            value = next;
        }
    }

    /// Returns minus the log-likelihood of the documents, plus the penalty.
    fn loss(&self, values: &[f64]) -> f64 {
        let label_noise = label_noise(self.held_out.len());
        let likelihood: f64 = self
            .held_out
            .documents()
            .map(|(parts, offset, label)| {
                let scores = joined(offset, parts, values);
                let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = scores.iter().map(|score| (score - highest).exp()).sum();
                let mean = scores.iter().sum::<f64>() / scores.len() as f64;
                (1.0 - label_noise) * scores[label] + label_noise * mean - highest - sum.ln()
            })
            .sum();
        self.penalty_of(values) - likelihood
    }

    fn penalty_of(&self, values: &[f64]) -> f64 {
        let Some(Penalty { targets, strengths }) = &self.penalty else { return 0.0 };
        let distance = |((value, target), strength): ((&f64, &f64), &f64)| {
            strength * (value - target).powi(2) / 2.0
        };
        values.iter().zip(targets).zip(strengths).map(distance).sum()
    }

    /// Returns the first and second derivative of the loss with respect to one exponent.
    fn derivatives(&self, part: usize) -> (f64, f64) {
        let label_noise = label_noise(self.held_out.len());
        let (mut slope, mut curvature) = match &self.penalty {
            Some(Penalty { targets, strengths }) => {
                ((self.values[part] - targets[part]) * strengths[part], strengths[part])
            }
            None => (0.0, 0.0),
        };
        for (parts, offset, label) in self.held_out.documents() {
            let own = &parts[part];
            let shares = softmax(&joined(offset, parts, &self.values));
            let mean: f64 = shares.iter().zip(own).map(|(share, score)| share * score).sum();
            let square: f64 = shares.iter().zip(own).map(|(p, s)| p * (s - mean).powi(2)).sum();
            let even = own.iter().sum::<f64>() / own.len() as f64;
            slope += mean - (1.0 - label_noise) * own[label] - label_noise * even;
            curvature += square;
        }
        (slope, curvature)
    }
}

/// Returns the assumed probability that a label is wrong, given the number of documents (after
/// Platt). Without it, a model that is right on all documents would become as certain as the bound
/// allows.
fn label_noise(documents: usize) -> f64 {
    1.0 / (documents as f64 + 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_temperature_makes_posteriors_match_the_share_of_right_answers() {
        // Scores that claim odds of e^8 but are right three times in four: the calibrated score is
        // ln 3.
        let parts = vec![vec![vec![8.0, 0.0]]; 4000];
        let labels = (0..4000).map(|n| usize::from(n % 4 == 0)).collect();
        let temperature =
            HeldOut { parts, offsets: vec![vec![0.0; 2]; 4000], labels, folds: 1 }.temperature();
        assert!((8.0 / temperature - 3.0_f64.ln()).abs() < 0.01, "{temperature}");
    }

    #[test]
    fn a_model_that_is_always_right_does_not_become_certain() {
        let parts = vec![vec![vec![1.0, 0.0]]; 10];
        let temperature =
            HeldOut { parts, offsets: vec![vec![0.0; 2]; 10], labels: vec![0; 10], folds: 1 }
                .temperature();
        // Platt's 11.5 to 0.5: one label in 24 is assumed to be wrong.
        assert!((1.0 / temperature - 23.0_f64.ln()).abs() < 1e-6, "{temperature}");
    }

    #[test]
    fn very_large_scores_are_calibrated_too() {
        // At a temperature of 1, every probability is 0 or 1, and the slope is flat.
        let parts = vec![vec![vec![9e4, 0.0]]; 1000];
        let labels = (0..1000).map(|n| usize::from(n % 10 == 0)).collect();
        let temperature =
            HeldOut { parts, offsets: vec![vec![0.0; 2]; 1000], labels, folds: 1 }.temperature();
        // One in ten is wrong: odds of 9 to 1, a little less because of the assumed label noise.
        assert!((9e4 / temperature - 9.0_f64.ln()).abs() < 0.02, "{temperature}");
        // Scores that always prefer the wrong class get almost no weight.
        let wrong = HeldOut {
            parts: vec![vec![vec![5.0, 0.0]]; 50],
            offsets: vec![vec![0.0; 2]; 50],
            labels: vec![1; 50],
            folds: 1,
        };
        assert!(wrong.temperature() > 1e5);
    }

    #[test]
    fn titles_get_the_weight_1_if_body_text_tells_nothing() {
        // Nine of ten titles are right; body text is long and random.
        let document = |n: usize| {
            let right = if n.is_multiple_of(10) { -2.0 } else { 2.0 };
            let noise = if (n / 10).is_multiple_of(2) { 900.0 } else { -900.0 };
            let nothing = vec![0.0, 0.0];
            vec![vec![right, 0.0], nothing.clone(), nothing.clone(), vec![noise, 0.0], nothing]
        };
        let parts = (0..600).map(document).collect();
        let held_out =
            HeldOut { parts, offsets: vec![vec![0.0; 2]; 600], labels: vec![0; 600], folds: 1 };
        let (weights, temperature) = held_out.label_weights(&[2.0, 1.5, 1.2, 1.0, 0.2]);
        assert_eq!((weights[0], weights[3]), (1.0, 0.0), "{weights:?}");
        assert!((2.0 / temperature - 9.0_f64.ln()).abs() < 0.1, "{temperature}");
        let (right, _) = held_out.figures(&weights.map(|weight| weight / temperature));
        assert_eq!(right, 540);
    }

    #[test]
    fn a_group_that_misleads_loses_its_weight() {
        // Body text is right in nine of ten documents; "other" text is random.
        let document = |n: usize| {
            let right = if n.is_multiple_of(10) { -2.0 } else { 2.0 };
            let noise = if (n / 10).is_multiple_of(2) { 3.0 } else { -3.0 };
            let nothing = vec![0.0, 0.0];
            vec![nothing.clone(), nothing.clone(), nothing, vec![right, 0.0], vec![noise, 0.0]]
        };
        let parts = (0..600).map(document).collect();
        let held_out =
            HeldOut { parts, offsets: vec![vec![0.0; 2]; 600], labels: vec![0; 600], folds: 1 };
        let table = [2.0, 1.5, 1.2, 1.0, 0.2];
        let (weights, _) = held_out.label_weights(&table);
        assert!(weights[4] < 0.05, "{weights:?}");
        // Groups that no document has keep their weights.
        assert_eq!(weights[..3], table[..3]);
        assert!((weights[3] - 1.0).abs() < 1e-12);
    }
}
