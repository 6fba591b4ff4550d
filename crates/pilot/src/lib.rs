//! Decides where a focused crawl goes next.
//!
//! A [`Pilot`] follows a [`Recipe`]. The crawler tells it what happened (a page arrived, a link is gone) and
//! asks it for the next link; it answers with a [`Choice`] or with links to offer to the queue. It fetches
//! nothing and stores nothing, so a crawl, an experiment and a test can all drive it.
//!
//! ```
//! use ontrail_pilot::{Choice, Link, Pilot, Recipe, Rule};
//!
//! let recipe = Recipe::shipped("bfs")?;
//! let mut pilot = Pilot::new(&recipe, 100, 0);
//! let seeds = pilot.seeds(vec![Link::seed("http://www.example.org/".parse()?)]);
//! assert_eq!(seeds.len(), 1);
//! // Breadth-first needs no map of the web: it takes whatever ranks best in the queue.
//! assert_eq!(pilot.choose(&|_: &_, _| true), Choice::Best(Rule::First));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrive;
mod choose;
mod discarded;
mod gate;
mod helm;
mod hosts;
mod link;
mod map;
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
mod state;
mod strategy;
mod tunnel;
mod verdict;
mod waiting;

pub use arrive::{Candidate, LinkVerdict, Plan, Signals};
pub use gate::PageFacts;
pub use link::{HostKey, Link, LinkId, LinkKey, RankedLink, Score, Target, host_of, key_of};
pub use note::{DamagedNotes, Notes};
pub use pilot::{Choice, Pilot, Ready};
pub use place::Place;
pub use recipe::{
    DepMode, NormChoice, Recipe, RecipeError, SimilarityRecipe, SimilaritySettings, TopicRecipe,
    Weights,
};
pub use rule::Rule;
pub use verdict::{Offer, OutOfScope, Trap, Verdict};
