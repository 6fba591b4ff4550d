//! What a strategy steers with: the map, the dice, and a hand on the links that may be fetched now.

use super::hosts::AnyHosts;
use super::map::{Address, Map, Node, NodeId, Standing};
use super::priority::Appraiser;
use super::random::Random;
use crate::frontier::{Frontier, Next, Offer, Take, Taken};
use crate::link::{Link, LinkKey};
use crate::store::StoreError;

/// How many of the best links are looked at to find one that may be fetched now.
const LOOKED_AT: usize = 100;
/// How many of the best links are appraised anew before one is taken.
const SETTLED: usize = 64;

/// What became of a link that a strategy asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Took {
    /// It is to be fetched.
    Taken,
    /// Its host must not be asked now.
    Resting,
    /// It does not wait any more.
    Gone,
}

/// The links that may be fetched now.
pub(crate) trait Ready {
    /// Takes this link.
    fn take(&mut self, key: &LinkKey) -> Result<Took, StoreError>;

    /// Takes the link with the greatest rank.
    fn take_best(&mut self) -> Result<Option<Address>, StoreError>;

    /// Adds a link.
    fn offer(&mut self, link: Link, rank: f64) -> Result<Offer, StoreError>;
}

/// The links of a frontier that may be fetched at a time.
pub(crate) struct ReadyNow<'a> {
    pub(crate) frontier: &'a mut dyn Frontier,
    pub(crate) now: u64,
    /// The one that was taken.
    pub(crate) taken: Option<Box<Taken>>,
    /// What to do if none was.
    pub(crate) otherwise: Option<Next>,
    pub(crate) directories: usize,
    /// What it answered: links that do not wait any more, and what became of links that were added.
    pub(crate) gone: Vec<LinkKey>,
    pub(crate) offers: Vec<Offer>,
}

impl Ready for ReadyNow<'_> {
    fn take(&mut self, key: &LinkKey) -> Result<Took, StoreError> {
        Ok(match self.frontier.take(key, self.now)? {
            Take::Taken(taken) => {
                self.taken = Some(taken);
                Took::Taken
            }
            Take::Resting => Took::Resting,
            Take::Gone => {
                self.gone.push(*key);
                Took::Gone
            }
        })
    }

    fn take_best(&mut self) -> Result<Option<Address>, StoreError> {
        match self.frontier.next(self.now)? {
            Next::Link(taken) => {
                let address = Address::of(&taken.link.url, self.directories);
                self.taken = Some(taken);
                Ok(Some(address))
            }
            other => {
                self.otherwise = Some(other);
                Ok(None)
            }
        }
    }

    fn offer(&mut self, link: Link, rank: f64) -> Result<Offer, StoreError> {
        let offer = self.frontier.offer(link, rank)?;
        self.offers.push(offer);
        Ok(offer)
    }
}

/// What a strategy steers with.
pub(crate) struct Helm<'a> {
    pub(crate) map: &'a mut Map,
    pub(crate) random: &'a mut Random,
    pub(crate) appraiser: &'a mut Appraiser,
    pub(crate) hosts: &'a mut AnyHosts,
    pub(crate) ready: &'a mut dyn Ready,
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
    pub(crate) fn take(&mut self, id: NodeId) -> Result<bool, StoreError> {
        if !self.map.is_waiting(id) {
            return Ok(false);
        }
        if !self.hosts.part().allows(self.map, id) {
            self.has_passed_over = true;
            return Ok(false);
        }
        self.priority(id);
        let is_taken = self.take_again(id)?;
        if is_taken {
            self.hosts.part_mut().taken(self.map, id);
        }
        Ok(is_taken)
    }

    /// Takes a link that was taken before and came back. Its host was judged then.
    pub(crate) fn take_again(&mut self, id: NodeId) -> Result<bool, StoreError> {
        Ok(match self.ready.take(&self.map.node(id).key)? {
            Took::Taken => {
                self.map.set_standing(id, Standing::Taken);
                true
            }
            Took::Resting => {
                self.has_waited = true;
                false
            }
            Took::Gone => {
                self.map.set_standing(id, Standing::Settled);
                false
            }
        })
    }

    /// Takes the best link that is not tabu and may be fetched now.
    pub(crate) fn take_best(
        &mut self,
        is_tabu: &dyn Fn(&Node) -> bool,
    ) -> Result<Option<NodeId>, StoreError> {
        self.settle();
        let best: Vec<NodeId> = self.map.best().take(LOOKED_AT).collect();
        for id in best {
            if !is_tabu(self.map.node(id)) && self.take(id)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Takes whatever the frontier has that may be fetched now: what the map wants must rest, or the map has
    /// nothing left that the frontier still holds. Not while hosts are tabu: theirs would be taken.
    pub(crate) fn take_free(&mut self) -> Result<Option<NodeId>, StoreError> {
        if self.hosts.part().forbids_some() {
            return Ok(None);
        }
        let Some(address) = self.ready.take_best()? else { return Ok(None) };
        let id = self.appraiser.meet(self.map, address);
        self.map.set_standing(id, Standing::Taken);
        self.hosts.part_mut().taken(self.map, id);
        Ok(Some(id))
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
