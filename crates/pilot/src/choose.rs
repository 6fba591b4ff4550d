//! Choosing the next link: first what was chosen before and waits again, then what comes before all others,
//! then what the strategy wants.

use std::collections::VecDeque;

use crate::discarded::Put;
use crate::helm::Helm;
use crate::hosts::AnyHosts;
use crate::link::{LinkId, LinkKey};
use crate::map::Standing;
use crate::pilot::Ready;
use crate::rule::Rule;
use crate::state::{Pick, PilotState};
use crate::strategy::Decision;
use crate::verdict::Offer;

/// How many links that wait again are asked for at a time.
const MOST_RETURNED: usize = 64;

/// A decision and how it came about.
#[derive(Debug, Clone, Copy)]
struct Decided {
    decision: Decision,
    /// Whether it was made before, and the link came back.
    is_again: bool,
    /// Whether a link was passed over because its host is tabu, and one because its host must wait.
    has_passed_over: bool,
    has_waited: bool,
}

/// What the next link is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Next {
    /// This one, which counts as taken.
    Link(Pick, LinkId),
    /// Whatever ranks best in the queue; [`PilotState::took_free`] must follow.
    Free(Fallback),
    /// Nothing that may be fetched now.
    Nothing,
    /// Nothing any more: the strategy is done.
    Done,
}

/// A decision that is complete once it is known which link the queue gave out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fallback {
    has_passed_over: bool,
}

impl PilotState {
    /// Chooses the next link. A pilot without a map takes whatever ranks best.
    pub(crate) fn choose(&mut self, ready: &dyn Ready) -> Next {
        // If nothing but tabu hosts is left, they come closer to being asked again; every step ends some terms.
        loop {
            let decided = self.decide(ready);
            let Decided { decision, is_again, has_passed_over, has_waited } = decided;
            let Some(known) = &mut self.known else { return Next::Nothing };
            let is_nothing = decision == Decision::Nothing;
            if is_nothing && has_passed_over && !has_waited && self.hosts.part().forbids_some() {
                self.hosts.part_mut().relent(&mut known.map);
                continue;
            }
            if decision == Decision::Free {
                return Next::Free(Fallback { has_passed_over });
            }
            if !is_again {
                self.hosts.part_mut().decided(&mut known.map, has_passed_over);
            }
            let (id, rule, is_look) = match decision {
                Decision::Fetch(id, rule) => (id, rule, false),
                Decision::Look(id, rule) => (id, rule, true),
                Decision::Nothing | Decision::Free => return Next::Nothing,
                Decision::Done => return Next::Done,
            };
            let link = known.map.id_of(id);
            let pick = Pick { key: link.key, rule, is_look };
            known.under_way.push(pick);
            return Next::Link(pick, link);
        }
    }

    fn decide(&mut self, ready: &dyn Ready) -> Decided {
        let Self { random, appraiser, strategy, hosts, budget, known, .. } = self;
        let Some(known) = known else {
            let decision = Decision::Free;
            return Decided {
                decision,
                is_again: false,
                has_passed_over: false,
                has_waited: false,
            };
        };
        let mut helm = Helm {
            map: &mut known.map,
            random,
            appraiser,
            hosts,
            ready,
            budget: *budget,
            has_passed_over: false,
            has_waited: false,
        };
        let again = take_returned(&mut known.returned, &mut helm);
        let decision = again
            .or_else(|| take_first(&mut known.first, &mut helm))
            .unwrap_or_else(|| strategy.part_mut().choose(&mut helm));
        let Helm { has_passed_over, has_waited, .. } = helm;
        Decided { decision, is_again: again.is_some(), has_passed_over, has_waited }
    }

    /// Completes a decision for whatever ranked best: the queue gave out this link, or none.
    pub(crate) fn took_free(&mut self, fallback: Fallback, link: Option<LinkId>) {
        let Some(known) = &mut self.known else { return };
        if let Some(link) = link {
            let id = self.appraiser.meet(&mut known.map, link);
            known.map.set_standing(id, Standing::Taken);
            self.hosts.part_mut().taken(&mut known.map, id);
            self.strategy.part_mut().fell_back(known.map.node(id).priority, self.budget);
            known.under_way.push(Pick { key: link.key, rule: Rule::Free, is_look: false });
        }
        self.hosts.part_mut().decided(&mut known.map, fallback.has_passed_over);
    }

    /// Links that were put aside and are wanted now, because few hosts are left.
    pub(crate) fn restore(&mut self) -> Vec<Put> {
        let (AnyHosts::Memory(hosts), Some(known)) = (&self.hosts, &mut self.known) else {
            return Vec::new();
        };
        let progress = self.pages as f64 / self.budget.max(1) as f64;
        if !hosts.wants_more_hosts(&known.map, progress) {
            return Vec::new();
        }
        let mut wanted = known.discarded.of_other_hosts(&known.map, hosts.settings.restore);
        wanted.retain(|put| {
            let id = self.appraiser.meet(&mut known.map, put.id);
            known.map.node(id).standing == Standing::Aside
        });
        wanted
    }

    /// The queue was offered links that had been put aside.
    pub(crate) fn restored(&mut self, wanted: &[Put], offers: &[Offer]) {
        let Some(known) = &mut self.known else { return };
        for (put, offer) in wanted.iter().zip(offers) {
            if !offer.is_refusal()
                && let Some(id) = known.map.lookup(&put.id.key)
            {
                known.wait_with(id, put.priority);
            }
        }
    }
}

/// A link that was chosen before and waits again.
fn take_returned(returned: &mut Vec<Pick>, helm: &mut Helm<'_>) -> Option<Decision> {
    returned.retain(|pick| helm.map.lookup_waiting(&pick.key).is_some());
    for at in 0..returned.len().min(MOST_RETURNED) {
        let Pick { key, rule, is_look } = returned[at];
        let Some(id) = helm.map.lookup_waiting(&key) else { continue };
        if helm.take_again(id) {
            returned.remove(at);
            let decision = if is_look { Decision::Look } else { Decision::Fetch };
            return Some(decision(id, rule));
        }
    }
    None
}

/// A link that comes before all others.
fn take_first(first: &mut VecDeque<(LinkKey, Rule)>, helm: &mut Helm<'_>) -> Option<Decision> {
    let mut resting = Vec::new();
    let mut taken = None;
    while resting.len() < MOST_RETURNED
        && let Some((key, rule)) = first.pop_front()
    {
        let Some(id) = helm.map.lookup_waiting(&key) else { continue };
        if helm.take(id) {
            taken = Some(Decision::Fetch(id, rule));
            break;
        }
        resting.push((key, rule));
    }
    resting.into_iter().rev().for_each(|it| first.push_front(it));
    taken
}
