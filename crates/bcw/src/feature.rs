//! The features of a text: words, pairs of words, and runs of characters.
//!
//! A feature is identified by its *fingerprint*: 64 bits of XXH3 over its text, mixed with its
//! kind. A look-up is one table access and builds no string, all models agree on what a feature is,
//! whatever they were trained on, and hashed models number their features by it. The probability
//! that any two of ten million features share a fingerprint is three in a million.

use std::fmt;
use std::str::FromStr;

use ontrail_page::{Cursor, LabelGroup, Passage};
use ontrail_text::{Analyzer, TermId, TermReader, fold_char};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::BcwError;

/// Length of the longest run of characters that can be a feature.
const LONGEST_RUN: u8 = 8;
/// Largest number of bits that features are hashed to: four million numbers.
const MOST_BITS: u8 = 22;

/// The features that a classifier uses.
///
/// ```
/// use ontrail_bcw::FeatureSettings;
///
/// let settings: FeatureSettings = "words,c2,c3".parse()?;
/// assert_eq!(settings.characters, [2, 3]);
/// assert_eq!(settings.to_string(), "words,c2,c3");
/// # Ok::<(), ontrail_bcw::BcwError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureSettings {
    /// True if words are features; English words are stemmed. Single characters, stop words and
    /// numbers are words too: the model learns how much they tell.
    pub words: bool,
    /// True if pairs of consecutive words are features.
    pub pairs: bool,
    /// Lengths of the character runs that are features, including punctuation.
    pub characters: Vec<u8>,
    /// Number of fingerprint bits by which features are numbered, so that memory is bounded
    /// whatever is read. If absent, every feature has its own number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_bits: Option<u8>,
}

impl Default for FeatureSettings {
    fn default() -> Self {
        Self { words: true, pairs: false, characters: Vec::new(), hash_bits: None }
    }
}

impl FeatureSettings {
    /// Returns the same features, numbered by `bits` bits of their fingerprints.
    pub fn hashed(self, bits: Option<u8>) -> Result<Self, BcwError> {
        let settings = Self { hash_bits: bits, ..self };
        settings.check()?;
        Ok(settings)
    }

    /// Checks the settings.
    pub(crate) fn check(&self) -> Result<(), BcwError> {
        if let Some(bits) = self.hash_bits.filter(|bits| !(8..=MOST_BITS).contains(bits)) {
            return Err(BcwError::Setting {
                setting: "the number of hash bits",
                value: bits.to_string(),
                allowed: "it must be from 8 to 22",
            });
        }
        let is_run = |length: &u8| (1..=LONGEST_RUN).contains(length);
        let has_any = self.words || self.pairs || !self.characters.is_empty();
        if !has_any || !self.characters.iter().all(is_run) {
            return Err(BcwError::UnknownFeature(self.to_string()));
        }
        Ok(())
    }
}

impl FromStr for FeatureSettings {
    type Err = BcwError;

    fn from_str(list: &str) -> Result<Self, BcwError> {
        let none = Self { words: false, pairs: false, characters: Vec::new(), hash_bits: None };
        let mut settings = list.split(',').map(str::trim).try_fold(none, |mut all, name| {
            match name {
                "words" => all.words = true,
                "pairs" => all.pairs = true,
                _ => {
                    let length = name.strip_prefix('c').and_then(|n| n.parse().ok());
                    let length = length.filter(|length| (1..=LONGEST_RUN).contains(length));
                    let unknown = || BcwError::UnknownFeature(name.to_owned());
                    all.characters.push(length.ok_or_else(unknown)?);
                }
            }
            Ok::<_, BcwError>(all)
        })?;
        settings.characters.sort_unstable();
        settings.characters.dedup();
        Ok(settings)
    }
}

impl fmt::Display for FeatureSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.then(|| "words".to_owned());
        let pairs = self.pairs.then(|| "pairs".to_owned());
        let runs = self.characters.iter().map(|length| format!("c{length}"));
        let all: Vec<String> = words.into_iter().chain(pairs).chain(runs).collect();
        f.write_str(&all.join(","))
    }
}

/// The kind of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Characters,
    Pair,
    Word,
}

impl Kind {
    /// Returns the letter before a feature's text in a list of features.
    pub(crate) fn mark(self) -> char {
        match self {
            Self::Characters => 'c',
            Self::Pair => 'p',
            Self::Word => 'w',
        }
    }

    pub(crate) fn of_mark(mark: char) -> Option<Self> {
        [Self::Characters, Self::Pair, Self::Word].into_iter().find(|kind| kind.mark() == mark)
    }

    /// Returns the mask that distinguishes kinds in a fingerprint. The seed of the hash cannot do
    /// this: for texts as short as one Chinese character, seeds that differ in a few bits change
    /// only a few bits before mixing, so that 不 with one seed has the hash of 下 with another.
    fn mask(self) -> u64 {
        match self {
            Self::Characters => 0x9e37_79b9_7f4a_7c15,
            Self::Pair => 0xd1b5_4a32_d192_ed03,
            Self::Word => 0x2545_f491_4f6c_dd1d,
        }
    }

