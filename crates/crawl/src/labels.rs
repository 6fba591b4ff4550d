//! What pages truly are, where someone has said so.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use url::Url;

use crate::address::canonical;

/// The true labels of pages, and which of them are relevant.
#[derive(Debug, Clone)]
pub struct Labels {
    /// Shared by all crawls that are measured by them.
    pages: Arc<HashMap<String, String>>,
    relevant: GlobMatcher,
    relevant_pages: u64,
}

/// Why labels cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LabelsError {
    /// The file cannot be read.
    #[error("{path}: cannot be read", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A row that is none.
    #[error("{path}:{line}: {reason}", path = path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern that is none.
    #[error("{0:?} is no pattern of labels; give one such as course or sport*")]
    Pattern(String),
    /// A pattern that fits no label.
    #[error("{path}: no page has a label that fits {pattern:?}; there are {labels}", path = path.display())]
    NoneRelevant {
        /// The file.
        path: PathBuf,
        /// The pattern.
        pattern: String,
        /// Some of the labels that there are.
        labels: String,
    },
}

impl Labels {
    /// Reads rows of an address, a tab, and a label, or several joined by `|`; what is behind another tab is passed
    /// over. Pages are relevant if one of their labels fits the pattern.
    pub fn read(path: &Path, pattern: &str) -> Result<Self, LabelsError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| LabelsError::Io { path: path.to_owned(), source })?;
        Self::parse(&text, path, pattern)
    }

    fn parse(text: &str, path: &Path, pattern: &str) -> Result<Self, LabelsError> {
        let relevant = Glob::new(pattern).map_err(|_| LabelsError::Pattern(pattern.to_owned()))?;
        let mut pages = HashMap::new();
        for (line, row) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if row.trim().is_empty() {
                continue;
            }
            let wrong =
                |reason: String| LabelsError::Row { path: path.to_owned(), line: line + 1, reason };
            let mut cells = row.split('\t');
            let (url, label) = (cells.next().unwrap_or_default().trim(), cells.next());
            let label = label.ok_or_else(|| {
                wrong("no tab; a row is an address, a tab and a label".to_owned())
            })?;
            let url = Url::parse(url).ok().and_then(canonical).ok_or_else(|| {
                wrong(format!(
                    "{url:?} is no address of the web; a row is an address, a tab and a label"
                ))
            })?;
            pages.insert(url.into(), label.trim().to_owned());
        }
        let relevant = relevant.compile_matcher();
        let mut labels = Self { pages: Arc::new(pages), relevant, relevant_pages: 0 };
        labels.relevant_pages =
            labels.pages.values().filter(|label| labels.is_relevant(label)).count() as u64;
        if labels.relevant_pages == 0 {
            return Err(labels.none_relevant(path, pattern));
        }
        Ok(labels)
    }

    fn none_relevant(&self, path: &Path, pattern: &str) -> LabelsError {
        let mut known: Vec<&str> = self.pages.values().flat_map(|label| label.split('|')).collect();
        known.sort_unstable();
        known.dedup();
        known.truncate(20);
        let labels = if known.is_empty() { "no rows".to_owned() } else { known.join(", ") };
        LabelsError::NoneRelevant { path: path.to_owned(), pattern: pattern.to_owned(), labels }
    }

    /// The label of an address, if it has one.
    #[must_use]
    pub fn label(&self, url: &str) -> Option<&str> {
        self.pages.get(url).map(String::as_str)
    }

    /// Whether a label is relevant.
    #[must_use]
    pub fn is_relevant(&self, label: &str) -> bool {
        label.split('|').any(|label| self.relevant.is_match(label.trim()))
    }

    /// How many pages are relevant.
    #[must_use]
    pub fn relevant_pages(&self) -> u64 {
        self.relevant_pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, pattern: &str) -> Result<Labels, LabelsError> {
        Labels::parse(text, Path::new("l.tsv"), pattern)
    }

    #[test]
    fn any_of_several_labels_may_fit() {
        let text = "\u{feff}http://A.example\tcourse\tcornell\nhttp://b.example/x#y\tnews|sports\n\n\
                    http://c.example/\tother\n";
        let labels = parse(text, "{course,sport*}").unwrap();
        assert_eq!(labels.relevant_pages(), 2);
        assert_eq!(labels.label("http://a.example/"), Some("course"));
        assert!(labels.is_relevant(labels.label("http://b.example/x").unwrap()));
        assert!(!labels.is_relevant("other") && !labels.is_relevant("transport"));
        assert_eq!(labels.label("http://d.example/"), None);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |text, pattern| parse(text, pattern).unwrap_err().to_string();
        assert!(error("http://a.example/ x\n", "x").starts_with("l.tsv:1: no tab"));
        assert!(error("\nnonsense\tx\n", "x").starts_with("l.tsv:2: \"nonsense\" is no address"));
        assert_eq!(
            error("http://a.example/\tcat|dog\n", "cow"),
            "l.tsv: no page has a label that fits \"cow\"; there are cat, dog"
        );
        assert!(error("", "[").starts_with("\"[\" is no pattern"));
    }
}
