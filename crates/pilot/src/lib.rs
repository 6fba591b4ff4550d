#![doc = include_str!("../README.md")]

mod arrive;
mod choose;
mod clue;
mod company;
mod cut;
mod discarded;
mod gate;
mod graph;
mod hosts;
mod judge;
mod link;
mod note;
mod pagerank;
mod pareto;
pub mod parts;
mod pilot;
mod place;
mod priority;
mod random;
mod recipe;
mod rule;
mod similarity;
mod state;
mod strategy;
mod strategy_context;
mod tunnel;
mod verdict;
mod waiting;
mod why;

pub use ontrail_anchor::{AnchorTerm, PageTerms};
pub use ontrail_learner::{Cause, KeptModel, LinkClues, Named};

pub use arrive::{Candidate, LinkVerdict, Plan, Signals};
pub use company::{ForeignSighting, LearnedNumber, SentLink, ShownPlan, WaitingLink};
pub use cut::Cut;
pub use gate::PageFacts;
pub use judge::{CalibrationView, ClassJudge, JudgeRecipe, Judgement, TopicJudge};
pub use link::{HostKey, Link, LinkId, LinkKey, RankedLink, Score, Target, host_of, key_of};
pub use note::{DamagedNotes, Notes};
pub use pilot::{Choice, Pilot, Ready, Start};
pub use place::Place;
pub use recipe::{Recipe, RecipeError};
pub use rule::Rule;
pub use similarity::{
    AnchorChoice, ContentChoice, DepMode, NormChoice, SimilarityRecipe, SimilaritySettings,
    TopicRecipe, Weights,
};
pub use state::SEED_PRIORITY;
pub use verdict::{Offer, OutOfScope, Trap, Verdict};
pub use why::{Learned, OfCause, OrderFound, Reason, Strongest, Why, end_of_place};
