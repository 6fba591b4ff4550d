//! Priorities that are learned during the crawl: P(the page behind a link is relevant), by logistic
//! regression on the words, the URL, the place and the neighbourhood of links.
//!
//! Each page that arrives is an example: its P(relevant) is the target, and the links to it are
//! the inputs. Some earlier pages are learned again each time. A link is scored by the best of the
//! pages that show it.
//!
//! The first order of links is that of a fixed formula, E(l) = α P(p) + β P(A) + γ R(CL). Noise
//! that fades as relevant pages are found keeps the crawler from settling on the first thing that
//! works.

mod explanation;

use ontrail_learner::{
    Dense, Group, KeptModel, LearnedNumber, LinkExample, LinkModel, LinkModelSettings, Names,
    SuccessRates, logistic, noise,
};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use self::explanation::Foresight;
use super::{LinkFacts, Priority};
use crate::clue::Clue;
use crate::graph::{LinkEvidence, NodeId, NodeState, WebGraph};
use crate::link::LinkKey;
use crate::random::Random;

/// Most pages that are kept to be learned again; beyond, they are an even sample of all pages.
const MOST_KEPT: usize = 10_000;
/// The number of the best links behind a page whose mean is the value behind it.
const BEST_LINKS: usize = 3;

/// Settings of the learned priority.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct LinkModelPriority {
    /// α of the formula, the weight of the page.
    pub page: f64,
    /// β of the formula, the weight of the anchor text.
    pub anchor: f64,
    /// γ of the formula, the weight of the link context.
    pub context: f64,
    /// The table of hashed features has 2 to the power of this many places.
    pub bits: u32,
    /// The size of steps for dense features.
    pub dense_step: f64,
    /// The size of steps for hashed features.
    pub sparse_step: f64,
    /// The first weight of each success rate; 0 leaves success rates out.
    pub rates: f64,
    /// True if the number of pages that have the link, and how relevant they are, count.
    pub in_links: bool,
    /// True if the tags and classes above links count.
    pub paths: bool,
    /// True if the target of learning is P(relevant); false if it is 1 or 0.
    pub soft: bool,
    /// Number of earlier pages that are learned again with each page.
    pub replay: usize,
    /// Size of the noise before any relevant page was found.
    pub noise: f64,
    /// Number of relevant pages after which half of the noise is left.
    pub fading: f64,
    /// The weight of the pages behind a page in its value; 0 does not look ahead.
    pub look_ahead: f64,
    /// Number of pages between two times at which all waiting links are scored again.
    pub every: u64,
}

impl Default for LinkModelPriority {
    fn default() -> Self {
        Self {
            page: 0.25,
            anchor: 0.65,
            context: 0.1,
            bits: 18,
            dense_step: 0.1,
            sparse_step: 0.1,
            rates: 0.1,
            in_links: true,
            paths: true,
            soft: true,
            replay: 10,
            noise: 0.3,
            fading: 20.0,
            look_ahead: 0.0,
            every: 10,
        }
    }
}

/// A page that can be learned again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptPage {
    key: LinkKey,
    links: Vec<LinkExample>,
    worth: f64,
}

/// The state of the learned priority.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinkLearner {
    settings: LinkModelPriority,
    model: LinkModel,
    rates: SuccessRates,
    kept: Vec<KeptPage>,
    /// Number of pages that could have been kept.
    offered: u64,
    /// Sum of P(relevant) of all pages.
    found: f64,
    seed: u64,
    /// Number of times that the noise was drawn anew.
    pass: u64,
    /// The texts behind hashes, for explanations.
    names: Names,
    /// The quality of the predictions.
    foresight: Foresight,
}

impl LinkLearner {
    /// Returns a learner that begins with what another crawl has learned, if that is given.
    pub(crate) fn new(settings: LinkModelPriority, seed: u64, kept: Option<&KeptModel>) -> Self {
        let mut of_model = LinkModelSettings::default();
        of_model.bits = settings.bits;
        of_model.rates = settings.rates;
        of_model.dense_step = settings.dense_step;
        of_model.sparse_step = settings.sparse_step;
        let (model, rates, names) = match kept {
            Some(kept) => kept.begin(&of_model),
            None => (LinkModel::new(&of_model), SuccessRates::default(), Names::default()),
        };
        Self {
            settings,
            model,
            rates,
            kept: Vec::new(),
            offered: 0,
            found: kept.map_or(0.0, |kept| kept.found),
            seed,
            pass: 0,
            names,
            foresight: Foresight::default(),
        }
    }

    /// Returns the value of the fixed formula: the judge's probabilities where they are known,
    /// otherwise R.
    fn formula(&self, clue: &Clue) -> f64 {
        let LinkModelPriority { page, anchor, context, .. } = self.settings;
        let signals = clue.signals();
        page * clue.page_probability().unwrap_or(clue.page())
            + anchor * signals.probability.unwrap_or(signals.anchor)
            + context * signals.context
    }

