//! Limits on the size of a page, and a record of those that a page exceeded.

/// Limits on the size of one page. A page within them is read completely; of a larger one only the
/// start is read, and [`Cuts`] says what is missing.
///
/// | limit | default | reason |
/// |---|---|---|
/// | `bytes` | 10 MiB | the crawler's default limit for a response body |
/// | `depth` | 512 | the limit in browsers; the tree builder walks its stack of open elements |
/// | `nodes` | 2,000,000 | unclosed formatting elements multiply nodes far beyond the input |
/// | `attributes` | 256 | per tag; the tokenizer compares each attribute with all earlier ones |
/// | `links` | 20,000 | link farms |
/// | `url` | 4,096 | in bytes; longer URLs are traps or data |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of bytes that are read.
    pub bytes: usize,
    /// Maximum nesting depth of elements; deeper tags are ignored, but their text is kept.
    pub depth: usize,
    /// Maximum number of nodes in the document tree.
    pub nodes: usize,
    /// Maximum number of attributes in one tag.
    pub attributes: usize,
    /// Maximum number of links that are kept.
    pub links: usize,
    /// Maximum length of a link's URL in bytes; longer ones are ignored.
    pub url: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 10 << 20,
            depth: 512,
            nodes: 2_000_000,
            attributes: 256,
            links: 20_000,
            url: 4_096,
        }
    }
}

/// The [`Limits`] that a page exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "one independent fact per limit")]
pub struct Cuts {
    /// True if the page is longer than the byte limit, so that its end was not read.
    pub bytes: bool,
    /// True if some tags are nested too deeply and were ignored.
    pub depth: bool,
    /// True if the tree became too large, so that the rest of the page was not read.
    pub nodes: bool,
    /// True if some tag has too many attributes and the surplus was dropped.
    pub attributes: bool,
    /// True if the page has too many links and the last ones were dropped.
    pub links: bool,
}

impl Cuts {
    /// Returns true if the page exceeded any limit.
    #[must_use]
    pub fn any(self) -> bool {
        self.bytes || self.depth || self.nodes || self.attributes || self.links
    }
}
