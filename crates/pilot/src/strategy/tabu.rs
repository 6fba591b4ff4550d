//! Tabu search as FCTS of fcits-oh has it (F21 of the readings).
//!
//! From a link that is drawn, the best link of its page is taken, even if it is tabu, if it is better than the best so
//! far (aspiration); else the best of them that is not tabu, however bad it is. What is taken becomes tabu. If the page has none,
//! the best of all is taken.

use serde::{Deserialize, Serialize};

use super::improved_tabu::{Lookahead, draw, is_known, looked_at};
use super::tabu_list::TabuList;
use super::{Decision, Helm, Strategy, free, rename};
use crate::link::LinkKey;
use crate::map::NodeId;
use crate::rule::Rule;

/// How many searches wait for their pages at most.
const MOST_SEARCHES: usize = 64;

/// Tabu search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TabuSettings {
    /// For how many others a link stays tabu.
    pub term: u32,
    /// How the page of the link that a search begins from is counted.
    pub lookahead: Lookahead,
}

impl Default for TabuSettings {
    fn default() -> Self {
        Self { term: 5, lookahead: Lookahead::Counted }
    }
}

/// Tabu search at work.
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

    fn go_on(&mut self, current: LinkKey, helm: &mut Helm<'_>) -> Decision {
        let current = helm.map.lookup(&current);
        let mut links: Vec<NodeId> =
            current.into_iter().flat_map(|id| helm.map.open_links(id)).collect();
        links.iter().for_each(|id| _ = helm.priority(*id));
        let map = &*helm.map;
        let priority = |id: &NodeId| map.node(*id).priority;
        links.sort_by(|a, b| priority(b).total_cmp(&priority(a)).then(a.cmp(b)));
        for id in links {
            let node = helm.map.node(id);
            let (key, priority, is_tabu) = (node.key, node.priority, self.list.contains(&node.key));
            let rule = match (priority > self.best, is_tabu) {
                (true, true) => Rule::Aspiration,
                (true, false) => Rule::Accepted,
                (false, false) => Rule::Neighbourhood,
                (false, true) => continue,
            };
            if helm.take(id) {
                self.best = self.best.max(priority);
                self.list.add(key, self.settings.term);
                return Decision::Fetch(id, rule);
            }
        }
        let tabu = &self.list;
        match helm.take_best(&|node| tabu.contains(&node.key)) {
            Some(id) => Decision::Fetch(id, Rule::Best),
            None => free(helm),
        }
    }
}

impl Strategy for Tabu {
    fn moved(&mut self, from: &LinkKey, to: &LinkKey) {
        rename(self.searches.iter_mut(), from, to);
    }

    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        if let Some(at) = self.searches.iter().position(|key| is_known(helm, key)) {
            let current = self.searches.remove(at);
            return self.go_on(current, helm);
        }
        if self.searches.len() < MOST_SEARCHES
            && let Some((id, is_taken)) = draw(helm)
        {
            let key = helm.map.node(id).key;
            if !is_taken {
                return self.go_on(key, helm);
            }
            self.searches.push(key);
            return looked_at(self.settings.lookahead, id, Rule::Drawn);
        }
        free(helm)
    }
}
