//! The text of a page, divided into passages.
//!
//! `<b>暴</b>雨` is one word, so an analyzer does not get the text node by node but in *passages*:
//! all text up to the next block-level element, line break or link. The label group, the tag and
//! the content block can change within a passage; they are recorded beside its text and assigned to
//! the words once these are known. Passages do not depend on the analyzer, so one parse serves all.

use std::ops::Range;

use crate::group::{LabelGroup, Tag};

/// A text in passages. It is kept in one string, so that a page of a thousand passages needs only a
/// few allocations.
///
/// ```
/// use ontrail_page::{LabelGroup, Passages};
///
/// let mut passages = Passages::new();
/// passages.push("暴雨", LabelGroup::Title);
/// passages.end();
/// passages.push("昨夜", LabelGroup::Body);
/// passages.push("暴雨", LabelGroup::Emphasis);
/// passages.end();
/// let last = passages.iter().last().unwrap();
/// assert_eq!(last.text(), "昨夜暴雨");
/// assert_eq!(last.cursor().group_at("昨夜".len()), LabelGroup::Emphasis);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passages {
    text: String,
    places: Vec<Place>,
    ends: Vec<End>,
    /// True if the passage that has not ended is part of the main content.
    is_main: bool,
}

/// The place in the markup of all words from byte `from` up to the next place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The first byte, counted from the start of the passage.
    from: usize,
    pub(crate) group: LabelGroup,
    pub(crate) tag: Tag,
    /// The number of the div on the page; `None` in the head.
    pub(crate) div: Option<u32>,
}

/// The end of a passage, in `text` and in `places`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct End {
    text: usize,
    places: usize,
    /// True if a block-level element starts or ends here, and not just a line or a link.
    ends_paragraph: bool,
    /// True if the passage is part of the main content.
    is_main: bool,
    /// The number of line breaks (`<br>`) that follow, up to 2.
    line_breaks: u8,
}

/// A stretch of text whose ends no word crosses.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    text: &'a str,
    places: &'a [Place],
    pub(crate) ends_paragraph: bool,
    is_main: bool,
    /// The number of line breaks (`<br>`) that follow, up to 2.
    pub(crate) line_breaks: u8,
}

/// Finds the label groups of the words of a passage. The words must be passed in ascending order.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    places: &'a [Place],
    at: usize,
}

impl Passages {
    /// Creates an empty text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends text to the current passage.
    pub fn push(&mut self, text: &str, group: LabelGroup) {
        self.push_at(text, group, Tag::Other, None);
    }

    /// Appends text inside a tag and a div to the current passage.
    pub(crate) fn push_at(&mut self, text: &str, group: LabelGroup, tag: Tag, div: Option<u32>) {
        if text.is_empty() {
            return;
        }
        let start = self.last_end();
        let place = Place { from: self.text.len() - start.text, group, tag, div };
        let before = self.places[start.places..].last();
        if before.is_none_or(|before| Place { from: place.from, ..*before } != place) {
            self.places.push(place);
        }
        self.text.push_str(text);
    }

    /// Ends the current passage: text pushed from now on belongs to the next one. Does nothing if
    /// the current passage has no text.
    pub fn end(&mut self) {
        if self.text.len() > self.last_end().text {
            let (text, places) = (self.text.len(), self.places.len());
            let is_main = std::mem::take(&mut self.is_main);
            self.ends.push(End { text, places, is_main, ..End::default() });
        }
    }

    /// Makes the current passage part of the main content.
    pub(crate) fn mark_main(&mut self) {
        self.is_main = self.text.len() > self.last_end().text;
    }

    /// Makes exactly these passages the main content.
    pub(crate) fn set_main(&mut self, is_main: &[bool]) {
        for (end, is_main) in self.ends.iter_mut().zip(is_main) {
            end.is_main = *is_main;
        }
    }

    /// Ends the current passage at a line break.
    pub(crate) fn break_line(&mut self) {
        self.end();
        if let Some(last) = self.ends.last_mut() {
            last.line_breaks = (last.line_breaks + 1).min(2);
        }
    }

    /// Ends the current passage at the start or end of a block-level element.
    pub(crate) fn end_paragraph(&mut self) {
        self.end();
        if let Some(last) = self.ends.last_mut() {
            last.ends_paragraph = true;
        }
    }

