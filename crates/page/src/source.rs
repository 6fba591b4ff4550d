//! Facts about a page that are not in its bytes.

use url::Url;

/// The origin of a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Source<'a> {
    /// The URL that the page was fetched from. Without it, relative links cannot be resolved and
    /// are dropped.
    pub url: Option<&'a Url>,
    /// The `Content-Type` header of the response.
    pub content_type: Option<&'a str>,
}

impl<'a> Source<'a> {
    /// Describes a page fetched from `url`.
    #[must_use]
    pub fn at(url: &'a Url) -> Self {
        Self { url: Some(url), content_type: None }
    }

    /// Sets the `Content-Type` header of the response.
    #[must_use]
    pub fn with_content_type(mut self, content_type: Option<&'a str>) -> Self {
        self.content_type = content_type;
        self
    }
}
