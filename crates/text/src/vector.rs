//! Sparse vectors over terms, and their algebra.

use crate::term::TermId;

/// A vector with few non-zero coordinates, kept sorted by term.
///
/// Coordinates are finite and non-zero: others are dropped on entry, so that a NaN cannot spread
/// from a damaged input into a score.
///
/// ```
/// use ontrail_text::{SparseVector, TermId};
///
/// let a: SparseVector = [(TermId(0), 3.0), (TermId(2), 4.0)].into_iter().collect();
/// let b: SparseVector = [(TermId(2), 2.0)].into_iter().collect();
/// assert_eq!(a.norm(), 5.0);
/// assert_eq!(a.dot(&b), 8.0);
/// assert_eq!(a.cosine(&b), 0.8);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseVector {
    entries: Vec<(TermId, f64)>,
}

impl SparseVector {
    /// Creates the zero vector.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of non-zero coordinates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true for the zero vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the coordinate of `term`, or 0 if there is none.
    #[must_use]
    pub fn get(&self, term: TermId) -> f64 {
        let found = self.entries.binary_search_by_key(&term, |&(term, _)| term);
        found.map_or(0.0, |index| self.entries[index].1)
    }

    /// Returns the non-zero coordinates, sorted by term.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TermId, f64)> + '_ {
        self.entries.iter().copied()
    }

    /// Returns the scalar product with `other`.
    #[must_use]
    pub fn dot(&self, other: &Self) -> f64 {
        let (short, long) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        // A topic has tens of terms and a page thousands: look-ups are then faster than a merge.
        if short.len() * 16 < long.len() {
            return short.iter().map(|(term, weight)| weight * long.get(term)).sum();
        }
        let mut sum = 0.0;
        let (mut a, mut b) = (short.entries.iter().peekable(), long.entries.iter().peekable());
        while let (Some(&&(s, x)), Some(&&(t, y))) = (a.peek(), b.peek()) {
            match s.cmp(&t) {
                std::cmp::Ordering::Less => drop(a.next()),
                std::cmp::Ordering::Greater => drop(b.next()),
                std::cmp::Ordering::Equal => {
                    sum += x * y;
                    a.next();
                    b.next();
                }
            }
        }
        sum
    }

    /// Returns the Euclidean norm.
    #[must_use]
    pub fn norm(&self) -> f64 {
        self.entries.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt()
    }

    /// Returns the cosine of the angle to `other`, clamped to [-1, 1]; 0 if either vector is zero.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f64 {
        // Dividing by one norm after the other: their product could underflow.
        let (a, b) = (self.norm(), other.norm());
        let cosine = if a > 0.0 && b > 0.0 { self.dot(other) / a / b } else { 0.0 };
        if cosine.is_finite() { cosine.clamp(-1.0, 1.0) } else { 0.0 }
    }

    /// Returns the sum of this vector and `other`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// Returns this vector with every coordinate multiplied by `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        self.iter().map(|(term, weight)| (term, weight * factor)).collect()
    }

    /// Returns this vector scaled to norm 1; the zero vector is returned unchanged.
    #[must_use]
    pub fn normalised(&self) -> Self {
        let norm = self.norm();
        if norm > 0.0 { self.scaled(norm.recip()) } else { self.clone() }
    }

    /// Returns the `n` largest coordinates, largest first; of equal ones the smaller term first.
    #[must_use]
    pub fn largest(&self, n: usize) -> Vec<(TermId, f64)> {
        let mut entries = self.entries.clone();
        entries.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        entries.truncate(n);
        entries
    }
}

/// Collects coordinates in any order and sums those of the same term.
impl FromIterator<(TermId, f64)> for SparseVector {
    fn from_iter<I: IntoIterator<Item = (TermId, f64)>>(coordinates: I) -> Self {
        let mut entries: Vec<_> = coordinates.into_iter().collect();
        entries.sort_by_key(|&(term, _)| term);
        entries.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        entries.retain(|&(_, weight)| weight.is_finite() && weight != 0.0);
        Self { entries }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums and products are exact")]
mod tests {
    use super::*;

    fn vector(entries: &[(u32, f64)]) -> SparseVector {
        entries.iter().map(|&(term, weight)| (TermId(term), weight)).collect()
    }

    #[test]
    fn coordinates_are_sorted_summed_and_finite() {
        let v = vector(&[(3, 1.0), (1, 2.0), (3, 4.0), (2, 0.0), (5, f64::NAN)]);
        assert_eq!(v.iter().collect::<Vec<_>>(), [(TermId(1), 2.0), (TermId(3), 5.0)]);
        assert_eq!(v.get(TermId(3)), 5.0);
        assert_eq!(v.get(TermId(2)), 0.0);
    }

    #[test]
    fn look_ups_and_merges_give_the_same_product() {
        let long: SparseVector = (0..1000).map(|n| (TermId(n), f64::from(n))).collect();
        let short = vector(&[(10, 2.0), (999, 1.0), (5000, 7.0)]);
        assert_eq!(short.dot(&long), 1019.0);
        assert_eq!(long.dot(&short), 1019.0);
        assert_eq!(long.dot(&long), 332_833_500.0);
    }

    #[test]
    fn zero_vectors_have_cosine_zero() {
        let zero = SparseVector::new();
        let one = vector(&[(0, 1.0)]);
        assert_eq!(zero.cosine(&one), 0.0);
        assert_eq!(zero.normalised(), zero);
        assert_eq!(one.cosine(&one.scaled(7.0)), 1.0);
        assert_eq!(one.cosine(&one.scaled(-1.0)), -1.0);
    }

    #[test]
    fn extreme_weights_give_no_nan() {
        let huge = vector(&[(0, f64::MAX)]);
        let tiny = vector(&[(0, f64::MIN_POSITIVE)]);
        assert!(huge.cosine(&tiny).is_finite());
        assert!(huge.cosine(&huge).is_finite());
    }

    #[test]
    fn the_largest_coordinates_come_first() {
        let v = vector(&[(0, 1.0), (1, 3.0), (2, 3.0), (3, 2.0)]);
        assert_eq!(v.largest(3), [(TermId(1), 3.0), (TermId(2), 3.0), (TermId(3), 2.0)]);
    }
}
