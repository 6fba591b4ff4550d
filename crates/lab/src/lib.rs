#![doc = include_str!("../README.md")]

mod block;
mod compared;
mod comparison;
mod experiment;
mod experiment_error;
mod figures;
mod gap;
mod oracle;
mod papers;
mod random_stream;
mod runs;
mod serve;
mod shelf;
mod statistics;
mod weave;
mod web;

pub use block::{Block, BlockFiles};
pub use compared::{Compared, ComparedError, Measures};
pub use comparison::{Comparison, MEASURES, Mean, Measure, Overlap, Repeats, TESTED};
pub use experiment::{Contender, POINTS, Point, RunOutcome, Setting, points, run};
pub use experiment_error::ExperimentError;
pub use figures::{
    Crawler, FigureSettings, Figures, Milestone, OracleFigures, Speed, TEST_HEADS, columns,
    p_value, sentence, shown, test_rows,
};
pub use gap::{Gap, Gaps, WorstBlock};
pub use oracle::ORACLE;
pub use papers::{PRINTED, PrintedRanks};
pub use runs::{Experiment, ExperimentProgress, NamedRecipe};
pub use serve::{AccessLog, Naming, Pace, Server, Serving};
pub use shelf::{Shelf, ShelfReader};
pub use statistics::{
    Against, AgainstControl, Better, MeanRank, Omnibus, PERMUTATIONS, Ranks, ResultTable,
    TestResults, Wilcoxon, a12, smallest_wilcoxon_p, wilcoxon,
};
pub use weave::{
    LABELS, LINKS, REALISTIC, SEEDS, SETTINGS, SourceText, WEB, WeaveError, WeaveFile,
    WeaveSettings, Woven, weave,
};
pub use web::LoadedWeb;
