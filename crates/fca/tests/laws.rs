//! Properties that hold for every context.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use ontrail_fca::format::{self, Format};
use ontrail_fca::implication::{basis, close, luxenburger};
use ontrail_fca::{
    AttributeOrder, BitSet, Context, ContextBuilder, Exploration, Lattice, Listing, Names, measure,
    reduce,
};
use proptest::prelude::*;

fn context(rows: &[Vec<bool>], attributes: usize) -> Context {
    let mut builder = ContextBuilder::new();
    for row in rows {
        let crossed = (0..).zip(row).filter(|&(_, &has)| has).map(|(attribute, _)| attribute);
        builder.row(&crossed.collect::<Vec<u32>>());
    }
    let objects = (0..rows.len()).map(|number| format!("object {number}")).collect();
    let attributes = (0..attributes).map(|number| format!("属性,{number}")).collect();
    builder.finish(Names::Given(objects), Names::Given(attributes)).unwrap()
}

/// Contexts of up to 8 attributes, from sparse to dense, some with equal rows.
fn contexts() -> impl Strategy<Value = Context> {
    (0usize..=8, 0.0..=1.0)
        .prop_flat_map(|(attributes, density)| {
            let row = prop::collection::vec(prop::bool::weighted(density), attributes);
            (prop::collection::vec(row, 1..14), Just(attributes))
        })
        .prop_map(|(rows, attributes)| context(&rows, attributes))
}

/// Contexts with enough distinct rows for blocks of several widths.
fn tall_contexts() -> impl Strategy<Value = Context> {
    (6usize..=9, 60usize..700).prop_flat_map(|(attributes, objects)| {
        prop::collection::vec(prop::collection::vec(prop::bool::weighted(0.6), attributes), objects)
            .prop_map(move |rows| context(&rows, attributes))
    })
}

fn subsets(of: usize) -> impl Iterator<Item = BitSet> {
    (0u32..1 << of).map(move |bits| BitSet::of(of, (0..of).filter(|bit| bits >> bit & 1 == 1)))
}

/// Returns all intents, by closing every set of attributes.
fn brute_force(context: &Context) -> BTreeSet<BitSet> {
    subsets(context.attributes().len()).map(|set| context.closure(&set)).collect()
}

/// Returns the pairs (upper, lower) with nothing in between, by comparing all triples.
fn brute_force_covers(intents: &[BitSet]) -> BTreeSet<(usize, usize)> {
    let below = |a: &BitSet, b: &BitSet| b.is_subset(a) && a != b;
    let covers = |upper: usize, lower: usize| {
        let (a, b) = (&intents[lower], &intents[upper]);
        below(a, b) && !intents.iter().any(|between| below(a, between) && below(between, b))
    };
    let all = 0..intents.len();
    all.clone()
        .flat_map(|upper| all.clone().map(move |lower| (upper, lower)))
        .filter(|&(upper, lower)| covers(upper, lower))
        .collect()
}

/// Returns the size of the largest antichain, by trying all sets of concepts.
fn brute_force_width(intents: &[BitSet]) -> usize {
    let comparable: Vec<u32> = intents
        .iter()
        .map(|a| {
            let places = intents.iter().enumerate();
            places
                .filter(|(_, b)| a != *b && (a.is_subset(b) || b.is_subset(a)))
                .map(|(place, _)| 1 << place)
                .sum()
        })
        .collect();
    let is_antichain =
        |set: u32| (0..intents.len()).all(|at| set >> at & 1 == 0 || set & comparable[at] == 0);
    (0u32..1 << intents.len())
        .filter(|&set| is_antichain(set))
        .map(u32::count_ones)
        .max()
        .unwrap_or(0) as usize
}

