//! The crawl of FCPSO (part D of the readings): the links with the greatest priorities are sorted into fronts, and the
//! nearest and farthest candidates of the first are fetched as one batch. The swarm itself is in the priority `learned`, whose
//! weights it sets.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::{Decision, Helm, Strategy, best_or_free};
use crate::link::LinkKey;
use crate::map::NodeId;
use crate::pareto::{CANDIDATES, Objectives, select};
use crate::rule::Rule;

/// How many links of a batch are passed over whose hosts must rest.
const MOST_RESTING: usize = 1_000;

/// The Pareto-best in batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PsoSettings {
    /// K, how many links make a batch.
    pub batch: usize,
    /// How many of the best links a batch is chosen from.
    pub candidates: usize,
}

impl Default for PsoSettings {
    fn default() -> Self {
        Self { batch: 10, candidates: CANDIDATES }
    }
}

/// Batches at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pso {
    settings: PsoSettings,
    batch: VecDeque<LinkKey>,
}

impl Pso {
    pub(crate) fn new(settings: PsoSettings) -> Self {
        Self { settings, batch: VecDeque::new() }
    }
}

/// How a few links are chosen of many by several objectives.
pub(crate) type Selection = fn(&[Objectives], usize) -> Vec<usize>;

/// Of the best waiting links a few that are best in several respects.
pub(crate) fn pareto_best(
    helm: &mut Helm<'_>,
    candidates: usize,
    count: usize,
    select: Selection,
) -> Vec<NodeId> {
    let best = helm.candidates(candidates);
    let values: Vec<Objectives> =
        best.iter().map(|id| helm.appraiser.objectives(helm.map, *id)).collect();
    select(&values, count).into_iter().map(|at| best[at]).collect()
}

/// Takes the first link of a batch that may be fetched now, and drops those that wait no more. A host that must rest is
/// not asked for twice.
pub(crate) fn take_of(batch: &mut VecDeque<LinkKey>, helm: &mut Helm<'_>) -> Option<NodeId> {
    let mut hosts = BTreeSet::new();
    let mut resting = Vec::new();
    let mut taken = None;
    while resting.len() < MOST_RESTING
        && let Some(key) = batch.pop_front()
    {
        let Some(id) = helm.map.lookup_waiting(&key) else { continue };
        let host = helm.map.node(id).host;
        if !hosts.contains(&host) && helm.take(id) {
            taken = Some(id);
            break;
        }
        hosts.insert(host);
        resting.push(key);
    }
    resting.into_iter().rev().for_each(|key| batch.push_front(key));
    taken
}

impl Strategy for Pso {
    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        // What must rest is not waited for.
        for _ in 0..2 {
            if let Some(id) = take_of(&mut self.batch, helm) {
                return Decision::Fetch(id, Rule::Pareto);
            }
            let best =
                pareto_best(helm, self.settings.candidates, self.settings.batch.max(1), select);
            self.batch = best.into_iter().map(|id| helm.map.node(id).key).collect();
        }
        best_or_free(helm)
    }
}
