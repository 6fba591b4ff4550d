//! Reading of labelled documents into training data.

use std::collections::BTreeMap;

use ontrail_page::{LabelGroup, Passages};
use ontrail_text::Analyzer;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::counts::Counts;
use crate::error::BcwError;
use crate::feature::{self, FeatureSettings, Kind};
use crate::index::FeatureIndex;
use crate::records::SparseRecords;

/// Up to this number, all documents are kept and models are validated on five folds. Of a larger
/// corpus, one document in ten is held out.
const SMALL: usize = 20_000;
/// Largest number of documents of a class in a sample. While a corpus is read, a class may have
/// nearly twice as many.
const LARGEST_SAMPLE: usize = 2_000;
const FOLDS: usize = 5;
const ONE_IN: usize = 10;
/// A class with fewer documents than this is never held out, and of a larger class at most one in
/// this many documents at a time: too little would be left to learn from.
const FEWEST_HELD_OUT: usize = 5;

/// A document and its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The document's ID, to name it to people; empty if nobody will see it.
    pub id: String,
    /// The class.
    pub label: String,
    /// Its text, by label group.
    pub passages: Passages,
}

impl Labelled {
    /// Returns a plain text with its class, and its title if it is separate.
    #[must_use]
    pub fn text(label: &str, title: Option<&str>, text: &str) -> Self {
        let (id, passages) = (String::new(), passages_of_text(title, text));
        Self { id, label: label.to_owned(), passages }
    }

    /// Returns 64 bits that stand for this label and text.
    fn digest(&self) -> u64 {
        xxh3_64_with_seed(self.passages.text().as_bytes(), xxh3_64(self.label.as_bytes()))
    }
}

/// Turns a plain text into passages: its title in the label group of titles, the rest as body text.
#[must_use]
pub fn passages_of_text(title: Option<&str>, text: &str) -> Passages {
    let mut passages = Passages::new();
    passages.push(title.unwrap_or_default(), LabelGroup::Title);
    passages.end();
    passages.push(text, LabelGroup::Body);
    passages.end();
    passages
}

/// The data that a model is trained on: the counts of all documents, and some or all of the
/// documents themselves, on which it is validated. Joining two of them is the same as reading all
/// their documents at once.
#[derive(Debug, Clone)]
pub struct TrainingData {
    pub(crate) features: FeatureSettings,
    pub(crate) index: FeatureIndex,
    /// The names of the classes; sorted after reading is finished.
    pub(crate) classes: Vec<String>,
    pub(crate) counts: Counts,
    pub(crate) sample: SparseRecords,
    pub(crate) sample_labels: Vec<usize>,
    /// True if the sample has every document.
    pub(crate) is_complete: bool,
    /// The digests of all documents, sorted after reading is finished. Data of older versions has
    /// none.
    pub(crate) digests: Vec<u64>,
}

impl TrainingData {
    /// Returns the features that were read.
    #[must_use]
    pub fn features(&self) -> &FeatureSettings {
        &self.features
    }

