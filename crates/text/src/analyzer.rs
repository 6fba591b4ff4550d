//! Turns a text into its terms: the words that count, in the form in which they are counted.
//!
//! A [`Segment`](crate::Segment) becomes a term in these steps: letters are folded to lower case
//! and half width, stop words are dropped, English words are stemmed (Snowball English, "Porter
//! 2"), Chinese words optionally pass a noun filter, and short words and bare numbers are dropped.
//! Terms that the user named survive every filter and stay whole, whether they have one word or
//! several.
//!
//! All this is decided once per distinct word: a [`TermReader`] caches the decision on each surface
//! form, so a repeated word costs one hash look-up and no allocation. When the reader is dropped,
//! its cache returns to the analyzer and serves the next reader, so that words known from one page
//! are known on the next.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Mutex;

use hashbrown::HashSet;
use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::dictionary::{UserDictionary, UserWord};
use crate::phrase::{PhraseTrie, Symbol};
use crate::script::is_han;
use crate::segment::{SegmentKind, Segmenter};
use crate::term::{TermId, Vocabulary};

/// Maximum length of a term in characters. Longer words are data, not language.
const MAX_WORD_CHARS: usize = 64;

/// Number of distinct words on an ordinary page, for which a reader allocates space in advance.
const TYPICAL_WORDS_PER_PAGE: usize = 512;

/// Maximum number of words in a cache that is reused. A larger one is dropped, since an untrusted
/// page may contain any number of new words.
const MAX_CACHED_WORDS: usize = 1 << 17;
/// Maximum size in bytes of the words in a cache that is reused.
const MAX_CACHED_BYTES: usize = 4 << 20;

type WordSet<T> = HashSet<T, foldhash::fast::RandomState>;

/// The parts of speech of Chinese words that become terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartOfSpeech {
    /// Any part of speech.
    #[default]
    Any,
    /// Nouns, verbal nouns and abbreviations. English words are not filtered.
    Nouns,
}

/// Turns texts into terms. Immutable once built; can be shared between threads.
///
/// Two analyzers are equal if they have the same settings: they find the same terms in every text.
pub struct Analyzer {
    settings: AnalyzerBuilder,
    segmenter: Segmenter,
    stemmer: Option<Stemmer>,
    /// The normal forms of the user's terms, which survive every filter.
    protected: WordSet<String>,
    phrases: PhraseTrie,
    /// The caches of dropped readers, for reuse.
    caches: Mutex<Vec<WordCache>>,
}

/// The settings of an [`Analyzer`].
///
/// | setting | default | purpose |
/// |---|---|---|
/// | [`terms`](Self::terms) | none | topic terms, found as a whole and exempt from all filters |
/// | [`dictionary`](Self::dictionary) | none | additional words for the Chinese segmenter |
/// | [`part_of_speech`](Self::part_of_speech) | any | nouns only, for ontologies |
/// | [`stop_words`](Self::stop_words) | built-in | words to drop besides the built-in lists |
/// | [`keep_stop_words`](Self::keep_stop_words) | off | keep all stop words |
/// | [`stem`](Self::stem) | on | reduce English words to their stems |
/// | [`numbers`](Self::numbers) | off | keep bare numbers |
/// | [`min_chars`](Self::min_chars) | 2 | minimum length of a term in characters |
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct AnalyzerBuilder {
    terms: Vec<String>,
    dictionary: UserDictionary,
    stop_words: WordSet<Cow<'static, str>>,
    part_of_speech: PartOfSpeech,
    stem: bool,
    numbers: bool,
    min_chars: usize,
}

impl Default for AnalyzerBuilder {
    fn default() -> Self {
        let lists = ["zh", "en"].into_iter().filter_map(stop_words::lookup);
        let stop_words = lists.flatten().map(|&word| Cow::Borrowed(word)).collect();
        Self {
            terms: Vec::new(),
            dictionary: UserDictionary::default(),
            stop_words,
            part_of_speech: PartOfSpeech::Any,
            stem: true,
            numbers: false,
            min_chars: 2,
        }
    }
}

impl AnalyzerBuilder {
    /// Adds topic terms: each is found as one term, and no filter drops it.
    pub fn terms<T: Into<String>>(mut self, terms: impl IntoIterator<Item = T>) -> Self {
        self.terms.extend(terms.into_iter().map(Into::into));
        self
    }

