//! Feeds as HTML: RSS 0.9 to 2.0 and Atom. Each entry becomes an article with its title as a link.
//!
//! The XML is read as a stream. Entities that a feed declares are never expanded, and at a syntax
//! error the entries before it are kept.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::push_escaped;

/// Largest number of entries that are read.
const MOST_ENTRIES: usize = 10_000;

/// Returns a feed as HTML.
pub(super) fn html(xml: &str) -> String {
    let mut feed = Feed::default();
    feed.read(xml);
    feed.html()
}

/// A feed, or one of its entries.
#[derive(Debug, Default)]
struct Entry {
    title: String,
    link: String,
    /// The identifier, which is a link in RSS unless it says otherwise.
    id: String,
    author: String,
    date: String,
    /// The summary and the content, as HTML.
    summary: String,
    content: String,
}

#[derive(Debug, Default)]
struct Feed {
    own: Entry,
    entries: Vec<Entry>,
    language: String,
    /// The element that is being read, with the number of elements open within it.
    field: Option<(Field, usize)>,
    text: String,
    /// The URL against which links are resolved, if the feed names one.
    base: String,
    /// True in Atom, where text is plain unless it says otherwise; in RSS, it is HTML.
    is_atom: bool,
    /// True within an entry.
    is_entry: bool,
    /// Number of elements to skip until their end, such as the picture of a feed.
    skipped: usize,
}

/// The elements that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title { is_html: bool },
    Link,
    Id { is_link: bool },
    Author,
    Date,
    Summary { is_html: bool },
    Content { is_html: bool },
    Language,
}

