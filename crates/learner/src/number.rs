//! Numbers that are learned in several places at once, and mixed from time to time.

use serde::{Deserialize, Serialize};

/// A number that was learned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LearnedNumber {
    /// The place of the number among those of its learner.
    pub place: u32,
    /// The value.
    pub value: f32,
    /// The amount of evidence for the value, by which it counts.
    pub evidence: f32,
}

impl LearnedNumber {
    /// Returns a number.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "what is learned has few digits")]
    pub fn new(place: u32, value: f64, evidence: f64) -> Self {
        Self { place, value: value as f32, evidence: evidence as f32 }
    }

    /// Returns the mean of two values, each weighted by its evidence: `(e w + e' w') / (e + e')`.
    /// The evidence of the mean is the greater one, so that mixing the same numbers again changes
    /// nothing. A value that is not finite counts for nothing.
    #[must_use]
    pub fn mixed(&self, other: &Self) -> Self {
        let is_sound = |it: &Self| it.value.is_finite() && it.evidence.is_finite();
        let both = f64::from(self.evidence) + f64::from(other.evidence);
        if !is_sound(other) || other.evidence <= 0.0 || both <= 0.0 {
            return *self;
        }
        let weighted = |it: &Self| f64::from(it.evidence) * f64::from(it.value);
        let mean = (weighted(self) + weighted(other)) / both;
        Self::new(self.place, mean, f64::from(self.evidence.max(other.evidence)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (3 · 0.2 + 1 · 0.6) / 4 = 0.3.
    #[test]
    fn numbers_count_by_their_evidence() {
        let (one, other) = (LearnedNumber::new(5, 0.2, 3.0), LearnedNumber::new(5, 0.6, 1.0));
        let mixed = one.mixed(&other);
        assert!((mixed.value - 0.3).abs() < 1e-6);
        assert!((mixed.evidence - 3.0).abs() < 1e-6);
        assert_eq!(mixed.mixed(&mixed), mixed);
        // A number without evidence takes that of the other, and changes nothing itself.
        let unknown = LearnedNumber::new(5, 0.0, 0.0);
        assert_eq!(unknown.mixed(&other), other);
        assert_eq!(other.mixed(&unknown), other);
        assert_eq!(unknown.mixed(&unknown), unknown);
        assert_eq!(one.mixed(&LearnedNumber::new(5, f64::NAN, 1.0)), one);
        assert_eq!(one.mixed(&LearnedNumber::new(5, 0.4, f64::INFINITY)), one);
    }
}
