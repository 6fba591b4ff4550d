//! The outline of a page: its block-level elements, and the blocks of text in them.

use html5ever::{LocalName, local_name};

use crate::hint::Hint;
use crate::separation::Separation;
use crate::tree::{Content, DOCUMENT, Element, NONE, Tree, is_unreadable};

/// A Chinese character says about as much as this many Latin letters.
const LETTERS_PER_IDEOGRAPH: u32 = 3;

/// The block-level elements of a page in document order, and its blocks of text.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) containers: Vec<Container>,
    pub(crate) blocks: Vec<Block>,
    /// The text nodes of all blocks, in document order.
    pub(crate) texts: Vec<u32>,
}

/// A block-level element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Container {
    pub(crate) parent: u32,
    pub(crate) kind: Kind,
    pub(crate) hint: Hint,
    /// The blocks inside.
    pub(crate) first_block: u32,
    pub(crate) end_block: u32,
    /// The first container after the last one inside.
    pub(crate) end: u32,
}

/// A stretch of text between the starts and ends of block-level elements.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    /// The innermost container.
    pub(crate) container: u32,
    /// The number of letters, without white space; a Chinese character counts as several.
    pub(crate) letters: u32,
    /// The letters that are in links.
    pub(crate) linked: u32,
    /// The number of punctuation marks that end or divide sentences.
    pub(crate) marks: u32,
    /// True if the text ends as a sentence does.
    pub(crate) ends_sentence: bool,
    /// The text nodes, in [`Outline::texts`].
    pub(crate) first_text: u32,
    pub(crate) end_text: u32,
}

/// The kinds of block-level elements that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Root,
    Article,
    Main,
    Paragraph,
    Heading(u8),
    Quote,
    Code,
    List,
    Item,
    Table,
    Cell,
    /// An element that never holds main content: a menu, a footer, a form.
    Aside,
    /// The header of a page or of a section.
    Header,
    Caption,
    Other,
}

impl Kind {
    fn of(name: &LocalName) -> Self {
        match *name {
            local_name!("html") | local_name!("body") => Self::Root,
            local_name!("article") => Self::Article,
            local_name!("main") => Self::Main,
            local_name!("p") => Self::Paragraph,
            local_name!("h1") => Self::Heading(1),
            local_name!("h2") => Self::Heading(2),
            local_name!("h3") => Self::Heading(3),
            local_name!("h4") => Self::Heading(4),
            local_name!("h5") => Self::Heading(5),
            local_name!("h6") => Self::Heading(6),
            local_name!("blockquote") => Self::Quote,
            local_name!("pre") => Self::Code,
            local_name!("ul") | local_name!("ol") | local_name!("dl") => Self::List,
            local_name!("li") | local_name!("dt") | local_name!("dd") => Self::Item,
            local_name!("table") => Self::Table,
            local_name!("td") | local_name!("th") => Self::Cell,
            local_name!("nav")
            | local_name!("footer")
            | local_name!("aside")
            | local_name!("form")
            | local_name!("dialog")
            | local_name!("noscript")
            | local_name!("menu")
            | local_name!("fieldset")
            | local_name!("address") => Self::Aside,
            local_name!("header") => Self::Header,
            local_name!("figcaption") | local_name!("caption") | local_name!("figure") => {
                Self::Caption
            }
            _ => Self::Other,
        }
    }
}

impl Outline {
    /// Reads the body of a page.
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut reader = Reader { tree, outline: Self::default(), open: Vec::new(), links: 0 };
        reader.open_container(Kind::Root, Hint::None);
        reader.read();
        reader.close_container();
        reader.outline
    }
}

struct Reader<'a> {
    tree: &'a Tree,
    outline: Outline,
    /// The open containers.
    open: Vec<u32>,
    /// The number of open links.
    links: u32,
}

