//! Selects the blocks of main content inside the element that holds it.

use std::ops::Range;

use super::choose::Place;
use super::outline::{Block, Kind, Outline};
use crate::tree::{Content, Tree};

/// Returns the blocks of main content, in order.
pub(crate) fn blocks(outline: &Outline, place: &Place, tree: &Tree) -> Vec<usize> {
    let container = &outline.containers[place.container];
    let range = container.first_block as usize..container.end_block as usize;
    let mut keep: Vec<bool> = range.clone().map(|at| !place.is_beside[at]).collect();
    let mut selection = Selection { outline, tree, range, keep: &mut keep };
    selection.drop_lists_of_links();
    selection.drop_links();
    selection.drop_furniture();
    selection.trim();
    selection.drop_lonely_headings();
    selection.keep_something(place);
    let range = selection.range;
    range.zip(keep).filter(|(_, keep)| *keep).map(|(at, _)| at).collect()
}

struct Selection<'a> {
    outline: &'a Outline,
    tree: &'a Tree,
    range: Range<usize>,
    /// For each block of the range, true if it is kept so far.
    keep: &'a mut [bool],
}

impl Selection<'_> {
    fn block(&self, at: usize) -> &Block {
        &self.outline.blocks[self.range.start + at]
    }

    fn kind(&self, at: usize) -> Kind {
        self.outline.containers[self.block(at).container as usize].kind
    }

    fn text(&self, at: usize) -> String {
        let block = self.block(at);
        let mut text = String::new();
        for &node in &self.outline.texts[block.first_text as usize..block.end_text as usize] {
            if let Content::Text(piece) = &self.tree.nodes[node as usize].content {
                text.push_str(piece);
            }
            if text.len() > 400 {
                break;
            }
        }
        text
    }

    /// If nothing is left, as on a page of a few words, keeps all text that is not links.
    fn keep_something(&mut self, place: &Place) {
        if self.keep.contains(&true) {
            return;
        }
        for at in 0..self.keep.len() {
            let block = self.block(at);
            self.keep[at] =
                !place.is_beside[self.range.start + at] && 2 * block.linked <= block.letters;
        }
    }

    /// Drops lists and tables that consist of links.
    fn drop_lists_of_links(&mut self) {
        for container in &self.outline.containers {
            let first = (container.first_block as usize).max(self.range.start);
            let end = (container.end_block as usize).min(self.range.end);
            if !matches!(container.kind, Kind::List | Kind::Table) || first >= end {
                continue;
            }
            let blocks = &self.outline.blocks[first..end];
            let letters: u32 = blocks.iter().map(|block| block.letters).sum();
            let linked: u32 = blocks.iter().map(|block| block.linked).sum();
            let is_prose = letters > 100 * count(blocks.len());
            if 2 * linked > letters && !(is_prose && 10 * linked < 9 * letters) {
                self.keep[first - self.range.start..end - self.range.start].fill(false);
            }
        }
    }

    /// Drops blocks that are mostly links.
    fn drop_links(&mut self) {
        for at in 0..self.keep.len() {
            let block = self.block(at);
            let most = match self.kind(at) {
                Kind::Paragraph if block.letters >= 200 || block.ends_sentence => 9,
                Kind::Paragraph => 8,
                Kind::Quote => 10,
                _ if block.letters >= 200 => 8,
                _ => 5,
            };
            if 10 * block.linked > most * block.letters {
                self.keep[at] = false;
            }
        }
    }

    /// Drops short blocks that are no sentences and have no markup of text, and notices.
    fn drop_furniture(&mut self) {
        for at in 0..self.keep.len() {
            let block = self.block(at);
            let is_fragment = block.letters < 60 && !block.ends_sentence;
            let is_bare = matches!(
                self.kind(at),
                Kind::Other | Kind::Root | Kind::Article | Kind::Main | Kind::Header
            );
            let is_furniture = is_fragment && is_bare && !self.has_peers(at)
                || block.letters < 400 && is_notice(&self.text(at), block.letters);
            if self.keep[at] && is_furniture {
                self.keep[at] = false;
            }
        }
    }

    /// Returns true if a bare block stands beside longer ones of the same kind, as where an author
    /// uses `<div>` for paragraphs.
    fn has_peers(&self, at: usize) -> bool {
        let parent = |at: usize| self.outline.containers[self.block(at).container as usize].parent;
        let near = at.saturating_sub(3)..(at + 4).min(self.keep.len());
        let mut near = near.filter(|&other| other != at && self.keep[other]);
        near.any(|other| {
            let block = self.block(other);
            self.kind(other) == self.kind(at)
                && (parent(other) == parent(at) || block.container == self.block(at).container)
                && block.letters >= 100
                && block.ends_sentence
        })
    }

    /// Drops what stands before the first real text and after the last.
    fn trim(&mut self) {
        let is_text = |this: &Self, at: usize| {
            let block = this.block(at);
            this.keep[at]
                && !matches!(this.kind(at), Kind::Heading(_))
                && (block.letters >= 80 || block.ends_sentence && block.letters >= 20)
        };
        let Some(first) = (0..self.keep.len()).find(|&at| is_text(self, at)) else { return };
        let last = (0..self.keep.len()).rfind(|&at| is_text(self, at)).unwrap_or(first);
        for at in 0..self.keep.len() {
            let is_before = at < first
                && !matches!(self.kind(at), Kind::Heading(2..=6) | Kind::Item | Kind::Quote);
            let is_after = at > last
                && !matches!(
                    self.kind(at),
                    Kind::Paragraph | Kind::Item | Kind::Cell | Kind::Code | Kind::Quote
                );
            if is_before || is_after || self.kind(at) == Kind::Heading(1) {
                self.keep[at] = false;
            }
        }
    }

    /// Drops headings that no text follows.
    fn drop_lonely_headings(&mut self) {
        let mut below: Option<u8> = Some(0);
        for at in (0..self.keep.len()).rev() {
            if !self.keep[at] {
                continue;
            }
            match (self.kind(at), below) {
                (Kind::Heading(level), Some(next)) if level >= next => self.keep[at] = false,
                (Kind::Heading(level), _) => below = Some(level),
                _ => below = None,
            }
        }
    }
}

