//! Measures based on the path between two concepts.

use std::sync::Arc;

use super::Measure;
use crate::taxonomy::{ConceptId, Taxonomy};

/// Path distance (eq. 5 of sdvsm; Wu and Palmer): 1 − len / (len + 2 · depth(lso)).
///
/// len is the length of the shortest path between the two, lso their lowest common ancestor, and a
/// root has depth 1. The value is 0 without a common ancestor.
#[derive(Debug, Clone)]
pub struct PathDistance {
    taxonomy: Arc<Taxonomy>,
}

impl PathDistance {
    /// Creates the measure for a taxonomy.
    #[must_use]
    pub fn new(taxonomy: Arc<Taxonomy>) -> Self {
        Self { taxonomy }
    }
}

impl Measure for PathDistance {
    fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    fn value(&self, a: ConceptId, b: ConceptId) -> f64 {
        let lowest = self.taxonomy.lowest_common_ancestor(a, b);
        let (Some(lowest), Some(len)) = (lowest, self.taxonomy.distance(a, b)) else { return 0.0 };
        let depth = self.taxonomy.shortest_depth(lowest.concept) as f64;
        let len = len as f64;
        1.0 - len / (len + 2.0 * depth)
    }
}

/// The measure of Leacock and Chodorow: −ln(nodes / 2D), where nodes is the number of concepts on
/// the shortest path, both ends included, and D the number of levels of the taxonomy, measured by
/// the longest path.
///
/// [`similarity`](Measure::similarity) is the value divided by its maximum, ln 2D. The value is 0
/// without a common ancestor.
#[derive(Debug, Clone)]
pub struct LeacockChodorow {
    taxonomy: Arc<Taxonomy>,
    twice_depth: f64,
}

impl LeacockChodorow {
    /// Creates the measure for a taxonomy.
    #[must_use]
    pub fn new(taxonomy: Arc<Taxonomy>) -> Self {
        let twice_depth = 2.0 * taxonomy.levels() as f64;
        Self { taxonomy, twice_depth }
    }
}

impl Measure for LeacockChodorow {
    fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    fn value(&self, a: ConceptId, b: ConceptId) -> f64 {
        let Some(len) = self.taxonomy.distance(a, b) else { return 0.0 };
        // No path is longer than twice the depth, so the logarithm is not positive.
        -((len as f64 + 1.0) / self.twice_depth).ln()
    }

    fn compare(&self, a: ConceptId, b: ConceptId) -> (f64, f64) {
        let value = self.value(a, b);
        let share = (value / self.twice_depth.ln()).clamp(0.0, 1.0);
        (value, if a == b { 1.0 } else { share })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{id, tree};
    use super::*;

    // The expected values were computed by hand from the printed formulas, for the tree of 20
    // concepts.

    #[test]
    fn eq_5_of_sdvsm() {
        let measure = PathDistance::new(Arc::new(tree().finish().unwrap()));
        let close = |a: usize, b: usize, expected: f64| {
            let found = measure.value(id(a), id(b));
            assert!((found - expected).abs() < 1e-12, "({a},{b}): {found}");
        };
        close(19, 20, 0.75); // len 2, depth of 7 is 3: 1 − 2/8
        close(7, 8, 2.0 / 3.0); // len 2, depth of 2 is 2: 1 − 2/6
        close(10, 13, 1.0 / 3.0); // len 4, depth of 1 is 1: 1 − 4/6
        close(1, 19, 0.4); // len 3, depth of 1 is 1: 1 − 3/5
        close(5, 5, 1.0);
    }

    #[test]
    fn leacock_and_chodorow() {
        let measure = LeacockChodorow::new(Arc::new(tree().finish().unwrap()));
        let found = measure.value(id(19), id(20)); // 3 nodes, 4 levels: −ln(3/8)
        assert!((found - 0.980_829_253_011_726_2).abs() < 1e-12, "{found}");
        let found = measure.similarity(id(19), id(20)); // divided by ln 8
        assert!((found - 0.471_679_166_426_281_27).abs() < 1e-12, "{found}");
    }
}
