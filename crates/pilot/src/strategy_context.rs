//! The context in which a strategy chooses a link: the web graph, the random number generator, and
//! which links may be fetched now.

use crate::graph::{Node, NodeId, NodeState, Order, WebGraph};
use crate::hosts::AnyHosts;
use crate::pilot::Ready;
use crate::priority::Appraiser;
use crate::random::Random;

/// Number of the best links to try before giving up on finding one that may be fetched now.
const MAX_TRIED: usize = 100;
/// Maximum number of the best links whose priority is recomputed before one is taken.
const MAX_REFRESHED: usize = 64;

/// Everything a strategy needs to choose a link.
pub(crate) struct StrategyContext<'a> {
    pub(crate) graph: &'a mut WebGraph,
    pub(crate) random: &'a mut Random,
    pub(crate) appraiser: &'a mut Appraiser,
    pub(crate) hosts: &'a mut AnyHosts,
    pub(crate) ready: &'a dyn Ready,
    /// Number of pages to fetch in the whole crawl.
    pub(crate) budget: u64,
    /// True if a link was skipped because its host is tabu.
    pub(crate) has_skipped_tabu: bool,
    /// True if a link was skipped because its host is not ready.
    pub(crate) has_skipped_unready: bool,
}

impl StrategyContext<'_> {
    /// Recomputes the priority of a link and returns it.
    pub(crate) fn priority(&mut self, id: NodeId) -> f64 {
        if self.appraiser.has_moving_priorities() {
            self.graph.set_priority(id, self.appraiser.appraise(self.graph, id));
        }
        self.graph.node(id).priority
    }

    /// Takes a link and updates its priority, if the link is waiting and its host is ready and not
    /// tabu. Returns true if it took the link.
    pub(crate) fn take(&mut self, id: NodeId) -> bool {
        if !self.graph.is_waiting(id) {
            return false;
        }
        if !self.hosts.part().allows(self.graph, id) {
            self.has_skipped_tabu = true;
            return false;
        }
        self.priority(id);
        let is_taken = self.take_again(id);
        if is_taken {
            self.hosts.part_mut().taken(self.graph, id);
        }
        is_taken
    }

    /// Takes a link that was taken before and came back to the queue. Host memory allowed it the
    /// first time and is not asked again.
    pub(crate) fn take_again(&mut self, id: NodeId) -> bool {
        let link = self.graph.id_of(id);
        let is_ready = self.ready.is_ready(&link.key, link.host);
        if is_ready {
            self.graph.set_state(id, NodeState::Taken);
        } else {
            self.has_skipped_unready = true;
        }
        is_ready
    }

    /// Takes the best link that is not tabu and may be fetched now.
    pub(crate) fn take_best(&mut self, is_tabu: &dyn Fn(&Node) -> bool) -> Option<NodeId> {
        self.refresh_best();
        let best: Vec<NodeId> = self.graph.best().take(MAX_TRIED).collect();
        best.into_iter().find(|id| !is_tabu(self.graph.node(*id)) && self.take(*id))
    }

    /// Takes the first link in an order that may be fetched now.
    pub(crate) fn take_best_by(&mut self, order: Order) -> Option<NodeId> {
        if order == Order::Priority {
            return self.take_best(&|_| false);
        }
        self.graph.first(order, MAX_TRIED).into_iter().find(|id| self.take(*id))
    }

    /// Returns the best waiting links, at most `count`, with updated priorities. Leaves out links
    /// whose priority is now too low.
    pub(crate) fn candidates(&mut self, count: usize) -> Vec<NodeId> {
        let mut best: Vec<NodeId> = self.graph.best().take(count).collect();
        best.iter().for_each(|id| _ = self.priority(*id));
        best.retain(|id| !self.appraiser.has_sunk(self.graph.node(*id).priority));
        best
    }

    /// Recomputes the priority of the best link until the best link keeps its place. Priorities can
    /// fall without notice, so the first link in the order may no longer be the best.
    fn refresh_best(&mut self) {
        if !self.appraiser.has_moving_priorities() {
            return;
        }
        for _ in 0..MAX_REFRESHED {
            let Some(id) = self.graph.best().next() else { return };
            let before = self.graph.node(id).priority;
            if self.priority(id) >= before {
                return;
            }
        }
    }
}
