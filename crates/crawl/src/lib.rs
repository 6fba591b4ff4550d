//! The crawler. A [`Crawl`] takes links from a [`Frontier`] as a [`Pilot`](ontrail_pilot::Pilot) chooses by a
//! [`Recipe`](ontrail_pilot::Recipe), fetches them from a [`Web`], asks a [`Focus`] what the pages are about, and stores what comes. Whatever happens, it can go on.
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
mod curves;
mod focus;
mod folder;
mod frontier;
mod labels;
mod metrics;
mod off_limits;
mod outcome;
mod output;
mod robots;
mod run;
mod scope;
mod seeds;
mod settings;
mod sitemap;
mod state;
mod steer;
mod store;
mod traps;
mod web;

pub use address::canonical;
pub use curves::Curves;
pub use focus::{Class, Focus, FoundLink, Reading, gist};
pub use folder::{
    Crawled, FrontierPlace, MeaningsPlace, ModelFile, Progress, ProgressFile, RunFile, RunFolder,
    RunFolderError, WebPlace, check_is_run, is_running, progress_of, read_progress, read_run,
};
pub use frontier::{Frontier, FrontierCounts, FrontierLimits, Idle, Lease, Take};
pub use labels::{Labels, LabelsError};
pub use metrics::{Judged, Recalled, SelfJudged, Superposition, Tally, TrulyJudged, superposition};
pub use off_limits::{Exceptions, NoNetwork, is_public};
pub use outcome::{FetchKind, Outcome};
pub use output::{LinkRow, LogRow, OutputError, Stored, read_links, read_log};
pub use robots::{SiteRules, Verdict, product_token};
pub use run::{Crawl, CrawlError, CrawlParts, End, Summary};
pub use scope::{Scope, ScopeError, ScopeRules, site};
pub use seeds::{NoSeed, parse_seeds};
pub use settings::{
    Caps, FetchSettings, OutOfRange, OutputSettings, OverLimit, Politeness, Settings,
};
pub use state::{Checkpoint, ContentIndex, CrawlState, Journal, LocalState, Seen};
pub use steer::{Course, Task, begin, list, next_task, take_up};
pub use store::StoreError;
pub use traps::TrapLimits;
pub use web::{
    Answer, ArchiveWeb, Failure, FailureKind, Fetching, FolderError, FolderWeb, Wants, Web,
};
#[cfg(feature = "live")]
pub use web::{LiveError, LiveWeb};
