//! Text gathered while walking a page, until a boundary of words is reached.
//!
//! `<b>暴</b>雨` is one word, so text is handed to the analyzer not node by node but in *runs*: all
//! text up to the next block-level element, line break or link. What changes within a run, the
//! label group, the tag and the content block, is noted beside it and applied when the terms are known.

use crate::group::{LabelGroup, Tag};
use crate::page::Passage;

/// The text since the last boundary.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) places: Vec<Place>,
}

/// From where on in a run words stand under which label and in which div.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) from: usize,
    pub(crate) group: LabelGroup,
    pub(crate) tag: Tag,
    pub(crate) block: Option<u32>,
}

impl Run {
    pub(crate) fn push(&mut self, text: &str, group: LabelGroup, tag: Tag, block: Option<u32>) {
        self.places.push(Place { from: self.text.len(), group, tag, block });
        self.text.push_str(text);
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
    }

    /// The text with its label groups.
    pub(crate) fn passage(&self) -> Passage {
        let mut groups: Vec<(usize, LabelGroup)> =
            self.places.iter().map(|place| (place.from, place.group)).collect();
        groups.dedup_by_key(|&mut (_, group)| group);
        Passage { text: self.text.clone(), groups }
    }

    /// Where the word at byte `start` stands. Starts must be asked for in ascending order, with the
    /// same `cursor`, which begins at 0.
    pub(crate) fn place(&self, start: usize, cursor: &mut usize) -> Place {
        while self.places.get(*cursor + 1).is_some_and(|next| next.from <= start) {
            *cursor += 1;
        }
        self.places[*cursor]
    }
}

/// Appends `text` to `target` with white space collapsed, up to `most` bytes.
pub(crate) fn push_collapsed(target: &mut String, text: &str, most: usize) {
    let push_gap = |target: &mut String| {
        if !target.is_empty() && target.len() < most && !target.ends_with(char::is_whitespace) {
            target.push(' ');
        }
    };
    let mut gap = text.starts_with(char::is_whitespace);
    for word in text.split_whitespace() {
        if gap {
            push_gap(target);
        }
        gap = true;
        for c in word.chars() {
            if target.len() + c.len_utf8() > most {
                return;
            }
            target.push(c);
        }
    }
    if text.ends_with(char::is_whitespace) {
        push_gap(target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses_across_pieces() {
        let mut text = String::new();
        for piece in ["  a\n b ", " c", "d", " ", "e"] {
            push_collapsed(&mut text, piece, 100);
        }
        assert_eq!(text, "a b cd e");
        push_collapsed(&mut text, "暴雨", 11);
        assert_eq!(text, "a b cd e暴");
    }

    #[test]
    fn places_are_found_in_order() {
        let mut run = Run::default();
        run.push("ab", LabelGroup::Body, Tag::Other, None);
        run.push("cd", LabelGroup::Emphasis, Tag::Anchor, Some(1));
        let mut cursor = 0;
        assert_eq!(run.place(1, &mut cursor).group, LabelGroup::Body);
        assert_eq!(run.place(2, &mut cursor).group, LabelGroup::Emphasis);
        let last = run.place(3, &mut cursor);
        assert_eq!((last.block, last.tag), (Some(1), Tag::Anchor));
    }
}
