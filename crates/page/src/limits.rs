//! How much of a page is read, and what was left out.

/// Bounds on one page. A page within them is read whole; of a larger one the start is read, and
/// [`Cuts`] says what is missing.
///
/// | bound | default | why |
/// |---|---|---|
/// | `bytes` | 10 MiB | the crawler's own body limit |
/// | `depth` | 512 | what browsers allow; the tree builder walks its stack of open elements |
/// | `nodes` | 2,000,000 | unclosed formatting elements multiply nodes far beyond the input |
/// | `attributes` | 256 | per tag; the tokenizer compares each new attribute with all before |
/// | `links` | 20,000 | link farms |
/// | `url` | 4,096 | bytes of one address; longer ones are traps or data |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of a page that are read.
    pub bytes: usize,
    /// How deep elements may nest; deeper tags are ignored and their text stays.
    pub depth: usize,
    /// The nodes of the document tree.
    pub nodes: usize,
    /// The attributes of one tag.
    pub attributes: usize,
    /// The links taken from a page.
    pub links: usize,
    /// The bytes of one link's address.
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

/// Which of the [`Limits`] a page ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "one independent fact per limit")]
pub struct Cuts {
    /// The page was longer than the byte limit and its end was not read.
    pub bytes: bool,
    /// Some tags were nested too deep and were ignored.
    pub depth: bool,
    /// The tree grew too large and the rest of the page was not read.
    pub nodes: bool,
    /// Some tag had too many attributes and lost the surplus.
    pub attributes: bool,
    /// There were too many links and the last ones were left out.
    pub links: bool,
}

impl Cuts {
    /// Whether anything at all was left out.
    #[must_use]
    pub fn any(self) -> bool {
        self.bytes || self.depth || self.nodes || self.attributes || self.links
    }
}
