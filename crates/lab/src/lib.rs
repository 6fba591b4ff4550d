//! The lab: webs to crawl offline, experiments on them, and statistics that hold.
//!
//! [`weave`] makes a web from labelled texts, with the truth about every page. A [`LoadedWeb`] holds any archive in memory, and a
//! [`Shelf`] what its pages say, read once for all crawlers. [`run`] is one crawl of it, on the same code as a real one; a
//! [`Comparison`] puts many together, and a [`Table`] of blocks and crawlers is judged by the tests of [`Verdict`].
//!
//! ```
//! use ontrail_lab::{Better, Table};
//!
//! let names = ["a", "b"].map(str::to_owned).to_vec();
//! let blocks = (0..6).map(|n| (n.to_string(), vec![0.8, 0.5])).collect();
//! let verdict = Table { names, blocks, better: Better::Higher }.judge(None, 0.05, 0);
//! assert_eq!(verdict.control, "a");
//! assert!((verdict.against_control[0].wilcoxon.p - 2.0 / 64.0).abs() < 1e-12);
//! ```
//!
//! The crate does not know how to fetch the live web.

mod compared;
mod comparison;
mod dice;
mod experiment;
mod figures;
mod papers;
mod serve;
mod shelf;
mod statistics;
mod weave;
mod web;

pub use compared::{Compared, ComparedError, Measures};
pub use comparison::{Comparison, MEASURES, Mean, Measure, Overlap, Repeats, TESTED};
pub use experiment::{Contender, Outcome, POINTS, Point, Setting, points, run};
pub use figures::{
    Checkpoint, Crawler, Figures, Judging, Speed, TEST_HEADS, columns, p_value, sentence, shown,
    test_rows,
};
pub use papers::{PRINTED, PrintedRanks};
pub use serve::{Naming, Server};
pub use shelf::{Shelf, ShelfReader};
pub use statistics::{
    Against, AgainstControl, Better, MeanRank, Omnibus, PERMUTATIONS, Ranks, Table, Verdict,
    Wilcoxon, a12, wilcoxon,
};
pub use weave::{
    LABELS, LINKS, SEEDS, SETTINGS, SourceText, WEB, WeaveError, WeaveFile, WeaveSettings, Woven,
    weave,
};
pub use web::LoadedWeb;
