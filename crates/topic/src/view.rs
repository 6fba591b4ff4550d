//! A page as a topic sees it: how near the page is, and each part of it.

use ontrail_page::{Block, LinkTerms, Page, Tag};
use ontrail_text::TermId;

use crate::model::{Norm, Similarity, Weighting};
use crate::profile::{Ssrm, Svsm, quotient};
use crate::scorer::{Entry, REMOVED, Scorer, UNKNOWN, Unit};

/// A page whose terms have been looked up. Scoring its parts then needs no further look-ups.
#[derive(Debug)]
pub struct PageView<'a> {
    scorer: &'a Scorer,
    page: &'a Page,
    /// What each term of the page is to the topic.
    entries: Vec<Entry>,
}

/// Why a page is as near as it is: one term's part in it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Reason {
    /// The term as the topic writes it, of several names of one concept one that is on the page; or a word
    /// as the taxonomy writes it.
    pub term: String,
    /// What it weighs in the topic; 0 for a word that is only similar to one of the topic's.
    pub topic_weight: f64,
    /// What it weighs on the page.
    pub page_weight: f64,
    /// Its part of the relevance. All parts together are the relevance.
    pub part: f64,
    /// The topic's term that it is most similar to, for a word that is not one.
    pub nearest: Option<Nearest>,
}

/// A term of the topic that another word is similar to.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Nearest {
    /// The term.
    pub term: String,
    /// How similar the two are, from 0 to 1.
    pub similarity: f32,
}

/// A unit of a text with its weight, and a term of the page that it stands for.
#[derive(Debug, Clone, Copy)]
struct Weighted {
    unit: Unit,
    weight: f64,
    term: TermId,
}

/// A feature on a page with its counts by label group, and the weight of the best tag that it is in.
#[derive(Debug, Clone, Copy)]
struct Counted {
    unit: Unit,
    groups: [f64; 5],
    tag: f64,
    term: TermId,
}

impl Counted {
    fn absorb(&mut self, other: &Self) {
        self.groups.iter_mut().zip(other.groups).for_each(|(own, more)| *own += more);
        self.tag = self.tag.max(other.tag);
    }
}

impl<'a> PageView<'a> {
    pub(crate) fn new(scorer: &'a Scorer, page: &'a Page) -> Self {
        let entries = page.vocabulary().iter().map(|(_, term)| scorer.entry(term)).collect();
        Self { scorer, page, entries }
    }

    /// The same page as if some of its terms were not on it, neither in the text nor at links: those that a
    /// disambiguation graph takes away.
    #[must_use]
    pub fn without(mut self, terms: &[TermId]) -> Self {
        for term in terms {
            if let Some(entry) = self.entries.get_mut(term.index()) {
                *entry = REMOVED;
            }
        }
        self
    }