    /// Adds words for the Chinese segmenter.
    pub fn dictionary(mut self, dictionary: UserDictionary) -> Self {
        self.dictionary.words.extend(dictionary.words);
        self
    }

    /// Sets the parts of speech of Chinese words that become terms.
    pub fn part_of_speech(mut self, part_of_speech: PartOfSpeech) -> Self {
        self.part_of_speech = part_of_speech;
        self
    }

    /// Adds words to drop in addition to the built-in lists.
    pub fn stop_words<T: Into<String>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        let folded = words.into_iter().map(|word| Cow::Owned(fold(&word.into()).into_owned()));
        self.stop_words.extend(folded);
        self
    }

    /// Keeps all stop words, including those added before.
    pub fn keep_stop_words(mut self) -> Self {
        self.stop_words.clear();
        self
    }

    /// Sets whether English words are reduced to their stems.
    pub fn stem(mut self, stem: bool) -> Self {
        self.stem = stem;
        self
    }

    /// Sets whether bare numbers are terms.
    pub fn numbers(mut self, numbers: bool) -> Self {
        self.numbers = numbers;
        self
    }

    /// Sets the minimum length of a term in characters.
    pub fn min_chars(mut self, min_chars: usize) -> Self {
        self.min_chars = min_chars;
        self
    }

    /// Builds the analyzer. Loads the Chinese dictionary if no other analyzer has loaded it yet.
    #[must_use]
    pub fn build(self) -> Analyzer {
        let (chinese, others): (Vec<String>, Vec<String>) =
            self.terms.iter().cloned().partition(|term| is_chinese_word(term));
        let spellings = chinese
            .iter()
            .flat_map(|word| [word.clone(), word.to_ascii_lowercase(), word.to_ascii_uppercase()]);
        let spellings: BTreeSet<String> = spellings.collect();
        let mut dictionary = self.dictionary.clone();
        dictionary.words.extend(spellings.into_iter().map(|word| UserWord {
            word,
            frequency: None,
            tag: None,
        }));
        let mut analyzer = Analyzer {
            segmenter: Segmenter::new().with_dictionary(&dictionary),
            stemmer: self.stem.then(|| Stemmer::create(Algorithm::English)),
            protected: WordSet::default(),
            phrases: PhraseTrie::default(),
            settings: self,
            caches: Mutex::default(),
        };
        analyzer.protected.extend(chinese.iter().map(|word| fold(word).into_owned()));
        for term in &others {
            analyzer.protect(term);
        }
        analyzer
    }
}

impl Analyzer {
    /// Creates an analyzer with the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Returns a builder with the default settings.
    pub fn builder() -> AnalyzerBuilder {
        AnalyzerBuilder::default()
    }

