//! From a text to its terms: the words that count, in the form in which they are counted.
//!
//! A [`Segment`](crate::Segment) becomes a term by these steps: letters are folded to lower case
//! and half width, stop words go, English words are stemmed (Snowball English, "Porter 2"), Chinese
//! words optionally pass a noun filter, words that are too short and bare numbers go. Terms that
//! the user named survive every filter and stay whole, whether one word or several.
//!
//! All this is decided once per distinct word: a [`TermReader`] remembers what became of each
//! surface form, so that a repeated word costs one hash look-up and no allocation. The memory goes
//! back to the analyzer with the reader and serves the next one, so that the words of one page are
//! known on the next.

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

/// The longest word that is a term, in characters. Longer ones are data, not language.
const LONGEST_WORD: usize = 64;

/// The distinct words of an ordinary page, for which a reader makes room from the start.
const WORDS_OF_A_PAGE: usize = 512;

/// A memory of more words, or of more bytes of them, is let go: strangers write pages, and may write new words for
/// ever.
const MOST_REMEMBERED: usize = 1 << 17;
const MOST_REMEMBERED_BYTES: usize = 4 << 20;

type WordSet<T> = HashSet<T, foldhash::fast::RandomState>;

/// Which Chinese words become terms, by part of speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartOfSpeech {
    /// Words of any kind.
    #[default]
    Any,
    /// Nouns, verbal nouns and abbreviations. English words are not filtered.
    Nouns,
}

/// Turns texts into terms. Immutable once built, shared freely between threads.
///
/// Two analyzers are equal if they were built alike: they find the same terms in every text.
pub struct Analyzer {
    settings: AnalyzerBuilder,
    segmenter: Segmenter,
    stemmer: Option<Stemmer>,
    /// The normal forms that survive every filter.
    insisted: WordSet<String>,
    phrases: PhraseTrie,
    /// What readers that are gone have remembered.
    memories: Mutex<Vec<Memory>>,
}

/// How an [`Analyzer`] is put together.
///
/// | setting | default | purpose |
/// |---|---|---|
/// | [`terms`](Self::terms) | none | topic terms to find as one and to keep whatever the filters say |
/// | [`dictionary`](Self::dictionary) | none | further words for the Chinese segmenter |
/// | [`part_of_speech`](Self::part_of_speech) | any | nouns only, for ontologies |
/// | [`stop_words`](Self::stop_words) | built-in | words to drop besides the built-in lists |
/// | [`keep_stop_words`](Self::keep_stop_words) | off | keep them all |
/// | [`stem`](Self::stem) | on | reduce English words to their stems |
/// | [`numbers`](Self::numbers) | off | keep bare numbers |
/// | [`min_chars`](Self::min_chars) | 2 | the shortest word that counts |
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
    /// Topic terms: each is found as one term, and no filter drops it.
    pub fn terms<T: Into<String>>(mut self, terms: impl IntoIterator<Item = T>) -> Self {
        self.terms.extend(terms.into_iter().map(Into::into));
        self
    }

    /// Further words for the Chinese segmenter.
    pub fn dictionary(mut self, dictionary: UserDictionary) -> Self {
        self.dictionary.words.extend(dictionary.words);
        self
    }

    /// Which Chinese words become terms.
    pub fn part_of_speech(mut self, part_of_speech: PartOfSpeech) -> Self {
        self.part_of_speech = part_of_speech;
        self
    }

    /// Words to drop besides the built-in lists.
    pub fn stop_words<T: Into<String>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        let folded = words.into_iter().map(|word| Cow::Owned(fold(&word.into()).into_owned()));
        self.stop_words.extend(folded);
        self
    }

    /// Keeps stop words.
    pub fn keep_stop_words(mut self) -> Self {
        self.stop_words.clear();
        self
    }

    /// Whether English words are reduced to their stems.
    pub fn stem(mut self, stem: bool) -> Self {
        self.stem = stem;
        self
    }

    /// Whether bare numbers are terms.
    pub fn numbers(mut self, numbers: bool) -> Self {
        self.numbers = numbers;
        self
    }

    /// The shortest word, in characters, that becomes a term.
    pub fn min_chars(mut self, min_chars: usize) -> Self {
        self.min_chars = min_chars;
        self
    }

    /// Builds the analyzer. Loads the Chinese dictionary if no analyzer did so before.
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
            insisted: WordSet::default(),
            phrases: PhraseTrie::default(),
            settings: self,
            memories: Mutex::default(),
        };
        analyzer.insisted.extend(chinese.iter().map(|word| fold(word).into_owned()));
        for term in &others {
            analyzer.insist(term);
        }
        analyzer
    }
}

impl Analyzer {
    /// An analyzer with the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Starts a description of an analyzer.
    pub fn builder() -> AnalyzerBuilder {
        AnalyzerBuilder::default()
    }

