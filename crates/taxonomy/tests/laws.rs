//! What holds in every hierarchy, checked on random ones against the plain definition.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use ontrail_taxonomy::{MeasureKind, Taxonomy, TaxonomyBuilder, information_content};
use proptest::prelude::*;

/// A hierarchy in which each concept may be a kind of earlier ones.
fn taxonomy() -> impl Strategy<Value = Taxonomy> {
    let parents =
        prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..14);
    parents.prop_map(|parents| {
        let mut builder = TaxonomyBuilder::new();
        for (id, above) in parents.iter().enumerate() {
            builder.concept(&id.to_string());
            for parent in above.iter().filter(|_| id > 0) {
                builder.is_a(id, parent.index(id));
            }
        }
        builder.finish().unwrap()
    })
}

/// The ancestors of a concept with the length of the shortest way to each, by walking every way.
fn ways(taxonomy: &Taxonomy, id: usize) -> BTreeMap<usize, usize> {
    let mut ways = BTreeMap::from([(id, 0)]);
    for &parent in taxonomy.parents(id) {
        for (ancestor, steps) in self::ways(taxonomy, parent) {
            let known = ways.entry(ancestor).or_insert(steps + 1);
            *known = (*known).min(steps + 1);
        }
    }
    ways
}

proptest! {
    #[test]
    fn ancestors_and_ways_are_those_of_the_definition(taxonomy in taxonomy()) {
        for a in 0..taxonomy.len() {
            let of_a = ways(&taxonomy, a);
            let found: BTreeMap<usize, usize> =
                taxonomy.ancestors(a).iter().map(|it| (it.concept(), it.steps())).collect();
            prop_assert_eq!(&found, &of_a);
            for b in 0..taxonomy.len() {
                let of_b = ways(&taxonomy, b);
                let common = of_a.iter().filter_map(|(id, way)| of_b.get(id).map(|it| (*id, way + it)));
                let common: Vec<(usize, usize)> = common.collect();
                prop_assert_eq!(taxonomy.distance(a, b), common.iter().map(|it| it.1).min());
                let lowest = taxonomy.lowest_common_ancestor(a, b);
                prop_assert_eq!(lowest.is_some(), !common.is_empty());
                if let Some(lowest) = lowest {
                    prop_assert!(common.contains(&(lowest.concept, lowest.steps)));
                    let deepest = common.iter().map(|it| taxonomy.shortest_depth(it.0)).max();
                    prop_assert_eq!(Some(taxonomy.shortest_depth(lowest.concept)), deepest);
                }
                prop_assert_eq!(taxonomy.is_in_line(a, b), of_a.contains_key(&b) || of_b.contains_key(&a));
            }
        }
    }

    #[test]
    fn descendants_are_those_that_have_one_as_ancestor(taxonomy in taxonomy()) {
        let counts = taxonomy.descendant_counts();
        for (id, &count) in counts.iter().enumerate() {
            let below = (0..taxonomy.len()).filter(|&it| it != id && ways(&taxonomy, it).contains_key(&id));
            prop_assert_eq!(count, below.count());
        }
        for content in information_content(&taxonomy) {
            prop_assert!((0.0..=1.0).contains(&content));
        }
    }

    #[test]
    fn measures_are_bounded_symmetric_and_one_for_the_same(taxonomy in taxonomy()) {
        let taxonomy = Arc::new(taxonomy);
        for kind in MeasureKind::ALL {
            let measure = kind.over(Arc::clone(&taxonomy));
            for a in 0..taxonomy.len() {
                prop_assert!((measure.similarity(a, a) - 1.0).abs() < 1e-12, "{kind} of {a}");
                for b in 0..taxonomy.len() {
                    let similarity = measure.similarity(a, b);
                    prop_assert!((0.0..=1.0).contains(&similarity), "{kind}: {similarity}");
                    prop_assert!((measure.value(a, b) - measure.value(b, a)).abs() < 1e-12, "{kind}");
                    prop_assert!(measure.value(a, b).is_finite());
                }
            }
        }
    }
}

/// Lists of thousands of ancestors are found anew each time; otherwise a chain would fill memory with the
/// square of its length.
#[test]
fn long_chains_are_walked_and_not_kept() {
    let mut builder = TaxonomyBuilder::new();
    let ids: Vec<usize> = (0..50_000).map(|number| builder.concept(&number.to_string())).collect();
    ids.windows(2).for_each(|pair| builder.is_a(pair[1], pair[0]));
    let taxonomy = builder.finish().unwrap();
    for id in (40_000..50_000).step_by(100) {
        assert_eq!(taxonomy.ancestors(id).len(), id + 1);
        assert_eq!(taxonomy.distance(id, 39_999), Some(id - 39_999));
    }
}
