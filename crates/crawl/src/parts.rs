//! The parts that recipes are made of, with what there is to set of each.

pub use crate::pilot::PageRankSettings;
pub use crate::pilot::gate::{BcwGate, GateRecipe, NoGate, ThresholdGate};
pub use crate::pilot::hosts::{HostMemory, HostsRecipe, NoHosts};
pub use crate::pilot::pagerank::Form;
pub use crate::pilot::priority::{
    ComprehensivePriority, LearnedPriority, NoPriority, PageAnchorPriority, PagePriority,
    PageRankPriority, PriorityRecipe,
};
pub use crate::pilot::strategy::{
    AnnealingSettings, AntColonySettings, BestFirst, BreadthFirst, FishSettings, HitsSettings,
    ImprovedTabuSettings, Lookahead, NicheGeneticSettings, PsoSettings, SharkSettings,
    StrategyRecipe, TabuSettings, WebSpaceSettings,
};
pub use crate::pilot::tunnel::{BlockTunnel, NoTunnel, TunnelRecipe};
