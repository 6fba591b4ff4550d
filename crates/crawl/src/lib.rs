#![doc = include_str!("../README.md")]

mod canonical_url;
mod crawled;
mod curves;
mod focus;
mod folder;
mod frontier;
mod health;
mod labels;
mod local_trouble;
mod metrics;
mod off_limits;
mod open_files;
mod outcome;
mod output;
mod ports;
mod robots;
mod run;
mod scope;
mod secrets;
mod seeds;
mod settings;
mod sitemap;
mod state;
mod steer;
mod store;
mod traps;
mod web;

pub use canonical_url::canonical;
pub use crawled::Crawled;
pub use curves::{Curves, CurvesBuilder};
pub use focus::{Class, Focus, FoundLink, Reading, simhash};
pub use folder::{
    FrontierPlace, MeaningsPlace, ModelFile, Progress, ProgressFile, RunFile, RunFolder,
    RunFolderError, WebPlace, check_is_run, is_running, progress_of, read_progress, read_run,
};
pub use frontier::{Frontier, FrontierCounts, FrontierLimits, Idle, Lease, Take, Visit};
pub use health::HostHealth;
pub use labels::{Labels, LabelsError};
pub use local_trouble::is_local_trouble;
pub use metrics::{
    Judged, JudgementQuality, Recalled, SelfJudged, Superposition, Tally, TrulyJudged,
    superposition,
};
pub use off_limits::{Exceptions, InvalidNetwork, is_public};
pub use open_files::OpenFiles;
pub use outcome::{FetchKind, Outcome};
pub use output::{
    DiskUse, LinkRow, LogRow, OpeningNotice, OutputError, Stored, WorkerFolder, archive_path,
    finished_files, free_space, link_rows, links_to, log_rows, read_links, read_log,
    unfinished_files, write_links, write_log,
};
pub use ports::Ports;
pub use robots::{RobotsVerdict, SiteRules, product_token};
pub use run::{
    BUCKETS, Crawl, CrawlError, CrawlParts, End, Histogram, Merge, Merged, OddThreshold, Relearned,
    Repaired, Summary, Timings, TroubleKind, Waiting, learn_from,
};
pub use scope::{Scope, ScopeError, ScopeRules, site};
pub use secrets::{hide_arguments, hide_credentials, hide_header, is_harmless_header};
pub use seeds::{NoSeed, parse_seeds};
pub use settings::{
    Caps, CrawlSettings, FetchSettings, OutOfRange, OutputSettings, OverLimit, Politeness,
};
pub use state::{
    Checkpoint, Company, ContentIndex, CrawlState, Elsewhere, Journal, LocalState, Order, Seen,
    WebFacts,
};
#[cfg(feature = "shared")]
pub use state::{
    Credentials, InvalidAddress, LEASE, PARTITIONS, ServerAddress, ServerError, SharedCrawl,
    SharedError, SharedFile, SharedPlace, SharedState, SharedStatus, Worker, WorkerFigures,
    shared_crawls,
};
pub use steer::{Course, Task, begin, hear, next_task, offer_listed, take_up};
pub use store::StoreError;
pub use traps::TrapLimits;
pub use web::{
    ArchiveWeb, Failure, FailureKind, Fetching, FolderError, FolderWeb, Locating, NoWeb, Response,
    Wants, Web,
};
#[cfg(feature = "live")]
pub use web::{LiveError, LiveWeb};
