//! One walk over the document tree, collecting what a [`Page`] is made of.

use std::ops::Range;

use html5ever::{LocalName, local_name};
use ontrail_text::{Analyzer, CharsetSource, Language, TermId, TermReader};
use url::Url;

use crate::block::{Block, BlockId, BlockKind};
use crate::group::{LabelGroup, Tag};
use crate::limits::{Cuts, Limits};
use crate::link::{Link, LinkKind, Rel};
use crate::page::{Occurrence, Page, Passage, RobotsMeta};
use crate::run::{Run, push_collapsed};
use crate::tree::{Content, DOCUMENT, Element, NONE, Tree, is_unreadable};
use crate::url::resolve;

/// How much of an anchor, a title or a meta text is kept, in bytes.
const TEXT_LIMIT: usize = 4_096;
/// How much text the language is judged by, in bytes.
const LANGUAGE_SAMPLE: usize = 4_096;
/// The words on either side of a link that are its context when its paragraph is of no use.
const WINDOW: usize = 20;
/// The longest paragraph that is context as a whole. A longer one says little about one link in
/// it, and a paragraph of ten thousand links must not be copied ten thousand times.
const LONGEST_PARAGRAPH: usize = 200;
/// The div that stands for the page outside every div.
const PAGE_DIV: u32 = 0;

pub(crate) struct Walk<'a> {
    tree: &'a Tree,
    limits: &'a Limits,
    base: Option<Url>,
    has_base: bool,
    charset: &'static str,

    terms: TermReader<'a>,
    run: Run,
    words: Vec<Word>,
    divs: Vec<Div>,
    drafts: Vec<LinkDraft>,
    /// The open anchors; those without a usable address are `None`. They nest only through tables.
    open_links: Vec<Option<usize>>,
    /// Where the current paragraph starts, in `words` and in `drafts`.
    paragraph: (usize, usize),

    title: String,
    in_title: bool,
    language: Option<String>,
    canonical: Option<Url>,
    robots: RobotsMeta,
    links_cut: bool,
    sample: String,
    /// The readable text, if it is to be kept.
    text: Option<String>,
    /// The text that terms are found in, if it is to be kept.
    passages: Option<Vec<Passage>>,
}

/// A word found, with the div it stands in by number of appearance.
#[derive(Debug, Clone, Copy)]
struct Word {
    term: TermId,
    group: LabelGroup,
    tag: Tag,
    div: Option<u32>,
}

#[derive(Debug, Default)]
struct Div {
    has_inner: bool,
    is_used: bool,
}

/// A link of which not all is known yet.
#[derive(Debug)]
struct LinkDraft {
    url: Url,
    kind: LinkKind,
    anchor: String,
    /// The `alt` or `title` of an image in the anchor, which stands in for missing text.
    image: String,
    /// The element's own `alt` or `title`, for want of an image's.
    own: String,
    /// The anchor's place among the words.
    words: Range<usize>,
    /// The place of the paragraph around it.
    paragraph: Range<usize>,
    rel: Rel,
    div: u32,
}

