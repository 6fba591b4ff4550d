//! Documents as sparse rows of feature counts.

use ontrail_page::{LabelGroup, Passages};
use ontrail_text::Analyzer;
use rayon::prelude::*;

use crate::feature::{FeatureReader, FeatureSettings};
use crate::index::FeatureIndex;

/// Number of documents that a thread reads at a time. It is fixed, so that the numbering of
/// features does not depend on the number of threads.
const CHUNK: usize = 256;

/// The number of occurrences of a feature in one label group of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The feature's number.
    pub feature: u32,
    /// The index of its [`LabelGroup`].
    pub group: u8,
    /// Number of occurrences, at most 65,535.
    pub count: u16,
}

/// Documents as sparse rows. To linfa they are records: samples by features, where only the
/// features that occur in a document are stored. In a row, the entries of a feature are adjacent.
///
/// ```
/// use linfa::dataset::Records as _;
/// use ontrail_bcw::{Entry, SparseRecords};
///
/// let mut records = SparseRecords::new(3);
/// records.push([Entry { feature: 2, group: 3, count: 5 }]);
/// assert_eq!((records.nsamples(), records.nfeatures()), (1, 3));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseRecords {
    pub(crate) features: usize,
    pub(crate) ends: Vec<usize>,
    pub(crate) entries: Vec<Entry>,
}

impl linfa::dataset::Records for SparseRecords {
    type Elem = Entry;

    fn nsamples(&self) -> usize {
        self.ends.len()
    }

    fn nfeatures(&self) -> usize {
        self.features
    }
}

impl SparseRecords {
    /// Returns records without documents over `features` features.
    #[must_use]
    pub fn new(features: usize) -> Self {
        Self { features, ..Self::default() }
    }

    /// Adds a document. The entries of a feature must be adjacent. A feature number beyond the
    /// known features increases their number, and a group beyond the last counts as the last.
    pub fn push(&mut self, row: impl IntoIterator<Item = Entry>) {
        for entry in row {
            self.features = self.features.max(entry.feature as usize + 1);
            self.entries.push(Entry { group: entry.group.min(4), ..entry });
        }
        self.ends.push(self.entries.len());
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the entries of a document.
    #[must_use]
    pub fn row(&self, document: usize) -> &[Entry] {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        &self.entries[start..self.ends[document]]
    }

    /// Returns the entries of all documents, one slice per document.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Entry]> {
        (0..self.len()).map(|document| self.row(document))
    }

    /// Returns the chosen documents, in the order of `documents`.
    pub(crate) fn chosen(&self, documents: &[usize]) -> Self {
        let mut chosen = Self::new(self.features);
        for &document in documents {
            chosen.push(self.row(document).iter().copied());
        }
        chosen
    }

    /// Renumbers the features.
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        for entry in &mut self.entries {
            entry.feature = numbers[entry.feature as usize];
        }
    }

    /// Sorts the entries of each document, so that they do not depend on the order of reading.
    pub(crate) fn sort(&mut self) {
        let mut start = 0;
        for &end in &self.ends {
            self.entries[start..end].sort_unstable();
            start = end;
        }
    }

    /// Reads documents into rows, on all threads, and adds new features to `index`.
    pub(crate) fn read(
        &mut self,
        documents: &[&Passages],
        settings: &FeatureSettings,
        analyzer: &Analyzer,
        index: &mut FeatureIndex,
    ) {
        let chunks: Vec<(FeatureIndex, Self)> = documents
            .par_chunks(CHUNK)
            .map(|chunk| read_chunk(chunk, settings, analyzer))
            .collect();
        for (local, mut rows) in chunks {
            if let Some(numbers) = index.absorb(&local) {
                rows.renumber(&numbers);
            }
            for row in rows.rows() {
                self.push(row.iter().copied());
            }
        }
        self.features = index.len();
    }
}

fn read_chunk(
    documents: &[&Passages],
    settings: &FeatureSettings,
    analyzer: &Analyzer,
) -> (FeatureIndex, SparseRecords) {
    let mut index = FeatureIndex::new(settings.hash_bits);
    let mut records = SparseRecords::default();
    let mut reader = FeatureReader::new(settings, analyzer);
    let mut found: Vec<(u32, LabelGroup)> = Vec::new();
    for passages in documents {
        found.clear();
        for passage in passages.iter() {
            reader.read(&passage, |feature| {
                found.push((index.intern(&feature), feature.group));
            });
        }
        records.push(counted(&mut found));
    }
    (index, records)
}

/// Counts the features found in a document, by label group.
pub(crate) fn counted(found: &mut [(u32, LabelGroup)]) -> impl Iterator<Item = Entry> {
    found.sort_unstable();
    found.chunk_by(|a, b| a == b).map(|same| Entry {
        feature: same[0].0,
        group: u8::try_from(same[0].1.index()).expect("five groups"),
        count: u16::try_from(same.len()).unwrap_or(u16::MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::passages_of_text;

    #[test]
    fn numbering_does_not_depend_on_threads() {
        let texts: Vec<Passages> = (0..700)
            .map(|n| passages_of_text(None, &format!("暴雨 w{} w{} 预警", n % 50, n)))
            .collect();
        let documents: Vec<&Passages> = texts.iter().collect();
        let settings = "words,pairs,c2".parse().unwrap();
        let analyzer = crate::feature::analyzer();
        let read = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut index = FeatureIndex::new(None);
                let mut records = SparseRecords::default();
                records.read(&documents, &settings, &analyzer, &mut index);
                (records, index.to_lines())
            })
        };
        let (records, lines) = read(1);
        assert_eq!(records.len(), 700);
        assert_eq!((records, lines), read(3));
    }

    #[test]
    fn repetitions_are_counted_by_group() {
        let body = LabelGroup::Body;
        let mut found = vec![(1, body), (0, LabelGroup::Title), (1, body), (0, body)];
        let rows: Vec<_> = counted(&mut found).map(|e| (e.feature, e.group, e.count)).collect();
        assert_eq!(rows, [(0, 0, 1), (0, 3, 1), (1, 3, 2)]);
    }
}