fn check_lattice(context: &Context, lattice: &Lattice, min_support: usize) {
    let expected: BTreeSet<BitSet> = brute_force(context)
        .into_iter()
        .filter(|intent| context.extent(intent).len() >= min_support)
        .collect();
    let concepts = lattice.concepts();
    let intents: Vec<BitSet> = concepts.ids().map(|id| concepts.intent(id)).collect();
    assert_eq!(intents.len(), expected.len(), "each concept is listed once");
    assert_eq!(intents.iter().cloned().collect::<BTreeSet<_>>(), expected);
    for id in concepts.ids() {
        let extent = context.extent(&concepts.intent(id));
        assert_eq!(concepts.support(id) as usize, extent.len());
        assert_eq!(lattice.find(&concepts.intent(id)), Some(id));
    }
    let edges: BTreeSet<(usize, usize)> = concepts
        .ids()
        .flat_map(|upper| {
            let lower = lattice.lower_neighbours(upper).iter();
            lower.map(move |lower| (upper.index(), lower.index()))
        })
        .collect();
    assert_eq!(edges, brute_force_covers(&intents));
    assert_eq!(lattice.edge_count(), edges.len());
}

/// There are more distinct rows than fit into bit columns, so the listing starts with lists.
#[test]
fn extents_too_large_for_bit_columns_are_listed() {
    const ATTRIBUTES: usize = 13;
    // The low bits of a linear congruential generator repeat too soon; the high bits do not.
    let mut state = 1u64;
    let mut row = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = state >> 40;
        // The last attribute follows from the first two, so that not every set is closed.
        let follows = bits & 0b11 == 0b11;
        (0..ATTRIBUTES).map(|at| if at == 12 { follows } else { bits >> at & 1 == 1 }).collect()
    };
    let mut rows: Vec<Vec<bool>> = (0..60_000).map(|_| row()).collect();
    // All sets of the first 12 attributes, so that there are more than 4,096 distinct rows; in some
    // of these the last attribute does not follow.
    rows.extend((0..4096).map(|bits| (0..ATTRIBUTES).map(|at| bits >> at & 1 == 1).collect()));
    let context = context(&rows, ATTRIBUTES);
    let closures: Vec<BitSet> = subsets(ATTRIBUTES).map(|set| context.closure(&set)).collect();
    let closure = |set: &BitSet| &closures[set.iter().map(|bit| 1 << bit).sum::<usize>()];
    let distinct: BTreeSet<&BitSet> = closures.iter().collect();
    for parallel in [false, true] {
        let lattice = Listing::new().parallel(parallel).lattice(&context).unwrap();
        assert_eq!(lattice.len(), distinct.len());
        for id in lattice.concepts().ids() {
            let intent = lattice.concepts().intent(id);
            assert!(distinct.contains(&intent));
            let lower: Vec<BitSet> = lattice
                .lower_neighbours(id)
                .iter()
                .map(|&id| lattice.concepts().intent(id))
                .collect();
            // Adding an attribute leads to a lower neighbour or to a concept below one. If a
            // neighbour has the attribute, it leads exactly there.
            for attribute in (0..ATTRIBUTES).filter(|&attribute| !intent.contains(attribute)) {
                let mut more = intent.clone();
                more.insert(attribute);
                let below = closure(&more);
                assert!(lower.iter().any(|neighbour| neighbour.is_subset(below)));
                let mut with = lower.iter().filter(|neighbour| neighbour.contains(attribute));
                assert!(with.all(|neighbour| neighbour == below));
            }
        }
    }
}

