//! The crawler. A [`Crawl`] takes links from a [`Frontier`] as a [`Pilot`] chooses by a [`Recipe`], fetches them from a [`Web`], asks a [`Focus`] what the pages are about, and stores what comes. Whatever happens, it can go on.
//!
//! What may be fetched at all is decided by the one form of an address ([`canonical`]), where a crawl goes ([`Scope`]),
//! which addresses lead into endless webs ([`TrapLimits`]), the rules of a site's robots.txt ([`SiteRules`]), and the
//! machines that it never talks to ([`is_public`]).
//!
//! ```
//! use ontrail_crawl::SiteRules;
//!
//! let text = "User-agent: *\nDisallow: /private/\nAllow: /private/news";
//! let rules = SiteRules::parse(text.as_bytes(), "Ontrail/0.1 (+mailto:someone@example.org)");
//! let url = |path: &str| format!("http://www.example.org{path}").parse().unwrap();
//! assert!(rules.allows(&url("/private/news/1.html")));
//! let verdict = rules.verdict(&url("/private/"));
//! assert!(!verdict.is_allowed);
//! assert_eq!(verdict.reason, "Disallow: /private/ (User-agent: *)");
//! ```

mod address;
mod duplicates;
mod focus;
mod frontier;
mod labels;
mod link;
mod metrics;
mod off_limits;
mod output;
pub mod parts;
mod pilot;
mod recipe;
mod robots;
mod run;
mod scope;
mod seeds;
mod settings;
mod sitemap;
mod store;
mod traps;
mod web;

pub use address::canonical;
pub use duplicates::Seen;
pub use focus::{Class, Focus, FoundLink, Reading, gist};
pub use frontier::{
    Frontier, FrontierCounts, FrontierLimits, LocalFrontier, Next, Notes, Offer, Take, Taken,
};
pub use labels::{Labels, LabelsError};
pub use link::{Link, LinkKey, Score, Target};
pub use metrics::{Judged, Recalled, SelfJudged, Superposition, Tally, TrulyJudged, superposition};
pub use off_limits::{Exceptions, NoNetwork, is_public};
pub use output::{LinkRow, LogRow, OutputError, Stored, read_links, read_log};
pub use pilot::{Candidate, Course, LinkVerdict, Pilot, Rule};
pub use recipe::{
    DepMode, NormChoice, Recipe, RecipeError, SimilarityRecipe, SimilaritySettings, TopicRecipe,
    Weights,
};
pub use robots::{SiteRules, Verdict, product_token};
pub use run::{Crawl, CrawlError, CrawlParts, End, Summary};
pub use scope::{OutOfScope, Scope, ScopeError, ScopeRules, site};
pub use seeds::{NoSeed, parse_seeds};
pub use settings::{
    Caps, FetchSettings, OutOfRange, OutputSettings, OverLimit, Politeness, Settings,
};
pub use store::StoreError;
pub use traps::{Trap, TrapLimits};
pub use web::{
    Answer, ArchiveWeb, Failure, FailureKind, Fetching, FolderError, FolderWeb, Wants, Web,
};
#[cfg(feature = "live")]
pub use web::{LiveError, LiveWeb};
