//! The topic vector: terms and their weights.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ontrail_artifact::{
    ArtifactError, Checksum, Destination, Format, Provenance, read_json, write_json,
};
use ontrail_text::{Analyzer, AnalyzerBuilder};
use serde::{Deserialize, Serialize};

use crate::calibration::{Calibration, CalibrationError, Scoring};
use crate::general::general_background;

/// The artifact format: one JSON file, whatever the topic was made from.
pub const FORMAT: Format = Format {
    kind: "topic",
    version: 2,
    oldest: 1,
    rebuild: "ontrail topic weigh, learn or keywords",
};

/// The source of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// An ontology. Weights are similarities to the topic's concept.
    Ontology,
    /// Texts about the topic. Weights are TF-IDF.
    Texts,
    /// A person, who chose the terms and weights.
    Keywords,
}

/// A topic: a name and weighted terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// The name.
    pub name: String,
    /// The source.
    pub origin: Origin,
    /// The terms, by descending weight.
    pub terms: Vec<Term>,
    /// Document frequencies, for weights that depend on how rare a word is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Background>,
    /// True if, without a background of its own, the topic uses the one that ships
    /// ([`general_background`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub general_background: bool,
    /// The calibrations, at most one for each way of scoring.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibrations: Vec<Calibration>,
}

/// A term of a topic.
///
/// Terms of the same concept are names of one thing. On a page they count together, so that a page
/// need not use every synonym, or every language, to be relevant. The weight of the concept is the
/// greatest of its terms; an occurrence of a term with half that weight counts half.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The term as written in text.
    pub term: String,
    /// The weight, 0 or more.
    pub weight: f64,
    /// The language of the term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The concept that the term names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concept: Option<String>,
}

impl Term {
    /// Creates a term without language and concept.
    #[must_use]
    pub fn new(term: impl Into<String>, weight: f64) -> Self {
        Self { term: term.into(), weight, language: None, concept: None }
    }
}

/// Document frequencies of words, counted in the texts that a topic was learned from or in others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// Number of texts.
    pub documents: u64,
    /// Number of words in all texts.
    pub words: u64,
    /// Number of texts that contain each word, in the form in which words are counted. Words in
    /// only one text are left out: they are treated like words in none.
    pub containing: BTreeMap<String, u64>,
}

impl Background {
    /// Returns the number of texts that contain a word, 1 for an unknown word.
    #[must_use]
    pub fn containing(&self, word: &str) -> u64 {
        self.containing.get(word).copied().unwrap_or(1).max(1)
    }
}

/// Error for an invalid topic.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TopicError {
    /// The topic has no terms.
    #[error("the topic {0:?} has no terms, so no page can be relevant")]
    NoTerms(String),
    /// All weights are 0.
    #[error("no term of the topic {0:?} has a weight above 0, so no page can be relevant")]
    NoWeight(String),
    /// A weight is negative or not a number.
    #[error("the term {term:?} has the weight {weight}; weights must be 0 or more")]
    Weight {
        /// The term.
        term: String,
        /// Its weight.
        weight: f64,
    },
    /// A term is empty.
    #[error("a term of the topic {0:?} is empty")]
    EmptyTerm(String),
    /// The topic has no name.
    #[error("the topic has no name")]
    NoName,
    /// A term contains a tab, a line break or another control character.
    #[error("the term {0:?} contains a tab, a line break or another control character")]
    Control(String),
    /// The background has no documents.
    #[error(
        "the background of the topic {0:?} has no documents; remove it, or make the topic again \
         with --background"
    )]
    EmptyBackground(String),
    /// A term is listed twice.
    #[error("the term {0:?} is listed twice; remove one of the two")]
    Twice(String),
    /// A calibration cannot be used with the topic.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
}

/// Error while reading a topic from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file is not a topic.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The topic is invalid.
    #[error("{path}: {error}")]
    Topic {
        /// The file.
        path: String,
        /// The fault.
        error: TopicError,
    },
}

impl Topic {
    /// Creates a topic. The terms are sorted by weight, and weights are rounded to six digits.
    pub fn new(name: &str, origin: Origin, terms: Vec<Term>) -> Result<Self, TopicError> {
        let (name, background, calibrations) = (name.to_owned(), None, Vec::new());
        let mut topic =
            Self { name, origin, terms, background, general_background: false, calibrations };
        topic.terms.iter_mut().for_each(|term| term.weight = rounded(term.weight));
        topic.terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        topic.check()?;
        Ok(topic)
    }

    /// Sets the document frequencies. Calibrations, which depend on them, are removed.
    #[must_use]
    pub fn with_background(mut self, background: Option<Background>) -> Self {
        self.background = background;
        self.calibrations.clear();
        self
    }

    /// Uses the document frequencies that ship, if the topic has none of its own.
    #[must_use]
    pub fn with_general_background(mut self) -> Self {
        self.general_background = true;
        self.calibrations.clear();
        self
    }

