//! Markdown as HTML.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::push_escaped;

/// Returns a Markdown text as HTML. The title of the page is its first heading of the first level.
pub(super) fn html(text: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let (mut title, mut is_title) = (None::<String>, false);
    let events = Parser::new_ext(text, options).inspect(|event| match event {
        Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => is_title = title.is_none(),
        Event::End(TagEnd::Heading(_)) => is_title = false,
        Event::Text(text) | Event::Code(text) if is_title => {
            title.get_or_insert_default().push_str(text);
        }
        _ => {}
    });
    let mut body = String::with_capacity(text.len() + text.len() / 4);
    pulldown_cmark::html::push_html(&mut body, events);
    let mut html = String::with_capacity(body.len() + 64);
    if let Some(title) = title {
        html.push_str("<title>");
        push_escaped(&mut html, &title);
        html.push_str("</title>");
    }
    html + &body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_links_and_tables_become_elements() {
        let html =
            html("---\nlayout: x\n---\n# 暴雨 `a<b`\n\nSee [here](b.html \"t\").\n\n# Other\n");
        assert!(html.starts_with("<title>暴雨 a&lt;b</title>"), "{html}");
        assert!(html.contains("<a href=\"b.html\" title=\"t\">here</a>"), "{html}");
        assert!(!html.contains("layout"), "{html}");
    }
}
