//! The counts of each feature in each class, from which Bayesian classifiers learn.
//!
//! Counts add up: the counts of two halves of a corpus sum to those of the whole. A model can
//! therefore be updated with further documents, or joined with a model trained elsewhere, without
//! any loss.

use crate::records::{Entry, SparseRecords};

/// The slot after those of the label groups. It counts the documents of the class that have the
/// feature.
const DOCUMENTS: u8 = 5;

/// The class of a count and its slot: the occurrences in a label group, or the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(pub(crate) u32);

impl Key {
    fn new(class: usize, slot: u8) -> Self {
        let class = u32::try_from(class).expect("classes are numbered in 16 bits");
        Self(class << 3 | u32::from(slot))
    }

    pub(crate) fn class(self) -> usize {
        (self.0 >> 3) as usize
    }

    fn slot(self) -> u8 {
        (self.0 & 7) as u8
    }

    /// Returns true if the slot counts documents, not occurrences.
    pub(crate) fn is_documents(self) -> bool {
        self.slot() == DOCUMENTS
    }

    pub(crate) fn is_valid(self, classes: usize) -> bool {
        self.class() < classes && self.slot() <= DOCUMENTS
    }
}

/// The counts of one feature in one class.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct InClass {
    pub(crate) class: usize,
    /// Number of occurrences, each weighted by its label group.
    pub(crate) count: f64,
    /// Number of documents that have the feature.
    pub(crate) documents: f64,
}

/// The occurrences of each feature in each class, by label group, and the number of documents that
/// have it. Zero counts are not stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of documents of each class.
    pub(crate) documents: Vec<u64>,
    /// The counts of each feature, sorted by key. A count saturates at 2^32 - 1.
    pub(crate) rows: Vec<Vec<(Key, u32)>>,
}

impl Counts {
    /// Returns empty counts for `classes` classes.
    #[must_use]
    pub fn new(classes: usize) -> Self {
        Self { documents: vec![0; classes], rows: Vec::new() }
    }

