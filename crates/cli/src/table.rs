//! Tables in a terminal, Chinese included: a Han character is two columns wide.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

use crate::language::Language;
use crate::printer::in_language;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table of text cells.
///
/// ```
/// use ontrail_cli::{Align, Table};
///
/// let mut table = Table::new([("label", Align::Left), ("texts", Align::Right)]);
/// table.row(["暴雨".to_owned(), "54".to_owned()]);
/// assert_eq!(table.lines().collect::<Vec<_>>(), ["label  texts", "暴雨      54"]);
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with these column headings.
    #[must_use]
    pub fn new<'a>(columns: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        let (heads, columns): (Vec<_>, Vec<_>) =
            columns.into_iter().map(|(head, align)| (head.to_owned(), align)).unzip();
        Self { columns, rows: vec![heads] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns the table with its headings in another language.
    pub(crate) fn in_language(&self, language: Language) -> Cow<'_, Self> {
        if language == Language::En {
            return Cow::Borrowed(self);
        }
        let mut table = self.clone();
        for heading in &mut table.rows[0] {
            *heading = in_language(std::mem::take(heading), language);
        }
        Cow::Owned(table)
    }

    /// Returns the lines of the table, without trailing blanks. A table whose columns have no
    /// headings starts with its first row.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|n| self.rows.iter().filter_map(|r| r.get(n)).map(|c| width(c)).max().unwrap_or(0))
            .collect();
        let heading = usize::from(self.rows[0].iter().all(String::is_empty));
        self.rows[heading..].iter().map(move |row| {
            let mut line = String::new();
            for ((cell, &wide), &align) in row.iter().zip(&widths).zip(&self.columns) {
                let padding = " ".repeat(wide.saturating_sub(width(cell)));
                if !line.is_empty() {
                    line.push_str("  ");
                }
                match align {
                    Align::Left => line.extend([cell.as_str(), &padding]),
                    Align::Right => line.extend([padding.as_str(), cell]),
                }
            }
            line.truncate(line.trim_end().len());
            line
        })
    }
}

/// The number of terminal columns that a text takes.
#[must_use]
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_headings_starts_with_its_first_row() {
        let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
        table.row(["pages".to_owned(), "54".to_owned()]);
        assert_eq!(table.lines().collect::<Vec<_>>(), ["pages  54"]);
    }
}