/// In this context a branch adds one attribute after the other, thousands of times.
#[test]
fn deep_branches_do_not_overflow_the_stack() {
    const COUNT: u32 = 2000;
    let mut builder = ContextBuilder::new();
    for row in 0..COUNT {
        builder.row(&(0..=row).collect::<Vec<_>>());
        builder.row(&(row..COUNT).collect::<Vec<_>>());
    }
    let attributes = Names::Numbered(COUNT as usize);
    let context = builder.finish(Names::Numbered(2 * COUNT as usize), attributes).unwrap();
    // The search goes down first, so a limit of a few thousand concepts is enough to reach the
    // greatest depth.
    for parallel in [false, true] {
        let listing = Listing::new().parallel(parallel).limit(5_000);
        assert!(listing.count(&context).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn derivation_is_a_galois_connection(context in contexts(), seed: u64) {
        let (objects, attributes) = (context.objects().len(), context.attributes().len());
        let some = |bound: usize| BitSet::of(bound, (0..bound).filter(|bit| seed >> (bit * 3) & 1 == 1));
        let (extent, intent) = (some(objects), some(attributes));
        prop_assert_eq!(
            extent.is_subset(&context.extent(&intent)),
            intent.is_subset(&context.intent(&extent))
        );
        let closure = context.closure(&intent);
        prop_assert!(intent.is_subset(&closure));
        prop_assert_eq!(context.closure(&closure), closure);
    }

    #[test]
    fn the_lattice_is_that_of_brute_force(context in contexts(), min_support in 0u32..5) {
        for parallel in [false, true] {
            let listing = Listing::new().min_support(min_support).parallel(parallel);
            let lattice = listing.lattice(&context).unwrap();
            check_lattice(&context, &lattice, min_support as usize);
            prop_assert_eq!(listing.count(&context).unwrap(), lattice.len() as u64);
        }
    }

    #[test]
    fn extents_of_every_width_are_listed(context in tall_contexts(), min_support in 0u32..80) {
        let lattice = Listing::new().min_support(min_support).lattice(&context).unwrap();
        check_lattice(&context, &lattice, min_support as usize);
    }

    #[test]
    fn the_order_of_concepts_does_not_depend_on_threads(context in contexts()) {
        let serial = Listing::new().parallel(false).concepts(&context).unwrap();
        prop_assert_eq!(&serial, &Listing::new().concepts(&context).unwrap());
        let supports: Vec<u32> = serial.ids().map(|id| serial.support(id)).collect();
        prop_assert!(supports.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn the_basis_generates_exactly_the_implications_that_hold(context in contexts()) {
        let attributes = context.attributes().len();
        let basis = basis(&context, 0, usize::MAX, || ()).unwrap();
        for set in subsets(attributes) {
            prop_assert_eq!(close(&set, &basis), context.closure(&set));
        }
        // No implication of the basis is redundant.
        for place in 0..basis.len() {
            let mut rest = basis.clone();
            let implication = rest.remove(place);
            prop_assert!(close(&implication.premise, &rest) != context.closure(&implication.premise));
        }
    }

    #[test]
    fn the_frequent_part_of_the_basis_generates_the_frequent_implications(
        context in contexts(), min_support in 1usize..5,
    ) {
        let basis = basis(&context, min_support, usize::MAX, || ()).unwrap();
        prop_assert!(basis.iter().all(|implication| implication.support >= min_support));
        for set in subsets(context.attributes().len()) {
            if context.extent(&set).len() >= min_support {
                prop_assert_eq!(close(&set, &basis), context.closure(&set));
            }
        }
    }

    #[test]
    fn luxenburger_rules_have_the_support_and_confidence_found_by_counting(context in contexts()) {
        let lattice = Listing::new().lattice(&context).unwrap();
        for rule in luxenburger(&lattice, 0.3) {
            let mut both = rule.premise.clone();
            both.unite(&rule.conclusion);
            let (premise, both) = (context.extent(&rule.premise).len(), context.extent(&both).len());
            prop_assert_eq!(rule.support as usize, both);
            prop_assert!((rule.confidence - both as f64 / premise as f64).abs() < 1e-12);
            prop_assert!(rule.confidence >= 0.3 && rule.confidence < 1.0);
        }
    }

    #[test]
    fn clarifying_and_reducing_keep_the_lattice(context in contexts()) {
        let whole = Listing::new().lattice(&context).unwrap();
        for smaller in [reduce::clarified(&context), reduce::reduced(&context)] {
            let (smaller, left) = smaller;
            prop_assert_eq!(smaller.objects().len() + left.objects.len(), context.objects().len());
            prop_assert_eq!(
                smaller.attributes().len() + left.attributes.len(),
                context.attributes().len()
            );
            if smaller.objects().is_empty() {
                // Every object has all attributes: the lattice has a single concept.
                prop_assert_eq!(whole.len(), 1);
                continue;
            }
            let lattice = Listing::new().lattice(&smaller).unwrap();
            prop_assert_eq!((lattice.len(), lattice.edge_count()), (whole.len(), whole.edge_count()));
            prop_assert_eq!(lattice.height(), whole.height());
        }
    }

    #[test]
    fn stability_is_the_share_of_subsets_with_the_same_intent(context in contexts()) {
        let lattice = Listing::new().lattice(&context).unwrap();
        let stabilities = measure::stabilities(&lattice).unwrap();
        for id in lattice.concepts().ids() {
            let intent = lattice.concepts().intent(id);
            let extent: Vec<usize> = context.extent(&intent).iter().collect();
            let same = (0u32..1 << extent.len()).filter(|bits| {
                let chosen = extent.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
                let chosen = BitSet::of(context.objects().len(), chosen.map(|(_, &object)| object));
                context.intent(&chosen) == intent
            });
            let share = same.count() as f64 / f64::from(1u32 << extent.len());
            prop_assert!((stabilities[id.index()] - share).abs() < 1e-9);
        }
    }

    #[test]
    fn the_width_is_that_of_the_largest_antichain(context in contexts()) {
        let lattice = Listing::new().lattice(&context).unwrap();
        prop_assume!(lattice.len() <= 16);
        let ids = lattice.concepts().ids();
        let intents: Vec<BitSet> = ids.map(|id| lattice.concepts().intent(id)).collect();
        let width = measure::width(&lattice);
        prop_assert!(width.is_exact);
        prop_assert_eq!(width.concepts, brute_force_width(&intents));
    }

    #[test]
    fn every_format_reads_back_the_context_it_wrote(context in contexts()) {
        for written in [Format::Burmeister, Format::Csv, Format::Json] {
            let mut bytes = Vec::new();
            format::write(&context, written, &mut bytes).unwrap();
            let read = format::read_from(&mut bytes.as_slice(), written, Path::new("memory")).unwrap();
            prop_assert_eq!(&read, &context);
        }
    }

    #[test]
    fn an_exploration_that_agrees_with_a_domain_ends_with_its_basis(domain in contexts()) {
        // The simulated person knows the whole context; the exploration starts with its first
        // object.
        let attributes: Vec<usize> = (0..domain.attributes().len()).collect();
        let mut exploration = Exploration::new(domain.restricted(&[0], &attributes), Vec::new());
        for _ in 0..1000 {
            let Some(question) = exploration.question() else { break };
            let counterexample = (0..domain.objects().len()).find(|&object| {
                let row = domain.row_set(object);
                question.premise.is_subset(&row) && !question.conclusion.is_subset(&row)
            });
            match counterexample {
                None => exploration.accept(question),
                Some(object) => {
                    let name = domain.objects().get(object).into_owned();
                    exploration.refute(&question, &name, &domain.row_set(object)).unwrap();
                }
            }
        }
        prop_assert!(exploration.question().is_none());
        for set in subsets(domain.attributes().len()) {
            prop_assert_eq!(close(&set, exploration.accepted()), domain.closure(&set));
        }
    }

    #[test]
    fn the_exact_attribute_order_is_inclusion_of_extents(context in contexts()) {
        let order = AttributeOrder::of(&context, 1.0);
        let count = order.nodes.len();
        // All nodes above each node, found by following parents.
        let mut above = vec![BTreeSet::new(); count];
        let mut by_size: Vec<usize> = (0..count).collect();
        by_size.sort_by_key(|&node| std::cmp::Reverse(order.extents[node].len()));
        for node in by_size {
            for &parent in &order.parents[node] {
                let more = above[parent].clone();
                above[node].extend(more);
                above[node].insert(parent);
            }
        }
        for a in 0..count {
            for b in 0..count {
                let is_below = a != b && order.extents[a].is_subset(&order.extents[b]);
                prop_assert_eq!(above[a].contains(&b), is_below);
            }
            // No parent is above another parent.
            for &parent in &order.parents[a] {
                prop_assert!(order.parents[a].iter().all(|other| !above[*other].contains(&parent)));
            }
        }
    }
}
