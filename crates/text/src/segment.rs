//! Divides a text into words, Chinese and English in one pass.
//!
//! Chinese words are those that jieba finds, including letters and digits attached to them (`T恤`);
//! the text between them is divided at the boundaries of alphabetic words and numbers. A text
//! without Chinese never reaches the Chinese segmenter. Segments cover the text without gaps or
//! overlaps, so their concatenation is the input.

use std::sync::{Arc, LazyLock};

use jieba_rs::Jieba;

use crate::UserDictionary;
use crate::script::is_han;

/// The built-in dictionary, loaded once per process (0.1 s, 32 MB) and shared.
static BUILT_IN: LazyLock<Arc<Jieba>> = LazyLock::new(|| Arc::new(Jieba::new()));

/// A frequency that outweighs any division of the same characters into several words. It must not
/// be larger than needed, since each frequency adds to the total that all words are measured
/// against.
const DOMINANT_FREQUENCY: usize = 20_000;

/// The kind of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SegmentKind {
    /// A Chinese word, possibly with letters or digits (`T恤`).
    Han,
    /// A word of an alphabetic script, possibly with digits (`mp3`).
    Word,
    /// A number.
    Number,
    /// White space, punctuation, symbols.
    Gap,
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment<'t> {
    /// The text of the segment.
    pub text: &'t str,
    /// The byte offset at which it starts.
    pub start: usize,
    /// Its kind.
    pub kind: SegmentKind,
}

/// Divides texts into words. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Segmenter {
    jieba: Arc<Jieba>,
}

impl Default for Segmenter {
    fn default() -> Self {
        Self { jieba: Arc::clone(&BUILT_IN) }
    }
}

impl Segmenter {
    /// Creates a segmenter with the built-in dictionary.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the user's words.
    #[must_use]
    pub fn with_dictionary(mut self, dictionary: &UserDictionary) -> Self {
        if !dictionary.words.is_empty() {
            let jieba = Arc::make_mut(&mut self.jieba);
            for entry in &dictionary.words {
                let frequency = entry.frequency.or_else(|| dominant_frequency(&entry.word));
                jieba.add_word(&entry.word, frequency, Some(entry.tag.as_deref().unwrap_or("nz")));
            }
        }
        self
    }

    /// Passes every segment of `text` to `sink`, in order.
    pub fn for_each<'t>(&self, text: &'t str, mut sink: impl FnMut(Segment<'t>)) {
        let mut plain_start = 0;
        if may_hold_han(text) {
            for token in &self.jieba.cut(text, true) {
                let (word, start) = (token.word, token.byte_start);
                let Some(kind) = clear_kind(word) else { continue };
                if plain_start != start {
                    // Punctuation may belong to the word before it, as in 3.5 or C++.
                    if kind == SegmentKind::Gap {
                        continue;
                    }
                    cut_plain(text, plain_start, start, &mut sink);
                }
                sink(Segment { text: word, start, kind });
                plain_start = token.byte_end;
            }
        }
        cut_plain(text, plain_start, text.len(), &mut sink);
    }

    /// Returns all segments of `text`.
    #[must_use]
    pub fn segments<'t>(&self, text: &'t str) -> Vec<Segment<'t>> {
        let mut segments = Vec::new();
        self.for_each(text, |segment| segments.push(segment));
        segments
    }

    /// Returns true if a Chinese word is a noun, a verbal noun or an abbreviation (jieba's tags
    /// `n…`, `vn`, `an`, `j`). If the word is not in the dictionary, its last part decides, since
    /// the head of a Chinese compound is at its end.
    #[must_use]
    pub fn is_noun(&self, word: &str) -> bool {
        self.jieba.tag(word, true).last().is_some_and(|tagged| {
            tagged.tag.starts_with('n') || matches!(tagged.tag, "vn" | "an" | "j")
        })
    }
}

/// Returns the dominant frequency for a word of three or more characters, which is usually the name
/// of a concept. A shorter word would split other words (会议 in 大会议程), so jieba chooses its
/// frequency.
fn dominant_frequency(word: &str) -> Option<usize> {
    (word.chars().count() >= 3).then_some(DOMINANT_FREQUENCY)
}