    fn fingerprint(self, text: &str) -> u64 {
        xxh3_64(text.as_bytes()) ^ self.mask()
    }

    /// Returns the fingerprint of a feature by its name in a list. The fingerprint of a pair is
    /// made from those of its words, so that reading a text builds no string for it.
    pub(crate) fn fingerprint_of_name(self, name: &str) -> u64 {
        match (self, name.split_once(PAIR_JOINT)) {
            (Self::Pair, Some((first, second))) => {
                pair_fingerprint(Self::Word.fingerprint(first), Self::Word.fingerprint(second))
            }
            _ => self.fingerprint(name),
        }
    }
}

/// The separator between the words of a pair; words contain no spaces.
const PAIR_JOINT: char = ' ';

fn pair_fingerprint(first: u64, second: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&first.to_le_bytes());
    bytes[8..].copy_from_slice(&second.to_le_bytes());
    xxh3_64(&bytes) ^ Kind::Pair.mask()
}

/// A feature found in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'t> {
    pub(crate) fingerprint: u64,
    pub(crate) group: LabelGroup,
    name: Name<'t>,
}

#[derive(Debug, Clone, Copy)]
enum Name<'t> {
    Plain(Kind, &'t str),
    Pair(&'t str, &'t str),
}

impl Found<'_> {
    /// Returns the feature's name in a list: the mark of its kind and its text.
    pub(crate) fn marked_name(&self) -> String {
        match self.name {
            Name::Plain(kind, text) => format!("{}{text}", kind.mark()),
            Name::Pair(first, second) => {
                format!("{}{first}{PAIR_JOINT}{second}", Kind::Pair.mark())
            }
        }
    }
}

/// Returns the analyzer that texts are read with. It keeps every word.
pub(crate) fn analyzer() -> Analyzer {
    Analyzer::builder().keep_stop_words().min_chars(1).numbers(true).build()
}

/// Reads texts into features.
#[derive(Debug)]
pub(crate) struct FeatureReader<'a> {
    settings: &'a FeatureSettings,
    terms: TermReader<'a>,
    /// The fingerprints of the reader's terms.
    known: Vec<u64>,
    /// The words of the current text, each with its start.
    words: Vec<(TermId, usize)>,
    /// The folded characters of the current text, and where each starts in it and in the original.
    folded: String,
    starts: Vec<(usize, usize)>,
}

impl<'a> FeatureReader<'a> {
    pub(crate) fn new(settings: &'a FeatureSettings, analyzer: &'a Analyzer) -> Self {
        Self {
            settings,
            terms: analyzer.reader(),
            known: Vec::new(),
            words: Vec::new(),
            folded: String::new(),
            starts: Vec::new(),
        }
    }