    /// Returns the names of the classes.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Returns the number of documents read.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.counts.documents().iter().sum()
    }

    /// Returns true if the data has this document already, with the same label and text.
    #[must_use]
    pub fn has(&self, document: &Labelled) -> bool {
        self.digests.binary_search(&document.digest()).is_ok()
    }

    /// Returns the number of documents that `other` has too.
    #[must_use]
    pub fn shared_with(&self, other: &Self) -> usize {
        other.digests.iter().filter(|digest| self.digests.binary_search(digest).is_ok()).count()
    }

    /// Returns the number of label groups that contain text.
    #[must_use]
    pub fn label_groups(&self) -> usize {
        let mut met = [false; 5];
        self.sample.entries.iter().for_each(|entry| met[usize::from(entry.group)] = true);
        met.iter().filter(|met| **met).count()
    }

    /// Returns the counts of all documents.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns the counts of a class by feature name, for people and tests. Before each name is the
    /// mark of the feature's kind.
    #[must_use]
    pub fn counts_of(&self, class: &str) -> BTreeMap<String, u64> {
        let Some(class) = self.classes.iter().position(|name| name == class) else {
            return BTreeMap::new();
        };
        let counts = (0..).zip(&self.counts.rows).map(|(feature, row)| {
            let own = row.iter().filter(|(key, _)| key.class() == class && !key.is_documents());
            (self.name(feature), own.map(|&(_, count)| u64::from(count)).sum())
        });
        counts.filter(|&(_, count)| count > 0).collect()
    }

    fn name(&self, number: u32) -> String {
        if self.index.is_hashed() {
            format!("#{number}")
        } else {
            self.index.marked_name(number).to_owned()
        }
    }

    /// Adds the documents of `other`.
    pub fn join(&mut self, other: &Self) -> Result<(), BcwError> {
        if self.features != other.features {
            return Err(BcwError::Unlike(format!(
                "one has the features {}, the other {}",
                describe(&self.features),
                describe(&other.features)
            )));
        }
        if !(self.is_complete && other.is_complete) {
            self.keep_one_in_ten();
        }
        let features = self.index.absorb(&other.index);
        let classes: Vec<usize> =
            other.classes.iter().map(|name| class_number(&mut self.classes, name)).collect();
        check_number(self.classes.len())?;
        self.counts.absorb(&other.counts, features.as_deref(), &classes);
        let mut added = other.clone();
        if !self.is_complete {
            added.keep_one_in_ten();
        }
        if let Some(features) = features {
            added.sample.renumber(&features);
        }
        for row in added.sample.rows() {
            self.sample.push(row.iter().copied());
        }
        self.sample.features = self.index.len();
        self.sample_labels.extend(added.sample_labels.iter().map(|&label| classes[label]));
        if !self.is_complete {
            self.keep(|of_class| of_class.min(LARGEST_SAMPLE));
        }
        self.digests.extend(&other.digests);
        self.sort();
        Ok(())
    }

    /// Reduces the documents to a sample if there are more than 20,000. Linear models need them
    /// all.
    pub fn keep_sample(&mut self) {
        if self.sample.len() > SMALL {
            self.keep_one_in_ten();
            self.keep(|of_class| of_class.min(LARGEST_SAMPLE));
        }
    }

    /// Reduces a sample that has every document to a tenth, and marks it as incomplete.
    fn keep_one_in_ten(&mut self) {
        if self.is_complete {
            self.keep(|of_class| of_class.div_ceil(ONE_IN));
            self.is_complete = false;
        }
    }

    /// Keeps `number(n)` of the n documents of each class in the sample, evenly spread.
    fn keep(&mut self, number: impl Fn(usize) -> usize) {
        let mut sizes = vec![0; self.classes.len()];
        self.sample_labels.iter().for_each(|&label| sizes[label] += 1);
        let mut met = vec![0; self.classes.len()];
        let mut kept = Vec::new();
        for (document, &label) in self.sample_labels.iter().enumerate() {
            let (all, wanted) = (sizes[label], number(sizes[label]));
            // The number of documents due grows by at most one per document; where it passes a
            // whole number, a document is kept.
            let before = met[label] * wanted / all;
            met[label] += 1;
            if met[label] * wanted / all > before {
                kept.push(document);
            }
        }
        (self.sample, self.sample_labels) = self.chosen(&kept);
    }

    /// Numbers features and classes in the order of their names, so that the numbers do not depend
    /// on the order of reading.
    fn sort(&mut self) {
        let features = self.index.sort();
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by(|&a, &b| self.classes[a].cmp(&self.classes[b]));
        let mut classes = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| classes[old] = new);
        self.classes = order.iter().map(|&old| self.classes[old].clone()).collect();
        self.counts = self.counts.renumber(features.as_deref(), &classes);
        if let Some(features) = features {
            self.sample.renumber(&features);
        }
        self.sample.features = self.index.len();
        self.sample.sort();
        self.sample_labels.iter_mut().for_each(|label| *label = classes[*label]);
        self.digests.sort_unstable();
    }

    /// Returns the same documents with only the given features.
    pub(crate) fn restricted(&self, features: &FeatureSettings) -> Self {
        if self.index.is_hashed() || *features == self.features {
            return self.clone();
        }
        let is_wanted = |name: &str| {
            let text = &name[1..];
            match name.chars().next().and_then(Kind::of_mark) {
                Some(Kind::Word) => features.words,
                Some(Kind::Pair) => features.pairs,
                _ => features.characters.iter().any(|&n| usize::from(n) == text.chars().count()),
            }
        };
        let wanted: Vec<bool> = (0..)
            .take(self.index.len())
            .map(|number| is_wanted(self.index.marked_name(number)))
            .collect();
        let index = self.index.restricted(&wanted);
        let mut next = 0;
        let numbers: Vec<Option<u32>> = wanted
            .iter()
            .map(|&wanted| {
                wanted.then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let mut counts = Counts::new(self.classes.len());
        counts.documents.clone_from(&self.counts.documents);
        counts.rows = self
            .counts
            .rows
            .iter()
            .zip(&wanted)
            .filter(|(_, w)| **w)
            .map(|(row, _)| row.clone())
            .collect();
        let mut sample = SparseRecords::new(index.len());
        for row in self.sample.rows() {
            sample.push(row.iter().filter_map(|entry| {
                let feature = numbers[entry.feature as usize]?;
                Some(crate::records::Entry { feature, ..*entry })
            }));
        }
        Self {
            features: features.clone(),
            index,
            classes: self.classes.clone(),
            counts,
            sample,
            sample_labels: self.sample_labels.clone(),
            is_complete: self.is_complete,
            digests: self.digests.clone(),
        }
    }

    /// Returns the documents of the sample to hold out, fold by fold.
    pub(crate) fn folds(&self, seed: u64) -> Vec<Vec<usize>> {
        let (folds, step) = match (self.is_complete, self.sample.len() <= SMALL) {
            (true, true) => (FOLDS, FOLDS),
            (true, false) => (1, ONE_IN),
            // A sample is held out as a whole: the counts have many more documents.
            (false, _) => (1, 1),
        };
        let mut by_class = vec![Vec::new(); self.classes.len()];
        for (document, &label) in self.sample_labels.iter().enumerate() {
            by_class[label].push(document);
        }
        let mut held_out = vec![Vec::new(); folds];
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for (mut own, &documents) in by_class.into_iter().zip(self.counts.documents()) {
            if documents < FEWEST_HELD_OUT as u64 {
                continue;
            }
            own.shuffle(&mut random);
            // Rounded up, so that each of five documents can be held out in one of five folds.
            let most =
                usize::try_from(documents.div_ceil(FEWEST_HELD_OUT as u64)).unwrap_or(usize::MAX);
            for (place, fold) in held_out.iter_mut().enumerate() {
                fold.extend(own.iter().skip(place).step_by(step).take(most));
            }
        }
        // Callers rely on sorted folds.
        held_out.iter_mut().for_each(|fold| fold.sort_unstable());
        held_out.retain(|fold| !fold.is_empty());
        held_out
    }

    /// Returns the chosen documents and their labels.
    pub(crate) fn chosen(&self, documents: &[usize]) -> (SparseRecords, Vec<usize>) {
        let labels = documents.iter().map(|&document| self.sample_labels[document]).collect();
        (self.sample.chosen(documents), labels)
    }
}

fn describe(features: &FeatureSettings) -> String {
    match features.hash_bits {
        Some(bits) => format!("{features} in {bits} hash bits"),
        None => features.to_string(),
    }
}

/// Checks that a class can have this name.
pub fn check_label(label: &str) -> Result<(), BcwError> {
    let wrong = |reason| Err(BcwError::Label { label: label.to_owned(), reason });
    if label.trim().is_empty() {
        return wrong("is empty");
    }
    if label.contains(['\t', '\n', '\r']) {
        return wrong("contains a tab or a line break");
    }
    Ok(())
}

fn check_number(classes: usize) -> Result<(), BcwError> {
    let most = usize::from(u16::MAX) + 1;
    if classes > most { Err(BcwError::TooManyClasses { most }) } else { Ok(()) }
}

/// Returns the number of a class, and adds the class if it is new.
fn class_number(classes: &mut Vec<String>, name: &str) -> usize {
    classes.iter().position(|known| known == name).unwrap_or_else(|| {
        classes.push(name.to_owned());
        classes.len() - 1
    })
}

/// Reads documents, batch by batch, into training data.
#[derive(Debug)]
pub struct Reader {
    data: TrainingData,
    analyzer: Analyzer,
    numbers: BTreeMap<String, usize>,
    keeps_all: bool,
    /// For each class, the number of documents seen, and the step with which documents are sampled.
    met: Vec<usize>,
    strides: Vec<usize>,
}

impl Reader {
    /// Returns a reader for these features. With `keeps_all`, it keeps every document, as linear
    /// models need; otherwise it keeps a sample of a large corpus.
    #[must_use]
    pub fn new(features: FeatureSettings, keeps_all: bool) -> Self {
        let index = FeatureIndex::new(features.hash_bits);
        let data = TrainingData {
            features,
            index,
            classes: Vec::new(),
            counts: Counts::new(0),
            sample: SparseRecords::default(),
            sample_labels: Vec::new(),
            is_complete: true,
            digests: Vec::new(),
        };
        let analyzer = feature::analyzer();
        Self {
            data,
            analyzer,
            numbers: BTreeMap::new(),
            keeps_all,
            met: Vec::new(),
            strides: Vec::new(),
        }
    }

    /// Reads a batch of documents, on all threads.
    pub fn read(&mut self, batch: &[Labelled]) -> Result<(), BcwError> {
        let labels: Vec<usize> =
            batch.iter().map(|document| self.number(&document.label)).collect::<Result<_, _>>()?;
        let passages: Vec<&Passages> = batch.iter().map(|d| &d.passages).collect();
        let mut records = SparseRecords::default();
        records.read(&passages, &self.data.features, &self.analyzer, &mut self.data.index);
        self.data.counts.add(&records, &labels);
        self.data.digests.extend(batch.iter().map(Labelled::digest));
        for (row, &label) in records.rows().zip(&labels) {
            let is_due = self.met[label].is_multiple_of(self.strides[label]);
            self.met[label] += 1;
            if self.data.is_complete || is_due {
                self.data.sample.push(row.iter().copied());
                self.data.sample_labels.push(label);
            }
        }
        self.thin_out();
        Ok(())
    }

    /// Keeps the sample of a large corpus small and even, whatever the order of its documents.
    fn thin_out(&mut self) {
        if self.data.is_complete {
            if self.keeps_all || self.data.sample.len() <= SMALL {
                return;
            }
            self.data.keep_one_in_ten();
        }
        let mut sizes = vec![0; self.data.classes.len()];
        self.data.sample_labels.iter().for_each(|&label| sizes[label] += 1);
        if sizes.iter().all(|&size| size < 2 * LARGEST_SAMPLE) {
            return;
        }
        for (stride, size) in self.strides.iter_mut().zip(sizes) {
            if size >= 2 * LARGEST_SAMPLE {
                *stride *= 2;
            }
        }
        self.data.keep(
            |of_class| {
                if of_class >= 2 * LARGEST_SAMPLE { of_class / 2 } else { of_class }
            },
        );
    }

    /// Finishes reading and returns the training data.
    #[must_use]
    pub fn finish(mut self) -> TrainingData {
        self.data.sort();
        self.data
    }

    /// Returns the number of a class, and adds the class if it is new.
    fn number(&mut self, label: &str) -> Result<usize, BcwError> {
        if let Some(&number) = self.numbers.get(label) {
            return Ok(number);
        }
        check_label(label)?;
        let number = self.data.classes.len();
        check_number(number + 1)?;
        self.numbers.insert(label.to_owned(), number);
        self.data.classes.push(label.to_owned());
        self.data.counts.documents.push(0);
        self.met.push(0);
        self.strides.push(ONE_IN);
        Ok(number)
    }
}