    /// Returns a reader that numbers the terms of the texts it reads.
    #[must_use]
    pub fn reader(&self) -> TermReader<'_> {
        let idle = self.caches.lock().ok().and_then(|mut caches| caches.pop());
        let mut cache = idle.unwrap_or_default();
        cache.begin();
        TermReader {
            analyzer: self,
            cache,
            terms: Vocabulary::with_capacity(TYPICAL_WORDS_PER_PAGE),
            phrase_terms: vec![None; self.phrases.len()],
            words: Vec::new(),
        }
    }

    /// Returns the terms of `text`, in order, with repetitions.
    #[must_use]
    pub fn terms(&self, text: &str) -> Vec<String> {
        let mut reader = self.reader();
        let mut ids = Vec::new();
        reader.read(text, |id, _| ids.push(id));
        ids.into_iter().map(|id| reader.vocabulary().term(id).to_owned()).collect()
    }

    /// Returns the segmenter in use.
    #[must_use]
    pub fn segmenter(&self) -> &Segmenter {
        &self.segmenter
    }

    /// Exempts an alphabetic word or a phrase of several words from all filters.
    fn protect(&mut self, term: &str) {
        let segments = self.segmenter.segments(term);
        let words: Vec<(String, SegmentKind)> = segments
            .iter()
            .filter(|segment| segment.kind != SegmentKind::Gap)
            .map(|segment| (fold(segment.text).into_owned(), segment.kind))
            .collect();
        let normal: Vec<String> =
            words.iter().map(|(word, kind)| self.stemmed(word, *kind).into_owned()).collect();
        if let [single] = normal.as_slice() {
            self.protected.insert(single.clone());
        } else {
            let canonical = words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>();
            self.phrases.insert(normal.iter().map(String::as_str), &canonical.join(" "));
        }
    }

    fn stemmed<'a>(&self, folded: &'a str, kind: SegmentKind) -> Cow<'a, str> {
        match &self.stemmer {
            // The stemmer takes quadratic time on some long strings that are no real words.
            Some(stemmer)
                if kind == SegmentKind::Word
                    && folded.is_ascii()
                    && folded.len() <= MAX_WORD_CHARS =>
            {
                stemmer.stem(folded)
            }
            _ => Cow::Borrowed(folded),
        }
    }

    /// Returns true if a word becomes a term; `normal` is the form in which it would be counted.
    fn keeps(&self, folded: &str, normal: &str, kind: SegmentKind) -> bool {
        if !self.protected.is_empty() && self.protected.contains(normal) {
            return true;
        }
        let wanted = match kind {
            SegmentKind::Gap => false,
            SegmentKind::Number => self.settings.numbers,
            SegmentKind::Word => true,
            SegmentKind::Han => {
                self.settings.part_of_speech == PartOfSpeech::Any || self.segmenter.is_noun(folded)
            }
        };
        wanted
            && folded.chars().nth(self.settings.min_chars.saturating_sub(1)).is_some()
            && folded.chars().nth(MAX_WORD_CHARS).is_none()
            && !self.is_stop_word(folded, normal)
    }

    /// Returns true for a stop word or a contraction of one: `that's`, `can't`.
    fn is_stop_word(&self, folded: &str, normal: &str) -> bool {
        let head = folded.split('\'').next().unwrap_or_default();
        let stop_words = &self.settings.stop_words;
        [folded, normal, head].iter().any(|form| stop_words.contains(*form))
    }
}

impl PartialEq for Analyzer {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings
    }
}

impl Default for Analyzer {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyzer")
            .field("protected", &self.protected.len())
            .field("phrases", &self.phrases.len())
            .field("part_of_speech", &self.settings.part_of_speech)
            .finish_non_exhaustive()
    }
}

/// Reads texts into numbered terms, and caches the decision on every word.
#[derive(Debug)]
pub struct TermReader<'a> {
    analyzer: &'a Analyzer,
    cache: WordCache,
    terms: Vocabulary,
    /// The term numbers of the phrases found so far.
    phrase_terms: Vec<Option<TermId>>,
    /// The words of the text being read, when there are phrases to look for.
    words: Vec<Word>,
}

/// The role of a word in the text being read.
#[derive(Debug, Clone, Copy)]
struct WordInfo {
    /// The term that it counts as, if it passes the filters.
    term: Option<TermId>,
    /// Its number in the phrase trie, if it occurs in a phrase.
    symbol: Option<Symbol>,
}

/// The decisions on all words read so far, which do not depend on the text.
#[derive(Debug, Default)]
struct WordCache {
    surfaces: Vocabulary,
    /// For each surface form, its normal form if it becomes a term, and its symbol in phrases.
    decisions: Vec<(Option<TermId>, Option<Symbol>)>,
    normals: Vocabulary,
    /// For each normal form, the reader that numbered it last, and the number it was given.
    numbers: Vec<(u32, TermId)>,
    /// The number of the current reader.
    reader: u32,
}

impl WordCache {
    /// Prepares the cache for another reader.
    fn begin(&mut self) {
        self.reader = self.reader.wrapping_add(1);
        if self.reader == 0 {
            self.numbers.fill((0, TermId(0)));
            self.reader = 1;
        }
    }

    /// Returns the current reader's number for a normal form, and assigns one if there is none yet.
    #[inline]
    fn number(&mut self, normal: TermId, terms: &mut Vocabulary) -> TermId {
        let (reader, number) = &mut self.numbers[normal.index()];
        if *reader != self.reader {
            *reader = self.reader;
            *number = terms.intern(self.normals.term(normal));
        }
        *number
    }
}

