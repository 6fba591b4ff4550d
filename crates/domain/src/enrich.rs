//! Concepts that a hierarchy lacks: candidates from topics, places from association rules (the
//! ontology learning of OLMOACO, as reconstructed).
//!
//! Candidates are the top words of the topics of the documents that weigh more than the median word and
//! are no concept yet. A document is a transaction of the concepts and candidates on
//! it. A candidate goes below the known concept that its documents imply with the highest confidence,
//! if rule and lift allow; where that concept implies the candidate as well, they are synonyms. What
//! has no rule is dropped.

use std::collections::{BTreeMap, BTreeSet};

use ontrail_fca::BitSet;
use ontrail_text::{Counts, TermId};

use crate::lda::Lda;

/// How candidates are found and placed.
///
/// | setting | default | purpose |
/// |---|---|---|
/// | `per_topic` | 20 | top words of each topic that are looked at |
/// | `min_support` | 0.05 | share of the documents that must have both |
/// | `min_confidence` | 0.6 | share of the candidate's documents that must have the concept |
#[derive(Debug, Clone)]
pub struct Enrichment {
    lda: Lda,
    per_topic: usize,
    min_support: f64,
    min_confidence: f64,
}

/// A concept that is known.
#[derive(Debug, Clone)]
pub struct Known {
    /// What the caller calls it.
    pub key: String,
    /// All its names.
    pub names: Vec<String>,
    /// How deep it lies; of two that fit equally well, the deeper is taken.
    pub depth: usize,
}

/// Where a candidate belongs.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The candidate.
    pub term: String,
    /// The key of the concept that it goes to.
    pub concept: String,
    /// Whether it is another name of that concept, rather than something below it.
    pub is_synonym: bool,
    /// The documents that have it, by number.
    pub documents: Vec<usize>,
    /// The share of all documents that have both.
    pub support: f64,
    /// The share of its documents that have the concept.
    pub confidence: f64,
    /// How much more often they are together than chance has it.
    pub lift: f64,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Enriched {
    /// The top words of each topic.
    pub topics: Vec<Vec<String>>,
    /// How many candidates there were.
    pub candidates: usize,
    /// Those with a place, by falling confidence.
    pub placed: Vec<Placed>,
}

impl Enrichment {
    /// With the default settings, on the topics of `lda`.
    #[must_use]
    pub fn new(lda: Lda) -> Self {
        Self { lda, per_topic: 20, min_support: 0.05, min_confidence: 0.6 }
    }

    /// Sets how many top words of each topic are looked at.
    #[must_use]
    pub fn per_topic(mut self, words: usize) -> Self {
        self.per_topic = words;
        self
    }

    /// Sets the share of the documents that must have both.
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

    /// Finds and places candidates. The first of `known` is the topic: it is on every document and
    /// therefore says nothing. `tick` is called after each sweep of the topic search.
    #[must_use]
    pub fn enrich(&self, counts: &Counts<'_>, known: &[Known], tick: impl FnMut()) -> Enriched {
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

    /// The concept that a candidate's documents imply best, and whether it implies them back.
    fn place(
        &self,
        extent: &BitSet,
        concepts: &[BitSet],
        known: &[Known],
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

/// How one set of documents implies another.
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

/// The words of a document, each as often as it is there.
fn words(counts: &[(TermId, u32)]) -> Vec<u32> {
    counts.iter().flat_map(|&(term, count)| (0..count).map(move |_| term.0)).collect()
}

/// Top words that weigh more than the median word and are no concept yet.
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

/// The documents of each term that is wanted.
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
