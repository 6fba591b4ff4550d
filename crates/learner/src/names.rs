//! The texts behind hashes, as far as they are needed to tell people what was learned.
//!
//! The link model knows words only by their hashes. This dictionary keeps the texts of those that
//! matter: its size is bounded, and when it is full, the texts whose features have the least weight
//! are dropped. They come back when they are seen again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::effects::Cause;

/// Most texts that are kept.
const MOST_NAMES: usize = 60_000;
/// Most letters of a text that is kept.
const MOST_LETTERS: usize = 80;

/// A thing that links are scored by, with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The hash: that of a feature, or the key of a group.
    pub key: u64,
    /// The kind of thing.
    pub cause: Cause,
    /// The text.
    pub text: Box<str>,
}

impl Named {
    /// Returns a thing with its text, of which only the last 80 letters are kept: of places on
    /// pages, the end says most.
    #[must_use]
    pub fn new(key: u64, cause: Cause, text: &str) -> Self {
        let letters = text.chars().count();
        let dropped = letters.saturating_sub(MOST_LETTERS);
        let text = match text.char_indices().nth(dropped) {
            Some((at, _)) if dropped > 0 => format!("…{}", &text[at..]).into(),
            _ => text.into(),
        };
        Self { key, cause, text }
    }
}

/// The texts behind hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    texts: BTreeMap<u64, (Cause, Box<str>)>,
}

impl Names {
    /// Returns true if the text of a hash is known.
    #[must_use]
    pub fn has(&self, key: u64) -> bool {
        self.texts.contains_key(&key)
    }

    /// Returns the text of a hash.
    #[must_use]
    pub fn text(&self, key: u64) -> Option<&str> {
        self.texts.get(&key).map(|(_, text)| &**text)
    }

    /// Adds texts. If there are too many, drops those with the least `weight`.
    pub fn add(
        &mut self,
        names: impl IntoIterator<Item = Named>,
        weight: impl Fn(u64, Cause) -> f64,
    ) {
        for Named { key, cause, text } in names {
            self.texts.entry(key).or_insert((cause, text));
        }
        if self.texts.len() > MOST_NAMES {
            let mut weights: Vec<f64> =
                self.texts.iter().map(|(key, (cause, _))| weight(*key, *cause).abs()).collect();
            weights.sort_by(f64::total_cmp);
            // At least half of them go, even if all weights are equal.
            let least = weights[weights.len() / 2];
            self.texts.retain(|key, (cause, _)| weight(*key, *cause).abs() > least);
        }
    }

    /// Returns all texts, in the order of their hashes.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Cause, &str)> {
        self.texts.iter().map(|(key, (cause, text))| (*key, *cause, &**text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_dictionary_keeps_what_weighs_most() {
        let mut names = Names::default();
        let name = |key| Named::new(key, Cause::AnchorWord, &format!("w{key}"));
        let weight = |key: u64, _: Cause| if key < 100 { -1.0 - key as f64 } else { 0.0 };
        names.add((0..MOST_NAMES as u64).map(name), weight);
        assert!(names.has(50_000));
        names.add([name(70_000)], weight);
        assert_eq!(names.iter().count(), 100);
        assert_eq!((names.text(7), names.text(50_000)), (Some("w7"), None));
    }

    #[test]
    fn long_texts_keep_their_end() {
        let text = "div>".repeat(50) + "ul.雨情";
        let name = Named::new(1, Cause::Place, &text);
        assert_eq!(name.text.chars().count(), MOST_LETTERS + 1);
        assert!(name.text.starts_with('…') && name.text.ends_with("ul.雨情"));
        assert_eq!(&*Named::new(1, Cause::Place, "a").text, "a");
    }
}
