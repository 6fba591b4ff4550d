//! Strategies: pick the next link.

mod annealing;
mod ant_colony;
mod best_first;
mod bfs;
mod fish;
mod hedge;
mod hits;
mod improved_tabu;
mod niche_genetic;
mod pso;
mod shark;
mod tabu;
mod tabu_list;
mod web_space;

use ontrail_learner::LearnedNumber;
use serde::{Deserialize, Serialize};

pub use annealing::AnnealingSettings;
pub use ant_colony::AntColonySettings;
pub use best_first::BestFirst;
pub use bfs::BreadthFirst;
pub use fish::FishSettings;
pub use hedge::HedgeSettings;
pub use hits::HitsSettings;
pub use improved_tabu::{ImprovedTabuSettings, Lookahead};
pub use niche_genetic::NicheGeneticSettings;
pub use pso::PsoSettings;
pub use shark::SharkSettings;
pub use tabu::TabuSettings;
pub use web_space::WebSpaceSettings;

use self::annealing::Annealing;
use self::ant_colony::AntColony;
use self::fish::Fish;
use self::hedge::Hedge;
use self::hits::Hits;
use self::improved_tabu::ImprovedTabu;
use self::niche_genetic::NicheGenetic;
use self::pso::Pso;
use self::shark::Shark;
use self::tabu::Tabu;
use self::web_space::WebSpace;
use crate::graph::{NodeId, WebGraph};
use crate::link::{Link, LinkKey, Score};
use crate::priority::LinkFacts;
use crate::random::Random;
use crate::rule::Rule;
use crate::strategy_context::StrategyContext;

/// The decision of a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Fetch this link, which the strategy took.
    Fetch(NodeId, Rule),
    /// Fetch this link only as a lookahead: the page is not counted, and the link goes back to the
    /// queue.
    Look(NodeId, Rule),
    /// Fetch the link with the highest priority in the queue, because no link that the strategy
    /// wants may be fetched now.
    Free,
    /// No link may be fetched now.
    Nothing,
    /// The strategy has finished.
    Done,
}

/// The circumstances in which a link was found, for strategies that compute priorities themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkOrigin<'a> {
    /// The link that led to the page.
    pub(crate) via: &'a Link,
    /// Number of links before this one on the page.
    pub(crate) position: usize,
    /// Number of pages that arrived so far.
    pub(crate) pages: u64,
}

/// The priority of a link and the scores behind it; no priority if the link is not to be followed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StrategyPriority {
    pub(crate) priority: Option<f64>,
    pub(crate) scores: Vec<(Score, f64)>,
}

/// A way to pick the next link. A strategy takes links only through the [`StrategyContext`], which
/// respects the crawl delay, so no strategy can violate it.
pub(crate) trait Strategy {
    /// Takes the next link.
    fn choose(&mut self, cx: &mut StrategyContext<'_>) -> Decision;

    /// Handles an arriving page, whose links are in the graph and have priorities.
    fn arrived(&mut self, _graph: &mut WebGraph, _page: NodeId, _random: &mut Random) {}

    /// Handles a redirect: the second key replaces the first.
    fn redirected(&mut self, _from: &LinkKey, _to: &LinkKey) {}

    /// Returns true if the links of a page are followed that was fetched in order to judge it and
    /// has this priority.
    fn accepts(&mut self, _priority: f64, _random: &mut Random) -> bool {
        true
    }

    /// Returns the priority of a link in the graph, if the strategy computes priorities itself.
    fn own_priority(&self, _graph: &WebGraph, _id: NodeId) -> Option<f64> {
        None
    }

    /// Returns the number that is learned and that workers share, if there is one.
    fn number(&self) -> Option<LearnedNumber> {
        None
    }

    /// Mixes the number with those of other workers.
    fn mix(&mut self, _others: &[LearnedNumber]) {}

    /// After [`Decision::Free`]: handles the link that was taken, which has this priority.
    fn fell_back(&mut self, _priority: f64, _budget: u64) {}

    /// Returns the rule for taking the link with the highest priority in the queue, for recipes
    /// without a web graph.
    fn plain_rule(&self) -> Rule {
        Rule::Best
    }

    /// Returns the priority of a link found on the current page, if the strategy computes
    /// priorities itself.
    fn link_priority(
        &self,
        _link: &LinkFacts<'_>,
        _origin: &LinkOrigin<'_>,
    ) -> Option<StrategyPriority> {
        None
    }
}

/// The kinds of strategies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StrategyRecipe {
    /// Breadth-first: links in the order in which they were found.
    Bfs(BreadthFirst),
    /// Best-first: the link with the highest priority first.
    BestFirst(BestFirst),
    /// One of several orders, as a bandit chooses.
    Hedge(HedgeSettings),
    /// Simulated annealing.
    Annealing(AnnealingSettings),
    /// Tabu search.
    Tabu(TabuSettings),
    /// Improved tabu search (ITS).
    ImprovedTabu(ImprovedTabuSettings),
    /// A niche genetic algorithm.
    NicheGenetic(NicheGeneticSettings),
    /// Batches of Pareto-optimal links, with weights that a particle swarm learns.
    Pso(PsoSettings),
    /// Web-space evolution.
    WebSpace(WebSpaceSettings),
    /// An ant colony.
    AntColony(AntColonySettings),
    /// Hubs and authorities.
    Hits(HitsSettings),
    /// Shark-search.
    Shark(SharkSettings),
    /// Fish-search.
    Fish(FishSettings),
}

