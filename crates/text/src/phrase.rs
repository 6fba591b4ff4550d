//! Finds terms of several words, such as "information retrieval".
//!
//! Phrases are sequences of *symbols*: small numbers for the normalised words that occur in them. A
//! word that occurs in no phrase has no symbol and is ruled out by one comparison. The longest
//! phrase that starts at a word wins.

use std::collections::BTreeMap;

use crate::term::{TermId, Vocabulary};

/// The number of a word that occurs in some phrase.
pub(crate) type Symbol = u32;

/// The phrases that an analyzer looks for, as a trie over symbols.
#[derive(Debug, Clone)]
pub(crate) struct PhraseTrie {
    symbols: Vocabulary,
    nodes: Vec<Node>,
    /// The text under which each phrase is counted.
    phrases: Vec<String>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    next: BTreeMap<Symbol, usize>,
    phrase: Option<usize>,
}

impl Default for PhraseTrie {
    fn default() -> Self {
        Self { symbols: Vocabulary::new(), nodes: vec![Node::default()], phrases: Vec::new() }
    }
}

impl PhraseTrie {
    /// Adds a phrase, given as normalised words, that is counted as `canonical`.
    pub(crate) fn insert<'a>(&mut self, words: impl Iterator<Item = &'a str>, canonical: &str) {
        let mut node = 0;
        for word in words {
            let TermId(symbol) = self.symbols.intern(word);
            let fresh = self.nodes.len();
            let next = *self.nodes[node].next.entry(symbol).or_insert(fresh);
            if next == fresh {
                self.nodes.push(Node::default());
            }
            node = next;
        }
        if node != 0 && self.nodes[node].phrase.is_none() {
            self.nodes[node].phrase = Some(self.phrases.len());
            self.phrases.push(canonical.to_owned());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    pub(crate) fn symbol(&self, word: &str) -> Option<Symbol> {
        self.symbols.get(word).map(|TermId(symbol)| symbol)
    }

    /// Returns the longest phrase at the start of `symbols`: its number of words, and its index.
    pub(crate) fn longest(
        &self,
        symbols: impl Iterator<Item = Option<Symbol>>,
    ) -> Option<(usize, usize)> {
        let mut node = 0;
        let mut found = None;
        for (taken, symbol) in symbols.enumerate() {
            let Some(&next) = symbol.and_then(|symbol| self.nodes[node].next.get(&symbol)) else {
                break;
            };
            node = next;
            if let Some(phrase) = self.nodes[node].phrase {
                found = Some((taken + 1, phrase));
            }
        }
        found
    }

    pub(crate) fn text(&self, phrase: usize) -> &str {
        &self.phrases[phrase]
    }

    pub(crate) fn len(&self) -> usize {
        self.phrases.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_wins() {
        let mut trie = PhraseTrie::default();
        trie.insert(["neural", "network"].into_iter(), "neural network");
        trie.insert(["neural", "network", "model"].into_iter(), "neural network model");
        let find = |words: &[&str]| {
            let found = trie.longest(words.iter().map(|word| trie.symbol(word)));
            found.map(|(taken, phrase)| (taken, trie.text(phrase)))
        };
        assert_eq!(find(&["neural", "network", "of"]), Some((2, "neural network")));
        assert_eq!(find(&["neural", "network", "model"]), Some((3, "neural network model")));
        assert_eq!(find(&["network"]), None);
        assert_eq!(find(&[]), None);
    }
}
