//! A table of text and figures.

use maud::{Markup, Render, html};

/// A table. The first column is text, addresses are links, the other columns are numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// What stands above it, unless it is empty.
    pub heading: String,
    /// The heads of the columns; none for a table without.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of whatever can be made text.
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

    /// A table without heads.
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

/// How a cell is set: all columns but the first hold numbers.
fn class(place: usize, text: &str) -> Option<&'static str> {
    (place > 0 && !is_address(text)).then_some("number")
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// What is in a cell: text, or a link if it is an address.
fn content(text: &str) -> Markup {
    html! {
        @if is_address(text) { a href=(text) rel="noreferrer" { (text) } } @else { (text) }
    }
}
