//! For any training pages, a classifier's posteriors are probabilities and the weights of its
//! reasons are finite.
//!
//! The first byte of the input selects the training settings. The rest is pages separated by zero
//! bytes; the first byte of each page is its class.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ontrail_bcw::{Bcw, Classifier, Labelled, Mode, Reader, train};
use ontrail_page::{Html, Source};

fuzz_target!(|input: &[u8]| {
    let Some((&how, pages)) = input.split_first() else { return };
    let documents: Vec<Labelled> = pages
        .split(|&byte| byte == 0)
        .filter_map(|page| page.split_first())
        .map(|(class, html)| Labelled {
            id: String::new(),
            label: format!("class {}", class % 3),
            passages: Html::parse(html, Source::default()).passages,
        })
        .collect();
    let mode = Mode::ALL[usize::from(how) % 5];
    let params = Bcw::params().mode(mode).idf(how & 0x20 != 0).information(how & 0x40 != 0);
    let features = if how & 0x80 == 0 { "words,pairs,c1" } else { "words,c2,c3" };
    let mut reader = Reader::new(features.parse().expect("these are features"), true);
    reader.read(&documents).expect("these are labels");
    let learns = mode == Mode::Exponent && how & 0x10 != 0;
    let Ok(trained) = train(reader.finish(), params, learns) else { return };
    let classifier = Classifier::from(trained);
    let words = Classifier::analyzer();
    let mut predictor = classifier.predictor(&words);
    for document in &documents {
        let (prediction, reasons) = predictor.explain(&document.passages, 5);
        let sum: f64 = prediction.posteriors.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9);
        assert!(prediction.posteriors.iter().all(|posterior| (0.0..=1.0).contains(posterior)));
        assert!(reasons.iter().all(|reason| reason.weight.is_finite()));
    }
});