impl StrategyRecipe {
    /// Returns true if the strategy needs the web graph.
    pub(crate) fn needs_graph(&self) -> bool {
        !matches!(self, Self::Bfs(_) | Self::BestFirst(_) | Self::Shark(_) | Self::Fish(_))
    }

    /// Returns true if the strategy chooses between several orders of links.
    pub(crate) fn hedges(&self) -> bool {
        matches!(self, Self::Hedge(_))
    }

    /// Returns true if the strategy compares links by PR.
    pub(crate) fn needs_pagerank(&self) -> bool {
        matches!(self, Self::Pso(_) | Self::WebSpace(_) | Self::AntColony(_))
    }

    /// Returns true if the strategy depends on link contexts.
    #[must_use]
    pub fn needs_context(&self) -> bool {
        matches!(self, Self::Shark(_))
    }

    /// Returns true if the strategy compares links or pages with a topic.
    #[must_use]
    pub fn needs_topic(&self) -> bool {
        !matches!(self, Self::Bfs(_) | Self::Hits(_))
    }
}

/// A running strategy.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum AnyStrategy {
    Bfs(BreadthFirst),
    BestFirst(BestFirst),
    Hedge(Hedge),
    Annealing(Annealing),
    Tabu(Tabu),
    ImprovedTabu(ImprovedTabu),
    NicheGenetic(NicheGenetic),
    Pso(Pso),
    WebSpace(WebSpace),
    AntColony(AntColony),
    Hits(Hits),
    Shark(Shark),
    Fish(Fish),
}

impl AnyStrategy {
    pub(crate) fn new(recipe: &StrategyRecipe) -> Self {
        match recipe {
            StrategyRecipe::Bfs(it) => Self::Bfs(*it),
            StrategyRecipe::BestFirst(it) => Self::BestFirst(*it),
            StrategyRecipe::Hedge(it) => Self::Hedge(Hedge::new(*it)),
            StrategyRecipe::Annealing(it) => Self::Annealing(Annealing::new(*it)),
            StrategyRecipe::Tabu(it) => Self::Tabu(Tabu::new(*it)),
            StrategyRecipe::ImprovedTabu(it) => Self::ImprovedTabu(ImprovedTabu::new(*it)),
            StrategyRecipe::NicheGenetic(it) => Self::NicheGenetic(NicheGenetic::new(*it)),
            StrategyRecipe::Pso(it) => Self::Pso(Pso::new(*it)),
            StrategyRecipe::WebSpace(it) => Self::WebSpace(WebSpace::new(*it)),
            StrategyRecipe::AntColony(it) => Self::AntColony(AntColony::new(*it)),
            StrategyRecipe::Hits(it) => Self::Hits(Hits::new(*it)),
            StrategyRecipe::Shark(it) => Self::Shark(Shark::new(*it)),
            StrategyRecipe::Fish(it) => Self::Fish(Fish::new(*it)),
        }
    }

    pub(crate) fn part(&self) -> &dyn Strategy {
        match self {
            Self::Bfs(it) => it,
            Self::BestFirst(it) => it,
            Self::Hedge(it) => it,
            Self::Annealing(it) => it,
            Self::Tabu(it) => it,
            Self::ImprovedTabu(it) => it,
            Self::NicheGenetic(it) => it,
            Self::Pso(it) => it,
            Self::WebSpace(it) => it,
            Self::AntColony(it) => it,
            Self::Hits(it) => it,
            Self::Shark(it) => it,
            Self::Fish(it) => it,
        }
    }

    pub(crate) fn part_mut(&mut self) -> &mut dyn Strategy {
        match self {
            Self::Bfs(it) => it,
            Self::BestFirst(it) => it,
            Self::Hedge(it) => it,
            Self::Annealing(it) => it,
            Self::Tabu(it) => it,
            Self::ImprovedTabu(it) => it,
            Self::NicheGenetic(it) => it,
            Self::Pso(it) => it,
            Self::WebSpace(it) => it,
            Self::AntColony(it) => it,
            Self::Hits(it) => it,
            Self::Shark(it) => it,
            Self::Fish(it) => it,
        }
    }
}

/// Decides when no link that the strategy wants may be fetched: takes the best link in the queue,
/// unless hosts are tabu and links wait, because the queue knows nothing of tabu hosts and might
/// give out one of their links.
fn free(cx: &StrategyContext<'_>) -> Decision {
    let has_links = cx.graph.waiting_count() > 0;
    if has_links && cx.hosts.part().has_tabu_hosts() { Decision::Nothing } else { Decision::Free }
}

/// Takes the best of all links, or else falls back to the queue.
fn best_or_free(cx: &mut StrategyContext<'_>) -> Decision {
    match cx.take_best(&|_| false) {
        Some(id) => Decision::Fetch(id, Rule::Best),
        None => free(cx),
    }
}

/// Replaces a key by another.
fn replace_key<'k>(keys: impl Iterator<Item = &'k mut LinkKey>, from: &LinkKey, to: &LinkKey) {
    keys.filter(|key| **key == *from).for_each(|key| *key = *to);
}
