//! A page of HTML that needs nothing else: tables and pictures below a title, light or dark, on a screen or on paper.

use crate::svg::{FONTS, escape};

const STYLE: &str = include_str!("report.css");

/// The page: a title, a line below it, and what follows as HTML.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportPage<'a> {
    /// What it is of.
    pub title: &'a str,
    /// The line below the title.
    pub lead: &'a str,
    /// What follows, as HTML.
    pub body: &'a str,
    /// The language of the page, English if it is empty.
    pub lang: &'a str,
    /// Style of its own, besides that of all reports.
    pub style: &'a str,
    /// A script at its end.
    pub script: &'a str,
}

impl ReportPage<'_> {
    /// The page as a file of HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let (title, lead) = (escape(self.title), escape(self.lead));
        let Self { body, style, .. } = self;
        let lang = if self.lang.is_empty() { "en" } else { self.lang };
        let script = match self.script {
            "" => String::new(),
            script => format!("<script>\n{script}</script>\n"),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>\n:root{{--fonts:{FONTS}}}\n{STYLE}{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
             <p class=\"lead\">{lead}</p>\n{body}{script}</body>\n</html>\n",
            escape(lang)
        )
    }
}

/// A table: a heading, unless it is empty, the heads of its columns, and rows. The first column is text, addresses are links, the others
/// numbers.
#[must_use]
pub fn report_table(heading: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    let cell = |kind: &str, place: usize, text: &str| {
        let shown = escape(text);
        if text.starts_with("http://") || text.starts_with("https://") {
            return format!("<{kind}><a href=\"{shown}\" rel=\"noreferrer\">{shown}</a></{kind}>");
        }
        let class = if place > 0 { " class=\"number\"" } else { "" };
        format!("<{kind}{class}>{shown}</{kind}>")
    };
    let cells = |kind: &str, cells: &mut dyn Iterator<Item = &str>| -> String {
        cells.enumerate().map(|(place, text)| cell(kind, place, text)).collect()
    };
    let head = match heads {
        [] => String::new(),
        _ => format!("<thead><tr>{}</tr></thead>\n", cells("th", &mut heads.iter().copied())),
    };
    let body: String = rows
        .iter()
        .map(|row| format!("<tr>{}</tr>\n", cells("td", &mut row.iter().map(String::as_str))))
        .collect();
    let heading = match heading {
        "" => String::new(),
        heading => format!("<h2>{}</h2>\n", escape(heading)),
    };
    format!(
        "<section>{heading}<div class=\"wide\"><table>{head}<tbody>\n{body}</tbody></table></div></section>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_wrote_is_made_harmless() {
        let rows = [vec!["<b>".to_owned(), "http://a.example/?a&b".to_owned(), "3".to_owned()]];
        let table = report_table("A & B", &["x", "y", "z"], &rows);
        assert!(table.contains("<h2>A &amp; B</h2>") && table.contains("<td>&lt;b&gt;</td>"));
        assert!(table.contains("href=\"http://a.example/?a&amp;b\""));
        assert!(table.contains("<td class=\"number\">3</td>"));
        let page =
            ReportPage { title: "<x>", lead: "a < b", body: &table, ..ReportPage::default() }
                .html();
        assert!(page.contains("<title>&lt;x&gt;</title>") && page.contains("a &lt; b"));
        assert!(!page.contains("src="));
    }
}
