//! The ground truth: labels of pages.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use url::Url;

use crate::canonical_url::canonical;

/// The labels of pages, and the pattern of relevant labels.
#[derive(Debug, Clone)]
pub struct Labels {
    /// The label of each URL, shared by all crawls that are measured by it.
    pages: Arc<HashMap<String, String>>,
    relevant: GlobMatcher,
    relevant_pages: u64,
}

/// An error in a file of labels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelsError {
    /// The file cannot be read.
    #[error("{path}: cannot read the file", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A row is invalid.
    #[error("{path}:{line}: {reason}", path = path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// A pattern is invalid.
    #[error("{0:?} is not a pattern of labels; give one such as course or sport*")]
    Pattern(String),
    /// No label matches the pattern.
    #[error(
        "{path}: no page has a label that matches {pattern:?}; the file has {labels}",
        path = path.display()
    )]
    NoneRelevant {
        /// The file.
        path: PathBuf,
        /// The pattern.
        pattern: String,
        /// Some of the labels in the file.
        labels: String,
    },
}

impl Labels {
    /// Reads a file of labels. A row is a URL, a tab, and a label, or several labels joined by `|`;
    /// text after a second tab is ignored. A page is relevant if one of its labels matches the
    /// pattern.
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
            let label = label
                .ok_or_else(|| wrong("no tab; a row is a URL, a tab and a label".to_owned()))?;
            let url = Url::parse(url).ok().and_then(canonical).ok_or_else(|| {
                wrong(format!(
                    "{url:?} is not an http or https URL; a row is a URL, a tab and a label"
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

    /// Returns the label of a URL, if it has one.
    #[must_use]
    pub fn label(&self, url: &str) -> Option<&str> {
        self.pages.get(url).map(String::as_str)
    }

    /// Returns true if a label is relevant.
    #[must_use]
    pub fn is_relevant(&self, label: &str) -> bool {
        label.split('|').any(|label| self.relevant.is_match(label.trim()))
    }

    /// Returns the number of relevant pages.
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
    fn any_of_several_labels_may_match() {
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
    fn errors_name_the_line_and_the_reason() {
        let error = |text, pattern| parse(text, pattern).unwrap_err().to_string();
        assert!(error("http://a.example/ x\n", "x").starts_with("l.tsv:1: no tab"));
        assert!(
            error("\nnonsense\tx\n", "x")
                .starts_with("l.tsv:2: \"nonsense\" is not an http or https URL")
        );
        assert_eq!(
            error("http://a.example/\tcat|dog\n", "cow"),
            "l.tsv: no page has a label that matches \"cow\"; the file has cat, dog"
        );
        assert!(error("", "[").starts_with("\"[\" is not a pattern"));
    }
}
