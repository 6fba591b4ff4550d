//! Content blocks: the pieces into which CBS (section 4.1 of bcw-cc) divides a page.
//!
//! Each block belongs to a `<div>`. A `<div>` that contains no other is a leaf block. The text of
//! an outer `<div>` that is in none of its inner ones forms a residual block, and so does the text
//! outside every `<div>`. Each word of the body is therefore in exactly one block.

use ontrail_text::TermId;

/// The number of a block on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct BlockId(pub u32);

impl BlockId {
    /// Returns the number as an index into [`Page::blocks`](crate::Page::blocks).
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The part of a `<div>` that a block covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    /// A whole innermost `<div>`.
    Leaf,
    /// The content of an outer `<div>`, or of the page, that is in none of the inner ones.
    Residual,
}

/// A content block that holds at least one term or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentBlock {
    /// The part of its `<div>` that the block covers.
    pub kind: BlockKind,
    /// The block's terms with their counts, sorted by term.
    pub counts: Vec<(TermId, u32)>,
}
