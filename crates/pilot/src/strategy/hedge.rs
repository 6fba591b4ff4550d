//! Takes the best link by one of four orders: that of the priority, that of the fixed formula,
//! breadth-first, or that of the page that has the link. A bandit chooses the order by what each
//! has found lately, so that a priority which is misled, or has nothing to learn from, does little
//! harm.

use ontrail_learner::{Bandit, BanditSettings};
use serde::{Deserialize, Serialize};

use super::{Decision, Strategy, StrategyContext, free, replace_key};
use crate::graph::{NodeId, Order, WebGraph};
use crate::link::LinkKey;
use crate::random::Random;
use crate::rule::Rule;
use crate::why::OrderFound;

/// Most links whose outcome is awaited.
const MOST_AWAITED: usize = 10_000;
/// The orders, in the order of the bandit's arms.
const ARMS: [(Order, Rule); 4] = [
    (Order::Priority, Rule::Best),
    (Order::Formula, Rule::Formula),
    (Order::Age, Rule::First),
    (Order::Parent, Rule::Parent),
];

/// Settings of the hedge.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct HedgeSettings {
    /// The weight of trying orders that were rarely used; 0 trusts what was found alone.
    pub curiosity: f64,
    /// The part of an earlier reward that is left after each further page.
    pub memory: f64,
    /// Another order is used only if it promises this many times what the learned one does.
    pub lead: f64,
}

impl Default for HedgeSettings {
    fn default() -> Self {
        Self { curiosity: 0.1, memory: 0.99, lead: 2.0 }
    }
}

/// The state of the hedge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hedge {
    bandit: Bandit,
    /// Links that were taken, each with its order, until their pages arrive.
    awaited: Vec<(LinkKey, usize)>,
}

impl Hedge {
    pub(crate) fn new(settings: HedgeSettings) -> Self {
        let mut of_bandit = BanditSettings::default();
        of_bandit.curiosity = settings.curiosity;
        of_bandit.memory = settings.memory;
        of_bandit.lead = settings.lead;
        Self { bandit: Bandit::new(of_bandit, ARMS.len()), awaited: Vec::new() }
    }

    /// Returns what the links that were taken in each order were worth.
    pub(crate) fn orders(&self) -> Vec<OrderFound> {
        let found = ARMS.iter().zip(self.bandit.means());
        found
            .map(|((_, order), (mean, choices))| OrderFound { order: *order, mean, choices })
            .collect()
    }
}

impl Strategy for Hedge {
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        for arm in self.bandit.ranked() {
            let (order, rule) = ARMS[arm];
            if let Some(id) = cx.take_best_by(order) {
                if self.awaited.len() >= MOST_AWAITED {
                    self.awaited.remove(0);
                }
                self.awaited.push((cx.graph.node(id).key, arm));
                return Decision::Fetch(id, rule);
            }
        }
        free(cx)
    }

    fn arrived(&mut self, graph: &mut WebGraph, page: NodeId, _: &mut Random) {
        let node = graph.node(page);
        let Some(at) = self.awaited.iter().position(|(key, _)| *key == node.key) else { return };
        let (_, arm) = self.awaited.remove(at);
        self.bandit.reward(arm, node.worth.unwrap_or(0.0));
    }

    fn redirected(&mut self, from: &LinkKey, to: &LinkKey) {
        replace_key(self.awaited.iter_mut().map(|(key, _)| key), from, to);
    }
}