    /// Returns the document frequencies by which words are weighed, if there are any.
    #[must_use]
    pub fn rarities(&self) -> Option<&Background> {
        let general = || self.general_background.then(general_background);
        self.background.as_ref().or_else(general)
    }

    /// Adds a calibration, in place of one for the same way of scoring.
    pub fn add_calibration(&mut self, calibration: Calibration) -> Result<(), CalibrationError> {
        calibration.check(&self.checksum())?;
        self.calibrations.retain(|known| known.scoring != calibration.scoring);
        self.calibrations.push(calibration);
        Ok(())
    }

    /// Returns the calibration for a way of scoring; `None` if the topic has none at all. A topic
    /// that has calibrations, but none for this way, is an error: its owner expects one to be used.
    pub fn calibration(&self, scoring: &Scoring) -> Result<Option<&Calibration>, CalibrationError> {
        let found = self.calibrations.iter().find(|known| known.scoring == *scoring);
        if found.is_some() || self.calibrations.is_empty() {
            return Ok(found);
        }
        let known: Vec<String> =
            self.calibrations.iter().map(|known| known.scoring.to_string()).collect();
        let (wanted, known) = (scoring.to_string(), known.join("; "));
        Err(CalibrationError::OtherScoring { wanted, known })
    }

    /// Returns a checksum of everything in the topic that scores depend on: the terms with their
    /// weights and concepts, and the document frequencies.
    #[must_use]
    pub fn checksum(&self) -> Checksum {
        let mut terms: Vec<String> = self
            .terms
            .iter()
            .map(|it| {
                let concept = it.concept.as_deref().unwrap_or_default();
                format!("{}\t{:.5e}\t{concept}\n", it.term.trim(), it.weight)
            })
            .collect();
        terms.sort_unstable();
        let mut text = terms.concat();
        if let Some(background) = &self.background {
            text.push_str(&format!("\n{}\t{}\n", background.documents, background.words));
            for (word, documents) in &background.containing {
                text.push_str(&format!("{word}\t{documents}\n"));
            }
        }
        if self.background.is_none() && self.general_background {
            text.push_str("\ngeneral\n");
        }
        Checksum::of(text.as_bytes())
    }

    /// Checks that the topic is valid, since its file may have been edited by hand.
    pub fn check(&self) -> Result<(), TopicError> {
        let name = || self.name.clone();
        if self.name.trim().is_empty() {
            return Err(TopicError::NoName);
        }
        if self.terms.is_empty() {
            return Err(TopicError::NoTerms(name()));
        }
        let mut seen = BTreeSet::new();
        for Term { term, weight, .. } in &self.terms {
            if term.trim().is_empty() {
                return Err(TopicError::EmptyTerm(name()));
            }
            if term.contains(char::is_control) {
                return Err(TopicError::Control(term.clone()));
            }
            if !(weight.is_finite() && *weight >= 0.0) {
                return Err(TopicError::Weight { term: term.clone(), weight: *weight });
            }
            if !seen.insert(term.trim()) {
                return Err(TopicError::Twice(term.clone()));
            }
        }
        if self.background.as_ref().is_some_and(|background| background.documents == 0) {
            return Err(TopicError::EmptyBackground(name()));
        }
        if self.terms.iter().all(|term| term.weight == 0.0) {
            return Err(TopicError::NoWeight(name()));
        }
        self.check_calibrations()?;
        Ok(())
    }

    fn check_calibrations(&self) -> Result<(), CalibrationError> {
        if self.calibrations.is_empty() {
            return Ok(());
        }
        let checksum = self.checksum();
        for (at, calibration) in self.calibrations.iter().enumerate() {
            calibration.check(&checksum)?;
            let scoring = &calibration.scoring;
            if self.calibrations[..at].iter().any(|before| before.scoring == *scoring) {
                return Err(CalibrationError::Twice(scoring.to_string()));
            }
        }
        Ok(())
    }

    /// Reads a topic.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Self::read_with_provenance(path).map(|(_, topic)| topic)
    }

    /// Reads a topic and its provenance.
    pub fn read_with_provenance(path: &Path) -> Result<(Provenance, Self), ReadError> {
        let (provenance, topic): (Provenance, Self) = read_json(path, &FORMAT)?;
        let wrong = |error| ReadError::Topic { path: path.display().to_string(), error };
        topic.check().map_err(wrong)?;
        Ok((provenance, topic))
    }

    /// Reads a topic to calibrate it, with its provenance. Calibrations of other terms, which the
    /// file has if somebody edited it, are removed instead of refused.
    pub fn read_to_calibrate(path: &Path) -> Result<(Provenance, Self), ReadError> {
        let (provenance, mut topic): (Provenance, Self) = read_json(path, &FORMAT)?;
        let checksum = topic.checksum();
        topic.calibrations.retain(|calibration| calibration.check(&checksum).is_ok());
        let wrong = |error| ReadError::Topic { path: path.display().to_string(), error };
        topic.check().map_err(wrong)?;
        Ok((provenance, topic))
    }

    /// Writes a topic.
    pub fn write<'a>(
        &self,
        to: impl Into<Destination<'a>>,
        provenance: &Provenance,
    ) -> Result<(), ArtifactError> {
        write_json(to, &FORMAT, provenance, self)
    }

    /// Returns a builder of an analyzer that finds the topic's terms. The caller can add others.
    pub fn analyzer(&self) -> AnalyzerBuilder {
        Analyzer::builder().terms(self.terms.iter().map(|term| term.term.trim()))
    }
}

