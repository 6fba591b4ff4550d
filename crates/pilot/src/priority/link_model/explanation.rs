//! Puts what the link model knows into words: what decided about a link, what was learned, and how
//! good the predictions were.

use ontrail_learner::{Cause, Effect, Group, KeptModel, LinkExample, NameSpace, Named, logistic};
use serde::{Deserialize, Serialize};

use super::LinkLearner;
use crate::clue::{Clue, directory};
use crate::link::{Link, host_of};
use crate::priority::LinkFacts;
use crate::why::{Learned, Reason, Strongest, Why};

/// Most reasons that are given for a link.
const MOST_REASONS: usize = 10;
/// Smaller parts of the log-odds are no reasons.
const LEAST_EFFECT: f64 = 0.02;
/// The most things of each kind, for and against links, that are listed.
const MOST_LISTED: usize = 5;
/// Probabilities are kept this far from 0 and 1.
const EDGE: f64 = 1e-6;
/// The kinds of things that are listed.
const LISTED: [Cause; 6] = [
    Cause::AnchorWord,
    Cause::ContextWord,
    Cause::UrlWord,
    Cause::Place,
    Cause::HostRate,
    Cause::DirectoryRate,
];

/// The quality of the predictions: sums over the pages learned from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Foresight {
    pages: f64,
    predicted: f64,
    found: f64,
    loss: f64,
    /// The loss of predicting the mean of the pages before.
    loss_of_mean: f64,
}

impl Foresight {
    /// Counts a page, the log-loss being −y ln q − (1 − y) ln(1 − q).
    fn count(&mut self, predicted: f64, worth: f64) {
        let loss = |predicted: f64| {
            let q = predicted.clamp(EDGE, 1.0 - EDGE);
            -worth * libm::log(q) - (1.0 - worth) * libm::log(1.0 - q)
        };
        // Before the first page, one half is as good as any mean.
        self.loss_of_mean += loss((self.found + 0.5) / (self.pages + 1.0));
        self.loss += loss(predicted);
        self.predicted += predicted;
        self.found += worth;
        self.pages += 1.0;
    }
}

impl LinkLearner {
    /// Counts a page that arrived in the quality of the predictions, before it is learned from.
    pub(super) fn foresee(&mut self, links: &[LinkExample], worth: f64) {
        let scores = links.iter().map(|link| self.model.score(link));
        let best = scores.fold(f64::NEG_INFINITY, f64::max);
        if best.is_finite() {
            self.foresight.count(logistic(best), worth.clamp(0.0, 1.0));
        }
    }

    /// Returns true if the text of a hash is not known yet.
    pub(crate) fn lacks(&self, name: &Named) -> bool {
        !self.names.has(name.key)
    }

    /// Takes in texts behind hashes.
    pub(crate) fn name(&mut self, names: &[Named]) {
        let Self { names: known, model, rates, .. } = self;
        known.add(names.iter().cloned(), |key, _| match u32::try_from(key) {
            Ok(feature) => model.weight_of(feature),
            Err(_) => rates.advantage(key),
        });
    }

    /// Returns what decided about a link: the parts of the score on the page that decides.
    pub(crate) fn why(&self, facts: &LinkFacts<'_>, link: &Link) -> Why {
        let examples = facts.clues.iter().map(|clue| (clue, self.example(clue, &facts.evidence)));
        let best =
            examples.max_by(|(_, a), (_, b)| self.model.score(a).total_cmp(&self.model.score(b)));
        let evidence = &facts.evidence;
        let mut why = Why {
            in_links: evidence.pages,
            relevant_in_links: evidence.probability,
            ..Why::default()
        };
        let Some((clue, example)) = best else { return why };
        let mut effects = self.model.effects(&example);
        let noise = self.noise(&facts.key);
        effects.push(Effect { cause: Cause::Noise, feature: None, size: noise });
        effects.retain(|effect| effect.size.abs() >= LEAST_EFFECT);
        effects.sort_by(|a, b| b.size.abs().total_cmp(&a.size.abs()));
        effects.truncate(MOST_REASONS);
        why.reasons = effects.iter().map(|effect| self.reason(effect, clue, link)).collect();
        why
    }

