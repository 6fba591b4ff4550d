//! The graph, and its file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ontrail_artifact::{ArtifactError, Destination, Format, Provenance, read_json, write_json};
use ontrail_text::Analyzer;
use serde::{Deserialize, Serialize};

use crate::ambiguity::{Ambiguity, Indicators, TermCounts};
use crate::settings::{Bounds, Importance, Shape};

/// The artifact format of graphs: a JSON file that people can read and edit.
pub const FORMAT: Format =
    Format { kind: "disambiguation graph", version: 1, oldest: 1, rebuild: "ontrail sdg build" };

/// The semantic disambiguation graph of a topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sdg {
    /// The name of the topic.
    pub name: String,
    /// Number of background pages counted.
    pub pages: u64,
    /// Number of these pages that are relevant.
    pub relevant_pages: u64,
    /// The form of TI.
    pub importance: Importance,
    /// The shape of the fuzzy sets.
    pub shape: Shape,
    /// a and b of each indicator, by its name.
    pub bounds: BTreeMap<String, Bounds>,
    /// `θ_k` as a share of the mean degree of a term's disambiguation terms (eq. 20), from 0 to 1.
    pub theta: f64,
    /// The terms of the topic, the greatest weight first.
    pub terms: Vec<Node>,
    /// The pairs of terms that occur together on relevant pages.
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
    /// True if it has other meanings besides the topic's meaning.
    pub ambiguous: bool,
    /// The terms that confirm the topic's meaning when they are on the same page (eq. 16).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disambiguated_by: Vec<String>,
    /// Its ambiguity; absent for a term that the background does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ambiguity: Option<Ambiguity>,
    /// The indicators from which the ambiguity follows.
    #[serde(default)]
    pub indicators: Indicators,
    /// The counts from which the indicators follow.
    #[serde(default)]
    pub counts: TermCounts,
}

/// Two terms that occur together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The terms.
    pub terms: [String; 2],
    /// The co-occurrence degree, from 0 to 1 (eq. 10).
    pub degree: f64,
    /// Number of relevant pages that have both.
    #[serde(default)]
    pub together: u32,
    /// Number of pages that have either.
    #[serde(default)]
    pub either: u32,
}

/// An error in a graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SdgError {
    /// The name of the graph is empty or has control characters.
    #[error(
        "the name of the graph is {0:?}; it must not be empty or contain line breaks and other \
         control characters"
    )]
    Name(String),
    /// The graph has no terms.
    #[error("the graph {0:?} has no terms")]
    NoTerms(String),
    /// An empty term.
    #[error("a term of the graph {0:?} is empty")]
    EmptyTerm(String),
    /// A control character in a term.
    #[error("the term {0:?} contains a tab, a line break or another control character")]
    Control(String),
    /// A term that is listed twice.
    #[error("the term {0:?} is listed twice; keep one of them")]
    Twice(String),
    /// A number out of range.
    #[error("{what} of {term:?} is {value:?}; {range}")]
    Number {
        /// The name of the number.
        what: &'static str,
        /// The term, edge or graph that has it.
        term: String,
        /// Its value.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// An edge with a term that does not exist.
    #[error("an edge joins {0:?}, which is not a term of the graph")]
    UnknownEnd(String),
    /// An edge that is listed twice.
    #[error("there is more than one edge between {0:?} and {1:?}; keep one of them")]
    EdgeTwice(String, String),
    /// An edge from a term to itself.
    #[error("an edge joins {0:?} with itself; remove it")]
    Loop(String),
    /// A disambiguation term without an edge.
    #[error(
        "{term:?} is listed as disambiguated by {by:?}, but no edge with a degree above 0 joins \
         them; add the edge or remove the name"
    )]
    Unjoined {
        /// The ambiguous term.
        term: String,
        /// The disambiguation term.
        by: String,
    },
    /// A disambiguation term that is listed twice.
    #[error("{term:?} is listed as disambiguated by {by:?} twice; keep one of them")]
    ByTwice {
        /// The ambiguous term.
        term: String,
        /// The disambiguation term.
        by: String,
    },
}

/// An error in reading a graph from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file is not a graph.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The graph is invalid.
    #[error("{path}: {error}")]
    Graph {
        /// The file.
        path: String,
        /// The error in the graph.
        error: SdgError,
    },
}

/// The indices of an edge's terms, the lower one first.
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
    pub fn write<'a>(
        &self,
        to: impl Into<Destination<'a>>,
        provenance: &Provenance,
    ) -> Result<(), ArtifactError> {
        write_json(to, &FORMAT, provenance, self)
    }

    /// Returns the analyzer that the graph's terms were counted with. Pages must be read with it.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        analyzer_for(self.names())
    }

    /// Returns the terms as they are written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(|node| node.term.as_str())
    }

    /// Returns the ambiguous terms.
    pub fn ambiguous(&self) -> impl Iterator<Item = &Node> {
        self.terms.iter().filter(|node| node.ambiguous)
    }

    /// Checks that the graph is valid, since it may have been edited by hand.
    pub fn check(&self) -> Result<(), SdgError> {
        self.checked().map(drop)
    }

    /// Checks that the graph is valid, and returns the degree of each edge.
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

    /// Returns the index of each term.
    pub(crate) fn places(&self) -> BTreeMap<&str, usize> {
        self.names().zip(0..).collect()
    }

    /// Checks the edges, and returns the degree of each.
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

/// Returns an analyzer that finds the given terms and otherwise works like the default analyzer.
/// Only terms that the default analyzer would not find as one term are added to it: added terms
/// take part in segmentation and hide the words of phrases, so they would change other counts.
#[must_use]
pub fn analyzer_for<'a>(terms: impl Iterator<Item = &'a str>) -> Analyzer {
    let plain = Analyzer::new();
    let mut reader = plain.reader();
    let told: Vec<&str> = terms.filter(|term| reader.single_term(term).is_none()).collect();
    drop(reader);
    if told.is_empty() { plain } else { Analyzer::builder().terms(told).build() }
}
