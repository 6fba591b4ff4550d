//! Suggests new concepts for a hierarchy: candidates come from topics, their places from
//! association rules. This reconstructs the ontology learning of OLMOACO.
//!
//! Candidates are the top words of the topics of the documents that weigh more than the median word
//! and are not the name of a known concept. Each document is a transaction: the set of concepts and
//! candidates that occur in it. A candidate is placed below the known concept that its documents
//! imply with the highest confidence, if the rule has the required support and confidence and a
//! lift above 1. If that concept also implies the candidate, the two are synonyms. Candidates
//! without such a rule are dropped.

use std::collections::{BTreeMap, BTreeSet};

use ontrail_fca::BitSet;
use ontrail_text::{Counts, TermId};

use crate::lda::Lda;

/// Settings for finding and placing candidates.
///
/// | setting | default | purpose |
/// |---|---|---|
/// | `per_topic` | 20 | number of top words of each topic that may be candidates |
/// | `min_support` | 0.05 | share of the documents that must have both candidate and concept |
/// | `min_confidence` | 0.6 | share of the candidate's documents that must have the concept |
#[derive(Debug, Clone)]
pub struct Enrichment {
    lda: Lda,
    per_topic: usize,
    min_support: f64,
    min_confidence: f64,
}

/// A concept that the hierarchy already has.
#[derive(Debug, Clone)]
pub struct KnownConcept {
    /// The caller's identifier of the concept.
    pub key: String,
    /// All names of the concept.
    pub names: Vec<String>,
    /// Depth of the concept in the hierarchy. If two concepts fit equally well, the deeper wins.
    pub depth: usize,
}

/// A candidate with its place in the hierarchy.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The candidate.
    pub term: String,
    /// The key of the known concept that the candidate belongs to.
    pub concept: String,
    /// True if the candidate is a synonym of that concept, false if it belongs below it.
    pub is_synonym: bool,
    /// Numbers of the documents that have the candidate.
    pub documents: Vec<usize>,
    /// Share of all documents that have both the candidate and the concept.
    pub support: f64,
    /// Share of the candidate's documents that have the concept.
    pub confidence: f64,
    /// Ratio of the documents with both to the number expected if the two were independent.
    pub lift: f64,
}

/// The result of an enrichment.
#[derive(Debug, Clone, Default)]
pub struct Enriched {
    /// The top words of each topic.
    pub topics: Vec<Vec<String>>,
    /// Number of candidates.
    pub candidates: usize,
    /// The candidates that have a place, by falling confidence.
    pub placed: Vec<Placed>,
}

impl Enrichment {
    /// Returns the default settings, with candidates from the topics of `lda`.
    #[must_use]
    pub fn new(lda: Lda) -> Self {
        Self { lda, per_topic: 20, min_support: 0.05, min_confidence: 0.6 }
    }

    /// Sets the number of top words of each topic that may be candidates.
    #[must_use]
    pub fn per_topic(mut self, words: usize) -> Self {
        self.per_topic = words;
        self
    }

    /// Sets the share of the documents that must have both candidate and concept.
    #[must_use]
    pub fn min_support(mut self, share: f64) -> Self {
        self.min_support = share;
        self
    }

    /// Sets the share of a candidate's documents that must have the concept.
    #[must_use]
    pub fn min_confidence(mut self, share: f64) -> Self {
        self.min_confidence = share;
        self
    }

