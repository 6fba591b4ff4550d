//! The formats of an export, and the file names that select them.

use std::path::Path;

use clap::ValueEnum;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One JSON object per line
    Jsonl,
    /// A table with a header row
    Csv,
    /// A table with typed columns, for data tools
    Parquet,
    /// A folder with a Markdown file for each page
    Md,
    /// The texts, each below its URL and title
    #[value(alias = "text")]
    Txt,
    /// A web archive with the pages as they were received
    Warc,
}

impl Format {
    /// Returns the format that the name of an output selects.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let name = path.to_string_lossy();
        let ends = |ending: &str| name.ends_with(ending);
        match () {
            () if ends("/") || ends(".md") || ends(std::path::MAIN_SEPARATOR_STR) => Some(Self::Md),
            () if ends(".jsonl") || ends(".ndjson") => Some(Self::Jsonl),
            () if ends(".csv") => Some(Self::Csv),
            () if ends(".parquet") => Some(Self::Parquet),
            () if ends(".txt") => Some(Self::Txt),
            () if ends(".warc.gz") => Some(Self::Warc),
            () => None,
        }
    }

    /// Returns true if it is written as text, in which a terminal must not find escape codes.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Jsonl | Self::Csv | Self::Txt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_output_selects_the_format() {
        for (name, format) in [
            ("a.jsonl", Some(Format::Jsonl)),
            ("a.b.csv", Some(Format::Csv)),
            ("a.parquet", Some(Format::Parquet)),
            ("pages.md", Some(Format::Md)),
            ("pages/", Some(Format::Md)),
            ("a.txt", Some(Format::Txt)),
            ("a.warc.gz", Some(Format::Warc)),
            ("a.gz", None),
            ("pages", None),
            ("-", None),
        ] {
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
        }
    }
}
