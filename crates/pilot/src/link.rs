//! Links that wait to be fetched.

use std::array::TryFromSliceError;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A link that may be fetched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The canonical URL.
    pub url: Url,
    /// The kind of resource that the link points to.
    pub target: Target,
    /// Number of links between a seed and this link.
    pub depth: u32,
    /// URL of the page that the link was found on; none for seeds.
    pub parent: Option<String>,
    /// The anchor text.
    pub anchor: String,
    /// The scores that the link had when it was queued or chosen.
    pub scores: Vec<(Score, f64)>,
    /// Number of failed attempts to fetch the link.
    pub attempts: u8,
    /// The URL that was requested first and the number of redirects since, if redirects led here.
    pub redirected: Option<(String, u8)>,
}

/// The kind of resource that a link points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// A page.
    Page,
    /// A sitemap.
    Sitemap,
}

/// The scores that decide a link's priority. The log has a column for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// R(p), the relevance of the page that the link is on; the mean if it is on several pages.
    Page,
    /// R(A), the relevance of the anchor text; the greatest if there are several, unless they are
    /// compared together.
    Anchor,
    /// R(CL), the relevance of the link context; the greatest if there are several.
    Context,
    /// R(B), the relevance of the content block in which a tunnel starts.
    Block,
    /// PR (`PageRank`) of the page that the link is on, as a share of the greatest PR; the mean if
    /// it is on several pages.
    Pagerank,
    /// The relevance that a link inherits in shark-search.
    Inherited,
    /// The potential of a link in fish-search: 0, 0.5 or 1.
    Potential,
    /// Number of further steps that may be followed from the link in fish-search or shark-search.
    Steps,
    /// P(l), the priority that the recipe computes from the other scores: its estimate of the
    /// relevance of the page behind the link.
    Priority,
}

impl Score {
    /// All scores, in the order of the log's columns.
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

    /// Returns the name in the log.
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
    /// Returns a link that a crawl starts from.
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

    /// Returns a score, if the link has it.
    #[must_use]
    pub fn score(&self, score: Score) -> Option<f64> {
        self.scores.iter().find(|(own, _)| *own == score).map(|(_, value)| *value)
    }

    /// Returns the host with its port. The crawl delay applies to each such host separately.
    #[must_use]
    pub fn host(&self) -> &str {
        host_of(&self.url)
    }

    /// Returns the fingerprint of the URL.
    #[must_use]
    pub fn key(&self) -> LinkKey {
        key_of(&self.url)
    }
}

/// A link with its priority in the queue. Links with a higher priority are fetched first.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedLink {
    /// The link.
    pub link: Link,
    /// The priority in the queue. It is P(l), unless a tunnel or the strategy orders the link
    /// itself.
    pub rank: f64,
}

/// The 128-bit fingerprint of a URL. The probability that any two of ten million URLs share a
/// fingerprint is about 10⁻²⁵.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct LinkKey(pub(crate) [u8; 16]);

/// A fingerprint is read as its bytes, which are its key in a store.
impl Deref for LinkKey {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<&[u8]> for LinkKey {
    type Error = TryFromSliceError;

    fn try_from(bytes: &[u8]) -> Result<Self, TryFromSliceError> {
        bytes.try_into().map(Self)
    }
}

/// Returns the fingerprint of a URL.
#[must_use]
pub fn key_of(url: &Url) -> LinkKey {
    LinkKey(xxh3_128(url.as_str().as_bytes()).to_be_bytes())
}

/// Returns the host of a URL, with the port unless it is the scheme's default.
#[must_use]
pub fn host_of(url: &Url) -> &str {
    &url[url::Position::BeforeHost..url::Position::AfterPort]
}

/// The 64-bit fingerprint of a host name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostKey(pub u64);

impl HostKey {
    /// Returns the fingerprint of a host, written as by [`host_of`].
    #[must_use]
    pub fn of(host: &str) -> Self {
        Self(xxh3_64(host.as_bytes()))
    }
}

/// The identity of a link without its text: the fingerprints of its URL, its host and its niche.
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
    /// Returns the identity of a URL whose niche includes this many directories of the path.
    pub(crate) fn of(url: &Url, directories: usize) -> Self {
        let host = host_of(url);
        let key = key_of(url);
        if directories == 0 {
            // The usual case, computed for every link: the niche is the host.
            let host = HostKey::of(host);
            return Self { key, host, niche: host.0 };
        }
        let mut niche = host.to_owned();
        // The last segment names the page, not a directory.
        let segments: Vec<&str> = url.path().split('/').skip(1).collect();
        for directory in segments.split_last().map_or(&[][..], |it| it.1).iter().take(directories) {
            niche.push('/');
            niche.push_str(directory);
        }
        Self { key, host: HostKey::of(host), niche: xxh3_64(niche.as_bytes()) }
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
        // A page at the top level is in no directory.
        assert_eq!(of("http://a.test/x", 1), of("http://a.test/y", 1));
    }
}
