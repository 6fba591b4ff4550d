//! The graph as a file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ontrail_artifact::{ArtifactError, Format, Provenance, read_json, write_json};
use ontrail_text::Analyzer;
use serde::{Deserialize, Serialize};

use crate::ambiguity::{Ambiguity, Indicators, TermCounts};
use crate::settings::{Bounds, Importance, Shape};

/// The artifact: a JSON file that a person can read and edit.
pub const FORMAT: Format =
    Format { kind: "disambiguation graph", version: 1, oldest: 1, rebuild: "ontrail sdg build" };

/// The semantic disambiguation graph of a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sdg {
    /// What the topic is called.
    pub name: String,
    /// How many pages of the background were counted.
    pub pages: u64,
    /// How many of them are on the topic.
    pub relevant_pages: u64,
    /// Which form of TI was used.
    pub importance: Importance,
    /// Which form of fuzzy sets.
    pub shape: Shape,
    /// a and b of each indicator, by its name.
    pub bounds: BTreeMap<String, Bounds>,
    /// `θ_k` as a share of the mean degree of a term's disambiguation terms (eq. 20), from 0 to 1.
    pub theta: f64,
    /// The terms of the topic, the weightiest first.
    pub terms: Vec<Node>,
    /// Which of them stand together on pages of the topic.
    pub edges: Vec<Edge>,
}

/// A term of the topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// The term as it is written.
    pub term: String,
    /// Its weight in the topic (eq. 9).
    pub weight: f64,
    /// Whether it has other meanings besides the topic's.
    pub ambiguous: bool,
    /// The terms that show, on a page, that it has the topic's (eq. 16).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disambiguated_by: Vec<String>,
    /// How ambiguous it is; nothing for a term that the background does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ambiguity: Option<Ambiguity>,
    /// The indicators that this follows from.
    #[serde(default)]
    pub indicators: Indicators,
    /// The counts that those follow from.
    #[serde(default)]
    pub counts: TermCounts,
}

/// Two terms that stand together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The terms.
    pub terms: [String; 2],
    /// The co-occurrence degree, from 0 to 1 (eq. 10).
    pub degree: f64,
    /// On how many pages of the topic both are.
    #[serde(default)]
    pub together: u32,
    /// On how many pages either is.
    #[serde(default)]
    pub either: u32,
}

/// What is wrong with a graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SdgError {
    /// A graph that is called nothing, or has control characters in its name.
    #[error(
        "the graph is called {0:?}; give it a name without line breaks and other control characters"
    )]
    Name(String),
    /// It has no terms.
    #[error("the graph {0:?} has no terms")]
    NoTerms(String),
    /// A term without letters.
    #[error("a term of the graph {0:?} is empty")]
    EmptyTerm(String),
    /// A tab or a line break in a term.
    #[error("the term {0:?} has a tab, a line break or another control character in it")]
    Control(String),
    /// A term that is there twice.
    #[error("the term {0:?} is there twice; keep one of them")]
    Twice(String),
    /// A number out of range.
    #[error("{what} of {term:?} is {value:?}; {range}")]
    Number {
        /// Which number.
        what: &'static str,
        /// Of what.
        term: String,
        /// What it is.
        value: f64,
        /// What it should be.
        range: &'static str,
    },
    /// An edge from or to a term that there is not.
    #[error("an edge joins {0:?}, which is no term of the graph")]
    UnknownEnd(String),
    /// An edge that is there twice.
    #[error("there is more than one edge between {0:?} and {1:?}; keep one of them")]
    EdgeTwice(String, String),
    /// An edge from a term to itself.
    #[error("an edge joins {0:?} with itself; strike it out")]
    Loop(String),
    /// A term that should disambiguate another and cannot.
    #[error(
        "{term:?} is said to be disambiguated by {by:?}, but no edge of a degree above 0 joins them; add \
         the edge or strike out the name"
    )]
    Unjoined {
        /// The ambiguous term.
        term: String,
        /// The other.
        by: String,
    },
    /// A term that should disambiguate another twice.
    #[error("{term:?} is said to be disambiguated by {by:?} twice; keep one of them")]
    ByTwice {
        /// The ambiguous term.
        term: String,
        /// The other.
        by: String,
    },
}

/// Why a graph cannot be read from a file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is no graph.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The graph makes no sense.
    #[error("{path}: {error}")]
    Graph {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: SdgError,
    },
}

/// An edge by the places of its terms, the lower one first.
type Ends = (usize, usize);

