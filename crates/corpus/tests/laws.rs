//! Properties of splits and tables that hold for every dataset.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use ontrail_corpus::split::stratified;
use ontrail_corpus::{Body, Columns, Document, Format, read_rows, write_documents};
use proptest::prelude::*;

fn word() -> impl Strategy<Value = String> {
    "[一-龥a-zA-Z0-9\"',，:;{}]{1,12}"
}

fn documents() -> impl Strategy<Value = Vec<Document>> {
    let document =
        (word(), prop::collection::vec(word(), 1..5)).prop_map(|(label, words)| Document {
            id: String::new(),
            label: Some(label),
            title: None,
            body: Body::Text(words.join(" ")),
            part: None,
        });
    prop::collection::vec(document, 1..20)
}

fn without_ids(documents: impl IntoIterator<Item = Document>) -> Vec<Document> {
    documents.into_iter().map(|document| Document { id: String::new(), ..document }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn written_documents_are_read_back_unchanged(documents in documents()) {
        for format in [Format::Tsv, Format::Csv, Format::Jsonl] {
            let mut bytes = Vec::new();
            write_documents(&mut bytes, format, &documents).unwrap();
            let rows = read_rows(format, std::io::Cursor::new(bytes), "table", &Columns::default());
            let read: Vec<_> = rows.map(Result::unwrap).collect();
            let expected = documents.iter().cloned().map(|document| match format {
                Format::Tsv => Document {
                    body: Body::Text(document.full_text().unwrap().replace('\n', " ")),
                    title: None,
                    ..document
                },
                _ => document,
            });
            prop_assert_eq!(without_ids(read), without_ids(expected));
        }
    }

    #[test]
    fn any_bytes_are_rows_or_errors(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for format in [Format::Tsv, Format::Csv, Format::Jsonl] {
            let reader = std::io::Cursor::new(bytes.clone());
            let rows = read_rows(format, reader, "noise", &Columns::default());
            prop_assert!(rows.count() <= bytes.len() + 1);
        }
    }

    #[test]
    fn every_part_gets_its_share_of_every_class(
        sizes in prop::collection::vec(0_usize..50, 1..5),
        cut in 0.0..1.0_f64,
        seed: u64,
    ) {
        let names = ["a", "b", "c", "d"];
        let labels: Vec<_> = sizes
            .iter()
            .zip(names)
            .flat_map(|(&size, name)| std::iter::repeat_n(Some(name), size))
            .collect();
        let parts = stratified(labels.clone(), &[cut, 1.0 - cut], seed);
        prop_assert_eq!(parts.len(), labels.len());
        for (&size, name) in sizes.iter().zip(names) {
            let pairs = labels.iter().zip(&parts);
            let first = pairs.filter(|&(label, &part)| *label == Some(name) && part == 0).count();
            prop_assert!((first as f64 - cut * size as f64).abs() <= 1.0);
        }
    }
}
