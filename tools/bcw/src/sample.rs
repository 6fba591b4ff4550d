//! The documents on which the mode and the features are chosen.
//!
//! A choice trains some twenty models, most of them several times. On a large corpus it is made on
//! a sample, so that its time and memory are bounded; the chosen model is then trained on all
//! documents.

use std::collections::BTreeMap;

use ontrail_bcw::Labelled;

/// Largest number of documents in a sample.
const MOST_DOCUMENTS: usize = 50_000;
/// Largest number of bytes of text in a sample, unless it has only a few documents.
const MOST_BYTES: usize = 30_000_000;
/// Number of documents that a sample may have, however long they are.
const FEW: usize = 1_000;

/// All documents of a small corpus, or every second, fourth, … document of each class.
#[derive(Debug)]
pub(crate) struct Sample {
    documents: Vec<Labelled>,
    bytes: usize,
    /// The distance between two documents of a class that are kept.
    stride: usize,
    /// Number of documents of each class so far.
    met: BTreeMap<String, usize>,
    /// Number of documents, and of bytes, above which the sample is thinned out.
    most: (usize, usize),
}

impl Sample {
    pub(crate) fn new() -> Self {
        Self::of_at_most(MOST_DOCUMENTS, MOST_BYTES)
    }

    /// Returns an empty sample with other limits.
    pub(crate) fn of_at_most(documents: usize, bytes: usize) -> Self {
        let met = BTreeMap::new();
        Self { documents: Vec::new(), bytes: 0, stride: 1, met, most: (documents, bytes) }
    }

    pub(crate) fn add(&mut self, batch: &[Labelled]) {
        for document in batch {
            // The first document of each class is kept, so that no class is missing.
            let met = self.met.entry(document.label.clone()).or_default();
            let is_due = met.is_multiple_of(self.stride);
            *met += 1;
            if is_due {
                self.bytes += document.passages.text().len();
                self.documents.push(document.clone());
            }
            while self.is_too_large() && self.thin_out() {}
        }
    }

    /// Returns true if the sample has every document.
    pub(crate) fn is_whole(&self) -> bool {
        self.stride == 1
    }

    pub(crate) fn documents(&self) -> &[Labelled] {
        &self.documents
    }

    fn is_too_large(&self) -> bool {
        let number = self.documents.len();
        number > self.most.0 || (self.bytes > self.most.1 && number > FEW.min(self.most.0))
    }

    /// Keeps every second document of each class. Returns true if the sample became smaller.
    fn thin_out(&mut self) -> bool {
        let before = self.documents.len();
        self.stride *= 2;
        let mut place: BTreeMap<String, usize> = BTreeMap::new();
        self.documents.retain(|document| {
            let place = place.entry(document.label.clone()).or_default();
            *place += 1;
            !place.is_multiple_of(2)
        });
        self.bytes = self.documents.iter().map(|document| document.passages.text().len()).sum();
        self.documents.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sample: &Sample) -> Vec<String> {
        sample.documents().iter().map(|it| it.passages.text().trim().to_owned()).collect()
    }

    fn documents(number: usize) -> Vec<Labelled> {
        let label = |n: usize| if n == 5 { "rare" } else { "common" };
        (0..number).map(|n| Labelled::text(label(n), None, &format!("t{n}"))).collect()
    }

    #[test]
    fn a_small_corpus_is_kept_and_a_large_one_is_thinned_out_evenly() {
        let mut sample = Sample::of_at_most(8, 1_000);
        sample.add(&documents(8));
        assert!(sample.is_whole());
        assert_eq!(sample.documents().len(), 8);
        let mut sample = Sample::of_at_most(8, 1_000);
        sample.add(&documents(17));
        assert!(!sample.is_whole());
        // Every fourth of the 16 common documents, and the only rare one.
        assert_eq!(texts(&sample), ["t0", "t4", "t5", "t9", "t13"]);
    }

    #[test]
    fn long_texts_are_fewer_and_classes_that_cannot_be_thinned_out_do_no_harm() {
        let mut sample = Sample::of_at_most(4, 10);
        let long = |label: &str| Labelled::text(label, None, &"x".repeat(9));
        sample.add(&["a", "b", "c", "d", "e", "f"].map(long));
        assert_eq!(sample.documents().len(), 6);
    }
}