    /// Returns the number of features.
    #[must_use]
    pub fn features(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of documents of each class.
    #[must_use]
    pub fn documents(&self) -> &[u64] {
        &self.documents
    }

    /// Adds documents; `labels` are the numbers of their classes.
    pub fn add(&mut self, records: &SparseRecords, labels: &[usize]) {
        self.grow(records.features, labels.iter().max().map_or(0, |&most| most + 1));
        for (row, &class) in records.rows().zip(labels) {
            self.documents[class] += 1;
            self.add_row(row, class);
        }
    }

    fn add_row(&mut self, row: &[Entry], class: usize) {
        for same in row.chunk_by(|a, b| a.feature == b.feature) {
            let counts = &mut self.rows[same[0].feature as usize];
            for entry in same {
                add_count(counts, Key::new(class, entry.group), u32::from(entry.count));
            }
            add_count(counts, Key::new(class, DOCUMENTS), 1);
        }
    }

    fn grow(&mut self, features: usize, classes: usize) {
        if self.rows.len() < features {
            self.rows.resize(features, Vec::new());
        }
        if self.documents.len() < classes {
            self.documents.resize(classes, 0);
        }
    }

    /// Adds other counts. `features` and `classes` map the other's numbers to the numbers here;
    /// without `features`, feature numbers are the same.
    pub(crate) fn absorb(&mut self, other: &Self, features: Option<&[u32]>, classes: &[usize]) {
        let wide = features.map_or(other.rows.len(), |numbers| {
            numbers.iter().max().map_or(0, |&most| most as usize + 1)
        });
        self.grow(wide, classes.iter().max().map_or(0, |&most| most + 1));
        for (class, documents) in other.documents.iter().enumerate() {
            self.documents[classes[class]] += documents;
        }
        for (feature, row) in other.rows.iter().enumerate() {
            let feature = features.map_or(feature, |numbers| numbers[feature] as usize);
            for &(key, count) in row {
                let here = Key::new(classes[key.class()], key.slot());
                add_count(&mut self.rows[feature], here, count);
            }
        }
    }

    /// Subtracts documents that were added before.
    pub(crate) fn subtract(&mut self, records: &SparseRecords, labels: &[usize]) {
        for (row, &class) in records.rows().zip(labels) {
            self.documents[class] = self.documents[class].saturating_sub(1);
            for same in row.chunk_by(|a, b| a.feature == b.feature) {
                let counts = &mut self.rows[same[0].feature as usize];
                for entry in same {
                    take_count(counts, Key::new(class, entry.group), u32::from(entry.count));
                }
                take_count(counts, Key::new(class, DOCUMENTS), 1);
            }
        }
    }

    /// Renumbers features and classes. The new numbers must be different from each other.
    pub(crate) fn renumber(&self, features: Option<&[u32]>, classes: &[usize]) -> Self {
        let mut renumbered = Self::default();
        renumbered.absorb(self, features, classes);
        renumbered
    }

    /// Returns the classes in which a feature occurs, in order, with its occurrences weighted by
    /// label group.
    pub(crate) fn in_classes(&self, feature: usize, label_weights: &[f64; 5]) -> Vec<InClass> {
        let mut found: Vec<InClass> = Vec::new();
        for &(key, count) in &self.rows[feature] {
            if found.last().is_none_or(|last| last.class != key.class()) {
                found.push(InClass { class: key.class(), ..InClass::default() });
            }
            let last = found.last_mut().expect("one was just pushed");
            match label_weights.get(usize::from(key.slot())) {
                Some(weight) => last.count += weight * f64::from(count),
                None => last.documents += f64::from(count),
            }
        }
        found
    }

    /// Returns each class's share of the documents.
    pub(crate) fn document_shares(&self) -> Vec<f64> {
        let all: f64 = self.documents.iter().map(|&documents| documents as f64).sum();
        self.documents.iter().map(|&documents| documents as f64 / all).collect()
    }

    /// Returns for each class true if any of its documents has a feature.
    pub(crate) fn have_features(&self) -> Vec<bool> {
        let mut have = vec![false; self.documents.len()];
        for (key, _) in self.rows.iter().flatten() {
            have[key.class()] = true;
        }
        have
    }

    /// Returns the number of documents that have a feature.
    pub(crate) fn containing(&self, feature: usize) -> u64 {
        let documents = self.rows[feature].iter().filter(|(key, _)| key.is_documents());
        documents.map(|&(_, count)| u64::from(count)).sum()
    }
}

fn add_count(counts: &mut Vec<(Key, u32)>, key: Key, count: u32) {
    match counts.binary_search_by_key(&key, |&(key, _)| key) {
        Ok(at) => counts[at].1 = counts[at].1.saturating_add(count),
        Err(at) => counts.insert(at, (key, count)),
    }
}

fn take_count(counts: &mut Vec<(Key, u32)>, key: Key, count: u32) {
    if let Ok(at) = counts.binary_search_by_key(&key, |&(key, _)| key) {
        counts[at].1 = counts[at].1.saturating_sub(count);
        if counts[at].1 == 0 {
            counts.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(rows: &[&[(u32, u8, u16)]]) -> SparseRecords {
        let mut records = SparseRecords::new(3);
        for row in rows {
            let entry = |&(feature, group, count): &(u32, u8, u16)| Entry { feature, group, count };
            records.push(row.iter().map(entry));
        }
        records
    }

    #[test]
    fn occurrences_and_documents_are_counted_by_class() {
        let mut counts = Counts::new(2);
        counts.add(&records(&[&[(0, 0, 2), (0, 3, 1), (2, 3, 1)], &[(0, 3, 4)]]), &[0, 1]);
        assert_eq!(counts.documents(), [1, 1]);
        let weights = [2.0, 1.5, 1.2, 1.0, 0.2];
        let of = |class, count, documents| InClass { class, count, documents };
        assert_eq!(counts.in_classes(0, &weights), [of(0, 5.0, 1.0), of(1, 4.0, 1.0)]);
        assert_eq!(counts.in_classes(1, &weights), []);
        assert_eq!((counts.containing(0), counts.containing(2)), (2, 1));
    }

    #[test]
    fn halves_add_up_to_the_whole() {
        let rows: [&[(u32, u8, u16)]; 4] =
            [&[(0, 3, 2)], &[(1, 3, 1), (2, 4, 7)], &[(2, 3, 1)], &[(0, 0, 1), (1, 3, 3)]];
        let labels = [0, 1, 1, 0];
        let mut whole = Counts::new(2);
        whole.add(&records(&rows), &labels);
        let mut sum = Counts::new(2);
        for half in [0..2, 2..4] {
            let mut counts = Counts::new(2);
            counts.add(&records(&rows[half.clone()]), &labels[half]);
            sum.absorb(&counts, Some(&[0, 1, 2]), &[0, 1]);
        }
        assert_eq!(sum, whole);
        let mut first = Counts::new(2);
        first.add(&records(&rows[..2]), &labels[..2]);
        whole.subtract(&records(&rows[2..]), &labels[2..]);
        assert_eq!(whole, first);
    }
}
