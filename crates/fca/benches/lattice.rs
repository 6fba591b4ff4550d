//! One benchmark for each algorithm, on a synthetic context of documents and words.
#![allow(missing_docs, reason = "criterion's macros define public items")]
#![allow(clippy::unwrap_used, reason = "a benchmark may fail by panicking")]

use criterion::{Criterion, criterion_group, criterion_main};
use ontrail_fca::{AttributeOrder, Listing, implication, measure, reduce, sample};

fn benchmarks(criterion: &mut Criterion) {
    let large = sample::words(200, 200).unwrap();
    let small = sample::words(60, 30).unwrap();
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