/// What an open element means for the text in it.
#[derive(Debug, Clone, Copy)]
struct Frame {
    group: LabelGroup,
    div: Option<u32>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        tree: &'a Tree,
        analyzer: &'a Analyzer,
        limits: &'a Limits,
        url: Option<&Url>,
        charset: &'static str,
    ) -> Self {
        Self {
            tree,
            limits,
            base: url.cloned(),
            has_base: false,
            charset,
            terms: analyzer.reader(),
            run: Run::default(),
            words: Vec::new(),
            divs: vec![Div::default()],
            drafts: Vec::new(),
            open_links: Vec::new(),
            paragraph: (0, 0),
            title: String::new(),
            in_title: false,
            language: None,
            canonical: None,
            robots: RobotsMeta::default(),
            links_cut: false,
            sample: String::new(),
            text: None,
            passages: None,
        }
    }

    pub(crate) fn keeping_text(mut self, keeps_text: bool) -> Self {
        self.text = keeps_text.then(String::new);
        self
    }

    pub(crate) fn keeping_passages(mut self, keeps_passages: bool) -> Self {
        self.passages = keeps_passages.then(Vec::new);
        self
    }

    pub(crate) fn page(mut self) -> Page {
        self.visit_all();
        self.end_paragraph();
        self.assemble()
    }

    /// Visits every node in document order. There is no recursion: pages may nest as they like.
    fn visit_all(&mut self) {
        let tree = self.tree;
        let mut frames = vec![Frame { group: LabelGroup::Other, div: None }];
        let mut id = DOCUMENT;
        loop {
            let node = &tree.nodes[id as usize];
            let outer = *frames.last().expect("the outermost frame is never popped");
            let mut child = NONE;
            match &node.content {
                Content::Root => child = node.first_child,
                Content::Text(text) => self.visit_text(text, outer),
                Content::Element(element) => {
                    if let Some(inner) = self.enter(element, outer) {
                        child = node.first_child;
                        if child == NONE {
                            self.leave(element);
                        } else {
                            frames.push(inner);
                        }
                    }
                }
            }
            if child != NONE {
                id = child;
                continue;
            }
            // Up to the nearest ancestor with something after it.
            while tree.nodes[id as usize].next == NONE {
                id = tree.nodes[id as usize].parent;
                if id == NONE || id == DOCUMENT {
                    return;
                }
                if let Content::Element(element) = &tree.nodes[id as usize].content {
                    self.leave(element);
                    frames.pop();
                }
            }
            id = tree.nodes[id as usize].next;
        }
    }

    fn visit_text(&mut self, text: &str, frame: Frame) {
        let tag = if self.in_title {
            Tag::Title
        } else if self.open_links.is_empty() {
            Tag::Other
        } else {
            Tag::Anchor
        };
        self.run.push(text, frame.group, tag, frame.div);
        if let Some(&Some(link)) = self.open_links.last() {
            push_collapsed(&mut self.drafts[link].anchor, text, TEXT_LIMIT);
        }
        if self.in_title {
            push_collapsed(&mut self.title, text, TEXT_LIMIT);
        }
    }

    /// Takes note of an element. Returns what it means for its content, or nothing if its content
    /// is not for reading.
    fn enter(&mut self, element: &Element, outer: Frame) -> Option<Frame> {
        if is_unreadable(&element.name) {
            self.enter_unreadable(element, outer);
            return None;
        }
        let Some(name) = element.html_name() else {
            self.flush();
            return Some(outer);
        };
        self.separate(name);
        let mut inner =
            Frame { group: LabelGroup::of_element(name).unwrap_or(outer.group), div: outer.div };
        match *name {
            local_name!("html") => {
                self.language = element.attribute(&local_name!("lang")).and_then(tag);
            }
            local_name!("body") => inner.div = Some(PAGE_DIV),
            local_name!("div") => inner.div = Some(self.open_div(outer.div)),
            local_name!("title") => self.in_title = self.title.is_empty(),
            local_name!("base") => self.enter_base(element),
            local_name!("meta") => self.enter_meta(element, outer),
            local_name!("link") => self.enter_link_element(element),
            local_name!("a") => {
                self.flush();
                let link =
                    self.add_link(element, &local_name!("href"), LinkKind::Anchor, outer.div);
                self.open_links.push(link);
            }
            local_name!("area") => {
                self.add_link(element, &local_name!("href"), LinkKind::Area, outer.div);
            }
            local_name!("frame") => {
                self.add_link(element, &local_name!("src"), LinkKind::Frame, outer.div);
            }
            local_name!("img") => self.enter_image(element),
            _ => {}
        }
        Some(inner)
    }

    fn leave(&mut self, element: &Element) {
        let Some(name) = element.html_name() else {
            self.flush();
            return;
        };
        match *name {
            local_name!("a") => {
                self.flush();
                if let Some(link) = self.open_links.pop().flatten() {
                    self.drafts[link].words.end = self.words.len();
                }
            }
            local_name!("title") => self.in_title = false,
            _ => {}
        }
        self.separate(name);
    }

    /// Ends a word, or a paragraph, where an element starts or ends.
    fn separate(&mut self, name: &LocalName) {
        match Separation::of(name) {
            Separation::None => {}
            Separation::Word => self.flush(),
            Separation::Paragraph => self.end_paragraph(),
        }
    }

    fn enter_unreadable(&mut self, element: &Element, outer: Frame) {
        if element.html_name() == Some(&local_name!("iframe")) {
            self.end_paragraph();
            self.add_link(element, &local_name!("src"), LinkKind::Frame, outer.div);
        }
    }

    fn open_div(&mut self, outer: Option<u32>) -> u32 {
        if let Some(outer) = outer {
            self.divs[outer as usize].has_inner = true;
        }
        self.divs.push(Div::default());
        u32::try_from(self.divs.len() - 1).expect("there are no more divs than nodes")
    }

    fn enter_meta(&mut self, element: &Element, outer: Frame) {
        let Some(content) = element.attribute(&local_name!("content")) else { return };
        let is = |attribute: &LocalName, value: &str| {
            element.attribute(attribute).is_some_and(|a| a.trim().eq_ignore_ascii_case(value))
        };
        let name = &local_name!("name");
        let equivalent = &local_name!("http-equiv");
        if is(name, "keywords") || is(name, "description") {
            let end = floor_boundary(content, TEXT_LIMIT);
            self.end_paragraph();
            self.run.push(&content[..end], LabelGroup::Title, Tag::Meta, None);
            self.flush();
            self.end_paragraph();
        } else if is(name, "robots") {
            self.robots.merge(content);
        } else if is(equivalent, "content-language") && self.language.is_none() {
            self.language = tag(content);
        } else if is(equivalent, "refresh")
            && let Some(href) = refresh_target(content)
        {
            self.push_draft(href, element, LinkKind::Refresh, outer.div);
        }
    }

    fn enter_link_element(&mut self, element: &Element) {
        let rel = element.attribute(&local_name!("rel")).unwrap_or_default();
        let is_canonical =
            rel.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case("canonical"));
        if is_canonical && self.canonical.is_none() {
            let href = element.attribute(&local_name!("href")).unwrap_or_default();
            self.canonical = self.resolved(href);
        }
    }

    fn enter_image(&mut self, element: &Element) {
        let Some(&Some(link)) = self.open_links.last() else { return };
        if self.drafts[link].image.is_empty() {
            self.drafts[link].image = caption(element);
        }
    }

    fn add_link(
        &mut self,
        element: &Element,
        attribute: &LocalName,
        kind: LinkKind,
        div: Option<u32>,
    ) -> Option<usize> {
        let href = element.attribute(attribute)?;
        self.push_draft(href, element, kind, div)
    }

    /// Adds a link if its address is usable, and returns its place.
    fn push_draft(
        &mut self,
        href: &str,
        element: &Element,
        kind: LinkKind,
        div: Option<u32>,
    ) -> Option<usize> {
        let url = self.resolved(href)?;
        if self.drafts.len() >= self.limits.links {
            self.links_cut = true;
            return None;
        }
        let here = self.words.len();
        let div = div.unwrap_or(PAGE_DIV);
        self.divs[div as usize].is_used = true;
        self.drafts.push(LinkDraft {
            url,
            kind,
            anchor: String::new(),
            image: String::new(),
            own: caption(element),
            words: here..here,
            paragraph: here..here,
            rel: Rel::parse(element.attribute(&local_name!("rel")).unwrap_or_default()),
            div,
        });
        Some(self.drafts.len() - 1)
    }

    fn resolved(&self, href: &str) -> Option<Url> {
        if href.len() > self.limits.url {
            return None;
        }
        let url = match &self.base {
            Some(base) => resolve(base, href, self.charset)?,
            // Without an address of its own, a page's absolute links are still links.
            None => resolve(&Url::parse(href.trim()).ok()?, "", self.charset)?,
        };
        (url.as_str().len() <= self.limits.url).then_some(url)
    }

    /// The first `<base href>` is where relative addresses start from.
    fn enter_base(&mut self, element: &Element) {
        let Some(href) = element.attribute(&local_name!("href")) else { return };
        if !self.has_base {
            self.has_base = true;
            self.base = self.resolved(href).or_else(|| self.base.take());
        }
    }

    /// Turns the text gathered so far into words.
    fn flush(&mut self) {
        let Self { run, words, terms, divs, .. } = self;
        if run.text.is_empty() {
            return;
        }
        let mut cursor = 0;
        terms.read(&run.text, |term, start| {
            let place = run.place(start, &mut cursor);
            if let Some(div) = place.block {
                divs[div as usize].is_used = true;
            }
            words.push(Word { term, group: place.group, tag: place.tag, div: place.block });
        });
        if run.places.iter().any(|place| place.block.is_some()) {
            if self.language.is_none() && self.sample.len() < LANGUAGE_SAMPLE {
                push_collapsed(&mut self.sample, &run.text, LANGUAGE_SAMPLE);
            }
            if let Some(text) = &mut self.text {
                push_collapsed(text, &run.text, usize::MAX);
            }
        }
        if let Some(passages) = &mut self.passages {
            passages.push(run.passage());
        }
        run.clear();
    }

    /// Ends the text of a block-level element, which is the context of the links in it.
    fn end_paragraph(&mut self) {
        self.flush();
        let (first_word, first_link) = self.paragraph;
        let end = self.words.len();
        for draft in &mut self.drafts[first_link..] {
            draft.paragraph = first_word..end;
        }
        self.paragraph = (end, self.drafts.len());
        if let Some(text) = &mut self.text
            && !text.is_empty()
            && !text.ends_with('\n')
        {
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
    }

    fn assemble(mut self) -> Page {
        let blocks = number_blocks(&self.divs);
        let drafts = std::mem::take(&mut self.drafts);
        let links = drafts.into_iter().map(|draft| self.link(draft, &blocks)).collect();
        let of_div = |div: Option<u32>| div.and_then(|div| blocks[div as usize]);
        let occurrences: Vec<Occurrence> = self
            .words
            .iter()
            .map(|w| Occurrence { term: w.term, group: w.group, tag: w.tag, block: of_div(w.div) })
            .collect();
        let vocabulary = self.terms.into_vocabulary();
        let mut counts = vec![[0; 5]; vocabulary.len()];
        for occurrence in &occurrences {
            counts[occurrence.term.index()][occurrence.group.index()] += 1;
        }
        let guessed = || Language::of(&self.sample).tag().map(str::to_owned);
        Page {
            title: self.title.trim_end().to_owned(),
            language: self.language.or_else(guessed),
            charset: self.charset,
            charset_source: CharsetSource::Guess,
            damaged: false,
            canonical: self.canonical,
            robots: self.robots,
            blocks: fill_blocks(&self.divs, &blocks, &occurrences),
            links,
            cuts: Cuts { links: self.links_cut, ..Cuts::default() },
            text: self.text.map(|text| text.trim_end().to_owned()),
            passages: self.passages.unwrap_or_default(),
            vocabulary,
            occurrences,
            counts,
        }
    }

    fn link(&mut self, draft: LinkDraft, blocks: &[Option<BlockId>]) -> Link {
        let terms = |words: &[Word]| words.iter().map(|word| word.term).collect::<Vec<_>>();
        let mut anchor = draft.anchor.trim_end().to_owned();
        let mut anchor_terms = terms(&self.words[draft.words.clone()]);
        if anchor.is_empty() {
            anchor = if draft.image.is_empty() { draft.own.clone() } else { draft.image.clone() };
            self.terms.read(&anchor, |term, _| anchor_terms.push(term));
        }
        Link {
            context_terms: self.context(&draft),
            url: draft.url,
            kind: draft.kind,
            anchor,
            anchor_terms,
            rel: draft.rel,
            block: blocks[draft.div as usize].expect("a div with a link is a block"),
        }
    }

    /// The terms around a link (the context of eq. 4 of bcw-cc): its paragraph, else a window, without the anchor.
    fn context(&self, draft: &LinkDraft) -> Vec<TermId> {
        let Range { start, end } = draft.words;
        let around = &draft.paragraph;
        let before = around.start.min(start)..start;
        let after = end.min(around.end)..around.end;
        let length = before.len() + after.len();
        if 0 < length && length <= LONGEST_PARAGRAPH {
            let words = self.words[before].iter().chain(&self.words[after]);
            return words.map(|word| word.term).collect();
        }
        let before = start.saturating_sub(WINDOW)..start;
        let after = end..(end + WINDOW).min(self.words.len());
        let words = self.words[before].iter().chain(&self.words[after]);
        words.filter(|word| word.div == Some(draft.div)).map(|word| word.term).collect()
    }
}

