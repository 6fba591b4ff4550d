//! The measure by attribute features (eq. 8 of sdvsm; Tversky).

use std::sync::Arc;

use super::Measure;
use crate::taxonomy::{ConceptId, Taxonomy};

/// γ f(a ∩ b) − α f(a − b) − β f(b − a), with f the number of features.
///
/// The features of a concept are what it is a kind of, itself included, and the relations that it or
/// one of those has to other concepts. The printed difference has no bounds; its
/// [`similarity`](Measure::similarity) is Tversky's quotient γ f(a ∩ b) / (γ f(a ∩ b) + α f(a − b) +
/// β f(b − a)). γ is 1; α and β are ½, so that both are symmetric.
#[derive(Debug, Clone)]
pub struct Features {
    taxonomy: Arc<Taxonomy>,
    /// The relations of each concept as feature numbers.
    relations: Vec<Vec<u64>>,
}

/// What shared features count, and those that only one has.
const GAMMA: f64 = 1.0;
const ALPHA: f64 = 0.5;
const BETA: f64 = 0.5;

/// How many features two concepts share, and how many only the one or the other has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Split {
    both: usize,
    only_a: usize,
    only_b: usize,
}

impl Features {
    /// Over a taxonomy.
    #[must_use]
    pub fn new(taxonomy: Arc<Taxonomy>) -> Self {
        let mut properties: Vec<&str> =
            taxonomy.relations().iter().map(|relation| relation.property.as_str()).collect();
        properties.sort_unstable();
        properties.dedup();
        let mut relations = vec![Vec::new(); taxonomy.len()];
        for relation in taxonomy.relations() {
            // Numbers below the size of the taxonomy mean "is a kind of".
            let property = properties.partition_point(|&it| it < relation.property.as_str()) + 1;
            let number = property * taxonomy.len() + relation.to;
            relations[relation.from].push(number as u64);
        }
        Self { taxonomy, relations }
    }

    /// The features of a concept, sorted.
    fn of(&self, id: ConceptId) -> Vec<u64> {
        let ancestors = self.taxonomy.ancestors(id);
        let kinds = ancestors.iter().map(|ancestor| ancestor.concept() as u64);
        let inherited = ancestors.iter().flat_map(|it| &self.relations[it.concept()]);
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
        // A concept has at least itself, so something is above zero.
        (shared - own, shared / (shared + own))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::tree;
    use super::*;

    #[test]
    fn eq_8_of_sdvsm() {
        let mut builder = tree();
        builder.relate(1, "part of", 2); // 2 is part of 3, and so are its kinds
        builder.relate(6, "near", 2); // 7 besides is near 3
        let features = Features::new(Arc::new(builder.finish().unwrap()));
        // 7: itself, 2, 1, part of 3, near 3. 8: itself, 2, 1, part of 3.
        assert_eq!(features.split(6, 7), Split { both: 3, only_a: 2, only_b: 1 });
        assert!((features.value(6, 7) - 1.5).abs() < 1e-12);
        assert!((features.similarity(6, 7) - 3.0 / 4.5).abs() < 1e-12);
        // 10 and 13 share but the root: as printed the value is negative.
        assert!((features.value(9, 12) + 1.0).abs() < 1e-12);
    }
}