    /// Passes every feature of a passage to `sink`.
    pub(crate) fn read(&mut self, passage: &Passage<'_>, mut sink: impl FnMut(Found<'_>)) {
        if self.settings.words || self.settings.pairs {
            self.words.clear();
            let Self { terms, words, .. } = self;
            terms.read(passage.text(), |term, start| words.push((term, start)));
            self.fingerprint_new_terms();
            self.read_words(passage.cursor(), &mut sink);
        }
        if !self.settings.characters.is_empty() {
            self.read_characters(passage, &mut sink);
        }
    }

    /// Passes the words and pairs of a text that was segmented already to `sink`.
    pub(crate) fn read_words_of<'t>(
        settings: &FeatureSettings,
        words: impl IntoIterator<Item = (&'t str, LabelGroup)>,
        mut sink: impl FnMut(Found<'t>),
    ) {
        let mut before: Option<(&str, u64)> = None;
        for (text, group) in words {
            let fingerprint = Kind::Word.fingerprint(text);
            if settings.words {
                sink(Found { fingerprint, group, name: Name::Plain(Kind::Word, text) });
            }
            if settings.pairs
                && let Some((first, of_first)) = before
            {
                let fingerprint = pair_fingerprint(of_first, fingerprint);
                sink(Found { fingerprint, group, name: Name::Pair(first, text) });
            }
            before = Some((text, fingerprint));
        }
    }

    /// Computes the fingerprints of terms that are new since the last call.
    fn fingerprint_new_terms(&mut self) {
        let terms = self.terms.vocabulary();
        for id in self.known.len()..terms.len() {
            let id = TermId(u32::try_from(id).expect("terms are numbered in 32 bits"));
            self.known.push(Kind::Word.fingerprint(terms.term(id)));
        }
    }

    fn read_words(&self, mut cursor: Cursor<'_>, sink: &mut impl FnMut(Found<'_>)) {
        let terms = self.terms.vocabulary();
        let mut before: Option<TermId> = None;
        for &(term, start) in &self.words {
            let (text, fingerprint) = (terms.term(term), self.known[term.index()]);
            let group = cursor.group_at(start);
            if self.settings.words {
                sink(Found { fingerprint, group, name: Name::Plain(Kind::Word, text) });
            }
            if self.settings.pairs
                && let Some(first) = before
            {
                let fingerprint = pair_fingerprint(self.known[first.index()], fingerprint);
                sink(Found { fingerprint, group, name: Name::Pair(terms.term(first), text) });
            }
            before = Some(term);
        }
    }

    fn read_characters(&mut self, passage: &Passage<'_>, sink: &mut impl FnMut(Found<'_>)) {
        self.fold(passage.text());
        let count = self.starts.len();
        let end = |index: usize| self.starts.get(index).map_or(self.folded.len(), |&(at, _)| at);
        for &length in &self.settings.characters {
            let length = usize::from(length);
            let mut cursor = passage.cursor();
            for first in 0..(count + 1).saturating_sub(length) {
                let (from, original) = self.starts[first];
                let run = &self.folded[from..end(first + length)];
                if run != " " {
                    let fingerprint = Kind::Characters.fingerprint(run);
                    let name = Name::Plain(Kind::Characters, run);
                    sink(Found { fingerprint, group: cursor.group_at(original), name });
                }
            }
        }
    }

    /// Folds the characters of a text; a run of white space and control characters becomes one
    /// space.
    fn fold(&mut self, text: &str) {
        self.folded.clear();
        self.starts.clear();
        let before = text.len() - text.trim_start().len();
        for (at, c) in text.trim().char_indices() {
            let original = before + at;
            if c.is_whitespace() || c.is_control() {
                if !self.folded.ends_with(' ') {
                    self.starts.push((self.folded.len(), original));
                    self.folded.push(' ');
                }
                continue;
            }
            for folded in fold_char(c) {
                self.starts.push((self.folded.len(), original));
                self.folded.push(folded);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ontrail_page::Passages;

    use super::*;

    /// Returns the features of a passage whose parts are in different label groups.
    fn read(settings: &str, parts: &[(&str, LabelGroup)]) -> Vec<(String, usize)> {
        let settings: FeatureSettings = settings.parse().unwrap();
        let analyzer = analyzer();
        let mut found = Vec::new();
        let mut reader = FeatureReader::new(&settings, &analyzer);
        let mut passages = Passages::new();
        parts.iter().for_each(|&(text, group)| passages.push(text, group));
        passages.end();
        for passage in passages.iter() {
            reader.read(&passage, |f| found.push((f.marked_name(), f.group.index())));
        }
        found
    }

    #[test]
    fn words_pairs_and_runs_are_found_in_their_label_groups() {
        assert_eq!(
            read("words,pairs,c2", &[("暴雨", LabelGroup::Title), (" Ａ的", LabelGroup::Body)]),
            [
                ("w暴雨", 0),
                ("wa", 3),
                ("p暴雨 a", 3),
                ("w的", 3),
                ("pa 的", 3),
                ("c暴雨", 0),
                ("c雨 ", 0),
                ("c a", 3),
                ("ca的", 3)
            ]
            .map(|(name, group)| (name.to_owned(), group))
        );
    }

    #[test]
    fn short_and_blank_texts_have_few_features() {
        let read = |settings, text| read(settings, &[(text, LabelGroup::Body)]);
        assert_eq!(read("words,pairs,c1,c3", " \n\t"), []);
        assert_eq!(read("c3", "暴雨"), []);
        assert_eq!(read("c1", "a\u{0}b").len(), 2);
    }

    #[test]
    fn a_name_has_the_fingerprint_of_the_feature_read() {
        let settings: FeatureSettings = "words,pairs,c1,c2".parse().unwrap();
        let analyzer = analyzer();
        let mut reader = FeatureReader::new(&settings, &analyzer);
        let mut seen = 0;
        let mut passages = Passages::new();
        let text = "Crawlers read 网页, 100 pages in C++ coder's C# g++ a+b";
        passages.push(text, LabelGroup::Body);
        passages.end();
        reader.read(&passages.iter().next().unwrap(), |found| {
            let name = found.marked_name();
            let kind = Kind::of_mark(name.chars().next().unwrap()).unwrap();
            assert_eq!(kind.fingerprint_of_name(&name[1..]), found.fingerprint, "{name}");
            seen += 1;
        });
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn all_single_characters_have_different_fingerprints_as_words_and_as_runs() {
        let han = ('\u{4e00}'..='\u{9fff}').chain('!'..='~');
        let mut seen = std::collections::BTreeSet::new();
        let mut texts = 0;
        for c in han {
            let text = c.to_string();
            for kind in [Kind::Word, Kind::Characters, Kind::Pair] {
                assert!(seen.insert(kind.fingerprint(&text)), "{c} as {kind:?}");
            }
            texts += 1;
        }
        assert_eq!(seen.len(), 3 * texts);
    }

    #[test]
    fn settings_are_read_and_written() {
        for list in ["words", "words,pairs", "c2,c3", "words,pairs,c1,c8"] {
            assert_eq!(list.parse::<FeatureSettings>().unwrap().to_string(), list);
        }
        for wrong in ["", "c9", "c0", "word", "words;c2"] {
            let error = wrong.parse::<FeatureSettings>().unwrap_err().to_string();
            assert!(error.contains("use words, pairs and c1 to c8"), "{error}");
        }
        assert!(FeatureSettings::default().hashed(Some(30)).is_err());
    }
}
