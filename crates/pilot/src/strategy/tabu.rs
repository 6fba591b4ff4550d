//! Tabu search, as in FCTS of fcits-oh, which the paper names but does not specify (reading F21,
//! docs/papers.md).
//!
//! A search starts from a link drawn at random. It takes the best link of that link's page if it is
//! better than the best so far, even if it is tabu (aspiration); otherwise the best link that is
//! not tabu, however low its priority. The taken link becomes tabu. If the page has no such link,
//! the best of all links is taken.

use serde::{Deserialize, Serialize};

use super::improved_tabu::{Lookahead, draw, lookahead_fetch, page_is_known};
use super::tabu_list::TabuList;
use super::{Decision, Strategy, StrategyContext, free, replace_key};
use crate::graph::NodeId;
use crate::link::LinkKey;
use crate::rule::Rule;

/// Maximum number of searches that wait for their pages.
const MAX_SEARCHES: usize = 64;

/// Settings of tabu search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct TabuSettings {
    /// Number of other links that must become tabu before a link is released.
    pub term: u32,
    /// The treatment of the fetch with which a search starts.
    pub lookahead: Lookahead,
}

impl Default for TabuSettings {
    fn default() -> Self {
        Self { term: 5, lookahead: Lookahead::Counted }
    }
}

/// The state of tabu search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tabu {
    settings: TabuSettings,
    list: TabuList,
    best: f64,
    searches: Vec<LinkKey>,
}

impl Tabu {
    pub(crate) fn new(settings: TabuSettings) -> Self {
        let (list, searches) = (TabuList::default(), Vec::new());
        Self { settings, list, best: f64::NEG_INFINITY, searches }
    }

    fn continue_search(&mut self, current: LinkKey, cx: &mut StrategyContext<'_>) -> Decision {
        let current = cx.graph.lookup(&current);
        let mut links: Vec<NodeId> =
            current.into_iter().flat_map(|id| cx.graph.open_links(id)).collect();
        links.iter().for_each(|id| _ = cx.priority(*id));
        let graph = &*cx.graph;
        let priority = |id: &NodeId| graph.node(*id).priority;
        links.sort_by(|a, b| priority(b).total_cmp(&priority(a)).then(a.cmp(b)));
        for id in links {
            let node = cx.graph.node(id);
            let (key, priority, is_tabu) = (node.key, node.priority, self.list.contains(&node.key));
            let rule = match (priority > self.best, is_tabu) {
                (true, true) => Rule::Aspiration,
                (true, false) => Rule::Accepted,
                (false, false) => Rule::Neighbourhood,
                (false, true) => continue,
            };
            if cx.take(id) {
                self.best = self.best.max(priority);
                self.list.add(key, self.settings.term);
                return Decision::Fetch(id, rule);
            }
        }
        let tabu = &self.list;
        match cx.take_best(&|node| tabu.contains(&node.key)) {
            Some(id) => Decision::Fetch(id, Rule::Best),
            None => free(cx),
        }
    }
}

impl Strategy for Tabu {
    fn redirected(&mut self, from: &LinkKey, to: &LinkKey) {
        replace_key(self.searches.iter_mut(), from, to);
    }

    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision {
        if let Some(at) = self.searches.iter().position(|key| page_is_known(cx, key)) {
            let current = self.searches.remove(at);
            return self.continue_search(current, cx);
        }
        if self.searches.len() < MAX_SEARCHES
            && let Some((id, is_taken)) = draw(cx)
        {
            let key = cx.graph.node(id).key;
            if !is_taken {
                return self.continue_search(key, cx);
            }
            self.searches.push(key);
            return lookahead_fetch(self.settings.lookahead, id, Rule::Drawn);
        }
        free(cx)
    }
}
