//! The improved tabu search (ITS) of fcits-oh (algorithm 1).
//!
//! From a link P that is drawn, up to five links of its page are put forward in random order. One is accepted if it is
//! better than P and not tabu, or tabu and better than the best so far, H (aspiration). If none is, P becomes tabu, and the
//! search goes on from the best link of the pages that P is on (the extended neighbourhood E), else from the best of
//! all. After so many turns the best of all is taken.
//!
//! The page of P must be fetched to know its links (F3 of the readings). By default that counts like any other fetch;
//! with `oracle` it is looked at for nothing, as the paper counts, and waits on.
//! The tabu list and H are kept for the whole crawl (F4), and searches whose page has not come yet wait for it
//! while others begin, so that many pages can be fetched at a time.

use serde::{Deserialize, Serialize};

use super::tabu_list::TabuList;
use super::{Decision, Helm, Strategy, free, rename};
use crate::link::LinkKey;
use crate::map::{NodeId, Standing};
use crate::rule::Rule;

/// How many searches wait for their pages at most.
const MOST_SEARCHES: usize = 64;
/// Of how many pages that a link is on the links are looked at.
const PAGES_AROUND: usize = 8;
/// How many draws are made to find a link that may be fetched now.
const DRAWS: usize = 20;

/// Improved tabu search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ImprovedTabuSettings {
    /// How many links of a page are put forward.
    pub tries: usize,
    /// For how many others a link stays tabu.
    pub term: u32,
    /// How many turns a search makes before the best of all is taken.
    pub turns: u32,
    /// How the page of the link that a search begins from is counted.
    pub lookahead: Lookahead,
}

/// How pages are counted that are fetched only to know their links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lookahead {
    /// Like any other page.
    #[default]
    Counted,
    /// Not at all, as the paper does. For offline webs only: such pages are fetched again when they are chosen.
    Oracle,
}

impl Default for ImprovedTabuSettings {
    fn default() -> Self {
        Self { tries: 5, term: 5, turns: 20, lookahead: Lookahead::Counted }
    }
}

/// A search: where it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Search {
    current: LinkKey,
    priority: f64,
    turns: u32,
}

/// Improved tabu search at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImprovedTabu {
    settings: ImprovedTabuSettings,
    tabu: TabuList,
    /// P(H), of the best link so far.
    best: f64,
    searches: Vec<Search>,
}

/// How a link is fetched whose page a search needs.
pub(crate) fn looked_at(lookahead: Lookahead, id: NodeId, rule: Rule) -> Decision {
    match lookahead {
        Lookahead::Counted => Decision::Fetch(id, rule),
        Lookahead::Oracle => Decision::Look(id, rule),
    }
}

/// Takes a link that is drawn, so that a search can begin from it; none if none may be fetched now.
/// A link whose page is known already, because it was looked at, is not taken.
pub(crate) fn draw(helm: &mut Helm<'_>) -> Option<(NodeId, bool)> {
    for _ in 0..DRAWS {
        let Some(id) = helm.map.draw(helm.random) else { break };
        if helm.map.node(id).page.is_some() {
            return Some((id, false));
        }
        if helm.take(id) {
            return Some((id, true));
        }
    }
    None
}

/// Whether the page behind a link has come, or never will.
pub(crate) fn is_known(helm: &Helm<'_>, key: &LinkKey) -> bool {
    helm.map.lookup(key).is_none_or(|id| {
        let node = helm.map.node(id);
        node.page.is_some() || node.standing == Standing::Settled
    })
}

impl ImprovedTabu {
    pub(crate) fn new(settings: ImprovedTabuSettings) -> Self {
        let (tabu, searches) = (TabuList::default(), Vec::new());
        Self { settings, tabu, best: f64::NEG_INFINITY, searches }
    }

