//! The background that ships: document frequencies of general Chinese and English text.
//!
//! A word that a sample of texts does not contain is not as rare as its absence suggests: in a few
//! hundred texts, most words are missing by chance. The frequencies here come from more texts (see
//! `background/README.md`), so that a topic made without any background has sensible rarities, and
//! a small background can be completed
//! ([`general_texts_with`]).

use std::sync::OnceLock;

use crate::topic::Background;

/// Weight of the general background beside the texts of a user, as a number of texts.
pub const GENERAL_TEXTS: u64 = 1_000;

/// Returns the document frequencies of general Chinese and English text. Each is the number of
/// 10,000 texts in the language of the word that contain it.
#[must_use]
pub fn general_background() -> &'static Background {
    static PARSED: OnceLock<Background> = OnceLock::new();
    PARSED.get_or_init(|| {
        let mut lines = include_str!("../background/general.tsv").lines();
        let pair = |line: &'static str| line.split_once('\t').unwrap_or_default();
        let (documents, words) = lines.next().map(pair).unwrap_or_default();
        let number = |text: &str| text.parse().unwrap_or(1);
        Background {
            documents: number(documents),
            words: number(words),
            containing: lines.map(pair).map(|(word, n)| (word.to_owned(), number(n))).collect(),
        }
    })
}

/// Returns the number of [`GENERAL_TEXTS`] texts that contain a word, 0 for an unknown word.
#[must_use]
pub fn general_texts_with(word: &str) -> u64 {
    let general = general_background();
    let containing = general.containing.get(word).copied().unwrap_or(0);
    (containing * GENERAL_TEXTS + general.documents / 2) / general.documents.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ontrail_text::Analyzer;

    #[test]
    fn the_general_background_is_whole() {
        let general = general_background();
        assert_eq!(general.documents, 10_000);
        assert!(general.words > 1_000_000 && general.containing.len() > 40_000);
        assert!(general.containing.values().all(|&n| (2..=10_000).contains(&n)));
        // Words are in the form in which they are counted.
        let analyzer = Analyzer::new();
        let mut reader = analyzer.reader();
        for text in ["公司", "天气", "computers", "people"] {
            let word = reader.single_term(text).unwrap();
            assert!(general.containing(&word) > 20, "{word}");
        }
        assert!(general.containing("记者") > general.containing("暴雨"));
    }

    /// 洪涝 is in 4 of 10,000 texts, that is 0.4 of 1,000; 灾害 in 49, that is 4.9.
    #[test]
    fn shares_become_texts() {
        assert_eq!(general_texts_with("灾害"), 5);
        assert_eq!(general_texts_with("洪涝"), 0);
        assert_eq!(general_texts_with("no such word"), 0);
    }
}
