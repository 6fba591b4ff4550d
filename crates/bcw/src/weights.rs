//! The common form of all modes: a score for each class that is linear in the features.
//!
//! A Bayesian score is log P(C) + Σ v·log P(U|C). A class gives the same default to all features
//! that it has never seen, so only the difference from the default is stored for features that it
//! has seen. A linear model stores its non-zero weights. Memory therefore grows with the pairs of
//! feature and class that occur, not with features times classes.

use crate::records::Entry;

/// The function from a feature's weighted count to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Value {
    /// The count times the feature's factor.
    Count,
    /// log2(1 + count) times the feature's factor, in a vector of length 1.
    Unit,
}

/// The weights from which the classes' scores are computed. A feature with a factor of 0 was not
/// kept and is treated like an unknown feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weights {
    pub(crate) value: Value,
    /// The initial score of each class.
    pub(crate) biases: Vec<f64>,
    /// The score of each class per unit of value, for any feature.
    pub(crate) defaults: Vec<f64>,
    /// The factor of each feature's count.
    pub(crate) factors: Vec<f32>,
    /// The end of each feature's weights in `classes` and `values`.
    pub(crate) ends: Vec<u32>,
    pub(crate) classes: Vec<u16>,
    pub(crate) values: Vec<f32>,
}

impl Weights {
    pub(crate) fn new(value: Value, biases: Vec<f64>, defaults: Vec<f64>) -> Self {
        Self {
            value,
            biases,
            defaults,
            factors: Vec::new(),
            ends: Vec::new(),
            classes: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds the next feature.
    #[expect(clippy::cast_possible_truncation, reason = "weights are kept in single precision")]
    pub(crate) fn push(&mut self, factor: f64, row: impl IntoIterator<Item = (usize, f64)>) {
        for (class, value) in row {
            self.classes.push(u16::try_from(class).expect("classes are numbered in 16 bits"));
            self.values.push(value as f32);
        }
        self.factors.push(factor as f32);
        self.ends.push(u32::try_from(self.values.len()).expect("fewer than 2^32 weights"));
    }

    /// Adds a feature that is not used.
    pub(crate) fn push_unused(&mut self) {
        self.push(0.0, []);
    }

    /// Returns the weights of only these features.
    pub(crate) fn restricted(&self, is_wanted: &[bool]) -> Self {
        let mut fewer = Self::new(self.value, self.biases.clone(), self.defaults.clone());
        for (feature, _) in (0..).zip(is_wanted).filter(|(_, wanted)| **wanted) {
            fewer.push(f64::from(self.factors[feature as usize]), self.row(feature));
        }
        fewer
    }

    /// Returns the number of features used.
    pub(crate) fn used(&self) -> usize {
        self.factors.iter().filter(|factor| **factor > 0.0).count()
    }

    /// Returns the weights of a feature, by class.
    pub(crate) fn row(&self, feature: u32) -> impl Iterator<Item = (usize, f64)> {
        let range = self.range(feature);
        let classes = self.classes[range.clone()].iter().map(|&class| usize::from(class));
        classes.zip(self.values[range].iter().map(|&value| f64::from(value)))
    }

    fn range(&self, feature: u32) -> std::ops::Range<usize> {
        let feature = feature as usize;
        let start = if feature == 0 { 0 } else { self.ends[feature - 1] as usize };
        start..self.ends[feature] as usize
    }

    /// Returns a feature's value before vectors are normalised to length 1; 0 if it is not used.
    fn value_of(&self, feature: u32, count: f64) -> f64 {
        let factor = self.factors.get(feature as usize).copied().map_or(0.0, f64::from);
        match self.value {
            Value::Count => count * factor,
            Value::Unit => (1.0 + count).log2() * factor,
        }
    }

    /// Returns the values of a document's features. The entries of a feature must be adjacent.
    pub(crate) fn values_of(&self, row: &[Entry], label_weights: &[f64; 5]) -> Vec<(u32, f64)> {
        let mut values: Vec<(u32, f64)> = Vec::with_capacity(row.len());
        for same in row.chunk_by(|a, b| a.feature == b.feature) {
            let weighted = |e: &Entry| f64::from(e.count) * label_weights[usize::from(e.group)];
            let value = self.value_of(same[0].feature, same.iter().map(weighted).sum());
            if value > 0.0 {
                values.push((same[0].feature, value));
            }
        }
        if self.value == Value::Unit {
            let norm = values.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
            values.iter_mut().for_each(|(_, value)| *value /= norm);
        }
        values
    }

    /// Returns the classes' scores for features with these values.
    pub(crate) fn scores(&self, values: &[(u32, f64)]) -> Vec<f64> {
        let mut scores = self.biases.clone();
        let mut mass = 0.0;
        for &(feature, value) in values {
            mass += value;
            for (class, weight) in self.row(feature) {
                scores[class] += value * weight;
            }
        }
        for (score, default) in scores.iter_mut().zip(&self.defaults) {
            *score += mass * default;
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(feature: u32, group: u8, count: u16) -> Entry {
        Entry { feature, group, count }
    }

    #[test]
    fn counts_are_weighed_by_label_and_factor() {
        let mut weights = Weights::new(Value::Count, vec![0.0, 1.0], vec![-1.0, -2.0]);
        weights.push(2.0, [(1, 4.0)]);
        weights.push_unused();
        let row = [entry(0, 0, 1), entry(0, 3, 2), entry(1, 3, 9)];
        // 2·1 + 1·2 = 4 occurrences, times the factor 2.
        let values = weights.values_of(&row, &[2.0, 1.5, 1.2, 1.0, 0.2]);
        assert_eq!(values, [(0, 8.0)]);
        assert_eq!(weights.scores(&values), [-8.0, 1.0 - 16.0 + 32.0]);
    }

    #[test]
    fn unit_vectors_have_length_one_and_an_empty_document_has_no_values() {
        let mut weights = Weights::new(Value::Unit, vec![0.0], vec![0.0]);
        weights.push(3.0, [(0, 1.0)]);
        weights.push(4.0, [(0, 1.0)]);
        let values = weights.values_of(&[entry(0, 3, 1), entry(1, 3, 1)], &[1.0; 5]);
        assert_eq!(values, [(0, 0.6), (1, 0.8)]);
        assert_eq!(weights.values_of(&[], &[1.0; 5]), []);
        assert_eq!(weights.values_of(&[entry(0, 0, 1)], &[0.0, 1.0, 1.0, 1.0, 1.0]), []);
    }
}
