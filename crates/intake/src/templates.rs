//! The templates of the sites that a collection of pages comes from.
//!
//! A collection is read twice: the templates are learned from all of its pages first, so that the
//! text of a page does not depend on its place among the others.

use ontrail_page::{Content, Html, Templates};
use url::Url;

/// Returns the host that a page belongs to: that of its URL, or else of the canonical URL that it
/// declares. The pages of a folder that declare none are taken for one site.
#[must_use]
pub fn host_of<'a>(html: &'a Html, url: Option<&'a Url>) -> &'a str {
    url.or(html.canonical.as_ref()).and_then(Url::host_str).unwrap_or_default()
}

/// Learns from a page what the pages of its host have in common.
pub fn learn(templates: &mut Templates, html: &Html, url: Option<&Url>) {
    templates.observe(host_of(html, url), &html.fingerprints());
}

/// Takes the template of its host out of the main content of a page, and returns the text of the
/// chosen part.
#[must_use]
pub fn text_without_template(
    html: &mut Html,
    url: Option<&Url>,
    templates: &Templates,
    content: Content,
) -> String {
    if content != Content::Page {
        let template = templates.of(host_of(html, url));
        html.leave_out(&template);
    }
    html.text_of(content)
}
