//! Content blocks: the pieces into which CBS (section 4.1 of bcw-cc) cuts a page.
//!
//! A block belongs to a `<div>`. One without another `<div>` in it is a leaf; the text of an outer
//! one that stands in none of its inner ones forms a residual block of its own, as does the text
//! outside every `<div>`. So each word of the body is in exactly one block.

use ontrail_text::TermId;

/// A block's number on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The number as an index into [`Page::blocks`](crate::Page::blocks).
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which part of a `<div>` a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    /// A whole innermost `<div>`.
    Leaf,
    /// What an outer `<div>`, or the page, holds besides its inner ones.
    Residual,
}

/// A content block that holds at least one term or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Whether it is a whole innermost `<div>` or the rest of an outer one.
    pub kind: BlockKind,
    /// Its terms with their counts, by ascending term.
    pub counts: Vec<(TermId, u32)>,
}