impl Reader<'_> {
    fn read(&mut self) {
        let tree = self.tree;
        let mut id = DOCUMENT;
        loop {
            let node = &tree.nodes[id as usize];
            let mut child = NONE;
            match &node.content {
                Content::Root => child = node.first_child,
                Content::Text(text) => self.text(id, text),
                Content::Element(element) => {
                    if self.enter(element) {
                        child = node.first_child;
                        if child == NONE {
                            self.leave(element);
                        }
                    }
                }
            }
            if child != NONE {
                id = child;
                continue;
            }
            while tree.nodes[id as usize].next == NONE {
                id = tree.nodes[id as usize].parent;
                if id == NONE || id == DOCUMENT {
                    return;
                }
                if let Content::Element(element) = &tree.nodes[id as usize].content {
                    self.leave(element);
                }
            }
            id = tree.nodes[id as usize].next;
        }
    }

    /// Returns true if the content of the element is to be read.
    fn enter(&mut self, element: &Element) -> bool {
        if is_unreadable(&element.name) {
            return false;
        }
        let Some(name) = element.html_name() else { return true };
        if matches!(
            *name,
            local_name!("head")
                | local_name!("button")
                | local_name!("select")
                | local_name!("textarea")
                | local_name!("audio")
                | local_name!("video")
                | local_name!("object")
        ) {
            return false;
        }
        if is_link(element) {
            self.links += 1;
        }
        if matches!(Separation::of(name), Separation::Paragraph) {
            self.open_container(Kind::of(name), element.hint);
        }
        true
    }

    fn leave(&mut self, element: &Element) {
        let Some(name) = element.html_name() else { return };
        if is_link(element) {
            self.links = self.links.saturating_sub(1);
        }
        if matches!(Separation::of(name), Separation::Paragraph) {
            self.close_container();
        }
    }

    fn open_container(&mut self, kind: Kind, hint: Hint) {
        let parent = self.open.last().copied().unwrap_or(NONE);
        let first_block = count(self.outline.blocks.len());
        self.open.push(count(self.outline.containers.len()));
        let container = Container { parent, kind, hint, first_block, end_block: 0, end: 0 };
        self.outline.containers.push(container);
    }

    fn close_container(&mut self) {
        let Some(id) = self.open.pop() else { return };
        let (end, end_block) = (self.outline.containers.len(), self.outline.blocks.len());
        let container = &mut self.outline.containers[id as usize];
        (container.end, container.end_block) = (count(end), count(end_block));
    }

    fn text(&mut self, node: u32, text: &str) {
        let here = *self.open.last().expect("the outermost container is open");
        let at = count(self.outline.texts.len());
        let opened_since = count(self.outline.containers.len()) - 1;
        let continues = self.outline.blocks.last().is_some_and(|block| {
            // Nothing block-level has started or ended since the block began.
            block.container == here
                && (opened_since == here
                    || self.outline.containers[opened_since as usize].end_block
                        < count(self.outline.blocks.len()))
        });
        if text.trim().is_empty() && !continues {
            return;
        }
        self.outline.texts.push(node);
        if !continues {
            let block = Block { container: here, first_text: at, ..Block::default() };
            self.outline.blocks.push(block);
        }
        let is_linked = self.links > 0;
        let block = self.outline.blocks.last_mut().expect("a block was just found or added");
        block.end_text = at + 1;
        block.count(text, is_linked);
    }
}

impl Block {
    fn count(&mut self, text: &str, is_linked: bool) {
        let mut letters = 0;
        let mut last = None;
        for c in text.chars() {
            if c.is_whitespace() {
                continue;
            }
            let is_ideograph = ('\u{3400}'..='\u{9fff}').contains(&c);
            letters += if is_ideograph { LETTERS_PER_IDEOGRAPH } else { 1 };
            self.marks += u32::from(is_mark(c));
            last = Some(c);
        }
        self.letters = self.letters.saturating_add(letters);
        if is_linked {
            self.linked = self.linked.saturating_add(letters);
        }
        if let Some(last) = last {
            self.ends_sentence = ends_sentence(last);
        }
    }
}

/// Returns true for an anchor that leads somewhere. An anchor that only names a place, written as in
/// XHTML (`<a id="x"/>`), holds the whole rest of the page for an HTML parser.
fn is_link(element: &Element) -> bool {
    element.html_name() == Some(&local_name!("a"))
        && element.attribute(&local_name!("href")).is_some()
}

/// Returns true for marks that end or divide sentences, Chinese or Western.
fn is_mark(c: char) -> bool {
    matches!(c, ',' | '.' | ';' | '!' | '?' | '，' | '。' | '；' | '！' | '？' | '、' | '：')
}

/// Returns true for the last character of a sentence, which may be a closing quotation mark.
fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ':' | '。' | '！' | '？' | '…' | '：')
        || matches!(c, '"' | '”' | '’' | '\'' | '」' | '』' | ')' | '）' | '»')
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
