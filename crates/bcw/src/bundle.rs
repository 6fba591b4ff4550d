//! Classifiers as bundles: directories with a manifest.
//!
//! | file | content |
//! |---|---|
//! | `manifest.json` | kind, version, provenance, and the checksums of the other files |
//! | `README.md` | a description with results, for people; may be absent |
//! | `model.json` | settings, classes, validation and candidates, for people and programs |
//! | `features.txt` | the features in the order of their numbers; absent if they are hashed |
//! | `weights.bin` | the weights: everything else that prediction needs |
//! | `evidence.bin` | counts and documents, to update the model; absent with `--final` |
//! | `documents.bin` | digests of the documents, to find those learned before; as `evidence.bin` |
//!
//! Each line of `features.txt` is a feature with the mark of its kind before it: `w` (word), `p`
//! (pair) or `c` (characters).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use linfa::ParamGuard;
use ontrail_artifact::{ArtifactError, Bundle, BundleWriter, Format, Provenance};

use crate::bytes::{Input, put_all};
use crate::classifier::{Card, Classifier};
use crate::counts::{Counts, Key};
use crate::data::TrainingData;
use crate::error::BcwError;
use crate::index::FeatureIndex;
use crate::model::Bcw;
use crate::params::BcwParams;
use crate::records::{Entry, SparseRecords};
use crate::settings::Mode;
use crate::weights::{Value, Weights};

/// The artifact format of classifiers.
pub const FORMAT: Format =
    Format { kind: "page classifier", version: 1, oldest: 1, rebuild: "ontrail bcw train" };

const MODEL: &str = "model.json";
pub(crate) const FEATURES: &str = "features.txt";
const WEIGHTS: &str = "weights.bin";
const README: &str = "README.md";
const EVIDENCE: &str = "evidence.bin";
const DOCUMENTS: &str = "documents.bin";

impl Classifier {
    /// Writes the classifier. With its training data in `evidence`, it can be updated later;
    /// `readme` describes it to people.
    pub fn save(
        &self,
        path: &Path,
        provenance: &Provenance,
        evidence: Option<&TrainingData>,
        readme: Option<&str>,
    ) -> Result<(), BcwError> {
        let bundle = BundleWriter::create(path, &FORMAT)?;
        let write = |name: &str, bytes: &[u8]| {
            let file = bundle.path(name);
            fs::write(&file, bytes).map_err(|source| {
                BcwError::from(ArtifactError::Io { path: file, action: "write the file", source })
            })
        };
        let mut card = serde_json::to_vec_pretty(&self.card).map_err(|error| {
            BcwError::Damaged { file: MODEL.to_owned(), reason: error.to_string() }
        })?;
        card.push(b'\n');
        write(MODEL, &card)?;
        if !self.index.is_hashed() {
            write(FEATURES, self.index.to_lines().as_bytes())?;
        }
        write(WEIGHTS, &weights_to_bytes(&self.model))?;
        if let Some(evidence) = evidence {
            write(EVIDENCE, &evidence_to_bytes(evidence))?;
            let mut digests = Vec::new();
            put_all(&mut digests, evidence.digests.iter().copied());
            write(DOCUMENTS, &digests)?;
        }
        if let Some(readme) = readme {
            write(README, readme.as_bytes())?;
        }
        Ok(bundle.finish(&FORMAT, provenance)?)
    }

    /// Reads a classifier.
    pub fn open(path: &Path) -> Result<Self, BcwError> {
        let bundle = Bundle::open(path, &FORMAT)?;
        let within = |error| in_bundle(path, error);
        let card = read_card(&bundle).map_err(within)?;
        let index = read_index(&bundle, &card).map_err(within)?;
        let bytes = bundle.read(WEIGHTS)?;
        let value = if card.settings.mode == Mode::Linear { Value::Unit } else { Value::Count };
        let (weights, priors) =
            weights_from_bytes(&bytes, value, index.len(), &card).map_err(within)?;
        let model = Bcw {
            weights,
            log_priors: priors,
            adds_prior: card.settings.mode.is_bayesian(),
            label_weights: card.settings.prediction_weights(),
            temperature: card.temperature,
        };
        Ok(Self { card, index, model })
    }
}

impl TrainingData {
    /// Reads the data that a classifier was trained on.
    pub fn open(path: &Path) -> Result<Self, BcwError> {
        let bundle = Bundle::open(path, &FORMAT)?;
        let within = |error| in_bundle(path, error);
        let card = read_card(&bundle).map_err(within)?;
        if !bundle.lists(EVIDENCE) {
            return Err(BcwError::Final);
        }
        let index = read_index(&bundle, &card).map_err(within)?;
        let bytes = bundle.read(EVIDENCE)?;
        let data = evidence_from_bytes(&bytes, card, index).map_err(within)?;
        Ok(Self { digests: read_digests(&bundle).map_err(within)?, ..data })
    }
}