    /// A reader that numbers the terms of the texts it is given.
    #[must_use]
    pub fn reader(&self) -> TermReader<'_> {
        let idle = self.memories.lock().ok().and_then(|mut memories| memories.pop());
        let mut memory = idle.unwrap_or_default();
        memory.begin();
        TermReader {
            analyzer: self,
            memory,
            terms: Vocabulary::with_capacity(WORDS_OF_A_PAGE),
            phrase_terms: vec![None; self.phrases.len()],
            words: Vec::new(),
        }
    }

    /// The terms of `text`, in order, with repetitions.
    #[must_use]
    pub fn terms(&self, text: &str) -> Vec<String> {
        let mut reader = self.reader();
        let mut ids = Vec::new();
        reader.read(text, |id, _| ids.push(id));
        ids.into_iter().map(|id| reader.vocabulary().term(id).to_owned()).collect()
    }

    /// The segmenter in use.
    #[must_use]
    pub fn segmenter(&self) -> &Segmenter {
        &self.segmenter
    }

    /// Makes an alphabetic word or a phrase of several words survive every filter.
    fn insist(&mut self, term: &str) {
        let segments = self.segmenter.segments(term);
        let words: Vec<(String, SegmentKind)> = segments
            .iter()
            .filter(|segment| segment.kind != SegmentKind::Gap)
            .map(|segment| (fold(segment.text).into_owned(), segment.kind))
            .collect();
        let normal: Vec<String> =
            words.iter().map(|(word, kind)| self.stemmed(word, *kind).into_owned()).collect();
        if let [single] = normal.as_slice() {
            self.insisted.insert(single.clone());
        } else {
            let canonical = words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>();
            self.phrases.insert(normal.iter().map(String::as_str), &canonical.join(" "));
        }
    }

    fn stemmed<'a>(&self, folded: &'a str, kind: SegmentKind) -> Cow<'a, str> {
        match &self.stemmer {
            // The stemmer takes quadratic time on words that no language has.
            Some(stemmer)
                if kind == SegmentKind::Word
                    && folded.is_ascii()
                    && folded.len() <= LONGEST_WORD =>
            {
                stemmer.stem(folded)
            }
            _ => Cow::Borrowed(folded),
        }
    }

    /// Whether a word becomes a term; `normal` is the form in which it would be counted.
    fn keeps(&self, folded: &str, normal: &str, kind: SegmentKind) -> bool {
        if !self.insisted.is_empty() && self.insisted.contains(normal) {
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
            && folded.chars().nth(LONGEST_WORD).is_none()
            && !self.is_stop_word(folded, normal)
    }

    /// Whether a word is a stop word, or what is left of one: `that's`, `can't`.
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
            .field("insisted", &self.insisted.len())
            .field("phrases", &self.phrases.len())
            .field("part_of_speech", &self.settings.part_of_speech)
            .finish_non_exhaustive()
    }
}

/// Reads texts into numbered terms, remembering what became of every word it has met.
#[derive(Debug)]
pub struct TermReader<'a> {
    analyzer: &'a Analyzer,
    memory: Memory,
    terms: Vocabulary,
    /// The numbers of the phrases met so far.
    phrase_terms: Vec<Option<TermId>>,
    /// The words of the text being read, when there are phrases to look for.
    words: Vec<Word>,
}

/// What a word is to the text being read.
#[derive(Debug, Clone, Copy)]
struct Fate {
    term: Option<TermId>,
    symbol: Option<Symbol>,
}

/// What became of the words that were met, whatever the text.
#[derive(Debug, Default)]
struct Memory {
    surfaces: Vocabulary,
    /// Of each surface form, the number of the form in which it is counted, if it is, and its part in phrases.
    decisions: Vec<(Option<TermId>, Option<Symbol>)>,
    normals: Vocabulary,
    /// The number that each normal form has with the reader at hand, and which reader that was.
    numbers: Vec<(u32, TermId)>,
    reader: u32,
}

impl Memory {
    /// Another reader begins.
    fn begin(&mut self) {
        self.reader = self.reader.wrapping_add(1);
        if self.reader == 0 {
            self.numbers.fill((0, TermId(0)));
            self.reader = 1;
        }
    }

    /// The number of a normal form with the reader at hand, which gives it one if it has none.
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
        // What a panic left half-done must not be met again.
        let is_whole = self.memory.surfaces.len() == self.memory.decisions.len();
        if is_whole
            && self.memory.surfaces.len() <= MOST_REMEMBERED
            && self.memory.surfaces.bytes() <= MOST_REMEMBERED_BYTES
            && let Ok(mut memories) = self.analyzer.memories.lock()
        {
            memories.push(std::mem::take(&mut self.memory));
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Word {
    fate: Fate,
    start: usize,
    /// Whether only white space or a hyphen lies between this word and the one before.
    adjacent: bool,
}

impl TermReader<'_> {
    /// Hands each term of `text` and the byte at which it starts to `sink`, in order.
    pub fn read(&mut self, text: &str, mut sink: impl FnMut(TermId, usize)) {
        let analyzer = self.analyzer;
        if analyzer.phrases.is_empty() {
            analyzer.segmenter.for_each(text, |segment| {
                if segment.kind != SegmentKind::Gap
                    && let Some(term) = self.fate(segment.text, segment.kind).term
                {
                    sink(term, segment.start);
                }
            });
        } else {
            self.collect_words(text);
            self.join_phrases(sink);
        }
    }

    /// The term that a text is, if it is just one.
    pub fn single_term(&mut self, text: &str) -> Option<String> {
        let mut terms = Vec::new();
        self.read(text, |term, _| terms.push(term));
        match terms.as_slice() {
            [term] => Some(self.terms.term(*term).to_owned()),
            _ => None,
        }
    }

    /// The terms met so far.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.terms
    }

