//! Chooses the next link: first links that were chosen before and came back to the queue, then
//! urgent links, then the strategy's choice.

use std::collections::VecDeque;

use crate::discarded::DiscardedLink;
use crate::graph::NodeState;
use crate::hosts::AnyHosts;
use crate::link::{LinkId, LinkKey};
use crate::pilot::Ready;
use crate::rule::Rule;
use crate::state::{Pick, PilotState};
use crate::strategy::Decision;
use crate::strategy_context::StrategyContext;
use crate::verdict::Offer;

/// Maximum number of returned or urgent links to try for each choice.
const MAX_TRIED: usize = 64;
/// Number of refused links that are queued at a time when no other link waits.
const RESERVE_BATCH: usize = 10;

/// A decision and the circumstances in which it was made.
#[derive(Debug, Clone, Copy)]
struct Decided {
    decision: Decision,
    /// True if the decision was made earlier and its link came back to the queue.
    is_repeated: bool,
    /// True if a link was skipped because its host is tabu.
    has_skipped_tabu: bool,
    /// True if a link was skipped because its host is not ready.
    has_skipped_unready: bool,
}

/// The next link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Next {
    /// Fetch this link, which is now marked as taken.
    Link(Pick, LinkId),
    /// Fetch the link with the highest priority in the queue. [`PilotState::took_free`] must
    /// follow.
    Free(Fallback),
    /// No link may be fetched now.
    Nothing,
    /// The strategy has finished: there is nothing left to fetch.
    Done,
}

/// A pending decision: it is complete once the queue has said which link it gave out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fallback {
    has_skipped_tabu: bool,
}

impl PilotState {
    /// Chooses the next link from the web graph. Returns [`Next::Nothing`] if there is no graph.
    pub(crate) fn choose(&mut self, ready: &dyn Ready) -> Next {
        // If only links of tabu hosts are left, shorten the tabu terms and try again. Each round
        // shortens every term, so the loop ends.
        loop {
            let decided = self.decide(ready);
            let (Some(decided), Some(known)) = (decided, &mut self.known) else {
                return Next::Nothing;
            };
            let Decided { decision, is_repeated, has_skipped_tabu, has_skipped_unready } = decided;
            let is_nothing = decision == Decision::Nothing;
            if is_nothing
                && has_skipped_tabu
                && !has_skipped_unready
                && self.hosts.part().has_tabu_hosts()
            {
                self.hosts.part_mut().shorten_terms(&mut known.graph);
                continue;
            }
            if decision == Decision::Free {
                return Next::Free(Fallback { has_skipped_tabu });
            }
            if !is_repeated {
                self.hosts.part_mut().decided(&mut known.graph, has_skipped_tabu);
            }
            let (id, rule, is_look) = match decision {
                Decision::Fetch(id, rule) => (id, rule, false),
                Decision::Look(id, rule) => (id, rule, true),
                Decision::Nothing | Decision::Free => return Next::Nothing,
                Decision::Done => return Next::Done,
            };
            let link = known.graph.id_of(id);
            let pick = Pick { key: link.key, rule, is_look };
            known.under_way.push(pick);
            return Next::Link(pick, link);
        }
    }

    fn decide(&mut self, ready: &dyn Ready) -> Option<Decided> {
        let Self { random, appraiser, strategy, hosts, budget, known, .. } = self;
        let known = known.as_mut()?;
        let mut cx = StrategyContext {
            graph: &mut known.graph,
            random,
            appraiser,
            hosts,
            ready,
            budget: *budget,
            has_skipped_tabu: false,
            has_skipped_unready: false,
        };
        let repeated = take_returned(&mut known.returned, &mut cx);
        let decision = repeated
            .or_else(|| take_urgent(&mut known.urgent, &mut cx))
            .unwrap_or_else(|| strategy.part_mut().choose(&mut cx));
        let StrategyContext { has_skipped_tabu, has_skipped_unready, .. } = cx;
        Some(Decided {
            decision,
            is_repeated: repeated.is_some(),
            has_skipped_tabu,
            has_skipped_unready,
        })
    }