    /// Returns the best value of the fixed formula, and the best P(relevant) of the pages that have
    /// the link: the orders of links that compete with the learned one.
    pub(crate) fn rivals(&self, clues: &[Clue]) -> [f64; 2] {
        let greatest = |of: &dyn Fn(&Clue) -> f64| clues.iter().map(of).fold(0.0, f64::max);
        let parent = |clue: &Clue| clue.page_probability().unwrap_or(clue.page());
        [greatest(&|clue| self.formula(clue)), greatest(&parent)]
    }

    /// Returns the features of a link as one page shows it.
    fn example(&self, clue: &Clue, evidence: &LinkEvidence) -> LinkExample {
        let settings = &self.settings;
        let signals = clue.signals();
        let mut dense = Dense::default()
            .with_formula(self.formula(clue))
            .with_relevance(clue.page(), signals.anchor, signals.context)
            .with_probability(clue.page_probability().unwrap_or(0.0), signals.probability);
        if settings.in_links {
            dense = dense.with_in_links(evidence.pages, evidence.probability);
        }
        if settings.rates > 0.0 {
            for (group, key) in Group::ALL.into_iter().zip(clue.groups()) {
                dense = dense.with_rate(group, self.rates.advantage(key));
            }
        }
        let sparse = if settings.paths { clue.sparse.clone() } else { clue.sparse.without_paths() };
        LinkExample { dense, sparse }
    }

    /// Learns from a page that arrived: its worth, and what pages told about the links to it.
    pub(crate) fn learn(
        &mut self,
        graph: &mut WebGraph,
        page: NodeId,
        worth: f64,
        random: &mut Random,
    ) {
        self.found += worth;
        let node = graph.node_mut(page);
        let (clues, evidence, key) = (std::mem::take(&mut node.clues), node.evidence, node.key);
        if clues.is_empty() {
            return;
        }
        let links: Vec<LinkExample> =
            clues.iter().map(|clue| self.example(clue, &evidence)).collect();
        self.foresee(&links, worth);
        self.model.learn_new(&links, worth);
        let mut groups: Vec<u64> = clues.iter().flat_map(Clue::groups).collect();
        groups.sort_unstable();
        groups.dedup();
        self.rates.add(&groups, worth);
        self.keep(KeptPage { key, links, worth }, random);
        for _ in 0..self.settings.replay {
            let Some(at) = random.below(self.kept.len()) else { break };
            let target = self.value(graph, &self.kept[at]);
            self.model.learn(&self.kept[at].links, target);
        }
    }

    /// Keeps a page, as one of an even sample of all pages (Vitter's algorithm R).
    fn keep(&mut self, page: KeptPage, random: &mut Random) {
        self.offered += 1;
        if self.kept.len() < MOST_KEPT {
            self.kept.push(page);
        } else if let Some(at) = random.below(usize::try_from(self.offered).unwrap_or(usize::MAX))
            && at < MOST_KEPT
        {
            self.kept[at] = page;
        }
    }

    /// Returns r + (1 − r) γ V, the worth of a page and of the best links behind it.
    fn value(&self, graph: &WebGraph, kept: &KeptPage) -> f64 {
        let gamma = self.settings.look_ahead;
        if gamma <= 0.0 {
            return kept.worth;
        }
        let page = graph.lookup(&kept.key).and_then(|id| graph.node(id).page.as_ref());
        let mut behind: Vec<f64> = page
            .iter()
            .flat_map(|page| &page.links)
            .filter_map(|edge| {
                let node = graph.node(edge.to);
                let is_waiting = node.state == NodeState::Waiting;
                node.worth.or(is_waiting.then_some(node.priority))
            })
            .collect();
        behind.sort_by(|a, b| b.total_cmp(a));
        behind.truncate(BEST_LINKS);
        let value = behind.iter().sum::<f64>() / BEST_LINKS as f64;
        kept.worth + (1.0 - kept.worth) * gamma * value
    }

    /// Draws the noise anew if it is time to. Returns true if all waiting links are to be scored.
    pub(crate) fn is_due(&mut self, pages: u64) -> bool {
        let is_due = pages.is_multiple_of(self.settings.every.max(1));
        self.pass += u64::from(is_due);
        is_due
    }

    fn noise(&self, key: &LinkKey) -> f64 {
        let size = self.settings.noise / (1.0 + self.found / self.settings.fading.max(1e-9));
        size * noise(self.seed, self.pass, xxh3_64(key))
    }

    /// Returns true if pages are worth 1 or 0.
    pub(crate) fn is_hard(&self) -> bool {
        !self.settings.soft
    }
}

impl Priority for LinkLearner {
    fn numbers(&self) -> Vec<LearnedNumber> {
        self.model.numbers()
    }

    fn mix(&mut self, others: &[LearnedNumber]) {
        self.model.mix(others);
    }

    /// Returns σ(z), where z is the greatest over the pages that have the link.
    fn of(&self, link: &LinkFacts<'_>) -> f64 {
        let z = link
            .clues
            .iter()
            .map(|clue| self.model.score(&self.example(clue, &link.evidence)))
            .fold(f64::NEG_INFINITY, f64::max);
        if z.is_finite() { logistic(z + self.noise(&link.key)) } else { 0.0 }
    }
}