    /// The relevance R(p) of the page, from 0 to 1. A page without a word of the topic has 0.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        self.compare(&self.page_weights())
    }

    /// The relevance of a content block.
    #[must_use]
    pub fn block(&self, block: &Block) -> f64 {
        self.compare(&self.text_weights(block.counts.iter().map(|&(term, n)| (term, f64::from(n)))))
    }

    /// The relevance R(AL) of a link's anchor text.
    #[must_use]
    pub fn anchor(&self, link: &LinkTerms) -> f64 {
        self.compare(&self.text_weights(link.anchor.iter().map(|&term| (term, 1.0))))
    }

    /// The relevance R(CL) of what stands around a link.
    #[must_use]
    pub fn context(&self, link: &LinkTerms) -> f64 {
        self.compare(&self.text_weights(link.context.iter().map(|&term| (term, 1.0))))
    }

    /// What made the relevance of the page, the greatest part first.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason> {
        let weights = self.page_weights();
        let parts = self.parts(&weights);
        let mut reasons: Vec<Reason> = weights
            .iter()
            .zip(parts)
            .filter(|(_, part)| *part > 0.0)
            .map(|(weighted, part)| self.reason(weighted, part))
            .collect();
        reasons.sort_by(|a, b| b.part.total_cmp(&a.part).then_with(|| a.term.cmp(&b.term)));
        reasons
    }

    fn reason(&self, weighted: &Weighted, part: f64) -> Reason {
        let feature = self.scorer.feature(weighted.unit);
        let word = self.page.vocabulary().term(weighted.term);
        let nearest = || {
            let profile = self.scorer.profile(weighted.unit);
            let term = self.scorer.feature(profile.nearest)?.name.clone();
            let similarity = profile.similarity;
            (similarity > 0.0).then_some(Nearest { term, similarity })
        };
        Reason {
            term: self.scorer.name(word).to_owned(),
            topic_weight: feature.map_or(0.0, |feature| feature.weight),
            page_weight: weighted.weight,
            part,
            nearest: if feature.is_some() { None } else { nearest() },
        }
    }

    /// The features among some terms, and how often each occurs.
    pub(crate) fn occurring(&self, terms: impl Iterator<Item = TermId>) -> Vec<(Unit, f64)> {
        let mut found: Vec<(Unit, f64)> = Vec::new();
        for term in terms {
            let Entry { unit, share } = self.entry(term);
            if self.is_feature(unit) {
                found.push((unit, share));
            }
        }
        found.sort_by_key(|&(unit, _)| unit);
        merge(&mut found, |count| count.0, |count, more| count.1 += more.1);
        found
    }

    pub(crate) fn page(&self) -> &Page {
        self.page
    }

    /// Whether a unit that is no feature belongs to the text's vector.
    fn is_other(&self, unit: Unit) -> bool {
        unit != REMOVED.unit && self.scorer.model().needs_all_terms()
    }

    /// What a term of the page is to the topic. A term of another page is nothing.
    fn entry(&self, term: TermId) -> Entry {
        self.entries.get(term.index()).copied().unwrap_or(UNKNOWN)
    }

    /// How many features of the topic are on the page.
    #[must_use]
    pub fn features_found(&self) -> usize {
        self.occurring(self.page.occurrences().iter().map(|it| it.term)).len()
    }

    fn is_feature(&self, unit: Unit) -> bool {
        (unit as usize) < self.scorer.features().len()
    }

    /// The weights of the page's units, by the model's weighting. Names of one feature are counted
    /// together before they are weighed; words besides them are weighed at once, if they count.
    fn page_weights(&self) -> Vec<Weighted> {
        let model = self.scorer.model();
        let tags = if model.weighting == Weighting::Tags { self.best_tags() } else { Vec::new() };
        let tag_of = |term: TermId| tags.get(term.index()).copied().unwrap_or_default();
        let mut found = Vec::new();
        let room = if model.needs_all_terms() { self.entries.len() } else { 0 };
        let mut weights = Vec::with_capacity(room);
        let mut most: f64 = 0.0;
        for (term, groups) in self.page.counts() {
            let Entry { unit, share } = self.entry(term);
            if self.is_feature(unit) {
                let groups = groups.map(|count| f64::from(count) * share);
                found.push(Counted { unit, groups, tag: tag_of(term), term });
            } else if self.is_other(unit) {
                let (weight, total) = self.weigh(unit, &groups.map(f64::from), tag_of(term));
                most = most.max(total);
                weights.push(Weighted { unit, weight, term });
            }
        }
        found.sort_by_key(|counted| counted.unit);
        merge(&mut found, |counted| counted.unit, Counted::absorb);
        for Counted { unit, groups, tag, term } in found {
            let (weight, total) = self.weigh(unit, &groups, tag);
            most = most.max(total);
            weights.push(Weighted { unit, weight, term });
        }
        if !matches!(model.weighting, Weighting::Labels(_)) && most > 0.0 {
            weights.iter_mut().for_each(|it| it.weight /= most);
        }
        weights
    }

    /// What a unit weighs, before frequencies are divided by the greatest, and how often it occurs.
    fn weigh(&self, unit: Unit, groups: &[f64; 5], tag: f64) -> (f64, f64) {
        let total: f64 = groups.iter().sum();
        let weight = match &self.scorer.model().weighting {
            Weighting::Labels(weights) => by_labels(groups, weights),
            Weighting::Tags => total * tag,
            Weighting::TfIdf => total * self.scorer.idf(unit),
        };
        (weight, total)
    }

    /// The weight of the best tag that each term of the page is in.
    fn best_tags(&self) -> Vec<f64> {
        let mut best = vec![0.0_f64; self.entries.len()];
        for occurrence in self.page.occurrences() {
            let known = &mut best[occurrence.term.index()];
            *known = known.max(Tag::weight(occurrence.tag));
        }
        best
    }

    /// The weights of a short text: f · idf (eq. 1 of bcw-cc without its constant factor 1 / Σf, which no
    /// comparison sees).
    fn text_weights(&self, terms: impl Iterator<Item = (TermId, f64)>) -> Vec<Weighted> {
        let mut weights: Vec<Weighted> = Vec::new();
        for (term, count) in terms {
            let Entry { unit, share } = self.entry(term);
            if self.is_feature(unit) || self.is_other(unit) {
                weights.push(Weighted { unit, weight: count * share, term });
            }
        }
        // Words that are not known have no unit of their own.
        let word = |it: &Weighted| (it.unit, if it.unit == Unit::MAX { it.term.0 } else { 0 });
        weights.sort_by_key(word);
        merge(&mut weights, word, |it, more| it.weight += more.weight);
        weights.iter_mut().for_each(|it| it.weight *= self.scorer.idf(it.unit));
        weights
    }

    fn compare(&self, weights: &[Weighted]) -> f64 {
        match self.scorer.model().similarity {
            Similarity::Vsm => {
                let pairs = weights
                    .iter()
                    .filter_map(|it| self.scorer.share(it.unit).map(|share| it.weight * share));
                quotient(pairs.sum(), self.scorer.length() * length(weights))
            }
            Similarity::Ssrm => self.ssrm(weights).value(self.scorer.sum()),
            Similarity::Svsm => self.svsm(weights).value(),
        }
    }

    fn ssrm(&self, weights: &[Weighted]) -> Ssrm {
        let mut sums = Ssrm::default();
        weights.iter().for_each(|it| sums.add(it.weight, &self.scorer.profile(it.unit)));
        sums
    }

    fn svsm(&self, weights: &[Weighted]) -> Svsm {
        let scorer = self.scorer;
        if scorer.model().norm == Norm::Text {
            let mut sums = Svsm::of_all_terms(scorer.length());
            for it in weights {
                sums.add_whole(it.weight, &scorer.profile(it.unit), scorer.share(it.unit));
            }
            return sums;
        }
        let mut sums = Svsm::default();
        weights.iter().for_each(|it| sums.add(it.weight, &scorer.profile(it.unit)));
        sums
    }

    /// Each unit's part of the relevance.
    fn parts(&self, weights: &[Weighted]) -> Vec<f64> {
        let scorer = self.scorer;
        let profile = |it: &Weighted| scorer.profile(it.unit);
        match scorer.model().similarity {
            Similarity::Vsm => {
                let whole = scorer.length() * length(weights);
                let topic = |it: &Weighted| scorer.share(it.unit).unwrap_or(0.0);
                weights.iter().map(|it| quotient(it.weight * topic(it), whole)).collect()
            }
            Similarity::Ssrm => {
                let whole = weights.iter().map(|it| it.weight).sum::<f64>() * scorer.sum();
                weights.iter().map(|it| quotient(it.weight * profile(it).near, whole)).collect()
            }
            Similarity::Svsm => {
                let whole = self.svsm(weights).length();
                weights.iter().map(|it| quotient(it.weight * profile(it).both, whole)).collect()
            }
        }
    }
}

/// Σ over the label groups of f / max f · `W_k` (eq. 3 of fcits-oh, eq. 2 of bcw-cc); 0 for no occurrence.
fn by_labels(counts: &[f64; 5], weights: &[f64; 5]) -> f64 {
    let most = counts.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return 0.0;
    }
    counts.iter().zip(weights).map(|(count, weight)| count / most * weight).sum()
}

fn length(weights: &[Weighted]) -> f64 {
    weights.iter().map(|it| it.weight * it.weight).sum::<f64>().sqrt()
}

/// Joins neighbours with the same key.
fn merge<T, K: PartialEq>(items: &mut Vec<T>, key: impl Fn(&T) -> K, join: impl Fn(&mut T, &T)) {
    items.dedup_by(|later, first| {
        let same = key(later) == key(first);
        if same {
            join(first, later);
        }
        same
    });
}