    /// Finds and places candidates. The first of `known` must be the topic of the collection: it
    /// occurs in every document, so no candidate is placed below it. Calls `tick` after each sweep
    /// of the topic model.
    #[must_use]
    pub fn enrich(
        &self,
        counts: &Counts<'_>,
        known: &[KnownConcept],
        tick: impl FnMut(),
    ) -> Enriched {
        let texts: Vec<Vec<u32>> = (0..counts.len()).map(|it| words(counts.of(it))).collect();
        let topics = self.lda.fit(&texts, counts.vocabulary().len(), tick);
        let tops: Vec<Vec<u32>> =
            (0..topics.counts.len()).map(|topic| topics.top(topic, self.per_topic)).collect();
        let concepts: Vec<Vec<TermId>> = known
            .iter()
            .map(|concept| concept.names.iter().filter_map(|name| counts.find(name)).collect())
            .collect();
        let candidates = candidates(counts, &tops, &concepts);
        let wanted: BTreeSet<TermId> =
            candidates.iter().chain(concepts.iter().flatten()).copied().collect();
        let extents = extents(counts, &wanted);
        let of_concepts: Vec<BitSet> =
            concepts.iter().map(|terms| any_of(terms, &extents, counts.len())).collect();
        let mut placed: Vec<Placed> = candidates
            .iter()
            .filter_map(|&term| {
                let extent = &extents[&term];
                let (concept, rule, is_synonym) = self.place(extent, &of_concepts, known)?;
                Some(Placed {
                    term: counts.name(term).to_owned(),
                    concept: known[concept].key.clone(),
                    is_synonym,
                    documents: extent.iter().collect(),
                    support: rule.support,
                    confidence: rule.confidence,
                    lift: rule.lift,
                })
            })
            .collect();
        placed.sort_by(|a, b| {
            b.confidence.total_cmp(&a.confidence).then_with(|| a.term.cmp(&b.term))
        });
        let name = |&word: &u32| counts.name(TermId(word)).to_owned();
        let topics = tops.iter().map(|words| words.iter().map(name).collect()).collect();
        Enriched { topics, candidates: candidates.len(), placed }
    }

    /// Returns the concept that a candidate's documents imply best, with the rule, and true if the
    /// concept implies the candidate in turn.
    fn place(
        &self,
        extent: &BitSet,
        concepts: &[BitSet],
        known: &[KnownConcept],
    ) -> Option<(usize, Rule, bool)> {
        let rules = concepts.iter().enumerate().skip(1).map(|(id, it)| (id, Rule::of(extent, it)));
        let fits = |rule: &Rule| {
            rule.support >= self.min_support
                && rule.confidence >= self.min_confidence
                && rule.lift > 1.0
        };
        let (id, rule) = rules.filter(|(_, rule)| fits(rule)).max_by(|(a, one), (b, other)| {
            let by_confidence = one.confidence.total_cmp(&other.confidence);
            by_confidence
                .then(known[*a].depth.cmp(&known[*b].depth))
                .then_with(|| known[*b].key.cmp(&known[*a].key))
        })?;
        let back = Rule::of(&concepts[id], extent);
        Some((id, rule, back.confidence >= self.min_confidence))
    }
}

/// Support, confidence and lift of the rule that one set of documents implies another.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rule {
    support: f64,
    confidence: f64,
    lift: f64,
}

impl Rule {
    fn of(premise: &BitSet, conclusion: &BitSet) -> Self {
        let all = premise.bound() as f64;
        let (both, premise, conclusion) =
            (premise.common(conclusion) as f64, premise.len() as f64, conclusion.len() as f64);
        if premise == 0.0 || conclusion == 0.0 {
            return Self { support: 0.0, confidence: 0.0, lift: 0.0 };
        }
        Self {
            support: both / all,
            confidence: both / premise,
            lift: both * all / (premise * conclusion),
        }
    }
}

/// Returns the words of a document, each as often as it occurs.
fn words(counts: &[(TermId, u32)]) -> Vec<u32> {
    counts.iter().flat_map(|&(term, count)| (0..count).map(move |_| term.0)).collect()
}

/// Returns the top words that weigh more than the median word and do not name a known concept.
fn candidates(counts: &Counts<'_>, tops: &[Vec<u32>], concepts: &[Vec<TermId>]) -> Vec<TermId> {
    let totals = counts.total_weights();
    let mut sorted = totals.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let is_new = |term: &TermId| {
        totals[term.index()] > median && !concepts.iter().any(|names| names.contains(term))
    };
    let mut found: Vec<TermId> =
        tops.iter().flatten().map(|&word| TermId(word)).filter(is_new).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the documents of each of the `wanted` terms.
fn extents(counts: &Counts<'_>, wanted: &BTreeSet<TermId>) -> BTreeMap<TermId, BitSet> {
    let mut extents: BTreeMap<TermId, BitSet> =
        wanted.iter().map(|&term| (term, BitSet::empty(counts.len()))).collect();
    for document in 0..counts.len() {
        for (term, _) in counts.of(document) {
            if let Some(extent) = extents.get_mut(term) {
                extent.insert(document);
            }
        }
    }
    extents
}

fn any_of(terms: &[TermId], extents: &BTreeMap<TermId, BitSet>, documents: usize) -> BitSet {
    let mut any = BitSet::empty(documents);
    terms.iter().for_each(|term| any.unite(&extents[term]));
    any
}
