//! Addresses that a crawl begins with, as people list them.

use url::Url;

use crate::address::canonical;

/// A line that names no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no address of the web; give one such as http://www.example.org/")]
pub struct NoSeed {
    /// The line, from 1.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

/// The addresses of a list, one a line, each once, in canonical form. What is behind a tab is passed over, as the lists of other
/// programs have more columns; `#` begins a comment.
///
/// ```
/// let seeds = ontrail_crawl::parse_seeds("# mine\nhttp://A.example\n\nhttp://a.example/\tagain\n")?;
/// assert_eq!(seeds.len(), 1);
/// assert_eq!(ontrail_crawl::parse_seeds("\nnowhere").unwrap_err().line, 2);
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
