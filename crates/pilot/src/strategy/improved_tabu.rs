//! The improved tabu search (ITS) of fcits-oh (algorithm 1).
//!
//! A search starts from a link P drawn at random. Up to five links of its page are tried in random
//! order. A link is accepted if it is better than P and not tabu, or if it is tabu but better than
//! the best link so far, H (aspiration). If none is accepted, P becomes tabu, and the search
//! continues from the best link on the pages that contain P (the extended neighbourhood E), or else
//! from the best of all links. After a given number of turns the best of all links is taken.
//!
//! The page of P must be fetched before its links are known (reading F3, docs/papers.md). By
//! default this fetch counts like any other; with `oracle` it is not counted, as in the paper, and
//! P stays in the queue. The tabu list and H are kept for the whole crawl (reading F4). A search
//! whose page has not arrived yet waits while other searches start, so that many pages can be
//! fetched at the same time.

use serde::{Deserialize, Serialize};

use super::tabu_list::TabuList;
use super::{Decision, Strategy, StrategyContext, free, replace_key};
use crate::graph::{NodeId, NodeState};
use crate::link::LinkKey;
use crate::rule::Rule;

/// Maximum number of searches that wait for their pages.
const MAX_SEARCHES: usize = 64;
/// Maximum number of pages around a link whose links are considered.
const PAGES_AROUND: usize = 8;
/// Number of random draws to find a link that may be fetched now.
const DRAWS: usize = 20;

/// Settings of the improved tabu search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ImprovedTabuSettings {
    /// Number of links of a page that are tried.
    pub tries: usize,
    /// Number of other links that must become tabu before a link is released.
    pub term: u32,
    /// Number of turns of a search before the best of all links is taken.
    pub turns: u32,
    /// The treatment of the fetch with which a search starts.
    pub lookahead: Lookahead,
}

/// The treatment of pages that are fetched only to learn their links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lookahead {
    /// Counted like any other page.
    #[default]
    Counted,
    /// Not counted, as in the paper. For offline webs only: such a page is fetched again when it is
    /// chosen.
    Oracle,
}

impl Default for ImprovedTabuSettings {
    fn default() -> Self {
        Self { tries: 5, term: 5, turns: 20, lookahead: Lookahead::Counted }
    }
}

/// The position of a search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Search {
    current: LinkKey,
    priority: f64,
    turns: u32,
}

/// The state of the improved tabu search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImprovedTabu {
    settings: ImprovedTabuSettings,
    tabu: TabuList,
    /// P(H), the priority of the best link so far.
    best: f64,
    searches: Vec<Search>,
}

/// Returns the decision to fetch a link whose page a search needs.
pub(crate) fn lookahead_fetch(lookahead: Lookahead, id: NodeId, rule: Rule) -> Decision {
    match lookahead {
        Lookahead::Counted => Decision::Fetch(id, rule),
        Lookahead::Oracle => Decision::Look(id, rule),
    }
}

/// Draws a link at random for a search to start from, and returns it with whether it was taken. A
/// link whose page is already known from a lookahead is not taken. Returns none if no drawn link
/// may be fetched now.
pub(crate) fn draw(cx: &mut StrategyContext<'_>) -> Option<(NodeId, bool)> {
    for _ in 0..DRAWS {
        let Some(id) = cx.graph.draw(cx.random) else { break };
        if cx.graph.node(id).page.is_some() {
            return Some((id, false));
        }
        if cx.take(id) {
            return Some((id, true));
        }
    }
    None
}

/// Returns true if the page behind a link has arrived or never will, perhaps because another worker
/// fetches it.
pub(crate) fn page_is_known(cx: &StrategyContext<'_>, key: &LinkKey) -> bool {
    cx.graph.lookup(key).is_none_or(|id| {
        let node = cx.graph.node(id);
        node.page.is_some() || matches!(node.state, NodeState::Finished | NodeState::Elsewhere)
    })
}

impl ImprovedTabu {
    pub(crate) fn new(settings: ImprovedTabuSettings) -> Self {
        let (tabu, searches) = (TabuList::default(), Vec::new());
        Self { settings, tabu, best: f64::NEG_INFINITY, searches }
    }