/// Rounds a weight to six digits: people read the file, and further digits say nothing about a
/// topic.
fn rounded(weight: f64) -> f64 {
    format!("{weight:.5e}").parse().unwrap_or(weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(terms: Vec<Term>) -> Result<Topic, TopicError> {
        Topic::new("rain", Origin::Keywords, terms)
    }

    #[test]
    fn terms_are_sorted_by_weight() {
        let topic = topic(vec![Term::new("a", 1.0), Term::new("b", 5.0)]).unwrap();
        assert_eq!(topic.terms[0].term, "b");
    }

    #[test]
    fn invalid_topics_are_refused() {
        let error = |terms| topic(terms).unwrap_err().to_string();
        assert_eq!(error(vec![]), "the topic \"rain\" has no terms, so no page can be relevant");
        assert_eq!(
            error(vec![Term::new("a", -0.5)]),
            "the term \"a\" has the weight -0.5; weights must be 0 or more"
        );
        assert!(error(vec![Term::new("a", f64::NAN)]).contains("NaN"));
        assert!(error(vec![Term::new("a\tb", 1.0)]).contains("control character"));
        assert_eq!(Topic::new(" ", Origin::Keywords, vec![]), Err(TopicError::NoName));
        assert!(error(vec![Term::new("a", 0.0)]).contains("has a weight above 0"));
        assert!(error(vec![Term::new(" ", 1.0)]).contains("empty"));
        assert!(error(vec![Term::new("a", 1.0), Term::new("a ", 2.0)]).contains("twice"));
    }

    #[test]
    fn weights_are_rounded_to_six_digits_and_small_ones_survive() {
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-18, "{found}");
        close(rounded(0.552_272_727_272), 0.552_273);
        close(rounded(0.000_012_345_678_9), 0.000_012_345_7);
        close(rounded(0.0), 0.0);
        assert!(rounded(1e-310) > 0.0);
    }

    #[test]
    fn an_edited_file_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        let topic = topic(vec![Term::new("暴雨", 1.0)]).unwrap();
        topic.write(&path, &Provenance::default()).unwrap();
        assert_eq!(Topic::read(&path).unwrap(), topic);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("1.0", "-1.0")).unwrap();
        let error = Topic::read(&path).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "x.json: the term \"暴雨\" has the weight -1; weights must be 0 or more"
            )
        );
        std::fs::write(&path, text.replace("weight", "wait")).unwrap();
        let error = Topic::read(&path).unwrap_err().to_string();
        assert!(error.contains("unknown field `wait`"), "{error}");
    }

    #[test]
    fn a_calibration_belongs_to_its_terms_and_its_way_of_scoring() {
        let made = || topic(vec![Term::new("rain", 1.0), Term::new("flood", 0.5)]).unwrap();
        let scoring = |model| Scoring::new(&model, ontrail_page::Content::Page);
        let labels = scoring(crate::Model::labels());
        let mut rain = made();
        assert_eq!(rain.calibration(&labels), Ok(None));
        let calibration = Calibration::fit(&rain, labels.clone(), &[0.8], &[0.1]).unwrap();
        rain.add_calibration(calibration.clone()).unwrap();
        rain.add_calibration(calibration.clone()).unwrap();
        assert_eq!(rain.calibration(&labels), Ok(Some(&calibration)));
        assert_eq!(rain.calibrations.len(), 1);
        let error = rain.calibration(&scoring(crate::Model::tags())).unwrap_err().to_string();
        assert!(error.contains("has no calibration for vsm tags, norm topic"), "{error}");
        // The order of the terms and their languages change no score.
        let mut same = made();
        same.terms.reverse();
        same.terms[0].language = Some("en".to_owned());
        same.add_calibration(calibration.clone()).unwrap();
        let mut lighter = rain.clone();
        lighter.terms[1].weight = 0.4;
        assert!(lighter.check().unwrap_err().to_string().contains("made for other terms"));
        let background = Background { documents: 9, words: 99, containing: BTreeMap::new() };
        let mut rarer = Topic { background: Some(background), ..rain.clone() };
        assert!(rarer.check().is_err());
        rarer.calibrations.clear();
        assert!(rarer.add_calibration(calibration.clone()).is_err());
        let mut twice = rain;
        twice.calibrations.push(calibration);
        assert!(twice.check().unwrap_err().to_string().contains("two calibrations"));
    }
}
