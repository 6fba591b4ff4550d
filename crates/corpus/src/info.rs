//! The `dataset.toml` that describes a dataset.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::CorpusError;
use crate::format::Format;

/// The name of the description file.
pub(crate) const FILE_NAME: &str = "dataset.toml";

/// The description of a dataset: its name and origin, and how to read it.
///
/// ```toml
/// name = "news-mini"
/// description = "Chinese news in five classes"
/// source = "written for this project"
/// licence = "MIT OR Apache-2.0"
/// language = "zh"
///
/// [data]
/// path = "texts"        # a file or folder beside this one; "." if absent
/// format = "folder"     # folder, tar, tsv, csv, jsonl, parquet; detected by name if absent
///
/// [data.columns]        # for tables with a header
/// label = "category"
/// text = "content"
///
/// [split]               # how to split it, if it has no parts yet
/// seed = 42
/// parts = { train = 0.8, test = 0.2 }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Info {
    /// A short name.
    pub name: String,
    /// A description in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The origin of the data.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The licence of the data.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub licence: String,
    /// The language of the texts, as a BCP 47 tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The location and format of the documents.
    #[serde(default, skip_serializing_if = "Data::is_default")]
    pub data: Data,
    /// The files of its parts, if it is already split: `train = "train.tsv"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, PathBuf>,
    /// The split to make, if the dataset is not split already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// Explanations of the labels, for readers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// The location and format of documents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// A file or folder, relative to the folder of the dataset.toml.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The format; detected by name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The columns of tables.
    #[serde(default, skip_serializing_if = "Columns::is_default")]
    pub columns: Columns,
}

impl Data {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The names of a table's columns, its header and its charset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Columns {
    /// The column of labels. If the table does not have it, documents have no labels.
    pub label: String,
    /// The column of texts.
    pub text: String,
    /// The column of headlines, if there is one.
    pub title: String,
    /// The column of parts, such as `train`, if there is one.
    pub part: String,
    /// True if the first line names the columns. The default is true for CSV files. A TSV file has
    /// a header if its first line has the names of the columns for labels and texts; otherwise it
    /// has the columns `label<TAB>text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// The charset of the file, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            label: "label".to_owned(),
            text: "text".to_owned(),
            title: "title".to_owned(),
            part: "part".to_owned(),
            header: None,
            charset: None,
        }
    }
}

impl Columns {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the columns that a table must have: those with a name other than the default.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        let usual = Self::default();
        let named = [
            (&self.label, usual.label),
            (&self.text, usual.text),
            (&self.title, usual.title),
            (&self.part, usual.part),
        ];
        named.into_iter().filter(|(name, usual)| *name != usual).map(|(name, _)| name.as_str())
    }
}

/// The parts into which a dataset is split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The random seed.
    pub seed: u64,
    /// The names of the parts and their shares, which add up to 1.
    pub parts: BTreeMap<String, f64>,
}

impl Info {
    /// Reads a dataset.toml.
    pub fn read(path: &Path) -> Result<Self, CorpusError> {
        let wrong = |reason: String| CorpusError::Info { path: path.to_owned(), reason };
        let text = fs::read_to_string(path).map_err(CorpusError::io(path))?;
        let info: Self = toml::from_str(&text).map_err(|error| wrong(describe(&text, &error)))?;
        if let Some(split) = &info.split {
            crate::split::check_shares(&split.parts)
                .map_err(|reason| wrong(format!("[split]: {reason}")))?;
        }
        if info.data.path.is_some() && !info.parts.is_empty() {
            return Err(wrong("give either data.path or [parts], not both".to_owned()));
        }
        Ok(info)
    }
}

/// Formats a TOML error on one line, with its position.
fn describe(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', " ");
    let Some(span) = error.span() else { return message };
    let before = &text[..span.start.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    format!("line {line}, column {column}: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(toml: &str) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE_NAME);
        fs::write(&path, toml).unwrap();
        let error = Info::read(&path).unwrap_err().to_string();
        error.split_once("dataset.toml: ").unwrap().1.to_owned()
    }

    #[test]
    fn invalid_files_are_refused_with_position_and_reason() {
        assert_eq!(
            refusal("name = 'x'\nlicense = 'MIT'\n"),
            "line 2, column 1: unknown field `license`, expected one of `name`, `description`, \
             `source`, `licence`, `language`, `data`, `parts`, `split`, `labels`"
        );
        assert!(refusal("name = 'x\n").starts_with("line 1, column "));
        assert_eq!(refusal("description = 'x'"), "line 1, column 1: missing field `name`");
        assert_eq!(
            refusal("name='x'\n[split]\nseed=1\nparts={train=0.8,test=0.3}"),
            "[split]: the shares add up to 1.1; they must add up to 1"
        );
        assert_eq!(
            refusal("name='x'\n[data]\npath='a'\n[parts]\ntrain='b'"),
            "give either data.path or [parts], not both"
        );
    }
}
