//! Counts how often each term occurs in each document. Everything that is learned from documents
//! starts with these counts: the terms of a domain, a topic, a disambiguation graph.

use std::collections::BTreeMap;

use crate::weight::{DocumentFrequency, Idf, Tf, tf_idf};
use crate::{Analyzer, SparseVector, TermId, TermReader, Vocabulary};

/// The counts of each term in each document.
pub struct Counts<'a> {
    analyzer: &'a Analyzer,
    reader: TermReader<'a>,
    documents: Vec<(String, Vec<(TermId, u32)>)>,
    frequency: DocumentFrequency,
    /// The spellings of each English term with their counts, because stems are not fit to be shown.
    spellings: BTreeMap<TermId, BTreeMap<String, u32>>,
}

impl<'a> Counts<'a> {
    /// Creates counts without documents.
    #[must_use]
    pub fn new(analyzer: &'a Analyzer) -> Self {
        let reader = analyzer.reader();
        Self {
            analyzer,
            reader,
            documents: Vec::new(),
            frequency: DocumentFrequency::new(),
            spellings: BTreeMap::new(),
        }
    }

    /// Counts the terms of one more document.
    pub fn add(&mut self, name: &str, text: &str) {
        let mut counts: BTreeMap<TermId, u32> = BTreeMap::new();
        let spellings = &mut self.spellings;
        self.reader.read(text, |term, start| {
            *counts.entry(term).or_default() += 1;
            if let Some(word) = english_word(&text[start..]) {
                let written = spellings.entry(term).or_default();
                *written.entry(word.to_lowercase()).or_default() += 1;
            }
        });
        self.frequency.add(counts.keys().copied());
        self.documents.push((name.to_owned(), counts.into_iter().collect()));
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns true if there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Returns the names of the documents.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.documents.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns all terms.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        self.reader.vocabulary()
    }

    /// Returns the name to show for a term: its most frequent spelling. Terms of several words keep
    /// the form in which the user named them.
    #[must_use]
    pub fn name(&self, term: TermId) -> &str {
        let term_itself = self.vocabulary().term(term);
        // Only the Latin letters at the start of a term were recorded; `c++` and `AA制` have more.
        let is_word = term_itself.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let written = self.spellings.get(&term).filter(|_| is_word);
        let most = written.and_then(|written| {
            written.iter().max_by(|(a, one), (b, other)| one.cmp(other).then(b.cmp(a)))
        });
        most.map_or(term_itself, |(word, _)| word)
    }

    /// Returns the number of documents that contain a term.
    #[must_use]
    pub fn documents_with(&self, term: TermId) -> u64 {
        self.frequency.containing(term)
    }

    /// Returns the document frequencies over some of the documents.
    #[must_use]
    pub fn frequency(&self, documents: impl Iterator<Item = usize>) -> DocumentFrequency {
        let mut frequency = DocumentFrequency::new();
        for document in documents {
            frequency.add(self.of(document).iter().map(|&(term, _)| term));
        }
        frequency
    }

    /// Returns the terms of a document with their counts.
    #[must_use]
    pub fn of(&self, document: usize) -> &[(TermId, u32)] {
        &self.documents[document].1
    }

    /// Returns the TF-IDF weights of a document's terms (eq. 1 of bcw-cc).
    #[must_use]
    pub fn weights(&self, document: usize) -> SparseVector {
        tf_idf(self.of(document), &self.frequency, Tf::Share, Idf::Offset)
    }

    /// Returns, for every term, the sum of its TF-IDF weights over all documents.
    #[must_use]
    pub fn total_weights(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.vocabulary().len()];
        for document in 0..self.len() {
            for (term, weight) in self.weights(document).iter() {
                totals[term.index()] += weight;
            }
        }
        totals
    }

    /// Returns the term that `text` consists of, if it is exactly one and some document contains
    /// it.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<TermId> {
        match self.analyzer.terms(text).as_slice() {
            [term] => self.vocabulary().get(term),
            _ => None,
        }
    }
}

/// Returns the ASCII word at the start of a text.
fn english_word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len());
    (end > 0).then(|| text[..end].trim_end_matches('-'))
}
