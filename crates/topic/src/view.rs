//! A page as a topic sees it: how near the page is, and each part of it.

use ontrail_page::{Block, Link, Page, Tag};
use ontrail_text::TermId;

use crate::model::{Similarity, Weighting};
use crate::profile::{Ssrm, Svsm, quotient};
use crate::scorer::{Entry, Scorer, Unit};

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
    /// The term: the topic's name for it, or the page's word.
    pub term: String,
    /// What it weighs in the topic; 0 for a word that is only similar to one of the topic's.
    pub topic_weight: f64,
    /// What it weighs on the page.
    pub page_weight: f64,
    /// Its part of the relevance. All parts together are the relevance.
    pub part: f64,
    /// The topic's term that it is most similar to, for a word that is not one.
    pub nearest: Option<(String, f64)>,
}

/// A unit of a text with its weight, and a term of the page that it stands for.
#[derive(Debug, Clone, Copy)]
struct Weighted {
    unit: Unit,
    weight: f64,
    term: TermId,
}

/// A unit of a page with its counts by label group, and the weight of the best tag that it is in.
#[derive(Debug, Clone, Copy)]
struct Counted {
    unit: Unit,
    groups: [f64; 5],
    tag: f64,
    term: TermId,
}

impl Counted {
    fn total(&self) -> f64 {
        self.groups.iter().sum()
    }

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
    pub fn anchor(&self, link: &Link) -> f64 {
        self.compare(&self.text_weights(link.anchor_terms.iter().map(|&term| (term, 1.0))))
    }

    /// The relevance R(CL) of what stands around a link.
    #[must_use]
    pub fn context(&self, link: &Link) -> f64 {
        self.compare(&self.text_weights(link.context_terms.iter().map(|&term| (term, 1.0))))
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
        let word = || self.page.vocabulary().term(weighted.term).to_owned();
        let nearest = || {
            let similar = self.scorer.similarities(weighted.unit);
            let best = similar.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            best.map(|(feature, sem)| (self.scorer.features()[feature].name.clone(), sem))
        };
        Reason {
            term: feature.map_or_else(word, |feature| feature.name.clone()),
            topic_weight: feature.map_or(0.0, |feature| feature.weight),
            page_weight: weighted.weight,
            part,
            nearest: if feature.is_some() { None } else { nearest() },
        }
    }

    /// What the terms of the topic are on this page: each feature with how often it occurs.
    pub(crate) fn occurring(&self, terms: impl Iterator<Item = TermId>) -> Vec<(Unit, f64)> {
        let weights = self.gather(terms.map(|term| (term, [1.0, 0.0, 0.0, 0.0, 0.0])), false);
        weights.iter().map(|counted| (counted.unit, counted.total())).collect()
    }

    pub(crate) fn page(&self) -> &Page {
        self.page
    }

    /// The units of some terms. Names of one feature become one.
    fn gather(
        &self,
        terms: impl Iterator<Item = (TermId, [f64; 5])>,
        with_others: bool,
    ) -> Vec<Counted> {
        let features = self.scorer.features().len();
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for (term, groups) in terms {
            let Entry { unit, share } = self.entries[term.index()];
            if (unit as usize) < features {
                let groups = groups.map(|count| count * share);
                found.push(Counted { unit, groups, tag: 0.0, term });
            } else if with_others {
                others.push(Counted { unit, groups, tag: 0.0, term });
            }
        }
        found.sort_by_key(|counted| counted.unit);
        found.dedup_by(|later, first| {
            let same = later.unit == first.unit;
            if same {
                first.absorb(later);
            }
            same
        });
        found.extend(others);
        found
    }

    /// The weights of the page's units, by the model's weighting.
    fn page_weights(&self) -> Vec<Weighted> {
        let model = self.scorer.model();
        let counts = self.page.counts();
        let counts = counts.map(|(term, groups)| (term, groups.map(f64::from)));
        let mut counted = self.gather(counts, model.needs_all_terms());
        if model.weighting == Weighting::Tags {
            self.find_tags(&mut counted);
        }
        let most = counted.iter().map(Counted::total).fold(0.0, f64::max);
        let weigh = |it: &Counted| match &model.weighting {
            Weighting::Labels(weights) => by_labels(&it.groups, weights),
            Weighting::Tags => it.total() / most * it.tag,
            Weighting::TfIdf => it.total() / most * self.scorer.idf(it.unit),
        };
        let weights = counted.iter().map(|it| (it.unit, weigh(it), it.term));
        weights.map(|(unit, weight, term)| Weighted { unit, weight, term }).collect()
    }

    /// The best tag that each unit is in.
    fn find_tags(&self, counted: &mut [Counted]) {
        let mut best = vec![0.0_f64; self.entries.len()];
        for occurrence in self.page.occurrences() {
            let known = &mut best[occurrence.term.index()];
            *known = known.max(Tag::weight(occurrence.tag));
        }
        // A feature takes the best tag of any of its names.
        let features = self.scorer.features().len();
        let mut of_feature = vec![0.0_f64; features];
        for (entry, &tag) in self.entries.iter().zip(&best) {
            if let Some(known) = of_feature.get_mut(entry.unit as usize) {
                *known = known.max(tag);
            }
        }
        for it in counted {
            it.tag = of_feature.get(it.unit as usize).copied().unwrap_or(best[it.term.index()]);
        }
    }

    /// The weights of a short text: f · idf (eq. 1 of bcw-cc without its constant factor 1 / Σf, which no
    /// comparison sees).
    fn text_weights(&self, terms: impl Iterator<Item = (TermId, f64)>) -> Vec<Weighted> {
        let mut terms: Vec<(TermId, f64)> = terms.collect();
        terms.sort_by_key(|&(term, _)| term);
        terms.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 += later.1;
            }
            same
        });
        let terms = terms.into_iter().map(|(term, count)| (term, [count, 0.0, 0.0, 0.0, 0.0]));
        let counted = self.gather(terms, self.scorer.model().needs_all_terms());
        let weigh = |it: &Counted| Weighted {
            unit: it.unit,
            weight: it.total() * self.scorer.idf(it.unit),
            term: it.term,
        };
        counted.iter().map(weigh).collect()
    }

    fn compare(&self, weights: &[Weighted]) -> f64 {
        match self.scorer.model().similarity {
            Similarity::Vsm => {
                let pairs = weights.iter().filter_map(|it| {
                    self.scorer.feature(it.unit).map(|feature| it.weight * feature.weight)
                });
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
        let mut sums = Svsm::default();
        weights.iter().for_each(|it| sums.add(it.weight, &self.scorer.profile(it.unit)));
        sums
    }

    /// Each unit's part of the relevance.
    fn parts(&self, weights: &[Weighted]) -> Vec<f64> {
        let scorer = self.scorer;
        let profile = |it: &Weighted| scorer.profile(it.unit);
        match scorer.model().similarity {
            Similarity::Vsm => {
                let whole = scorer.length() * length(weights);
                let topic = |it: &Weighted| scorer.feature(it.unit).map_or(0.0, |it| it.weight);
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
