//! What is known of a page besides its bytes.

use url::Url;

/// Where a page comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Source<'a> {
    /// The address it was fetched from. Without one, relative links cannot be resolved and are
    /// left out.
    pub url: Option<&'a Url>,
    /// The `Content-Type` header it came with.
    pub content_type: Option<&'a str>,
}

impl<'a> Source<'a> {
    /// A page fetched from `url`.
    #[must_use]
    pub fn at(url: &'a Url) -> Self {
        Self { url: Some(url), content_type: None }
    }

    /// With the `Content-Type` header it came with.
    #[must_use]
    pub fn with_content_type(mut self, content_type: Option<&'a str>) -> Self {
        self.content_type = content_type;
        self
    }
}