/// Returns true if `text` has a byte that Han characters, which are all above U+3000, can start
/// with. English pages thus skip the Chinese segmenter.
fn may_hold_han(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0xe3)
}

/// Returns the kind of a token of the Chinese segmenter, if its characters alone determine it: a
/// Chinese word, or punctuation. Alphabetic words and numbers give `None`, since the next token may
/// belong to them.
///
/// A processor cannot predict the order of Chinese words and punctuation, so the test for common
/// tokens has no branches.
#[expect(clippy::inline_always, reason = "runs for every token; a call would cost as much")]
#[inline(always)]
fn clear_kind(token: &str) -> Option<SegmentKind> {
    let bytes = token.as_bytes();
    let byte = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let start = u32::from_be_bytes([0, byte(0), byte(1), byte(2)]);
    let within = |from: u32, to: u32| start.wrapping_sub(from) <= to - from;
    // U+4E00 to U+9FFF, the main block of Han characters.
    let is_han = within(0x00e4_b880, 0x00e9_bfbf);
    // U+3000 to U+3004, U+3008 to U+3020, U+FF01 to U+FF0F, U+FF1A to U+FF20.
    let is_wide = within(0x00e3_8080, 0x00e3_8084)
        | within(0x00e3_8088, 0x00e3_80a0)
        | within(0x00ef_bc81, 0x00ef_bc8f)
        | within(0x00ef_bc9a, 0x00ef_bca0);
    let is_plain = (bytes.len() == 1) & !byte(0).is_ascii_alphanumeric();
    if is_han | ((bytes.len() == 3) & is_wide) | is_plain {
        return Some(if is_han { SegmentKind::Han } else { SegmentKind::Gap });
    }
    uncommon_kind(token)
}

/// Returns the kind of the remaining tokens: words like `T恤`, rare characters, other signs.
#[inline(never)]
fn uncommon_kind(token: &str) -> Option<SegmentKind> {
    if !token.is_ascii() && token.chars().any(is_han) {
        Some(SegmentKind::Han)
    } else if token.chars().all(|c| class(c) == CharClass::Other) {
        Some(SegmentKind::Gap)
    } else {
        None
    }
}

/// Divides `text[start..end]`, which has no Chinese words, at the boundaries of words.
#[inline]
fn cut_plain<'t>(text: &'t str, start: usize, end: usize, sink: &mut impl FnMut(Segment<'t>)) {
    let mut position = start;
    while position < end {
        let rest = &text[position..end];
        let (length, kind) = plain_piece(rest);
        sink(Segment { text: &rest[..length], start: position, kind });
        position += length;
    }
}

/// Returns the length and kind of the first piece of a non-empty text without Chinese words.
fn plain_piece(text: &str) -> (usize, SegmentKind) {
    let (mut letters, mut digits) = (false, false);
    let mut end = 0;
    for (at, c) in text.char_indices() {
        match class(c) {
            CharClass::Letter => letters = true,
            CharClass::Digit => digits = true,
            CharClass::Other if at == 0 => {
                let next = text.char_indices().find(|&(_, c)| class(c) != CharClass::Other);
                return (next.map_or(text.len(), |(at, _)| at), SegmentKind::Gap);
            }
            CharClass::Other if !joins(c, text, at, letters, digits) => break,
            CharClass::Other => {}
        }
        end = at + c.len_utf8();
    }
    (end, if letters { SegmentKind::Word } else { SegmentKind::Number })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Letter,
    Digit,
    Other,
}

#[inline]
fn class(c: char) -> CharClass {
    match c {
        'a'..='z' | 'A'..='Z' => CharClass::Letter,
        '0'..='9' => CharClass::Digit,
        // The most common separators need no look-up in the Unicode tables.
        '\0'..='\x7f'
        | '\u{a0}'
        | '\u{b7}'
        | '\u{2010}'..='\u{206f}'
        | '\u{3000}'..='\u{3004}'
        | '\u{3008}'..='\u{3020}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}' => CharClass::Other,
        _ if c.is_alphabetic() => CharClass::Letter,
        _ if c.is_numeric() => CharClass::Digit,
        _ => CharClass::Other,
    }
}