    /// The terms met, when reading is done.
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
                let fate = self.fate(segment.text, segment.kind);
                self.words.push(Word { fate, start: segment.start, adjacent });
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
            if let Some((taken, phrase)) = phrases.longest(run.map(|(_, word)| word.fate.symbol)) {
                let term = *self.phrase_terms[phrase]
                    .get_or_insert_with(|| self.terms.intern(phrases.text(phrase)));
                sink(term, word.start);
                position += taken;
                continue;
            }
            if let Some(term) = word.fate.term {
                sink(term, word.start);
            }
            position += 1;
        }
    }

    #[inline]
    fn fate(&mut self, surface: &str, kind: SegmentKind) -> Fate {
        let id = self.memory.surfaces.intern(surface);
        if id.index() == self.memory.decisions.len() {
            self.decide(surface, kind);
        }
        let (normal, symbol) = self.memory.decisions[id.index()];
        Fate { term: normal.map(|normal| self.memory.number(normal, &mut self.terms)), symbol }
    }

    /// What becomes of a word met for the first time.
    fn decide(&mut self, surface: &str, kind: SegmentKind) {
        let folded = fold(surface);
        let normal = self.analyzer.stemmed(&folded, kind);
        let kept = self.analyzer.keeps(&folded, &normal, kind);
        let term = kept.then(|| self.memory.normals.intern(&normal));
        self.memory.numbers.resize(self.memory.normals.len(), (0, TermId(0)));
        self.memory.decisions.push((term, self.analyzer.phrases.symbol(&normal)));
    }
}

/// Whether two words with this between them may belong to one term: blanks and hyphens, or a single
/// sign without blanks as in `TCP/IP`, `node.js` or `哈利·波特`.
fn is_joint(gap: &str) -> bool {
    gap.chars().all(|c| c.is_whitespace() || c == '-') || matches!(gap, "/" | "." | "·" | "&" | "_")
}

/// Lower case, half width, straight apostrophe.
fn fold(word: &str) -> Cow<'_, str> {
    // Han characters have no case, and most English words are in lower case already.
    let is_folded = |c: char| is_han(c) || (c.is_ascii() && !c.is_ascii_uppercase());
    if word.chars().all(is_folded) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.chars().flat_map(fold_char).collect())
}

/// A character in lower case, half width, a straight apostrophe for a curved one: how letters are
/// compared everywhere.
pub fn fold_char(c: char) -> impl Iterator<Item = char> {
    let half_width = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{2019}' => '\'',
        _ => c,
    };
    half_width.to_lowercase()
}

/// Whether a term is one word to the Chinese segmenter: a Han character in it, and no white space
/// or punctuation that would cut it in two.
fn is_chinese_word(term: &str) -> bool {
    term.chars().any(is_han) && term.chars().all(|c| is_han(c) || c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_folded_stemmed_and_freed_of_stop_words() {
        let terms = Analyzer::new().terms("The crawlers are CRAWLING the Ｗeb's networks in 1999");
        assert_eq!(terms, ["crawler", "crawl", "web", "network"]);
    }

    #[test]
    fn chinese_stop_words_and_single_characters_go() {
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
    fn terms_may_hold_signs_and_either_case() {
        let analyzer = Analyzer::builder().terms(["TCP/IP", "node.js", "AI芯片"]).build();
        assert_eq!(analyzer.terms("tcp/ip、Node.js与ai芯片"), ["tcp ip", "node js", "ai芯片"]);
    }

    #[test]
    fn insisted_terms_survive_every_filter() {
        let analyzer = Analyzer::builder()
            .terms(["雨", "it", "防御"])
            .part_of_speech(PartOfSpeech::Nouns)
            .build();
        assert_eq!(analyzer.terms("it 雨 防御 迅速"), ["it", "雨", "防御"]);
    }

    #[test]
    fn nouns_only() {
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
    fn short_forms_of_stop_words_and_endless_words_go() {
        let endless = "x".repeat(100);
        let terms = Analyzer::new().terms(&format!("that's can't don't {endless} Alice's"));
        assert_eq!(terms, ["alic"]);
    }

    #[test]
    fn analyzers_that_are_built_alike_are_equal() {
        let told = |term: &str| Analyzer::builder().terms([term]).build();
        assert_eq!(Analyzer::new(), Analyzer::new());
        assert_eq!(told("暴雨"), told("暴雨"));
        assert_ne!(told("暴雨"), Analyzer::new());
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
