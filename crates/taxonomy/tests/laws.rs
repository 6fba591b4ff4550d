//! Properties of every taxonomy, checked on random ones against the plain definitions.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use ontrail_taxonomy::{ConceptId, MeasureKind, Taxonomy, TaxonomyBuilder, information_content};
use proptest::prelude::*;

/// Generates a taxonomy in which each concept may have earlier concepts as parents.
fn taxonomy() -> impl Strategy<Value = Taxonomy> {
    let parents =
        prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..14);
    parents.prop_map(|parents| {
        let mut builder = TaxonomyBuilder::new();
        let mut ids: Vec<ConceptId> = Vec::new();
        for above in &parents {
            let id = builder.concept(&ids.len().to_string());
            for parent in above.iter().filter(|_| !ids.is_empty()) {
                builder.is_a(id, *parent.get(&ids));
            }
            ids.push(id);
        }
        builder.finish().unwrap()
    })
}

/// Returns the ancestors of a concept with the length of the shortest path to each, by following
/// every path.
fn paths(taxonomy: &Taxonomy, id: ConceptId) -> BTreeMap<ConceptId, usize> {
    let mut paths = BTreeMap::from([(id, 0)]);
    for &parent in taxonomy.parents(id) {
        for (ancestor, steps) in self::paths(taxonomy, parent) {
            let known = paths.entry(ancestor).or_insert(steps + 1);
            *known = (*known).min(steps + 1);
        }
    }
    paths
}

proptest! {
    #[test]
    fn ancestors_and_distances_match_their_definitions(taxonomy in taxonomy()) {
        for a in taxonomy.ids() {
            let of_a = paths(&taxonomy, a);
            let found: BTreeMap<ConceptId, usize> =
                taxonomy.ancestors(a).iter().map(|it| (it.concept(), it.steps())).collect();
            prop_assert_eq!(&found, &of_a);
            for b in taxonomy.ids() {
                let of_b = paths(&taxonomy, b);
                let common = of_a.iter().filter_map(|(id, up)| Some((*id, up + of_b.get(id)?)));
                let common: Vec<(ConceptId, usize)> = common.collect();
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
    fn descendants_are_the_concepts_with_this_ancestor(taxonomy in taxonomy()) {
        let counts = taxonomy.descendant_counts();
        for (id, &count) in taxonomy.ids().zip(&counts) {
            let is_below = |it: &ConceptId| *it != id && paths(&taxonomy, *it).contains_key(&id);
            let below = taxonomy.ids().filter(is_below);
            prop_assert_eq!(count, below.count());
        }
        for content in information_content(&taxonomy) {
            prop_assert!((0.0..=1.0).contains(&content));
        }
    }

    #[test]
    fn measures_are_bounded_symmetric_and_one_for_the_same_concept(taxonomy in taxonomy()) {
        let taxonomy = Arc::new(taxonomy);
        for kind in MeasureKind::ALL {
            let measure = kind.over(Arc::clone(&taxonomy));
            for a in taxonomy.ids() {
                prop_assert!((measure.similarity(a, a) - 1.0).abs() < 1e-12, "{kind} of {a:?}");
                for b in taxonomy.ids() {
                    let similarity = measure.similarity(a, b);
                    prop_assert!((0.0..=1.0).contains(&similarity), "{kind}: {similarity}");
                    prop_assert!((measure.value(a, b) - measure.value(b, a)).abs() < 1e-12, "{kind}");
                    prop_assert!(measure.value(a, b).is_finite());
                }
            }
        }
    }
}

/// Lists of thousands of ancestors are computed anew each time; if they were cached, a chain would
/// take memory that grows with the square of its length.
#[test]
fn ancestors_in_a_long_chain_are_not_cached() {
    let mut builder = TaxonomyBuilder::new();
    let ids: Vec<ConceptId> = (0..50_000).map(|n| builder.concept(&n.to_string())).collect();
    ids.windows(2).for_each(|pair| builder.is_a(pair[1], pair[0]));
    let taxonomy = builder.finish().unwrap();
    for place in (40_000..50_000).step_by(100) {
        assert_eq!(taxonomy.ancestors(ids[place]).len(), place + 1);
        assert_eq!(taxonomy.distance(ids[place], ids[39_999]), Some(place - 39_999));
    }
}
