//! The topic vector: terms and how much each says about the topic.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ontrail_artifact::{ArtifactError, Format, Provenance, read_json, write_json};
use ontrail_text::{Analyzer, AnalyzerBuilder};
use serde::{Deserialize, Serialize};

/// The artifact: a JSON file, the same whatever the topic was made from.
pub const FORMAT: Format = Format {
    kind: "topic",
    version: 1,
    oldest: 1,
    rebuild: "ontrail topic weigh, learn or keywords",
};

/// What a topic was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// An ontology: weights are similarities to the topic's concept.
    Ontology,
    /// Texts on the topic: weights are TF-IDF.
    Texts,
    /// A person, who named terms and weights.
    Keywords,
}

/// A topic: what it is called and the terms that speak of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// What it is called.
    pub name: String,
    /// What it was made from.
    pub origin: Origin,
    /// The terms, the weightiest first.
    pub terms: Vec<Term>,
    /// How common words are, for weights that ask how rare one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Background>,
}

/// A term of a topic.
///
/// Terms of the same concept are names of one thing: on a page they count together, so that a page need
/// not use every synonym, or every language, to be near the topic. Of those the greatest weight is the
/// concept's; a name that weighs half of it counts half.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The term as it is written.
    pub term: String,
    /// What it says about the topic, 0 or more.
    pub weight: f64,
    /// The language that it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The concept that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concept: Option<String>,
}

impl Term {
    /// A term by itself.
    #[must_use]
    pub fn new(term: impl Into<String>, weight: f64) -> Self {
        Self { term: term.into(), weight, language: None, concept: None }
    }
}

/// In how many texts words are found: those that a topic was learned from, or others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// How many texts there are.
    pub documents: u64,
    /// How many words they have together.
    pub words: u64,
    /// In how many texts each word is, in the form in which words are counted. Words in one text only
    /// are left out: they are treated like those in none.
    pub containing: BTreeMap<String, u64>,
}

impl Background {
    /// In how many texts a word is, 1 for one that is not known.
    #[must_use]
    pub fn containing(&self, word: &str) -> u64 {
        self.containing.get(word).copied().unwrap_or(1).max(1)
    }
}

/// What is wrong with a topic.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TopicError {
    /// It has no terms.
    #[error("the topic {0:?} has no terms, so nothing can be near it")]
    NoTerms(String),
    /// No term weighs anything.
    #[error("no term of the topic {0:?} weighs more than 0, so nothing can be near it")]
    NoWeight(String),
    /// A weight that is none.
    #[error("the term {term:?} has the weight {weight}; weights must be 0 or more")]
    Weight {
        /// The term.
        term: String,
        /// Its weight.
        weight: f64,
    },
    /// A term without letters.
    #[error("a term of the topic {0:?} is empty")]
    EmptyTerm(String),
    /// A topic that is called nothing.
    #[error("the topic has no name")]
    NoName,
    /// A tab or a line break in a term.
    #[error("the term {0:?} has a tab, a line break or another control character in it")]
    Control(String),
    /// Counts of no texts.
    #[error("the background of the topic {0:?} counts no documents; strike it out or make it anew")]
    EmptyBackground(String),
    /// A term that is there twice.
    #[error("the term {0:?} is there twice; keep one of them")]
    Twice(String),
}

/// Why a topic cannot be read from a file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is no topic.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The topic makes no sense.
    #[error("{path}: {error}")]
    Topic {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: TopicError,
    },
}

impl Topic {
    /// A topic of given terms, sorted by weight. Weights are kept to six digits.
    pub fn new(name: &str, origin: Origin, terms: Vec<Term>) -> Result<Self, TopicError> {
        let mut topic = Self { name: name.to_owned(), origin, terms, background: None };
        topic.terms.iter_mut().for_each(|term| term.weight = rounded(term.weight));
        topic.terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        topic.check()?;
        Ok(topic)
    }

    /// The same topic with counts of how common words are.
    #[must_use]
    pub fn with_background(mut self, background: Option<Background>) -> Self {
        self.background = background;
        self
    }

    /// Checks that the topic makes sense: it may have been edited by hand.
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
        Ok(())
    }

    /// Reads a topic.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Self::read_with_provenance(path).map(|(_, topic)| topic)
    }

    /// Reads a topic and how it was made.
    pub fn read_with_provenance(path: &Path) -> Result<(Provenance, Self), ReadError> {
        let (provenance, topic): (Provenance, Self) = read_json(path, &FORMAT)?;
        let wrong = |error| ReadError::Topic { path: path.display().to_string(), error };
        topic.check().map_err(wrong)?;
        Ok((provenance, topic))
    }

    /// Writes a topic.
    pub fn write(&self, path: &Path, provenance: &Provenance) -> Result<(), ArtifactError> {
        write_json(path, &FORMAT, provenance, self)
    }

    /// An analyzer that finds the topic's terms, to be completed with what else it should find.
    pub fn analyzer(&self) -> AnalyzerBuilder {
        Analyzer::builder().terms(self.terms.iter().map(|term| term.term.trim()))
    }
}

/// A weight as files hold it: what lies behind the sixth digit says nothing about a topic, and a person
/// has to read it.
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
    fn topics_that_make_no_sense_are_refused() {
        let error = |terms| topic(terms).unwrap_err().to_string();
        assert_eq!(error(vec![]), "the topic \"rain\" has no terms, so nothing can be near it");
        assert_eq!(
            error(vec![Term::new("a", -0.5)]),
            "the term \"a\" has the weight -0.5; weights must be 0 or more"
        );
        assert!(error(vec![Term::new("a", f64::NAN)]).contains("NaN"));
        assert!(error(vec![Term::new("a\tb", 1.0)]).contains("control character"));
        assert_eq!(Topic::new(" ", Origin::Keywords, vec![]), Err(TopicError::NoName));
        assert!(error(vec![Term::new("a", 0.0)]).contains("weighs more than 0"));
        assert!(error(vec![Term::new(" ", 1.0)]).contains("empty"));
        assert!(error(vec![Term::new("a", 1.0), Term::new("a ", 2.0)]).contains("twice"));
    }

    #[test]
    fn weights_are_written_short_and_small_ones_stay_apart() {
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
}
