//! A folder of Markdown files: one file for each page, in a folder for each host.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use ontrail_artifact::FolderWriter;
use ontrail_crawl::LogRow;

use super::columns::{COLUMNS, HOST, Value};
use super::page::StoredPage;

/// Greatest number of characters of a title in the name of a file.
const NAME_LENGTH: usize = 60;

/// The writer of the folder.
pub(super) struct Markdown {
    folder: FolderWriter,
}

impl Markdown {
    pub(super) fn create(target: &Path) -> Result<Self> {
        Ok(Self { folder: FolderWriter::create(target)? })
    }

    pub(super) fn page(&mut self, row: &LogRow, page: &StoredPage) -> Result<()> {
        let host = match HOST.value(row, None) {
            Value::Text(host) => plain(&host),
            _ => "no-host".to_owned(),
        };
        let folder = self.folder.path().join(host);
        let path = folder.join(file_name(row.number, page.title.as_deref()));
        let write = || {
            fs::create_dir_all(&folder)?;
            fs::write(&path, document(row, page))
        };
        write().with_context(|| format!("{}: cannot write this file", path.display()))
    }

    pub(super) fn finish(self) -> Result<()> {
        Ok(self.folder.finish()?)
    }
}

/// Returns the name of a page's file: its number in the log, which is unique, and its title.
fn file_name(number: u64, title: Option<&str>) -> String {
    let title = title.unwrap_or_default();
    let title: String = plain(title).chars().take(NAME_LENGTH).collect();
    let title = title.trim_matches('-');
    let separator = if title.is_empty() { "" } else { "-" };
    format!("{number:06}{separator}{title}.md")
}

/// Returns a text with everything but letters, digits and dots between them replaced, for the name
/// of a file on any system.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars() {
        let is_dot = letter == '.' && plain.ends_with(char::is_alphanumeric);
        if letter.is_alphanumeric() || is_dot {
            plain.push(letter);
        } else if !plain.ends_with('-') {
            plain.push('-');
        }
    }
    plain.trim_matches(['-', '.']).to_owned()
}

/// Returns a page in Markdown, with the other columns as front matter in YAML.
fn document(row: &LogRow, page: &StoredPage) -> String {
    let mut text = "---\n".to_owned();
    for column in COLUMNS.iter().filter(|column| column.name != "text") {
        match column.value(row, Some(page)) {
            Value::Missing => {}
            // A JSON string is a string in YAML too.
            Value::Text(value) => {
                text += &format!("{}: {}\n", column.name, serde_json::Value::String(value));
            }
            Value::Number(value) => text += &format!("{}: {value}\n", column.name),
            Value::Whole(value) => text += &format!("{}: {value}\n", column.name),
            Value::Flag(value) => text += &format!("{}: {value}\n", column.name),
        }
    }
    text += "---\n\n";
    // The headline is often part of the main content.
    let has_heading = page.markdown.starts_with("# ");
    if let Some(title) = page.title.as_deref().filter(|_| !has_heading) {
        text += &format!("# {}\n\n", escaped(title));
    }
    text += &page.markdown;
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Returns the text of a heading so that Markdown shows it as it is.
fn escaped(title: &str) -> String {
    let mut escaped = String::with_capacity(title.len());
    for letter in title.chars() {
        if "\\`*_[]<#".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_valid_everywhere() {
        let named = |title: &str| file_name(7, Some(title));
        assert_eq!(named("暴雨预警:  3 级/严重"), "000007-暴雨预警-3-级-严重.md");
        assert_eq!(named("../../etc/passwd"), "000007-etc-passwd.md");
        assert_eq!(named("\u{0}<>|?*"), "000007.md");
        assert_eq!(named(&"暴".repeat(500)).chars().count(), "000007-.md".len() + NAME_LENGTH);
        assert_eq!(plain(".."), "");
        assert_eq!(plain("[::1]"), "1");
    }

    #[test]
    fn a_title_is_not_taken_for_markup() {
        assert_eq!(escaped("a_b *c* [d] <i> #"), "a\\_b \\*c\\* \\[d\\] \\<i> \\#");
        assert_eq!(escaped("暴雨"), "暴雨");
    }
}