impl Feed {
    fn read(&mut self, xml: &str) {
        let mut reader = Reader::from_str(xml.trim_start_matches('\u{feff}').trim_start());
        reader.config_mut().check_end_names = false;
        while self.entries.len() <= MOST_ENTRIES {
            match reader.read_event() {
                Ok(Event::Start(tag)) => self.start(&tag),
                Ok(Event::Empty(tag)) => {
                    self.start(&tag);
                    self.end(tag.local_name().as_ref());
                }
                Ok(Event::End(tag)) => self.end(tag.local_name().as_ref()),
                Ok(Event::Text(text)) => {
                    let raw = String::from_utf8_lossy(&text);
                    // Names such as &nbsp; are errors in XML, but known in HTML.
                    let known = unescape(&raw).map(std::borrow::Cow::into_owned);
                    self.push(&known.unwrap_or_else(|_| raw.into_owned()));
                }
                Ok(Event::CData(text)) => self.push(&String::from_utf8_lossy(&text)),
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
    }

    fn push(&mut self, text: &str) {
        if self.field.is_some() && self.skipped == 0 {
            self.text.push_str(text);
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        let name = tag.local_name();
        if let Some((field, inner)) = &mut self.field {
            if *field == Field::Author && matches!(name.as_ref(), b"uri" | b"email") {
                self.skipped = 1;
                return;
            }
            // Markup within an element (XHTML in Atom): its text counts, and words stay apart.
            *inner += 1;
            self.text.push(' ');
            return;
        }
        match name.as_ref() {
            b"feed" | b"rss" => {
                self.is_atom = name.as_ref() == b"feed";
                self.base = attribute(tag, b"base").unwrap_or_default();
                self.language = attribute(tag, b"lang").unwrap_or_default();
            }
            b"item" | b"entry" => {
                self.is_entry = true;
                self.entries.push(Entry::default());
            }
            // They have titles and links of their own.
            b"image" | b"textInput" | b"textinput" | b"source" => self.skipped = 1,
            b"link" => self.link(tag),
            name => {
                self.field = field_of(name, tag, self.is_atom).map(|field| (field, 0));
            }
        }
        self.text.clear();
    }

    /// Reads a link: a text in RSS, an attribute in Atom.
    fn link(&mut self, tag: &BytesStart<'_>) {
        let Some(href) = attribute(tag, b"href") else {
            self.field = Some((Field::Link, 0));
            return;
        };
        let rel = attribute(tag, b"rel").unwrap_or_default();
        let target = self.target();
        if (rel.is_empty() || rel == "alternate") && target.link.is_empty() {
            target.link = href;
        }
        // The element is empty, but may be written with an end tag.
        self.field = None;
    }

    fn end(&mut self, name: &[u8]) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match &mut self.field {
            Some((_, inner)) if *inner > 0 => {
                *inner -= 1;
                self.text.push(' ');
            }
            Some((field, _)) => {
                let (field, text) = (*field, std::mem::take(&mut self.text));
                self.field = None;
                self.store(field, text);
            }
            None if matches!(name, b"item" | b"entry") => self.is_entry = false,
            None => {}
        }
    }

    /// Returns the entry that is being read, or the feed.
    fn target(&mut self) -> &mut Entry {
        match self.entries.last_mut() {
            Some(entry) if self.is_entry => entry,
            _ => &mut self.own,
        }
    }

    fn store(&mut self, field: Field, text: String) {
        if field == Field::Language {
            text.trim().clone_into(&mut self.language);
            return;
        }
        let as_html = |is_html: bool, text: String| if is_html { text } else { escaped(&text) };
        let target = self.target();
        let (place, value) = match field {
            Field::Title { is_html } => (&mut target.title, as_html(is_html, text)),
            Field::Link => (&mut target.link, text),
            Field::Id { is_link: true } => (&mut target.id, text),
            Field::Id { is_link: false } | Field::Language => return,
            Field::Author => (&mut target.author, escaped(&text)),
            Field::Date => (&mut target.date, escaped(&text)),
            Field::Summary { is_html } => (&mut target.summary, as_html(is_html, text)),
            Field::Content { is_html } => (&mut target.content, as_html(is_html, text)),
        };
        // Of several, the first counts: titles of media follow that of the entry.
        if place.is_empty() {
            value.trim().clone_into(place);
        }
    }

    fn html(&self) -> String {
        let mut html = String::new();
        html.push_str("<html");
        if !self.language.is_empty() {
            html.push_str(" lang=\"");
            push_escaped(&mut html, &self.language);
            html.push('"');
        }
        html.push_str("><head>");
        if !self.base.is_empty() {
            html.push_str("<base href=\"");
            push_escaped(&mut html, &self.base);
            html.push_str("\">");
        }
        html.push_str("<title>");
        html.push_str(&self.own.title);
        html.push_str("</title></head><body><main>");
        self.own.push("h1", &mut html);
        for entry in self.entries.iter().take(MOST_ENTRIES) {
            html.push_str("<article>");
            entry.push("h2", &mut html);
            html.push_str("</article>");
        }
        html.push_str("</main></body></html>");
        html
    }
}

impl Entry {
    /// Appends the entry as HTML, with its title as a link in a heading.
    fn push(&self, heading: &str, html: &mut String) {
        let is_url = |text: &&String| text.starts_with("http://") || text.starts_with("https://");
        let link = Some(&self.link).filter(|link| !link.is_empty());
        let link = link.or_else(|| Some(&self.id).filter(is_url));
        let title = if self.title.is_empty() { link.map_or("", |it| it) } else { &self.title };
        html.push_str(&format!("<{heading}>"));
        if let Some(link) = link {
            html.push_str("<a href=\"");
            push_escaped(html, link);
            html.push_str("\">");
            html.push_str(title);
            html.push_str("</a>");
        } else {
            html.push_str(title);
        }
        html.push_str(&format!("</{heading}>"));
        let byline = [self.author.as_str(), self.date.as_str()].join(" ");
        if !byline.trim().is_empty() {
            html.push_str(&format!("<p>{}</p>", byline.trim()));
        }
        // The content usually repeats the summary.
        let body = if self.content.is_empty() { &self.summary } else { &self.content };
        if !body.is_empty() {
            // A text without markup is a paragraph; the first element of another ends it.
            html.push_str(&format!("<div><p>{body}</div>"));
        }
    }
}

/// Returns the field that an element holds.
fn field_of(name: &[u8], tag: &BytesStart<'_>, is_atom: bool) -> Option<Field> {
    let kind = attribute(tag, b"type").unwrap_or_default();
    let is_html = matches!(kind.as_str(), "html" | "text/html");
    let is_html_body = is_html || !is_atom;
    Some(match name {
        b"title" => Field::Title { is_html },
        b"guid" => Field::Id {
            is_link: attribute(tag, b"isPermaLink").is_none_or(|value| value != "false"),
        },
        b"id" => Field::Id { is_link: true },
        // In Atom, the name of an author is an element within, whose text counts all the same.
        b"creator" | b"author" => Field::Author,
        b"pubDate" | b"published" | b"updated" | b"date" => Field::Date,
        b"description" => Field::Summary { is_html: true },
        b"encoded" => Field::Content { is_html: true },
        b"summary" | b"subtitle" | b"tagline" => Field::Summary { is_html: is_html_body },
        b"content" => Field::Content { is_html: is_html_body },
        b"language" => Field::Language,
        _ => return None,
    })
}

fn attribute(tag: &BytesStart<'_>, name: &[u8]) -> Option<String> {
    let found = tag.attributes().flatten().find(|it| it.key.local_name().as_ref() == name)?;
    let raw = String::from_utf8_lossy(&found.value).into_owned();
    Some(unescape(&raw).map(std::borrow::Cow::into_owned).unwrap_or(raw))
}

fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    push_escaped(&mut html, text);
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_rss_become_links() {
        let html = html(
            "\u{feff}<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>新闻 &amp; more</title>\
             <link>http://a.example/</link><language>zh-cn</language>\
             <image><title>logo</title><link>http://a.example/logo</link></image>\
             <item><title><![CDATA[暴雨 <红色> 预警]]></title><link> http://a.example/1?a=1&amp;b=2 </link>\
             <description>&lt;p&gt;大雨&amp;nbsp;&lt;b&gt;持续&lt;/b&gt;&lt;/p&gt;</description>\
             <author>a@a.example</author></item>\
             <item><guid>http://a.example/2</guid><title>x&nbsp;y</title></item>\
             <item><guid isPermaLink=\"false\">http://a.example/no</guid><title>z</title></item>\
             </channel></rss>",
        );
        assert!(
            html.starts_with("<html lang=\"zh-cn\"><head><title>新闻 &amp; more</title>"),
            "{html}"
        );
        assert!(
            html.contains("<a href=\"http://a.example/1?a=1&amp;b=2\">暴雨 &lt;红色> 预警</a>"),
            "{html}"
        );
        assert!(html.contains("<div><p><p>大雨&nbsp;<b>持续</b></p></div>"), "{html}");
        assert!(html.contains("<a href=\"http://a.example/2\">"), "{html}");
        assert!(!html.contains("logo") && !html.contains("/no"), "{html}");
    }

    #[test]
    fn entries_of_atom_become_links() {
        let html = html(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://b.example/' xml:lang='en'>\
             <title>Storms</title>\
             <link rel='self' href='/feed'/><link href='/'></link>\
             <entry><title type='html'>A &lt;i&gt;flood&lt;/i&gt;</title><link rel='alternate' href='1.html'/>\
             <author><name>A. Writer</name><email>a@b.example</email></author><updated>2024-07-01</updated>\
             <content type='xhtml'><div xmlns='x'>Water<p>rises</p></div></content></entry>\
             <entry><title>cut off</title><summary>in the mid",
        );
        assert!(html.contains("<h1><a href=\"/\">Storms</a></h1>"), "{html}");
        assert!(html.contains("<a href=\"1.html\">A <i>flood</i></a>"), "{html}");
        assert!(
            html.starts_with("<html lang=\"en\"><head><base href=\"http://b.example/\">"),
            "{html}"
        );
        assert!(html.contains("A. Writer") && html.contains("2024-07-01"), "{html}");
        assert!(!html.contains("a@b.example"), "{html}");
        assert!(html.contains("Water rises"), "{html}");
        // The items before a syntax error are kept.
        assert!(html.contains("<h2>cut off</h2>"), "{html}");
    }

    #[test]
    fn declared_entities_and_deep_nesting_stay_small() {
        let levels = (1..9).map(|level| {
            format!("<!ENTITY e{level} \"{}\">", format!("&e{};", level - 1).repeat(10))
        });
        let bomb = format!(
            "<!DOCTYPE rss [<!ENTITY e0 \"flood\">{}]><rss><item><title>&e8;</title></item></rss>",
            levels.collect::<String>()
        );
        assert!(html(&bomb).len() < 1_000);
        let deep = format!("<rss><item><title>{}x", "<a>".repeat(100_000));
        assert!(html(&deep).len() < 1_000_000);
        let many = "<item><title>x</title></item>".repeat(MOST_ENTRIES + 5);
        assert_eq!(html(&format!("<rss>{many}</rss>")).matches("<article>").count(), MOST_ENTRIES);
    }
}
