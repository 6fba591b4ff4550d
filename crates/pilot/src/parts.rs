//! The parts that recipes are made of, and their settings.

pub use crate::gate::{BcwGate, GateRecipe, NoGate, ThresholdGate};
pub use crate::hosts::{HostMemory, HostsRecipe, NoHosts};
pub use crate::pagerank::Form;
pub use crate::pagerank::PageRankSettings;
pub use crate::priority::{
    ComprehensivePriority, LearnedPriority, LinkModelPriority, NoPriority, PageAnchorPriority,
    PagePriority, PageRankPriority, PriorityRecipe, ScoredBy,
};
pub use crate::strategy::{
    AnnealingSettings, AntColonySettings, BestFirst, BreadthFirst, FishSettings, HedgeSettings,
    HitsSettings, ImprovedTabuSettings, Lookahead, NicheGeneticSettings, PsoSettings,
    SharkSettings, StrategyRecipe, TabuSettings, WebSpaceSettings,
};
pub use crate::tunnel::{BlockTunnel, NoTunnel, TunnelRecipe};
