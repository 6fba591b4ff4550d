//! Scores a page, its links and its content blocks against a topic.

use ontrail_page::{ContentBlock, LinkTerms, Page, Tag};
use ontrail_text::TermId;

use crate::model::{Norm, Similarity, Weighting};
use crate::profile::{Ssrm, Svsm, quotient};
use crate::scorer::{Entry, REMOVED, Scorer, UNKNOWN, Unit};

/// A page whose terms have been looked up in a topic. Scoring its parts needs no further look-ups.
#[derive(Debug)]
pub struct PageView<'a> {
    scorer: &'a Scorer,
    page: &'a Page,
    /// The entry of each term of the page.
    entries: Vec<Entry>,
}

/// The contribution of one term to the relevance of a page.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Reason {
    /// The term as written in the topic (if its concept has several names, one that is on the
    /// page), or the word as written in the taxonomy.
    pub term: String,
    /// The weight in the topic; 0 for a word that is only similar to one of the topic's terms.
    pub topic_weight: f64,
    /// The weight on the page.
    pub page_weight: f64,
    /// The part of the relevance. All parts add up to the relevance.
    pub part: f64,
    /// For a word that is not in the topic: the topic's term that it is most similar to.
    pub nearest: Option<Nearest>,
}

/// The term of the topic that a word is most similar to.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Nearest {
    /// The term.
    pub term: String,
    /// The similarity, from 0 to 1.
    pub similarity: f32,
}

/// A unit of a text with its weight, and a term of the page that belongs to it.
#[derive(Debug, Clone, Copy)]
struct Weighted {
    unit: Unit,
    weight: f64,
    term: TermId,
}

/// A feature on a page with its counts by label group, and the weight of the heaviest tag around
/// it.
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

    /// Removes some terms from the page, both from its text and from its links: those that, by a
    /// disambiguation graph, do not mean the topic on this page.
    #[must_use]
    pub fn without(mut self, terms: &[TermId]) -> Self {
        for term in terms {
            if let Some(entry) = self.entries.get_mut(term.index()) {
                *entry = REMOVED;
            }
        }
        self
    }

    /// Returns the relevance R(p) of the page, from 0 to 1; 0 if it has no term of the topic.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        self.compare(&self.page_weights())
    }

    /// Returns the relevance R(B) of a content block.
    #[must_use]
    pub fn block(&self, block: &ContentBlock) -> f64 {
        self.compare(&self.text_weights(block.counts.iter().map(|&(term, n)| (term, f64::from(n)))))
    }

    /// Returns the relevance R(AL) of a link's anchor text.
    #[must_use]
    pub fn anchor(&self, link: &LinkTerms) -> f64 {
        self.compare(&self.text_weights(link.anchor.iter().map(|&term| (term, 1.0))))
    }

    /// Returns the relevance R(CL) of a link's context.
    #[must_use]
    pub fn context(&self, link: &LinkTerms) -> f64 {
        self.compare(&self.text_weights(link.context.iter().map(|&term| (term, 1.0))))
    }

    /// Returns the contributions to the relevance of the page, the greatest first.
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

    /// Returns the features among some terms, and the number of their occurrences.
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

    pub(crate) fn scorer(&self) -> &Scorer {
        self.scorer
    }

    /// Returns true if a unit that is not a feature belongs to the text's vector.
    fn is_other(&self, unit: Unit) -> bool {
        unit != REMOVED.unit && self.scorer.model().needs_all_terms()
    }

    /// Returns the entry of a term of the page. A term of another page is unknown.
    fn entry(&self, term: TermId) -> Entry {
        self.entries.get(term.index()).copied().unwrap_or(UNKNOWN)
    }

    /// Returns the number of the topic's features on the page.
    #[must_use]
    pub fn features_found(&self) -> usize {
        self.occurring(self.page.occurrences().iter().map(|it| it.term)).len()
    }

    fn is_feature(&self, unit: Unit) -> bool {
        (unit as usize) < self.scorer.features().len()
    }

    /// Returns the weights of the page's units, by the model's weighting. The names of a feature
    /// are counted together before they are weighed; other words, if they count, are weighed
    /// directly.
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

    /// Returns the weight of a unit, before frequencies are divided by the greatest, and the number
    /// of its occurrences.
    fn weigh(&self, unit: Unit, groups: &[f64; 5], tag: f64) -> (f64, f64) {
        let total: f64 = groups.iter().sum();
        let weight = match &self.scorer.model().weighting {
            Weighting::Labels(weights) => by_labels(groups, weights),
            Weighting::Tags => total * tag,
            Weighting::TfIdf => total * self.scorer.idf(unit),
        };
        (weight, total)
    }

    /// Returns the weight of the heaviest tag around each term of the page.
    fn best_tags(&self) -> Vec<f64> {
        let mut best = vec![0.0_f64; self.entries.len()];
        for occurrence in self.page.occurrences() {
            let known = &mut best[occurrence.term.index()];
            *known = known.max(Tag::weight(occurrence.tag));
        }
        best
    }

    /// Returns the weights of a short text: f · idf (eq. 1 of bcw-cc without its constant factor 1
    /// / Σf, which cancels in every comparison).
    fn text_weights(&self, terms: impl Iterator<Item = (TermId, f64)>) -> Vec<Weighted> {
        let mut weights: Vec<Weighted> = Vec::new();
        for (term, count) in terms {
            let Entry { unit, share } = self.entry(term);
            if self.is_feature(unit) || self.is_other(unit) {
                weights.push(Weighted { unit, weight: count * share, term });
            }
        }
        // All unknown words have the same unit and are distinguished by their terms.
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

    /// Returns the part of the relevance that each unit contributes.
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

/// Returns Σ over the label groups of f / max f · `W_k` (eq. 3 of fcits-oh, eq. 2 of bcw-cc); 0 if
/// there is no occurrence.
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

/// Joins adjacent items with the same key.
fn merge<T, K: PartialEq>(items: &mut Vec<T>, key: impl Fn(&T) -> K, join: impl Fn(&mut T, &T)) {
    items.dedup_by(|later, first| {
        let same = key(later) == key(first);
        if same {
            join(first, later);
        }
        same
    });
}
