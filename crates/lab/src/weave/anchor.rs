//! Link texts. Most are titles; some say little or nothing about the target.

use super::texts::shortened;
use super::words::Words;
use crate::random_stream::RandomStream;

/// The content between `<a>` and `</a>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Anchor {
    Text(String),
    /// An image without an alternative text, and its number.
    Image(usize),
}

impl Anchor {
    /// Returns a link text that is not the title: a phrase such as "more", a piece of the title,
    /// or an image.
    pub(crate) fn untitled(title: &str, words: &Words, random: &mut RandomStream) -> Self {
        match random.below(4) {
            0 => Self::Image(random.below(100_000)),
            1 => Self::Text(piece(title, random)),
            _ => Self::Text(random.pick(words.untitled).to_owned()),
        }
    }

    /// Returns the text as a crawler reads it.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Image(_) => "",
        }
    }
}

/// Returns a piece of a title: two words, or four letters of a text without spaces.
fn piece(title: &str, random: &mut RandomStream) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    if words.len() > 3 {
        let start = random.below(words.len() - 1);
        return format!("…{}…", words[start..start + 2].join(" "));
    }
    let letters: Vec<char> = title.chars().collect();
    if letters.len() < 6 {
        return shortened(title, 2);
    }
    let start = random.below(letters.len() - 3);
    format!("…{}…", letters[start..start + 4].iter().collect::<String>().trim())
}
