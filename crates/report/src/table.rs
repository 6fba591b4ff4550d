//! Tables of text and numbers.

use maud::{Markup, Render, html};

/// A table. The first column is text, the others are numbers; URLs become links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The heading above the table; empty for none.
    pub heading: String,
    /// The column headings; empty for none.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table.
    #[must_use]
    pub fn new<H, R>(
        heading: impl Into<String>,
        heads: impl IntoIterator<Item = H>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self
    where
        H: Into<String>,
        R: IntoIterator<Item: Into<String>>,
    {
        let row = |row: R| row.into_iter().map(Into::into).collect();
        Self {
            heading: heading.into(),
            heads: heads.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().map(row).collect(),
        }
    }

    /// Creates a table without column headings.
    #[must_use]
    pub fn without_heads<R>(heading: impl Into<String>, rows: impl IntoIterator<Item = R>) -> Self
    where
        R: IntoIterator<Item: Into<String>>,
    {
        Self::new(heading, [""; 0], rows)
    }
}

impl Render for Table {
    fn render(&self) -> Markup {
        html! {
            @if !self.heading.is_empty() { h2 { (self.heading) } "\n" }
            div.wide {
                table {
                    @if !self.heads.is_empty() {
                        thead { tr { @for (place, head) in self.heads.iter().enumerate() {
                            th class=[class(place, head)] { (content(head)) }
                        } } }
                        "\n"
                    }
                    tbody {
                        "\n"
                        @for row in &self.rows {
                            tr { @for (place, cell) in row.iter().enumerate() {
                                td class=[class(place, cell)] { (content(cell)) }
                            } }
                            "\n"
                        }
                    }
                }
            }
        }
    }
}

/// Returns the style of a cell: all columns but the first are numbers.
fn class(place: usize, text: &str) -> Option<&'static str> {
    (place > 0 && !is_url(text)).then_some("number")
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Renders the content of a cell: text, or a link if it is a URL.
fn content(text: &str) -> Markup {
    html! {
        @if is_url(text) { a href=(text) rel="noreferrer" { (text) } } @else { (text) }
    }
}
