//! Laws that hold for every text, not only for the examples.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::sync::LazyLock;

use ontrail_text::{Analyzer, CharsetHints, Segmenter, SparseVector, TermId, decode};
use proptest::prelude::*;

static ANALYZER: LazyLock<Analyzer> =
    LazyLock::new(|| Analyzer::builder().terms(["网络 系统", "暴雨灾害"]).build());

/// Generates texts of the kind found on pages, and arbitrary ones.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[一-龥a-zA-Z0-9，。！ .%'+#-]{0,80}",
        "[暴雨灾害预警信号网络系统 A-Z0-9]{0,60}",
        "\\PC{0,60}",
        any::<String>(),
    ]
}

fn vector() -> impl Strategy<Value = SparseVector> {
    prop::collection::vec((0_u32..40, -100.0..100.0_f64), 0..30)
        .prop_map(|entries| entries.into_iter().map(|(t, w)| (TermId(t), w)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn segments_concatenate_to_the_input(text in text()) {
        let segments = Segmenter::new().segments(&text);
        let mut position = 0;
        for segment in &segments {
            prop_assert_eq!(segment.start, position);
            prop_assert!(!segment.text.is_empty());
            position += segment.text.len();
        }
        let joined: String = segments.iter().map(|segment| segment.text).collect();
        prop_assert_eq!(joined, text);
    }

    #[test]
    fn terms_start_inside_the_text_in_order(text in text()) {
        let mut reader = ANALYZER.reader();
        let mut starts = Vec::new();
        reader.read(&text, |_, start| starts.push(start));
        prop_assert!(starts.is_sorted());
        prop_assert!(starts.iter().all(|&start| text.is_char_boundary(start) && start < text.len()));
    }

    #[test]
    fn a_second_reading_gives_the_same_terms(text in text()) {
        let analyzer = Analyzer::new();
        let mut reader = analyzer.reader();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        reader.read(&text, |id, _| first.push(id));
        reader.read(&text, |id, _| second.push(id));
        prop_assert_eq!(first, second);
    }

    #[test]
    fn utf8_with_its_header_decodes_to_itself(text in text()) {
        let hints = CharsetHints { header: Some("utf-8"), ..Default::default() };
        prop_assert_eq!(decode(text.as_bytes(), hints).text, text.trim_start_matches('\u{feff}'));
    }

    #[test]
    fn gbk_encodes_back_to_the_same_bytes(text in "[一-龥a-z，。]{0,60}") {
        let (bytes, _, _) = encoding_rs::GBK.encode(&text);
        // Bytes that happen to be UTF-8 are read as such, whatever the header says.
        prop_assume!(text.is_ascii() || std::str::from_utf8(&bytes).is_err());
        let hints = CharsetHints { header: Some("gbk"), ..Default::default() };
        let decoded = decode(&bytes, hints);
        prop_assert_eq!(&decoded.text, &text);
        let (again, _, _) = encoding_rs::GBK.encode(&decoded.text);
        prop_assert_eq!(&again[..], &bytes[..]);
    }

    #[test]
    fn any_bytes_decode(bytes in prop::collection::vec(any::<u8>(), 0..300), label in "[a-z0-9-]{0,8}") {
        let hints = CharsetHints { header: Some(&label), declared: Some("gbk") };
        let decoded = decode(&bytes, hints);
        // Undamaged UTF-8 is the input itself, apart from a byte order mark.
        if decoded.charset == "UTF-8" && !decoded.damaged {
            let plain = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            prop_assert_eq!(decoded.text.as_bytes(), plain);
        }
        let is_marked = decoded.text.contains(char::REPLACEMENT_CHARACTER);
        prop_assert!(is_marked || !decoded.damaged);
    }

    #[test]
    fn products_commute_and_agree_with_norms(a in vector(), b in vector()) {
        prop_assert!((a.dot(&b) - b.dot(&a)).abs() < 1e-9);
        prop_assert!((a.dot(&a) - a.norm() * a.norm()).abs() < 1e-6);
        let lengths = a.norm() * b.norm();
        let cosine = if lengths > 0.0 { a.dot(&b) / lengths } else { 0.0 };
        prop_assert!((a.cosine(&b) - cosine).abs() < 1e-9);
        prop_assert!(a.is_empty() || (a.normalised().norm() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn vectors_are_added_coordinate_by_coordinate(a in vector(), b in vector(), t in 0_u32..40) {
        let t = TermId(t);
        prop_assert!((a.plus(&b).get(t) - (a.get(t) + b.get(t))).abs() < 1e-9);
        prop_assert_eq!(a.plus(&b), b.plus(&a));
    }
}