    fn reason(&self, effect: &Effect, clue: &Clue, link: &Link) -> Reason {
        let group = Group::ALL.into_iter().position(|group| Cause::from(group) == effect.cause);
        let counted = group.and_then(|at| self.rates.rate(clue.groups()[at]));
        let known = |feature: u32| self.names.text(u64::from(feature)).map(str::to_owned);
        let place = || clue.sparse.first_in(NameSpace::Path).and_then(known);
        let text = match effect.cause {
            Cause::AnchorWord | Cause::ContextWord | Cause::UrlWord | Cause::Place => {
                effect.feature.and_then(known)
            }
            Cause::HostPlace | Cause::HostPlaceRate | Cause::PlaceRate => place(),
            Cause::PageRate => link.parent.clone(),
            Cause::DirectoryRate => {
                Some(format!("{}{}/", host_of(&link.url), directory(&link.url)))
            }
            Cause::HostRate => Some(host_of(&link.url).to_owned()),
            Cause::AnchorRate => Some(link.anchor.clone()).filter(|anchor| !anchor.is_empty()),
            Cause::Formula | Cause::Page | Cause::Texts | Cause::InLinks | Cause::Noise => None,
        };
        let (pages, rate) = counted.unzip();
        Reason { cause: effect.cause, text, effect: effect.size, pages, rate }
    }

    /// Returns what was learned so far.
    pub(crate) fn learned(&self) -> Learned {
        let Foresight { pages, predicted, found, loss, loss_of_mean } = self.foresight;
        let mean = |sum: f64| sum / pages.max(1.0);
        Learned {
            pages: self.model.pages(),
            log_loss: mean(loss),
            log_loss_of_mean: mean(loss_of_mean),
            predicted: mean(predicted),
            found: mean(found),
            orders: Vec::new(),
            strongest: self.strongest(),
        }
    }

    /// Returns the things of each kind with the greatest and with the least weights, the strongest
    /// first. What was seen often ranks above what was seen once or twice.
    fn strongest(&self) -> Vec<Strongest> {
        let mut strongest = Vec::new();
        for cause in LISTED {
            let own = self.names.iter().filter(|(_, kind, _)| *kind == cause);
            let weigh = |(key, _, text)| {
                let (weight, evidence) = self.weight_and_evidence(key);
                (weight.abs() * evidence / (1.0 + evidence), weight, text)
            };
            let mut ranked: Vec<(f64, f64, &str)> =
                own.map(weigh).filter(|(rank, ..)| *rank >= LEAST_EFFECT).collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(b.2)));
            for is_for in [true, false] {
                let side = ranked.iter().filter(|(_, weight, _)| (*weight > 0.0) == is_for);
                strongest.extend(side.take(MOST_LISTED).map(|(_, weight, text)| Strongest {
                    cause,
                    text: (*text).to_owned(),
                    weight: *weight,
                }));
            }
        }
        strongest
    }

    /// Returns the weight of a thing, and how much is known about it: the sum of its squared
    /// gradients, or its number of pages.
    fn weight_and_evidence(&self, key: u64) -> (f64, f64) {
        if let Ok(feature) = u32::try_from(key) {
            return (self.model.weight_of(feature), self.model.evidence_of(feature));
        }
        let pages = self.rates.rate(key).map_or(0.0, |(pages, _)| pages);
        (self.rates.advantage(key), pages)
    }

    /// Returns what was learned, so that it can begin another crawl.
    pub(crate) fn kept(&self) -> KeptModel {
        KeptModel::of(&self.model, &self.rates, &self.names, self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Predictions 0.8 and 0.5 for pages worth 1 and 0: the log-losses are −ln 0.8 = 0.223144 and
    /// −ln 0.5 = 0.693147. Predicting the mean so far: 0.5 and then (1 + 0.5) / 2 = 0.75, so
    /// 0.693147 and −ln 0.25 = 1.386294.
    #[test]
    fn the_log_loss_is_as_worked_out_by_hand() {
        let mut foresight = Foresight::default();
        foresight.count(0.8, 1.0);
        foresight.count(0.5, 0.0);
        assert!((foresight.loss - 0.916_291).abs() < 1e-6, "{foresight:?}");
        assert!((foresight.loss_of_mean - 2.079_442).abs() < 1e-6, "{foresight:?}");
    }
}