    /// Goes on with a search whose page is known.
    fn go_on(&mut self, mut search: Search, helm: &mut Helm<'_>) -> Decision {
        loop {
            if let Some(decision) = self.accept(&search, helm) {
                return decision;
            }
            self.tabu.add(search.current, self.settings.term);
            search.turns += 1;
            if search.turns >= self.settings.turns {
                return self.best_of_all(helm);
            }
            let Some((id, rule, is_taken)) = self.turn(&search, helm) else {
                return self.best_of_all(helm);
            };
            let node = helm.map.node(id);
            (search.current, search.priority) = (node.key, node.priority);
            if is_taken {
                self.searches.push(search);
                return looked_at(self.settings.lookahead, id, rule);
            }
        }
    }

    /// Puts links of the current page forward.
    fn accept(&mut self, search: &Search, helm: &mut Helm<'_>) -> Option<Decision> {
        let current = helm.map.lookup(&search.current)?;
        let mut links: Vec<NodeId> = helm.map.open_links(current).collect();
        helm.random.choose_first(&mut links, self.settings.tries);
        for id in links {
            let (key, priority) = (helm.map.node(id).key, helm.priority(id));
            let rule = match self.tabu.contains(&key) {
                true if priority > self.best => Rule::Aspiration,
                false if priority > search.priority => Rule::Accepted,
                _ => continue,
            };
            if helm.take(id) {
                self.tabu.release(&key);
                self.best = self.best.max(priority);
                return Some(Decision::Fetch(id, rule));
            }
        }
        None
    }

    /// Where a search goes on whose page had nothing: a link, the rule, and whether it was taken. One whose page
    /// is known already was not.
    fn turn(&mut self, search: &Search, helm: &mut Helm<'_>) -> Option<(NodeId, Rule, bool)> {
        for id in self.extended(search, helm) {
            if helm.map.node(id).page.is_some() {
                return Some((id, Rule::ExtendedNeighbourhood, false));
            }
            if helm.take(id) {
                return Some((id, Rule::ExtendedNeighbourhood, true));
            }
        }
        let tabu = &self.tabu;
        let best = helm.take_best(&|node| tabu.contains(&node.key) || node.page.is_some());
        best.map(|id| (id, Rule::Best, true))
    }

    /// E(P): the waiting links of the pages that P is on, the best first; of a seed the other seeds (F7).
    fn extended(&self, search: &Search, helm: &Helm<'_>) -> Vec<NodeId> {
        let map = &*helm.map;
        let Some(current) = map.lookup(&search.current) else { return Vec::new() };
        let node = map.node(current);
        let mut around: Vec<NodeId> = if node.is_seed {
            // Seeds are as good as can be, so they are at the head as long as one waits.
            map.best().take_while(|id| map.node(*id).is_seed).take(PAGES_AROUND).collect()
        } else {
            node.parents().take(PAGES_AROUND).flat_map(|page| map.open_links(page)).collect()
        };
        around.retain(|id| *id != current && !self.tabu.contains(&map.node(*id).key));
        let priority = |id: &NodeId| map.node(*id).priority;
        around.sort_by(|a, b| priority(b).total_cmp(&priority(a)).then(a.cmp(b)));
        around.dedup();
        around
    }

    /// The best of all, one that is not tabu if there is one.
    fn best_of_all(&mut self, helm: &mut Helm<'_>) -> Decision {
        let tabu = &self.tabu;
        let best = match helm.take_best(&|node| tabu.contains(&node.key)) {
            None => helm.take_best(&|_| false),
            best => best,
        };
        match best {
            Some(id) => Decision::Fetch(id, Rule::Best),
            None => free(helm),
        }
    }
}

impl Strategy for ImprovedTabu {
    fn moved(&mut self, from: &LinkKey, to: &LinkKey) {
        rename(self.searches.iter_mut().map(|search| &mut search.current), from, to);
    }

    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision {
        if let Some(at) = self.searches.iter().position(|it| is_known(helm, &it.current)) {
            let search = self.searches.remove(at);
            return self.go_on(search, helm);
        }
        if self.searches.len() < MOST_SEARCHES
            && let Some((id, is_taken)) = draw(helm)
        {
            let node = helm.map.node(id);
            let search = Search { current: node.key, priority: node.priority, turns: 0 };
            if !is_taken {
                return self.go_on(search, helm);
            }
            self.searches.push(search);
            return looked_at(self.settings.lookahead, id, Rule::Drawn);
        }
        free(helm)
    }
}
