//! How often each term is on each document. Whatever is learned from documents begins with this count:
//! the terms of a domain, a topic, a disambiguation graph.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::weight::{DocumentFrequency, Idf, Tf, tf_idf};
use crate::{Analyzer, SparseVector, TermId, TermReader, Vocabulary};

/// The terms of documents, counted.
pub struct Counts<'a> {
    analyzer: &'a Analyzer,
    reader: TermReader<'a>,
    documents: Vec<(String, Vec<(TermId, u32)>)>,
    frequency: DocumentFrequency,
    /// How English terms were written, and how often so: a stem is no name to show.
    spellings: BTreeMap<TermId, BTreeMap<String, u32>>,
}

impl<'a> Counts<'a> {
    /// Of no documents yet.
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

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The names of the documents.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.documents.iter().map(|(name, _)| name.clone()).collect()
    }

    /// All terms.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        self.reader.vocabulary()
    }

    /// What to call a term: the form in which it is written most often. Terms of several words are
    /// called as they were named.
    #[must_use]
    pub fn name(&self, term: TermId) -> &str {
        let term_itself = self.vocabulary().term(term);
        // What was recorded begins a word; `c++` and `AA制` go on after it.
        let is_word = term_itself.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let written = self.spellings.get(&term).filter(|_| is_word);
        let most = written.and_then(|written| {
            written.iter().max_by(|(a, one), (b, other)| one.cmp(other).then(b.cmp(a)))
        });
        most.map_or(term_itself, |(word, _)| word)
    }

    /// On how many documents a term is.
    #[must_use]
    pub fn documents_with(&self, term: TermId) -> u64 {
        self.frequency.containing(term)
    }

    /// In how many of some documents each term is.
    #[must_use]
    pub fn frequency(&self, documents: Range<usize>) -> DocumentFrequency {
        let mut frequency = DocumentFrequency::new();
        for document in documents {
            frequency.add(self.of(document).iter().map(|&(term, _)| term));
        }
        frequency
    }

    /// The terms of a document and how often each is on it.
    #[must_use]
    pub fn of(&self, document: usize) -> &[(TermId, u32)] {
        &self.documents[document].1
    }

    /// The TF-IDF weights of a document's terms (eq. 1 of bcw-cc).
    #[must_use]
    pub fn weights(&self, document: usize) -> SparseVector {
        tf_idf(self.of(document), &self.frequency, Tf::Share, Idf::Offset)
    }

    /// The sum of a term's TF-IDF weights over all documents, for every term.
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

    /// The term that a text is, if the analyzer sees just one in it and some document has it.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<TermId> {
        match self.analyzer.terms(text).as_slice() {
            [term] => self.vocabulary().get(term),
            _ => None,
        }
    }
}

/// The word of Latin letters that a text begins with.
fn english_word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len());
    (end > 0).then(|| text[..end].trim_end_matches('-'))
}
