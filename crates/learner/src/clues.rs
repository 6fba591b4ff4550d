//! The features of a link: its words, its URL and its place on the page, as hashes.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Most tokens of a URL that become features.
const MOST_TOKENS: usize = 12;

/// The words and the place of a link on one page, as hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkClues {
    /// The words of the anchor text.
    pub anchor: Box<[u32]>,
    /// The words around the link.
    pub context: Box<[u32]>,
    /// The tags and classes above the link; 0 if they are not known.
    pub path: u32,
}

/// The kinds of hashed features. Equal words of two kinds are two features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NameSpace {
    /// Words of the anchor text.
    Anchor,
    /// Words around the link.
    Context,
    /// Tokens of the URL.
    Url,
    /// The tags and classes above the link.
    Path,
    /// The host together with the tags and classes above the link.
    HostPath,
}

impl NameSpace {
    /// Number of name spaces.
    pub const COUNT: usize = 5;
    /// All name spaces, in order.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Anchor, Self::Context, Self::Url, Self::Path, Self::HostPath];

    fn seed(self) -> u64 {
        self as u64 + 1
    }
}

/// Returns the feature of a text. It is never 0, which stands for a feature that is not known.
#[must_use]
pub fn feature_of(space: NameSpace, text: &str) -> u32 {
    // XXH3 hardly mixes the seed into texts of few bytes, so the seed is mixed in afterwards.
    fold(mixed(xxh3_64(text.as_bytes()), space.seed()))
}

/// Returns the features of a URL: the tokens of its path and query, each run of digits as one `#`.
///
/// ```
/// # use ontrail_learner::url_features;
/// assert_eq!(url_features("/news/2024/07/", None), url_features("/news/1999/12/", None));
/// assert_ne!(url_features("/news/1", None), url_features("/about/1", None));
/// ```
#[must_use]
pub fn url_features(path: &str, query: Option<&str>) -> Vec<u32> {
    let mut found = Vec::new();
    for token in url_tokens(path, query) {
        let feature = feature_of(NameSpace::Url, &token);
        if !found.contains(&feature) {
            found.push(feature);
        }
    }
    found
}

/// Returns the texts whose features [`url_features`] returns; some may occur several times.
pub fn url_tokens<'a>(
    path: &'a str,
    query: Option<&'a str>,
) -> impl Iterator<Item = String> + use<'a> {
    let tokens = path.split(is_separator).chain(query.unwrap_or("").split(is_separator));
    tokens.filter(|token| !token.is_empty()).take(MOST_TOKENS).map(without_digits)
}

/// Returns the feature of a host together with a path of tags.
#[must_use]
pub fn host_path_feature(host: u64, path: u32) -> u32 {
    fold(mixed(mixed(host, u64::from(path)), NameSpace::HostPath.seed()))
}

fn is_separator(c: char) -> bool {
    !c.is_alphanumeric()
}

/// Writes each run of digits as one `#`, and letters in lower case.
fn without_digits(token: &str) -> String {
    let mut text = String::with_capacity(token.len());
    for c in token.chars() {
        if c.is_ascii_digit() {
            if !text.ends_with('#') {
                text.push('#');
            }
        } else {
            text.extend(c.to_lowercase());
        }
    }
    text
}

/// Mixes two numbers into one.
pub(crate) fn mixed(a: u64, b: u64) -> u64 {
    xxh3_64_with_seed(&a.to_le_bytes(), b)
}

#[expect(clippy::cast_possible_truncation, reason = "the hash is cut to 32 bits")]
fn fold(hash: u64) -> u32 {
    ((hash >> 32) as u32 ^ hash as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_spaces_keep_equal_words_apart() {
        let spaces = [NameSpace::Anchor, NameSpace::Context, NameSpace::Url, NameSpace::Path];
        let mut found: Vec<u32> = spaces.map(|space| feature_of(space, "雨")).to_vec();
        found.push(host_path_feature(7, 9));
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn urls_are_read_token_by_token() {
        let tokens = ["news", "#", "storm#", "html", "page"];
        let expected: Vec<u32> = tokens.map(|it| feature_of(NameSpace::Url, it)).to_vec();
        assert_eq!(url_features("/News/2024/07/storm12.html", Some("page=3")), expected);
        assert_eq!(url_features("/", None), []);
        assert_eq!(url_features(&"/a".repeat(1_000), None).len(), 1);
    }
}
