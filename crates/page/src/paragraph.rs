//! The paragraphs of a page: stretches of text between the starts and ends of block-level elements.
//!
//! A paragraph knows its role (a heading, an item of a list, a cell of a table), so that the text
//! of a page can be written with its structure, and the path of block-level elements to it, by
//! which the templates of a site are recognised.

use std::collections::BTreeSet;
use std::ops::Range;

use html5ever::{LocalName, local_name};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::html::Html;
use crate::separation::Separation;

/// A stretch of text between the starts and ends of block-level elements of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paragraph {
    /// The passages of its text.
    pub(crate) passages: Range<usize>,
    pub(crate) setting: Setting,
}

/// The block-level elements around a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Setting {
    pub(crate) role: Role,
    /// The innermost item of a list.
    pub(crate) item: Option<Item>,
    /// The innermost cell of a table.
    pub(crate) cell: Option<Cell>,
    /// The hash of the names of the block-level elements, from the outermost to the innermost.
    pub(crate) path: u64,
}

/// The role of a paragraph in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    #[default]
    Text,
    /// A heading of level 1 to 6.
    Heading(u8),
    Quote,
    /// Text whose white space counts.
    Code,
}

/// An item of a list. Items are numbered on the page, so that two paragraphs of one item are told
/// from two items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) id: u32,
    /// The number of lists around it.
    pub(crate) depth: u8,
    /// Its place in an ordered list, from 1.
    pub(crate) number: Option<u32>,
}

/// A cell of a table. Tables, rows and cells are numbered on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) table: u32,
    pub(crate) row: u32,
    pub(crate) id: u32,
}

/// Follows the block-level elements of a page.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    items: u32,
    tables: u32,
    rows: u32,
    cells: u32,
    /// The open lists: the current item of each, and the number of its items if it is ordered.
    lists: Vec<OpenList>,
    /// The open tables, each with its current row.
    open_tables: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct OpenList {
    item: Option<Item>,
    ordered: Option<u32>,
}

impl Settings {
    /// Returns the setting of the text in an element that starts inside `outer`.
    pub(crate) fn enter(&mut self, name: &LocalName, outer: Setting) -> Setting {
        if !matches!(Separation::of(name), Separation::Paragraph) {
            return outer;
        }
        let path = xxh3_64_with_seed(name.as_bytes(), outer.path);
        let mut inner = Setting { path, ..outer };
        match *name {
            local_name!("h1") => inner.role = Role::Heading(1),
            local_name!("h2") => inner.role = Role::Heading(2),
            local_name!("h3") => inner.role = Role::Heading(3),
            local_name!("h4") => inner.role = Role::Heading(4),
            local_name!("h5") => inner.role = Role::Heading(5),
            local_name!("h6") => inner.role = Role::Heading(6),
            local_name!("blockquote") => inner.role = Role::Quote,
            local_name!("pre") => inner.role = Role::Code,
            local_name!("ul") | local_name!("dl") => {
                self.lists.push(OpenList { item: None, ordered: None });
            }
            local_name!("ol") => self.lists.push(OpenList { item: None, ordered: Some(0) }),
            local_name!("li") | local_name!("dt") => inner.item = Some(self.next_item()),
            // A definition belongs to the term before it.
            local_name!("dd") => {
                let current = self.lists.last().and_then(|list| list.item);
                inner.item = Some(current.unwrap_or_else(|| self.next_item()));
            }
            local_name!("table") => {
                self.tables += 1;
                self.open_tables.push((self.tables, self.rows));
                inner.cell = None;
            }
            local_name!("tr") => {
                self.rows += 1;
                if let Some((_, row)) = self.open_tables.last_mut() {
                    *row = self.rows;
                }
            }
            local_name!("td") | local_name!("th") => {
                self.cells += 1;
                let (table, row) = self.open_tables.last().copied().unwrap_or_default();
                inner.cell = Some(Cell { table, row, id: self.cells });
            }
            _ => {}
        }
        inner
    }

    /// Leaves an element.
    pub(crate) fn leave(&mut self, name: &LocalName) {
        match *name {
            local_name!("ul") | local_name!("ol") | local_name!("dl") => drop(self.lists.pop()),
            local_name!("table") => drop(self.open_tables.pop()),
            _ => {}
        }
    }

    fn next_item(&mut self) -> Item {
        self.items += 1;
        let depth = u8::try_from(self.lists.len()).unwrap_or(u8::MAX);
        let Some(list) = self.lists.last_mut() else {
            return Item { id: self.items, depth: 1, number: None };
        };
        list.ordered = list.ordered.map(|number| number.saturating_add(1));
        let item = Item { id: self.items, depth, number: list.ordered };
        list.item = Some(item);
        item
    }
}

/// The main content by paragraphs, which [`leave_out`](Html::leave_out) changes.
impl Html {
    pub(crate) fn is_main_paragraph(&self, paragraph: &Paragraph) -> bool {
        self.passages.range(paragraph.passages.clone()).any(|passage| passage.is_main())
    }

    /// Returns true if more than half of the letters of a paragraph are in links.
    pub(crate) fn is_mostly_links(&self, paragraph: &Paragraph) -> bool {
        let (mut all, mut linked) = (0, 0);
        for passage in self.passages.range(paragraph.passages.clone()) {
            let length = passage.text().trim().len();
            all += length;
            linked += if passage.is_linked() { length } else { 0 };
        }
        2 * linked > all
    }

    /// Adds to the paragraphs of `keep` the headings of the main content right before them, and
    /// the other cells of their tables.
    pub(crate) fn keep_frames(&self, keep: &mut [bool]) {
        let tables: BTreeSet<u32> = self
            .paragraphs
            .iter()
            .zip(&*keep)
            .filter_map(|(paragraph, keep)| paragraph.setting.cell.filter(|_| *keep))
            .map(|cell| cell.table)
            .collect();
        let mut is_followed = false;
        for (at, paragraph) in self.paragraphs.iter().enumerate().rev() {
            let is_heading = matches!(paragraph.setting.role, Role::Heading(_));
            let is_cell = paragraph.setting.cell.is_some_and(|it| tables.contains(&it.table));
            if !self.is_main_paragraph(paragraph) {
                continue;
            }
            keep[at] |= is_cell || is_heading && is_followed;
            is_followed = keep[at];
        }
    }

    /// Makes exactly these paragraphs the main content.
    pub(crate) fn set_main(&mut self, keep: &[bool]) {
        let mut is_main = vec![false; self.passages.len()];
        for (paragraph, keep) in self.paragraphs.iter().zip(keep) {
            is_main[paragraph.passages.clone()].fill(*keep);
        }
        self.passages.set_main(&is_main);
        for link in &mut self.links {
            link.in_main = link.place.is_in(&is_main);
        }
    }
}
