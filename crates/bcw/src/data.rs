//! Documents on their way to becoming a model.

use std::collections::BTreeMap;

use ontrail_page::{LabelGroup, Passage};
use ontrail_text::Analyzer;

use crate::counts::Counts;
use crate::error::BcwError;
use crate::feature::{self, FeatureSettings, Kind};
use crate::index::FeatureIndex;
use crate::records::SparseRecords;

/// Up to so many documents all are kept, and a model is validated on five folds of them. Of more, one
/// in ten is held out.
const SMALL: usize = 20_000;
/// So many documents are kept at most when only a sample is.
const LARGEST_SAMPLE: usize = 20_000;
const FOLDS: usize = 5;
const ONE_IN: usize = 10;
/// A class with fewer documents than this is never held out: too little would be left to learn from.
const FEWEST_HELD_OUT: usize = 5;

/// A document and its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The class.
    pub label: String,
    /// What it says, by label group.
    pub passages: Vec<Passage>,
}

impl Labelled {
    /// A text of a class, with its headline if it is kept apart.
    #[must_use]
    pub fn text(label: &str, title: Option<&str>, text: &str) -> Self {
        Self { label: label.to_owned(), passages: passages_of_text(title, text) }
    }
}

/// A plain text as passages: its headline under the label of titles, the rest as body text.
#[must_use]
pub fn passages_of_text(title: Option<&str>, text: &str) -> Vec<Passage> {
    let passage = |text: &str, group| Passage { text: text.to_owned(), groups: vec![(0, group)] };
    let title = title.map(|title| passage(title, LabelGroup::Title));
    title.into_iter().chain([passage(text, LabelGroup::Body)]).collect()
}

/// What a model is trained from: the counts of all documents, and some of the documents themselves,
/// by which it is validated. Two can be joined, which is the same as having read all their documents.
#[derive(Debug, Clone)]
pub struct TrainingData {
    pub(crate) features: FeatureSettings,
    pub(crate) index: FeatureIndex,
    /// The names of the classes, sorted once training data is complete.
    pub(crate) classes: Vec<String>,
    pub(crate) counts: Counts,
    pub(crate) sample: SparseRecords,
    pub(crate) sample_labels: Vec<usize>,
    /// Whether the sample holds every document.
    pub(crate) is_complete: bool,
}

impl TrainingData {
    /// The features that were read.
    #[must_use]
    pub fn features(&self) -> &FeatureSettings {
        &self.features
    }

    /// The names of the classes.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// How many documents were read.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.counts.documents().iter().sum()
    }

    /// The counts of all documents.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The counts of a class's documents by feature name, for people and tests: the mark of the
    /// feature's kind before it.
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
        let features = self.index.absorb(&other.index);
        let classes: Vec<usize> =
            other.classes.iter().map(|name| class_number(&mut self.classes, name)).collect();
        self.counts.absorb(&other.counts, &features, &classes);
        let mut sample = other.sample.clone();
        sample.renumber(&features, self.index.len());
        for row in sample.rows() {
            self.sample.push(row.iter().copied());
        }
        self.sample.features = self.index.len();
        self.sample_labels.extend(other.sample_labels.iter().map(|&label| classes[label]));
        self.is_complete &= other.is_complete;
        self.sort();
        Ok(())
    }

    /// Numbers features and classes by name, so that the order of reading leaves no trace in them.
    fn sort(&mut self) {
        let features = self.index.sort();
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by(|&a, &b| self.classes[a].cmp(&self.classes[b]));
        let mut classes = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| classes[old] = new);
        self.classes = order.iter().map(|&old| self.classes[old].clone()).collect();
        self.counts = self.counts.renumber(&features, &classes);
        self.sample.renumber(&features, self.index.len());
        self.sample.sort();
        self.sample_labels.iter_mut().for_each(|label| *label = classes[*label]);
    }

    /// The same documents with fewer features.
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
        let lines = self.index.to_lines();
        let kept: String = lines
            .lines()
            .zip(&wanted)
            .filter(|(_, wanted)| **wanted)
            .flat_map(|(line, _)| [line, "\n"])
            .collect();
        let index = FeatureIndex::from_lines(&kept).expect("these lines were just written");
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
        }
    }

    /// Which documents of the sample are held out, fold by fold.
    pub(crate) fn folds(&self, seed: u64) -> Vec<Vec<usize>> {
        let is_small = self.is_complete && self.sample.len() <= SMALL;
        let (folds, step) =
            if is_small { (FOLDS, FOLDS) } else { (1, if self.is_complete { ONE_IN } else { 1 }) };
        let mut held_out = vec![Vec::new(); folds];
        let offset = usize::try_from(seed % step as u64).expect("below the step");
        let mut met = vec![0; self.classes.len()];
        for (document, &label) in self.sample_labels.iter().enumerate() {
            let place = (met[label] + offset) % step;
            met[label] += 1;
            if self.counts.documents()[label] >= FEWEST_HELD_OUT as u64
                && let Some(fold) = held_out.get_mut(place)
            {
                fold.push(document);
            }
        }
        held_out.retain(|fold| !fold.is_empty());
        held_out
    }

    /// The documents chosen, and their labels.
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