/// Numbers the divs that hold something, in order.
fn number_blocks(divs: &[Div]) -> Vec<Option<BlockId>> {
    let mut numbers = 0..;
    divs.iter().map(|div| div.is_used.then(|| numbers.next().map(BlockId)).flatten()).collect()
}

fn fill_blocks(
    divs: &[Div],
    numbers: &[Option<BlockId>],
    occurrences: &[Occurrence],
) -> Vec<Block> {
    let mut placed: Vec<(BlockId, TermId)> =
        occurrences.iter().filter_map(|o| o.block.map(|block| (block, o.term))).collect();
    placed.sort_unstable();
    let used = divs.iter().zip(numbers).enumerate().filter(|(_, (_, number))| number.is_some());
    let mut blocks: Vec<Block> = used
        .map(|(index, (div, _))| {
            let is_leaf = !div.has_inner && index != PAGE_DIV as usize;
            let kind = if is_leaf { BlockKind::Leaf } else { BlockKind::Residual };
            Block { kind, counts: Vec::new() }
        })
        .collect();
    for same in placed.chunk_by(|a, b| a == b) {
        let (block, term) = same[0];
        let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
        blocks[block.index()].counts.push((term, count));
    }
    blocks
}

/// What the edge of an element means for the text around it.
enum Separation {
    /// Nothing: it may even stand inside a word.
    None,
    /// It ends a word but not the sentence that it stands in.
    Word,
    /// It is the edge of a block-level element.
    Paragraph,
}