    /// Completes a [`Next::Free`] decision: the queue gave out this link, or none.
    pub(crate) fn took_free(&mut self, fallback: Fallback, link: Option<LinkId>) {
        let Some(known) = &mut self.known else { return };
        if let Some(link) = link {
            let id = self.appraiser.find_or_add(&mut known.graph, link);
            known.graph.set_state(id, NodeState::Taken);
            self.hosts.part_mut().taken(&mut known.graph, id);
            self.strategy.part_mut().fell_back(known.graph.node(id).priority, self.budget);
            known.under_way.push(Pick { key: link.key, rule: Rule::Free, is_look: false });
        }
        self.hosts.part_mut().decided(&mut known.graph, fallback.has_skipped_tabu);
    }

    /// Returns discarded links to put back into the queue, because few hosts are left or no link
    /// waits.
    pub(crate) fn restore(&mut self) -> Vec<DiscardedLink> {
        if self.needs_reserve() {
            return self.take_reserve();
        }
        let Some(known) = &mut self.known else { return Vec::new() };
        let progress = self.pages as f64 / self.budget.max(1) as f64;
        let mut wanted = match &self.hosts {
            AnyHosts::Memory(hosts) if hosts.wants_more_hosts(&known.graph, progress) => {
                known.discarded.of_other_hosts(&known.graph, hosts.settings.restore)
            }
            _ => Vec::new(),
        };
        wanted.retain(|discarded| {
            let id = self.appraiser.find_or_add(&mut known.graph, discarded.id);
            known.graph.node(id).state.is_unqueued()
        });
        wanted
    }

    /// Takes the best refused links that were not queued in another way since.
    fn take_reserve(&mut self) -> Vec<DiscardedLink> {
        let Some(known) = &mut self.known else { return Vec::new() };
        let mut wanted = Vec::new();
        while wanted.len() < RESERVE_BATCH
            && let Some(discarded) = known.discarded.take_best()
        {
            let id = self.appraiser.find_or_add(&mut known.graph, discarded.id);
            if known.graph.node(id).state.is_unqueued() {
                wanted.push(discarded);
            }
        }
        wanted
    }

    /// Applies the queue's answers to the discarded links that were offered again.
    pub(crate) fn restored(&mut self, wanted: &[DiscardedLink], offers: &[Offer]) {
        let Some(known) = &mut self.known else { return };
        for (discarded, offer) in wanted.iter().zip(offers) {
            if !offer.is_refusal()
                && let Some(id) = known.graph.lookup(&discarded.id.key)
            {
                known.graph.set_priority(id, discarded.priority);
                known.queued(id, *offer);
            }
        }
    }
}

/// Takes a link that was chosen before and came back to the queue.
fn take_returned(returned: &mut Vec<Pick>, cx: &mut StrategyContext<'_>) -> Option<Decision> {
    returned.retain(|pick| cx.graph.lookup_waiting(&pick.key).is_some());
    for at in 0..returned.len().min(MAX_TRIED) {
        let Pick { key, rule, is_look } = returned[at];
        let Some(id) = cx.graph.lookup_waiting(&key) else { continue };
        if cx.take_again(id) {
            returned.remove(at);
            let decision = if is_look { Decision::Look } else { Decision::Fetch };
            return Some(decision(id, rule));
        }
    }
    None
}

/// Takes the first urgent link that may be fetched now.
fn take_urgent(
    urgent: &mut VecDeque<(LinkKey, Rule)>,
    cx: &mut StrategyContext<'_>,
) -> Option<Decision> {
    let mut not_ready = Vec::new();
    let mut taken = None;
    while not_ready.len() < MAX_TRIED
        && let Some((key, rule)) = urgent.pop_front()
    {
        let Some(id) = cx.graph.lookup_waiting(&key) else { continue };
        if cx.take(id) {
            taken = Some(Decision::Fetch(id, rule));
            break;
        }
        not_ready.push((key, rule));
    }
    not_ready.into_iter().rev().for_each(|it| urgent.push_front(it));
    taken
}
