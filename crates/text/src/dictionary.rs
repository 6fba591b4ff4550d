//! The user's words for the Chinese segmenter, in addition to the built-in dictionary.
//!
//! The file format is jieba's: one word per line, optionally followed by a frequency and a
//! part-of-speech tag, separated by white space. Empty lines and lines that start with `#` are
//! skipped.

use std::io::BufRead;

/// The largest frequency that makes sense: those of the built-in dictionary sum to 60 million.
const MAX_FREQUENCY: usize = 1_000_000_000;

/// A word that the segmenter must not split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserWord {
    /// The word.
    pub word: String,
    /// The frequency; if missing, one is chosen that keeps the word whole.
    pub frequency: Option<usize>,
    /// The part-of-speech tag; if missing, the word counts as a noun.
    pub tag: Option<String>,
}

/// A list of words for the Chinese segmenter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserDictionary {
    /// The words, in file order.
    pub words: Vec<UserWord>,
}

/// An error in reading a dictionary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DictionaryError {
    /// Reading failed, or the file is not UTF-8.
    #[error("line {line}: cannot read the line")]
    Read {
        /// The number of the line, from 1.
        line: usize,
        /// The cause.
        source: std::io::Error,
    },
    /// The second field is a number, but not a valid frequency.
    #[error(
        "line {line}: `{found}` is not a frequency; write `word`, `word 100`, `word n` or `word 100 n`"
    )]
    Frequency {
        /// The number of the line, from 1.
        line: usize,
        /// The invalid field.
        found: String,
    },
}

impl UserDictionary {
    /// Reads a dictionary in jieba's format.
    ///
    /// ```
    /// # use ontrail_text::UserDictionary;
    /// let dictionary = UserDictionary::read("暴雨灾害 1000 n\n安置点\n".as_bytes())?;
    /// assert_eq!(dictionary.words[1].word, "安置点");
    /// # Ok::<(), ontrail_text::DictionaryError>(())
    /// ```
    pub fn read(source: impl BufRead) -> Result<Self, DictionaryError> {
        let mut words = Vec::new();
        for (index, line) in source.lines().enumerate() {
            let line_number = index + 1;
            let line =
                line.map_err(|source| DictionaryError::Read { line: line_number, source })?;
            words.extend(parse_line(&line, line_number)?);
        }
        Ok(Self { words })
    }
}

fn parse_line(line: &str, line_number: usize) -> Result<Option<UserWord>, DictionaryError> {
    let line = line.trim_start_matches('\u{feff}');
    let mut fields = line.split_whitespace();
    let Some(word) = fields.next().filter(|word| !word.starts_with('#')) else {
        return Ok(None);
    };
    let mut fields = fields.peekable();
    let is_number = |field: &&str| field.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let frequency = match fields.next_if(is_number) {
        None => None,
        Some(field) => match field.parse() {
            Ok(frequency @ 0..=MAX_FREQUENCY) => Some(frequency),
            _ => {
                return Err(DictionaryError::Frequency {
                    line: line_number,
                    found: field.to_owned(),
                });
            }
        },
    };
    let tag = fields.next().map(str::to_owned);
    Ok(Some(UserWord { word: word.to_owned(), frequency, tag }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_words_frequencies_and_tags() {
        let text = "\u{feff}# ours\n暴雨灾害 1000 nz\n\n安置点\n山洪 n\n";
        let words = UserDictionary::read(text.as_bytes()).unwrap().words;
        assert_eq!(words.len(), 3);
        assert_eq!(words[2].tag.as_deref(), Some("n"));
        assert_eq!(words[0].frequency, Some(1000));
        assert_eq!(words[0].tag.as_deref(), Some("nz"));
        assert_eq!(words[1], UserWord { word: "安置点".into(), frequency: None, tag: None });
    }

    #[test]
    fn a_bad_frequency_names_its_line() {
        for wrong in ["1x", "-5", "18446744073709551615"] {
            let error = UserDictionary::read(format!("甲\n乙 {wrong}\n").as_bytes()).unwrap_err();
            let expected = format!("line 2: `{wrong}` is not a frequency");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }
}
