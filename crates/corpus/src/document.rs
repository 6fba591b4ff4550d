//! A document of a dataset.

use ontrail_text::{CharsetHints, decode};

/// One text or page, and what the dataset says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where it stands: a path within the dataset, or file and line.
    pub id: String,
    /// Its class, if it has one.
    pub label: Option<String>,
    /// Its headline, if it is kept apart.
    pub title: Option<String>,
    /// Its content.
    pub body: Body,
    /// The part of the dataset that it belongs to, such as `train`.
    pub part: Option<String>,
}

/// The content of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Plain text.
    Text(String),
    /// A page as it came from its server, in whatever charset.
    Html(Vec<u8>),
}

impl Document {
    /// The text, if this is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) => Some(text),
            Body::Html(_) => None,
        }
    }

    /// Headline and text together, if this is a text.
    #[must_use]
    pub fn full_text(&self) -> Option<String> {
        match (&self.body, &self.title) {
            (Body::Text(text), None) => Some(text.clone()),
            (Body::Text(text), Some(title)) => Some(format!("{title}\n{text}")),
            (Body::Html(_), _) => None,
        }
    }
}

/// Whether a file that is not called a page holds one: `.txt` files full of markup are common.
pub(crate) fn looks_like_html(bytes: &[u8]) -> bool {
    let start = decode(&bytes[..bytes.len().min(4_096)], CharsetHints::default());
    let start = start.text.to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<title", "<body", "<meta"]
        .iter()
        .any(|mark| start.contains(mark))
}
