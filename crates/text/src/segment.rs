//! Cutting a text into words, Chinese and English in one pass.
//!
//! Chinese words are those that jieba finds, letters and digits glued to them included (`T恤`); what
//! lies between them is cut at the edges of alphabetic words and numbers. A text without Chinese
//! never meets the Chinese segmenter. Segments cover the text without gap or overlap, so their
//! concatenation is the input again.

use std::sync::{Arc, LazyLock};

use jieba_rs::Jieba;

use crate::UserDictionary;
use crate::script::is_han;

/// The built-in dictionary, loaded once per process (0.1 s, 32 MB) and shared.
static BUILT_IN: LazyLock<Arc<Jieba>> = LazyLock::new(|| Arc::new(Jieba::new()));

/// A frequency that outweighs any reading of the same characters as several words.
/// (Frequencies add to a total that all words are measured by, so it must not be larger than needed.)
const DOMINANT_FREQUENCY: usize = 20_000;

/// What a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SegmentKind {
    /// A Chinese word, possibly with letters or digits in it (`T恤`).
    Han,
    /// A word of an alphabetic script, possibly with digits in it (`mp3`).
    Word,
    /// A number.
    Number,
    /// White space, punctuation, symbols.
    Gap,
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment<'t> {
    /// The piece itself.
    pub text: &'t str,
    /// Where it starts, in bytes.
    pub start: usize,
    /// What it is.
    pub kind: SegmentKind,
}

/// Cuts texts into words. Cheap to clone.
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
    /// A segmenter with the built-in dictionary.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// This segmenter with the user's words added.
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

    /// Hands every segment of `text` to `sink`, in order.
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

    /// All segments of `text`.
    #[must_use]
    pub fn segments<'t>(&self, text: &'t str) -> Vec<Segment<'t>> {
        let mut segments = Vec::new();
        self.for_each(text, |segment| segments.push(segment));
        segments
    }

    /// Whether a Chinese word is a noun, a verbal noun or an abbreviation (jieba's tags `n…`, `vn`,
    /// `an`, `j`). Of a word that the dictionary lacks, the last part decides, since Chinese
    /// compounds have their head at the end.
    #[must_use]
    pub fn is_noun(&self, word: &str) -> bool {
        self.jieba.tag(word, true).last().is_some_and(|tagged| {
            tagged.tag.starts_with('n') || matches!(tagged.tag, "vn" | "an" | "j")
        })
    }
}

/// Words of three characters or more are names of concepts and may outweigh everything; shorter
/// ones would tear other words apart (会议 in 大会议程), so jieba weighs them itself.
fn dominant_frequency(word: &str) -> Option<usize> {
    (word.chars().count() >= 3).then_some(DOMINANT_FREQUENCY)
}

/// Whether `text` has bytes of the kind Han characters start with: all of them lie above U+3000.
/// Spares English pages the Chinese segmenter.
fn may_hold_han(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0xe3)
}

/// What a token of the Chinese segmenter is, where its characters alone tell: a Chinese word, or
/// punctuation. Words and numbers are not told here, since the next token may belong to them.
///
/// Chinese words and punctuation follow each other in no order that a processor could foresee, so
/// the test for the common ones has no branches.
#[expect(clippy::inline_always, reason = "done for every token; a call would cost as much")]
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

/// The same for the tokens that are left: words like `T恤`, rare characters, other signs.
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

/// Cuts `text[start..end]`, in which no Han character is, at the edges of words.
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

/// The length and kind of the first piece of a non-empty text without Chinese words.
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
        // Most of what stands between words needs no look-up in the Unicode tables.
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

/// Whether `c` at `at` continues a word (`don't`, `C++`, a combining accent) or a number (`3.14`).
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
    fn han_stretches_are_cut_as_jieba_cuts_the_whole() {
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
    fn nouns_are_told_from_verbs() {
        let segmenter = Segmenter::new();
        for noun in ["暴雨", "气象台", "灾害", "北京"] {
            assert!(segmenter.is_noun(noun), "{noun}");
        }
        for other in ["跑步着", "非常", "迅速", "因为"] {
            assert!(!segmenter.is_noun(other), "{other}");
        }
    }
}
