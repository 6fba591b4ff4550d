//! Building of graphs from the terms of a topic and their occurrences in a background corpus.

use std::collections::BTreeMap;

use crate::ambiguity::{Identification, Indicators, TermCounts};
use crate::graph::{Occurrences, Pair};
use crate::sdg::{Edge, Node, Sdg, SdgError};
use crate::settings::{INDICATORS, SdgSettings, SettingsError, reaches};

/// A term of the topic, as counted on the topic pages.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicTerm {
    /// The term as it is written.
    pub term: String,
    /// Its weight (eq. 9).
    pub weight: f64,
    /// Number of its occurrences on the topic pages.
    pub occurrences: u64,
}

/// An error in building a graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A setting that is out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Invalid terms.
    #[error(transparent)]
    Graph(#[from] SdgError),
    /// There are no relevant pages in the background.
    #[error(
        "none of the {0} background pages is relevant, so co-occurrences on relevant pages cannot \
         be counted"
    )]
    NoneRelevant(u64),
    /// The background is about something else, or in another language.
    #[error(
        "none of the {terms} terms of the topic pages occurs on any of the {pages} background pages"
    )]
    NoneMet {
        /// Number of terms.
        terms: usize,
        /// Number of background pages.
        pages: u64,
    },
    /// The graph would have no edges, so that nothing could confirm the meaning of a term.
    #[error(
        "no two of the {terms} terms of the topic pages occur together on any of the {pages} \
         relevant background pages"
    )]
    NoEdges {
        /// Number of terms.
        terms: usize,
        /// Number of relevant background pages.
        pages: u64,
    },
}

impl Sdg {
    /// Builds the graph of a topic from its terms and their occurrences in a background corpus.
    /// `terms` and `occurrences` number the terms alike.
    ///
    /// # Panics
    ///
    /// If `occurrences` has more terms than `terms`.
    pub fn build(
        name: &str,
        terms: &[TopicTerm],
        occurrences: &Occurrences,
        settings: &SdgSettings,
    ) -> Result<Self, BuildError> {
        settings.check()?;
        if terms.is_empty() {
            return Err(SdgError::NoTerms(name.to_owned()).into());
        }
        let (pages, relevant_pages) = (occurrences.pages(), occurrences.relevant_pages());
        let mut nodes = nodes(terms, occurrences, settings);
        let met: Vec<Indicators> =
            nodes.iter().filter(|node| node.counts.is_met()).map(|node| node.indicators).collect();
        if met.is_empty() {
            return Err(BuildError::NoneMet { terms: terms.len(), pages });
        }
        if relevant_pages == 0 {
            return Err(BuildError::NoneRelevant(pages));
        }
        let pairs = occurrences.pairs();
        if pairs.is_empty() {
            return Err(BuildError::NoEdges { terms: terms.len(), pages: relevant_pages });
        }
        let identification = Identification::new(&met, settings);
        for node in nodes.iter_mut().filter(|node| node.counts.is_met()) {
            let ambiguity = identification.of(&node.indicators);
            node.ambiguous = ambiguity.is_ambiguous();
            node.ambiguity = Some(ambiguity);
        }
        add_disambiguation_terms(&mut nodes, &pairs, settings);
        let edge = |pair: &Pair| Edge {
            terms: [pair.first, pair.second].map(|term| terms[term].term.clone()),
            degree: pair.degree(),
            together: pair.together,
            either: pair.either,
        };
        let named = INDICATORS.map(str::to_owned).into_iter();
        let mut sdg = Self {
            name: name.to_owned(),
            pages,
            relevant_pages,
            importance: settings.importance,
            shape: settings.shape,
            bounds: named.zip(identification.bounds()).collect(),
            theta: settings.theta,
            terms: nodes,
            edges: pairs.iter().map(edge).collect(),
        };
        sdg.terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        sdg.check()?;
        Ok(sdg)
    }
}

/// Returns the nodes of the terms, without ambiguity.
fn nodes(terms: &[TopicTerm], occurrences: &Occurrences, settings: &SdgSettings) -> Vec<Node> {
    let all: u64 = terms.iter().map(|it| it.occurrences).sum();
    let node = |(number, it): (usize, &TopicTerm)| {
        let topic_occurrences = it.occurrences;
        let counts = TermCounts { topic_occurrences, ..occurrences.counts(number) };
        Node {
            term: it.term.clone(),
            weight: it.weight,
            ambiguous: false,
            disambiguated_by: Vec::new(),
            ambiguity: None,
            indicators: Indicators::of(&counts, all - it.occurrences, settings),
            counts,
        }
    };
    terms.iter().enumerate().map(node).collect()
}

/// Adds to each ambiguous term the terms whose co-occurrence degree with it is at least `T_cd`, the
/// highest degree first (eq. 16). A term that never occurs together with it does not disambiguate
/// it, even if the threshold is 0.
fn add_disambiguation_terms(nodes: &mut [Node], pairs: &[Pair], settings: &SdgSettings) {
    let mut near: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for pair in pairs {
        for (term, other) in [(pair.first, pair.second), (pair.second, pair.first)] {
            if nodes[term].ambiguous {
                near.entry(term).or_default().push((other, pair.degree()));
            }
        }
    }
    let others = nodes.len().saturating_sub(1).max(1) as f64;
    for (term, mut near) in near {
        let mean = near.iter().map(|(_, degree)| degree).sum::<f64>() / others;
        let threshold = settings.degree_threshold.unwrap_or(mean);
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let strong = near.iter().filter(|(_, degree)| reaches(*degree, threshold));
        let names: Vec<String> = strong.map(|&(other, _)| nodes[other].term.clone()).collect();
        nodes[term].disambiguated_by = names;
    }
}
