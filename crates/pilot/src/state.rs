//! What a pilot knows: the parts of its recipe at work and, if the recipe asks for more than the page at
//! hand, a map of the web.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::discarded::{Discarded, Put};
use crate::hosts::AnyHosts;
use crate::link::{HostKey, Link, LinkId, LinkKey, Score};
use crate::map::{Map, NodeId, Standing};
use crate::note::DamagedNotes;
use crate::pagerank::{PageRank, PageRankSettings};
use crate::priority::{AnyPriority, Appraiser};
use crate::random::Random;
use crate::recipe::Recipe;
use crate::rule::Rule;
use crate::strategy::AnyStrategy;

/// The priority of seeds: as promising as a link can be (F20 and B11 of the readings).
pub(crate) const SEED_PRIORITY: f64 = 1.0;
/// How many links a map holds, about 200 bytes each.
const MAP_LINKS: usize = 2_000_000;

/// The parts of a recipe at work.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PilotState {
    pub(crate) random: Random,
    pub(crate) appraiser: Appraiser,
    pub(crate) strategy: AnyStrategy,
    pub(crate) hosts: AnyHosts,
    /// Pages that came and were counted, and how many are to come in all.
    pub(crate) pages: u64,
    pub(crate) budget: u64,
    /// What it knows of the web beyond the page at hand, if the recipe asks for that.
    pub(crate) known: Option<KnownWeb>,
}

/// What is known of the web beyond the page at hand.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KnownWeb {
    pub(crate) map: Map,
    pub(crate) discarded: Discarded,
    /// Links that come before all others: what tunnels lead to, and lists that sites make for crawlers.
    pub(crate) first: VecDeque<(LinkKey, Rule)>,
    /// Links that were chosen and wait again.
    pub(crate) returned: Vec<Pick>,
    /// Links that are being fetched.
    pub(crate) under_way: Vec<Pick>,
}

/// A link that was chosen, by which rule, and whether it is only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pick {
    pub(crate) key: LinkKey,
    pub(crate) rule: Rule,
    pub(crate) is_look: bool,
}

impl PilotState {
    /// The state at the start of a crawl.
    pub(crate) fn new(recipe: &Recipe, budget: u64, seed: u64) -> Self {
        let rank = recipe.priority.pagerank();
        let rank = rank.or(recipe.strategy.needs_pagerank().then(PageRankSettings::default));
        Self {
            random: Random::new(seed),
            appraiser: Appraiser {
                priority: AnyPriority::new(&recipe.priority),
                rank: rank.map(PageRank::new),
            },
            strategy: AnyStrategy::new(&recipe.strategy),
            hosts: AnyHosts::new(&recipe.hosts),
            pages: 0,
            budget,
            known: recipe.needs_map().then(KnownWeb::new),
        }
    }