impl Drop for TermReader<'_> {
    fn drop(&mut self) {
        // A panic can leave the cache inconsistent; it must not be reused then.
        let is_consistent = self.cache.surfaces.len() == self.cache.decisions.len();
        if is_consistent
            && self.cache.surfaces.len() <= MAX_CACHED_WORDS
            && self.cache.surfaces.bytes() <= MAX_CACHED_BYTES
            && let Ok(mut caches) = self.analyzer.caches.lock()
        {
            caches.push(std::mem::take(&mut self.cache));
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Word {
    info: WordInfo,
    start: usize,
    /// True if nothing but a joint ([`is_joint`]) separates this word from the previous one.
    adjacent: bool,
}

impl TermReader<'_> {
    /// Passes each term of `text` and its byte offset to `sink`, in order.
    pub fn read(&mut self, text: &str, mut sink: impl FnMut(TermId, usize)) {
        let analyzer = self.analyzer;
        if analyzer.phrases.is_empty() {
            analyzer.segmenter.for_each(text, |segment| {
                if segment.kind != SegmentKind::Gap
                    && let Some(term) = self.look_up(segment.text, segment.kind).term
                {
                    sink(term, segment.start);
                }
            });
        } else {
            self.collect_words(text);
            self.join_phrases(sink);
        }
    }

    /// Returns the term that `text` consists of, if it is exactly one.
    pub fn single_term(&mut self, text: &str) -> Option<String> {
        let mut terms = Vec::new();
        self.read(text, |term, _| terms.push(term));
        match terms.as_slice() {
            [term] => Some(self.terms.term(*term).to_owned()),
            _ => None,
        }
    }

    /// Returns the terms found so far.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.terms
    }

    /// Returns all terms found, and ends the reading.
    #[must_use]
    pub fn into_vocabulary(mut self) -> Vocabulary {
        std::mem::take(&mut self.terms)
    }

    fn collect_words(&mut self, text: &str) {
        let analyzer = self.analyzer;
        self.words.clear();
        let mut adjacent = true;
        analyzer.segmenter.for_each(text, |segment| {
            if segment.kind == SegmentKind::Gap {
                adjacent &= is_joint(segment.text);
            } else {
                let info = self.look_up(segment.text, segment.kind);
                self.words.push(Word { info, start: segment.start, adjacent });
                adjacent = true;
            }
        });
    }

    fn join_phrases(&mut self, mut sink: impl FnMut(TermId, usize)) {
        let phrases = &self.analyzer.phrases;
        let mut position = 0;
        while let Some(&word) = self.words.get(position) {
            let run = self.words[position..].iter().enumerate();
            let run = run.take_while(|(n, word)| *n == 0 || word.adjacent);
            if let Some((taken, phrase)) = phrases.longest(run.map(|(_, word)| word.info.symbol)) {
                let term = *self.phrase_terms[phrase]
                    .get_or_insert_with(|| self.terms.intern(phrases.text(phrase)));
                sink(term, word.start);
                position += taken;
                continue;
            }
            if let Some(term) = word.info.term {
                sink(term, word.start);
            }
            position += 1;
        }
    }

    #[inline]
    fn look_up(&mut self, surface: &str, kind: SegmentKind) -> WordInfo {
        let id = self.cache.surfaces.intern(surface);
        if id.index() == self.cache.decisions.len() {
            self.decide(surface, kind);
        }
        let (normal, symbol) = self.cache.decisions[id.index()];
        WordInfo { term: normal.map(|normal| self.cache.number(normal, &mut self.terms)), symbol }
    }

    /// Decides whether a new word becomes a term, and records the decision.
    fn decide(&mut self, surface: &str, kind: SegmentKind) {
        let folded = fold(surface);
        let normal = self.analyzer.stemmed(&folded, kind);
        let kept = self.analyzer.keeps(&folded, &normal, kind);
        let term = kept.then(|| self.cache.normals.intern(&normal));
        self.cache.numbers.resize(self.cache.normals.len(), (0, TermId(0)));
        self.cache.decisions.push((term, self.analyzer.phrases.symbol(&normal)));
    }
}

/// Returns true if two words separated by `gap` may belong to one term: spaces and hyphens, or a
/// single sign without spaces as in `TCP/IP`, `node.js` or `哈利·波特`.
fn is_joint(gap: &str) -> bool {
    gap.chars().all(|c| c.is_whitespace() || c == '-') || matches!(gap, "/" | "." | "·" | "&" | "_")
}

/// Folds a word with [`fold_char`].
fn fold(word: &str) -> Cow<'_, str> {
    // Han characters have no case, and most English words are in lower case already.
    let is_folded = |c: char| is_han(c) || (c.is_ascii() && !c.is_ascii_uppercase());
    if word.chars().all(is_folded) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.chars().flat_map(fold_char).collect())
}