/// Returns true if a short text is a notice of the site and not part of an article.
fn is_notice(text: &str, letters: u32) -> bool {
    let text = text.trim_start().to_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    let contains = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    letters < 60 && begins(LABELS)
        || letters < 160 && begins(STARTS)
        || letters < 200 && contains(PARTS)
        || contains(&["uses cookies", "use of cookies", "use cookies"])
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The starts of very short notices.
const LABELS: &[&str] = &[
    "published",
    "posted",
    "updated",
    "last updated",
    "by ",
    "source:",
    "来源：",
    "来源:",
    "share",
    "comments",
    "分享",
    "打印",
    "举报",
    "topics:",
    "tags:",
    "filed under",
    "photo",
    "image:",
    "watch:",
    "listen:",
    "more:",
    "credit:",
    "next:",
    "previous:",
];

/// The starts of notices.
const STARTS: &[&str] = &[
    "advertisement",
    "related:",
    "read more",
    "read also",
    "see also:",
    "also read",
    "click here to",
    "click here for",
    "follow us",
    "follow @",
    "share this",
    "share on",
    "sign up",
    "subscribe",
    "copyright",
    "©",
    "(c) 20",
    "all rights reserved",
    "photo by",
    "photograph:",
    "download the",
    "don't miss",
    "want to read more",
    "recommended",
    "责编",
    "(责编",
    "（责编",
    "责任编辑",
    "(责任编辑",
    "（责任编辑",
    "编辑：",
    "编辑:",
    "原标题",
    "扫一扫",
    "相关阅读",
    "推荐阅读",
    "延伸阅读",
    "版权",
    "点击进入",
    "更多精彩",
    "本文来源",
];

/// Parts of notices.
const PARTS: &[&str] = &[
    "sign up for our",
    "subscribe to",
    "follow her on",
    "follow him on",
    "follow us on",
    "on twitter @",
    "on facebook.",
    "get the latest updates",
    "all rights reserved",
    "our newsletter",
    "(image:",
    "click here for more",
    "未经授权",
    "扫描二维码",
    "all comments",
    "leave a comment",
];
