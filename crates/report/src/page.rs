//! A page: a title, a line below it, and parts, light or dark, on a screen or on paper.

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, html};

use crate::asset::{Asset, script, style};
use crate::part::Part;

const STYLE: &str = include_str!("page.css");

/// A page of HTML.
#[derive(Debug, Clone)]
pub struct Page {
    /// What it is of.
    pub title: String,
    /// The line below the title.
    pub lead: String,
    /// The tag of its language.
    pub lang: &'static str,
    /// What it shows, in order.
    pub parts: Vec<Part>,
}

impl Page {
    /// A page in English.
    #[must_use]
    pub fn new(title: impl Into<String>, lead: impl Into<String>, parts: Vec<Part>) -> Self {
        Self { title: title.into(), lead: lead.into(), lang: "en", parts }
    }

    /// The page as a file of HTML.
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

/// A file of HTML around a body.
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
    fn what_strangers_wrote_is_made_harmless() {
        let table = Table::new("A & B", ["x", "y", "z"], [["<b>", "http://a.example/?a&b", "3"]]);
        let page = Page::new("<x>", "a < b", vec![Part::Table(table)]).html();
        assert!(page.contains("<h2>A &amp; B</h2>") && page.contains("<td>&lt;b&gt;</td>"));
        assert!(page.contains("href=\"http://a.example/?a&amp;b\""));
        assert!(page.contains("<td class=\"number\">3</td>"));
        assert!(page.contains("<title>&lt;x&gt;</title>") && page.contains("a &lt; b"));
        assert!(!page.contains("src=") && !page.contains("<script"));
    }
}
