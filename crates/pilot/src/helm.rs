//! What a strategy steers with: the map, the random number generator, and the knowledge of which links may be
//! fetched now.

use crate::hosts::AnyHosts;
use crate::map::{Map, Node, NodeId, Standing};
use crate::pilot::Ready;
use crate::priority::Appraiser;
use crate::random::Random;

/// How many of the best links are looked at to find one that may be fetched now.
const LOOKED_AT: usize = 100;
/// How many of the best links are appraised anew before one is taken.
const SETTLED: usize = 64;

/// What a strategy steers with.
pub(crate) struct Helm<'a> {
    pub(crate) map: &'a mut Map,
    pub(crate) random: &'a mut Random,
    pub(crate) appraiser: &'a mut Appraiser,
    pub(crate) hosts: &'a mut AnyHosts,
    pub(crate) ready: &'a dyn Ready,
    /// How many pages are to be fetched in all.
    pub(crate) budget: u64,
    /// Whether a link was passed over because its host is tabu, and one because its host must rest.
    pub(crate) has_passed_over: bool,
    pub(crate) has_waited: bool,
}

impl Helm<'_> {
    /// The priority of a link, brought up to date.
    pub(crate) fn priority(&mut self, id: NodeId) -> f64 {
        if self.appraiser.moves() {
            self.map.set_priority(id, self.appraiser.appraise(self.map, id));
        }
        self.map.node(id).priority
    }

    /// Takes a link, if it waits and its host may be asked. Its priority is then up to date.
    pub(crate) fn take(&mut self, id: NodeId) -> bool {
        if !self.map.is_waiting(id) {
            return false;
        }
        if !self.hosts.part().allows(self.map, id) {
            self.has_passed_over = true;
            return false;
        }
        self.priority(id);
        let is_taken = self.take_again(id);
        if is_taken {
            self.hosts.part_mut().taken(self.map, id);
        }
        is_taken
    }

    /// Takes a link that was taken before and came back. Its host was judged then.
    pub(crate) fn take_again(&mut self, id: NodeId) -> bool {
        let link = self.map.id_of(id);
        let is_ready = self.ready.is_ready(&link.key, link.host);
        if is_ready {
            self.map.set_standing(id, Standing::Taken);
        } else {
            self.has_waited = true;
        }
        is_ready
    }

    /// Takes the best link that is not tabu and may be fetched now.
    pub(crate) fn take_best(&mut self, is_tabu: &dyn Fn(&Node) -> bool) -> Option<NodeId> {
        self.settle();
        let best: Vec<NodeId> = self.map.best().take(LOOKED_AT).collect();
        best.into_iter().find(|id| !is_tabu(self.map.node(*id)) && self.take(*id))
    }

    /// The best waiting links, at most so many, with priorities that are up to date and great enough.
    pub(crate) fn candidates(&mut self, count: usize) -> Vec<NodeId> {
        let mut best: Vec<NodeId> = self.map.best().take(count).collect();
        best.iter().for_each(|id| _ = self.priority(*id));
        let priority = self.appraiser.priority.part();
        best.retain(|id| !priority.refuses(self.map.node(*id).priority));
        best
    }

    /// Appraises the best link anew until the best is as good as it is said to be.
    fn settle(&mut self) {
        if !self.appraiser.moves() {
            return;
        }
        for _ in 0..SETTLED {
            let Some(id) = self.map.best().next() else { return };
            let before = self.map.node(id).priority;
            if self.priority(id) >= before {
                return;
            }
        }
    }
}
