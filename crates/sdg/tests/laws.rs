//! Properties that hold for all graphs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_sdg::{Bounds, Importance, Occurrences, Sdg, SdgSettings, Shape, TopicTerm};
use proptest::prelude::*;

const TERMS: usize = 6;

/// A page: true if it is relevant, and the number of occurrences of each term.
type Page = (bool, [u32; TERMS]);

fn pages() -> impl Strategy<Value = Vec<Page>> {
    let count = prop_oneof![3 => Just(0), 1 => 1..5_u32, 1 => Just(u32::MAX)];
    prop::collection::vec((any::<bool>(), prop::array::uniform6(count)), 0..150)
}

fn occurrences(pages: &[Page]) -> Occurrences {
    let mut occurrences = Occurrences::new(TERMS);
    for (is_relevant, counts) in pages {
        let present = counts.iter().copied().enumerate().filter(|(_, count)| *count > 0);
        occurrences.add(*is_relevant, present);
    }
    occurrences
}

fn settings() -> impl Strategy<Value = SdgSettings> {
    let shapes = vec![Shape::Linear, Shape::Triangular, Shape::Gaussian];
    let forms = vec![Importance::Printed, Importance::Text];
    let number = prop_oneof![0.0..3.0, prop::num::f64::NORMAL];
    let bounds = prop::option::of((number.clone(), number));
    let bounds = bounds.prop_map(|given| given.map(|(low, high)| Bounds { low, high }));
    (
        (prop::sample::select(shapes), prop::sample::select(forms)),
        (prop::option::of(0.0..=1.0), 0.0..=1.0),
        prop_oneof![Just(1.0), 0.001..1e3],
        prop::array::uniform3(bounds),
    )
        .prop_map(|((shape, importance), (degree_threshold, theta), constant, bounds)| {
            SdgSettings::default().with(|it| {
                (it.importance, it.shape) = (importance, shape);
                (it.constant, it.bounds) = (constant, bounds);
                (it.degree_threshold, it.theta) = (degree_threshold, theta);
            })
        })
}

proptest! {
    /// Eq. 10 by counting pages one by one.
    #[test]
    fn pairs_agree_with_counting_page_by_page(pages in pages()) {
        let found = occurrences(&pages).pairs();
        let mut expected = Vec::new();
        for first in 0..TERMS {
            for second in first + 1..TERMS {
                let has = |page: &Page, term: usize| page.1[term] > 0;
                let both = |page: &&Page| page.0 && has(page, first) && has(page, second);
                let either = |page: &&Page| has(page, first) || has(page, second);
                let together = pages.iter().filter(both).count();
                if together > 0 {
                    expected.push((first, second, together, pages.iter().filter(either).count()));
                }
            }
        }
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.first, it.second, it.together as usize, it.either as usize))
            .collect();
        prop_assert_eq!(found, expected);
    }

    /// For all counts, every number is finite and in range, and a graph is either refused or valid.
    #[test]
    fn no_number_is_out_of_range(
        pages in pages(),
        settings in settings(),
        own in prop::array::uniform6(0..1_000_u64),
    ) {
        let term = |(number, occurrences)| TopicTerm { term: format!("t{number}"), weight: 1.0, occurrences };
        let terms: Vec<TopicTerm> = own.into_iter().enumerate().map(term).collect();
        let Ok(sdg) = Sdg::build("x", &terms, &occurrences(&pages), &settings) else {
            return Ok(());
        };
        prop_assert!(sdg.check().is_ok());
        for node in &sdg.terms {
            let it = node.indicators;
            prop_assert!(it.relevance.is_finite() && it.popularity.is_finite() && it.importance.is_finite());
            prop_assert_eq!(node.ambiguity.is_some(), node.counts.is_met());
            if let Some(it) = node.ambiguity {
                prop_assert!((0.0..=1.0).contains(&it.low) && (0.0..=1.0).contains(&it.high));
                prop_assert!((10.0..=20.0).contains(&it.value));
                // The decisions av ≥ 15 and μ_H ≥ μ_L differ only by the tolerance for rounding,
                // which is five times as large for av.
                prop_assert!(node.ambiguous == (it.value >= 15.0) || (it.value - 15.0).abs() < 6e-9);
                // Every number is low or high, so some rule holds to at least one half, or with
                // triangles to some degree.
                prop_assert!(it.low.max(it.high) > 0.0);
            }
        }
        for edge in &sdg.edges {
            prop_assert!(edge.degree > 0.0 && edge.degree <= 1.0);
        }
    }
}