impl Separation {
    fn of(name: &LocalName) -> Self {
        match *name {
            local_name!("a")
            | local_name!("abbr")
            | local_name!("acronym")
            | local_name!("b")
            | local_name!("bdi")
            | local_name!("bdo")
            | local_name!("big")
            | local_name!("cite")
            | local_name!("code")
            | local_name!("data")
            | local_name!("del")
            | local_name!("dfn")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("img")
            | local_name!("ins")
            | local_name!("kbd")
            | local_name!("label")
            | local_name!("mark")
            | local_name!("nobr")
            | local_name!("q")
            | local_name!("s")
            | local_name!("samp")
            | local_name!("small")
            | local_name!("span")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("sub")
            | local_name!("sup")
            | local_name!("time")
            | local_name!("tt")
            | local_name!("u")
            | local_name!("var")
            | local_name!("wbr") => Self::None,
            local_name!("area")
            | local_name!("audio")
            | local_name!("br")
            | local_name!("button")
            | local_name!("canvas")
            | local_name!("input")
            | local_name!("map")
            | local_name!("meter")
            | local_name!("object")
            | local_name!("output")
            | local_name!("picture")
            | local_name!("progress")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("ruby")
            | local_name!("select")
            | local_name!("source")
            | local_name!("textarea")
            | local_name!("video") => Self::Word,
            // Custom elements are inline unless a style sheet says otherwise.
            _ if name.contains('-') => Self::Word,
            _ => Self::Paragraph,
        }
    }
}

