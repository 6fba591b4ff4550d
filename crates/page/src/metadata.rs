//! The metadata that a page declares: title, author, date, site, language, lead image.
//!
//! The sources are the `<meta>` elements of the head, then the JSON-LD of the page
//! ([`linked`](crate::linked)), then what the body shows. The first usable value counts.

use serde::Serialize;
use url::Url;

use crate::date::date;
use crate::linked::Linked;

/// Maximum number of bytes that are kept of a value.
const LIMIT: usize = 300;

/// The declarations of a page about its content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Metadata {
    /// The headline: without the name of the site that `<title>` often has, where the page declares
    /// one of its own.
    pub title: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// The date of publication: `2024-07-18`, with the time of day if it is known.
    pub date: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    /// The language: `zh`, `en-GB`.
    pub language: Option<String>,
    /// The URL of the lead image.
    pub image: Option<Url>,
}

impl Metadata {
    /// Takes the content of a `<meta>` with this name or property. Of several values of one kind,
    /// the first counts.
    pub(crate) fn note(
        &mut self,
        name: &str,
        content: &str,
        resolve: impl Fn(&str) -> Option<Url>,
    ) {
        let name = name.trim().to_ascii_lowercase();
        match name.as_str() {
            "author" | "article:author" | "dc.creator" | "dcterms.creator" | "parsely-author"
            | "sailthru.author" => fill(&mut self.author, || author(content)),
            "article:published_time"
            | "og:published_time"
            | "publishdate"
            | "pubdate"
            | "date"
            | "datepublished"
            | "dc.date"
            | "dc.date.issued"
            | "dcterms.date"
            | "dcterms.created"
            | "parsely-pub-date"
            | "sailthru.date"
            | "publish-date"
            | "article.published"
            | "weibo: article:create_at" => {
                fill(&mut self.date, || date(content));
            }
            "og:title" | "twitter:title" | "dc.title" | "dcterms.title" => {
                fill(&mut self.title, || text(content));
            }
            "og:locale" | "dc.language" | "dcterms.language" => {
                fill(&mut self.language, || language_tag(&content.replace('_', "-")));
            }
            "og:site_name" | "application-name" => fill(&mut self.site, || text(content)),
            "og:image" | "og:image:url" | "twitter:image" | "twitter:image:src" => {
                fill(&mut self.image, || resolve(content.trim()));
            }
            _ => {}
        }
    }

    /// Takes what the JSON-LD of the page says and its head does not.
    pub(crate) fn note_linked(&mut self, linked: &Linked, resolve: impl Fn(&str) -> Option<Url>) {
        let Linked { headline, authors, published, site, language, image } = linked;
        fill(&mut self.title, || text(headline.as_deref()?));
        fill(&mut self.author, || {
            let names: Vec<String> = authors.iter().filter_map(|name| author(name)).collect();
            text(&names.join(", "))
        });
        fill(&mut self.date, || date(published.as_deref()?));
        fill(&mut self.site, || text(site.as_deref()?));
        fill(&mut self.language, || language_tag(language.as_deref()?));
        fill(&mut self.image, || resolve(image.as_deref()?.trim()));
    }

    /// Takes what the body shows, where nothing is declared.
    pub(crate) fn note_shown(&mut self, title: &str, time: Option<&str>, language: Option<&str>) {
        fill(&mut self.title, || text(title));
        fill(&mut self.date, || date(time?));
        // The language of the elements is the one in which they are read aloud.
        if let Some(language) = language {
            self.language = Some(language.to_owned());
        }
    }
}

fn fill<T>(place: &mut Option<T>, value: impl FnOnce() -> Option<T>) {
    if place.is_none() {
        *place = value();
    }
}

fn text(value: &str) -> Option<String> {
    let value: Vec<&str> = value.split_whitespace().collect();
    let value = value.join(" ");
    (!value.is_empty() && value.len() <= LIMIT).then_some(value)
}

/// Returns the language tag if the value looks like one: `zh`, `en-GB`, `zh-Hans-CN`, but not the
/// charset that many pages put in its place.
pub(crate) fn language_tag(value: &str) -> Option<String> {
    let first = value.split(',').next().unwrap_or_default().trim();
    let mut parts = first.split('-');
    let primary = parts.next().unwrap_or_default();
    let is_tag = (2..=3).contains(&primary.len())
        && primary.bytes().all(|b| b.is_ascii_alphabetic())
        && parts
            .all(|p| (2..=8).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_alphanumeric()));
    is_tag.then(|| first.to_owned())
}

/// Returns the name of an author. Some sites put a URL or a number in its place.
fn author(value: &str) -> Option<String> {
    let value = text(value)?;
    let is_name = value.chars().any(char::is_alphabetic)
        && !value.contains("://")
        && !value.chars().any(|c| c.is_ascii_digit())
        && !value.starts_with('@');
    is_name.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_usable_value_counts() {
        let mut metadata = Metadata::default();
        for (name, content) in [
            ("author", "L_104846"),
            ("article:author", "https://example.org/ann"),
            ("Author", " Ann   Example "),
            ("author", "Bob"),
            ("og:site_name", "人民网"),
            ("publishdate", "2024-07-18"),
            ("og:image", "/lead.png"),
        ] {
            metadata.note(name, content, |href| {
                Url::parse("http://example.org/").ok()?.join(href).ok()
            });
        }
        assert_eq!(metadata.author.as_deref(), Some("Ann Example"));
        assert_eq!(metadata.site.as_deref(), Some("人民网"));
        assert_eq!(metadata.date.as_deref(), Some("2024-07-18"));
        assert_eq!(metadata.image.unwrap().as_str(), "http://example.org/lead.png");
    }
}