    /// Reads a stored state.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, DamagedNotes> {
        let mut state: Self = postcard::from_bytes(bytes)?;
        if let Some(known) = &mut state.known {
            known.map.rebuild();
            known.discarded.rebuild();
        }
        Ok(state)
    }

    /// Whether a seed is not begun with, because another of its host is.
    pub(crate) fn is_surplus_seed(&self, host: HostKey) -> bool {
        matches!(&self.hosts, AnyHosts::Memory(memory) if memory.settings.one_seed_per_host)
            && self.known.as_ref().is_some_and(|known| known.map.has_waiting(host))
    }

    /// Whether links with a low priority are kept, because they may be wanted later.
    pub(crate) fn keeps_discarded(&self) -> bool {
        matches!(&self.hosts, AnyHosts::Memory(memory) if memory.settings.restore > 0)
    }

    /// Puts a seed aside, because another of its host is begun with.
    pub(crate) fn put_seed_aside(&mut self, link: Link, id: LinkId) {
        if let Some(known) = &mut self.known {
            known.discarded.put(Put { link, id, priority: SEED_PRIORITY });
        }
    }

    pub(crate) fn add_seed(&mut self, link: LinkId) {
        let Some(known) = &mut self.known else { return };
        let id = self.appraiser.meet(&mut known.map, link);
        known.map.node_mut(id).is_seed = true;
        known.map.set_priority(id, SEED_PRIORITY);
        known.map.set_waiting(id);
    }

    /// A page that a site lists waits behind all that promise something; a list comes first.
    pub(crate) fn list(&mut self, link: LinkId, is_list: bool) {
        let Some(known) = &mut self.known else { return };
        let id = self.appraiser.meet(&mut known.map, link);
        if known.map.node(id).standing == Standing::Aside {
            known.map.set_waiting(id);
        }
        if is_list {
            known.first.push_back((link.key, Rule::Listed));
        }
    }

    /// The other URL is what the link is now: as promising, and to be fetched at once.
    pub(crate) fn move_link(&mut self, from: &LinkKey, to: LinkId) {
        self.strategy.part_mut().moved(from, &to.key);
        let Some(known) = &mut self.known else { return };
        let pick = known.done(from);
        let Some(old) = known.map.lookup(from) else { return };
        known.map.set_standing(old, Standing::Settled);
        let node = known.map.node(old).clone();
        let id = self.appraiser.meet(&mut known.map, to);
        if known.map.node(id).standing == Standing::Aside {
            let new = known.map.node_mut(id);
            (new.is_seed, new.sightings, new.said) = (node.is_seed, node.sightings, node.said);
            known.map.set_priority(id, node.priority);
            known.map.set_waiting(id);
            known.returned.push(Pick { key: to.key, ..pick });
        }
    }

    /// Writes down what the choice of a link was made from, as it stands now.
    pub(crate) fn explain(&self, link: &mut Link, predicts: bool) {
        let Some(known) = &self.known else { return };
        let Some(id) = known.map.lookup(&link.key()) else { return };
        let node = known.map.node(id);
        if node.is_seed || node.sightings.is_empty() {
            return;
        }
        let block = link.score(Score::Block);
        link.scores = self.appraiser.scores(&self.appraiser.facts(&known.map, id));
        link.scores.extend(predicts.then_some((Score::Priority, node.priority)));
        link.scores.extend(block.map(|block| (Score::Block, block)));
    }
}

impl KnownWeb {
    fn new() -> Self {
        Self {
            map: Map::new(MAP_LINKS),
            discarded: Discarded::default(),
            first: VecDeque::new(),
            returned: Vec::new(),
            under_way: Vec::new(),
        }
    }

    /// What was being fetched when the crawl broke off waits again.
    pub(crate) fn interrupt(&mut self) {
        for pick in std::mem::take(&mut self.under_way) {
            self.wait_again(pick);
        }
    }

    /// A link was dealt with.
    pub(crate) fn settle(&mut self, key: &LinkKey) {
        self.done(key);
        if let Some(id) = self.map.lookup(key) {
            self.map.set_standing(id, Standing::Settled);
        }
    }

    /// A link that was chosen waits again.
    pub(crate) fn give_back(&mut self, key: &LinkKey) {
        let pick = self.done(key);
        self.wait_again(pick);
    }

    /// A link is no longer under way.
    pub(crate) fn done(&mut self, key: &LinkKey) -> Pick {
        match self.under_way.iter().position(|pick| pick.key == *key) {
            Some(at) => self.under_way.remove(at),
            None => Pick { key: *key, rule: Rule::Free, is_look: false },
        }
    }

    fn wait_again(&mut self, pick: Pick) {
        if let Some(id) = self.map.lookup(&pick.key) {
            self.map.set_waiting(id);
            self.returned.push(pick);
        }
    }

    /// Gives a waiting link a priority.
    pub(crate) fn wait_with(&mut self, id: NodeId, priority: f64) {
        self.map.set_priority(id, priority);
        self.map.set_waiting(id);
    }
}