impl Sdg {
    /// Reads a graph.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let (_, sdg): (_, Self) = read_json(path, &FORMAT)?;
        let wrong = |error| ReadError::Graph { path: path.display().to_string(), error };
        sdg.check().map_err(wrong)?;
        Ok(sdg)
    }

    /// Writes a graph.
    pub fn write(&self, path: &Path, provenance: &Provenance) -> Result<(), ArtifactError> {
        write_json(path, &FORMAT, provenance, self)
    }

    /// The analyzer that the graph's terms were counted with, and that pages are to be read with.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        analyzer_for(self.names())
    }

    /// How the terms are written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(|node| node.term.as_str())
    }

    /// The ambiguous terms.
    pub fn ambiguous(&self) -> impl Iterator<Item = &Node> {
        self.terms.iter().filter(|node| node.ambiguous)
    }

    /// Checks that the graph makes sense: it may have been edited by hand.
    pub fn check(&self) -> Result<(), SdgError> {
        self.checked().map(drop)
    }

    /// Checks that the graph makes sense; the degree of each edge.
    pub(crate) fn checked(&self) -> Result<BTreeMap<Ends, f64>, SdgError> {
        if self.name.trim().is_empty() || self.name.contains(char::is_control) {
            return Err(SdgError::Name(self.name.clone()));
        }
        if self.terms.is_empty() {
            return Err(SdgError::NoTerms(self.name.clone()));
        }
        if !(0.0..=1.0).contains(&self.theta) {
            let (term, value, range) = (self.name.clone(), self.theta, "it must be from 0 to 1");
            return Err(SdgError::Number { what: "theta", term, value, range });
        }
        self.check_terms()?;
        let degrees = self.degrees()?;
        let places = self.places();
        for (place, node) in self.terms.iter().enumerate() {
            let mut seen = BTreeSet::new();
            for by in &node.disambiguated_by {
                if !seen.insert(by) {
                    return Err(SdgError::ByTwice { term: node.term.clone(), by: by.clone() });
                }
                let joined = places
                    .get(by.as_str())
                    .and_then(|&other| degrees.get(&(place.min(other), place.max(other))))
                    .is_some_and(|&degree| degree > 0.0);
                if !joined {
                    return Err(SdgError::Unjoined { term: node.term.clone(), by: by.clone() });
                }
            }
        }
        Ok(degrees)
    }

    fn check_terms(&self) -> Result<(), SdgError> {
        let mut seen = BTreeSet::new();
        for Node { term, weight, .. } in &self.terms {
            if term.trim().is_empty() {
                return Err(SdgError::EmptyTerm(self.name.clone()));
            }
            if term.contains(char::is_control) {
                return Err(SdgError::Control(term.clone()));
            }
            if !(weight.is_finite() && *weight >= 0.0) {
                let (term, value) = (term.clone(), *weight);
                let range = "weights must be 0 or more";
                return Err(SdgError::Number { what: "the weight", term, value, range });
            }
            if !seen.insert(term.as_str()) {
                return Err(SdgError::Twice(term.clone()));
            }
        }
        Ok(())
    }

    /// Where each term stands.
    pub(crate) fn places(&self) -> BTreeMap<&str, usize> {
        self.names().zip(0..).collect()
    }

    fn degrees(&self) -> Result<BTreeMap<Ends, f64>, SdgError> {
        let places = self.places();
        let place = |term: &String| {
            places.get(term.as_str()).copied().ok_or_else(|| SdgError::UnknownEnd(term.clone()))
        };
        let mut degrees = BTreeMap::new();
        for Edge { terms: [first, second], degree, .. } in &self.edges {
            if !(0.0..=1.0).contains(degree) {
                let (term, value) = (format!("{first} and {second}"), *degree);
                let range = "degrees must be from 0 to 1";
                return Err(SdgError::Number { what: "the degree", term, value, range });
            }
            let (one, other) = (place(first)?, place(second)?);
            let ends = (one.min(other), one.max(other));
            if one == other {
                return Err(SdgError::Loop(first.clone()));
            }
            if degrees.insert(ends, *degree).is_some() {
                return Err(SdgError::EdgeTwice(first.clone(), second.clone()));
            }
        }
        Ok(degrees)
    }
}

/// An analyzer that finds some terms and otherwise reads as any other: it is told only those that it would not
/// see as one by itself. Told terms take part in segmentation and swallow the words of phrases, so that other
/// counts would come of them.
#[must_use]
pub fn analyzer_for<'a>(terms: impl Iterator<Item = &'a str>) -> Analyzer {
    let plain = Analyzer::new();
    let mut reader = plain.reader();
    let told: Vec<&str> = terms.filter(|term| reader.single_term(term).is_none()).collect();
    drop(reader);
    if told.is_empty() { plain } else { Analyzer::builder().terms(told).build() }
}
