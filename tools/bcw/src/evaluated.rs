//! An evaluation that was written down, to be shown again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use ontrail_artifact::read_json;
use ontrail_bcw::Figures;
use ontrail_report::Confusion;
use serde::Deserialize;

use crate::eval::EVALUATION;

/// What `ontrail bcw eval -o FILE.json` wrote; more than is read here is in it.
#[derive(Debug, Clone, Deserialize)]
pub struct Evaluated {
    /// What was measured on what.
    pub what: String,
    /// How often the answer was right.
    pub accuracy: f64,
    /// The mean of the classes' F1.
    pub macro_f1: f64,
    /// How many documents there were.
    pub documents: u64,
    /// How far posteriors are from the truth on average.
    pub calibration_error: f64,
    /// The figures of each class.
    pub classes: BTreeMap<String, Figures>,
    /// How often each true class was called what.
    confusion: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Evaluated {
    /// Reads what was written down.
    pub fn read(path: &Path) -> Result<Self> {
        Ok(read_json(path, &EVALUATION)?.1)
    }

    /// The confusion matrix.
    #[must_use]
    pub fn confusion(&self) -> Confusion {
        let classes: Vec<&String> = self.confusion.keys().collect();
        let given = self.confusion.values().flat_map(BTreeMap::keys);
        // A class that was never an answer has a column too.
        let others: BTreeSet<&String> = given.filter(|answer| !classes.contains(answer)).collect();
        let answers: Vec<&String> = classes.iter().copied().chain(others).collect();
        let row = |counts: &BTreeMap<String, u64>| {
            answers.iter().map(|answer| counts.get(*answer).copied().unwrap_or(0)).collect()
        };
        Confusion {
            counts: self.confusion.values().map(row).collect(),
            classes: classes.into_iter().cloned().collect(),
            answers: answers.into_iter().cloned().collect(),
        }
    }
}
