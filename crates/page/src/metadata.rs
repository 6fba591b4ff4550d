//! What the head of a page says about the page: author, date, site, lead image.

use serde::Serialize;
use url::Url;

/// Maximum number of bytes that are kept of a value.
const LIMIT: usize = 300;

/// The declarations in the head of a page about its content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Metadata {
    /// The author.
    pub author: Option<String>,
    /// The date of publication: `2024-07-18`, with the time of day if it is known.
    pub date: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
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
            "og:site_name" | "application-name" => fill(&mut self.site, || text(content)),
            "og:image" | "og:image:url" | "twitter:image" | "twitter:image:src" => {
                fill(&mut self.image, || resolve(content.trim()));
            }
            _ => {}
        }
    }

    /// Takes the `datetime` of a `<time>`, if the head has no date.
    pub(crate) fn note_time(&mut self, datetime: &str) {
        fill(&mut self.date, || date(datetime));
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

/// Returns the name of an author. Some sites put a URL or a number in its place.
fn author(value: &str) -> Option<String> {
    let value = text(value)?;
    let is_name = value.chars().any(char::is_alphabetic)
        && !value.contains("://")
        && !value.chars().any(|c| c.is_ascii_digit())
        && !value.starts_with('@');
    is_name.then_some(value)
}

/// Returns a date in ISO 8601 from one that begins with year, month and day in any common form.
fn date(value: &str) -> Option<String> {
    let value = value.trim();
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (year, month, day, rest) = if digits == 8 {
        let number = |range| value.get::<std::ops::Range<usize>>(range)?.parse::<u32>().ok();
        (number(0..4)?, number(4..6)?, number(6..8)?, &value[8..])
    } else {
        let (year, rest) = leading_number(value, 4)?;
        let (month, rest) = leading_number(rest.strip_prefix(['-', '/', '.', '年'])?, 2)?;
        let (day, rest) = leading_number(rest.strip_prefix(['-', '/', '.', '月'])?, 2)?;
        (year, month, day, rest.strip_prefix('日').unwrap_or(rest))
    };
    let is_date =
        (1000..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| format!("{year:04}-{month:02}-{day:02}{}", time(rest).unwrap_or_default()))
}

/// Returns the time of day, with its offset, as it follows the date in ISO 8601.
fn time(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(['T', ' '])?.trim();
    let is_clock = rest.len() <= 30
        && rest.bytes().all(|b| b.is_ascii_digit() || b":.+-Z".contains(&b))
        && rest.len() >= 5
        && rest.as_bytes()[2] == b':'
        && rest.bytes().enumerate().all(|(at, b)| b.is_ascii_digit() || at >= 2);
    is_clock.then(|| format!("T{rest}"))
}

/// Splits off a number of at most `most` digits.
fn leading_number(value: &str, most: usize) -> Option<(u32, &str)> {
    let length = value.bytes().take(most).take_while(u8::is_ascii_digit).count();
    Some((value[..length].parse().ok()?, &value[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_many_forms_become_iso_dates() {
        for (value, expected) in [
            ("2024-07-18", Some("2024-07-18")),
            ("2019-11-18T10:05:00Z", Some("2019-11-18T10:05:00Z")),
            ("2019-11-18T10:05:00.000+01:00", Some("2019-11-18T10:05:00.000+01:00")),
            ("2024年7月8日", Some("2024-07-08")),
            ("2024/7/8 09:30", Some("2024-07-08T09:30")),
            ("20240718", Some("2024-07-18")),
            ("2024-13-18", None),
            ("18 July 2024", None),
            ("", None),
            ("年月日", None),
            ("2024-07-18 at noon", Some("2024-07-18")),
        ] {
            assert_eq!(date(value).as_deref(), expected, "{value}");
        }
    }

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
