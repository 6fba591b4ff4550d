//! Finds the main content of a page: the text for whose sake people read it.
//!
//! Most words of a real page are menus, share bars, lists of other pages, comments and notices.
//! The page is divided into blocks of text ([`outline`]). Each block gets a weight: long text with
//! punctuation and few links counts for the main content, short text and links count against it.
//! The element whose blocks have the largest total is the place of the main content ([`choose`]),
//! and what is not text inside it is left out again ([`select`]).

pub(crate) mod choose;
pub(crate) mod outline;
pub(crate) mod select;

use outline::Outline;

use crate::tree::Tree;

/// The part of a page that a model or an export reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// The main content.
    Main,
    /// The whole page.
    #[default]
    Page,
    /// The main content of a page that has an article, and the whole text of another, such as the
    /// front page of a site.
    Auto,
}

impl Content {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::Main, Self::Page, Self::Auto];

    /// Returns the name by which users choose it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Page => "page",
            Self::Auto => "auto",
        }
    }
}

/// Returns, for each node of the tree, true if it is a text of the main content.
pub(crate) fn main_texts(tree: &Tree) -> Vec<bool> {
    let mut is_main = vec![false; tree.nodes.len()];
    let outline = Outline::of(tree);
    let place = choose::place(&outline);
    for block in select::blocks(&outline, &place, tree) {
        let block = &outline.blocks[block];
        for &text in &outline.texts[block.first_text as usize..block.end_text as usize] {
            is_main[text as usize] = true;
        }
    }
    is_main
}
