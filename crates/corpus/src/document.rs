//! The documents of a dataset.

use ontrail_text::{CharsetHints, decode};

/// One text or page of a dataset, with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The origin: a path within the dataset, or a file and line.
    pub id: String,
    /// The class, if it has one.
    pub label: Option<String>,
    /// The headline, if it is separate from the text.
    pub title: Option<String>,
    /// The content.
    pub body: Body,
    /// The part of the dataset that it belongs to, such as `train`.
    pub part: Option<String>,
}

/// The content of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Plain text.
    Text(String),
    /// The bytes of an HTML page, in any charset.
    Html(Vec<u8>),
}

impl Document {
    /// Returns the text, unless the document is a page.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) => Some(text),
            Body::Html(_) => None,
        }
    }

    /// Returns the headline and the text, unless the document is a page.
    #[must_use]
    pub fn full_text(&self) -> Option<String> {
        match (&self.body, &self.title) {
            (Body::Text(text), None) => Some(text.clone()),
            (Body::Text(text), Some(title)) => Some(format!("{title}\n{text}")),
            (Body::Html(_), _) => None,
        }
    }
}

/// Returns true if a `.txt` file holds a page: such files full of markup are common.
pub(crate) fn looks_like_html(bytes: &[u8]) -> bool {
    let start = decode(&bytes[..bytes.len().min(4_096)], CharsetHints::default());
    let start = start.text.to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<title", "<body", "<meta"]
        .iter()
        .any(|mark| start.contains(mark))
}
