//! One benchmark for each algorithm, on a made-up context of documents and words.
#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::unwrap_used, reason = "a benchmark may fail by panicking")]

use criterion::{Criterion, criterion_group, criterion_main};
use ontrail_fca::{
    AttributeOrder, Context, ContextBuilder, Listing, Names, implication, measure, reduce,
};

/// The n-th word has a chance that falls with n, as in language.
fn words(documents: usize, words: u32) -> Context {
    let mut state = 42u64;
    let mut chance = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut builder = ContextBuilder::new();
    for _ in 0..documents {
        let row: Vec<u32> =
            (0..words).filter(|&word| chance() < 0.7 / (1.0 + f64::from(word) / 12.0)).collect();
        builder.row(&row);
    }
    let attributes = Names::Numbered(words as usize);
    builder.finish(Names::Numbered(documents), attributes).unwrap()
}

fn benchmarks(criterion: &mut Criterion) {
    let large = words(200, 200);
    let small = words(60, 30);
    let one = Listing::new().parallel(false);
    criterion.bench_function("count", |bench| bench.iter(|| one.count(&large)));
    criterion.bench_function("list", |bench| bench.iter(|| one.concepts(&large)));
    criterion.bench_function("lattice", |bench| bench.iter(|| one.lattice(&large)));
    criterion.bench_function("attribute order", |bench| {
        bench.iter(|| AttributeOrder::of(&large, 0.8));
    });
    criterion.bench_function("reduce", |bench| bench.iter(|| reduce::reduced(&large)));
    criterion.bench_function("basis", |bench| {
        bench.iter(|| implication::basis(&small, 1, usize::MAX, || ()));
    });
    let lattice = one.lattice(&small).unwrap();
    criterion.bench_function("stability", |bench| bench.iter(|| measure::stabilities(&lattice)));
    criterion.bench_function("width", |bench| bench.iter(|| measure::width(&lattice)));
}

criterion_group!(benches, benchmarks);
criterion_main!(benches);
