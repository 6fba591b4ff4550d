//! Errors of experiments.

use std::path::PathBuf;

use ontrail_archive::ArchiveError;
use ontrail_artifact::ArtifactError;
use ontrail_crawl::{CrawlError, LabelsError, NoSeed};
use ontrail_focus::ModelError;
use ontrail_intake::IntakeError;

/// The reason why an experiment cannot be planned or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// A plan or a seed list cannot be read.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// A plan is not valid TOML or has unknown keys.
    #[error("{}: {reason}", path.display())]
    Plan {
        /// The plan.
        path: PathBuf,
        /// The parser's message, with line and column.
        reason: String,
    },
    /// A plan lists no block.
    #[error("{}: the plan has no [[block]]", .0.display())]
    EmptyPlan(PathBuf),
    /// The web of a block does not exist.
    #[error("{}: no such file or folder; give the folder of a woven web, or an archive", .0.display())]
    NoWeb(PathBuf),
    /// An archive has no pages.
    #[error("{}: the archive has no pages", .0.display())]
    EmptyWeb(PathBuf),
    /// Labels or seeds must be named, because the web is an archive and has none beside it.
    #[error("{}: this is not the folder of a woven web, so name the file with {option}", web.display())]
    NotNamed {
        /// The web.
        web: PathBuf,
        /// The option that names the file.
        option: &'static str,
    },
    /// A line of a seed list is not a URL.
    #[error("{}:{}: {error}", path.display(), error.line)]
    Seed {
        /// The list.
        path: PathBuf,
        /// The line and its text.
        error: NoSeed,
    },
    /// A seed list is empty.
    #[error("{}: the file has no URLs", .0.display())]
    NoSeeds(PathBuf),
    /// There are fewer seeds than seed sets.
    #[error("{}: cannot divide {seeds} URLs into {sets} seed sets", path.display())]
    TooFewSeeds {
        /// The list.
        path: PathBuf,
        /// The number of URLs in it.
        seeds: usize,
        /// The number of sets that were asked for.
        sets: usize,
    },
    /// No seed is a page of the web.
    #[error(
        "block {block}: none of the {seeds} seed URLs is in {}; give others with --seed-urls",
        web.display()
    )]
    SeedsElsewhere {
        /// The block.
        block: String,
        /// The number of its seeds.
        seeds: usize,
        /// The web.
        web: PathBuf,
    },
    /// Two blocks have the same name.
    #[error("two blocks are called {0}; give them different names in a plan")]
    SameName(String),
    /// The labels cannot be used.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// The web cannot be read.
    #[error(transparent)]
    Web(#[from] ArchiveError),
    /// A model does not fit or cannot be read.
    #[error("block {block}")]
    Model {
        /// The block.
        block: String,
        /// The problem.
        source: ModelError,
    },
    /// A crawl failed.
    #[error("{block}: recipe {recipe}")]
    Crawl {
        /// The block.
        block: String,
        /// The recipe.
        recipe: String,
        /// The problem.
        source: Box<CrawlError>,
    },
    /// A file of the experiment cannot be read or written.
    #[error(transparent)]
    File(#[from] ArtifactError),
    /// The folder for finished runs cannot be created.
    #[error("{}: cannot create the folder", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}