/// Folds a character for comparison: to lower case and half width, and a curved apostrophe to a
/// straight one. All of Ontrail compares letters in this form.
pub fn fold_char(c: char) -> impl Iterator<Item = char> {
    let half_width = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{2019}' => '\'',
        _ => c,
    };
    half_width.to_lowercase()
}

/// Returns true if the Chinese segmenter can see a term as one word: it has a Han character, and no
/// white space or punctuation that would split it.
fn is_chinese_word(term: &str) -> bool {
    term.chars().any(is_han) && term.chars().all(|c| is_han(c) || c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_folded_and_stemmed_and_stop_words_are_dropped() {
        let terms = Analyzer::new().terms("The crawlers are CRAWLING the Ｗeb's networks in 1999");
        assert_eq!(terms, ["crawler", "crawl", "web", "network"]);
    }

    #[test]
    fn chinese_stop_words_and_single_characters_are_dropped() {
        assert_eq!(Analyzer::new().terms("我们在山上拍摄了暴雨"), ["山上", "拍摄", "暴雨"]);
    }

    #[test]
    fn phrases_match_inflected_forms_but_not_across_punctuation() {
        let analyzer =
            Analyzer::builder().terms(["neural network", "internet of things", "AI 芯片"]).build();
        assert_eq!(
            analyzer.terms("Neural networks; a neural-network. Neural. Network"),
            ["neural network", "neural network", "neural", "network"]
        );
        assert_eq!(
            analyzer.terms("the internet of things and AI芯片"),
            ["internet of things", "ai 芯片"]
        );
    }

    #[test]
    fn terms_may_contain_signs_and_upper_case() {
        let analyzer = Analyzer::builder().terms(["TCP/IP", "node.js", "AI芯片"]).build();
        assert_eq!(analyzer.terms("tcp/ip、Node.js与ai芯片"), ["tcp ip", "node js", "ai芯片"]);
    }

    #[test]
    fn topic_terms_survive_every_filter() {
        let analyzer = Analyzer::builder()
            .terms(["雨", "it", "防御"])
            .part_of_speech(PartOfSpeech::Nouns)
            .build();
        assert_eq!(analyzer.terms("it 雨 防御 迅速"), ["it", "雨", "防御"]);
    }

    #[test]
    fn the_noun_filter_keeps_only_nouns() {
        let analyzer = Analyzer::builder().part_of_speech(PartOfSpeech::Nouns).build();
        assert_eq!(analyzer.terms("气象台迅速发布暴雨预警"), ["气象台", "暴雨", "预警"]);
    }

    #[test]
    fn settings_are_obeyed() {
        let raw = Analyzer::builder().keep_stop_words().stem(false).numbers(true).min_chars(1);
        assert_eq!(raw.build().terms("the 2 crawlers"), ["the", "2", "crawlers"]);
        let custom = Analyzer::builder().stop_words(["暴雨"]).build();
        assert_eq!(custom.terms("暴雨预警"), ["预警"]);
    }

    #[test]
    fn contracted_stop_words_and_overlong_words_are_dropped() {
        let endless = "x".repeat(100);
        let terms = Analyzer::new().terms(&format!("that's can't don't {endless} Alice's"));
        assert_eq!(terms, ["alic"]);
    }

    #[test]
    fn analyzers_with_equal_settings_are_equal() {
        let with_term = |term: &str| Analyzer::builder().terms([term]).build();
        assert_eq!(Analyzer::new(), Analyzer::new());
        assert_eq!(with_term("暴雨"), with_term("暴雨"));
        assert_ne!(with_term("暴雨"), Analyzer::new());
        assert_ne!(Analyzer::builder().keep_stop_words().build(), Analyzer::new());
        assert_ne!(Analyzer::builder().min_chars(1).build(), Analyzer::new());
    }

    #[test]
    fn a_reader_numbers_terms_across_texts() {
        let analyzer = Analyzer::new();
        let mut reader = analyzer.reader();
        let mut seen = Vec::new();
        reader.read("暴雨 rain", |id, at| seen.push((id.0, at)));
        reader.read("Rains, 暴雨", |id, at| seen.push((id.0, at)));
        assert_eq!(seen, [(0, 0), (1, 7), (1, 0), (0, 7)]);
        assert_eq!(reader.into_vocabulary().len(), 2);
    }
}
