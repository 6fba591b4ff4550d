//! Recognises Han characters, and guesses the language of a text from its script.

/// Returns true if `c` is a Han character, by the ranges that the Chinese segmenter uses.
#[inline]
#[must_use]
pub fn is_han(c: char) -> bool {
    // The main block comes first: nearly every Han character of ordinary text is in it.
    matches!(c, '\u{4E00}'..='\u{9FFF}')
        || matches!(c,
            '\u{3400}'..='\u{4DBF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{2A6DF}'
            | '\u{2A700}'..='\u{2EBEF}'
            | '\u{2F800}'..='\u{2FA1F}')
}

/// The main language of a text, judged by its script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Mostly Han characters.
    Chinese,
    /// Mostly ASCII letters.
    English,
    /// Mostly other letters, or no letters at all.
    Other,
}

impl Language {
    /// Guesses the language of `text` from its characters. One Han character counts as much as
    /// three letters, roughly the ratio of the lengths of words in the two scripts. At most the
    /// first 20,000 characters are read.
    ///
    /// ```
    /// # use ontrail_text::Language;
    /// assert_eq!(Language::of("暴雨 rainstorm"), Language::English);
    /// assert_eq!(Language::of("暴雨预警信号 rainstorm"), Language::Chinese);
    /// assert_eq!(Language::of("123"), Language::Other);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (mut han, mut latin, mut other) = (0_u32, 0_u32, 0_u32);
        for c in text.chars().take(20_000) {
            if c.is_ascii_alphabetic() {
                latin += 1;
            } else if is_han(c) {
                han += 3;
            } else if c.is_alphabetic() {
                other += 1;
            }
        }
        let most = han.max(latin).max(other);
        match most {
            0 => Self::Other,
            _ if most == other => Self::Other,
            _ if most == han => Self::Chinese,
            _ => Self::English,
        }
    }

    /// Returns the BCP 47 tag, if there is one.
    #[must_use]
    pub fn tag(self) -> Option<&'static str> {
        match self {
            Self::Chinese => Some("zh"),
            Self::English => Some("en"),
            Self::Other => None,
        }
    }
}