/// Reads the digests of the documents. Classifiers of older versions have none.
fn read_digests(bundle: &Bundle) -> Result<Vec<u64>, BcwError> {
    if !bundle.lists(DOCUMENTS) {
        return Ok(Vec::new());
    }
    let bytes = bundle.read(DOCUMENTS)?;
    let mut input = Input::new(DOCUMENTS, &bytes);
    let digests: Vec<u64> = input.numbers(bytes.len() / size_of::<u64>())?;
    if !digests.is_sorted() {
        return Err(input.damaged("its digests are out of order"));
    }
    input.finish()?;
    Ok(digests)
}

/// Adds the path of the bundle to the file name in an error.
fn in_bundle(path: &Path, error: BcwError) -> BcwError {
    match error {
        BcwError::Damaged { file, reason } => {
            BcwError::Damaged { file: path.join(file).display().to_string(), reason }
        }
        error => error,
    }
}

fn read_text(bundle: &Bundle, name: &str) -> Result<String, BcwError> {
    String::from_utf8(bundle.read(name)?).map_err(|_| BcwError::Damaged {
        file: name.to_owned(),
        reason: "it is not UTF-8".to_owned(),
    })
}

fn read_card(bundle: &Bundle) -> Result<Card, BcwError> {
    let damaged = |reason: String| BcwError::Damaged { file: MODEL.to_owned(), reason };
    let card: Card = serde_json::from_str(&read_text(bundle, MODEL)?)
        .map_err(|error| damaged(error.to_string()))?;
    if card.classes.len() < 2 || card.classes.len() > usize::from(u16::MAX) + 1 {
        return Err(damaged(format!("it has {} classes", card.classes.len())));
    }
    if !(card.temperature.is_finite() && card.temperature > 0.0) {
        return Err(damaged(format!("its temperature is {}", card.temperature)));
    }
    let names: BTreeSet<&str> = card.classes.iter().map(|class| class.name.as_str()).collect();
    if names.len() < card.classes.len() {
        return Err(damaged("two of its classes have the same name".to_owned()));
    }
    card.features.check().map_err(|error| damaged(error.to_string()))?;
    let params = BcwParams::from(card.settings.clone());
    params.check_ref().map_err(|error| damaged(error.to_string()))?;
    if card.other_below.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
        return Err(damaged("its threshold for \"other\" is not a probability".to_owned()));
    }
    Ok(card)
}

fn read_index(bundle: &Bundle, card: &Card) -> Result<FeatureIndex, BcwError> {
    if card.features.hash_bits.is_some() {
        return Ok(FeatureIndex::new(card.features.hash_bits));
    }
    let index = FeatureIndex::from_lines(&read_text(bundle, FEATURES)?)?;
    if index.len() != card.feature_count {
        return Err(BcwError::Damaged {
            file: FEATURES.to_owned(),
            reason: format!(
                "it lists {} features, but {MODEL} has {}: they belong to different models",
                index.len(),
                card.feature_count
            ),
        });
    }
    Ok(index)
}

fn weights_to_bytes(model: &Bcw) -> Vec<u8> {
    let Bcw { weights, log_priors, .. } = model;
    let mut bytes = Vec::new();
    put_all(
        &mut bytes,
        [weights.biases.len(), weights.ends.len(), weights.values.len()].map(|n| n as u64),
    );
    put_all(&mut bytes, log_priors.iter().copied());
    put_all(&mut bytes, weights.biases.iter().copied());
    put_all(&mut bytes, weights.defaults.iter().copied());
    put_all(&mut bytes, weights.factors.iter().copied());
    put_all(&mut bytes, weights.ends.iter().copied());
    put_all(&mut bytes, weights.classes.iter().copied());
    put_all(&mut bytes, weights.values.iter().copied());
    bytes
}

