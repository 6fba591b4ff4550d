//! HTML pages: a title, a line below it, and parts, for light and dark mode, screen and print.

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, html};

use crate::asset::{Asset, script, style};
use crate::part::Part;

const STYLE: &str = include_str!("page.css");

/// An HTML page.
#[derive(Debug, Clone)]
pub struct Page {
    /// The title.
    pub title: String,
    /// The line below the title.
    pub lead: String,
    /// The language tag.
    pub lang: &'static str,
    /// The parts, in order.
    pub parts: Vec<Part>,
}

impl Page {
    /// Creates a page in English.
    #[must_use]
    pub fn new(title: impl Into<String>, lead: impl Into<String>, parts: Vec<Part>) -> Self {
        Self { title: title.into(), lead: lead.into(), lang: "en", parts }
    }

    /// Returns the page as an HTML file.
    #[must_use]
    pub fn html(&self) -> String {
        let mut assets = BTreeSet::new();
        self.parts.iter().for_each(|part| part.needs(&mut assets));
        let body = html! {
            h1 { (self.title) }
            "\n"
            p.lead { (self.lead) }
            "\n"
            @for part in &self.parts { (part) }
        };
        whole(&self.title, self.lang, STYLE, &assets, &body)
    }
}

/// Returns an HTML file with the given body.
pub(crate) fn whole(
    title: &str,
    lang: &str,
    own_style: &'static str,
    assets: &BTreeSet<Asset>,
    body: &Markup,
) -> String {
    let page = html! {
        (DOCTYPE) "\n"
        html lang=(lang) {
            "\n"
            head {
                "\n"
                meta charset="utf-8";
                "\n"
                meta name="viewport" content="width=device-width, initial-scale=1";
                "\n"
                title { (title) }
                "\n"
                (style(own_style, assets))
                "\n"
            }
            "\n"
            body { "\n" (body) (script(assets)) }
            "\n"
        }
        "\n"
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;

    #[test]
    fn text_from_strangers_is_escaped() {
        let table = Table::new("A & B", ["x", "y", "z"], [["<b>", "http://a.example/?a&b", "3"]]);
        let page = Page::new("<x>", "a < b", vec![Part::Table(table)]).html();
        assert!(page.contains("<h2>A &amp; B</h2>") && page.contains("<td>&lt;b&gt;</td>"));
        assert!(page.contains("href=\"http://a.example/?a&amp;b\""));
        assert!(page.contains("<td class=\"number\">3</td>"));
        assert!(page.contains("<title>&lt;x&gt;</title>") && page.contains("a &lt; b"));
        assert!(!page.contains("src=") && !page.contains("<script"));
    }
}
