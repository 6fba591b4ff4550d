//! Which link next?

mod annealing;
mod ant_colony;
mod best_first;
mod bfs;
mod fish;
mod hits;
mod improved_tabu;
mod niche_genetic;
mod pso;
mod shark;
mod tabu;
mod tabu_list;
mod web_space;

use serde::{Deserialize, Serialize};

pub use annealing::AnnealingSettings;
pub use ant_colony::AntColonySettings;
pub use best_first::BestFirst;
pub use bfs::BreadthFirst;
pub use fish::FishSettings;
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
use self::hits::Hits;
use self::improved_tabu::ImprovedTabu;
use self::niche_genetic::NicheGenetic;
use self::pso::Pso;
use self::shark::Shark;
use self::tabu::Tabu;
use self::web_space::WebSpace;
use crate::helm::Helm;
use crate::link::{Link, LinkKey, Score};
use crate::map::{Map, NodeId};
use crate::priority::LinkFacts;
use crate::random::Random;
use crate::rule::Rule;

/// What a strategy decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// This link, which it took.
    Fetch(NodeId, Rule),
    /// This link, which it took only to look at: it is not counted, and waits again.
    Look(NodeId, Rule),
    /// Whatever ranks best in the queue and may be fetched now: nothing that it wants may.
    Free,
    /// Nothing that may be fetched now.
    Nothing,
    /// Nothing any more: it is done.
    Done,
}

/// How a link was reached, for strategies that rank links by themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lead<'a> {
    /// The link that led to the page.
    pub(crate) led_here: &'a Link,
    /// How many links of the page came before it.
    pub(crate) before: usize,
    /// How many pages came before this one.
    pub(crate) pages: u64,
}

/// The rank of a link, and how it came about; no rank if it is not to be followed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) rank: Option<f64>,
    pub(crate) scores: Vec<(Score, f64)>,
}

/// A way to choose the next link. What it takes, it takes from the [`Helm`], so no strategy can be impolite.
pub(crate) trait Strategy {
    /// Takes the next link.
    fn choose(&mut self, helm: &mut Helm<'_>) -> Decision;

    /// A page came, and its links are known and appraised.
    fn arrived(&mut self, _map: &mut Map, _page: NodeId, _random: &mut Random) {}

    /// A link leads to another address, which is what it is now.
    fn moved(&mut self, _from: &LinkKey, _to: &LinkKey) {}

    /// A page came that was fetched to be judged, with this priority: whether its links are taken up.
    fn accepts(&mut self, _priority: f64, _random: &mut Random) -> bool {
        true
    }

    /// The place of a link in the order of its own, if it has one.
    fn own_priority(&self, _map: &Map, _id: NodeId) -> Option<f64> {
        None
    }

    /// After [`Decision::Free`], a link with this priority was taken.
    fn fell_back(&mut self, _priority: f64, _budget: u64) {}

    /// The rule by which the link with the greatest rank is taken.
    fn plain_rule(&self) -> Rule {
        Rule::Best
    }

    /// The rank of a link, for strategies that rank links by themselves.
    fn rank(&self, _link: &LinkFacts<'_>, _lead: &Lead<'_>) -> Option<Ranked> {
        None
    }
}

/// The strategies that there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StrategyRecipe {
    /// In the order in which links are found.
    Bfs(BreadthFirst),
    /// The greatest priority first.
    BestFirst(BestFirst),
    /// Simulated annealing.
    Annealing(AnnealingSettings),
    /// Tabu search.
    Tabu(TabuSettings),
    /// Improved tabu search (ITS).
    ImprovedTabu(ImprovedTabuSettings),
    /// A niche genetic algorithm.
    NicheGenetic(NicheGeneticSettings),
    /// The Pareto-best in batches, for weights that a swarm of particles learns.
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
    /// Whether it must know the web around links.
    pub(crate) fn needs_map(&self) -> bool {
        !matches!(self, Self::Bfs(_) | Self::BestFirst(_) | Self::Shark(_) | Self::Fish(_))
    }

    /// Whether it compares links by PR.
    pub(crate) fn needs_pagerank(&self) -> bool {
        matches!(self, Self::Pso(_) | Self::WebSpace(_) | Self::AntColony(_))
    }

    /// Whether what stands around links is asked for.
    #[must_use]
    pub fn needs_context(&self) -> bool {
        matches!(self, Self::Shark(_))
    }

    /// Whether links or pages are compared with a topic.
    #[must_use]
    pub fn needs_topic(&self) -> bool {
        !matches!(self, Self::Bfs(_) | Self::Hits(_))
    }
}

/// A strategy at work.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum AnyStrategy {
    Bfs(BreadthFirst),
    BestFirst(BestFirst),
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

/// What a strategy does when none of the links that it wants may be fetched: whatever is free. Not while
/// hosts are tabu: theirs would be taken.
fn free(helm: &Helm<'_>) -> Decision {
    if helm.hosts.part().forbids_some() { Decision::Nothing } else { Decision::Free }
}

/// Takes the best link of all, or whatever is free.
fn best_or_free(helm: &mut Helm<'_>) -> Decision {
    match helm.take_best(&|_| false) {
        Some(id) => Decision::Fetch(id, Rule::Best),
        None => free(helm),
    }
}

/// Says the new key in place of the old.
fn rename<'k>(keys: impl Iterator<Item = &'k mut LinkKey>, from: &LinkKey, to: &LinkKey) {
    keys.filter(|key| **key == *from).for_each(|key| *key = *to);
}