    /// Returns the number of passages that have ended.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if no passage has ended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the passages that have ended, in order.
    pub fn iter(&self) -> impl Iterator<Item = Passage<'_>> {
        let starts = std::iter::once(End::default()).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.between(start, *end))
    }

    /// Returns passages that have ended, by their numbers.
    pub(crate) fn range(&self, numbers: Range<usize>) -> impl Iterator<Item = Passage<'_>> {
        numbers.filter_map(|at| {
            let start = at.checked_sub(1).map_or_else(End::default, |before| self.ends[before]);
            Some(self.between(start, *self.ends.get(at)?))
        })
    }

    /// Returns the last passage that has ended.
    pub(crate) fn last(&self) -> Option<Passage<'_>> {
        let end = *self.ends.last()?;
        let start = self.ends.len().checked_sub(2).map_or_else(End::default, |at| self.ends[at]);
        Some(self.between(start, end))
    }

    /// Returns the passages for which `is_wanted` is true.
    pub(crate) fn only(&self, is_wanted: impl Fn(&Passage<'_>) -> bool) -> Self {
        let mut wanted = Self::new();
        for passage in self.iter().filter(is_wanted) {
            wanted.text.push_str(passage.text);
            wanted.places.extend_from_slice(passage.places);
            let (text, places) = (wanted.text.len(), wanted.places.len());
            let Passage { ends_paragraph, is_main, line_breaks, .. } = passage;
            wanted.ends.push(End { text, places, ends_paragraph, is_main, line_breaks });
        }
        wanted
    }

    /// Returns the text of all passages, concatenated.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn between(&self, start: End, end: End) -> Passage<'_> {
        Passage {
            text: &self.text[start.text..end.text],
            places: &self.places[start.places..end.places],
            ends_paragraph: end.ends_paragraph,
            is_main: end.is_main,
            line_breaks: end.line_breaks,
        }
    }

    fn last_end(&self) -> End {
        self.ends.last().copied().unwrap_or_default()
    }
}

impl<'a> Passage<'a> {
    /// Returns the text as it is on the page.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns a cursor that finds the label groups of the words.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'a> {
        Cursor { places: self.places, at: 0 }
    }

    /// Returns true if the passage is part of the main content of the page.
    #[must_use]
    pub fn is_main(&self) -> bool {
        self.is_main
    }

    /// Returns true if the passage is the text of a link. Passages end where links start and end.
    pub(crate) fn is_linked(&self) -> bool {
        self.places.first().is_some_and(|place| place.tag == Tag::Anchor)
    }

    /// Returns true if any of the passage is in the body of the page.
    pub(crate) fn is_in_body(&self) -> bool {
        self.places.iter().any(|place| place.div.is_some())
    }
}

impl Cursor<'_> {
    /// Returns the label group of the word at byte `start`.
    #[must_use]
    pub fn group_at(&mut self, start: usize) -> LabelGroup {
        self.place(start).group
    }

    /// Returns the place of the word at byte `start`.
    pub(crate) fn place(&mut self, start: usize) -> Place {
        while self.places.get(self.at + 1).is_some_and(|next| next.from <= start) {
            self.at += 1;
        }
        self.places[self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(passages: &Passages) -> Vec<&str> {
        passages.iter().map(|passage| passage.text()).collect()
    }

    #[test]
    fn places_are_found_in_order() {
        let mut passages = Passages::new();
        passages.push("earlier", LabelGroup::Title);
        passages.end();
        passages.push_at("ab", LabelGroup::Body, Tag::Other, None);
        passages.push_at("", LabelGroup::Title, Tag::Title, None);
        passages.push_at("cd", LabelGroup::Emphasis, Tag::Anchor, Some(1));
        passages.end();
        let last = passages.last().unwrap();
        assert_eq!((last.text(), last.is_in_body()), ("abcd", true));
        let mut cursor = last.cursor();
        assert_eq!(cursor.group_at(1), LabelGroup::Body);
        assert_eq!(cursor.group_at(2), LabelGroup::Emphasis);
        let place = cursor.place(3);
        assert_eq!((place.div, place.tag), (Some(1), Tag::Anchor));
    }

    #[test]
    fn passages_without_text_are_skipped() {
        let mut passages = Passages::new();
        passages.end_paragraph();
        passages.push("a", LabelGroup::Body);
        passages.end();
        passages.end();
        passages.push(" b ", LabelGroup::Body);
        passages.end_paragraph();
        passages.end();
        assert_eq!(texts(&passages), ["a", " b "]);
        let ends: Vec<bool> = passages.iter().map(|passage| passage.ends_paragraph).collect();
        assert_eq!(ends, [false, true]);
    }
}
