//! Messages in Chinese.
//!
//! Libraries and tools write their messages in English. `messages.zh.tsv` has a row for each: the
//! English form with `{}` for every value, a tab, and the Chinese form, in which `{0}`, `{1}` …
//! stand for the same values in any order. A message is translated when it is printed: the row
//! that fits it and has the most fixed text gives the Chinese form. Messages often have other
//! messages as values (`PATH: REASON`), so values are translated too. `tests/messages.rs` keeps
//! the table complete.

use std::borrow::Cow;
use std::sync::OnceLock;

/// Rows: an English form, a tab, and the Chinese form.
const ROWS: &str = include_str!("../messages.zh.tsv");
/// A form with fewer fixed letters fits nearly everything, so it translates nothing.
const LEAST_LETTERS: usize = 3;
/// Greatest number of messages within messages.
const DEPTH: usize = 4;

/// Translates a message line by line. What no row fits stays as it is.
pub(crate) fn translate(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let start = line.len() - line.trim_start().len();
        let (blanks, message) = line.split_at(start);
        format!("{blanks}{}", translate_message(message, DEPTH))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn translate_message(message: &str, depth: usize) -> Cow<'_, str> {
    if depth == 0 || !message.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return Cow::Borrowed(message);
    }
    let fitting = forms().iter().filter_map(|form| Some((form, form.values(message)?)));
    let Some((form, values)) = fitting.max_by_key(|(form, _)| form.letters) else {
        return Cow::Borrowed(message);
    };
    let values: Vec<Cow<'_, str>> =
        values.into_iter().map(|value| translate_message(value, depth - 1)).collect();
    Cow::Owned(form.filled(&values))
}

/// A row of the table.
#[derive(Debug)]
struct Form {
    /// Fixed pieces of the English form; values stand between them.
    fixed: Vec<String>,
    /// Number of letters in the fixed pieces.
    letters: usize,
    chinese: String,
}

fn forms() -> &'static [Form] {
    static FORMS: OnceLock<Vec<Form>> = OnceLock::new();
    FORMS.get_or_init(|| ROWS.lines().filter_map(Form::parse).collect())
}

impl Form {
    /// Parses a row. A form with too few fixed letters is left out.
    fn parse(row: &str) -> Option<Self> {
        let (english, chinese) = row.split_once('\t')?;
        let fixed: Vec<String> = english.split("{}").map(str::to_owned).collect();
        let letters =
            fixed.iter().flat_map(|it| it.chars()).filter(|it| it.is_alphabetic()).count();
        (letters >= LEAST_LETTERS).then(|| Self { fixed, letters, chinese: chinese.to_owned() })
    }

    /// Returns the values of a message that has this form.
    fn values<'t>(&self, message: &'t str) -> Option<Vec<&'t str>> {
        let (last, first) = self.fixed.split_last()?;
        let Some((start, middle)) = first.split_first() else {
            return (message == last).then(Vec::new);
        };
        let mut rest = message.strip_prefix(start.as_str())?;
        let mut values = Vec::with_capacity(first.len());
        for piece in middle {
            let at = rest.find(piece.as_str())?;
            values.push(&rest[..at]);
            rest = &rest[at + piece.len()..];
        }
        values.push(rest.strip_suffix(last.as_str())?);
        Some(values)
    }

    /// Returns the Chinese form with the values in it.
    fn filled(&self, values: &[Cow<'_, str>]) -> String {
        let mut text = String::new();
        let mut rest = self.chinese.as_str();
        while let Some(at) = rest.find('{') {
            let number = rest[at + 1..].split('}').next().unwrap_or_default();
            let value = number.parse::<usize>().ok().and_then(|number| values.get(number));
            let Some(value) = value else { break };
            text += &rest[..at];
            text += value;
            rest = &rest[at + number.len() + 2..];
        }
        text + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(row: &str) -> Form {
        Form::parse(row).unwrap()
    }

    #[test]
    fn values_may_change_places() {
        let form = form("{} of {} pages pass\t{1} 个页面中有 {0} 个通过");
        let values = form.values("3 of 7 pages pass").unwrap();
        assert_eq!(values, ["3", "7"]);
        let values: Vec<Cow<'_, str>> = values.into_iter().map(Cow::Borrowed).collect();
        assert_eq!(form.filled(&values), "7 个页面中有 3 个通过");
        assert_eq!(form.values("3 of 7 pages fail"), None);
    }

    #[test]
    fn a_form_without_values_fits_only_itself() {
        let form = form("no pages\t没有页面");
        assert_eq!(form.values("no pages"), Some(Vec::new()));
        assert_eq!(form.values("no pages yet"), None);
        assert_eq!(form.filled(&[]), "没有页面");
    }

    #[test]
    fn forms_with_hardly_any_text_are_left_out() {
        assert!(Form::parse("{}: {}\t{0}：{1}").is_none());
        assert!(Form::parse("no tab").is_none());
    }

    #[test]
    fn foreign_text_and_blanks_stay_as_they_are() {
        assert_eq!(translate("  暴雨 123\n\n  x"), "  暴雨 123\n\n  x");
    }

    #[test]
    fn every_row_names_only_values_that_its_english_form_has() {
        for row in ROWS.lines() {
            let (english, chinese) = row.split_once('\t').unwrap_or_else(|| panic!("{row}"));
            let count = english.matches("{}").count();
            let mut used: Vec<usize> = Vec::new();
            for piece in chinese.split('{').skip(1) {
                let number = piece.split('}').next().unwrap();
                used.push(number.parse().unwrap_or_else(|_| panic!("{row}")));
            }
            assert!(used.iter().all(|number| *number < count), "{row}");
            assert!(!chinese.trim().is_empty(), "{row}");
        }
    }
}