/// Returns true if `c` at `at` continues a word (`don't`, `C++`, a combining accent) or a number
/// (`3.14`).
fn joins(c: char, text: &str, at: usize, letters: bool, digits: bool) -> bool {
    let next = || text[at + c.len_utf8()..].chars().next();
    match c {
        '\'' | '\u{2019}' => letters && next().is_some_and(char::is_alphabetic),
        '+' | '#' => {
            let after = text[at..].trim_start_matches(['+', '#']).chars().next();
            letters && !after.is_some_and(|c| class(c) != CharClass::Other)
        }
        '.' | ',' => digits && !letters && next().is_some_and(|c| c.is_ascii_digit()),
        '\u{300}'..='\u{36f}' => letters,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SegmentKind::{Gap, Han, Number, Word};

    fn cut(text: &str) -> Vec<(&str, SegmentKind)> {
        Segmenter::new().segments(text).into_iter().map(|s| (s.text, s.kind)).collect()
    }

    fn words(segmenter: &Segmenter, text: &str) -> Vec<String> {
        let segments = segmenter.segments(text);
        segments.iter().filter(|s| s.kind != Gap).map(|s| s.text.to_owned()).collect()
    }

    #[test]
    fn chinese_and_english_in_one_text() {
        assert_eq!(
            cut("今天的 weather, 下雨3.5毫米。"),
            [
                ("今天", Han),
                ("的", Han),
                (" ", Gap),
                ("weather", Word),
                (", ", Gap),
                ("下雨", Han),
                ("3.5", Number),
                ("毫米", Han),
                ("。", Gap)
            ]
        );
    }

    #[test]
    fn english_words_keep_their_apostrophes_and_signs() {
        assert_eq!(
            cut("don't use C++ or C#, it's café 3,000"),
            [
                ("don't", Word),
                (" ", Gap),
                ("use", Word),
                (" ", Gap),
                ("C++", Word),
                (" ", Gap),
                ("or", Word),
                (" ", Gap),
                ("C#", Word),
                (", ", Gap),
                ("it's", Word),
                (" ", Gap),
                ("café", Word),
                (" ", Gap),
                ("3,000", Number)
            ]
        );
    }

    #[test]
    fn starts_are_byte_offsets() {
        let text = "雨rain 雪";
        for segment in Segmenter::new().segments(text) {
            assert_eq!(&text[segment.start..segment.start + segment.text.len()], segment.text);
        }
    }

    #[test]
    fn chinese_is_segmented_as_by_jieba() {
        let text = "中国气象局2021年7月20日发布A股与5G网络的T恤新闻，雨量达到201.9毫米！";
        let jieba = Jieba::new();
        let expected: Vec<_> = jieba.cut(text, true).into_iter().map(|t| t.word).collect();
        let found: Vec<_> = Segmenter::new().segments(text).into_iter().map(|s| s.text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn user_words_stay_whole() {
        let text = "特大暴雨灾害造成损失，安置点已启用";
        assert!(!words(&Segmenter::new(), text).contains(&"暴雨灾害".to_owned()));
        let dictionary = UserDictionary::read("暴雨灾害\n安置点\n".as_bytes()).unwrap();
        let segmenter = Segmenter::new().with_dictionary(&dictionary);
        let found = words(&segmenter, text);
        assert!(found.contains(&"暴雨灾害".to_owned()), "{found:?}");
        assert!(found.contains(&"安置点".to_owned()), "{found:?}");
    }

    #[test]
    fn nouns_are_distinguished_from_other_words() {
        let segmenter = Segmenter::new();
        for noun in ["暴雨", "气象台", "灾害", "北京"] {
            assert!(segmenter.is_noun(noun), "{noun}");
        }
        for other in ["跑步着", "非常", "迅速", "因为"] {
            assert!(!segmenter.is_noun(other), "{other}");
        }
    }
}
