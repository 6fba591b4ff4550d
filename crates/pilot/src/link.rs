//! Links as they wait to be fetched.

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A link that may be fetched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The address, in canonical form.
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

    /// The host with its port. A crawler is polite to each host separately.
    #[must_use]
    pub fn host(&self) -> &str {
        host_of(&self.url)
    }

    /// The fingerprint of the URL.
    #[must_use]
    pub fn key(&self) -> LinkKey {
        key_of(&self.url)
    }
}

/// A link with the rank that decides its place in the queue; greater ranks are fetched first.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedLink {
    /// The link.
    pub link: Link,
    /// Its rank.
    pub rank: f64,
}

/// The 128-bit fingerprint of a URL. Two of ten million URLs share one with a chance of 10⁻²⁵.
pub type LinkKey = [u8; 16];

/// The fingerprint of a URL.
#[must_use]
pub fn key_of(url: &Url) -> LinkKey {
    xxh3_128(url.as_str().as_bytes()).to_be_bytes()
}

/// The host of a URL, with its port unless that is the scheme's own.
#[must_use]
pub fn host_of(url: &Url) -> &str {
    &url[url::Position::BeforeHost..url::Position::AfterPort]
}

/// The 64-bit fingerprint of a host's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostKey(pub u64);

impl HostKey {
    /// The fingerprint of a host, given as in [`host_of`].
    #[must_use]
    pub fn of(host: &str) -> Self {
        Self(xxh3_64(host.as_bytes()))
    }
}

/// Identifies a link without its text: the fingerprints of its URL, its host and its niche.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkId {
    /// The fingerprint of the URL.
    pub key: LinkKey,
    /// The fingerprint of the host.
    pub host: HostKey,
    /// The fingerprint of the niche: the host and the first directories of the path.
    pub niche: u64,
}

impl LinkId {
    /// Identifies a URL; so many directories of its path belong to its niche.
    pub(crate) fn of(url: &Url, directories: usize) -> Self {
        let host = host_of(url);
        let mut niche = host.to_owned();
        // The last segment names the page, not a directory.
        let segments: Vec<&str> = url.path().split('/').skip(1).collect();
        for directory in segments.split_last().map_or(&[][..], |it| it.1).iter().take(directories) {
            niche.push('/');
            niche.push_str(directory);
        }
        Self { key: key_of(url), host: HostKey::of(host), niche: xxh3_64(niche.as_bytes()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn niches_are_the_first_directories_of_urls() {
        let of = |url: &str, directories| LinkId::of(&url.parse().unwrap(), directories).niche;
        assert_eq!(of("http://a.test/x/1", 0), of("http://a.test/y/2", 0));
        assert_ne!(of("http://a.test/x/1", 1), of("http://a.test/y/2", 1));
        assert_eq!(of("http://a.test/x/1", 1), of("http://a.test/x/2", 1));
        assert_ne!(of("http://a.test/x/1", 0), of("http://b.test/x/1", 0));
        // A page at the top is in no directory.
        assert_eq!(of("http://a.test/x", 1), of("http://a.test/y", 1));
    }
}
