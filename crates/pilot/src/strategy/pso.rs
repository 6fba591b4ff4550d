//! The strategy of FCPSO: sorts the links with the highest priorities into Pareto fronts, and
//! fetches the nearest and farthest candidates of the best fronts as one batch. The particle swarm
//! itself is part of the priority `learned`, whose weights it sets. The papers describe FCPSO in
//! words only; this is a reconstruction.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::{Decision, Strategy, StrategyContext, best_or_free};
use crate::graph::NodeId;
use crate::link::LinkKey;
use crate::pareto::{CANDIDATES, Objectives, select};
use crate::rule::Rule;

/// Maximum number of links in a batch to skip because their hosts are not ready.
const MAX_NOT_READY: usize = 1_000;

/// Settings of the Pareto batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct PsoSettings {
    /// K, the number of links in a batch.
    pub batch: usize,
    /// Number of the best links from which a batch is chosen.
    pub candidates: usize,
}

impl Default for PsoSettings {
    fn default() -> Self {
        Self { batch: 10, candidates: CANDIDATES }
    }
}

/// The state of the Pareto batches.
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

/// A function that selects a few elements by several objectives.
pub(crate) type Selection = fn(&[Objectives], usize) -> Vec<usize>;

/// Selects `count` of the best waiting links by several objectives.
pub(crate) fn pareto_best(
    cx: &mut StrategyContext<'_>,
    candidates: usize,
    count: usize,
    select: Selection,
) -> Vec<NodeId> {
    let best = cx.candidates(candidates);
    let values: Vec<Objectives> =
        best.iter().map(|id| cx.appraiser.objectives(cx.graph, *id)).collect();
    select(&values, count).into_iter().map(|at| best[at]).collect()
}

/// Takes the first link of a batch that may be fetched now, and drops links that are no longer
/// waiting. Each host that is not ready is asked for only once.
pub(crate) fn take_from(
    batch: &mut VecDeque<LinkKey>,
    cx: &mut StrategyContext<'_>,
) -> Option<NodeId> {
    let mut hosts = BTreeSet::new();
    let mut not_ready = Vec::new();
    let mut taken = None;
    while not_ready.len() < MAX_NOT_READY
        && let Some(key) = batch.pop_front()
    {
        let Some(id) = cx.graph.lookup_waiting(&key) else { continue };
        let host = cx.graph.node(id).host;
        if !hosts.contains(&host) && cx.take(id) {
            taken = Some(id);
            break;
        }
        hosts.insert(host);
        not_ready.push(key);
    }
    not_ready.into_iter().rev().for_each(|key| batch.push_front(key));
    taken
}

impl Strategy for Pso {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        // If the whole batch is not ready, try a new batch rather than wait.
        for _ in 0..2 {
            if let Some(id) = take_from(&mut self.batch, cx) {
                return Decision::Fetch(id, Rule::Pareto);
            }
            let best =
                pareto_best(cx, self.settings.candidates, self.settings.batch.max(1), select);
            self.batch = best.into_iter().map(|id| cx.graph.node(id).key).collect();
        }
        best_or_free(cx)
    }
}
