//! The formats of datasets.

use std::path::Path;

/// The format in which documents are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A folder of texts or pages; the name of a subfolder is the label of the documents in it.
    Folder,
    /// Such a folder in a tar archive, gzipped or not.
    Tar,
    /// Lines of `label<TAB>text`, or more columns under a header. Quotes have no special meaning.
    Tsv,
    /// Comma-separated values under a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// An Apache Parquet table.
    Parquet,
}

impl Format {
    /// Detects the format of the file or folder at `path`; that of a file by its name.
    #[must_use]
    pub fn detect(path: &Path) -> Option<Self> {
        if path.is_dir() {
            return Some(Self::Folder);
        }
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        if ends(&[".tar", ".tar.gz", ".tgz"]) {
            Some(Self::Tar)
        } else if ends(&[".parquet"]) {
            Some(Self::Parquet)
        } else if [".tsv", ".tab"].iter().any(|ending| plain.ends_with(ending)) {
            Some(Self::Tsv)
        } else if plain.ends_with(".csv") {
            Some(Self::Csv)
        } else if [".jsonl", ".ndjson"].iter().any(|ending| plain.ends_with(ending)) {
            Some(Self::Jsonl)
        } else {
            None
        }
    }

    /// Returns the format of an output file, by its name.
    #[must_use]
    pub fn of_output(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let formats = [
            (".tsv", Self::Tsv),
            (".csv", Self::Csv),
            (".jsonl", Self::Jsonl),
            (".parquet", Self::Parquet),
        ];
        formats.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| format)
    }
}