    /// Continues a search whose page is known.
    fn continue_search(&mut self, mut search: Search, cx: &mut StrategyContext<'_>) -> Decision {
        loop {
            if let Some(decision) = self.accept(&search, cx) {
                return decision;
            }
            self.tabu.add(search.current, self.settings.term);
            search.turns += 1;
            if search.turns >= self.settings.turns {
                return self.best_of_all(cx);
            }
            let Some((id, rule, is_taken)) = self.turn(&search, cx) else {
                return self.best_of_all(cx);
            };
            let node = cx.graph.node(id);
            (search.current, search.priority) = (node.key, node.priority);
            if is_taken {
                self.searches.push(search);
                return lookahead_fetch(self.settings.lookahead, id, rule);
            }
        }
    }

    /// Tries links of the current page.
    fn accept(&mut self, search: &Search, cx: &mut StrategyContext<'_>) -> Option<Decision> {
        let current = cx.graph.lookup(&search.current)?;
        let mut links: Vec<NodeId> = cx.graph.open_links(current).collect();
        cx.random.sample(&mut links, self.settings.tries);
        for id in links {
            let (key, priority) = (cx.graph.node(id).key, cx.priority(id));
            let rule = match self.tabu.contains(&key) {
                true if priority > self.best => Rule::Aspiration,
                false if priority > search.priority => Rule::Accepted,
                _ => continue,
            };
            if cx.take(id) {
                self.tabu.release(&key);
                self.best = self.best.max(priority);
                return Some(Decision::Fetch(id, rule));
            }
        }
        None
    }

    /// Returns the link from which a search continues when its page had none to accept, with the
    /// rule and whether the link was taken. A link whose page is already known is not taken.
    fn turn(
        &mut self,
        search: &Search,
        cx: &mut StrategyContext<'_>,
    ) -> Option<(NodeId, Rule, bool)> {
        for id in self.extended(search, cx) {
            if cx.graph.node(id).page.is_some() {
                return Some((id, Rule::ExtendedNeighbourhood, false));
            }
            if cx.take(id) {
                return Some((id, Rule::ExtendedNeighbourhood, true));
            }
        }
        let tabu = &self.tabu;
        let best = cx.take_best(&|node| tabu.contains(&node.key) || node.page.is_some());
        best.map(|id| (id, Rule::Best, true))
    }

    /// Returns E(P): the waiting links of the pages that contain P, the best first; for a seed, the
    /// other seeds (reading F7).
    fn extended(&self, search: &Search, cx: &StrategyContext<'_>) -> Vec<NodeId> {
        let graph = &*cx.graph;
        let Some(current) = graph.lookup(&search.current) else { return Vec::new() };
        let node = graph.node(current);
        let mut around: Vec<NodeId> = if node.is_seed {
            // Seeds have the highest priority, so waiting seeds are at the head of the order.
            graph.best().take_while(|id| graph.node(*id).is_seed).take(PAGES_AROUND).collect()
        } else {
            node.parents().take(PAGES_AROUND).flat_map(|page| graph.open_links(page)).collect()
        };
        around.retain(|id| *id != current && !self.tabu.contains(&graph.node(*id).key));
        let priority = |id: &NodeId| graph.node(*id).priority;
        around.sort_by(|a, b| priority(b).total_cmp(&priority(a)).then(a.cmp(b)));
        around.dedup();
        around
    }

    /// Takes the best of all links, if possible one that is not tabu.
    fn best_of_all(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        let tabu = &self.tabu;
        let best = match cx.take_best(&|node| tabu.contains(&node.key)) {
            None => cx.take_best(&|_| false),
            best => best,
        };
        match best {
            Some(id) => Decision::Fetch(id, Rule::Best),
            None => free(cx),
        }
    }
}

impl Strategy for ImprovedTabu {
    fn redirected(&mut self, from: &LinkKey, to: &LinkKey) {
        replace_key(self.searches.iter_mut().map(|search| &mut search.current), from, to);
    }

    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        if let Some(at) = self.searches.iter().position(|it| page_is_known(cx, &it.current)) {
            let search = self.searches.remove(at);
            return self.continue_search(search, cx);
        }
        if self.searches.len() < MAX_SEARCHES
            && let Some((id, is_taken)) = draw(cx)
        {
            let node = cx.graph.node(id);
            let search = Search { current: node.key, priority: node.priority, turns: 0 };
            if !is_taken {
                return self.continue_search(search, cx);
            }
            self.searches.push(search);
            return lookahead_fetch(self.settings.lookahead, id, Rule::Drawn);
        }
        free(cx)
    }
}
