//! Links as they wait to be fetched.

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

/// A link that may be fetched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The address, in its [canonical](crate::canonical()) form.
    pub url: Url,
    /// What is expected behind it.
    pub target: Target,
    /// How many links away from a seed.
    pub depth: u32,
    /// The page that it was found on; none for seeds.
    pub parent: Option<String>,
    /// The text of the link.
    pub anchor: String,
    /// What was known of it when it was ranked.
    pub scores: Vec<(Score, f64)>,
    /// How often fetching it has failed.
    pub attempts: u8,
    /// The address that was asked for first, if redirects led here, and how many.
    pub redirected: Option<(String, u8)>,
}

/// What is expected behind a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// A page.
    Page,
    /// A list of addresses that a site names for crawlers.
    Sitemap,
}

/// The scores that links are ranked by. The log has a column for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// R(p), the relevance of the page that the link is on; of several pages, the mean.
    Page,
    /// R(A), the relevance of the link's text; of several, the greatest.
    Anchor,
    /// R(CL), the relevance of what stands around the link; of several, the greatest.
    Context,
    /// R(B), the relevance of the content block that a tunnel begins in.
    Block,
    /// PR of the page that the link is on, as a share of the greatest; of several pages, the mean.
    Pagerank,
    /// What a link of shark-search inherits.
    Inherited,
    /// The potential of a link of fish-search: 0, 0.5 or 1.
    Potential,
    /// How many more steps a link of fish-search or shark-search may lead.
    Steps,
    /// P(l), what the recipe made of them: its guess at the relevance of the page behind the link.
    Priority,
}

impl Score {
    /// All of them, in the order of the log's columns.
    pub const ALL: [Self; 9] = [
        Self::Page,
        Self::Anchor,
        Self::Context,
        Self::Block,
        Self::Pagerank,
        Self::Inherited,
        Self::Potential,
        Self::Steps,
        Self::Priority,
    ];

    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Anchor => "anchor",
            Self::Context => "context",
            Self::Block => "block",
            Self::Pagerank => "pagerank",
            Self::Inherited => "inherited",
            Self::Potential => "potential",
            Self::Steps => "steps",
            Self::Priority => "priority",
        }
    }
}

impl Link {
    /// A link that a crawl begins with.
    #[must_use]
    pub fn seed(url: Url) -> Self {
        Self {
            url,
            target: Target::Page,
            depth: 0,
            parent: None,
            anchor: String::new(),
            scores: Vec::new(),
            attempts: 0,
            redirected: None,
        }
    }

    /// A score, if it has it.
    #[must_use]
    pub fn score(&self, score: Score) -> Option<f64> {
        self.scores.iter().find(|(own, _)| *own == score).map(|(_, value)| *value)
    }

    /// The host with its port: what is polite to be asked one thing at a time.
    #[must_use]
    pub fn host(&self) -> &str {
        host(&self.url)
    }

    /// What stands for the address in the set of those that were seen.
    #[must_use]
    pub fn key(&self) -> LinkKey {
        key(&self.url)
    }
}

/// 128 bits that stand for an address. Two addresses of ten million share one with a chance of 10⁻²⁵.
pub type LinkKey = [u8; 16];

/// What stands for an address.
#[must_use]
pub(crate) fn key(url: &Url) -> LinkKey {
    xxh3_128(url.as_str().as_bytes()).to_be_bytes()
}

/// The host of an address with its port.
#[must_use]
pub(crate) fn host(url: &Url) -> &str {
    &url[url::Position::BeforeHost..url::Position::AfterPort]
}
