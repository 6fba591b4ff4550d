//! Finds the terms of one analyzer on a parsed page.

use std::ops::Range;

use ontrail_text::{Analyzer, TermId, TermReader};

use crate::block::{BlockId, BlockKind, ContentBlock};
use crate::html::{Div, Html};
use crate::link::{LinkPlace, LinkTerms, PageLink};
use crate::page::{Occurrence, Page};

/// Number of words on either side of a link that form its context if its paragraph does not.
const WINDOW: usize = 20;
/// Maximum number of words in a paragraph that is used as context as a whole. A longer paragraph
/// says little about any one of its links, and a paragraph with ten thousand links must not be
/// copied ten thousand times.
const LONGEST_PARAGRAPH: usize = 200;

/// Finds the terms of `analyzer` on a page, or only in its head and its main content. The terms of
/// links are found everywhere.
pub(crate) fn analyze(html: &Html, analyzer: &Analyzer, only_main: bool) -> Page {
    let mut terms = analyzer.reader();
    let mut words = Words::read(html, &mut terms);
    let numbers = words.number_blocks(&html.divs);
    let links =
        html.links.iter().map(|link| terms_at(link, &words, &numbers, &mut terms)).collect();
    let vocabulary = terms.into_vocabulary();
    let occurrences = if only_main { words.of_main(html) } else { words.all };
    let mut counts = vec![[0; 5]; vocabulary.len()];
    for occurrence in &occurrences {
        counts[occurrence.term.index()][occurrence.group.index()] += 1;
    }
    let blocks = fill_blocks(&html.divs, &numbers, &occurrences);
    Page { blocks, links, vocabulary, occurrences, counts }
}

/// The words of a page.
struct Words {
    all: Vec<Occurrence>,
    /// The index of each passage's first word, followed by the total number of words.
    starts: Vec<usize>,
    /// For each div, true if it holds a word.
    is_used: Vec<bool>,
}

impl Words {
    /// Reads the passages of a page. Until [`number_blocks`](Self::number_blocks) is called, the
    /// block of a word is the number of its div.
    fn read(html: &Html, terms: &mut TermReader<'_>) -> Self {
        let mut all = Vec::new();
        let mut starts = Vec::with_capacity(html.passages.len() + 1);
        let mut is_used = vec![false; html.divs.len()];
        for passage in html.passages.iter() {
            starts.push(all.len());
            let mut cursor = passage.cursor();
            terms.read(passage.text(), |term, start| {
                let place = cursor.place(start);
                if let Some(div) = place.div {
                    is_used[div as usize] = true;
                }
                let block = place.div.map(BlockId);
                all.push(Occurrence { term, group: place.group, tag: place.tag, block });
            });
        }
        starts.push(all.len());
        Self { all, starts, is_used }
    }

    /// Numbers the divs that hold a word or a link, in order, and sets these numbers as the blocks
    /// of the words.
    fn number_blocks(&mut self, divs: &[Div]) -> Vec<Option<BlockId>> {
        let mut numbers = 0..;
        let mut number = |is_block: bool| is_block.then(|| numbers.next().map(BlockId)).flatten();
        let used = divs.iter().zip(&self.is_used);
        let blocks: Vec<Option<BlockId>> =
            used.map(|(div, &has_word)| number(div.has_link || has_word)).collect();
        for word in &mut self.all {
            word.block = word.block.and_then(|div| blocks[div.index()]);
        }
        blocks
    }

    /// Returns the words of the head and of the main content.
    fn of_main(&self, html: &Html) -> Vec<Occurrence> {
        let words = self.starts.windows(2).map(|ends| &self.all[ends[0]..ends[1]]);
        let passages = html.passages.iter().zip(words);
        let main = passages.filter(|(passage, _)| passage.is_main() || !passage.is_in_body());
        main.flat_map(|(_, words)| words).copied().collect()
    }

    /// Returns the range of words in `passages`.
    fn of(&self, passages: &Range<usize>) -> Range<usize> {
        self.starts[passages.start]..self.starts[passages.end]
    }

    /// Returns the link context (CL in eq. 4 of bcw-cc): the terms of the paragraph around the
    /// link, or of a window if the paragraph is unsuitable, in both cases without the anchor.
    fn around(&self, place: &LinkPlace, block: BlockId) -> Vec<TermId> {
        let Range { start, end } = self.of(&place.passages);
        let around = self.of(&place.paragraph);
        let before = around.start.min(start)..start;
        let after = end.min(around.end)..around.end;
        let length = before.len() + after.len();
        if 0 < length && length <= LONGEST_PARAGRAPH {
            let words = self.all[before].iter().chain(&self.all[after]);
            return words.map(|word| word.term).collect();
        }
        let before = start.saturating_sub(WINDOW)..start;
        let after = end..(end + WINDOW).min(self.all.len());
        let words = self.all[before].iter().chain(&self.all[after]);
        words.filter(|word| word.block == Some(block)).map(|word| word.term).collect()
    }
}

fn terms_at(
    link: &PageLink,
    words: &Words,
    blocks: &[Option<BlockId>],
    terms: &mut TermReader<'_>,
) -> LinkTerms {
    let place = &link.place;
    let block = blocks[place.div as usize].expect("a div with a link is a block");
    let of_text = &words.all[words.of(&place.passages)];
    let mut anchor: Vec<TermId> = of_text.iter().map(|word| word.term).collect();
    if place.is_captioned {
        terms.read(&link.anchor, |term, _| anchor.push(term));
    }
    LinkTerms { anchor, context: words.around(place, block), block }
}

fn fill_blocks(
    divs: &[Div],
    numbers: &[Option<BlockId>],
    occurrences: &[Occurrence],
) -> Vec<ContentBlock> {
    let mut placed: Vec<(BlockId, TermId)> =
        occurrences.iter().filter_map(|o| o.block.map(|block| (block, o.term))).collect();
    placed.sort_unstable();
    let used = divs.iter().zip(numbers).enumerate().filter(|(_, (_, number))| number.is_some());
    let mut blocks: Vec<ContentBlock> = used
        .map(|(index, (div, _))| {
            // The first div stands for the page outside every div.
            let is_leaf = !div.has_inner && index != 0;
            let kind = if is_leaf { BlockKind::Leaf } else { BlockKind::Residual };
            ContentBlock { kind, counts: Vec::new() }
        })
        .collect();
    for same in placed.chunk_by(|a, b| a == b) {
        let (block, term) = same[0];
        let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
        blocks[block.index()].counts.push((term, count));
    }
    blocks
}
