//! The measure based on attribute features (eq. 8 of sdvsm; Tversky).

use std::sync::Arc;

use super::Measure;
use crate::taxonomy::{ConceptId, Taxonomy};

/// γ f(a ∩ b) − α f(a − b) − β f(b − a), where f is the number of features.
///
/// The features of a concept are its ancestors, including itself, and the relations that any of
/// them has to other concepts. The printed difference has no bounds, so
/// [`similarity`](Measure::similarity) is Tversky's quotient γ f(a ∩ b) / (γ f(a ∩ b) +
/// α f(a − b) + β f(b − a)). γ is 1; α and β are ½, so that both are symmetric.
#[derive(Debug, Clone)]
pub struct Features {
    taxonomy: Arc<Taxonomy>,
    /// The relations of each concept, as feature numbers.
    relations: Vec<Vec<u64>>,
}

/// Weight of the features that both concepts have.
const GAMMA: f64 = 1.0;
/// Weight of the features that only the first concept has.
const ALPHA: f64 = 0.5;
/// Weight of the features that only the second concept has.
const BETA: f64 = 0.5;

/// Number of features that two concepts share, and that only one of them has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Split {
    both: usize,
    only_a: usize,
    only_b: usize,
}

impl Features {
    /// Creates the measure for a taxonomy.
    #[must_use]
    pub fn new(taxonomy: Arc<Taxonomy>) -> Self {
        let mut properties: Vec<&str> =
            taxonomy.relations().iter().map(|relation| relation.property.as_str()).collect();
        properties.sort_unstable();
        properties.dedup();
        let mut relations = vec![Vec::new(); taxonomy.len()];
        for relation in taxonomy.relations() {
            // Feature numbers below the size of the taxonomy mean "is a kind of".
            let property = properties.partition_point(|&it| it < relation.property.as_str()) + 1;
            let number = property * taxonomy.len() + relation.to.index();
            relations[relation.from.index()].push(number as u64);
        }
        Self { taxonomy, relations }
    }

    /// Returns the features of a concept, sorted.
    fn of(&self, id: ConceptId) -> Vec<u64> {
        let ancestors = self.taxonomy.ancestors(id);
        let kinds = ancestors.iter().map(|ancestor| ancestor.concept().index() as u64);
        let inherited = ancestors.iter().flat_map(|it| &self.relations[it.concept().index()]);
        let mut features: Vec<u64> = kinds.chain(inherited.copied()).collect();
        features.sort_unstable();
        features.dedup();
        features
    }

    fn split(&self, a: ConceptId, b: ConceptId) -> Split {
        let (of_a, of_b) = (self.of(a), self.of(b));
        let both = of_a.iter().filter(|feature| of_b.binary_search(feature).is_ok()).count();
        Split { both, only_a: of_a.len() - both, only_b: of_b.len() - both }
    }

    fn weighted(&self, a: ConceptId, b: ConceptId) -> (f64, f64) {
        let split = self.split(a, b);
        let own = ALPHA * split.only_a as f64 + BETA * split.only_b as f64;
        (GAMMA * split.both as f64, own)
    }
}

impl Measure for Features {
    fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    fn value(&self, a: ConceptId, b: ConceptId) -> f64 {
        self.compare(a, b).0
    }

    fn compare(&self, a: ConceptId, b: ConceptId) -> (f64, f64) {
        let (shared, own) = self.weighted(a, b);
        // Every concept has at least itself as a feature, so the denominator is above zero.
        (shared - own, shared / (shared + own))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{id, tree};
    use super::*;

    #[test]
    fn eq_8_of_sdvsm() {
        let mut builder = tree();
        builder.relate(id(2), "part of", id(3)); // inherited by the kinds of 2
        builder.relate(id(7), "near", id(3));
        let features = Features::new(Arc::new(builder.finish().unwrap()));
        // 7: itself, 2, 1, part of 3, near 3. 8: itself, 2, 1, part of 3.
        assert_eq!(features.split(id(7), id(8)), Split { both: 3, only_a: 2, only_b: 1 });
        assert!((features.value(id(7), id(8)) - 1.5).abs() < 1e-12);
        assert!((features.similarity(id(7), id(8)) - 3.0 / 4.5).abs() < 1e-12);
        // 10 and 13 share only the root: the value as printed is negative.
        assert!((features.value(id(10), id(13)) + 1.0).abs() < 1e-12);
    }
}