/// What an element's `alt` says, or else its `title`.
fn caption(element: &Element) -> String {
    let texts = [local_name!("alt"), local_name!("title")];
    let mut texts = texts.iter().filter_map(|name| element.attribute(name));
    let mut caption = String::new();
    if let Some(text) = texts.find(|text| !text.trim().is_empty()) {
        push_collapsed(&mut caption, text.trim(), TEXT_LIMIT);
    }
    caption
}

/// A language tag, if that is what the value looks like: `zh`, `en-GB`, `zh-Hans-CN`, but not the
/// charset that many pages put in its place.
fn tag(value: &str) -> Option<String> {
    let first = value.split(',').next().unwrap_or_default().trim();
    let mut parts = first.split('-');
    let primary = parts.next().unwrap_or_default();
    let is_tag = (2..=3).contains(&primary.len())
        && primary.bytes().all(|b| b.is_ascii_alphabetic())
        && parts
            .all(|p| (2..=8).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_alphanumeric()));
    is_tag.then(|| first.to_owned())
}

/// The address in the content of a refresh: `5; url='next.html'`.
fn refresh_target(content: &str) -> Option<&str> {
    let (_, rest) = content.split_once([';', ','])?;
    let target = match rest.split_once('=') {
        Some((name, target)) if name.trim().eq_ignore_ascii_case("url") => target,
        _ => rest,
    };
    let target = target.trim().trim_matches(['"', '\'']);
    (!target.is_empty()).then_some(target)
}

fn floor_boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