fn weights_from_bytes(
    bytes: &[u8],
    value: Value,
    features: usize,
    card: &Card,
) -> Result<(Weights, Vec<f64>), BcwError> {
    let mut input = Input::new(WEIGHTS, bytes);
    let (classes, rows, entries) = (input.size()?, input.size()?, input.size()?);
    if classes != card.classes.len() || rows != features {
        return Err(input.damaged(format!(
            "it has {rows} features and {classes} classes, but {FEATURES} and {MODEL} have \
             {features} and {}: they belong to different models",
            card.classes.len()
        )));
    }
    let priors: Vec<f64> = input.numbers(classes)?;
    let weights = Weights {
        value,
        biases: input.numbers(classes)?,
        defaults: input.numbers(classes)?,
        factors: input.numbers(rows)?,
        ends: input.numbers(rows)?,
        classes: input.numbers(entries)?,
        values: input.numbers(entries)?,
    };
    let is_sound = weights.ends.is_sorted()
        && weights.ends.last().copied().unwrap_or(0) as usize == entries
        && weights.classes.iter().all(|&class| usize::from(class) < classes)
        && priors
            .iter()
            .chain(&weights.biases)
            .chain(&weights.defaults)
            .all(|number| number.is_finite())
        && weights.factors.iter().all(|factor| factor.is_finite() && *factor >= 0.0)
        && weights.values.iter().all(|number| number.is_finite());
    if !is_sound {
        return Err(input.damaged("it contains invalid numbers"));
    }
    input.finish()?;
    Ok((weights, priors))
}

fn evidence_to_bytes(data: &TrainingData) -> Vec<u8> {
    let TrainingData { counts, sample, sample_labels, is_complete, .. } = data;
    let mut bytes = Vec::new();
    let entries: usize = counts.rows.iter().map(Vec::len).sum();
    let sizes =
        [counts.documents.len(), counts.rows.len(), entries, sample.len(), sample.entries.len()];
    put_all(&mut bytes, sizes.map(|size| size as u64));
    put_all(&mut bytes, [u8::from(*is_complete)]);
    put_all(&mut bytes, counts.documents.iter().copied());
    let ends = counts.rows.iter().scan(0, |end, row| {
        *end += row.len() as u64;
        Some(*end)
    });
    put_all(&mut bytes, ends);
    put_all(&mut bytes, counts.rows.iter().flatten().map(|(key, _)| key.0));
    put_all(&mut bytes, counts.rows.iter().flatten().map(|&(_, count)| count));
    put_all(&mut bytes, sample.ends.iter().map(|&end| end as u64));
    put_all(&mut bytes, sample.entries.iter().map(|entry| entry.feature));
    put_all(&mut bytes, sample.entries.iter().map(|entry| entry.group));
    put_all(&mut bytes, sample.entries.iter().map(|entry| entry.count));
    put_all(&mut bytes, sample_labels.iter().map(|&label| label as u64));
    bytes
}

fn evidence_from_bytes(
    bytes: &[u8],
    card: Card,
    index: FeatureIndex,
) -> Result<TrainingData, BcwError> {
    let mut input = Input::new(EVIDENCE, bytes);
    let (classes, rows, entries) = (input.size()?, input.size()?, input.size()?);
    let (documents, places) = (input.size()?, input.size()?);
    let is_complete = input.numbers::<u8>(1)?[0] == 1;
    if classes != card.classes.len() || rows > index.len() {
        return Err(input.damaged("it belongs to another model"));
    }
    let class_documents: Vec<u64> = input.numbers(classes)?;
    let ends = input.ends(rows, entries)?;
    let keys: Vec<u32> = input.numbers(entries)?;
    let numbers: Vec<u32> = input.numbers(entries)?;
    let pairs: Vec<(Key, u32)> = keys.into_iter().map(Key).zip(numbers).collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let counts = Counts {
        documents: class_documents,
        rows: starts.zip(&ends).map(|(start, &end)| pairs[start..end].to_vec()).collect(),
    };
    let sample_ends = input.ends(documents, places)?;
    let features: Vec<u32> = input.numbers(places)?;
    let groups: Vec<u8> = input.numbers(places)?;
    let numbers: Vec<u16> = input.numbers(places)?;
    let entries = features.into_iter().zip(groups).zip(numbers);
    let entries: Vec<Entry> =
        entries.map(|((feature, group), count)| Entry { feature, group, count }).collect();
    let labels: Vec<usize> = input
        .numbers::<u64>(documents)?
        .into_iter()
        .map(|label| usize::try_from(label).unwrap_or(usize::MAX))
        .collect();
    let is_sound = pairs.iter().all(|(key, _)| key.is_valid(classes))
        && counts.rows.iter().all(|row| row.is_sorted_by_key(|&(key, _)| key))
        && entries.iter().all(|entry| (entry.feature as usize) < rows && entry.group < 5)
        && labels.iter().all(|&label| label < classes);
    if !is_sound {
        return Err(input.damaged("it contains invalid numbers"));
    }
    input.finish()?;
    Ok(TrainingData {
        features: card.features,
        sample: SparseRecords { features: index.len(), ends: sample_ends, entries },
        index,
        classes: card.classes.into_iter().map(|class| class.name).collect(),
        counts,
        sample_labels: labels,
        is_complete,
        digests: Vec::new(),
    })
}
