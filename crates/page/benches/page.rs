//! Measures the way from bytes to features, on the pages that ship with the project or on those of
//! a tarball named by `ONTRAIL_PAGES`.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::MultiGzDecoder;
use ontrail_page::{Html, Source};
use ontrail_text::Analyzer;

fn shipped() -> Vec<Vec<u8>> {
    let datasets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets");
    let folders = ["rainstorm-pages/pages", "tourism-pages/pages"];
    let files = folders.iter().flat_map(|folder| {
        fs::read_dir(datasets.join(folder)).expect("the datasets ship with the code")
    });
    files.map(|file| fs::read(file.expect("listed").path()).expect("readable")).collect()
}

fn of_tarball(path: &Path) -> Vec<Vec<u8>> {
    let file = File::open(path).expect("ONTRAIL_PAGES names a file");
    let mut archive = tar::Archive::new(MultiGzDecoder::new(file));
    let entries = archive.entries().expect("ONTRAIL_PAGES names a .tar.gz");
    let read = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut bytes = Vec::new();
        entry.and_then(|mut entry| entry.read_to_end(&mut bytes)).expect("a whole archive");
        bytes
    };
    entries.map(read).filter(|bytes| !bytes.is_empty()).collect()
}

fn reading(criterion: &mut Criterion) {
    let pages = match std::env::var_os("ONTRAIL_PAGES") {
        Some(path) => of_tarball(Path::new(&path)),
        None => shipped(),
    };
    let analyzer = Analyzer::new();
    let mut group = criterion.benchmark_group(format!("read {} pages", pages.len()));
    group.sample_size(20);
    let url = "http://localhost/".parse().expect("a constant URL is valid");
    let read =
        |page: &Vec<u8>| Html::parse(page, Source::at(&url)).analyze(&analyzer).occurrences().len();
    group.throughput(Throughput::Bytes(pages.iter().map(|page| page.len() as u64).sum()));
    group.bench_function("bytes to features, in bytes", |b| {
        b.iter(|| pages.iter().map(read).sum::<usize>());
    });
    group.throughput(Throughput::Elements(pages.len() as u64));
    group.bench_function("bytes to features, in pages", |b| {
        b.iter(|| pages.iter().map(read).sum::<usize>());
    });
    group.finish();
    vocabularies(criterion, &pages, &analyzer);
}

/// Compares one shared parse with one parse each, for two models with different vocabularies.
fn vocabularies(criterion: &mut Criterion, pages: &[Vec<u8>], plain: &Analyzer) {
    let topic = Analyzer::builder().terms(["暴雨灾害", "暴雨", "flash flood"]).build();
    let url = "http://localhost/".parse().expect("a constant URL is valid");
    let parse = |page: &Vec<u8>| Html::parse(page, Source::at(&url));
    let words = |html: &Html, analyzer: &Analyzer| html.analyze(analyzer).occurrences().len();
    let mut group = criterion.benchmark_group("two vocabularies");
    group.sample_size(20);
    let shared = |page: &Vec<u8>| {
        let html = parse(page);
        words(&html, plain) + words(&html, &topic)
    };
    let separate = |page: &Vec<u8>| words(&parse(page), plain) + words(&parse(page), &topic);
    group.bench_function("one parse", |b| b.iter(|| pages.iter().map(shared).sum::<usize>()));
    group.bench_function("a parse each", |b| b.iter(|| pages.iter().map(separate).sum::<usize>()));
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
