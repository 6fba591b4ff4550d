//! Lists of seed URLs.

use url::Url;

use crate::canonical_url::canonical;

/// A line that is not a URL which can be crawled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an http or https URL; give one such as http://www.example.org/")]
pub struct NoSeed {
    /// The line number, from 1.
    pub line: usize,
    /// The text of the line.
    pub text: String,
}

/// Parses a list of seed URLs, one per line, and returns them in canonical form without duplicates.
/// Text after a tab is ignored, because the lists of other programs have more columns; `#` begins a
/// comment.
///
/// ```
/// # use ontrail_crawl::parse_seeds;
/// let seeds = parse_seeds("# mine\nhttp://A.example\n\nhttp://a.example/\tagain\n")?;
/// assert_eq!(seeds.len(), 1);
/// assert_eq!(parse_seeds("\nnowhere").unwrap_err().line, 2);
/// # Ok::<(), ontrail_crawl::NoSeed>(())
/// ```
pub fn parse_seeds(list: &str) -> Result<Vec<Url>, NoSeed> {
    let mut seeds: Vec<Url> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for (number, line) in list.trim_start_matches('\u{feff}').lines().enumerate() {
        let text = line.split('\t').next().unwrap_or_default().trim();
        if line.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let url = Url::parse(text).ok().and_then(canonical);
        let url = url.ok_or_else(|| NoSeed { line: number + 1, text: text.to_owned() })?;
        if known.insert(url.clone()) {
            seeds.push(url);
        }
    }
    Ok(seeds)
}