/// The number of a class, which is added if it is new.
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
    /// For each document of the sample whether it stays when there are too many to keep all.
    stays: Vec<bool>,
    met: Vec<usize>,
}

impl Reader {
    /// A reader for these features. With `keeps_all`, every document is kept, as linear models need;
    /// without, a sample of a large corpus.
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
        };
        let analyzer = feature::analyzer();
        Self {
            data,
            analyzer,
            numbers: BTreeMap::new(),
            keeps_all,
            stays: Vec::new(),
            met: Vec::new(),
        }
    }

    /// Reads a batch of documents, on all threads.
    pub fn read(&mut self, batch: &[Labelled]) -> Result<(), BcwError> {
        let labels: Vec<usize> =
            batch.iter().map(|document| self.number(&document.label)).collect::<Result<_, _>>()?;
        let passages: Vec<&[Passage]> = batch.iter().map(|d| d.passages.as_slice()).collect();
        let mut records = SparseRecords::default();
        records.read(&passages, &self.data.features, &self.analyzer, &mut self.data.index);
        self.data.counts.add(&records, &labels);
        for (row, &label) in records.rows().zip(&labels) {
            let stays = self.met[label].is_multiple_of(ONE_IN);
            self.met[label] += 1;
            if self.data.is_complete || (stays && self.data.sample.len() < LARGEST_SAMPLE) {
                self.data.sample.push(row.iter().copied());
                self.data.sample_labels.push(label);
                self.stays.push(stays);
            }
        }
        if self.data.is_complete && !self.keeps_all && self.data.sample.len() > SMALL {
            self.thin_out();
        }
        Ok(())
    }

    /// All that was read.
    #[must_use]
    pub fn finish(mut self) -> TrainingData {
        self.data.sample.features = self.data.index.len();
        self.data.sort();
        self.data
    }

    fn number(&mut self, label: &str) -> Result<usize, BcwError> {
        if let Some(&number) = self.numbers.get(label) {
            return Ok(number);
        }
        if label.trim().is_empty() || label.contains(['\t', '\n', '\r']) {
            return Err(BcwError::Label { label: label.to_owned() });
        }
        let number = self.data.classes.len();
        if number > usize::from(u16::MAX) {
            return Err(BcwError::TooManyClasses { most: usize::from(u16::MAX) + 1 });
        }
        self.numbers.insert(label.to_owned(), number);
        self.data.classes.push(label.to_owned());
        self.data.counts.documents.push(0);
        self.met.push(0);
        Ok(number)
    }

    fn thin_out(&mut self) {
        let staying: Vec<usize> = (0..self.stays.len()).filter(|&at| self.stays[at]).collect();
        let (sample, labels) = self.data.chosen(&staying);
        (self.data.sample, self.data.sample_labels) = (sample, labels);
        self.data.is_complete = false;
        self.stays.clear();
    }
}
